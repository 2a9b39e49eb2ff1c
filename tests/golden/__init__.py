"""Outcomes that a change of structure must not change: networks, recordings, answers and error messages."""
