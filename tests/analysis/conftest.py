"""Motions whose answer is known, for the tests of analysis."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mocapella.actor import CAPTURED, CLEAN, perform
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton

BODY = {
    "Hips": ("", (0.0, 0.95, 0.0)),
    "LeftUpLeg": ("Hips", (0.1, -0.05, 0.0)),
    "LeftLeg": ("LeftUpLeg", (0.0, -0.42, 0.0)),
    "LeftFoot": ("LeftLeg", (0.0, -0.4, 0.0)),
    "LeftToeBase": ("LeftFoot", (0.0, -0.06, 0.14)),
    "RightUpLeg": ("Hips", (-0.1, -0.05, 0.0)),
    "RightLeg": ("RightUpLeg", (0.0, -0.42, 0.0)),
    "RightFoot": ("RightLeg", (0.0, -0.4, 0.0)),
    "RightToeBase": ("RightFoot", (0.0, -0.06, 0.14)),
    "Spine": ("Hips", (0.0, 0.15, 0.0)),
    "Head": ("Spine", (0.0, 0.45, 0.0)),
    "LeftArm": ("Spine", (0.18, 0.35, 0.0)),
    "LeftForeArm": ("LeftArm", (0.28, 0.0, 0.0)),
    "RightArm": ("Spine", (-0.18, 0.35, 0.0)),
    "RightForeArm": ("RightArm", (-0.28, 0.0, 0.0)),
}


def puppet_body() -> Skeleton:
    names = list(BODY)
    parents = [names.index(above) if above else -1 for above, _ in BODY.values()]
    return Skeleton.of(names, parents, [place for _, place in BODY.values()])


def walk_frames(
    n_frames: int = 241,
    *,
    period: float = 120.0,
    frame_rate: float = 120.0,
    turn: float = 0.0,
    speed: float = 1.3,
    drift: float = 0.0,
    uneven: float = 0.0,
    start: float = 0.0,
    size: float = 1.0,
    heading: float = 0.0,
) -> Clip:
    """A walk made of few harmonics; ``drift`` radians per period bend every joint more and more, as captures do."""
    body = puppet_body()
    phases = 2 * np.pi * (np.arange(n_frames) / period + start)
    rotvecs = np.zeros((n_frames, body.n_joints, 3))
    for side, late in (("Left", 0.0), ("Right", np.pi)):
        mirror = 1.0 if side == "Left" else -1.0
        step = phases + late
        grow = 1.0 + uneven * (side == "Left")
        rotvecs[:, body.index(f"{side}UpLeg"), 0] = size * grow * (-0.45 * np.cos(step) + 0.05 * np.cos(2 * step + 1.0))
        rotvecs[:, body.index(f"{side}UpLeg"), 2] = 0.05 * mirror * np.cos(step + 0.3)
        rotvecs[:, body.index(f"{side}Leg"), 0] = size * (0.5 - 0.35 * np.cos(step - 1.9) + 0.1 * np.cos(2 * step))
        rotvecs[:, body.index(f"{side}Foot"), 0] = 0.15 * np.cos(step + 0.7)
        rotvecs[:, body.index(f"{side}Arm"), 0] = 0.3 * np.cos(step)
        rotvecs[:, body.index(f"{side}Arm"), 2] = -1.2 * mirror
        rotvecs[:, body.index(f"{side}ForeArm"), 1] = -0.3 * mirror
    rotvecs[:, body.index("Spine"), 1] = 0.08 * np.cos(phases)
    rounds = np.arange(n_frames) / period
    rotvecs += drift * rounds[:, None, None] * np.array([1.0, 0.3, -0.4])
    rotations = quaternions.from_rotvec(rotvecs)
    yaws = heading + turn * rounds + 0.05 * np.cos(phases)
    tilts = quaternions.from_rotvec(np.stack([0.05 + 0 * phases, 0 * phases, 0.03 * np.cos(phases)], axis=-1))
    tilts = quaternions.multiply(quaternions.about_y(-quaternions.yaw(tilts)), tilts)
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(yaws), tilts)
    course = heading + turn * rounds
    steps = speed / frame_rate * np.exp(1j * course) * (1.0 + 0.05 * np.cos(2 * phases))
    places = np.concatenate([[0.0], np.cumsum(steps[:-1])])
    heights = 0.95 + 0.02 * np.cos(2 * phases) + 0.02 * drift * rounds
    return Clip(body, np.stack([places.imag, heights, places.real], axis=-1), rotations, frame_rate, name="puppet")


@pytest.fixture(scope="session")
def walk() -> Callable[..., Clip]:
    """Makes walks of a puppet: ``walk(241, period=120.0, turn=0.5, drift=0.02)``."""
    return walk_frames


@pytest.fixture(scope="session")
def stroll():
    return perform("walk", speed=1.2, turn=0.3, imperfections=CAPTURED, seed=4)


@pytest.fixture(scope="session")
def clean_walk():
    return perform("walk", speed=1.3, imperfections=CLEAN)
