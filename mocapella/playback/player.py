"""A character that plays whatever motion its blending point asks for."""

from __future__ import annotations

import cmath
import math

from mocapella.blending.network import Network
from mocapella.checks import finite_number, finite_numbers, real_or_nan, shown
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.hybrid.network import Arc, HybridNetwork
from mocapella.motion.pose import Pose
from mocapella.motion.rates import STANDING
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, why_unplayable
from mocapella.playback.modes import Entry, State, Transit
from mocapella.playback.motion_on_ground import Playhead
from mocapella.playback.own_time import Chorus
from mocapella.playback.pointer import Blender, Coordinates, Point, Pointer
from mocapella.playback.state import Snapshot
from mocapella.playback.step import Feet, Footwork, Performance


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
        if not isinstance(network, Blender | Spectrum | HybridNetwork):
            raise MotionError(f"a player plays a network, a hybrid network or a spectrum, got {network!r}")
        if isinstance(network, Spectrum) and (unplayable := why_unplayable(network)):
            raise MotionError(f"what is played {unplayable}")
        place = finite_numbers(position, "expected a position (x, z), two numbers of metres")
        if len(place) != 2:
            raise MotionError(f"expected a position (x, z), two numbers of metres; got {position!r}")
        start = Playhead(
            finite_number(phase, "a phase to begin at, a number") % TURN,
            place,
            finite_number(heading, "a heading to begin with, radians"),
        )
        if not (real_or_nan(ease) >= 0.0 and real_or_nan(pace) > 0.0):
            raise MotionError(f"expected ease from 0 on and pace above 0, got {shown(ease)} and {shown(pace)}")
        joining = finite_number(join, "joins to take 0 seconds or more", least=0.0)
        self._network = network
        transit = _transit(network, block, mode)
        played = network if transit is None else transit.network
        assert not isinstance(played, HybridNetwork)
        pointer = Pointer(played, point, float(ease), float(pace))
        footwork = Footwork(feet, pointer.spectrum)
        chorus = Chorus.of(played, start.phase)
        self._playing = Performance(pointer, footwork, transit, chorus, start, joining)

    @property
    def network(self) -> Blender | Spectrum | HybridNetwork:
        """What it plays; set it to the same motions in other places, or with other triangles, while it plays.

        A network such as ``network.moved`` or ``network.flipped`` gives is answered as live as a blending point that
        moves; where much would change at once the blend glides there. Other motions are another player's: they would
        have to be brought in step first, which hybrid networks do.
        """
        return self._network

    @network.setter
    def network(self, network: Network) -> None:
        own = self._network
        if not (isinstance(own, Network) and isinstance(network, Network) and network.rearranges(own)):
            raise MotionError(
                "a player goes on with the same motions in other places, as network.moved has them; "
                f"got {shown(network)} for {own!r}"
            )
        self._playing.rearrange(network)
        self._network = network

    @property
    def skeleton(self) -> Skeleton:
        """Whose poses it gives."""
        return self._playing.footwork.skeleton

    @property
    def feet(self) -> Feet:
        """How it stands."""
        return self._playing.footwork.feet

    @property
    def join(self) -> float:
        """Seconds in which a blend and a captured change go over into each other."""
        return self._playing.join

    @property
    def point(self) -> Point:
        """Where the blending point is; set it to send it somewhere else, which begins with the next step.

        A network that clamps takes what lies outside axis by axis into the range of its nodes, then to the nearest
        place of its outline. What a network that extrapolates cannot blend is refused.

        In a hybrid network it stays in what is open, and is not to be moved while a change is waited for or played, nor
        on its way to a node that it was called to.
        """
        return self._playing.pointer.point if self._transit is None else self._playing.pointer.known_place.point

    @point.setter
    def point(self, point: Coordinates) -> None:
        goal, transit = self._playing.pointer.checked(point), self._transit
        if transit is None or (transit.state == "network" and transit.wanted is None):
            self._playing.pointer.send(goal)

    @property
    def goal(self) -> Point:
        """Where the blending point was sent."""
        return self._playing.pointer.eased.goal

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
            self._playing.pointer.release(self.point)
        if transit.state == "network":
            self._playing.pointer.open(transit.network)
            self._playing.take_up(self._playing.pointer.spectrum)

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
        return self._playing.time

    @property
    def phase(self) -> float:
        """How far into the cycle the character is, 0 … 2π; during a change, where the next cycle will begin."""
        playing = self._playing
        return self._transit.transition.arrive_phase if self._transit and playing.changing else playing.head.phase

    @property
    def heading(self) -> float:
        """Which way it faces, radians, left positive, running on beyond a full turn."""
        return self._playing.heading

    @property
    def position(self) -> tuple[float, float]:
        """Where its root is on the ground (x, z), metres."""
        return self._playing.position

    @property
    def centre(self) -> tuple[float, float]:
        """Its position without the sway of the steps (x, z), metres; during a change with it."""
        head, gait = self._playing.head, self._playing.gait
        if self._playing.changing:
            return head.position
        yaw, _ = gait.way(head.phase)
        place = head.place - cmath.exp(1j * (head.yaw - yaw)) * gait.sway(head.phase)[1]
        return place.imag, place.real

    @property
    def course(self) -> float:
        """Which way it goes, without the swing of the steps, radians; a character may go another way than it faces.

        Who hardly gets anywhere, as in a turn on the spot, goes the way he faces.
        """
        head, gait = self._playing.head, self._playing.gait
        if self._playing.changing:
            return head.yaw
        # The evenly turning frame is laid through cycle phase 0, where the heading is off the even one by its swing.
        going = gait.velocity * cmath.exp(1j * gait.sway(0.0)[0])
        drift = cmath.phase(going + max(0.0, STANDING - abs(going)))
        return head.yaw - gait.sway(head.phase)[0] + drift

    @property
    def speed(self) -> float:
        """How fast its motion goes, mean of a cycle, m/s."""
        return abs(self._playing.gait.velocity)

    @property
    def spectrum(self) -> Spectrum:
        """The motion being played."""
        return self._playing.gait.spectrum

    @property
    def planted(self) -> tuple[bool, bool, bool, bool]:
        """Which of ``FOOT_POINTS`` rest at this moment."""
        playing = self._playing
        return playing.footwork.resting(playing.carriage.base, playing.head.phase)

    def step(self, dt: float | int) -> Pose:
        """Move on by ``dt`` seconds and give the pose; 0 gives the present one.

        Raises
        ------
        MotionError
            For a negative time or one that is no number; the player stays as it was.
        """
        seconds = real_or_nan(dt)
        if not 0.0 <= seconds < math.inf:
            raise MotionError(f"time goes forward, by one number: expected seconds from 0 on, got {shown(dt)}")
        return self._playing.step(seconds)

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

    def trigger(self, arc: str, *, times: float | int = 1, anywhere: bool = False) -> None:
        """Take an arc: the blending point travels to its node, and the change is played when its moment comes.

        Parameters
        ----------
        arc
            By name; it must be open in the present mode and begin in the present block.
        times
            How often what can be repeated of the change is played, a whole number.
        anywhere
            Do not travel: leave from where the point is, with a longer join.

        Raises
        ------
        MotionError
            Where the arc cannot be taken now; the player stays as it was.
        """
        transit = self._hybrid
        wanted = transit.open_arc(arc, times)
        transit.times = int(times)
        if anywhere:
            self._playing.wait_for(wanted)
        else:
            transit.wanted = wanted
            self._playing.pointer.call(transit.network.node(wanted.source.node).at)

    def snapshot(self) -> Snapshot:
        """All that it is in the middle of, as plain data; what it plays is not part of it."""
        return Snapshot.of(self._playing)

    @classmethod
    def resumed(cls, network: Blender | Spectrum | HybridNetwork, snapshot: Snapshot) -> Player:
        """A player that goes on where another one was, with the very same frames.

        Raises
        ------
        MotionError
            Where the snapshot belongs to another network.
        """
        state = snapshot.transit
        if (state is None) == isinstance(network, HybridNetwork):
            there, here = ("a plain", "hybrid") if state is None else ("a hybrid", "plain")
            raise MotionError(f"this is the snapshot of {there} network's player, and the network is {here}")
        block, mode = (None, None) if state is None else (state.block, state.mode)
        player = cls(network, snapshot.pointer.point, block=block, mode=mode, feet=snapshot.feet, join=snapshot.join)
        snapshot.put_into(player._playing)
        return player

    @property
    def _transit(self) -> Transit | None:
        return self._playing.transit

    @property
    def _hybrid(self) -> Transit:
        if self._transit is None:
            raise MotionError("this network has no modes, arcs and keys; only a hybrid network has")
        return self._transit


def _transit(network: object, block: str | None, mode: str | None) -> Transit | None:
    """Where a player of a hybrid network begins; None elsewhere."""
    if not isinstance(network, HybridNetwork):
        if block is not None or mode is not None:
            raise MotionError("only a hybrid network has blocks and modes to begin in")
        return None
    first = next(iter(network.blocks)) if block is None else block
    network.block(first)
    return Transit(network, first, network.modes[0].name if mode is None else network.mode(mode).name)
