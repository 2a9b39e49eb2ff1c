"""Cycles as they lie in a clip, their ends not yet closed, with what is counted and measured in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.analysis.cycles.search import Candidates, pose_distance, pose_features, spread
from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.regression.noise import Noise
from mocapella.checks import whole_number
from mocapella.cleaning.faults import find_faults
from mocapella.errors import MotionError, Option
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.motion.cycle import Decision

_PerCycle = Float[np.ndarray, " candidates"]

_BESIDE = 0.1  # seconds beside a cycle that tell how the body moves at its ends
_UNUSABLE = ("root-dropout", "root-jump")  # faults with which a cycle cannot be used


@dataclass(frozen=True)
class Averaged:
    """How repetitions became one cycle, whose ``closing`` and ``unlikeness`` then tell the noise that is left in it."""

    noise: Noise
    decision: Decision


@dataclass(frozen=True, eq=False)
class RawCycle:
    """One full cycle as it lies in a clip, its ends not yet closed: the input of ``cyclify``."""

    examined: Examined  # the whole source; of a loop with the beginning of its next round
    start: int  # frame of the clip
    n_frames: int  # the cycle's own count; with the frame that closes it, the cut holds one more
    speed: float  # m/s, the mean velocity in the character's heading
    turn: float  # radians per cycle, left positive
    closing: float  # metres between the joints of both ends, laid over each other on the ground; mean
    unlikeness: float  # of pose and movement at both ends: 0 the same, 1 as far apart as any two frames of the cycle
    n_steps: int  # footfalls, of both feet together
    contacts: Contacts  # of the cut
    averaged: Averaged | None = None  # where it is the mean of repetitions; ``examined`` is then the mean, repeated

    @property
    def clip(self) -> Clip:
        """The whole source."""
        return self.examined.clip

    def source(self, clip: Examined) -> Examined:
        """The examined clip it was found in, cleaned where it was, without the added beginning of a next round."""
        return self.examined if self.clip.n_frames == clip.clip.n_frames and self.averaged is None else clip

    @property
    def seconds(self) -> float:
        """How long the cycle lasts."""
        return self.n_frames / self.clip.frame_rate

    @property
    def cut(self) -> Clip:
        """The frames of the cycle and the one that closes it, ``n_frames + 1`` in all."""
        return self.clip[self.start : self.start + self.n_frames + 1]

    @property
    def start_row(self) -> int:
        """The source's own row that the cycle starts with."""
        return self.clip.first_row + self.start

    def is_same(self, other: RawCycle) -> bool:
        """Whether both are the same rows of their sources."""
        return (self.start_row, self.n_frames) == (other.start_row, other.n_frames)

    def __repr__(self) -> str:
        return (
            f"RawCycle({self.clip.name!r}, {self.n_frames} frames from row {self.start_row}, {self.seconds:.2f} s, "
            f"{self.speed:.2f} m/s, turn {np.degrees(self.turn):+.0f}°, closes to {100 * self.closing:.1f} cm)"
        )


def mark_cycle(clip: Clip | Examined, frames: tuple[int, int], *, contacts: Contacts | None = None) -> RawCycle:
    """The cycle between two known frames.

    ``frames`` are its first one, and the one that shows the same pose a cycle later. ``contacts`` are the foot plants
    of the clip; found if None. Raises ``MotionError`` where the frames do not lie in the clip, are too few, or the root
    is lost in them.
    """
    examined = examine(clip)
    motion = examined.clip
    first, last = cycle_frames(frames, motion)
    for fault in find_faults(motion[first : last + 1]):
        if fault.code in _UNUSABLE:
            raise MotionError(f"frames {first} to {last} make no cycle: {fault.message}")
    beside = int(_BESIDE * motion.frame_rate)
    begin = max(first - beside, motion.n_frames - motion.captured.n_frames, 0)
    part = examined.part(begin, min(last + 1 + beside, motion.n_frames))
    features = pose_features(part)
    ends = [first - begin, last - begin]
    levels = part.feet.level(part.clip.root_positions[ends])
    apart = np.array([np.linalg.norm(features[ends[0]] - features[ends[1]])])
    length = np.array([last - first])
    unlikeness = apart / spread(features, np.array(ends[:1]), length)
    marked = Candidates(np.array([first]), length, unlikeness, levels[1:] - levels[:1])
    return described(examined, examined.plants if contacts is None else contacts, marked)[0]


def cycle_frames(frames: object, clip: Clip) -> tuple[int, int]:
    """The first frame of a cycle and the one that closes it, checked."""
    first, last = frame_range(frames, clip, "frames")
    if last - first < 3:
        raise MotionError(f"a cycle needs at least 3 frames and the one that closes it, got {first} to {last}")
    return first, last


def described(examined: Examined, contacts: Contacts, candidates: Candidates) -> list[RawCycle]:
    """Candidates with all that is counted and measured in them."""
    turns, speeds = turns_and_speeds(examined.clip, candidates)
    out = []
    for i, (first, length) in enumerate(zip(candidates.starts.tolist(), candidates.lengths.tolist(), strict=True)):
        plants = contacts[first : first + length + 1]
        poses = examined.clip.positions[[first, first + length]]
        cycle = RawCycle(
            examined=examined,
            start=first,
            n_frames=length,
            speed=float(speeds[i]),
            turn=float(turns[i]),
            closing=pose_distance(poses[0], poses[1], rise=float(candidates.rises[i])),
            unlikeness=float(candidates.unlikeness[i]),
            n_steps=count_steps(plants),
            contacts=plants,
        )
        out.append(cycle)
    return out


def count_steps(plants: Contacts) -> int:
    """How many times a foot comes down in a cut."""
    return sum(fall > 0 for foot in FEET for fall, _ in plants.foot(foot))


def turns_and_speeds(clip: Clip, cycles: Candidates) -> tuple[_PerCycle, _PerCycle]:
    """Radians per cycle, and metres per second: the mean velocity in the character's heading, as ``Cycle.speed`` is.

    To and fro at every step cancels out, a turn does not. It is never more than the root's own way in that time.
    """
    yaws, ends = clip.headings, cycles.starts + cycles.lengths
    way = np.concatenate([[0.0], np.cumsum(np.diff(clip.ground_path) * np.exp(-0.5j * (yaws[:-1] + yaws[1:])))])
    speeds = np.abs(way[ends] - way[cycles.starts]) * clip.frame_rate / cycles.lengths
    return np.asarray(yaws[ends] - yaws[cycles.starts]), speeds


def frame_range(frames: object, clip: Clip, option: str) -> tuple[int, int]:
    """Two frames of a clip, checked; ``MotionError`` where they do not lie in it, or not in order."""
    given = [*frames] if isinstance(frames, Iterable) else []
    try:
        first, last = (whole_number(frame, "a frame") for frame in given)
    except (MotionError, ValueError):
        wanted = Option(option, ("first", "last"))
        raise MotionError(expected=f"{wanted}, two frames of the clip", got=repr(frames), option=wanted) from None
    if not 0 <= first < last < clip.n_frames:
        asked = Option(option, (first, last))
        text = f"{asked} is not a range of frames of {clip!r}, which has 0 to {clip.n_frames - 1}"
        raise MotionError(text, option=asked)
    return first, last
