"""Closing cycles: the ends of a captured cycle brought together."""
