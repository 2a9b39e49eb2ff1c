"""A robot arm by Denavit and Hartenberg's parameters that tracks places and orientations, six numbers at a time.

The thesis shows such an arm as its example of inverse kinematics (§2.4): the Jacobian turns a small change of place and
orientation into changes of the joint angles, again and again. Steps are damped, so that they stay small where the arm
is stretched out, and begun anew from another posture where they come to rest short of the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from rich.table import Table

from mocapella.geometry import quaternions
from mocapella.studies.paper_tables import Sources

_Frame = Float[np.ndarray, "4 4"]
_Angles = Float[np.ndarray, " joints"]

_LINKS = (  # a PUMA 560: length and twist of each link, offset of the next; metres and quarter turns
    (0.0, 1, 0.0), (0.4318, 0, 0.0), (0.0203, -1, 0.15005), (0.0, 1, 0.4318), (0.0, -1, 0.0), (0.0, 0, 0.0),
)  # fmt: skip
_DAMPING = 0.02  # metres and radians
_LARGEST = 0.3  # metres or radians of a step towards the target
_STEPS, _STARTS = 120, 12
_NEAR, _ALIGNED = 1e-5, 1e-5  # metres and radians at which a target counts as reached
_TARGETS = 200


@dataclass(frozen=True, eq=False)
class Arm:
    """Revolute joints, each with the length ``a`` and twist ``α`` of its link and the offset ``d`` along its axis."""

    links: tuple[tuple[float, float, float], ...]  # a in metres, α in radians, d in metres

    def frames(self, angles: _Angles) -> list[_Frame]:
        """The frame before each joint and that of the hand."""
        out = [np.eye(4)]
        for (a, alpha, d), theta in zip(self.links, angles, strict=True):
            c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
            step = np.array(
                [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]]
            )
            out.append(out[-1] @ step)
        return out

    def jacobian(self, angles: _Angles) -> Float[np.ndarray, "6 joints"]:
        """How place (metres) and orientation (radians) of the hand change with each angle."""
        *before, hand = self.frames(angles)
        axes = np.array([frame[:3, 2] for frame in before])
        arms = hand[:3, 3] - np.array([frame[:3, 3] for frame in before])
        return np.asarray(np.concatenate([np.cross(axes, arms), axes], axis=1).T)


PUMA = Arm(tuple((a, 0.5 * np.pi * quarters, d) for a, quarters, d in _LINKS))


def reach(arm: Arm, target: _Frame, start: _Angles, rng: np.random.Generator) -> tuple[_Angles, float, float]:
    """Angles that bring the hand of an arm to a place and orientation.

    ``start`` consists of angles to begin with, radians. ``rng`` chooses other postures to begin with where the first
    leads nowhere. Returns ``angles``, ``miss`` and ``off``: radians; metres and radians by which the target is missed.
    """
    best = (start, np.inf, np.inf)
    for attempt in range(_STARTS):
        angles = np.array(start) if attempt == 0 else rng.uniform(-np.pi, np.pi, len(start))
        for _ in range(_STEPS):
            error = _error(arm, angles, target)
            miss, off = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
            if miss + off < best[1] + best[2]:
                best = (angles.copy(), miss, off)
            if miss < _NEAR and off < _ALIGNED:
                return best
            jacobian = arm.jacobian(angles)
            size = float(np.linalg.norm(error))
            wanted = error * min(1.0, _LARGEST / size)
            damping = (_DAMPING * min(1.0, size)) ** 2 + 1e-12
            angles = angles + jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping * np.eye(6), wanted)
    return best


def _error(arm: Arm, angles: _Angles, target: _Frame) -> Float[np.ndarray, " 6"]:
    """The error of place and orientation of the hand."""
    hand = arm.frames(angles)[-1]
    turn = quaternions.to_rotvec(quaternions.from_matrix(target[:3, :3] @ hand[:3, :3].T))
    return np.concatenate([target[:3, 3] - hand[:3, 3], turn])


def tracked(targets: int = _TARGETS, *, seed: int = 0) -> dict[str, Any]:
    """Track random targets that the arm can reach, each from where it reached the last.

    Returns how many were reached, and the largest miss of place (mm) and orientation (degrees).
    """
    rng = np.random.default_rng(seed)
    angles = np.zeros(len(PUMA.links))
    misses, offs = [], []
    for _ in range(targets):
        goal = PUMA.frames(rng.uniform(-np.pi, np.pi, len(PUMA.links)))[-1]
        angles, miss, off = reach(PUMA, goal, angles, rng)
        misses.append(1000.0 * miss)
        offs.append(float(np.degrees(off)))
    reached = sum(miss < 1.0 and off < 0.1 for miss, off in zip(misses, offs, strict=True))
    return {"targets": targets, "reached": reached, "miss_mm_max": max(misses), "off_deg_max": max(offs)}


def made(sources: Sources) -> dict[str, Any]:
    """What ``reproduce arm`` answers: it needs no captures."""
    return tracked()


def printed(found: dict[str, Any]) -> list[Table | str]:
    """What ``tracked`` found, for the terminal."""
    table = Table("Denavit–Hartenberg arm, 6-D targets", "reached", "most mm", "most °", box=None)
    cells = (f"{found['reached']} of {found['targets']}", f"{found['miss_mm_max']:.4f}", f"{found['off_deg_max']:.4f}")
    table.add_row("PUMA 560", *cells)
    return [table]
