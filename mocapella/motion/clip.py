"""Clip: motion as it was captured, frames at a constant rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
from jaxtyping import Complex, Float, Int
from numpy.typing import ArrayLike

from mocapella.arrays import freeze, owned, readonly
from mocapella.checks import counted, explained, refuse_no_rate, shown, whole_number
from mocapella.errors import ArgumentError, MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.curves import catmull_rom
from mocapella.inline import ShownInline
from mocapella.motion import kinematics
from mocapella.motion.pose import Pose
from mocapella.motion.report import Report
from mocapella.motion.skeleton import Skeleton

if TYPE_CHECKING:
    import pandas

# Arrays known to be unit and continuous, like all views of them; cutting a clip then needs no check.
_passed: WeakValueDictionary[int, np.ndarray[Any, np.dtype[Any]]] = WeakValueDictionary()


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Clip(ShownInline):
    """Frames of a skeleton: root positions and local rotations over time.

    Rotations are brought to unit quaternions whose signs are continuous from frame to frame. A clip cut from a file
    keeps the row of its first frame, so that frame numbers always mean the file's own rows.

    Parameters
    ----------
    skeleton
        The joints.
    root_positions
        Metres.
    rotations_wxyz
        Local rotations as quaternions of any length but zero.
    frame_rate
        Frames per second.
    name
        Of the clip.
    source
        The file it came from.
    report
        Findings of reading that file.
    first_row
        The row of the source that is frame 0.
    sliding_joints, slides
        Joints whose offset from their parent changes, and their offsets in every frame, metres.

    Examples
    --------
    >>> skeleton = Skeleton.of(["hips"], [-1], [[0, 0, 0]])
    >>> clip = Clip(skeleton, np.zeros((240, 3)), np.tile(quaternions.IDENTITY, (240, 1, 1)), frame_rate=120.0)
    >>> clip[60:].seconds, clip[60:].first_row
    (1.5, 60)
    """

    skeleton: Skeleton
    root_positions: Float[np.ndarray, "frames 3"]
    rotations_wxyz: Float[np.ndarray, "frames joints 4"]
    frame_rate: float
    name: str = ""
    source: str = ""
    report: Report = field(default_factory=Report)
    first_row: int = 0
    sliding_joints: Int[np.ndarray, " sliding"] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    slides: Float[np.ndarray, "_ sliding 3"] = field(default_factory=lambda: np.zeros((0, 0, 3)))

    def __post_init__(self) -> None:
        n_frames, n_joints = len(self.root_positions), self.skeleton.n_joints
        if self.root_positions.shape != (n_frames, 3):
            raise MotionError(f"expected root positions of shape {(n_frames, 3)}, got {self.root_positions.shape}")
        if self.rotations_wxyz.shape != (n_frames, n_joints, 4):
            raise MotionError(
                f"expected rotations of shape {(n_frames, n_joints, 4)} for {n_frames} frames of {self.skeleton!r}, "
                f"got {self.rotations_wxyz.shape}"
            )
        if n_frames == 0:
            raise MotionError("a clip needs at least one frame")
        refuse_no_rate(self.frame_rate)
        slides = self.slides if len(self.sliding_joints) else np.zeros((n_frames, 0, 3))
        object.__setattr__(self, "rotations_wxyz", _continuous(self.rotations_wxyz))
        object.__setattr__(self, "slides", slides)
        freeze(self, np.float64, "root_positions", "slides")
        freeze(self, np.int64, "sliding_joints")
        if slides.shape != (n_frames, len(self.sliding_joints), 3):
            raise MotionError(f"expected one offset per frame and sliding joint, got {slides.shape}")
        if not np.all((self.sliding_joints > 0) & (self.sliding_joints < n_joints)):
            raise MotionError(f"joints 1 to {n_joints - 1} can slide, got {self.sliding_joints.tolist()}")
        if not (np.isfinite(self.root_positions).all() and np.isfinite(self.slides).all()):
            raise MotionError("positions must be finite numbers")

    @classmethod
    def from_arrays(
        cls,
        names: Sequence[str],
        parents: ArrayLike,
        offsets: ArrayLike,
        root_positions: ArrayLike,
        rotations_wxyz: ArrayLike,
        *,
        frame_rate: float | int,
        name: str = "",
    ) -> Clip:
        """A clip from plain arrays, as other programs hold them.

        Parameters
        ----------
        names
            Of the joints, parents before children.
        parents
            Index of each joint's parent; −1 for the root, which comes first.
        offsets
            Of each joint from its parent in the rest pose, metres, ``(joints, 3)``; +y is up.
        root_positions
            Metres, ``(frames, 3)``.
        rotations_wxyz
            Local rotations as quaternions of any length but zero, ``(frames, joints, 4)``.
        frame_rate
            Frames per second.
        name
            Of the clip.

        Returns
        -------
        Clip
            With copies of the arrays.

        Raises
        ------
        MotionError
            Where shapes do not fit each other, or numbers are not finite.

        Examples
        --------
        >>> still = np.tile([1.0, 0.0, 0.0, 0.0], (60, 2, 1))
        >>> offsets = [[0, 0, 0], [0, 0.7, 0]]
        >>> Clip.from_arrays(["hips", "head"], [-1, 0], offsets, np.zeros((60, 3)), still, frame_rate=30)
        Clip(60 frames at 30 Hz, 2 joints)
        """
        try:
            places = np.array(root_positions, dtype=np.float64)
            rotations = np.array(rotations_wxyz, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise MotionError(f"expected arrays of numbers, got others: {error}") from None
        for what, array, n_axes in (("root positions", places, 2), ("rotations", rotations, 3)):
            if array.ndim != n_axes:
                raise MotionError(f"expected {what} of {n_axes} axes, frames first, got shape {array.shape}")
        return cls(Skeleton.of(names, parents, offsets), places, rotations, float(frame_rate), name=name)

    @property
    def n_frames(self) -> int:
        """How many frames there are."""
        return len(self.root_positions)

    @property
    def seconds(self) -> float:
        """How long the frames last; each of them lasts one frame time."""
        return self.n_frames / self.frame_rate

    @property
    def captured(self) -> Clip:
        """The clip without the artificial rest pose that some files begin with."""
        skip = max(0, self.report.n_rest_frames - self.first_row)
        return self[skip:] if 0 < skip < self.n_frames else self

    def __len__(self) -> int:
        return self.n_frames

    def __getitem__(self, frames: slice) -> Clip:
        """A stretch of the clip: ``clip[30:90]``; steps other than 1 are made with ``resampled``."""
        if not isinstance(frames, slice):
            expected = "frames as a slice, clip[30:90]"
            raise ArgumentError(expected=expected, got=shown(frames), helps="one frame is clip.pose(30)")
        start, stop, step = frames.indices(self.n_frames)
        if step != 1:
            raise MotionError(f"a clip is cut in steps of 1, got {step}; use clip.resampled(frame_rate)")
        if start >= stop:
            raise MotionError(f"frames {frames.start} to {frames.stop} hold nothing; the clip has {self.n_frames}")
        part = replace(
            self,
            root_positions=self.root_positions[start:stop],
            rotations_wxyz=self.rotations_wxyz[start:stop],
            slides=self.slides[start:stop],
            first_row=self.first_row + start,
        )
        if "world" in self.__dict__:  # forward kinematics treats each frame on its own
            part.__dict__["world"] = tuple(values[start:stop] for values in self.world)
        return part

    def pose(self, frame: int) -> Pose:
        """The pose of one frame, counted from the end where negative; sliding joints are at their rest offsets."""
        wanted = f"a frame of the clip, from 0 to {self.n_frames - 1}"
        row = whole_number(frame, wanted)
        if not -self.n_frames <= row < self.n_frames:
            raise MotionError(expected=wanted, got=row)
        return Pose(self.skeleton, self.root_positions[row], self.rotations_wxyz[row])

    @cached_property
    def world(self) -> tuple[Float[np.ndarray, "frames joints 3"], Float[np.ndarray, "frames joints 4"]]:
        """World positions (metres) and rotations of all joints in all frames; cached."""
        offsets = self.offsets_of(np.arange(self.skeleton.n_joints)) if len(self.sliding_joints) else None
        posed = kinematics.forward(self.skeleton, self.root_positions, self.rotations_wxyz, offsets)
        return owned(posed[0]), owned(posed[1])

    @property
    def positions(self) -> Float[np.ndarray, "frames joints 3"]:
        """World positions of all joints, metres."""
        return self.world[0]

    @property
    def end_positions(self) -> Float[np.ndarray, "frames ends 3"]:
        """World positions of all end sites, metres."""
        return kinematics.end_positions(self.skeleton, *self.world)

    @cached_property
    def headings(self) -> Float[np.ndarray, " frames"]:
        """The root's heading, radians, left positive, running on beyond a full turn."""
        return owned(np.unwrap(quaternions.yaw(self.rotations_wxyz[:, 0])))

    @property
    def ground_path(self) -> Complex[np.ndarray, " frames"]:
        """The root on the ground as complex numbers, z + ix, metres: multiplying by exp(iψ) turns left by ψ."""
        return np.asarray(self.root_positions[:, 2] + 1j * self.root_positions[:, 0])

    def to_dataframe(self, what: str = "positions") -> pandas.DataFrame:
        """The clip as a table: a row per frame, a column per joint and axis.

        Parameters
        ----------
        what
            ``"positions"``: places of the joints in the world, metres, axes x, y, z. ``"rotations"``: local rotations
            as quaternions, w, x, y, z.

        Returns
        -------
        pandas.DataFrame
            Its index is the time in seconds, its columns are pairs of joint and axis.

        Raises
        ------
        MotionError
            Where pandas is not installed.
        """
        if what not in ("positions", "rotations"):
            raise MotionError(expected="'positions' or 'rotations'", got=repr(what))
        try:
            import pandas
        except ImportError:
            raise MotionError("tables need an extra package: pip install pandas") from None
        values, axes = (self.positions, "xyz") if what == "positions" else (self.rotations_wxyz, "wxyz")
        columns = pandas.MultiIndex.from_product([self.skeleton.names, list(axes)], names=["joint", "axis"])
        time = pandas.Index(np.arange(self.n_frames) / self.frame_rate, name="seconds")
        return pandas.DataFrame(values.reshape(self.n_frames, -1), index=time, columns=columns)

    def renamed(self, name: str) -> Clip:
        """The same motion under another name."""
        return replace(self, name=name)

    def resampled(self, frame_rate: float | int) -> Clip:
        """The same motion at another frame rate, by Catmull–Rom interpolation; frames that coincide stay exact.

        The last frame lies at or before the old last one. Rows no longer match the source's, so they count from 0, and
        findings that name rows are left out.
        """
        refuse_no_rate(frame_rate)
        count = int(np.floor((self.n_frames - 1) / self.frame_rate * frame_rate + 1e-9)) + 1
        at = np.minimum(np.arange(count) * self.frame_rate / frame_rate, self.n_frames - 1.0)
        skip = self.n_frames - self.captured.n_frames  # a rest pose is no neighbour to interpolate towards
        held = at < skip
        inside = np.maximum(at - skip, 0.0)

        def sampled(values: Float[np.ndarray, " frames *rest"]) -> Float[np.ndarray, " points *rest"]:
            out = catmull_rom(values[skip:], inside)
            out[held] = values[at[held].astype(np.int64)]
            return out

        return replace(
            self,
            root_positions=sampled(self.root_positions),
            rotations_wxyz=sampled(self.rotations_wxyz),
            slides=sampled(self.slides),
            frame_rate=float(frame_rate),
            first_row=0,
            report=replace(self.report.without_rows(), n_rest_frames=int(held.sum())),
        )

    def moved(self, x: float = 0.0, z: float = 0.0, *, y: float = 0.0) -> Clip:
        """The same motion moved by ``x`` to the left, ``z`` ahead and ``y`` up in the world, metres."""
        return replace(self, root_positions=self.root_positions + np.array([x, y, z]))

    def turned(self, yaw: float, *, about: tuple[float, float] = (0.0, 0.0)) -> Clip:
        """The same motion turned by ``yaw`` radians (left positive) about a point ``(x, z)`` on the ground."""
        turn = quaternions.about_y(yaw)
        centre = np.array([about[0], 0.0, about[1]])
        rotations = np.array(self.rotations_wxyz)
        rotations[:, 0] = quaternions.multiply(turn, rotations[:, 0])
        places = quaternions.rotate(turn, self.root_positions - centre) + centre
        return replace(self, root_positions=places, rotations_wxyz=rotations)

    def __repr__(self) -> str:
        label = f"{self.name!r}, " if self.name else ""
        frames, joints = counted(self.n_frames, "frame"), counted(self.skeleton.n_joints, "joint")
        return f"Clip({label}{frames} at {self.frame_rate:g} Hz, {joints})"

    def offsets_of(self, joints: Int[np.ndarray, " members"]) -> Float[np.ndarray, "frames members 3"]:
        """The offsets of some joints in every frame, whether they slide or not."""
        offsets = np.tile(self.skeleton.offsets[joints], (self.n_frames, 1, 1))
        for i, joint in enumerate(self.sliding_joints):
            offsets[:, joints == joint] = self.slides[:, None, i]
        return offsets


@explained
def concatenate(clips: Sequence[Clip], *, aligned: bool = False) -> Clip:
    """Clips one after another, as one clip.

    Of artificial rest poses only the first clip's is kept.

    Parameters
    ----------
    clips
        At least one; all of one skeleton and frame rate.
    aligned
        Move and turn each clip on the ground so that it goes on where the one before ended, one frame's travel
        further; otherwise all stay where they are.

    Returns
    -------
    Clip
        With the name, source and report of the first, findings that name rows left out.

    Raises
    ------
    MotionError
        Where there are no clips, or they differ in skeleton or frame rate.

    Examples
    --------
    >>> skeleton = Skeleton.of(["hips"], [-1], [[0, 0, 0]])
    >>> still = Clip(skeleton, np.zeros((30, 3)), np.tile(quaternions.IDENTITY, (30, 1, 1)), frame_rate=60.0)
    >>> concatenate([still, still]).seconds
    1.0
    """
    if not clips:
        raise MotionError("nothing to concatenate")
    first = clips[0]
    for other in clips[1:]:
        if not other.skeleton.same_as(first.skeleton):
            raise MotionError(f"{other!r} has another skeleton than {first!r}; only motions of one skeleton join")
        if not np.isclose(other.frame_rate, first.frame_rate, rtol=1e-6):
            raise MotionError(
                f"{other!r} runs at {other.frame_rate:g} Hz, {first!r} at {first.frame_rate:g}; resample it first"
            )
    placed = [first]
    for clip in clips[1:]:
        placed.append(_carried_on(placed[-1].captured, clip.captured) if aligned else clip.captured)
    sliding = np.unique(np.concatenate([clip.sliding_joints for clip in placed]))
    return replace(
        first,
        root_positions=np.concatenate([clip.root_positions for clip in placed]),
        rotations_wxyz=np.concatenate([clip.rotations_wxyz for clip in placed]),
        sliding_joints=sliding,
        slides=np.concatenate([clip.offsets_of(sliding) for clip in placed]),
        report=first.report.without_rows(),
    )


def _carried_on(before: Clip, clip: Clip) -> Clip:
    """``clip`` moved and turned to start one frame after the end of ``before``."""
    headings = quaternions.yaw(before.rotations_wxyz[-2:, 0])
    turn = float(2 * headings[-1] - headings[0] - quaternions.yaw(clip.rotations_wxyz[0, 0]))
    last = before.root_positions[-1] + (before.root_positions[-1] - before.root_positions[-2:][0])
    x, _, z = clip.root_positions[0]
    return clip.turned(turn, about=(float(x), float(z))).moved(float(last[0] - x), float(last[2] - z))


def _continuous(q: Float[np.ndarray, "frames joints 4"]) -> Float[np.ndarray, "frames joints 4"]:
    """Unit quaternions with continuous signs, as a frozen array; the array itself where it is so already."""
    q = np.asarray(q, dtype=np.float64)
    if _passed.get(id(_owner(q))) is _owner(q):
        return q  # a view of another clip's array
    squares = np.einsum("...i,...i->...", q, q)
    if not np.isfinite(squares).all():
        raise MotionError("rotations must be finite numbers")
    if np.any(squares == 0.0):
        raise MotionError("a rotation of zero length is none; use (1, 0, 0, 0) for no rotation")
    if np.abs(squares - 1.0).max() > 1e-12:
        q = q / np.sqrt(squares)[..., None]
    flips = np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0
    return mark_continuous(readonly(quaternions.unroll(q) if flips.any() else q, np.float64))


def mark_continuous(q: Float[np.ndarray, "frames joints 4"]) -> Float[np.ndarray, "frames joints 4"]:
    """Register a frozen array as unit quaternions with continuous signs, so that clips do not check it again."""
    _passed[id(_owner(q))] = _owner(q)
    return q


def _owner(array: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    """The array that an array is a view of, or itself."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
