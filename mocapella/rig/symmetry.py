"""Left and right exchanged: the counterpart of every joint, and mirrored clips and cycles."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int

from mocapella.arrays import owned
from mocapella.checks import explained
from mocapella.errors import MotionWarning, SkeletonError
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import REFLECTION, Layout
from mocapella.motion.skeleton import NO_PARENT, Skeleton
from mocapella.rig.names import LEFT, RIGHT, read_names
from mocapella.rig.roles import find_roles
from mocapella.stages import refuse_other_stage

_FLIP = np.array([-1.0, 1.0, 1.0])  # a place in a mirror square to x
_UNEVEN = 0.1  # of the body's size: how unlike its mirror image a rest pose may be before the user should know


def mirror_pairs(skeleton: Skeleton) -> Int[np.ndarray, " joints"]:
    """For every joint its counterpart on the other side; joints in the middle are their own.

    Roles tell first, then names, then the rest pose; a pair hangs on a pair. What one limb carries and the other does
    not, such as a sword or a holster, is its own counterpart and stays on its limb.

    Raises ``SkeletonError`` where left and right do not have the same joints. Warns with ``MotionWarning`` where the
    rest pose is far from its own mirror image: the mirrored motion will then be off by as much.
    """
    pairs, unevenness, _ = _pairs(skeleton)
    if unevenness > _UNEVEN:
        warnings.warn(
            f"left and right of the rest pose differ by {100 * unevenness:.0f} % of the body's size; "
            "a mirrored motion will be off by as much",
            MotionWarning,
            stacklevel=3,
        )
    return pairs


def is_uneven(skeleton: Skeleton) -> bool:
    """Whether left and right of the rest pose differ by more than a tenth of the body's size, too much to mirror."""
    return _pairs(skeleton)[1] > _UNEVEN


@lru_cache(maxsize=64)
def _pairs(skeleton: Skeleton) -> tuple[Int[np.ndarray, " joints"], float, Int[np.ndarray, " carried"]]:
    """The counterparts, how far the rest pose is from its mirror image as a share of its size, and what is carried."""
    pairs = _paired_by_name(skeleton)
    _pair_parents(skeleton, pairs)
    _pair_by_place(skeleton, pairs)
    counterparts = np.array([pairs.get(joint, joint) for joint in range(skeleton.n_joints)])
    parents, played = skeleton.parents, set(find_roles(skeleton).values())
    carried: list[int] = []
    for joint, other in enumerate(counterparts):
        above, beside = parents[joint], parents[other]
        if joint == other and joint not in played and (above in carried or counterparts[above] != above != NO_PARENT):
            carried.append(joint)
        elif above != NO_PARENT and counterparts[above] != beside:
            raise SkeletonError(
                f"{skeleton.names[joint]!r} and {skeleton.names[other]!r} would be left and right of each other, but "
                f"hang on {skeleton.names[above]!r} and {skeleton.names[beside]!r}, which are not; name their roles"
            )
    places = skeleton.rest_positions - skeleton.rest_positions[0]
    size = float(np.ptp(places, axis=0).max()) or 1.0
    apart = np.delete(places[counterparts] - places * _FLIP, carried, axis=0)
    return owned(counterparts), float(np.abs(apart).max()) / size, owned(np.array(carried, dtype=np.intp))


def _paired_by_name(skeleton: Skeleton) -> dict[int, int]:
    """Pairs that roles and names give; roles come first."""
    pairs: dict[int, int] = {}

    def join(a: int, b: int) -> None:
        if a != b and a not in pairs and b not in pairs:
            pairs[a], pairs[b] = b, a

    roles = find_roles(skeleton)
    for role, joint in roles.items():
        if role.startswith(LEFT) and (other := roles.get(RIGHT + role.removeprefix(LEFT))) is not None:
            join(joint, other)
    named = read_names(skeleton.names)
    lefts = {(name.word, name.numbers): j for j, name in enumerate(named) if name.side == LEFT}
    for j, name in enumerate(named):
        if name.side == RIGHT and (other := lefts.get((name.word, name.numbers))) is not None:
            join(j, other)
    for j, word in enumerate(skeleton.names):
        for other_word in _other_words(word):
            if other_word in skeleton.names:
                join(j, skeleton.index(other_word))
    return pairs


def _pair_parents(skeleton: Skeleton, pairs: dict[int, int]) -> None:
    """Pair the ancestors of pairs, up to where both sides meet; their names may tell no side."""
    parents: list[int] = skeleton.parents.tolist()
    for joint in range(len(parents) - 1, 0, -1):
        above, beside = parents[joint], parents[pairs.get(joint, joint)]
        free = above != beside and above not in pairs and beside not in pairs
        if free and len(skeleton.path(above)) == len(skeleton.path(beside)):
            pairs[above], pairs[beside] = beside, above


def _other_words(name: str) -> Iterable[str]:
    """The name with left and right exchanged at its start or end: ``lthumb`` → ``rthumb``."""
    for a, b in itertools.permutations(("left", "right")):
        yield re.sub(a, b, name, count=1, flags=re.IGNORECASE)
    for a, b in itertools.permutations("lr"):
        yield re.sub(f"^{a}", b, name)
        yield re.sub(f"{a}$", b, name)


def _pair_by_place(skeleton: Skeleton, pairs: dict[int, int]) -> None:
    """Pair joints without a telling name with the nearest to their mirror image below their parent's counterpart."""
    places = skeleton.rest_positions - skeleton.rest_positions[0]
    for parent in range(skeleton.n_joints):
        other = pairs.get(parent, parent)
        free = [j for j in skeleton.children(parent).tolist() if j not in pairs]
        goals = [j for j in skeleton.children(other).tolist() if j not in pairs]
        if parent == other and len(free) < 2:
            continue
        for joint in free:
            if joint in pairs or not goals:
                continue
            nearest = min(goals, key=lambda goal: float(np.linalg.norm(places[goal] - places[joint] * _FLIP)))
            if nearest != joint:
                pairs[joint], pairs[nearest] = nearest, joint
            goals = [goal for goal in goals if goal not in (nearest, joint)]


def mirrored_clip(clip: Clip) -> Clip:
    """The clip mirrored at x = 0: left and right exchanged, turns reversed.

    Raises ``SkeletonError`` where left and right are not built alike.
    """
    pairs = mirror_pairs(clip.skeleton)
    carried = _pairs(clip.skeleton)[2]
    rotations = clip.rotations_wxyz[:, pairs] * REFLECTION
    rotations[:, carried] = clip.rotations_wxyz[:, carried]
    order = np.argsort(pairs[clip.sliding_joints])
    return replace(
        clip,
        root_positions=clip.root_positions * _FLIP,
        rotations_wxyz=rotations,
        sliding_joints=pairs[clip.sliding_joints][order],
        slides=clip.slides[:, order] * _FLIP,
    )


@explained
def reflected(layout: Layout, dofs: Float[np.ndarray, "frames dofs"]) -> Float[np.ndarray, "frames dofs"]:
    """The dofs of a mirrored motion; what one limb alone carries keeps its own.

    Raises ``SkeletonError`` where left and right are not built alike.
    """
    out = np.array(layout.reflected(dofs, mirror_pairs(layout.skeleton)))
    for joint in _pairs(layout.skeleton)[2].tolist():
        out[:, layout.columns(joint)] = dofs[:, layout.columns(joint)]
    return out


def mirrored(cycle: Cycle) -> Cycle:
    """The cycle mirrored: left and right exchanged, contacts too, turn and travel to the side reversed.

    Parameters
    ----------
    cycle
        The motion.

    Returns
    -------
    Cycle
        Of the same skeleton.

    Raises
    ------
    SkeletonError
        Where left and right are not built alike.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.prepare import prepare
    >>> cycle = prepare(perform("walk", speed=1.3, turn=0.4)[0])
    >>> bool(np.isclose(mirrored(cycle).turn, -cycle.turn))
    True
    """
    refuse_other_stage(cycle, "Cycle")
    contacts = None if cycle.contacts is None else cycle.contacts.mirrored()
    exchanged = replace(cycle, dofs=owned(reflected(cycle.layout, cycle.dofs)), contacts=contacts)
    return exchanged.decided("mirror", "left and right were exchanged")
