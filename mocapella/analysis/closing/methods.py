"""The ways of closing a cycle, by name."""

from __future__ import annotations

from mocapella.analysis.closing.cyclify import Closing, end_moved, smooth, start_moved, symmetric
from mocapella.analysis.closing.feet_kept import feet_kept
from mocapella.analysis.closing.merge import half_mirrored, neighbour_merged, there_and_back
from mocapella.errors import MotionError

METHODS: dict[str, Closing] = {
    "symmetric": symmetric,
    "smooth": smooth,
    "feet_kept": feet_kept,
    "start_moved": start_moved,
    "end_moved": end_moved,
    "neighbour_merged": neighbour_merged,
    "there_and_back": there_and_back,
    "half_mirrored": half_mirrored,
}


def named_method(method: Closing | str) -> Closing:
    """The way of closing that a name stands for; a function stands for itself."""
    if isinstance(method, str):
        if method not in METHODS:
            raise MotionError(f"there is no way {method!r} to close a cycle; expected one of {', '.join(METHODS)}")
        return METHODS[method]
    if not callable(method):
        raise MotionError(f"expected a way to close a cycle, one of {', '.join(METHODS)}, got {method!r}")
    return method


def method_name(method: Closing) -> str:
    """What a way of closing is called on record."""
    known = [name for name, way in METHODS.items() if way is method]
    return known[0] if known else str(getattr(method, "name", getattr(method, "__name__", "closed")))
