"""A skeleton as a body sees it: its roles, its size, and which way it looks at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.motion.rolelist import SIDES
from mocapella.motion.skeleton import Skeleton

_STATURE_PER_LEG = 2.04  # hip joint to ankle is 49 % of a person's height
_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class Figure:
    """A skeleton as a body sees it: its roles, its size, and which way it looks at rest."""

    skeleton: Skeleton
    roles: Mapping[str, int]
    height: float  # of the whole person, metres
    left: Float[np.ndarray, 3]
    up: Float[np.ndarray, 3]
    forward: Float[np.ndarray, 3]

    @classmethod
    def of(cls, skeleton: Skeleton, roles: Mapping[str, int]) -> Figure:
        """Size from the legs, directions from hips, shoulders and neck; from all joints and the axes without those."""
        at = skeleton.rest_positions

        def way(start: str, end: str) -> Float[np.ndarray, 3]:
            return np.asarray(at[roles[end]] - at[roles[start]]) if {start, end} <= set(roles) else np.zeros(3)

        legs = [
            np.linalg.norm(way(f"{s}hip", f"{s}knee")) + np.linalg.norm(way(f"{s}knee", f"{s}ankle")) for s in SIDES
        ]
        extent = np.ptp(np.concatenate([at, skeleton.rest_end_positions]), axis=0).max()
        height = _STATURE_PER_LEG * max(legs) if min(legs) > 0.0 else extent
        up = _straightened(square_to(np.zeros(3), way("hips", "neck"), way("hips", "head"), _Y))
        leftwards = way("right_hip", "left_hip") + way("right_shoulder", "left_shoulder")
        left = _straightened(square_to(up, leftwards, _X, _Z))
        return cls(skeleton, roles, float(height), left, up, np.cross(left, up))

    def at(self, joint: int) -> Float[np.ndarray, 3]:
        """Where a joint rests."""
        return np.asarray(self.skeleton.rest_positions[joint])

    def chain(self, *roles: str) -> list[int]:
        """The joints from the first role down to the last, by way of the others; empty where there is no such way."""
        if not all(role in self.roles for role in roles):
            return []
        path = self.skeleton.path(self.roles[roles[-1]])[::-1]
        steps = [path.index(self.roles[role]) if self.roles[role] in path else -1 for role in roles]
        return path[steps[0] :] if steps[0] >= 0 and steps == sorted(steps) else []

    def below(self, joint: int) -> list[int]:
        """All joints that hang on ``joint``, directly or not."""
        return [other for other in range(joint + 1, self.skeleton.n_joints) if joint in self.skeleton.path(other)]

    def tip(self, joint: int) -> Float[np.ndarray, 3] | None:
        """The farthest end site of a joint, or None."""
        offsets = self.skeleton.end_offsets[self.skeleton.end_joints == joint]
        return None if len(offsets) == 0 else np.asarray(self.at(joint) + max(offsets, key=lambda v: float(v @ v)))


def square_to(axis: Float[np.ndarray, 3], *wishes: Float[np.ndarray, 3]) -> Float[np.ndarray, 3]:
    """The first wish that has a direction of its own beside ``axis``, made square to it and of length 1."""
    for wish in wishes:
        beside = wish - axis * (wish @ axis)
        if (length := length_of(beside)) > 1e-3 * length_of(wish) and length > 1e-9:
            return np.asarray(beside / length)
    raise ValueError("all wished directions lie along the axis")


def length_of(vector: Float[np.ndarray, 3]) -> float:
    """How long a vector is."""
    return float(np.linalg.norm(vector))


def _straightened(direction: Float[np.ndarray, 3]) -> Float[np.ndarray, 3]:
    """The coordinate axis a direction all but follows, or the direction: rest poses stand straight, spines lean."""
    nearest = np.round(direction)
    return nearest if np.abs(nearest).sum() == 1.0 and nearest @ direction > np.cos(np.radians(30)) else direction
