"""Cycle: one closed cycle of a motion as dofs, with the record of how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze, owned
from mocapella.checks import MOST_FRAMES, explained, finite_number, refuse_no_rate, shown, whole_number
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.inline import ShownInline
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, N_ROOT_DOFS, YAW_RATE, Layout, layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.travel import path_of_rates, repeated_path


@dataclass(frozen=True)
class Decision:
    """One step of preparation, with the numbers it was decided by."""

    step: str  # short and stable: "cyclify"
    text: str  # a sentence, for people
    numbers: Mapping[str, float] = field(default_factory=dict)


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Cycle(ShownInline):
    """``n_frames`` distinct frames that repeat, as dofs; frame ``n_frames`` would be frame 0 again.

    Rates of travel and turn are dofs like the others, per second, so that neither frame rate nor length distorts them;
    their integral from the first frame to the next round's first is exactly the captured travel and turn.

    Parameters
    ----------
    layout
        How rotations are written as dofs.
    dofs
        One row per frame.
    frame_rate
        Frames per second.
    contacts
        Its foot plants, if known.
    name
        Of the cycle.
    source
        The file it came from.
    start_row
        The source's row that was frame 0 before any synchronisation.
    offset
        Fraction of a cycle by which it was begun later since, 0 … 1.
    decisions
        The steps of its preparation.
    files
        All files it was read from: the source first, then a skeleton and roles.

    Examples
    --------
    >>> from mocapella.motion.skeleton import Skeleton
    >>> layout = layout_of("quaternion", Skeleton.of(["hips"], [-1], [[0, 1, 0]]))
    >>> dofs = np.tile([1.0, 0.0, 0.0, 0.0, 1.0, 1.5, 0.0, 0.0], (60, 1))  # upright, 1 m high, 1.5 m/s ahead
    >>> cycle = Cycle(layout, dofs, frame_rate=60.0)
    >>> cycle.duration, cycle.speed
    (1.0, 1.5)
    """

    layout: Layout
    dofs: Float[np.ndarray, "frames dofs"]
    frame_rate: float
    contacts: CycleContacts | None = None
    name: str = ""
    source: str = ""
    start_row: int = 0
    offset: float = 0.0
    decisions: tuple[Decision, ...] = ()
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, np.float64, "dofs")
        if self.dofs.shape[1] != self.layout.n_dofs:
            raise MotionError(f"{self.layout!r} needs {self.layout.n_dofs} columns, got {self.dofs.shape[1]}")
        if self.n_frames < 3:
            raise MotionError(f"a cycle needs at least 3 frames to have a harmonic, got {self.n_frames}")
        refuse_no_rate(self.frame_rate)
        if not np.isfinite(self.dofs).all():
            raise MotionError("dofs must be finite numbers")

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton the cycle moves."""
        return self.layout.skeleton

    @property
    def n_frames(self) -> int:
        """How many distinct frames there are."""
        return len(self.dofs)

    @property
    def n_dofs(self) -> int:
        """How many dofs there are."""
        return int(self.dofs.shape[1])

    @property
    def duration(self) -> float:
        """Seconds per cycle."""
        return self.n_frames / self.frame_rate

    @property
    def turn(self) -> float:
        """Change of heading per cycle, radians, left positive."""
        return float(self.dofs[:, YAW_RATE].mean()) * self.duration

    @property
    def speed(self) -> float:
        """Mean speed over the ground in the character's heading, m/s."""
        return float(np.hypot(*self.velocity))

    @property
    def velocity(self) -> tuple[float, float]:
        """Mean velocity over the ground, m/s: to the left of the character's heading, and ahead in it."""
        return float(self.dofs[:, LEFT].mean()), float(self.dofs[:, AHEAD].mean())

    @property
    def phases(self) -> Float[np.ndarray, " frames"]:
        """The cycle phase of every frame, 0 … 2π."""
        return TURN * np.arange(self.n_frames) / self.n_frames

    @property
    def rotations_wxyz(self) -> Float[np.ndarray, "frames joints 4"]:
        """Local rotations of all joints; the root's is its tilt, without heading."""
        return self.layout.rotations(self.dofs)

    def starting_at(self, phase: float) -> Cycle:
        """The same cycle, begun ``phase`` radians later; contacts and offset move along.

        Whole frames are moved as they are; in between, the harmonics are turned, which is exact for all that the frames
        determine.
        """
        share = (finite_number(phase, "a phase to begin at, radians") / TURN) % 1.0
        frames = share * self.n_frames
        nearest = round(frames)
        if abs(frames - nearest) < 1e-9:
            dofs = np.roll(self.dofs, -nearest, axis=0)
        else:
            coefficients = np.fft.rfft(self.dofs, axis=0)
            turns = np.exp(1j * TURN * share * np.arange(len(coefficients)))
            dofs = np.fft.irfft(turns[:, None] * coefficients, self.n_frames, axis=0)
        contacts = None if self.contacts is None else self.contacts.starting_at(phase)
        return replace(self, dofs=owned(dofs), contacts=contacts, offset=(self.offset + share) % 1.0)

    def facing(self, angle: float) -> Cycle:
        """The same motion of a body whose heading is ``angle`` radians to the left of the one it had."""
        rotations, root = self.rotations_wxyz.copy(), self.dofs[:, -N_ROOT_DOFS:].copy()
        rotations[:, 0] = quaternions.multiply(quaternions.about_y(-angle), rotations[:, 0])
        velocities = (root[:, AHEAD] + 1j * root[:, LEFT]) * np.exp(-1j * angle)
        root[:, AHEAD], root[:, LEFT] = velocities.real, velocities.imag
        return replace(self, dofs=owned(self.layout.dofs(rotations, root)))

    def decided(self, step: str, text: str, **numbers: float | int) -> Cycle:
        """The same cycle, with one more decision on record."""
        plain = {key: float(value) for key, value in numbers.items()}
        return replace(self, decisions=(*self.decisions, Decision(step, text, plain)))

    def to_clip(self, rounds: int = 1, *, position: tuple[float, float] = (0.0, 0.0), heading: float = 0.0) -> Clip:
        """The motion of ``rounds`` on the ground, begun at ``position`` (x, z; metres) and ``heading`` (radians)."""
        rounds = whole_number(rounds, "a number of rounds, at least one")
        if not 1 <= rounds <= MOST_FRAMES // self.n_frames:
            most = f"to {MOST_FRAMES // self.n_frames:,} rounds, {MOST_FRAMES:,} frames"
            raise MotionError(f"expected at least one round, and up {most}; got {shown(rounds)}")
        velocities = self.dofs[:, AHEAD] + 1j * self.dofs[:, LEFT]
        places, yaws = path_of_rates(velocities, self.dofs[:, YAW_RATE], self.frame_rate)
        places, yaws = repeated_path(places, yaws, rounds)
        places = places * np.exp(1j * heading) + position[1] + 1j * position[0]
        rotations = np.tile(self.rotations_wxyz, (rounds, 1, 1))
        rotations[:, 0] = quaternions.multiply(quaternions.about_y(yaws + heading), rotations[:, 0])
        heights = np.tile(self.dofs[:, HEIGHT], rounds)
        return Clip(
            skeleton=self.skeleton,
            root_positions=np.stack([places.imag, heights, places.real], axis=-1),
            rotations_wxyz=rotations,
            frame_rate=self.frame_rate,
            name=self.name,
        )

    def __repr__(self) -> str:
        label = f"{self.name!r}, " if self.name else ""
        return (
            f"Cycle({label}{self.n_frames} frames at {self.frame_rate:g} Hz, {self.n_dofs} {self.layout.kind} dofs, "
            f"{self.speed:.2f} m/s, {np.degrees(self.turn):+.0f}° a cycle)"
        )


def in_layout(cycle: Cycle, kind: str) -> Cycle:
    """The same cycle with its rotations written in another layout.

    ``kind`` is ``"quaternion"`` or ``"euler"``. Returns the cycle itself where it has that layout.
    """
    if cycle.layout.kind == kind:
        return cycle
    layout = layout_of(kind, cycle.skeleton)
    return replace(cycle, layout=layout, dofs=owned(layout.dofs(cycle.rotations_wxyz, cycle.dofs[:, -N_ROOT_DOFS:])))
