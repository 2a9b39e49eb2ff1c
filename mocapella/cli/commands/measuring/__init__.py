"""Commands that measure networks, motions, speed, and published tables."""
