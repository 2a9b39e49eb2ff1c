"""Labels of a clip, stretch by stretch: walk, run, turn, stand, change or other, with figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Bool, Float, Int

from mocapella.analysis.examined import Examined, examine
from mocapella.errors import MotionError
from mocapella.library.descriptors import leg_length
from mocapella.library.entries import KINDS, Stretch
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.motion.loops import Course, smooth_course

GRAVITY = 9.81  # m/s²


class _GaitRules(NamedTuple):
    """What tells kinds of motion apart; speeds are shares of √(g · leg), the speed of a pendulum as long as a leg."""

    stands: float = 0.06  # slower bodies stand, 0.18 m/s for a leg of 0.9 m
    runs: float = 0.75  # faster bodies run, 2.2 m/s, unless both feet are down at times; people change at 0.7
    flies: float = 0.3  # a slower body without a foot down does not run
    flight: float = 0.12  # share of time without a foot down from which a gait is a run
    double: float = 0.05  # share of time with both feet down from which a gait is a walk, however fast
    turns: float = 25.0  # degrees per second on the spot from which a body turns
    spot: float = 0.3  # of a leg: a body that goes round on a smaller radius turns on the spot
    window: float = 1.0  # seconds that a frame is judged by, about a stride
    short: float = 0.5  # seconds: shorter stretches belong to their neighbours
    alternate: float = 0.7  # share of steps that go to the other foot in a gait
    ahead: float = math.cos(math.radians(50.0))  # cosine: a gait goes ahead on the whole
    steps: int = 3  # footfalls from which it is known whether they alternate


GAIT_RULES = _GaitRules()


def find_stretches(clip: Clip | Examined) -> tuple[Stretch, ...]:
    """Divide a clip into stretches of one kind each, and measure them.

    The result is in order, without gaps but for frames that are lost; a ``change`` overlaps the two stretches that it
    joins. A body without legs is ``other`` throughout.
    """
    examined = examine(clip)
    out: list[Stretch] = []
    for frames, part in zip(examined.sound.stretches, examined.stretches, strict=True):
        out += [replace(stretch, start=stretch.start + frames.start) for stretch in _stretches_of(part)]
    return tuple(sorted(out, key=lambda stretch: (stretch.start, stretch.kind)))


def _stretches_of(examined: Examined) -> list[Stretch]:
    """The stretches of a sound clip."""
    clip = examined.clip
    leg = leg_length(clip)
    if leg <= 0.0 or clip.n_frames < 3:
        return [_measured(clip, "other", 0, clip.n_frames, [])]
    try:
        planted = examined.plants.planted
        down = np.stack([planted(f"{side}_heel") | planted(f"{side}_toe") for side in FEET])
    except MotionError:
        return [_measured(clip, "other", 0, clip.n_frames, [])]
    course = smooth_course(clip)
    strikes = _strikes(down)
    kinds = _kinds(clip, course, down, leg)
    runs = _joined(kinds, round(GAIT_RULES.short * clip.frame_rate))
    stretches = []
    for kind, first, last in runs:
        steps = [(frame, foot) for frame, foot in strikes if first <= frame < last]
        if kind in ("walk", "run") and not _is_gait(clip, course, first, last, steps):
            kind = "other"
        stretches.append(_measured(clip, kind, first, last, steps))
    return [*stretches, *_changes(clip, stretches)]


def _kinds(clip: Clip, course: Course, down: Bool[np.ndarray, "2 frames"], leg: float) -> Int[np.ndarray, " frames"]:
    """The kind of each frame, as an index into ``KINDS``."""
    pace = math.sqrt(GRAVITY * leg)
    window = max(round(GAIT_RULES.window * clip.frame_rate), 1)
    speed = np.abs(np.gradient(course.places)) * clip.frame_rate
    rate = np.degrees(np.gradient(course.headings)) * clip.frame_rate
    flight = scipy.ndimage.uniform_filter1d((~down.any(axis=0)).astype(np.float64), window, mode="nearest")
    ahead = np.cos(np.angle(np.gradient(course.places)) - course.headings)
    kinds = np.full(clip.n_frames, KINDS.index("walk"))
    double = scipy.ndimage.uniform_filter1d(down.all(axis=0).astype(np.float64), window, mode="nearest")
    flies = (flight > GAIT_RULES.flight) & (speed > GAIT_RULES.flies * pace)
    kinds[flies | (speed > GAIT_RULES.runs * pace) & (double < GAIT_RULES.double)] = KINDS.index("run")
    kinds[ahead < GAIT_RULES.ahead] = KINDS.index("other")
    kinds[speed < GAIT_RULES.stands * pace] = KINDS.index("stand")
    on_the_spot = np.maximum(2.0 * GAIT_RULES.stands * pace, GAIT_RULES.spot * leg * np.radians(np.abs(rate)))
    kinds[(speed < on_the_spot) & (np.abs(rate) > GAIT_RULES.turns)] = KINDS.index("turn")
    return kinds


def _joined(kinds: Int[np.ndarray, " frames"], shortest: int) -> list[tuple[str, int, int]]:
    """Runs of equal kinds; those that are too short go to the longer neighbour, the shortest first."""
    edges = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)]
    runs = [[int(kinds[first]), first, last] for first, last in pairwise(edges)]
    while len(runs) > 1:
        lengths = [last - first for _, first, last in runs]
        place = int(np.argmin(lengths))
        if lengths[place] >= shortest:
            break
        sides = [side for side in (place - 1, place + 1) if 0 <= side < len(runs)]
        other = max(sides, key=lambda side: lengths[side])
        low, high = min(place, other), max(place, other)
        runs[low : high + 1] = [[runs[other][0], runs[low][1], runs[high][2]]]
        if low + 1 < len(runs) and runs[low][0] == runs[low + 1][0]:
            runs[low : low + 2] = [[runs[low][0], runs[low][1], runs[low + 1][2]]]
        if low > 0 and runs[low - 1][0] == runs[low][0]:
            runs[low - 1 : low + 1] = [[runs[low][0], runs[low - 1][1], runs[low][2]]]
    return [(KINDS[kind], first, last) for kind, first, last in runs]


def _is_gait(clip: Clip, course: Course, first: int, last: int, steps: Sequence[tuple[int, int]]) -> bool:
    """Whether a moving stretch goes ahead by alternating steps."""
    ways = np.diff(course.places[first:last])
    length = np.abs(ways).sum()
    ahead = np.real(ways * np.exp(-1j * course.headings[first : last - 1])).sum()
    if length <= 0.0 or ahead < GAIT_RULES.ahead * length:
        return False
    feet = [foot for _, foot in steps]
    changes = [foot != other for foot, other in pairwise(feet)]
    return len(feet) < GAIT_RULES.steps or float(np.mean(changes)) >= GAIT_RULES.alternate


def _measured(clip: Clip, kind: str, first: int, last: int, steps: Sequence[tuple[int, int]]) -> Stretch:
    """A stretch with its figures; ends of less than a stride bend a course, so means go from end to end of it."""
    part = smooth_course(clip[first:last])
    seconds = max((last - first - 1) / clip.frame_rate, 1e-9)
    length = float(np.abs(np.diff(part.places)).sum())
    rise = _rise(clip.root_positions[first:last, 1])
    strides = np.abs(np.diff([clip.ground_path[frame] for frame, _ in steps]))
    return Stretch(
        kind,
        first,
        last - first,
        speed=length / seconds if last - first > 1 else 0.0,
        turn=math.degrees(float(part.headings[-1] - part.headings[0])) / seconds if last - first > 1 else 0.0,
        slope=math.degrees(math.atan2(rise, length)) if length > 1.0 else 0.0,
        step=float(np.median(strides)) if len(strides) else 0.0,
    )


def _rise(heights: Float[np.ndarray, " frames"]) -> float:
    """How far a root rises from the first to the last quarter, scaled to the whole; the means remove the sway."""
    quarter = max(len(heights) // 4, 1)
    return float((heights[-quarter:].mean() - heights[:quarter].mean()) * 4.0 / 3.0)


def _changes(clip: Clip, stretches: Sequence[Stretch]) -> list[Stretch]:
    """The changes from one kind to another: a stride to both sides of where they meet."""
    reach = round(GAIT_RULES.window * clip.frame_rate)
    out = []
    for before, after in pairwise(stretches):
        if "other" in (before.kind, after.kind):
            continue
        first = max(after.start - reach, before.start)
        last = min(after.start + reach, after.start + after.frames)
        out.append(_measured(clip, "change", first, last, []))
    return out


def _strikes(down: Bool[np.ndarray, "2 frames"]) -> list[tuple[int, int]]:
    """Frame and foot of each footfall, in order."""
    feet, frames = np.nonzero(down[:, 1:] & ~down[:, :-1])
    return sorted(zip((frames + 1).tolist(), feet.tolist(), strict=True))
