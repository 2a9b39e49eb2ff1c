"""Benches that ``mocapella bench`` finds in a source checkout only."""
