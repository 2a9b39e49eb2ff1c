"""Cycles fitted to all repetitions of a motion."""
