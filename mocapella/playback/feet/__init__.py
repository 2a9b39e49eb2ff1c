"""Feet that stay where they stand."""
