"""Measures of motions and networks: foot slip, distortion, mechanics, seams, paths."""
