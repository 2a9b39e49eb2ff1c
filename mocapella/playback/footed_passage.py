"""Work out how a capture travels when it is played: the feet say how fast the body goes.

A captured root drifts against captured feet, a little, and a foot that is held then stretches the leg. As for cycles,
the root takes its captured velocity plus the smoothest one that does justice to all foot points that rest; in flight,
where nobody asks, that runs on. The root's height is fitted to the feet in the same way.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Float, Inexact
from scipy.linalg import solveh_banded

from mocapella.arrays import owned
from mocapella.geometry import quaternions
from mocapella.geometry.smoothstep import smooth
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.kinematics import forward
from mocapella.playback.holding import APPROACH, HAND_OVER, RELEASE, SHARE, SHORTEST, Plant
from mocapella.playback.legs import legs_of
from mocapella.playback.passage import Passage, curves_through
from mocapella.playback.resting import RISEN
from mocapella.playback.stride import ROLLING

TRAVEL = 10.0  # Hz: changes of the root's velocity that are quicker are left to the legs
LIFT = 0.8  # Hz, of its height
_TENSION = 0.02  # how much the fit would rather be even than smooth; it decides where no foot rests

Rows = Float[np.ndarray, "frames 4"]


@lru_cache(maxsize=64)
def passage_of(clip: Clip, contacts: Contacts, footed: bool = True) -> Passage:
    """The way of a clip; with ``footed`` as its feet ask for it, else as its root was captured. Worked out once."""
    rate, n = clip.frame_rate, clip.n_frames
    yaws = np.unwrap(quaternions.yaw(clip.rotations_wxyz[:, 0]))
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(-yaws), clip.rotations_wxyz[:, 0])
    path = clip.root_positions[:, 2] + 1j * clip.root_positions[:, 0]
    height = np.array(clip.root_positions[:, 1])
    if footed:
        feet, soles = _feet(clip, rotations)
    else:
        feet, soles = np.zeros((n, 4, 3)), np.zeros(4)
    ground, heights = feet[..., 2] + 1j * feet[..., 0], feet[..., 1] + height[:, None]
    plants = _plants(contacts, heights if footed else np.zeros((n, 4)), rate)
    bearings = _bearings(plants, n, rate)
    if footed:
        headings = np.exp(1j * yaws)
        velocity = _rates(path, rate) / headings
        asked = -_rates(ground, rate) - 1j * _rates(yaws, rate)[:, None] * ground - velocity[:, None]
        pace = ROLLING * np.abs(velocity).mean() + 1e-3
        weights = bearings / (1.0 + (asked.real**2 + asked.imag**2) / pace**2)
        extra = headings * _fitted(asked, weights, rate / TRAVEL)
        path = path + np.concatenate([[0.0], np.cumsum(0.5 * (extra[1:] + extra[:-1]))]) / rate
        lift = _fitted(soles - heights, weights, rate / LIFT)
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
    return Passage(rate, plants, owned(curves_through(rows)), owned(bearings))


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


def _plants(contacts: Contacts, heights: Rows, rate: float) -> tuple[tuple[Plant, ...], ...]:
    """The plants of each foot point, with their easing, without the ends in which it is above where it stands."""
    found = []
    for i, name in enumerate(FOOT_POINTS):
        spans = [_rest(heights[:, i], first, last) for first, last in contacts.point(name)]
        starts, ends = [first - 0.5 for first, _ in spans], [last + 0.5 for _, last in spans]
        gaps = [start - end for start, end in zip([*starts, np.inf], [-np.inf, *ends], strict=True)]
        found.append(
            tuple(
                Plant(
                    start=start,
                    length=end - start,
                    approach=min(APPROACH * rate, SHARE * before),
                    release=min(RELEASE * rate, SHARE * after),
                    firmness=smooth(min((end - start) / (SHORTEST * rate), 1.0)),
                    lap=Passage.lap,
                )
                for start, end, before, after in zip(starts, ends, gaps[:-1], gaps[1:], strict=True)
            )
        )
    return tuple(found)


def _rest(heights: Float[np.ndarray, " frames"], first: int, last: int) -> tuple[int, int]:
    """The frames of a plant about its middle in which the point is no higher than where it stands."""
    middle = (first + last) // 2
    high = np.flatnonzero(heights[first : last + 1] > heights[middle] + RISEN) + first
    return int(max(high[high < middle], default=first - 1)) + 1, int(min(high[high > middle], default=last + 1)) - 1


def _bearings(plants: tuple[tuple[Plant, ...], ...], n_frames: int, rate: float) -> Rows:
    """How much of the body each foot point carries, frame by frame."""
    out = np.zeros((n_frames, len(plants)))
    frames = np.arange(n_frames)
    for i, own in enumerate(plants):
        for plant in own:
            since = frames - plant.start
            # A plant that reaches over an end of the clip is no less firm there.
            into = since if plant.start > 0.0 else np.full(n_frames, np.inf)
            left = plant.length - since if plant.start + plant.length < n_frames - 1 else np.full(n_frames, np.inf)
            hand_over = min(HAND_OVER * rate, SHARE * plant.length)
            ramps = np.clip(np.minimum(into, left) / hand_over, 0.0, 1.0)
            out[:, i] += plant.firmness * smooth(ramps) * (since < plant.length)
    return out


def _fitted(asked: Inexact[np.ndarray, "frames 4"], weights: Rows, length: float) -> Inexact[np.ndarray, " frames"]:
    """The smooth signal that comes nearest to what is asked, where it is asked; ``length`` of its waves, in frames."""
    total = weights.sum(axis=1)
    if not total.any() or len(asked) < 3:
        return np.zeros(len(asked), dtype=asked.dtype)
    stiffness = (length / (2.0 * np.pi)) ** 4
    tension = _TENSION * (length / (2.0 * np.pi)) ** 2
    bands = np.zeros((3, len(asked)))  # of a symmetric matrix: the diagonal last, as scipy wants it
    bands[2] = total
    for i, value in enumerate((1.0, -2.0, 1.0)):
        bands[2, i : len(asked) - 2 + i] += stiffness * value * value
    bands[1, 1:-1] += stiffness * -2.0
    bands[1, 2:] += stiffness * -2.0
    bands[0, 2:] += stiffness
    bands[2, :-1] += tension
    bands[2, 1:] += tension
    bands[1, 1:] -= tension
    return np.asarray(solveh_banded(bands, (weights * asked).sum(axis=1)))
