"""One full cycle as it lies in a clip, its ends not yet met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mocapella.analysis.closing import closing_distance, postures, spread
from mocapella.analysis.feet import track_feet
from mocapella.analysis.plants import find_plants
from mocapella.analysis.root import headings
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.motion.faults import find_faults

_BESIDE = 0.1  # seconds beside a cycle that tell how the body moves at its ends
_UNUSABLE = ("root-dropout", "root-jump")  # faults that no choice of frames makes good


@dataclass(frozen=True, eq=False)
class RawCycle:
    """One full cycle as it lies in a clip, its ends not yet met: what ``cyclify`` closes."""

    clip: Clip  # the whole source
    start: int  # frame of the clip
    n_frames: int  # the cycle's own count; with the frame that closes it, the cut holds one more
    speed: float  # m/s, the mean velocity in the character's heading
    turn: float  # radians per cycle, left positive
    closing: float  # metres between the joints of both ends, laid over each other on the ground; mean
    unlikeness: float  # of pose and movement at both ends: 0 the same, 1 as far apart as any two frames of the cycle
    n_steps: int  # footfalls, of both feet together
    contacts: Contacts  # of the cut

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


def mark_cycle(clip: Clip, frames: tuple[int, int], *, contacts: Contacts | None = None) -> RawCycle:
    """The cycle that somebody knows of: its first frame, and the one that shows the same pose a cycle later.

    Raises
    ------
    MotionError
        Where the frames do not lie in the clip, are too few, or the root is lost in them.
    """
    first, last = frame_range(frames, clip, "frames")
    if last - first < 3:
        raise MotionError(f"a cycle needs at least 3 frames and the one that closes it, got {first} to {last}")
    for fault in find_faults(clip[first : last + 1]):
        if fault.code in _UNUSABLE:
            raise MotionError(f"frames {first} to {last} make no cycle: {fault.message}")
    contacts = find_plants(clip) if contacts is None else contacts
    beside = int(_BESIDE * clip.frame_rate)
    begin = max(first - beside, clip.n_frames - clip.captured.n_frames, 0)
    part = clip[begin : last + 1 + beside]
    tracks = track_feet(part)
    features = postures(part, tracks)
    ends = first - begin, last - begin
    apart = float(np.linalg.norm(features[ends[0]] - features[ends[1]]))
    levels = tracks.level(part.root_positions[list(ends)])
    start, length = np.array([ends[0]]), np.array([last - first])
    turns, speeds = turns_and_speeds(clip, np.array([first]), length)
    return describe(
        clip,
        (first, last),
        contacts,
        turn=float(turns[0]),
        speed=float(speeds[0]),
        unlikeness=apart / float(spread(features, start, length)[0]),
        rise=float(levels[1] - levels[0]),
    )


def describe(
    clip: Clip,
    frames: tuple[int, int],
    contacts: Contacts,
    *,
    turn: float,
    speed: float,
    unlikeness: float,
    rise: float,
) -> RawCycle:
    """A cycle with all that is counted and measured in it; ``rise`` is how much higher the ground is at its end."""
    first, last = frames
    plants = contacts[first : last + 1]
    return RawCycle(
        clip=clip,
        start=first,
        n_frames=last - first,
        speed=speed,
        turn=turn,
        closing=closing_distance(clip.positions[first], clip.positions[last], rise=rise),
        unlikeness=unlikeness,
        n_steps=sum(fall > 0 for foot in FEET for fall, _ in plants.foot(foot)),
        contacts=plants,
    )


def turns_and_speeds(
    clip: Clip, starts: Int[np.ndarray, " cycles"], lengths: Int[np.ndarray, " cycles"]
) -> tuple[Float[np.ndarray, " cycles"], Float[np.ndarray, " cycles"]]:
    """Radians per cycle, and metres per second: the mean velocity as the character sees it, as ``Cycle.speed`` is.

    To and fro at every step cancels out, a turn does not. It is never more than the root's own way in that time.
    """
    yaws, places = headings(clip), clip.root_positions[:, 2] + 1j * clip.root_positions[:, 0]
    seen = np.diff(places) * np.exp(-0.5j * (yaws[:-1] + yaws[1:]))
    way = np.concatenate([[0.0], np.cumsum(seen)])
    ends = starts + lengths
    return np.asarray(yaws[ends] - yaws[starts]), np.abs(way[ends] - way[starts]) * clip.frame_rate / lengths


def frame_range(frames: object, clip: Clip, option: str) -> tuple[int, int]:
    """Two frames of a clip in order, first and last; ``MotionError`` where that is not what was given."""
    given = [*frames] if isinstance(frames, Iterable) else []
    try:
        first, last = map(int, given)
    except (TypeError, ValueError):
        raise MotionError(f"expected {option}=(first, last), two frames of the clip, got {frames!r}") from None
    if not 0 <= first < last < clip.n_frames:
        raise MotionError(
            f"{option}=({first}, {last}) is no range of frames of {clip!r}, which has 0 to {clip.n_frames - 1}"
        )
    return first, last
