"""The embedded actor: synthetic captures with ground truth."""

from mocapella.actor.body import ground_points, skeleton_of
from mocapella.actor.imperfections import CAPTURED, CLEAN, Imperfections
from mocapella.actor.perform import Truth, perform
from mocapella.actor.repertoire import capture, captures, repertoire

__all__ = [
    "CAPTURED",
    "CLEAN",
    "Imperfections",
    "Truth",
    "capture",
    "captures",
    "ground_points",
    "perform",
    "repertoire",
    "skeleton_of",
]
