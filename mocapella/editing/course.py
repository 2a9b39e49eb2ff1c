"""Where a clip faces and where it goes, without the sway of its steps."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

from mocapella.analysis.feet import level, track_feet
from mocapella.analysis.root import headings
from mocapella.arrays import owned
from mocapella.editing.pace import SOFT, pace_of
from mocapella.editing.stances import Stance, steady
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET

_SAMPLES = 101  # of a step's sway
_FAINT = 0.1  # of the usual way over two steps: who goes no further goes nowhere in particular
_NOWHERE = 0.1  # metres over two steps: less is stepping on the spot


@dataclass(frozen=True, eq=False)
class Course:
    """The course of a clip, and the root seen from it.

    A pelvis turns and shifts to and fro with every step; two steps together cancel that. What is left is the course:
    a heading, and a direction of travel, which for someone who walks aslant is another. Ground places are complex
    numbers, z + ix: multiplying by exp(iψ) turns left by ψ.
    """

    headings: Float[np.ndarray, " frames"]  # radians, running on
    directions: Float[np.ndarray, " frames"]
    travel: Complex[np.ndarray, " frames"]  # metres to the next frame, ahead and left of the direction; the last is 0
    heights: Float[np.ndarray, " frames"]  # of the root above the ground, metres
    ground: Float[np.ndarray, 3]  # its height is ground · (1, x, z)

    def level(self, places: Complex[np.ndarray, " places"]) -> Float[np.ndarray, " places"]:
        """How high the ground is at these places."""
        return level(self.ground, np.stack([places.imag, np.zeros(len(places)), places.real], axis=1))


def course_of(clip: Clip, stances: Sequence[Stance]) -> Course:
    """The course of a clip that is cut into stances."""
    frames = np.arange(clip.n_frames, dtype=np.float64)
    yaws = headings(clip)
    landings = [stance.first for stance in stances[1:]]
    facing = yaws - _sway(yaws - _facing(frames, yaws, landings, stances[1].usual), stances)
    moves = np.concatenate([np.diff(ground_places(clip)), [0.0]])
    ways = np.concatenate([[0.0], np.cumsum(moves * np.exp(-1j * facing))])
    directions = facing + _aslant(frames, ways, landings)
    ground = track_feet(clip).ground
    return Course(
        owned(facing),
        owned(directions),
        owned(moves * np.exp(-1j * directions)),
        owned(clip.root_positions[:, 1] - level(ground, clip.root_positions)),
        ground,
    )


def ground_places(clip: Clip) -> Complex[np.ndarray, " frames"]:
    """Where the root is on the ground, z + ix."""
    return np.asarray(clip.root_positions[:, 2] + 1j * clip.root_positions[:, 0])


def _facing(
    frames: Float[np.ndarray, " frames"], yaws: Float[np.ndarray, " frames"], landings: Sequence[int], usual: float
) -> Float[np.ndarray, " frames"]:
    """The heading without sway: at a landing, halfway between the mean headings of the steps before and after.

    At the outermost landings one of the two is not known; from there a step turns by half of what two did, which
    compares a foot with itself, so sway cancels there, too.
    """
    means = np.array([yaws[a:b].mean() for a, b in itertools.pairwise(landings)])
    if len(means) < 2:
        return np.full(len(yaws), means[0])
    inner = 0.5 * (means[:-1] + means[1:])
    turns = [0.5 * float(yaws[c] - yaws[a]) for a, c in ((landings[0], landings[2]), (landings[-3], landings[-1]))]
    knots = [landings[0] - usual, *landings, landings[-1] + usual]
    outer = [inner[0] - 2.0 * turns[0], inner[0] - turns[0]], [inner[-1] + turns[1], inner[-1] + 2.0 * turns[1]]
    curve = PchipInterpolator(knots, np.concatenate([outer[0], inner, outer[1]]))
    return np.asarray(curve(np.clip(frames, knots[0], knots[-1])))


def _sway(off: Float[np.ndarray, " frames"], stances: Sequence[Stance]) -> Float[np.ndarray, " frames"]:
    """How far the root usually turns off its way at each place of a step, radians.

    A curve without sway is smooth, and cuts the corner where someone turns sharply. So only what the steps of a foot
    have in common is taken for sway; all that a single one does beside it is heading.
    """
    pace = pace_of(stances)
    grid = np.linspace(0.0, 1.0, _SAMPLES)
    usual = [_mean_curve([off[s.first : s.last + 2] for s in steady(stances, foot)], grid) for foot in FEET]
    middle = np.mean(usual)  # who is skewed all the time just heads there
    feet = np.array([FEET.index(stance.foot) for stance in stances])[pace.stances]
    out = np.choose(feet, [np.interp(pace.shares, grid, curve - middle) for curve in usual]) * pace.stepping
    return gaussian_filter1d(out, SOFT * stances[1].usual, mode="nearest")  # curves of two feet do not quite meet


def _mean_curve(
    curves: Sequence[Float[np.ndarray, " _"]], grid: Float[np.ndarray, " grid"]
) -> Float[np.ndarray, " grid"]:
    """The mean of curves of unlike length, stretched to one; 0 where there is none."""
    stretched = [np.interp(grid * (len(curve) - 1), np.arange(len(curve)), curve) for curve in curves]
    return np.mean(stretched, axis=0) if stretched else np.zeros(len(grid))


def _aslant(
    frames: Float[np.ndarray, " frames"], ways: Complex[np.ndarray, " edges"], landings: Sequence[int]
) -> Float[np.ndarray, " frames"]:
    """By how much travel turns away from the heading, radians; told at landings by the way of the two steps there."""
    spans = list(zip(landings, landings[2:], strict=False)) or [(landings[0], landings[-1])]
    gone = np.array([ways[b] - ways[a] for a, b in spans])
    clear = np.abs(gone) > max(_FAINT * float(np.median(np.abs(gone))), _NOWHERE)
    if not clear.any():
        return np.zeros(len(frames))
    at = np.array([0.5 * (a + b) for a, b in spans])[clear]
    angles = np.unwrap(np.angle(gone[clear]))
    if len(at) == 1:
        return np.full(len(frames), angles[0])
    return np.asarray(PchipInterpolator(at, angles)(np.clip(frames, at[0], at[-1])))
