"""The embedded actor: captures on demand, with the right answers beside them."""

from mocapella.actor.body import ground_points, skeleton_of
from mocapella.actor.imperfections import CAPTURED, CLEAN, Imperfections
from mocapella.actor.perform import perform
from mocapella.actor.truth import Truth

__all__ = ["CAPTURED", "CLEAN", "Imperfections", "Truth", "ground_points", "perform", "skeleton_of"]
