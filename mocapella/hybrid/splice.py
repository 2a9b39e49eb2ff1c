"""Two captured transitions joined where their poses agree, played as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from mocapella.analysis.cycles.search import pose_features, spread
from mocapella.checks import refuse_other
from mocapella.editing.join import Splice, best_splices, half_window, joined_contacts, over_window, same_feet, spliced
from mocapella.errors import MotionError
from mocapella.hybrid.seams import measured
from mocapella.hybrid.transition import Transition
from mocapella.motion.cycle import Decision

_HASTE = 0.04  # what a second more of playing costs
_SHOWN = 0.8  # of a change that is played before the first can be left, and after the second was entered


def find_splices(first: Transition, second: Transition, *, count: int = 5) -> tuple[Splice, ...]:
    """The best places to go from one transition into another, best first.

    Poses and movements are compared over a window of time, as the character sees them; the same feet must rest. Nearly
    all of both changes is played. What is left of the first clip after its change, and what the second shows before its
    own, can be used as well.

    Raises ``MotionError`` where skeletons or frame rates differ, or no two poses are alike enough.
    """
    _refuse_unlike(first, second)
    rate = first.clip.frame_rate
    half = half_window(first.clip)
    a, b = pose_features(first.clip), pose_features(second.clip)
    cycle = spread(a, np.array([0]), np.array([len(a)]))[0]
    apart = over_window(scipy.spatial.distance.cdist(a, b) / cycle, half)
    rows, columns = np.arange(len(a))[:, None], np.arange(len(b))
    shown = first.leave + _SHOWN * (first.arrive - first.leave)  # of both changes nearly all is to be seen
    begun = second.leave + (1.0 - _SHOWN) * (second.arrive - second.leave)
    allowed = (rows >= max(shown, half)) & (rows < len(a) - half) & (columns >= half) & (columns <= begun)
    allowed &= same_feet(first.contacts, second.contacts)
    cost = np.where(allowed, apart + _HASTE * (rows - columns) / rate, np.inf)
    splices = best_splices(first.clip, second.clip, apart, cost, half, count)
    if not splices:
        raise MotionError(
            f"{first.name!r} never comes near enough to {second.name!r} to go over into it; "
            "a transition that begins where the first one ends can be cut to it"
        )
    return splices


def splice(first: Transition, second: Transition, cut: Splice | None = None, *, name: str = "") -> Transition:
    """Two transitions as one, which can be an arc: the ``first`` up to a splice, then the ``second``, with a crossover.

    ``cut`` is where they meet; the best place if None. ``name`` is that of the new one; both names if empty. Raises
    ``MotionError`` where skeletons or frame rates differ, or no two poses are alike enough.
    """
    at = find_splices(first, second, count=1)[0] if cut is None else cut
    _refuse_unlike(first, second)
    half = half_window(first.clip)
    if not (half <= at.first < len(first.clip) - half and half <= at.second < len(second.clip) - half):
        raise MotionError(f"frames {at.first} and {at.second} lie too near to the ends of their clips to be cut there")
    clip = spliced(first.clip, second.clip, at, half)
    later = at.first - at.second
    contacts = joined_contacts(first.contacts[: at.first], second.contacts[at.second :])
    text = f"{first.name!r} is joined to {second.name!r} at row {at.first + first.clip.first_row}"
    joined = Transition(
        name=name or f"{first.name}, {second.name}",
        clip=replace(clip, name=name or clip.name),
        contacts=contacts,
        before=first.before,
        after=second.after,
        leave=first.leave,
        arrive=second.arrive + later,
        loop=_loop(first, second, at, half),
        decisions=(
            *(decision for decision in first.decisions if decision.step == "before"),
            Decision("cut", text, {"first": float(at.first), "second": float(at.second), "unlikeness": at.unlikeness}),
            *(decision for decision in second.decisions if decision.step == "after"),
        ),
        tremor=min(first.tremor, second.tremor),
    )
    return measured(joined)


def _loop(first: Transition, second: Transition, at: Splice, half: int) -> tuple[int, int] | None:
    """The loop of the first that lies before a splice with its window, else that of the second after it."""
    if first.loop is not None and first.loop[1] <= at.first - half:
        return first.loop
    if second.loop is None or second.loop[0] < at.second + half:
        return None
    later = at.first - at.second
    return second.loop[0] + later, second.loop[1] + later


def _refuse_unlike(first: Transition, second: Transition) -> None:
    for transition in (first, second):
        refuse_other(transition, Transition, "transitions, such as find_transition(clip) makes one")
    if not first.clip.skeleton.same_as(second.clip.skeleton):
        raise MotionError(
            f"{second!r} has another skeleton than {first!r}; only clips of one skeleton are cut together"
        )
    if not np.isclose(first.clip.frame_rate, second.clip.frame_rate, rtol=1e-6):
        raise MotionError(
            f"{second!r} runs at {second.clip.frame_rate:g} Hz, {first!r} at {first.clip.frame_rate:g}; "
            "resample its clip first"
        )
