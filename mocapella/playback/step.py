"""One step in time: what a character performs, and what its feet do."""

from __future__ import annotations

import cmath
import math
import warnings
from dataclasses import replace
from typing import Literal

import numpy as np

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.errors import MotionError, MotionWarning
from mocapella.geometry import scalar
from mocapella.hybrid.network import Arc
from mocapella.hybrid.transition import Transition
from mocapella.motion.layout import HEIGHT, N_ROOT_DOFS
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.capture import Passage, passage_of
from mocapella.playback.feet.anchor import Anchor
from mocapella.playback.feet.locks import Locks
from mocapella.playback.feet.reach import held, stand_of
from mocapella.playback.gaits import footed_gait, rooted_gait
from mocapella.playback.handover import Carriage
from mocapella.playback.modes import Transit
from mocapella.playback.motion_on_ground import Footfalls, Gait, Playhead, Posture, dofs_at
from mocapella.playback.own_time import Chorus, Over, Voiced
from mocapella.playback.pointer import Pointer
from mocapella.rig.legs import Leg, leg_dofs, legs_of

# What the feet of one character do: they drive the body, and stay where they stand.

Feet = Literal["held", "anchored", "velocity"]
FEET_MODES: tuple[Feet, ...] = ("held", "anchored", "velocity")


class Footwork:
    """How one character stands, and where its feet are held at the moment.

    Parameters
    ----------
    feet
        ``"held"``: planted feet drive the body, and legs bend so that none slides. ``"anchored"``: the body moves so
        that one of them stays put. ``"velocity"``: nobody looks after them.
    motion
        What it begins with.

    Raises
    ------
    MotionError
        For motion without a layout, or a skeleton without legs where feet are looked after.
    """

    def __init__(self, feet: Feet, motion: Spectrum) -> None:
        if feet not in FEET_MODES:
            raise MotionError(f"no way of standing {feet!r}; there are {', '.join(FEET_MODES)}")
        if motion.layout is None:
            raise MotionError("these harmonics carry no layout, so they make no pose")
        self.feet: Feet = feet
        self.skeleton: Skeleton = motion.layout.skeleton
        self.legs = None if feet == "velocity" else _known_legs(self.skeleton)
        self.locks = Locks()
        self.anchor = Anchor()
        if self.legs is not None and motion.contacts is None:
            text = "this motion knows no foot plants, so nothing keeps its feet from sliding"
            warnings.warn(text, MotionWarning, stacklevel=3)  # of who made the player

    def gait(self, spectrum: Spectrum) -> Gait:
        """The way of a blend over the ground."""
        layout = spectrum.layout  # of a block that may be written in other dofs than the last
        if self.legs is None or layout is None:
            return rooted_gait(spectrum)
        return footed_gait(spectrum, leg_dofs(layout))

    def make_ready(self, spectrum: Spectrum) -> None:
        """Work out now what gaits of motions like this one will need."""
        if self.legs is not None and spectrum.layout is not None:
            leg_dofs(spectrum.layout)

    def passage(self, change: Transition) -> Passage:
        """The way of a captured change over the ground; feet that are held do not bear the tremor of a capture."""
        footed = self.legs is not None
        return passage_of(change.steady if footed else change.clip, change.contacts, footed)

    def resting(self, way: Footfalls, phase: float) -> tuple[bool, bool, bool, bool]:
        """Which of ``FOOT_POINTS`` rest at a phase of what carries the body now."""
        a, b, c, d = (
            any(plant.rests(phase) for plant in own) and self.locks.rests(point) for point, own in enumerate(way.plants)
        )
        return a, b, c, d

    def go_over(self, carriage: Carriage, motion: Footfalls, phase: float, seconds: float, dt: float) -> None:
        """Another motion takes over, ``dt`` seconds after the last pose or since another one did."""
        legs = self.legs
        if legs is None or self.feet != "held" or seconds <= 0.0:
            carriage.go_over(motion, phase, seconds)
            return
        old = carriage.moments(legs)
        carriage.go_over(motion, phase, seconds)
        self.locks.hand_over(old, carriage.moments(legs), legs, dt, seconds)

    def pose(self, carriage: Carriage, posture: Posture, heading: float, sway: tuple[float, float], dt: float) -> Pose:
        """The pose with its feet where they stand, ``dt`` seconds after the last one.

        An anchored body is moved for that; for one that holds its feet the legs bend, and the posture is changed.
        ``sway`` (x, z; metres) is what lies over the way of the root.
        """
        rotations, height = posture
        turns = rotations.tolist()
        upright = (math.cos(0.5 * heading), 0.0, math.sin(0.5 * heading), 0.0)
        root_turn = scalar.multiply(upright, tuple(turns[0]))
        rotations[0] = root_turn
        if self.legs is not None and self.feet == "anchored":
            carriage.head = self.anchor.settle(carriage.way, carriage.head, self.legs, root_turn, turns, dt)
        x, z = carriage.head.position
        root = (x + sway[0], height, z + sway[1])
        if self.legs is not None and self.feet == "held":
            left, right = self.legs
            stands = stand_of(left, root, root_turn, turns), stand_of(right, root, root_turn, turns)
            grips = self.locks.grips(carriage.way, carriage.head, self.legs, stands, dt)
            aside = (math.cos(heading), 0.0, -math.sin(heading))
            for foot, (leg, stand, grip) in enumerate(zip(self.legs, stands, grips, strict=True)):
                toes = scalar.NO_TURN if leg.toe_joint is None else tuple(turns[leg.toe_joint])
                bent, high = held(leg, stand, grip, aside, toes)
                self.locks.notice(foot, high)
                for joint, turn in bent.items():
                    rotations[joint] = turn  # one by one: a list of joints would take twice as long
        return Pose.sound(self.skeleton, owned(np.array(root)), owned(rotations))


def _known_legs(skeleton: Skeleton) -> tuple[Leg, Leg]:
    try:
        return legs_of(skeleton)
    except MotionError as error:
        text = f"{error}; or let the blended root lead: feet='velocity'"
        raise MotionError(text, option=error.option) from None


# What one character is doing: a blend or a captured change carries it, and one gives way to the other.

YIELD = 0.8  # m/s, by which the root makes way for planted feet while the motion changes
FAR_JOIN = 0.4  # seconds, in which a motion that is not the change's own goes over into it
_FRAME = 1.0 / 60.0  # seconds in which a body makes way for what changes between two steps
AGILITY, RISE = 4.0, 0.6  # radians and metres per second by which joints and root may change with the blending point


class Performance:
    """The parts of a player at work together, all of its state among them.

    Parameters
    ----------
    pointer
        The blending point, and what it asks for.
    footwork
        How feet are looked after.
    transit
        Where it is in a hybrid network; None elsewhere.
    chorus
        The motions with their own time, if there are any.
    start
        Where it begins, with what these add.
    join
        Seconds in which a blend and a captured change go over into each other.
    """

    def __init__(
        self,
        pointer: Pointer,
        footwork: Footwork,
        transit: Transit | None,
        chorus: Chorus | None,
        start: Playhead,
        join: float,
    ) -> None:
        self.pointer, self.footwork, self.transit, self.chorus, self.join = pointer, footwork, transit, chorus, join
        self.time = 0.0
        self.gait = self._gait_of(pointer.spectrum)
        self.over = self._laid_over()
        if self.over is not None:
            start = replace(start, yaw=start.yaw - self.over.yaw)
            x, z = self._sway(start)
            start = replace(start, position=(start.position[0] - x, start.position[1] - z))
        self.carriage = Carriage(self.gait, start, footwork.legs)
        self.dofs = self.gait.dofs(start.phase)  # of the blend, at this moment
        if transit is not None:  # what it may come to is made now, so that no step has to wait for it
            for network in transit.hybrid.made_ready().networks:
                footwork.make_ready(network.blend(network.nodes[0].at))
            for arc in transit.hybrid.arcs:
                for version in arc.versions:
                    footwork.passage(version.transition)

    @property
    def changing(self) -> bool:
        """Whether a captured change is being played."""
        return self.carriage.base is not self.gait

    @property
    def head(self) -> Playhead:
        """Where it is in its cycle or its change, and where it stands without what is laid over."""
        return self.carriage.head

    @property
    def heading(self) -> float:
        """Which way it faces."""
        return self.head.yaw if self.over is None else self.head.yaw + self.over.yaw

    @property
    def position(self) -> tuple[float, float]:
        """Where its root is on the ground (x, z)."""
        x, z = self._sway(self.head)
        return self.head.position[0] + x, self.head.position[1] + z

    def step(self, dt: float) -> Pose:
        """Move on by ``dt`` seconds."""
        span: float = 0.0  # since another motion took over, if one did
        left: float | None = dt
        while left is not None:
            span, left = left, self._play_on(left) if self.changing else self._blend_on(left)
        return self._pose(span)

    def take_up(self, spectrum: Spectrum) -> None:
        """Blend this from now on."""
        if self.chorus is not None:
            self.chorus = self.chorus.in_network(self.pointer.known)
        self.gait = self._gait_of(spectrum)
        self.carriage.take_up(self.gait)

    def rearrange(self, network: Network) -> None:
        """Play the same motions from other places, or joined otherwise, from now on; what that changes much glides."""
        before = self.pointer.known_place
        self.pointer.rearrange(network)
        if self._load(self.pointer.spectrum, _FRAME) > 1.0:
            self.pointer.glide_from(before)
        self._change_gait(_FRAME)

    def wait_for(self, arc: Arc) -> None:
        """Take an arc as soon as its moment comes."""
        transit = self._hybrid
        transit.wait(arc, self.time)
        self.pointer.send(transit.network.node(arc.source.node).at)  # while it waits, what is left of the way

    def recall(self) -> None:
        """Work out again what follows from the parts, after they were put into another state."""
        self.over = None if self.changing else self._laid_over()
        if not self.changing:
            self.dofs = self.gait.dofs(self.head.phase)

    @property
    def _hybrid(self) -> Transit:
        assert self.transit is not None
        return self.transit

    def _sway(self, head: Playhead) -> tuple[float, float]:
        """What motions with their own time add to the place of the root; an anchor makes its own of them."""
        over = self.over
        return (0.0, 0.0) if over is None or self.footwork.feet == "anchored" else over.place(head.yaw)

    def _laid_over(self) -> Over | None:
        """What motions with their own time add now; None where all keep step."""
        return None if self.chorus is None else self.chorus.over(self.pointer.known_place)

    def _clocked(self, spectrum: Spectrum) -> Spectrum:
        """What of a blend at the pointer's place is on the common clock."""
        return spectrum if self.chorus is None else self.chorus.without(spectrum, self.pointer.known_place)

    @property
    def _clock(self) -> tuple[float, float]:
        """By what the moment of a change is told: the phase of its source, radians, and how fast that runs."""
        transit, own = self._hybrid, None
        if self.chorus is not None and transit.arc is not None:
            own = self.chorus.clock(transit.network.index(transit.arc.source.node))
        return (self.head.phase, self.gait.rate) if own is None else own

    def _voiced(self, phase: float) -> Voiced:
        """The blend with all that is laid over it, at a phase."""
        assert self.chorus is not None
        return Voiced(self.gait, self.chorus, self.pointer.known_place, phase)

    def _displaced(self, sign: float) -> Playhead:
        """Where it stands with what is laid over the blend, or taken off it."""
        assert self.over is not None
        base = replace(self.head, yaw=self.head.yaw + min(sign, 0.0) * self.over.yaw)
        x, z = self._sway(base)
        place = base.position[0] + sign * x, base.position[1] + sign * z
        return replace(base, position=place, yaw=base.yaw + max(sign, 0.0) * self.over.yaw)

    def _gait_of(self, blended: Spectrum) -> Gait:
        return self.footwork.gait(self._clocked(blended))

    def _blend_on(self, dt: float) -> float | None:
        """Play the blend on; where a change begins within ``dt`` seconds, what is left of them then."""
        if self.pointer.move(dt, self.footwork.locks.give, lambda spectrum: self._load(spectrum, dt)):
            self._change_gait(dt)
        transit = self.transit
        if transit is not None:
            place = self.pointer.known_place
            arc = transit.set_off(place) if transit.state == "network" else None
            if arc is not None:
                self.wait_for(arc)
            if transit.state == "waiting":
                phase, rate = self._clock
                version, apart = transit.soonest(phase)
                wait = apart / rate
                if wait <= dt:
                    self._advance(wait)
                    self._leave(version, wait)
                    return dt - wait
            if transit.released(place):
                self.pointer.swap(transit.network)
                self.take_up(self.pointer.spectrum)
        self._advance(dt)
        return None

    def _change_gait(self, dt: float) -> None:
        """Blend what the pointer asks for, ``dt`` seconds after what it asked for before."""
        before = self.gait
        self.take_up(self.pointer.spectrum)
        shift = _shift(before, self.gait, self.head.phase, dt)
        self.carriage.owed += cmath.exp(1j * self.head.yaw) * shift

    def _play_on(self, dt: float) -> float | None:
        """Play the change on; where it ends within ``dt`` seconds, what is left of them then."""
        transit, carriage = self._hybrid, self.carriage
        end = float(transit.stretch_end())
        left = max(end - carriage.head.phase, 0.0) / carriage.base.rate
        if dt < left:
            self._advance(dt)
            return None
        self._advance(left)
        carriage.head = replace(carriage.head, phase=end)
        back = transit.again()
        if back is None:
            self._arrive(left)
        else:
            self._go_over(carriage.base, float(back), self.join, left)
        return dt - left

    def _leave(self, version: Arc, dt: float) -> None:
        """The change begins, with the frame that the cycle has come by in ``dt`` seconds."""
        transit, change = self._hybrid, version.transition
        near = transit.weight(version.source.node, self.pointer.known_place) >= version.zone - 1e-6
        seconds = self.join if near else max(self.join, FAR_JOIN)
        self.over = self._laid_over()
        if self.over is not None:  # what was laid over the blend goes over with it
            self.carriage.take_up(self._voiced(self.head.phase))
            self.carriage.head = self._displaced(1.0)
            self.over = None
        self._go_over(self.footwork.passage(change), float(change.leave), seconds, dt)
        transit.begin(version, self.time)

    def _arrive(self, dt: float) -> None:
        """The change has been made in ``dt`` seconds: the block it leads to takes over, the point on its node."""
        transit = self._hybrid
        phase = transit.transition.arrive_phase
        node = transit.arrive(self.time)
        self.pointer.put_on(transit.network, node)
        self.chorus = Chorus.of(transit.network, phase)
        self.gait = self._gait_of(self.pointer.spectrum)
        self.over = self._laid_over()
        self._go_over(self.gait if self.over is None else self._voiced(phase), phase, self.join, dt)
        if self.over is not None:
            self.carriage.head = self._displaced(-1.0)
            self.carriage.take_up(self.gait)
        self.dofs = self._clocked(self.pointer.spectrum).at(np.array(phase))

    def _go_over(self, motion: Footfalls, phase: float, seconds: float, dt: float) -> None:
        self.footwork.go_over(self.carriage, motion, phase, seconds, dt)

    def _advance(self, dt: float) -> None:
        self.carriage.advance(dt)
        if self.chorus is not None:
            self.chorus.advance(dt)
        self.time += dt

    def _load(self, spectrum: Spectrum, dt: float) -> float:
        """How many times more a change of motion is than a body can make in ``dt`` seconds on top of moving."""
        apart = dofs_at(self._clocked(spectrum), self.head.phase) - self.dofs
        if self.over is not None and (over := self._laid_over()) is not None:
            apart += over.dofs - self.over.dofs
        turned = 2.0 * float(np.maximum.reduce(np.abs(apart[:-N_ROOT_DOFS])))
        most = max(turned / AGILITY, abs(float(apart[HEIGHT])) / RISE)
        return most / max(dt, 1e-9)

    def _pose(self, dt: float) -> Pose:
        carriage, gait = self.carriage, self.gait
        if self.changing:
            posture = carriage.posture
        else:
            layout, phase = gait.spectrum.layout, carriage.head.phase
            assert layout is not None
            dofs = self.dofs = gait.dofs(phase)
            over = self.over = self._laid_over()
            if over is not None:
                dofs = dofs + over.dofs
            posture = carriage.displaced((layout.rotations(dofs), float(dofs[HEIGHT]) + gait.lift(phase)))
        return self.footwork.pose(carriage, posture, self.heading, self._sway(carriage.head), dt)


def _shift(before: Gait, after: Gait, phase: float, dt: float) -> complex:
    """How the root moves, in its own heading, so that planted feet stay when one gait gives way to another.

    It never goes faster than ``YIELD`` for that; what is left the legs take until the feet leave the ground.
    """
    bearing = after.bearing(phase)
    total = sum(bearing)
    if total < 1e-6 or dt <= 0.0:
        return 0j
    wanted: complex = 0j
    for share, old, new in zip(bearing, before.feet(phase), after.feet(phase), strict=True):
        wanted += share * (old - new)
    wanted /= max(total, 1.0)
    return wanted / math.hypot(1.0, abs(wanted) / (YIELD * dt))
