"""From captures and specs to networks."""
