"""A cycle over the ground: when its feet rest, the root motion they require, and how fast it is played."""
