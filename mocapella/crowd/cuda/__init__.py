"""Crowds on a GPU: the same step with all state on the device, by CuPy."""
