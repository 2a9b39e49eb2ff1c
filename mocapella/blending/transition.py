"""A captured change of motion: a cycle of the old, the change itself, a cycle of the new."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mocapella.analysis.mirror import mirrored, mirrored_clip
from mocapella.analysis.synchronise import synchronised_to
from mocapella.blending.tremor import TREMOR, without_tremor
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.cycle import TURN, Cycle, Decision


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
        n = self.clip.n_frames
        if not 0 <= self.leave < self.arrive < n:
            raise MotionError(
                f"{self._title} leaves at frame {self.leave} and arrives at {self.arrive}; "
                f"expected two frames in this order from 0 to {n - 1}"
            )
        if not self.tremor > 0.0:
            raise MotionError(f"{self._title} shakes above {self.tremor} Hz; expected more than 0, or math.inf")
        if self.contacts.n_frames != n:
            raise MotionError(f"{self._title} has foot plants for {self.contacts.n_frames} frames and a clip of {n}")
        for part, cycle in (("before", self.before), ("after", self.after)):
            if not cycle.skeleton.same_as(self.clip.skeleton):
                raise MotionError(f"{self._title}: the cycle {part} it has another skeleton than its clip")
        if self.loop is not None and not self.leave <= self.loop[0] < self.loop[1] <= self.arrive:
            raise MotionError(
                f"{self._title} cannot be repeated between frames {self.loop[0]} and {self.loop[1]}; expected two "
                f"frames in this order from {self.leave} to {self.arrive}"
            )

    @property
    def change(self) -> Clip:
        """The part that is played, from the frame that is left to the one that is arrived at, both included."""
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
        """The cycle phase, 0 … 2π, at which ``before`` shows the frame that is left."""
        return TURN * (-self.before.offset % 1.0)

    @property
    def arrive_phase(self) -> float:
        """The cycle phase, 0 … 2π, at which ``after`` shows the frame that is arrived at."""
        return TURN * (-self.after.offset % 1.0)

    @property
    def seams(self) -> Mapping[str, float]:
        """What was measured at the joins: how far the closed cycles are from the clip at the frames where they meet."""
        return {key: value for one in self.decisions if one.step == "seam" for key, value in one.numbers.items()}

    def mirrored(self) -> Transition:
        """The same change with left and right exchanged, its cycles in step with the ones that were mirrored.

        A walk seen in a mirror is half a cycle out of step with itself, so what is left at one footfall is left at the
        other foot's here: of the two, one comes round sooner.

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

    def repeated_between(self, first: int, last: int) -> Transition:
        """The same, to be repeated between these frames of the clip."""
        return replace(self, loop=(first, last))

    def __repr__(self) -> str:
        return (
            f"Transition({self.name!r}, {self.before.duration:.2f} s before, {self.seconds:.2f} s of change, "
            f"{self.after.duration:.2f} s after)"
        )

    @property
    def _title(self) -> str:
        return f"the transition {self.name!r}"
