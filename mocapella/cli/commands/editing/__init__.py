"""Commands that edit and retarget motions, learn feelings and write motions in other forms."""
