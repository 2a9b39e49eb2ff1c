"""How two skeletons differ, in words."""

from __future__ import annotations

import numpy as np

from mocapella.motion.skeleton import Skeleton

# What can be done about it today: nothing carries a motion from one body to another.
REMEDY = "all motions that are mixed share one skeleton, so build one network for each body"
_NAMED = 3  # joints, before the rest is only counted
_TOLERANCE = 1e-6  # metres, as ``Skeleton.same_as`` has it
_ALIKE = 1e-3  # of a length: bodies whose lengths all have one ratio are one body in two units


def unlike(own: Skeleton, other: Skeleton) -> str:
    """What the first of two skeletons that differ has, and the other has not; "" where they are the same.

    Examples
    --------
    ``"it lacks joint 'LeftToe'"``, ``"joint 'knee' lies 0.431 m from its parent, not 0.402 m"``
    """
    lacking, more = _without(other, own), _without(own, other)
    if lacking or more:
        who = (("it", lacking), ("the other", more))
        return ", ".join(f"{which} lacks {_listed(names)}" for which, names in who if names)
    if own.names != other.names:
        return "it has the same joints in another order"
    for joint, (parent, another) in enumerate(zip(own.parents.tolist(), other.parents.tolist(), strict=True)):
        if parent != another:
            return f"joint {own.names[joint]!r} hangs on {own.names[parent]!r}, not on {own.names[another]!r}"
    off = np.abs(own.offsets - other.offsets).max(axis=1)
    off[0] = 0.0  # where the root rests is no part of the body
    joint = int(np.argmax(off))
    if off[joint] <= _TOLERANCE:
        return ""
    lengths, others = (np.linalg.norm(one.offsets[1:], axis=1) for one in (own, other))
    ratio = float(lengths.sum() / others.sum()) if others.sum() > 0.0 else 0.0
    if np.allclose(lengths, ratio * others, rtol=_ALIKE, atol=_TOLERANCE) and abs(ratio - 1.0) > _ALIKE:
        return f"it is {ratio:.4g} times as large; unit=cm, or another, helps where that was read wrongly"
    length, another = float(lengths[joint - 1]), float(others[joint - 1])
    if abs(length - another) > _TOLERANCE:
        return f"joint {own.names[joint]!r} lies {length:.4g} m from its parent, not {another:.4g} m"
    return f"joint {own.names[joint]!r} rests in another direction from its parent"


def _without(one: Skeleton, other: Skeleton) -> list[str]:
    """The joints of one skeleton whose names the other has not."""
    known = set(other.names)
    return [name for name in one.names if name not in known]


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_NAMED])
    rest = len(names) - _NAMED
    return f"{'joint' if len(names) == 1 else 'joints'} {shown}" + (f" and {rest} others" if rest > 0 else "")
