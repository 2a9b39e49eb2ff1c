"""Joints of many characters in NumPy: where they are, and legs bent to planted feet."""
