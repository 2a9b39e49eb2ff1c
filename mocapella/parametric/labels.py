"""Labels: numbers that are measured from a motion and can be requested.

Those of a cycle are the ones that it has when it is played with held feet: its feet decide how fast and how high the
root goes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.checks import shown
from mocapella.errors import MotionError
from mocapella.gait.root_motion import cycle_by_feet, played_speed
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.layout import HEIGHT
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.rig.legs import leg_dofs
from mocapella.rig.roles import find_roles

Motion = Spectrum | Clip
_PHASES = np.arange(32) * (2.0 * math.pi / 32)  # radians of the cycle at which poses are measured
_SHORTEST = 0.2  # metres of way from which a clip has a slope and a curvature


@dataclass(frozen=True)
class _Label:
    """A number of a motion: what it says, its unit, and how it is measured from a cycle and from a clip."""

    says: str
    unit: str
    of_cycle: Callable[[Spectrum], float] | None
    of_clip: Callable[[Clip], float] | None


def _turn_rate(spectrum: Spectrum) -> float:
    return spectrum.turn / spectrum.duration


def _curvature(spectrum: Spectrum) -> float:
    speed = played_speed(spectrum)
    return _turn_rate(spectrum) / speed if speed > 1e-6 else 0.0


def _heights(spectrum: Spectrum) -> np.ndarray:
    heights = np.array(spectrum.at(_PHASES)[:, HEIGHT])
    try:
        legs = None if spectrum.layout is None else leg_dofs(spectrum.layout)
    except MotionError:
        legs = None
    if legs is None:
        return heights
    played = cycle_by_feet(spectrum, legs)
    return heights + [played.lift(phase) for phase in _PHASES.tolist()]


def _way(clip: Clip) -> float:
    return float(np.abs(np.diff(clip.ground_path)).sum())


def _clip_turn(clip: Clip) -> float:
    return float(np.unwrap(clip.headings)[-1] - np.unwrap(clip.headings)[0])


def _slope(clip: Clip) -> float:
    way = _way(clip)
    rise = float(clip.root_positions[-1, 1] - clip.root_positions[0, 1])
    return math.atan2(rise, way) if way > _SHORTEST else 0.0


def reach_of(clip: Clip) -> Float[np.ndarray, 3]:
    """Where the right wrist goes: its place when it is farthest from where it began, seen from the chest.

    Returns an array of shape (3,): left, up and ahead of the chest, in the heading that the clip begins with, metres.
    Raises ``MotionError`` for a skeleton without a right wrist or a chest.
    """
    roles = find_roles(clip.skeleton)
    missing = [role for role in ("right_wrist", "chest") if role not in roles]
    if missing:
        raise MotionError(f"a reach is measured from chest to wrist; this skeleton has no {missing[0]}")
    hand, chest = (clip.positions[farthest_frame(clip), roles[role]] for role in ("right_wrist", "chest"))
    return np.asarray(quaternions.rotate(quaternions.about_y(-float(clip.headings[0])), hand - chest))


def farthest_frame(clip: Clip) -> int:
    """The frame at which the right wrist is farthest from where it began."""
    hand = clip.positions[:, find_roles(clip.skeleton)["right_wrist"]]
    return int(np.linalg.norm(hand - hand[0], axis=1).argmax())


@lru_cache(maxsize=64)
def stature(skeleton: Skeleton) -> float:
    """The height of a body in its rest pose, from its lowest to its highest joint or end, metres."""
    ends = skeleton.rest_end_positions[:, 1] if skeleton.n_ends else np.zeros(0)
    return float(np.ptp(np.concatenate([skeleton.rest_positions[:, 1], ends])))


def _cycle_stature(spectrum: Spectrum) -> float:
    return stature(spectrum.layout.skeleton) if spectrum.layout is not None else math.nan


LABELS: dict[str, _Label] = {
    "speed": _Label("how fast it goes", "m/s", played_speed, lambda c: _way(c) / c.seconds),
    "turn": _Label("turn rate, left positive", "rad/s", _turn_rate, lambda c: _clip_turn(c) / c.seconds),
    "curvature": _Label(
        "of its way, left positive", "1/m", _curvature,
        lambda c: _clip_turn(c) / _way(c) if _way(c) > _SHORTEST else 0.0,
    ),
    "step_length": _Label("half of what a cycle goes", "m", lambda s: 0.5 * played_speed(s) * s.duration, None),
    "cadence": _Label("steps per second", "1/s", lambda s: 2.0 / s.duration, None),
    "hip_height": _Label("mean height of the root", "m", lambda s: float(_heights(s).mean()),
                        lambda c: float(c.root_positions[:, 1].mean())),
    "bounce": _Label("how far the root goes up and down", "m", lambda s: float(np.ptp(_heights(s))),
                    lambda c: float(np.ptp(c.root_positions[:, 1]))),
    "duration": _Label("of the cycle, or of the clip", "s", lambda s: s.duration, lambda c: c.seconds),
    "slope": _Label("of its way, up positive", "rad", None, _slope),
    "reach_left": _Label("right wrist from the chest", "m", None, lambda c: float(reach_of(c)[0])),
    "reach_up": _Label("right wrist from the chest", "m", None, lambda c: float(reach_of(c)[1])),
    "reach_ahead": _Label("right wrist from the chest", "m", None, lambda c: float(reach_of(c)[2])),
    "height": _Label("of the body", "m", _cycle_stature, lambda c: stature(c.skeleton)),
}  # fmt: skip
"""Labels that are measured; all others are given with the examples."""


def measured(motion: Motion, names: Sequence[str]) -> Float[np.ndarray, " labels"]:
    """Labels of a motion. Raises ``MotionError`` for labels that are not measured, or not of this kind of motion."""
    out = []
    for name in names:
        label = LABELS.get(name)
        if label is None:
            raise MotionError(expected=f"a label that is measured: {', '.join(LABELS)}", got=shown(name))
        measure: Callable[[Any], float] | None = label.of_cycle if isinstance(motion, Spectrum) else label.of_clip
        if measure is None:
            kind, other = ("a cycle", "a clip") if isinstance(motion, Spectrum) else ("a clip", "a cycle")
            raise MotionError(f"{name} is measured from {other}, not from {kind}")
        out.append(measure(motion))
    return np.array(out, dtype=np.float64)
