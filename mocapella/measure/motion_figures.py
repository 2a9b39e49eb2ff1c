"""Figures of some cycles of a motion that can be compared with those of other bodies, tempi and frame rates.

Lengths are in leg lengths, steps and accelerations per cycle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mocapella.analysis.fourier import synthesise
from mocapella.analysis.gait_figures import gait_figures, why_not_gait
from mocapella.analysis.plants.tracks import foot_places
from mocapella.blending.network import Network
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.measure.footskate import Footing, footing, play_cycles
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.motion.kinematics import forward, without_heading
from mocapella.motion.spectrum import Spectrum
from mocapella.rig.legs import foot_points, leg_length, leg_roles
from mocapella.rig.names import Roles

GOES = 0.3  # leg lengths per second: what is slower has no speed or direction to compare
_LEAST_STEP = 0.5  # leg lengths per cycle: joints that move less do not jump
_LEAST_KNEES = 5.0  # radians per cycle²: knees of a stand
_MOST = 99.0  # percentile of frames that stands for the largest step or acceleration
_RATE = 60.0  # frames per second of a captured motion, as it is played

# A contact that knows nothing of plants: 2 cm and 0.4 m/s of a leg of 0.85 m.
_LOW, _SLOW = 0.02 / 0.85, 0.4 / 0.85  # leg lengths, leg lengths per second
# Joints that say how a body is held.
_HELD = ("hips", "spine", "chest", "neck",
         *(f"{side}_{part}" for side in FEET for part in ("hip", "knee", "shoulder", "elbow")))  # fmt: skip


@dataclass(frozen=True, eq=False)
class MotionFigures:
    """Whole cycles of a motion, and what they do."""

    clip: Clip
    contacts: Contacts
    n_frames: int  # of each cycle

    @classmethod
    def of_spectrum(cls, spectrum: Spectrum) -> MotionFigures:
        """Two cycles of a motion as captured, by its root."""
        count = max(int(spectrum.duration * _RATE), 2 * spectrum.n_harmonics + 1)
        clip = synthesise(spectrum, count).to_clip(rounds=2)
        phases = TURN * np.arange(clip.n_frames) / count
        plants = spectrum.contacts
        masks = {point: plants.planted(point, phases) for point in FOOT_POINTS} if plants else {}
        return cls(clip, Contacts.from_masks(masks) if masks else Contacts(clip.n_frames), count)

    @classmethod
    def of_place(cls, network: Network, corners: Sequence[int]) -> MotionFigures:
        """Two cycles as a network plays them between some nodes, after one in which feet settle."""
        place = tuple(network.points[list(corners)].mean(axis=0).tolist())
        clip, contacts, count = play_cycles(network, place)
        return cls(clip[count:], contacts[count:], count)

    @cached_property
    def _roles(self) -> Roles:
        return leg_roles(self.clip.skeleton)

    @cached_property
    def leg(self) -> float:
        """Metres of thigh and shank."""
        return leg_length(self.clip.skeleton, self._roles)

    @cached_property
    def height(self) -> float:
        """Mean height of the root."""
        return float(self.clip.root_positions[:, 1].mean()) / self.leg

    @cached_property
    def velocity(self) -> complex:
        """Per second, ahead real and to the left imaginary, mean."""
        steps = np.diff(self.clip.ground_path) * np.exp(-1j * self.clip.headings[:-1])
        return complex(steps.mean()) * self.clip.frame_rate / self.leg

    @cached_property
    def turn(self) -> float:
        """Degrees per second, left positive."""
        yaws = self.clip.headings
        return math.degrees(float(yaws[-1] - yaws[0])) * self.clip.frame_rate / (len(yaws) - 1)

    @cached_property
    def _pose(self) -> tuple[Float[np.ndarray, "frames joints 3"], Float[np.ndarray, "frames joints 4"]]:
        """Joints about the root, seen in its heading."""
        rotations = without_heading(self.clip.rotations_wxyz)
        return forward(self.clip.skeleton, np.zeros((len(rotations), 3)), rotations)

    @cached_property
    def _speeds(self) -> Float[np.ndarray, "steps joints"]:
        steps = np.linalg.norm(np.diff(self._pose[0], axis=0), axis=-1)
        return np.asarray(steps * self.n_frames / self.leg)

    @cached_property
    def steps(self) -> Float[np.ndarray, " joints"]:
        """The largest steps of each joint about the root."""
        return np.asarray(np.maximum(np.percentile(self._speeds, _MOST, axis=0), _LEAST_STEP))

    def jump(self, others: Sequence[MotionFigures]) -> float:
        """How much a joint's largest step stands out among its others, times that of other motions; the most of all."""
        usual = np.sqrt((self._speeds**2).mean(axis=0))
        stands_out = self.steps / np.maximum(usual, _LEAST_STEP)
        if others:
            stands_out = stands_out * self.steps / np.max([other.steps for other in others], axis=0)
        return float(stands_out.max())

    @cached_property
    def knees(self) -> float:
        """The largest acceleration of the knees."""
        local = self.clip.rotations_wxyz[:, [self._roles[f"{side}_knee"] for side in FEET]]
        turns = quaternions.to_rotvec(quaternions.multiply(quaternions.conjugate(local[:-1]), local[1:]))
        kicks = np.linalg.norm(np.diff(turns, axis=0), axis=-1) * self.n_frames**2
        return max(float(np.percentile(kicks, _MOST)), _LEAST_KNEES)

    @cached_property
    def _held(self) -> Float[np.ndarray, "held 4"]:
        joints = [self._roles[role] for role in _HELD if role in self._roles]
        return quaternions.mean(np.swapaxes(self._pose[1][: self.n_frames, joints], 0, 1))

    def unlike(self, other: MotionFigures) -> float:
        """How differently two bodies are held in the mean of a cycle, degrees, root mean square of their parts."""
        return math.degrees(float(np.sqrt((quaternions.angle_between(self._held, other._held) ** 2).mean())))

    @cached_property
    def feet(self) -> Footing:
        """How the feet stand while they are planted."""
        return footing(self.clip, self.contacts)

    @cached_property
    def low_and_slow(self) -> Footing:
        """How the feet stand while they are low and slow, by a rule that knows nothing of plants."""
        places = foot_places(self.clip, self._roles)
        heights = places[..., 1] - foot_points(self.clip.skeleton, self._roles)[2]
        speeds = np.linalg.norm(np.gradient(places, axis=0), axis=-1) * self.clip.frame_rate
        masks = (heights < _LOW * self.leg) & (speeds < _SLOW * self.leg)
        return footing(self.clip, Contacts.from_masks({point: masks[:, i] for i, point in enumerate(FOOT_POINTS)}))

    @cached_property
    def why_no_gait(self) -> list[str]:
        """Why a cycle is no gait; empty for a gait."""
        return why_not_gait(gait_figures(self.clip[: self.n_frames + 1]))
