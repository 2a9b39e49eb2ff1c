"""A captured change over the ground, and its feet."""

from __future__ import annotations

import cmath
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Inexact

from mocapella.arrays import owned, readonly
from mocapella.gait.cycle_on_ground import Touch
from mocapella.gait.foot_constants import FOOT
from mocapella.gait.resting import Plant
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import smoothest, smoothstep
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.kinematics import forward, without_heading
from mocapella.playback.playhead import Posture
from mocapella.playback.settings import DEFAULTS, PlayerSettings
from mocapella.rig.legs import legs_of

# What ``CycleOnGround`` says of a cycle ``ClipOnGround`` says of a clip that does not repeat: its phase runs in frames,
# once. Everything lies in one table of smooth curves through the frames, so a frame comes out as it was captured.

# Columns of the table, counted from its end; those before are quaternions.
HEIGHT, YAW, AHEAD, LEFT, FEET_AHEAD, FEET_LEFT, FEET_HEIGHT = -16, -15, -14, -13, -12, -8, -4
_N_COLUMNS = 16  # beside the quaternions


@dataclass(frozen=True, eq=False)
class ClipOnGround:
    """A clip that is played once: its joints, its root motion corrected for planted feet, and its foot plants."""

    lap: ClassVar[float] = 2.0**24  # frames: it never repeats

    frame_rate: float
    plants: tuple[tuple[Plant, ...], ...]  # of each of FOOT_POINTS, in frames
    curves: Float[np.ndarray, "pieces 4 columns"]  # the cubic from each frame to the next, lowest power first
    bearings: Float[np.ndarray, "frames 4"]  # share of the body's weight on each foot point

    def __post_init__(self) -> None:
        object.__setattr__(self, "curves", readonly(self.curves, np.float64))
        object.__setattr__(self, "bearings", readonly(self.bearings, np.float64))

    @property
    def rate(self) -> float:
        """Frames per second."""
        return self.frame_rate

    def posture(self, phase: float) -> Posture:
        """The local rotations of all joints, the root's without heading, and the height of the root."""
        row = self._row(phase)
        rotations = row[:-_N_COLUMNS].reshape(-1, 4)
        if phase != int(phase):  # frames are unit as they are
            rotations = quaternions.normalise(rotations)
        return rotations, float(row[HEIGHT])

    def way(self, phase: float) -> tuple[float, complex]:
        """The heading (radians) and the path (metres) since the first frame."""
        _, yaw, ahead, left = self._row(phase)[HEIGHT : LEFT + 1].tolist()
        return yaw, complex(ahead, left)

    def bearing(self, phase: float) -> list[float]:
        """Share of the body's weight on each foot point, 0 … 1, linear between frames."""
        piece, share = self._piece(phase)
        bearing: list[float] = ((1.0 - share) * self.bearings[piece] + share * self.bearings[piece + 1]).tolist()
        return bearing

    def height(self, point: int, phase: float) -> float:
        """How high a foot point is at a moment, metres."""
        return float(self._row(phase)[FEET_HEIGHT + point])

    def touch(self, point: int, phase: float) -> Touch:
        """Where a foot point is at a moment, and how fast."""
        row, slope = self._row(phase), self._slope(phase)
        heading = cmath.exp(1j * row[YAW])
        foot = complex(row[FEET_AHEAD + point], row[FEET_LEFT + point])
        moving = complex(slope[FEET_AHEAD + point], slope[FEET_LEFT + point])
        return Touch(
            place=complex(row[AHEAD], row[LEFT]) + heading * foot,
            speed=complex(slope[AHEAD], slope[LEFT]) + heading * (moving + 1j * float(slope[YAW]) * foot),
            height=float(row[FEET_HEIGHT + point]),
            rise=float(slope[FEET_HEIGHT + point]),
        )

    def _piece(self, phase: float) -> tuple[int, float]:
        """Which curve a moment lies on, and how far along; before the first and after the last it runs on."""
        piece = min(max(int(phase), 0), len(self.curves) - 1)
        return piece, phase - piece

    def _row(self, phase: float) -> Float[np.ndarray, " columns"]:
        piece, u = self._piece(phase)
        a, b, c, d = self.curves[piece]
        return np.asarray(a + u * (b + u * (c + u * d)))

    def _slope(self, phase: float) -> Float[np.ndarray, " columns"]:
        """How fast everything changes, per frame."""
        piece, u = self._piece(phase)
        _, b, c, d = self.curves[piece]
        return np.asarray(b + u * (2.0 * c + 3.0 * u * d))


def _curves_through(rows: Float[np.ndarray, "frames columns"]) -> Float[np.ndarray, "pieces 4 columns"]:
    """The smooth cubics from each row to the next; each depends on the four nearest rows only."""
    slopes = np.gradient(rows, axis=0)  # central differences, so that neighbouring pieces meet without a corner
    start, rise, first, last = rows[:-1], np.diff(rows, axis=0), slopes[:-1], slopes[1:]
    return np.stack([start, first, 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise], axis=1)


# Root motion of a capture when it is played, derived from its planted feet.
#
# A captured root drifts a little against captured feet, so a locked foot would stretch the leg. As for cycles,
# the root takes its captured velocity plus a smooth correction fitted to all foot points that rest; in flight,
# where no point rests, the correction is interpolated. The root's height is fitted in the same way.

_TRAVEL = 10.0  # Hz: changes of the root's velocity that are quicker are left to the legs
_LIFT = 0.8  # Hz, of its height
_TENSION = 0.02  # weight of evenness against smoothness in the fit; it decides where no foot rests

Rows = Float[np.ndarray, "frames 4"]


@lru_cache(maxsize=64)
def clip_on_ground(
    clip: Clip, contacts: Contacts, footed: bool = True, settings: PlayerSettings = DEFAULTS
) -> ClipOnGround:
    """The root motion of a clip, cached: derived from planted feet if ``footed``, else as captured."""
    rate, n = clip.frame_rate, clip.n_frames
    yaws, path = clip.headings, clip.ground_path
    rotations = without_heading(clip.rotations_wxyz, yaws)
    height = np.array(clip.root_positions[:, 1])
    if footed:
        feet, soles = _feet(clip, rotations)
    else:
        feet, soles = np.zeros((n, 4, 3)), np.zeros(4)
    ground, heights = feet[..., 2] + 1j * feet[..., 0], feet[..., 1] + height[:, None]
    plants = _plants(contacts, heights if footed else np.zeros((n, 4)), rate, settings)
    bearings = _bearings(plants, n, rate, settings)
    if footed:
        headings = np.exp(1j * yaws)
        velocity = _rates(path, rate) / headings
        asked = -_rates(ground, rate) - 1j * _rates(yaws, rate)[:, None] * ground - velocity[:, None]
        pace = FOOT.rolling * np.abs(velocity).mean() + 1e-3
        weights = bearings / (1.0 + (asked.real**2 + asked.imag**2) / pace**2)
        extra = headings * _fitted(asked, weights, rate / _TRAVEL)
        path = path + np.concatenate([[0.0], np.cumsum(0.5 * (extra[1:] + extra[:-1]))]) / rate
        lift = _fitted(soles - heights, weights, rate / _LIFT)
        height, heights = height + lift, heights + lift[:, None]
    rows = np.concatenate(
        [
            rotations.reshape(n, -1),
            np.stack([height, yaws, path.real, path.imag], axis=1),
            ground.real,
            ground.imag,
            heights,
        ],
        axis=1,
    )
    return ClipOnGround(rate, plants, owned(_curves_through(rows)), owned(bearings))


def _feet(
    clip: Clip, rotations: Float[np.ndarray, "frames joints 4"]
) -> tuple[Float[np.ndarray, "frames 4 3"], Float[np.ndarray, " 4"]]:
    """Foot points seen from the root in axes that turn with the heading, and their heights over a flat sole."""
    places, world = forward(clip.skeleton, np.zeros((clip.n_frames, 3)), rotations)
    out, soles = [], []
    for leg in legs_of(clip.skeleton):
        ankle = leg.joints[-1]
        for point, sole in ((leg.heel, leg.heel_height), (leg.toe, leg.toe_height)):
            out.append(places[:, ankle] + quaternions.rotate(world[:, ankle], np.array(point)))
            soles.append(sole)
    return np.stack(out, axis=1), np.array(soles)


def _rates(values: Inexact[np.ndarray, " frames *rest"], rate: float) -> Inexact[np.ndarray, " frames *rest"]:
    return np.asarray(np.gradient(values, axis=0) * rate)


def _plants(contacts: Contacts, heights: Rows, rate: float, settings: PlayerSettings) -> tuple[tuple[Plant, ...], ...]:
    """The plants of each foot point, with their easing, without the ends in which it is above where it stands."""
    plants = []
    for i, name in enumerate(FOOT_POINTS):
        spans = [_rest(heights[:, i], first, last) for first, last in contacts.point(name)]
        starts, ends = [first - 0.5 for first, _ in spans], [last + 0.5 for _, last in spans]
        gaps = [start - end for start, end in zip([*starts, np.inf], [-np.inf, *ends], strict=True)]
        plants.append(
            tuple(
                Plant(
                    start=start,
                    length=end - start,
                    approach=min(settings.approach * rate, settings.swing_share * before),
                    release=min(settings.release * rate, settings.swing_share * after),
                    firmness=smoothstep(min((end - start) / (settings.shortest_plant * rate), 1.0)),
                    lap=ClipOnGround.lap,
                )
                for start, end, before, after in zip(starts, ends, gaps[:-1], gaps[1:], strict=True)
            )
        )
    return tuple(plants)


def _rest(heights: Float[np.ndarray, " frames"], first: int, last: int) -> tuple[int, int]:
    """The frames of a plant about its middle in which the point is no higher than where it stands."""
    middle = (first + last) // 2
    high = np.flatnonzero(heights[first : last + 1] > heights[middle] + FOOT.risen) + first
    return int(max(high[high < middle], default=first - 1)) + 1, int(min(high[high > middle], default=last + 1)) - 1


def _bearings(plants: tuple[tuple[Plant, ...], ...], n_frames: int, rate: float, settings: PlayerSettings) -> Rows:
    """Share of the body's weight on each foot point, frame by frame."""
    out = np.zeros((n_frames, len(plants)))
    frames = np.arange(n_frames)
    for i, of_point in enumerate(plants):
        for plant in of_point:
            since = frames - plant.start
            # A plant that reaches over an end of the clip is no less firm there.
            into = since if plant.start > 0.0 else np.full(n_frames, np.inf)
            left = plant.length - since if plant.start + plant.length < n_frames - 1 else np.full(n_frames, np.inf)
            hand_over = min(settings.hand_over * rate, settings.swing_share * plant.length)
            ramps = np.clip(np.minimum(into, left) / hand_over, 0.0, 1.0)
            out[:, i] += plant.firmness * smoothstep(ramps) * (since < plant.length)
    return out


def _fitted(asked: Inexact[np.ndarray, "frames 4"], weights: Rows, length: float) -> Inexact[np.ndarray, " frames"]:
    """The smooth signal nearest to weighted samples; ``length`` is its shortest wavelength, in frames."""
    total = weights.sum(axis=1)
    if not total.any() or len(asked) < 3:
        return np.zeros(len(asked), dtype=asked.dtype)
    radian = length / TURN
    return smoothest((weights * asked).sum(axis=1), total, radian**4, _TENSION * radian**2)
