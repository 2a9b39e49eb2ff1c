"""Foot and hand locks on clips."""
