"""Motions by numbers: examples with labels, and motions between them that have requested labels."""
