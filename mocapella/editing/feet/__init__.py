"""Feet and hands kept where they rest."""
