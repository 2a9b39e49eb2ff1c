"""A character that plays whatever motion its blending point asks for."""

from __future__ import annotations

import cmath
import math
import warnings
from dataclasses import replace
from typing import Literal

import numpy as np

from mocapella.arrays import owned
from mocapella.blending.hybrid import Arc, HybridNetwork
from mocapella.blending.transition import Transition
from mocapella.errors import MotionError, MotionWarning
from mocapella.motion.layout import HEIGHT, N_ROOT_DOFS
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback import single
from mocapella.playback.anchor import Anchor
from mocapella.playback.carriage import Carriage
from mocapella.playback.chorus import Chorus, Over
from mocapella.playback.easing import Coordinates, Point
from mocapella.playback.footed_passage import passage_of
from mocapella.playback.footfalls import Footfalls
from mocapella.playback.footlock import held, stand_of
from mocapella.playback.gait import Gait, dofs_at
from mocapella.playback.legs import Leg, LegDofs, legs_of
from mocapella.playback.locks import Locks
from mocapella.playback.passage import Passage
from mocapella.playback.playhead import Playhead
from mocapella.playback.pointer import Blender, Pointer
from mocapella.playback.single import Quaternion
from mocapella.playback.snapshot import CarriageState, FeetState, PointerState, Snapshot, TransitState
from mocapella.playback.stride import footed_gait, rooted_gait
from mocapella.playback.transit import Entry, State, Transit

Feet = Literal["held", "anchored", "velocity"]
YIELD = 0.8  # m/s, by which the root makes way for planted feet while the motion changes
FAR_JOIN = 0.4  # seconds, in which a motion that is not the change's own goes over into it
AGILITY, RISE = 4.0, 0.6  # radians and metres per second by which joints and root may change with the blending point
FEET_MODES: tuple[Feet, ...] = ("held", "anchored", "velocity")


class Player:
    """One character in time: set its blending point, step it on, and take the poses.

    Parameters
    ----------
    network
        What is played; a single spectrum is a network of one place. In a hybrid network changes of motion are played
        as well.
    point
        Where the blending point starts.
    block, mode
        Of a hybrid network: the block to start in and the operating mode, by name; the first ones if left out.
    feet
        ``"held"``: the feet drive the body, and legs bend so that no planted foot slides. ``"anchored"``: the body
        moves so that one planted foot stays put, and nothing else is touched, as in the papers. ``"velocity"``: the
        blended velocity of the root alone; feet may slide.
    ease
        Seconds in which the blending point goes nine tenths of the way to where it is sent; 0 lets it jump.
    pace
        The most it moves per second, in units of the plane.
    join
        Seconds in which a blend and a captured change go over into each other; 0 joins them bare, as in the papers.
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
        network: Blender | Spectrum | HybridNetwork,
        point: Coordinates = (0.0, 0.0),
        *,
        block: str | None = None,
        mode: str | None = None,
        feet: Feet = "held",
        ease: float | int = 0.3,
        pace: float | int = math.inf,
        join: float | int = 0.25,
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
        if not (math.isfinite(join) and join >= 0.0):
            raise MotionError(f"expected joins to take 0 seconds or more, got {join}")
        self.network = network
        self.feet: Feet = feet
        self.join = float(join)
        self._transit = _transit(network, block, mode)
        self._time = 0.0
        played = network if self._transit is None else self._transit.network
        assert not isinstance(played, HybridNetwork)
        self._pointer = Pointer(played, point, float(ease), float(pace))
        spectrum = self._pointer.spectrum
        if spectrum.layout is None:
            raise MotionError("these harmonics carry no layout, so they make no pose")
        self.skeleton: Skeleton = spectrum.layout.skeleton
        self._legs = None if feet == "velocity" else _known_legs(self.skeleton)
        if self._legs is not None and spectrum.contacts is None:
            text = "this motion knows no foot plants, so nothing keeps its feet from sliding"
            warnings.warn(text, MotionWarning, stacklevel=2)
        self._leg_dofs = None if self._legs is None else LegDofs.of(spectrum.layout, self._legs)
        if self._transit is not None:  # what it may come to is made now, so that no step has to wait for it
            self._transit.hybrid.made_ready()
            for arc in self._transit.hybrid.arcs:
                for version in arc.versions:
                    self._passage(version.transition)
        self._chorus = Chorus.of(network, float(phase))
        self._gait = self._gait_of(spectrum)
        start = Playhead(float(phase) % (2.0 * math.pi), (float(position[0]), float(position[1])), float(heading))
        self._over = self._laid_over()
        if self._over is not None:  # what is laid over is part of where it begins
            yaw = start.yaw - self._over.yaw
            x, z = self._swayed(Playhead(yaw=yaw), self._over)
            start = Playhead(start.phase, (start.position[0] - x, start.position[1] - z), yaw)
        self._carriage = Carriage(self._gait, start, self._legs)
        self._dofs = self._gait.dofs(start.phase)  # what is played at this moment
        self._locks = Locks()
        self._anchor = Anchor()

    @property
    def point(self) -> Point:
        """Where the blending point is; set it to send it somewhere else, which begins with the next step.

        In a hybrid network it stays in what is open, and is not to be moved while a change is waited for or played, nor
        on its way to a node that it was called to.
        """
        return self._pointer.point if self._transit is None else self._pointer.known_place.point

    @point.setter
    def point(self, point: Coordinates) -> None:
        goal, transit = self._pointer.checked(point), self._transit
        if transit is None:
            self._pointer.send(goal)
        elif transit.state == "network" and transit.wanted is None:
            self._pointer.send(transit.network.place(goal, self._pointer.place).point)

    @property
    def goal(self) -> Point:
        """Where the blending point was sent."""
        return self._pointer.follower.goal

    @property
    def block(self) -> str:
        """The block of a hybrid network that it is in, or leaves; none, an empty name, elsewhere."""
        return "" if self._transit is None else self._transit.block

    @property
    def mode(self) -> str:
        """The operating mode of a hybrid network; set it by name to switch, at any time.

        A point that is not in what the new mode opens glides to the nearest place that is.
        """
        return "" if self._transit is None else self._transit.mode

    @mode.setter
    def mode(self, name: str) -> None:
        transit = self._hybrid
        mode = transit.hybrid.mode(name)
        if name == transit.mode:
            return
        transit.mode = name
        if transit.wanted is not None and transit.wanted.name not in mode.arcs:
            transit.wanted, transit.times = None, 1
            self._pointer.release(self.point)
        if transit.state == "network":
            self._pointer.open(transit.network)
            self._take_up(self._pointer.spectrum)

    @property
    def state(self) -> State:
        """``"network"``, ``"waiting"`` for the moment of a change, or ``"change"`` while one is played."""
        return "network" if self._transit is None else self._transit.state

    @property
    def hidden(self) -> bool:
        """Whether the blending point means nothing at the moment."""
        return self.state != "network"

    @property
    def states(self) -> tuple[Entry, ...]:
        """From when on, in seconds of its own time, it was in which state, by which arc."""
        return (Entry(0.0, "network"),) if self._transit is None else tuple(self._transit.log)

    @property
    def time(self) -> float:
        """Seconds that it has played."""
        return self._time

    @property
    def phase(self) -> float:
        """How far into the cycle the character is, 0 … 2π; during a change, where the next cycle will begin."""
        return self._transit.transition.arrive_phase if self._transit and self._changing else self._head.phase

    @property
    def heading(self) -> float:
        """Which way it faces, radians, left positive, running on beyond a full turn."""
        return self._head.yaw if self._over is None else self._head.yaw + self._over.yaw

    @property
    def position(self) -> tuple[float, float]:
        """Where its root is on the ground (x, z), metres."""
        return self._head.position if self._over is None else self._swayed(self._head, self._over)

    @property
    def centre(self) -> tuple[float, float]:
        """Its position without the sway of the steps (x, z), metres; during a change with it."""
        if self._changing:
            return self._head.position
        yaw, _ = self._gait.way(self._head.phase)
        place = self._head.place - cmath.exp(1j * (self._head.yaw - yaw)) * self._gait.sway(self._head.phase)[1]
        return place.imag, place.real

    @property
    def course(self) -> float:
        """Which way it goes, without the swing of the steps, radians; a character may go another way than it faces."""
        if self._changing:
            return self._head.yaw
        return self._head.yaw - self._gait.sway(self._head.phase)[0] + self._drift

    @property
    def speed(self) -> float:
        """How fast its motion goes, mean of a cycle, m/s."""
        return abs(self._gait.velocity)

    @property
    def _changing(self) -> bool:
        return self._carriage.base is not self._gait

    @property
    def _head(self) -> Playhead:
        return self._carriage.head

    def _swayed(self, head: Playhead, over: Over) -> tuple[float, float]:
        """The place of the root with what motions with their own time add; an anchor makes its own of them."""
        x, z = (0.0, 0.0) if self.feet == "anchored" else over.place(head.yaw)
        return head.position[0] + x, head.position[1] + z

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
        a, b, c, d = (
            any(plant.rests(phase) for plant in own) and self._locks.rests(point)
            for point, own in enumerate(self._carriage.base.plants)
        )
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
        span: float = 0.0  # since another motion took over, if one did
        left: float | None = float(dt)
        while left is not None:
            span, left = left, self._play_on(left) if self._changing else self._blend_on(left)
        return self._pose(span)

    def press(self, key: str) -> None:
        """What a key of a hybrid network does: switch to a mode, or take an arc as ``trigger`` does.

        Raises
        ------
        MotionError
            For a key that does nothing, or an arc that cannot be taken now; the player stays as it was.
        """
        meant = self._hybrid.key(key)
        if isinstance(meant, Arc):
            self.trigger(meant.name)
        else:
            self.mode = meant.name

    def trigger(self, arc: str, *, times: int = 1, anywhere: bool = False) -> None:
        """Take an arc: the blending point travels to its node, and the change is played when its moment comes.

        Parameters
        ----------
        arc
            By name; it must be open in the present mode and begin in the present block.
        times
            How often what can be repeated of the change is played.
        anywhere
            Do not travel: leave from where the point is, with a longer join.

        Raises
        ------
        MotionError
            Where the arc cannot be taken now; the player stays as it was.
        """
        transit = self._hybrid
        wanted = transit.open_arc(arc, times)
        transit.times = times
        if anywhere:
            self._wait_for(wanted)
        else:
            transit.wanted = wanted
            self._pointer.call(transit.network.node(wanted.source.node).at)

    def snapshot(self) -> Snapshot:
        """All that it is in the middle of, as plain data; what it plays is not part of it."""
        return Snapshot(
            self._time,
            self.feet,
            self.join,
            PointerState.of(self._pointer),
            CarriageState.of(self._carriage),
            FeetState.of(self._locks, self._anchor),
            None if self._transit is None else TransitState.of(self._transit),
            None if self._chorus is None else tuple(self._chorus.phases),
        )

    @classmethod
    def resumed(cls, network: Blender | Spectrum | HybridNetwork, snapshot: Snapshot) -> Player:
        """A player that goes on where another one was, with the very same frames.

        Raises
        ------
        MotionError
            Where the snapshot belongs to another network.
        """
        state, stored = snapshot.transit, snapshot.carriage.join
        if (state is None) == isinstance(network, HybridNetwork):
            there, here = ("a plain", "hybrid") if state is None else ("a hybrid", "plain")
            raise MotionError(f"this is the snapshot of {there} network's player, and the network is {here}")
        block, mode = (None, None) if state is None else (state.block, state.mode)
        player = cls(network, snapshot.pointer.point, block=block, mode=mode, feet=snapshot.feet, join=snapshot.join)
        if stored is not None and len(stored.turns) != player.skeleton.n_joints:
            raise MotionError(f"this is the snapshot of {len(stored.turns)} joints, not of {player.skeleton!r}")
        pointer, carriage = player._pointer, player._carriage
        player._time, player._locks, player._anchor = snapshot.time, snapshot.standing.locks, snapshot.standing.anchored
        if player._transit is not None and state is not None:
            state.put_into(player._transit)
            pointer.network = player._transit.network
        snapshot.pointer.put_into(pointer)
        player._take_up(pointer.spectrum)
        if player.state == "change":
            carriage.base = player._passage(player._hybrid.transition)
        snapshot.carriage.put_into(carriage)
        if player._chorus is not None:
            phases, expected = snapshot.voices or (), len(player._chorus.nodes)
            if len(phases) != expected:
                raise MotionError(f"this is the snapshot of {len(phases)} nodes with their own time, not of {expected}")
            player._chorus.phases = list(phases)
            player._over = player._laid_over()
        if not player._changing:
            player._dofs = player._gait.dofs(carriage.head.phase)
        return player

    def _laid_over(self) -> Over | None:
        """What motions with their own time add now; None where all keep step."""
        return None if self._chorus is None else self._chorus.over(self._pointer.known_place)

    def _passage(self, change: Transition) -> Passage:
        return passage_of(change.clip, change.contacts, self._legs is not None)

    @property
    def _hybrid(self) -> Transit:
        if self._transit is None:
            raise MotionError("this network has no modes, arcs and keys; only a hybrid network has")
        return self._transit

    def _wait_for(self, arc: Arc) -> None:
        self._hybrid.wait(arc, self._time)
        self._pointer.send(self._hybrid.network.node(arc.source.node).at)  # while it waits, what is left of the way

    def _blend_on(self, dt: float) -> float | None:
        """Play the blend on; where a change begins within ``dt`` seconds, what is left of them then."""
        if self._pointer.move(dt, lambda spectrum: self._bearable(spectrum, dt)):
            before = self._gait
            self._take_up(self._pointer.spectrum)
            shift = _shift(before, self._gait, self._head.phase, dt)
            self._carriage.head = self._head.moved(cmath.exp(1j * self._head.yaw) * shift)
        transit = self._transit
        if transit is not None:
            place = self._pointer.known_place
            arc = transit.set_off(place) if transit.state == "network" else None
            if arc is not None:
                self._wait_for(arc)
            if transit.state == "waiting":
                version, apart = transit.soonest(self._head.phase)
                wait = apart / self._gait.rate
                if wait <= dt:
                    self._advance(wait)
                    self._leave(version, wait)
                    return dt - wait
            if transit.released(place):
                self._pointer.swap(transit.network)
                self._take_up(self._pointer.spectrum)
        self._advance(dt)
        return None

    def _play_on(self, dt: float) -> float | None:
        """Play the change on; where it ends within ``dt`` seconds, what is left of them then."""
        transit, carriage = self._hybrid, self._carriage
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
        near = transit.weight(version.source.node, self._pointer.known_place) >= version.zone - 1e-6
        seconds = self.join if near else max(self.join, FAR_JOIN)
        self._go_over(self._passage(change), float(change.leave), seconds, dt)
        transit.begin(version, self._time)

    def _arrive(self, dt: float) -> None:
        """The change has been made in ``dt`` seconds: the block it leads to takes over, the point on its node."""
        transit = self._hybrid
        phase = transit.transition.arrive_phase
        node = transit.arrive(self._time)
        self._pointer.put_on(transit.network, node)
        spectrum, known = self._pointer.spectrum, self._gait.spectrum.layout
        if self._legs is not None and spectrum.layout is not None and spectrum.layout is not known:
            self._leg_dofs = LegDofs.of(spectrum.layout, self._legs)
        self._gait = self._gait_of(spectrum)
        self._go_over(self._gait, phase, self.join, dt)
        self._dofs = spectrum.at(np.array(phase))

    def _go_over(self, motion: Footfalls, phase: float, seconds: float, dt: float) -> None:
        """Another motion takes over, ``dt`` seconds after the last pose or since another one did."""
        carriage, legs = self._carriage, self._legs
        if legs is None or self.feet != "held" or seconds <= 0.0:
            carriage.go_over(motion, phase, seconds)
            return
        old = carriage.moments(legs)
        carriage.go_over(motion, phase, seconds)
        self._locks.hand_over(old, carriage.moments(legs), legs, dt, seconds)

    def _advance(self, dt: float) -> None:
        self._carriage.advance(dt)
        if self._chorus is not None:
            self._chorus.advance(dt)
        self._time += dt

    def _take_up(self, spectrum: Spectrum) -> None:
        """Blend this from now on."""
        self._gait = self._gait_of(spectrum)
        self._carriage.take_up(self._gait)

    def _clocked(self, spectrum: Spectrum) -> Spectrum:
        """What of a blend at the pointer's place is on the common clock."""
        return spectrum if self._chorus is None else self._chorus.without(spectrum, self._pointer.known_place)

    def _gait_of(self, blended: Spectrum) -> Gait:
        spectrum = self._clocked(blended)
        if self._leg_dofs is None:
            return rooted_gait(spectrum)
        return footed_gait(spectrum, self._leg_dofs)

    def _bearable(self, spectrum: Spectrum, dt: float) -> float:
        """Which share, 0 … 1, of a change of motion a body can make in ``dt`` seconds on top of moving."""
        apart = dofs_at(self._clocked(spectrum), self._head.phase) - self._dofs
        if self._over is not None and (over := self._laid_over()) is not None:
            apart += over.dofs - self._over.dofs
        turned = 2.0 * float(np.abs(apart[:-N_ROOT_DOFS]).max())
        most = max(turned / AGILITY, abs(float(apart[HEIGHT])) / RISE)
        return self._locks.give * (1.0 if most <= dt else dt / most)

    def _pose(self, dt: float) -> Pose:
        carriage, spectrum = self._carriage, self._gait.spectrum
        way, head = carriage.way, carriage.head
        if self._changing:
            rotations, height = carriage.posture
        else:
            layout = spectrum.layout
            assert layout is not None
            dofs = self._dofs = self._gait.dofs(head.phase)
            over = self._over = self._laid_over()
            if over is not None:
                dofs = dofs + over.dofs
            rotations, height = carriage.displaced(
                (layout.rotations(dofs), float(dofs[HEIGHT]) + self._gait.lift(head.phase))
            )
        turns = rotations.tolist()
        heading = self.heading
        upright = (math.cos(0.5 * heading), 0.0, math.sin(0.5 * heading), 0.0)
        root_turn = single.multiply(upright, tuple(turns[0]))
        rotations[0] = root_turn
        if self._legs is not None and self.feet == "anchored":
            head = carriage.head = self._anchor.settle(way, head, self._legs, root_turn, turns, dt)
        x, z = self.position
        root = (x, height, z)
        if self._legs is not None and self.feet == "held":
            left, right = self._legs
            stands = stand_of(left, root, root_turn, turns), stand_of(right, root, root_turn, turns)
            grips = self._locks.grips(way, head, self._legs, stands, dt)
            aside = (math.cos(heading), 0.0, -math.sin(heading))
            bent: dict[int, Quaternion] = {}
            for leg, stand, grip in zip(self._legs, stands, grips, strict=True):
                toes = single.NO_TURN if leg.toe_joint is None else tuple(turns[leg.toe_joint])
                bent |= held(leg, stand, grip, aside, toes)
            if bent:
                rotations[list(bent)] = list(bent.values())
        return Pose(self.skeleton, owned(np.array(root)), owned(rotations))


def _transit(network: object, block: str | None, mode: str | None) -> Transit | None:
    """Where a player of a hybrid network begins; None elsewhere."""
    if not isinstance(network, HybridNetwork):
        if block is not None or mode is not None:
            raise MotionError("only a hybrid network has blocks and modes to begin in")
        return None
    first = next(iter(network.blocks)) if block is None else block
    network.block(first)
    return Transit(network, first, network.modes[0].name if mode is None else network.mode(mode).name)


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
    pairs = zip(bearing.tolist(), before.feet(phase), after.feet(phase), strict=True)
    wanted: complex = sum((share * (old - new) for share, old, new in pairs), 0j) / max(total, 1.0)
    return wanted / math.hypot(1.0, abs(wanted) / (YIELD * dt))
