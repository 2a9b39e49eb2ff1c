"""Clips made into other clips."""
