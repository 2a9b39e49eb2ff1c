"""Close a cycle by merging it with similar frames: a neighbour's, or its own reversed or mirrored (AMH03).

These are the three ways of Ahmed, Mokhtarian and Hilton (2003). Each is a ``method`` for ``cyclify``.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from mocapella.analysis.closing.displacement import ClosingMethod, Cut
from mocapella.errors import MotionError
from mocapella.geometry.curves import catmull_rom, smoothstep
from mocapella.motion.contacts import FOOT_POINTS, Arc, CycleContacts, merge_arcs
from mocapella.motion.layout import Layout
from mocapella.rig.symmetry import reflected

_MERGED = 0.2  # of the cycle that a neighbour is merged into

Frames = Float[np.ndarray, "frames dofs"]


def _merge_neighbour(cut: Cut) -> Frames:
    """Merge one end with the frames a cycle before or after it, up to a fifth of the cycle, so that the ends meet.

    The last frames pass into those that lead to the first frame where the clip has them, else the first frames come
    out of those that follow the last. The rest of the cycle stays as captured.
    """
    wanted = max(2, round(_MERGED * cut.n_frames))
    has = max(len(cut.before), len(cut.after))
    if has < 2:
        raise MotionError("the clip has no frames beside the cycle to merge with; use symmetric, or a longer clip")
    count = min(wanted, has)
    out = np.array(cut.dofs)
    weights = smoothstep(np.arange(1, count + 1) / count)[:, None]
    if len(cut.before) >= count:
        frames, goal = slice(-count, None), np.concatenate([cut.before[len(cut.before) - count + 1 :], cut.dofs[:1]])
    else:
        frames, goal = slice(0, count), np.concatenate([cut.dofs[-1:], cut.after[: count - 1]])
        weights = weights[::-1]
    goal[:, -3:] = out[frames, -3:]  # rates are periodic already
    out[frames] = _mixed(cut.layout, cut.dofs[frames], goal, weights)
    return out


def _merge_reversed(cut: Cut) -> Frames:
    """For motions whose second half is the first one reversed, such as kicks: merge every frame with its counterpart.

    Both have the same weight at the ends, which then meet; the middle of the cycle stays as captured.
    """
    back = cut.dofs[::-1].copy()
    back[:, -3:] *= -1.0  # backwards in time, travel and turn go the other way
    return _mixed(cut.layout, cut.dofs, back, 0.5 * np.abs(1.0 - 2.0 * cut.progress)[:, None])


def _merge_mirrored(cut: Cut) -> Frames:
    """For walks and runs, whose second half is the first one mirrored: merge every frame with the other foot's step.

    The weight of a frame falls to 0 towards the ends, so that neither the seam of the cycle nor that of its mirror
    image, half a cycle away, shows. The result is the same on both sides, half a cycle apart, in every harmonic and
    for any number of frames; so are the contacts. The turn is lost.
    """
    n = cut.n_frames
    shifted = catmull_rom(_other_side(cut.layout, cut.dofs), (np.arange(n + 1) + 0.5 * n) % n)
    closed = _mixed(cut.layout, cut.dofs, shifted, np.abs(1.0 - 2.0 * cut.progress)[:, None])[:-1]
    # Half a cycle is a fraction of frames where their number is odd; harmonics are turned by it exactly.
    alike = np.fft.rfft(closed, axis=0)
    other = np.fft.rfft(_other_side(cut.layout, closed), axis=0)
    alike = 0.5 * (alike + np.where(np.arange(len(alike)) % 2, -1.0, 1.0)[:, None] * other)
    out = np.fft.irfft(alike, n, axis=0)
    return np.concatenate([out, out[:1]])


def _other_side(layout: Layout, dofs: Frames) -> Frames:
    """The other side's dofs, written as these are."""
    return layout.matched(reflected(layout, dofs), dofs.mean(axis=0))


def _mirrored_contacts(plants: CycleContacts) -> CycleContacts:
    """Plants that begin and end midway between those of a foot and of the other half a cycle later."""
    other = plants.mirrored().starting_at(np.pi)
    return CycleContacts(**{name: _midway(plants.point(name), other.point(name)) for name in FOOT_POINTS})


def _midway(arcs: tuple[Arc, ...], others: tuple[Arc, ...]) -> tuple[Arc, ...]:
    """Arcs whose ends lie midway between two sets of them; all of both where their numbers differ."""
    if len(arcs) != len(others):
        return merge_arcs([*arcs, *others])
    left = list(others)
    out = []
    for start, length in arcs:
        offsets = [math.remainder(arc[0] - start, math.tau) for arc in left]
        offset = min(offsets, key=abs)
        nearest = left.pop(offsets.index(offset))
        out.append((start + 0.5 * offset, 0.5 * (length + nearest[1])))
    return tuple(out)


def _mixed(layout: Layout, a: Frames, b: Frames, weights: Float[np.ndarray, "frames 1"]) -> Frames:
    """``a`` displaced towards ``b``, the shorter way round in every joint, by these shares."""
    return layout.displaced(a, weights * layout.displacement(a, b))


neighbour_merged = ClosingMethod("neighbour_merged", _merge_neighbour)
there_and_back = ClosingMethod("there_and_back", _merge_reversed, any_ends=True)
half_mirrored = ClosingMethod("half mirrored", _merge_mirrored, contacts=_mirrored_contacts, any_ends=True)
