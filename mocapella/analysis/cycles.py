"""Find the full cycles in a captured clip: where they start, how long they last, how well they close."""

from __future__ import annotations

from dataclasses import dataclass

from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts


@dataclass(frozen=True, eq=False)
class RawCycle:
    """One full cycle as it lies in a clip, its ends not yet met: what ``cyclify`` closes."""

    clip: Clip  # the whole source
    start: int  # frame of the clip
    n_frames: int  # the cycle's own count; with the frame that closes it, the cut holds one more
    speed: float  # m/s along the way
    turn: float  # radians per cycle, left positive
    closing: float  # metres between the joints of both ends, laid over each other on the ground; mean
    n_steps: int
    contacts: Contacts  # of the cut

    @property
    def seconds(self) -> float:
        """How long the cycle lasts."""
        return self.n_frames / self.clip.frame_rate

    @property
    def cut(self) -> Clip:
        """The frames of the cycle and the one that closes it, ``n_frames + 1`` in all."""
        return self.clip[self.start : self.start + self.n_frames + 1]


def find_cycles(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
) -> list[RawCycle]:
    """Every plausible full cycle of a clip, best first."""
    raise NotImplementedError


def find_cycle(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
) -> RawCycle:
    """The best full cycle of a clip."""
    return find_cycles(clip, turning=turning, speed=speed, turn=turn, within=within)[0]
