"""A captured change from one motion to another: its cycles, its tremor, its loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from mocapella.analysis.synchronise import synchronised_to
from mocapella.arrays import owned
from mocapella.checks import real_or_nan, shown
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import smoothest
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.cycle import Cycle, Decision
from mocapella.rig.symmetry import mirrored, mirrored_clip

# A capture without its tremor: signals faster than people move.
#
# Markers flicker, and a solver that loses one of them moves the hips for a frame. On its own that is hardly
# visible. But with a foot locked to the ground the leg has to make up for all of it, and a knee that is
# nearly straight turns millimetres into degrees.

LEAST_TREMOR = 0.1  # Hz: below this the motion itself would be removed
_LONGEST_WAVE = 4000.0  # frames: beyond that smoothing loses its digits
TREMOR = 20.0  # Hz: twice what strikes and swings need; the jitter that is left does not show at the knees


@lru_cache(maxsize=64)
def without_tremor(clip: Clip, above: float | int = TREMOR) -> Clip:
    """The same motion without frequencies above ``above`` (Hz), in root and joints alike; cached.

    Every signal is replaced by the smoothest one near it: half the amplitude is left at that frequency, more than 90 %
    at half of it, at usual frame rates. There is no delay, and no frames beyond the ends of the clip are needed. Clips
    with too few frames, or too low a frame rate, stay as they are.
    """
    if not real_or_nan(above) >= LEAST_TREMOR:
        raise MotionError(
            expected=f"tremor to begin at {LEAST_TREMOR:g} Hz or more", got=shown(above), helps="math.inf leaves all in"
        )
    n, length = clip.n_frames, min(clip.frame_rate / above, _LONGEST_WAVE)
    if n < 3 or length <= 2.0:
        return clip
    turns = _smoothest(clip.rotations_wxyz.reshape(n, -1), length).reshape(n, -1, 4)
    return replace(
        clip,
        root_positions=owned(_smoothest(clip.root_positions, length)),
        rotations_wxyz=owned(quaternions.normalise(turns)),
    )


def told_of_tremor(clip: Clip, above: float | int = TREMOR) -> tuple[Decision, ...]:
    """A note of how far removing the tremor moves the joints of a clip, if at all."""
    steady = without_tremor(clip, above)
    if steady is clip:
        return ()
    moved = np.linalg.norm(steady.positions - clip.positions, axis=-1)
    usual, most = float(np.median(moved)), float(moved.max())
    text = (
        f"where feet are held, what shakes more quickly than {above:g} Hz is not played: joints are "
        f"{1000 * usual:.1f} mm from where they were captured (median), at most {1000 * most:.0f} mm"
    )
    return (Decision("tremor", text, {"above_hz": float(above), "usual_m": usual, "most_m": most}),)


def _smoothest(rows: Float[np.ndarray, "frames columns"], length: float) -> Float[np.ndarray, "frames columns"]:
    """The smoothest signals near the rows; a wave of ``length`` frames keeps half its amplitude."""
    return smoothest(rows, np.ones(len(rows)), (2.0 * np.sin(np.pi / length)) ** -4.0)


# A captured change of motion: a cycle of the old, the change itself, a cycle of the new.


@dataclass(frozen=True, eq=False, repr=False)
class Transition:
    """One clip in three phases: ``before`` and ``after`` repeat, the change between them is played as captured.

    ``before`` is closed so that the frame it leaves by is the captured one, ``after`` so that the frame it begins with
    is. Both may since have been begun elsewhere to fall in step with others; ``leave_phase`` and ``arrive_phase`` say
    where those two frames stand now.
    """

    name: str
    clip: Clip  # the whole capture; an artificial rest pose is left out
    contacts: Contacts  # its foot plants
    before: Cycle  # offset 0 would be the frame it leaves by
    after: Cycle  # offset 0 would be the frame it begins with
    leave: int  # frame of the clip at which the change begins
    arrive: int  # frame at which it has ended
    loop: tuple[int, int] | None = None  # frames inside the change between which it may be repeated
    decisions: tuple[Decision, ...] = ()  # how the boundaries were found, how far the joins are from seamless
    tremor: float = TREMOR  # Hz, above which it shakes rather than moves

    def __post_init__(self) -> None:
        for fault in self._faults():
            raise MotionError(f"the transition {self.name!r}{fault}")

    @property
    def change(self) -> Clip:
        """The frames of the change, from the last of the old motion to the first of the new one, both included."""
        return self.clip[self.leave : self.arrive + 1]

    @property
    def steady(self) -> Clip:
        """The whole capture without its tremor: what can be played where feet are held to the ground."""
        return without_tremor(self.clip, self.tremor)

    @property
    def seconds(self) -> float:
        """How long the change lasts when played once."""
        return (self.arrive - self.leave) / self.clip.frame_rate

    @property
    def leave_phase(self) -> float:
        """The cycle phase, 0 … 2π, at which ``before`` shows the first frame of the change."""
        return TURN * (-self.before.offset % 1.0)

    @property
    def arrive_phase(self) -> float:
        """The cycle phase, 0 … 2π, at which ``after`` shows the last frame of the change."""
        return TURN * (-self.after.offset % 1.0)

    @property
    def seams(self) -> Mapping[str, float]:
        """Measures at the joins: how far the closed cycles are from the clip at the frames where they meet."""
        return {key: value for one in self.decisions if one.step == "seam" for key, value in one.numbers.items()}

    def mirrored(self) -> Transition:
        """The same change with left and right exchanged, its cycles in step with the ones that were mirrored.

        A mirrored walk is half a cycle out of phase with the original, so the mirrored change begins at the footfall of
        the other foot: the one of the two that comes first can be taken.

        Raises
        ------
        SkeletonError
            Where left and right are not built alike.
        """
        note = Decision("mirror", "left and right were exchanged")
        return replace(
            self,
            name=f"{self.name} mirrored",
            clip=mirrored_clip(self.clip),
            contacts=self.contacts.mirrored(),
            before=synchronised_to(mirrored(self.before), [self.before]),
            after=synchronised_to(mirrored(self.after), [self.after]),
            decisions=(*self.decisions, note),
        )

    def __repr__(self) -> str:
        return (
            f"Transition({self.name!r}, {self.before.duration:.2f} s before, {self.seconds:.2f} s of change, "
            f"{self.after.duration:.2f} s after)"
        )

    def _faults(self) -> Iterator[str]:
        """Why this is not a valid transition, for a message that begins with its name."""
        n = self.clip.n_frames
        if not 0 <= self.leave < self.arrive < n:
            frames = f" leaves at frame {self.leave} and arrives at {self.arrive}"
            yield f"{frames}; expected two frames in this order from 0 to {n - 1}"
        if not self.tremor >= LEAST_TREMOR:
            yield f" shakes above {self.tremor} Hz; expected {LEAST_TREMOR:g} or more, or math.inf"
        if self.contacts.n_frames != n:
            yield f" has foot plants for {self.contacts.n_frames} frames and a clip of {n}"
        for part, cycle in (("before", self.before), ("after", self.after)):
            if not cycle.skeleton.same_as(self.clip.skeleton):
                yield f": the cycle {part} it has another skeleton than its clip"
        if self.loop is not None and not self.leave <= self.loop[0] < self.loop[1] <= self.arrive:
            frames = f" cannot be repeated between frames {self.loop[0]} and {self.loop[1]}"
            yield f"{frames}; expected two frames in this order from {self.leave} to {self.arrive}"


# Which frames of a change can be repeated: a twirl that goes round once more.

_LEAST_TURN = 0.75 * TURN  # a change that turns less is no twirl
_TURN_SCALE = np.radians(90.0)  # a round missed by this much weighs as much as poses half as far apart as any two
_MOST_UNLIKE = 0.5  # of the two frames, where 1 is how far any two of the change are apart


def find_loop(
    clip: Clip, features: Float[np.ndarray, "frames features"], leave: int, arrive: int
) -> tuple[int, int] | None:
    """Two frames inside a change, one turn about the vertical apart, that look most alike; None where nothing turns so.

    After the second the first can follow, and the turn be made once more.
    """
    part = features[leave : arrive + 1]
    yaws = clip.headings[leave : arrive + 1]
    if np.abs(yaws[:, None] - yaws).max() < _LEAST_TURN:
        return None
    from scipy.spatial.distance import cdist  # SciPy takes long to import, and few changes turn so far

    apart = cdist(part, part)
    scale = float(np.sqrt(np.mean(apart**2)))
    turned = np.abs(yaws - yaws[:, None])
    cost = apart / scale + 0.5 * np.abs(turned - TURN) / _TURN_SCALE
    later = np.triu(turned >= _LEAST_TURN, k=1)
    cost = np.where(later & (apart <= _MOST_UNLIKE * scale), cost, np.inf)
    first, last = np.unravel_index(int(np.argmin(cost)), cost.shape)
    if not np.isfinite(cost[first, last]):
        return None
    return leave + int(first), leave + int(last)
