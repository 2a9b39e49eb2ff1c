"""Motions that are captured as positions: of joints, or of markers on the skin."""
