"""Flaws of captures: asymmetry, personal detail, variation, drift, and those of the camera system."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from mocapella.actor.course import forward
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import bell_smooth
from mocapella.motion.clip import Clip

_WOBBLE = {  # degrees at the first harmonic, about x, y, z; what is not named keeps to the plan
    "Hips": (0.5, 0.7, 0.6), "Spine": (0.3, 0.3, 0.3), "Spine2": (0.3, 0.4, 0.3), "Neck": (0.6, 0.7, 0.5),
    "Head": (0.7, 0.9, 0.6), "LeftShoulder": (0.0, 1.0, 1.0), "RightShoulder": (0.0, 1.0, 1.0),
    "LeftArm": (1.5, 2.0, 1.5), "RightArm": (1.5, 2.0, 1.5), "LeftForeArm": (0.0, 2.0, 0.0),
    "RightForeArm": (0.0, 2.0, 0.0), "LeftHand": (2.0, 2.0, 2.5), "RightHand": (2.0, 2.0, 2.5),
}  # fmt: skip


@dataclass(frozen=True)
class Imperfections:
    """Strength of each flaw: 0 none, 1 as in ordinary captures, the default."""

    asymmetry: float = 1.0  # left and right differ, in timing and in posture
    detail: float = 1.0  # personal upper harmonics, the same in every cycle
    variation: float = 1.0  # from cycle to cycle
    drift: float = 1.0  # of speed and heading
    noise: float = 1.0  # of the sensors
    framing: float = 1.0  # any start phase, place and heading; cut at no particular moment
    sixth: float = 0.0  # a strong sixth harmonic in trunk and arms; of two clips with +1 and −1 it is in anti-phase
    dropouts: int = 0  # frames in which the root is lost and reads 0, 0, 0
    jumps: int = 0  # frames in which one joint jumps and comes back


CLEAN = Imperfections(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # none of them
CAPTURED = Imperfections()


@dataclass(frozen=True, eq=False)
class Quirks:
    """The imperfections of one performer on one day, drawn once from a seed."""

    strength: Imperfections
    seed: int

    def draw(self, what: str) -> np.random.Generator:
        """A generator for one purpose, so that switching one flaw off leaves the others as they were."""
        return np.random.default_rng([self.seed, *what.encode()])

    def timing(self, side: str, numbers: int) -> Float[np.ndarray, " numbers"]:
        """How late each step is, cycles."""
        rng = self.draw(f"timing {side}")
        lame = 0.012 * rng.uniform(-1.0, 1.0) * self.strength.asymmetry
        return np.asarray(lame + 0.005 * self.strength.variation * np.clip(rng.standard_normal(numbers), -2.0, 2.0))

    def shifts(self, side: str, numbers: int) -> Float[np.ndarray, "numbers 2"]:
        """How far each step misses its place, metres ahead and to the left."""
        rng = self.draw(f"shifts {side}")
        habit = 0.010 * rng.uniform(-1.0, 1.0, 2) * self.strength.asymmetry
        missed = np.clip(rng.standard_normal((numbers, 2)), -2.0, 2.0) * [0.012, 0.008]
        return np.asarray(habit + missed * self.strength.variation)

    def pace(self, times: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
        """A factor on the speed that drifts slowly."""
        return np.asarray(1.0 + 0.025 * self.strength.drift * _slow(times, self.draw("pace"), slowest=7.0))

    def wander(self, times: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
        """A random turn rate, radians per second."""
        return np.asarray(0.02 * self.strength.drift * _slow(times, self.draw("wander"), slowest=6.0))

    def effort(self, times: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
        """A factor on how far arms and trunk swing, different from cycle to cycle."""
        return np.asarray(1.0 + 0.10 * self.strength.variation * _slow(times, self.draw("effort"), slowest=2.5))

    def wobble(self, joint: str, cycles: Float[np.ndarray, " times"]) -> Float[np.ndarray, "times 3"] | None:
        """Small turns of a joint beside the plan (rotation vectors): a posture, and personal harmonics."""
        strength = self.strength
        if joint not in _WOBBLE or strength.asymmetry == strength.detail == strength.sixth == 0.0:
            return None
        rng = self.draw(f"wobble {joint}")
        size = np.radians(_WOBBLE[joint])
        posture = 1.5 * size * rng.uniform(-1.0, 1.0, 3) * strength.asymmetry
        harmonics = np.arange(1, 11)
        # Captured joints lose about two thirds of their magnitude from each harmonic to the next at first, less later.
        falls = harmonics[:, None] ** -1.6 * rng.uniform(0.4, 1.2, (10, 3)) * size * strength.detail
        angles = TURN * cycles[:, None, None] * harmonics[:, None] + rng.uniform(0.0, TURN, (10, 3))
        sixth = 1.5 * strength.sixth * np.cos(12.0 * np.pi * cycles)[:, None] * size
        return np.asarray(posture + sixth + np.einsum("hi,thi->ti", falls, np.cos(angles)))


def spoil(clip: Clip, quirks: Quirks) -> tuple[Clip, tuple[int, ...], tuple[int, ...]]:
    """A clip with sensor noise, lost and jumping frames; the numbers of lost and of jumping frames."""
    strength, n_frames = quirks.strength, clip.n_frames
    roots, rotations = np.array(clip.root_positions), np.array(clip.rotations_wxyz)
    if strength.noise > 0.0:
        rng = quirks.draw("noise")
        shake = bell_smooth(rng.standard_normal((n_frames, clip.skeleton.n_joints, 3)), 1)
        shake = np.radians(0.06) * strength.noise * shake
        hinges = [clip.skeleton.index(f"{s}{part}") for s in ("Left", "Right") for part in ("Leg", "ToeBase")]
        shake[:, hinges, 1:] = 0.0
        rotations = quaternions.multiply(rotations, quaternions.from_rotvec(shake))
        roots += 0.0004 * strength.noise * bell_smooth(rng.standard_normal((n_frames, 3)), 1)
    rng = quirks.draw("faults")
    inner = np.arange(1, n_frames - 1)
    lost = _some(inner, strength.dropouts, rng)
    roots[lost] = 0.0
    jumping = _some(np.setdiff1d(inner, lost), strength.jumps, rng)
    for frame in jumping:
        joint = clip.skeleton.index(str(rng.choice(["LeftArm", "RightArm", "Head", "LeftUpLeg", "RightUpLeg"])))
        kick = np.radians(rng.uniform(20.0, 40.0)) * np.array([0.0, 0.0, 1.0])
        rotations[frame, joint] = quaternions.multiply(rotations[frame, joint], quaternions.from_rotvec(kick))
    if strength.noise > 0.0 or len(lost) or len(jumping):
        clip = replace(clip, root_positions=roots, rotations_wxyz=rotations)
    return clip, tuple(int(f) for f in lost), tuple(int(f) for f in jumping)


def reframe(clip: Clip, quirks: Quirks, *, sloping: bool) -> tuple[Clip, float]:
    """A clip moved and turned at random; the turn in radians."""
    if quirks.strength.framing == 0.0:
        return clip, 0.0
    rng = quirks.draw("framing")
    yaw = float(rng.uniform(-np.pi, np.pi))
    place = float(rng.uniform(0.3, 2.0)) * forward(rng.uniform(-np.pi, np.pi, 1))[0]
    clip = clip.turned(yaw)
    return (clip if sloping else clip.moved(float(place[0]), float(place[1]))), yaw


def _slow(times: Float[np.ndarray, " times"], rng: np.random.Generator, slowest: float) -> Float[np.ndarray, " times"]:
    """A smooth random curve of about unit size: three sines, the longest ``slowest`` seconds long."""
    periods = slowest * np.array([1.0, 0.62, 0.37])
    angles = TURN * times[:, None] / periods + rng.uniform(0.0, TURN, 3)
    return np.asarray(np.sin(angles) @ np.array([0.6, 0.3, 0.2]))


def _some(frames: Int[np.ndarray, " frames"], count: int, rng: np.random.Generator) -> Int[np.ndarray, " some"]:
    """``count`` frames of these, or as many as there are, in order."""
    return np.sort(rng.choice(frames, min(count, len(frames)), replace=False)) if count else frames[:0]
