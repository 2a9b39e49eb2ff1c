"""Key poses of a gait as the states of a finite-state machine, as controllers of physics tools take them.

A state has a duration, a target angle for every key joint, and the feet that rest in it. States change where a knee is
bent most or least, after small harmonics were left out, so that a walk has four.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.analysis.fourier import smoothed
from mocapella.analysis.period import find_period
from mocapella.analysis.prepare import prepare
from mocapella.errors import MotionError
from mocapella.geometry import euler, quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.motion.cycle import Cycle
from mocapella.rig.legs import leg_roles

_ORDER = "XYZ"
_SHARE = 0.1  # harmonics smaller than this share of a joint's largest are left out
_KEY_ROLES = ("hips", "spine", "chest", "neck", "head", *(
    f"{side}_{part}" for part in ("hip", "knee", "ankle", "shoulder", "elbow") for side in FEET
))  # fmt: skip


@dataclass(frozen=True)
class _KeyPose:
    """One state: what the body should look like at its end, how long it lasts, and which feet rest."""

    name: str  # what marks its end: "left knee bent"
    frame: int  # of the cycle
    duration: float  # seconds from the state before
    angles: dict[str, tuple[float, float, float]]  # role → degrees about x, y, z against the joint above; root: tilt
    planted: tuple[str, ...]


@dataclass(frozen=True)
class _KeyPoses:
    """The states of one cycle of a gait, in order; the first follows the last."""

    name: str
    period: float  # seconds
    states: tuple[_KeyPose, ...]

    def plain(self) -> dict[str, Any]:
        """Numbers and words alone, as files hold them."""
        return {
            "format": "mocapella key poses",
            "version": 1,
            "name": self.name,
            "period": self.period,
            "angles": f"degrees, {_ORDER}",
            "states": [
                {
                    "index": i,
                    "name": state.name,
                    "next": (i + 1) % len(self.states),
                    "duration": state.duration,
                    "planted": list(state.planted),
                    "target": {role: list(angles) for role, angles in state.angles.items()},
                }
                for i, state in enumerate(self.states)
            ],
        }


def key_poses(motion: Clip | Cycle) -> _KeyPoses:
    """The key poses of a gait, where knees are bent most and least.

    Durations add up to the period: that of ``find_period`` for a clip, the cycle's own for a cycle. Raises
    ``MotionError`` where there is no cycle, no knees, or knees that do not bend.

    Parameters
    ----------
    motion
        A clip with a cycle, or a cycle.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> found = key_poses(perform("walk", speed=1.3)[0])
    >>> sum(state.name == "left knee bent" for state in found.states)
    1
    """
    cycle = motion if isinstance(motion, Cycle) else prepare(motion)
    period = cycle.duration if isinstance(motion, Cycle) else find_period(motion).seconds
    roles = leg_roles(cycle.skeleton)
    smooth = smoothed(cycle, _SHARE)
    rotations = smooth.rotations_wxyz
    marks: dict[int, list[str]] = {}
    for side in FEET:
        for frame, word in _extremes(_bend(smooth, roles[f"{side}_knee"])):
            marks.setdefault(frame, []).append(f"{side} knee {word}")
    frames = sorted(marks)
    if not frames:
        raise MotionError("the knees of this motion do not bend and stretch, so it has no key poses")
    contacts = cycle.contacts
    states = []
    for i, frame in enumerate(frames):
        gap = (frame - frames[i - 1]) % cycle.n_frames or cycle.n_frames
        phase = np.array([smooth.phases[frame]])
        planted = () if contacts is None else tuple(foot for foot in FEET if bool(contacts.planted(foot, phase)[0]))
        angles = {role: _degrees(rotations[frame, roles[role]]) for role in _KEY_ROLES if role in roles}
        states.append(_KeyPose(", ".join(marks[frame]), frame, period * gap / cycle.n_frames, angles, planted))
    return _KeyPoses(cycle.name, period, tuple(states))


def _bend(cycle: Cycle, knee: int) -> Float[np.ndarray, " frames"]:
    """How far a knee is bent, radians: the angle of its rotation from straight."""
    skeleton = cycle.skeleton
    shank = skeleton.offsets[skeleton.children(knee)].mean(axis=0)
    turned = quaternions.rotate(cycle.rotations_wxyz[:, knee], shank)
    thigh = skeleton.offsets[knee]
    cosines = turned @ thigh / (np.linalg.norm(turned, axis=1) * np.linalg.norm(thigh))
    return np.asarray(np.arccos(np.clip(cosines, -1.0, 1.0)))


def _extremes(values: Float[np.ndarray, " frames"]) -> list[tuple[int, str]]:
    """The frames at which a signal round a cycle is largest and smallest; none where it hardly changes."""
    if np.ptp(values) < np.radians(2.0):
        return []
    highest, lowest = int(np.argmax(values)), int(np.argmin(values))
    return [(highest, "bent"), (lowest, "straight")]


def _degrees(q: Float[np.ndarray, 4]) -> tuple[float, float, float]:
    x, y, z = np.degrees(euler.from_quaternion(q, _ORDER)).tolist()
    return x, y, z
