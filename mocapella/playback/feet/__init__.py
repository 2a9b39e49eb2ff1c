"""Foot locks: planted feet that do not slide."""
