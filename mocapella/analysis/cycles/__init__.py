"""Cycles found in clips."""
