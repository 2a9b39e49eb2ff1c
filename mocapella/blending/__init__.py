"""Mixing motions: rules, networks of nodes in a plane, and the weights a blending point gives them."""
