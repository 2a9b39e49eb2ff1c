"""Commands that carry motions over, learn feelings and write motions in other forms."""
