"""A character that plays whatever motion its blending point asks for."""

from __future__ import annotations

import cmath
import math
import warnings
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from mocapella.arrays import owned
from mocapella.blending.network import Network, Place
from mocapella.errors import MotionError, MotionWarning
from mocapella.motion.layout import HEIGHT, N_ROOT_DOFS
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback import single
from mocapella.playback.anchor import Anchor
from mocapella.playback.easing import Coordinates, Follower, Point, checked_point
from mocapella.playback.footlock import held, stand_of
from mocapella.playback.gait import Gait
from mocapella.playback.legs import Leg, LegDofs, legs_of
from mocapella.playback.locks import Locks
from mocapella.playback.playhead import Playhead, advance
from mocapella.playback.stride import footed_gait, rooted_gait

Feet = Literal["held", "anchored", "velocity"]
YIELD = 0.8  # m/s, by which the root makes way for planted feet while the motion changes
AGILITY, RISE = 6.0, 0.6  # radians and metres per second by which joints and root may change with the blending point
FEET_MODES: tuple[Feet, ...] = ("held", "anchored", "velocity")


@runtime_checkable
class Blender(Protocol):
    """What a player plays: anything that makes a spectrum of a blending point, such as a network."""

    def blend(self, point: Point) -> Spectrum:
        """The motion at a blending point."""
        ...


class Player:
    """One character in time: set its blending point, step it on, and take the poses.

    Parameters
    ----------
    network
        What is played; a single spectrum is a network of one place.
    point
        Where the blending point starts.
    feet
        ``"held"``: the feet drive the body, and legs bend so that no planted foot slides. ``"anchored"``: the body
        moves so that one planted foot stays put, and nothing else is touched, as in the papers. ``"velocity"``: the
        blended velocity of the root alone; feet may slide.
    ease
        Seconds in which the blending point goes nine tenths of the way to where it is sent; 0 lets it jump.
    pace
        The most it moves per second, in units of the plane.
    phase, position, heading
        Where in the cycle, where on the ground (x, z; metres) and which way (radians, left positive) to begin.

    Raises
    ------
    MotionError
        For a point, time or place that is no number, or motion without a layout.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> player = Player(analyse(prepare(perform("walk", speed=1.3)[0]), harmonics=10))
    >>> for _ in range(60):
    ...     pose = player.step(1 / 60)
    >>> round(player.position[1], 1)
    1.3
    """

    def __init__(
        self,
        network: Blender | Spectrum,
        point: Coordinates = (0.0, 0.0),
        *,
        feet: Feet = "held",
        ease: float | int = 0.3,
        pace: float | int = math.inf,
        phase: float | int = 0.0,
        position: tuple[float | int, float | int] = (0.0, 0.0),
        heading: float | int = 0.0,
    ) -> None:
        if feet not in FEET_MODES:
            raise MotionError(f"no way of standing {feet!r}; there are {', '.join(FEET_MODES)}")
        if not all(map(math.isfinite, (phase, heading, *position))):
            raise MotionError("a player begins at a phase, a position and a heading that are numbers")
        if math.isnan(ease) or math.isnan(pace) or ease < 0.0 or pace <= 0.0:
            raise MotionError(f"expected ease from 0 on and pace above 0, got {ease} and {pace}")
        self.network = network
        self.feet: Feet = feet
        self._place: Place | None = None
        start = checked_point(point)
        self._follower = Follower(start, start, tuple(0.0 for _ in start), float(ease), float(pace))
        spectrum = self._blended(start)
        if spectrum.layout is None:
            raise MotionError("these harmonics carry no layout, so they make no pose")
        self.skeleton: Skeleton = spectrum.layout.skeleton
        self._legs = None if feet == "velocity" else _known_legs(self.skeleton)
        if self._legs is not None and spectrum.contacts is None:
            text = "this motion knows no foot plants, so nothing keeps its feet from sliding"
            warnings.warn(text, MotionWarning, stacklevel=2)
        self._leg_dofs = None if self._legs is None else LegDofs.of(spectrum.layout, self._legs)
        self._gait = self._gait_of(spectrum)
        self._head = Playhead(float(phase) % (2.0 * math.pi), (float(position[0]), float(position[1])), float(heading))
        self._dofs = spectrum.at(np.array(self._head.phase))  # what is played at this moment
        self._locks = Locks()
        self._anchor = Anchor()

    @property
    def point(self) -> Point:
        """Where the blending point is; set it to send it somewhere else, which begins with the next step."""
        return self._follower.point

    @point.setter
    def point(self, point: Coordinates) -> None:
        self._follower = self._follower.sent(checked_point(point, like=self._follower.point))

    @property
    def goal(self) -> Point:
        """Where the blending point was sent."""
        return self._follower.goal

    @property
    def phase(self) -> float:
        """How far into the cycle the character is, 0 … 2π."""
        return self._head.phase

    @property
    def heading(self) -> float:
        """Which way it faces, radians, left positive, running on beyond a full turn."""
        return self._head.yaw

    @property
    def position(self) -> tuple[float, float]:
        """Where its root is on the ground (x, z), metres."""
        return self._head.position

    @property
    def centre(self) -> tuple[float, float]:
        """Its position without the sway of the steps (x, z), metres."""
        yaw, _ = self._gait.way(self._head.phase)
        place = self._head.place - cmath.exp(1j * (self._head.yaw - yaw)) * self._gait.sway(self._head.phase)[1]
        return place.imag, place.real

    @property
    def course(self) -> float:
        """Which way it goes, without the swing of the steps, radians; a character may go another way than it faces."""
        return self._head.yaw - self._gait.sway(self._head.phase)[0] + self._drift

    @property
    def speed(self) -> float:
        """How fast its motion goes, mean of a cycle, m/s."""
        return abs(self._gait.velocity)

    @property
    def _drift(self) -> float:
        """The angle between where its motion faces and where it goes, mean of a cycle."""
        even, start = self._gait.velocity, self._gait.sway(0.0)[0]
        # The evenly turning frame is laid through cycle phase 0, where the heading is off the even one by its swing.
        return cmath.phase(even) + start if abs(even) > 1e-3 else 0.0

    @property
    def spectrum(self) -> Spectrum:
        """The motion being played."""
        return self._gait.spectrum

    @property
    def planted(self) -> tuple[bool, bool, bool, bool]:
        """Which of ``FOOT_POINTS`` rest at this moment."""
        phase = self._head.phase
        a, b, c, d = (any(0.0 <= plant.since(phase) < plant.length for plant in own) for own in self._gait.plants)
        return a, b, c, d

    def step(self, dt: float | int) -> Pose:
        """Move on by ``dt`` seconds and give the pose; 0 gives the present one.

        Raises
        ------
        MotionError
            For a negative time or one that is no number; the player stays as it was.
        """
        if not (math.isfinite(dt) and dt >= 0.0):
            raise MotionError(f"time goes forward: expected seconds from 0 on, got {dt}")
        follower = self._follower.after(float(dt))
        gait, head = self._gait, self._head
        if follower.point != self._follower.point:
            spectrum = self._blended(follower.point)
            share = self._bearable(spectrum, float(dt))
            if share < 1.0:
                follower = self._follower.held_back(follower, share)
                spectrum = self._blended(follower.point)
            gait = self._gait_of(spectrum)
            head = head.moved(cmath.exp(1j * head.yaw) * _shift(self._gait, gait, head.phase, float(dt)))
        self._follower, self._gait, self._head = follower, gait, advance(head, gait, float(dt))
        return self._pose(float(dt))

    def _blended(self, point: Point) -> Spectrum:
        if isinstance(self.network, Network):
            self._place = self.network.place(point, self._place)  # near the last one, so found at once
            return self.network.blend(self._place)
        return self.network if isinstance(self.network, Spectrum) else self.network.blend(point)

    def _gait_of(self, spectrum: Spectrum) -> Gait:
        if self._leg_dofs is None:
            return rooted_gait(spectrum)
        return footed_gait(spectrum, self._leg_dofs)

    def _bearable(self, spectrum: Spectrum, dt: float) -> float:
        """Which share, 0 … 1, of a change of motion a body can make in ``dt`` seconds on top of moving."""
        apart = spectrum.at(np.array(self._head.phase)) - self._dofs
        turned = 2.0 * float(np.abs(apart[:-N_ROOT_DOFS]).max())
        most = max(turned / AGILITY, abs(float(apart[HEIGHT])) / RISE)
        return 1.0 if most <= dt else dt / most

    def _pose(self, dt: float) -> Pose:
        gait, head, spectrum = self._gait, self._head, self._gait.spectrum
        layout = spectrum.layout
        assert layout is not None
        dofs = self._dofs = spectrum.at(np.array(head.phase))
        rotations = layout.rotations(dofs)
        turns = rotations.tolist()
        upright = (math.cos(0.5 * head.yaw), 0.0, math.sin(0.5 * head.yaw), 0.0)
        root_turn = single.multiply(upright, tuple(turns[0]))
        rotations[0] = root_turn
        height = float(dofs[HEIGHT]) + gait.lift(head.phase)
        if self._legs is not None and self.feet == "anchored":
            head = self._head = self._anchor.settle(gait, head, self._legs, root_turn, turns, dt)
        root = (head.position[0], height, head.position[1])
        if self._legs is not None and self.feet == "held":
            left, right = self._legs
            stands = stand_of(left, root, root_turn, turns), stand_of(right, root, root_turn, turns)
            grips = self._locks.grips(gait, head, self._legs, stands, dt)
            aside = (math.cos(head.yaw), 0.0, -math.sin(head.yaw))
            for leg, stand, grip in zip(self._legs, stands, grips, strict=True):
                toes = single.NO_TURN if leg.toe_joint is None else tuple(turns[leg.toe_joint])
                for joint, turn in held(leg, stand, grip, aside, toes).items():
                    rotations[joint] = turn
        return Pose(self.skeleton, owned(np.array(root)), owned(rotations))


def _known_legs(skeleton: Skeleton) -> tuple[Leg, Leg]:
    try:
        return legs_of(skeleton)
    except MotionError as error:
        raise MotionError(f"{error}; or let the blended root lead: feet='velocity'") from None


def _shift(before: Gait, after: Gait, phase: float, dt: float) -> complex:
    """How the root moves, in its own heading, so that planted feet stay when one gait gives way to another.

    It never goes faster than ``YIELD`` for that; what is left the legs take until the feet leave the ground.
    """
    bearing = after.bearing(phase)
    total = float(bearing.sum())
    if total < 1e-6 or dt <= 0.0:
        return 0j
    wanted = complex(bearing @ (before.feet(phase) - after.feet(phase))) / max(total, 1.0)
    return wanted / math.hypot(1.0, abs(wanted) / (YIELD * dt))
