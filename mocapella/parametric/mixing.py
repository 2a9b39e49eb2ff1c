"""Examples of one kind of motion, ready to be mixed by weights: cycles by their harmonics, clips by their key times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mocapella.analysis.synchronise import synchronise
from mocapella.arrays import freeze
from mocapella.blending.bank import NodeBank, with_like_signs
from mocapella.blending.rules import lively_blend
from mocapella.checks import shown
from mocapella.editing.clip_blend import sampled
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE, QuaternionLayout
from mocapella.motion.skeleton import Skeleton, limb_reaches
from mocapella.motion.spectrum import Spectrum
from mocapella.parametric.labels import Motion, farthest_frame
from mocapella.rig.roles import find_roles

_FEW = 12  # frames from key to key of a sketch
# By what motions are compared, where they are described as mixtures. Feet that are held, by a player or an edit, change
# legs and travel more than takes of one performer differ, and put a body on a ground at height 0. Chosen on 40 mixtures
# of eight sets of real walks and runs, which were played, written, read and prepared again: shares are found again to
# within 0.04; if all dofs counted as they are, to within 0.3.
_LOW = 5  # harmonics
_LEG_JOINTS = ("hip", "knee", "ankle", "toe")
_LEGS = 0.25  # of the weight of other joints
_TRAVEL = 0.1  # seconds: speeds count as far as they take a body in this time
_TEMPO = 0.5  # metres that a motion is apart from one that lasts e times as long


def examples_of(motions: Sequence[Motion], *, keys: Sequence[Sequence[float | int]] | None = None) -> Examples:
    """Examples ready to be mixed, the sizes of their skeletons as well.

    ``motions`` are all cycles (spectra, in step), or all clips; their skeletons have the same joints, of any size. Of
    clips, ``keys`` are the frames of each that correspond, rising; if None, the first frame, the one at which the right
    wrist is farthest from its start, and the last. Raises ``MotionError`` for none, for cycles among clips, or other
    skeletons.
    """
    given = list(motions)
    if len(given) < 2:
        raise MotionError(f"a space of motions has two examples or more, not {len(given)}")
    for motion in given:
        if not isinstance(motion, Spectrum | Clip):
            raise MotionError(expected="examples that are spectra or clips", got=shown(motion), helps="analyse(cycle)")
    if all(isinstance(motion, Spectrum) for motion in given):
        return _CycleExamples(tuple(motion for motion in given if isinstance(motion, Spectrum)))
    if all(isinstance(motion, Clip) for motion in given):
        clips = tuple(_at_origin(motion) for motion in given if isinstance(motion, Clip))
        return ClipExamples(clips, _keys(clips, keys))
    raise MotionError("examples are all cycles or all clips; these are mixed", helps="prepare and analyse the clips")


@dataclass(frozen=True, eq=False)
class _CycleExamples:
    """Cycles in step."""

    motions: tuple[Spectrum, ...]

    def __post_init__(self) -> None:
        layouts = [motion.layout for motion in self.motions]
        if any(not isinstance(layout, QuaternionLayout) for layout in layouts):
            raise MotionError("examples are cycles of a skeleton in quaternions", helps="analyse(cycle)")
        _refuse_other_joints([layout.skeleton for layout in layouts if layout is not None])

    @cached_property
    def _alike(self) -> list[Spectrum]:
        """The same cycles as if of one body."""
        layout = self.motions[0].layout
        return [replace(motion, layout=layout) for motion in self.motions]

    @cached_property
    def _bank(self) -> NodeBank:
        return NodeBank.of(with_like_signs(self._alike))

    def mix(self, weights: Float[np.ndarray, " examples"]) -> Spectrum:
        """The blend by the project's own rule, on the body of these weights."""
        used = np.flatnonzero(np.abs(weights) > 1e-12)
        out = self._bank.mix(used, weights[used] / weights[used].sum(), lively_blend)
        skeletons = [motion.layout.skeleton for motion in self.motions if motion.layout is not None]
        skeleton = _mixed_skeleton(skeletons, weights)
        return out if skeleton is skeletons[0] else replace(out, layout=QuaternionLayout(skeleton))

    def sketch(self, weights: Float[np.ndarray, " examples"]) -> Spectrum:
        """The blend itself."""
        return self.mix(weights)

    @cached_property
    def rows(self) -> Float[np.ndarray, "examples numbers"]:
        """Harmonics with like signs, the logarithm of the duration, and the offsets of the skeleton."""
        harmonics = self._bank.coefficients.reshape(len(self.motions), -1)
        durations = np.log([[motion.duration] for motion in self.motions])
        bodies = np.stack([_body_row(motion.layout.skeleton) for motion in self.motions if motion.layout is not None])
        return np.concatenate([harmonics.real, harmonics.imag, durations, bodies], axis=1)

    @cached_property
    def in_metres(self) -> Float[np.ndarray, "examples numbers"]:
        """Rows that tell motions apart: low harmonics as far as they move the ends of limbs, tempo, body."""
        layout = self._alike[0].layout
        assert layout is not None
        low = np.array(self._bank.coefficients[:, : _LOW + 1])
        scale = np.ones(low.shape[1:])
        for joint, reach in enumerate(_reaches(layout.skeleton)):
            scale[:, layout.columns(joint)] = 2.0 * reach  # a quaternion has half the angle
        scale[:, [AHEAD, LEFT, YAW_RATE]] = 0.0  # within a cycle they go with the feet
        scale[0, [AHEAD, LEFT, YAW_RATE]] = _TRAVEL
        scale[0, HEIGHT] = 0.0  # that of the ground
        scale[1:] *= np.sqrt(2.0)  # two sides of a spectrum
        harmonics = (scale * low).reshape(len(low), -1)
        tempo = _TEMPO * np.log([[motion.duration] for motion in self.motions])
        bodies = np.stack([_body_row(motion.layout.skeleton) for motion in self.motions if motion.layout is not None])
        return np.concatenate([harmonics.real, harmonics.imag, tempo, bodies], axis=1)

    def from_row(self, row: Float[np.ndarray, " numbers"]) -> Spectrum:
        """The cycle of such numbers."""
        first = self._alike[0]
        layout = first.layout
        assert layout is not None
        count = (len(row) - 1 - len(_body_row(layout.skeleton))) // 2
        harmonics = (row[:count] + 1j * row[count : 2 * count]).reshape(-1, first.n_dofs)
        body = QuaternionLayout(_body_of(layout.skeleton, row[2 * count + 1 :]))
        duration = float(np.exp(row[2 * count]))
        return replace(first, coefficients=harmonics, duration=duration, layout=body, contacts=None)


@dataclass(frozen=True, eq=False)
class ClipExamples:
    """Clips that begin at one place and heading, with frames that correspond."""

    motions: tuple[Clip, ...]
    keys: Float[np.ndarray, "examples keys"]

    def __post_init__(self) -> None:
        freeze(self, np.float64, "keys")
        _refuse_other_joints([clip.skeleton for clip in self.motions])

    @property
    def _rate(self) -> float:
        return self.motions[0].frame_rate

    @cached_property
    def _lengths(self) -> Float[np.ndarray, "examples parts"]:
        """Seconds from key to key."""
        return np.asarray(np.diff(self.keys, axis=1) / [[clip.frame_rate] for clip in self.motions])

    def mix(self, weights: Float[np.ndarray, " examples"]) -> Clip:
        """Poses and key times of these weights."""
        ends = np.concatenate([[0.0], np.cumsum(self._mixed_lengths(weights))])
        times = np.linspace(0.0, ends[-1], max(2, round(ends[-1] * self._rate) + 1))
        return self._mixed(weights, *self._sampled(times, ends), (len(times) - 1) / float(ends[-1]))

    def sketch(self, weights: Float[np.ndarray, " examples"]) -> Clip:
        """The same with few frames, as many from key to key."""
        seconds = float(self._mixed_lengths(weights).sum())
        turns, roots = self._few
        return self._mixed(weights, turns, roots, (turns.shape[1] - 1) / seconds)

    def _mixed_lengths(self, weights: np.ndarray) -> np.ndarray:
        lengths = weights @ self._lengths
        if lengths.min() <= 0.0:
            raise MotionError("these weights leave no time between two key times", helps="ask for something nearer")
        return np.asarray(lengths)

    @cached_property
    def _few(self) -> tuple[np.ndarray, np.ndarray]:
        parts = np.arange(self.keys.shape[1])
        return self._sampled(np.linspace(0.0, parts[-1], _FEW * parts[-1] + 1), parts)

    def _sampled(self, at: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rotations of all clips, with like signs, and places of their roots, where the keys stand at ``ends``."""
        clips = [sampled(clip, np.interp(at, ends, keys)) for clip, keys in zip(self.motions, self.keys, strict=True)]
        turns = np.stack([clip.rotations_wxyz for clip in clips])
        signs = np.where((turns * turns[:1]).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        return signs * turns, np.stack([clip.root_positions for clip in clips])

    def _mixed(self, weights: np.ndarray, turns: np.ndarray, roots: np.ndarray, rate: float) -> Clip:
        rotations = quaternions.normalise(np.einsum("e,efjk->fjk", weights, turns))
        skeleton = _mixed_skeleton([clip.skeleton for clip in self.motions], weights)
        places = np.einsum("e,efk->fk", weights, roots)
        return Clip(skeleton, places, rotations, frame_rate=rate, name="between examples")

    @cached_property
    def rows(self) -> Float[np.ndarray, "examples numbers"]:
        """Poses at shares of the time between keys, the logarithms of these times, and the skeleton's offsets."""
        share = np.linspace(0.0, 1.0, self._samples)
        parts = np.arange(self.keys.shape[1])
        out, first = [], None
        for clip, keys, lengths in zip(self.motions, self.keys, self._lengths, strict=True):
            posed = sampled(clip, np.interp(share * parts[-1], parts, keys))
            turns = posed.rotations_wxyz
            first = turns if first is None else first
            turns = np.where((turns * first).sum(axis=-1, keepdims=True) < 0.0, -turns, turns)
            numbers = turns, posed.root_positions, np.log(lengths), _body_row(clip.skeleton)
            out.append(np.concatenate([part.ravel() for part in numbers]))
        return np.stack(out)

    @cached_property
    def in_metres(self) -> Float[np.ndarray, "examples numbers"]:
        """Rows that tell motions apart: poses as far as joints move the ends of limbs, key times, body."""
        n, parts = self._samples, self.keys.shape[1] - 1
        turns = np.repeat(2.0 * _reaches(self.motions[0].skeleton, legs=1.0), 4) / np.sqrt(n)
        body = np.ones(len(_body_row(self.motions[0].skeleton)))
        scale = [np.tile(turns, n), np.full(3 * n, 1.0 / np.sqrt(n)), np.full(parts, _TEMPO), body]
        return np.asarray(self.rows * np.concatenate(scale))

    @property
    def _samples(self) -> int:
        return max(clip.n_frames for clip in self.motions)

    def from_row(self, row: Float[np.ndarray, " numbers"]) -> Clip:
        """The clip of such numbers."""
        n, joints, parts = self._samples, self.motions[0].skeleton.n_joints, self.keys.shape[1] - 1
        turns, roots, lengths, body = np.split(row, np.cumsum([4 * n * joints, 3 * n, parts]))
        ends = np.concatenate([[0.0], np.cumsum(np.exp(lengths))])
        rotations = quaternions.normalise(turns.reshape(n, joints, 4))
        even = Clip(_body_of(self.motions[0].skeleton, body), roots.reshape(n, 3), rotations, frame_rate=self._rate)
        times = np.linspace(0.0, ends[-1], max(2, round(ends[-1] * self._rate) + 1))
        at = np.interp(times, ends, np.arange(parts + 1)) * (n - 1) / parts
        return replace(sampled(even, at), frame_rate=(len(times) - 1) / float(ends[-1]), name="between examples")


Examples = _CycleExamples | ClipExamples
"""Motions that can be mixed by weights, and written as rows of numbers."""


def scaled_motion(motion: Motion, factor: float) -> Motion:
    """The same motion of a larger or smaller body, in the same time.

    Rotations stay; places, heights and speeds of the root grow with the body.
    """
    if isinstance(motion, Clip):
        return replace(
            motion,
            skeleton=motion.skeleton.scaled(factor),
            root_positions=factor * motion.root_positions,
            slides=factor * motion.slides,
        )
    assert isinstance(motion.layout, QuaternionLayout)
    coefficients = motion.coefficients.copy()
    coefficients[:, [HEIGHT, AHEAD, LEFT]] *= factor
    return replace(motion, coefficients=coefficients, layout=QuaternionLayout(motion.layout.skeleton.scaled(factor)))


def in_step(cycles: Sequence[Cycle]) -> list[Cycle]:
    """Cycles of bodies of any size, of one set of joints and in quaternions, in step with the first.

    Raises ``MotionError`` for other joints.
    """
    _refuse_other_joints([cycle.skeleton for cycle in cycles])
    together = synchronise([replace(cycle, layout=cycles[0].layout) for cycle in cycles])
    return [replace(cycle, layout=original.layout) for cycle, original in zip(together, cycles, strict=True)]


def _mixed_skeleton(skeletons: Sequence[Skeleton], weights: Float[np.ndarray, " skeletons"]) -> Skeleton:
    """A skeleton between others of the same joints, by one weight each."""
    first = skeletons[0]
    if all(skeleton is first or skeleton.same_as(first) for skeleton in skeletons):
        return first
    offsets = np.einsum("s,sjk->jk", weights, np.stack([skeleton.offsets for skeleton in skeletons]))
    ends = np.einsum("s,sjk->jk", weights, np.stack([skeleton.end_offsets for skeleton in skeletons]))
    return replace(first, offsets=offsets, end_offsets=ends)


def _reaches(skeleton: Skeleton, *, legs: float = _LEGS) -> Float[np.ndarray, " joints"]:
    """How far from each joint the ends of its limbs are, metres along the bones; those of legs times a share."""
    out = limb_reaches(skeleton)
    out[[joint for role, joint in find_roles(skeleton).items() if role.endswith(_LEG_JOINTS)]] *= legs
    return out


def _body_row(skeleton: Skeleton) -> np.ndarray:
    """The lengths of a body as numbers."""
    return np.concatenate([skeleton.offsets.ravel(), skeleton.end_offsets.ravel()])


def _body_of(skeleton: Skeleton, row: np.ndarray) -> Skeleton:
    """The body of such numbers."""
    joints = 3 * skeleton.n_joints
    return replace(skeleton, offsets=row[:joints].reshape(-1, 3), end_offsets=row[joints:].reshape(-1, 3))


def _refuse_other_joints(skeletons: Sequence[Skeleton]) -> None:
    first = skeletons[0]
    for number, other in enumerate(skeletons[1:], start=2):
        same = other.names == first.names and other.n_ends == first.n_ends
        if not same or not np.array_equal(other.parents, first.parents):
            text = f"example {number} has other joints than the first"
            raise MotionError(text, helps="retarget(motion, skeleton) carries it over")


def _at_origin(clip: Clip) -> Clip:
    """The same clip, begun at the origin with heading 0."""
    captured = clip.captured
    x, _, z = captured.root_positions[0]
    return captured.moved(-float(x), -float(z)).turned(-float(captured.headings[0]))


def _keys(clips: Sequence[Clip], keys: Sequence[Sequence[float | int]] | None) -> Float[np.ndarray, "examples keys"]:
    if keys is None:
        return np.array([[0, farthest_frame(clip), clip.n_frames - 1] for clip in clips], dtype=np.float64)
    try:
        rows = np.array(keys, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.zeros((0, 0))
    if rows.ndim != 2 or len(rows) != len(clips) or rows.shape[1] < 2 or not (np.diff(rows, axis=1) > 0.0).all():
        raise MotionError(expected=f"{len(clips)} rows of as many rising key frames", got=shown(keys))
    last = np.array([clip.n_frames - 1 for clip in clips])
    if rows.min() < 0.0 or (rows[:, -1] > last).any():
        raise MotionError("key frames lie within their clips", got=shown(keys))
    return rows
