"""Roles of joints, legs, parts of the body, symmetry and correspondence of skeletons."""
