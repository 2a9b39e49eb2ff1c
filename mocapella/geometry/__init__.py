"""Mathematics that knows no motion: angles, rotations, curves."""
