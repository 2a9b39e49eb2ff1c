"""Dofs and harmonics that are taken from one source instead of being blended."""
