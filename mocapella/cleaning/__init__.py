"""Faults of captures, detected and repaired."""
