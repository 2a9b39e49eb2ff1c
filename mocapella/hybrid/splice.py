"""One change after the other: two captured transitions cut together where their poses meet, played as one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import minimum_filter, uniform_filter1d
from scipy.spatial.distance import cdist

from mocapella.analysis.cycles.search import pose_features, spread
from mocapella.checks import refuse_other
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.alignment import Alignment, ground_alignment
from mocapella.geometry.curves import smoothstep
from mocapella.hybrid.seams import measured
from mocapella.hybrid.transition import Transition
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.motion.cycle import Decision

_WINDOW = 0.3  # seconds over which one clip goes over into the other
MOST_UNLIKE = 0.5  # of two frames that may be cut together, where 1 is how far any two of a cycle are apart
_APART = 0.2  # seconds: cuts nearer to each other than this are one
_HASTE = 0.04  # what a second more of playing costs
_SHOWN = 0.8  # of a change that is played before the first can be left, and after the second was entered


@dataclass(frozen=True)
class Splice:
    """A place where one transition can go over into another."""

    first: int  # frame of the first one's clip
    second: int  # frame of the second one's clip that takes its place
    unlikeness: float  # of the two, pose and movement, where 1 is how far any two frames of a cycle are apart
    alignment: Alignment  # what lays the second clip over the first


def find_splices(first: Transition, second: Transition, *, count: int = 5) -> tuple[Splice, ...]:
    """The best places to go from one transition into another, best first.

    Poses and movements are compared over a window of time, as the character sees them; the same feet must rest. Nearly
    all of both changes is played. What is left of the first clip after its change, and what the second shows before its
    own, can be used as well.

    Raises
    ------
    MotionError
        Where skeletons or frame rates differ, or no two poses are alike enough.
    """
    _refuse_strangers(first, second)
    rate = first.clip.frame_rate
    half = max(1, round(0.5 * _WINDOW * rate))
    a, b = (pose_features(one.clip) for one in (first, second))
    cycle = spread(a, np.array([0]), np.array([len(a)]))[0]
    apart = _over_window(cdist(a, b) / cycle, half)
    rows, columns = np.arange(len(a))[:, None], np.arange(len(b))
    shown = first.leave + _SHOWN * (first.arrive - first.leave)  # of both changes nearly all is to be seen
    begun = second.leave + (1.0 - _SHOWN) * (second.arrive - second.leave)
    allowed = (rows >= max(shown, half)) & (rows < len(a) - half) & (columns >= half) & (columns <= begun)
    allowed &= _same_feet(first.contacts, second.contacts)
    cost = np.where(allowed, apart + _HASTE * (rows - columns) / rate, np.inf)
    near = 2 * round(_APART * rate) + 1
    best = np.argwhere((cost == minimum_filter(cost, near, mode="constant", cval=np.inf)) & (apart <= MOST_UNLIKE))
    best = best[np.isfinite(cost[tuple(best.T)])]
    if len(best) == 0:
        raise MotionError(
            f"{first.name!r} never comes near enough to {second.name!r} to go over into it; "
            "a transition that begins where the first one ends can be cut to it"
        )
    order = np.argsort(cost[tuple(best.T)], kind="stable")[:count]
    return tuple(
        Splice(int(i), int(j), float(apart[i, j]), _alignment(first.clip, second.clip, int(i), int(j), half))
        for i, j in best[order]
    )


def splice(first: Transition, second: Transition, cut: Splice | None = None, *, name: str = "") -> Transition:
    """Two transitions as one: the first up to a splice, then the second, one going over into the other.

    Parameters
    ----------
    first, second
        Transitions of one skeleton and frame rate.
    cut
        Where they meet; the best place if None.
    name
        Of the new one; both names if empty.

    Returns
    -------
    Transition
        It begins as the first does and ends as the second, and can be an arc like any other.

    Raises
    ------
    MotionError
        Where skeletons or frame rates differ, or no two poses are alike enough.
    """
    at = find_splices(first, second, count=1)[0] if cut is None else cut
    _refuse_strangers(first, second)
    half = max(1, round(0.5 * _WINDOW * first.clip.frame_rate))
    if not (half <= at.first < len(first.clip) - half and half <= at.second < len(second.clip) - half):
        raise MotionError(f"frames {at.first} and {at.second} lie too near to the ends of their clips to be cut there")
    clip = _spliced(first.clip, second.clip, at, half)
    later = at.first - at.second
    contacts = _joined_contacts(first.contacts[: at.first], second.contacts[at.second :])
    loops = [first.loop if first.loop is not None and first.loop[1] <= at.first - half else None]
    if second.loop is not None and second.loop[0] >= at.second + half:
        loops.append((second.loop[0] + later, second.loop[1] + later))
    text = f"{first.name!r} goes over into {second.name!r} at row {at.first + first.clip.first_row}"
    made = Transition(
        name=name or f"{first.name}, {second.name}",
        clip=replace(clip, name=name or clip.name),
        contacts=contacts,
        before=first.before,
        after=second.after,
        leave=first.leave,
        arrive=second.arrive + later,
        loop=next((loop for loop in loops if loop is not None), None),
        decisions=(
            *(one for one in first.decisions if one.step == "before"),
            Decision("cut", text, {"first": float(at.first), "second": float(at.second), "unlikeness": at.unlikeness}),
            *(one for one in second.decisions if one.step == "after"),
        ),
        tremor=min(first.tremor, second.tremor),
    )
    return measured(made)


def _spliced(first: Clip, second: Clip, cut: Splice, half: int) -> Clip:
    """The first clip up to a cut, the second from there, laid over it; both together over the window."""
    turn = quaternions.about_y(cut.alignment.yaw)
    places = cut.alignment.applied(second.root_positions)
    rotations = np.array(second.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(turn, rotations[:, 0])
    a, b = slice(cut.first - half, cut.first + half + 1), slice(cut.second - half, cut.second + half + 1)
    share = smoothstep((np.arange(2 * half + 1) + 0.5) / (2 * half + 1))
    mixed = quaternions.slerp(first.rotations_wxyz[a], rotations[b], share[:, None])
    between = first.root_positions[a] + share[:, None] * (places[b] - first.root_positions[a])
    return replace(
        first,
        root_positions=np.concatenate([first.root_positions[: a.start], between, places[b.stop :]]),
        rotations_wxyz=np.concatenate([first.rotations_wxyz[: a.start], mixed, rotations[b.stop :]]),
        sliding_joints=np.zeros(0, dtype=np.int64),
        slides=np.zeros((0, 0, 3)),
        report=first.report.without_rows(),
    )


def _joined_contacts(first: Contacts, second: Contacts) -> Contacts:
    masks = {point: np.concatenate([first.planted(point), second.planted(point)]) for point in FOOT_POINTS}
    return Contacts.from_masks(masks)


def _same_feet(first: Contacts, second: Contacts) -> Bool[np.ndarray, "first second"]:
    """For every two frames whether the same feet rest in both: clips are spliced over the same foot."""
    alike = [first.planted(foot)[:, None] == second.planted(foot) for foot in FEET]
    return np.asarray(np.logical_and.reduce(alike))


def _over_window(apart: Float[np.ndarray, "first second"], half: int) -> Float[np.ndarray, "first second"]:
    """The mean along diagonals: two stretches of time side by side."""
    n, m = apart.shape
    sheared = np.full((n, n + m - 1), np.nan)
    rows = np.arange(n)[:, None]
    sheared[rows, np.arange(m) - rows + n - 1] = apart
    filled = np.nan_to_num(sheared)
    known = uniform_filter1d(np.isfinite(sheared).astype(np.float64), 2 * half + 1, axis=0, mode="constant")
    mean = uniform_filter1d(filled, 2 * half + 1, axis=0, mode="constant") / np.maximum(known, 1e-9)
    return np.asarray(mean[rows, np.arange(m) - rows + n - 1])


def _alignment(first: Clip, second: Clip, i: int, j: int, half: int) -> Alignment:
    still, moved = (clip.positions[at - half : at + half + 1].reshape(-1, 3) for clip, at in ((first, i), (second, j)))
    return ground_alignment(still, moved)


def _refuse_strangers(first: Transition, second: Transition) -> None:
    for one in (first, second):
        refuse_other(one, Transition, "transitions, such as find_transition(clip) makes one")
    if not first.clip.skeleton.same_as(second.clip.skeleton):
        raise MotionError(
            f"{second!r} has another skeleton than {first!r}; only clips of one skeleton are cut together"
        )
    if not np.isclose(first.clip.frame_rate, second.clip.frame_rate, rtol=1e-6):
        raise MotionError(
            f"{second!r} runs at {second.clip.frame_rate:g} Hz, {first!r} at {first.clip.frame_rate:g}; "
            "resample its clip first"
        )
