"""Motions of MikuMikuDance, which name bones of a usual body and move its legs by targets."""
