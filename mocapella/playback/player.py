"""A character that plays the blend at its blending point."""

from __future__ import annotations

import cmath
import difflib
import math

from msgspec.structs import replace

from mocapella.blending.network import Network
from mocapella.checks import explained, finite_number, finite_numbers, real_or_nan, shown
from mocapella.errors import MotionError
from mocapella.gait.cycle_on_ground import CycleOnGround
from mocapella.geometry.angles import TURN
from mocapella.hybrid.hybrid_network import Arc, HybridNetwork
from mocapella.inline import ShownInline
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, why_unplayable
from mocapella.playback.adjusting import AdjustableSettings
from mocapella.playback.blend import (
    blend_of,
    changing,
    exchanged,
    open_network,
    own_offset,
    rearranged,
    sway,
)
from mocapella.playback.modes import Entry, HybridState, State, meant_by, network_of, open_arc, version_of
from mocapella.playback.native.native_character import Engine, NativeCharacter, character_for
from mocapella.playback.own_time import OwnTimeOffset
from mocapella.playback.playhead import Playhead
from mocapella.playback.pointer import Blended, Blender, Coordinates, Point, checked_goal, checked_point, open_in
from mocapella.playback.settings import (
    FEET_MODES,
    Feet,
    PlayerSettings,
    checked_count,
    checked_ease,
    checked_join,
    checked_pace,
)
from mocapella.playback.start import first_block, refuse_other_network, start_state
from mocapella.playback.state import Snapshot
from mocapella.playback.step import step, wait_for


@explained
class Player(AdjustableSettings, ShownInline):
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
        Seconds in which the blending point covers 90 % of the way to its goal; 0 lets it jump.
    pace
        The largest speed of the blending point, in units of the plane per second; not limited if left out.
    join
        Seconds of the crossover between a blend and a captured change; 0 cuts from one to the other, as in the papers.
    harmonics
        How many harmonics of the motion are played; None plays all. Fewer make a smoother motion with less detail.
    engine
        What makes the steps: ``"native"``, the compiled core (extra ``fast``), or ``"numpy"``, ten times slower and the
        same to 1e-9. None takes what ``$MOCAPELLA_ENGINE`` says, else the core where it is installed and plays this.
    phase, position, heading
        Where to begin: cycle phase (radians), place on the ground (x, z; metres) and direction of travel (radians, left
        positive). The hips swing about that direction with every step. Side steps and backward walks face that way on
        average.

    Raises
    ------
    MotionError
        For a point, time or place that is no number, motion without a layout, or an engine that cannot play it.

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

    __slots__ = ("__weakref__",)

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
        harmonics: int | None = None,
        engine: Engine | None = None,
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
        if feet not in FEET_MODES:
            raise MotionError(f"no way of standing {feet!r}; there are {', '.join(FEET_MODES)}")
        self._settings = PlayerSettings(
            feet=feet,
            ease=checked_ease(ease),
            pace=checked_pace(pace),
            join=checked_join(join),
            harmonics=checked_count(harmonics),
        )
        self._network, self._character = network, None
        self._state = start_state(network, self._settings, point, start, first_block(network, block, mode))
        self._character = character_for(network, self._settings, engine)

    def __setattr__(self, name: str, value: object) -> None:
        if type(self) is Player and not hasattr(Player, name):  # a subclass may have more
            known = [one for one in dir(Player) if one[0] != "_" and isinstance(getattr(Player, one), property)]
            near = difflib.get_close_matches(name, known, n=1)
            helps = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
            raise AttributeError(f"a player has no {name!r}{helps}", name=name, obj=self)
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        place = ", ".join(f"{value:.4g}" for value in self.point)
        return f"Player({self._network!r}, at point ({place}), {self.time:.2f} s played)"

    @property
    def network(self) -> Blender | Spectrum | HybridNetwork:
        """The network being played; can be set to one of the same nodes at other places or with other triangles.

        Networks from ``network.moved`` or ``network.flipped`` take effect as a moved blending point does; a large
        change is eased in. Networks of other motions need another player: their cycles would have to be synchronised
        first, as hybrid networks do.
        """
        return self._network

    @network.setter
    def network(self, network: Network) -> None:
        own = self._network
        if not (isinstance(own, Network) and isinstance(network, Network) and network.rearranges(own)):
            raise MotionError(
                "a player goes on with the same motions in other places, as network.moved has them; "
                f"got {shown(network)} for {own!r}; player.harmonics changes how many harmonics are played"
            )
        self._state = rearranged(own, network, self._settings, self._state)
        self._network = network
        if self._character is not None:
            self._character = NativeCharacter(network)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of its poses."""
        live = self._live
        if live is not None:
            return live.skeleton
        layout = self._cycle.spectrum.layout
        assert layout is not None
        return layout.skeleton

    @property
    def point(self) -> Point:
        """Where the blending point is; setting it sets its goal, to which it moves from the next step on.

        With ``outside="clamp"`` a point outside is brought axis by axis into the range of the nodes, then to the
        nearest place of the outline. A point that a network with ``outside="extrapolate"`` cannot blend is an error.

        In a hybrid network it stays within the open triangles, and cannot be moved while a change is waited for or
        played, nor while it travels to the node of a triggered arc.
        """
        return self._state.point.point if self._state.hybrid is None else self._blend.place.point

    @point.setter
    def point(self, point: Coordinates) -> None:
        live = self._live
        if live is not None and live.send(checked_point(point)):
            self._stored = None
            return
        state = self._state
        goal = checked_goal(open_network(self._network, state), point, state.point)
        if state.hybrid is None or (state.hybrid.state == "network" and state.hybrid.wanted is None):
            self._state = replace(state, point=state.point.sent(goal))

    @property
    def goal(self) -> Point:
        """Where the blending point is going."""
        return self._state.point.goal

    @property
    def block(self) -> str:
        """The block of a hybrid network in which it is, or which it is leaving; empty for other networks."""
        return "" if self._state.hybrid is None else self._state.hybrid.block

    @property
    def mode(self) -> str:
        """The operating mode of a hybrid network; can be set by name at any time.

        A point outside the triangles that the new mode opens moves to the nearest open place.
        """
        return "" if self._state.hybrid is None else self._state.hybrid.mode

    @mode.setter
    def mode(self, name: str) -> None:
        hybrid, here = self._hybrid
        mode = hybrid.mode(name)
        if name == here.mode:
            return
        state, here = self._state, replace(here, mode=name)
        if here.wanted is not None and here.wanted not in mode.arcs:
            here = replace(here, wanted=None, times=1)
            state = replace(state, point=state.point.released(self.point))
        if here.state == "network":
            here = replace(here, open_mode=name)
            blend = blend_of(self._network, self._settings, state)
            network = network_of(hybrid, here.block, name, here.taken)
            found = open_in(network, Blended(state.point, blend.aim, blend.place, blend.spectrum), self._settings)
            state = exchanged(blend, state, found)
        self._state = replace(state, hybrid=here)

    @property
    def state(self) -> State:
        """``"network"``, ``"waiting"`` for the moment of a change, or ``"change"`` while one is played."""
        return "network" if self._state.hybrid is None else self._state.hybrid.state

    @property
    def hidden(self) -> bool:
        """Whether the blending point has no effect at the moment, because a change is waited for or played."""
        return self.state != "network"

    @property
    def states(self) -> tuple[Entry, ...]:
        """The log of its states: time in seconds, state, arc, block and mode; the last 3,000 entries."""
        return (Entry(0.0, "network"),) if self._state.hybrid is None else self._state.hybrid.log

    @property
    def phase(self) -> float:
        """How far into the cycle the character is, 0 … 2π; during a change, where the next cycle will begin."""
        live = self._live
        if live is not None:
            return live.phase
        if not changing(self._state):
            return self._state.root.head.phase
        hybrid, here = self._hybrid
        assert here.arc is not None
        return version_of(hybrid, here.arc).transition.arrive_phase

    @property
    def heading(self) -> float:
        """Which way it faces, radians, left positive, running on beyond a full turn."""
        live = self._live
        if live is not None:
            return live.heading
        head, over = self._state.root.head, self._over
        return head.yaw if over is None else head.yaw + over.yaw

    @property
    def position(self) -> tuple[float, float]:
        """Where its root is on the ground (x, z), metres."""
        live = self._live
        if live is not None:
            return live.position
        head = self._state.root.head
        x, z = sway(self._over, head, self._settings)
        return head.position[0] + x, head.position[1] + z

    @property
    def centre(self) -> tuple[float, float]:
        """Its position without the sway of the steps (x, z), metres; during a change with it."""
        return self._going[:2]

    @property
    def course(self) -> float:
        """The direction of travel without the swing of the steps, radians; it can differ from the heading.

        Where it hardly moves, as in a turn on the spot, that is the heading.
        """
        return self._going[2]

    @property
    def _going(self) -> tuple[float, float, float]:
        live = self._live
        if live is not None:
            return live.course(self._settings)[:3]
        head, cycle = self._state.root.head, self._cycle
        if changing(self._state):
            return *head.position, head.yaw
        swing, sway = cycle.sway(head.phase)
        place = head.place - cmath.exp(1j * (head.yaw - cycle.way(head.phase)[0])) * sway
        return place.imag, place.real, head.yaw - swing + cycle.drift

    @property
    def speed(self) -> float:
        """The mean speed of the motion being played, m/s."""
        live = self._live
        return abs(self._cycle.velocity) if live is None else live.course(self._settings)[3]

    @property
    def turn_rate(self) -> float:
        """The mean turn rate of the motion being played, rad/s, left positive."""
        live = self._live
        return self.spectrum.turn / self.spectrum.duration if live is None else live.turn_rate(self._settings)

    @property
    def spectrum(self) -> Spectrum:
        """The motion being played."""
        live = self._live
        return self._cycle.spectrum if live is None else live.spectrum(self._settings)

    def step(self, dt: float | int) -> Pose:
        """Advance by ``dt`` seconds and return the pose; 0 returns the present pose.

        Raises
        ------
        MotionError
            For a negative time or one that is no number; the player stays as it was.
        """
        seconds = real_or_nan(dt)
        if not 0.0 <= seconds < math.inf:
            raise MotionError(f"time goes forward, by one number: expected seconds from 0 on, got {shown(dt)}")
        character = self._character
        if character is not None:
            made = character.step(self._settings, self._stored, seconds)
            if made is not None:
                self._stored = None
                return made
        self._state, pose = step(self._network, self._settings, self._state, seconds)
        return pose

    def press(self, key: str) -> None:
        """Press a key of a hybrid network: switch to its mode, or take its arc as ``trigger`` does.

        Raises
        ------
        MotionError
            For a key that does nothing, or an arc that cannot be taken now; the player stays as it was.
        """
        meant = meant_by(self._hybrid[0], key)
        if isinstance(meant, Arc):
            self.trigger(meant.name)
        else:
            self.mode = meant.name

    def trigger(self, arc: str, *, times: float | int = 1, anywhere: bool = False) -> None:
        """Take an arc: the blending point travels to its node, and the change is played from its start frame.

        Parameters
        ----------
        arc
            By name; it must be open in the present mode and begin in the present block.
        times
            How often the loop within the change is played, a whole number.
        anywhere
            Leave from where the point is, without travelling to the node, with a longer crossover.

        Raises
        ------
        MotionError
            Where the arc cannot be taken now; the player stays as it was.
        """
        hybrid, here = self._hybrid
        taken = open_arc(hybrid, here, arc, times)
        state = replace(self._state, hybrid=replace(here, times=int(times), wanted=None if anywhere else arc))
        if anywhere:
            self._state = wait_for(hybrid, state, taken)
        else:
            network = network_of(hybrid, here.block, here.mode, here.taken)
            goal = network.node(taken.source.node).at
            self._state = replace(state, point=state.point.called(goal, self._open, self._settings))

    def snapshot(self) -> Snapshot:
        """Its settings and state as plain data, without the network."""
        return Snapshot(self._settings, self._state)

    @classmethod
    def resumed(
        cls, network: Blender | Spectrum | HybridNetwork, snapshot: Snapshot, *, engine: Engine | None = None
    ) -> Player:
        """A player that continues from a snapshot, with the same frames as the original.

        Parameters
        ----------
        network
            The network that the original played.
        snapshot
            From ``Player.snapshot``.
        engine
            As for a new player; another engine gives the same frames to 1e-9.

        Returns
        -------
        Player
            In the state of the snapshot.

        Raises
        ------
        MotionError
            Where the snapshot belongs to another network.
        """
        settings, state = snapshot.settings, snapshot.state
        here = state.hybrid
        if (here is None) == isinstance(network, HybridNetwork):
            there, own = ("a plain", "hybrid") if here is None else ("a hybrid", "plain")
            raise MotionError(f"this is the snapshot of {there} network's player, and the network is {own}")
        block, mode = (None, None) if here is None else (here.block, here.mode)
        player = cls(network, state.point.point, block=block, mode=mode, feet=settings.feet, engine=engine)
        refuse_other_network(network, settings, state)
        player._settings, player._state = settings, state
        return player

    @property
    def _cycle(self) -> CycleOnGround:
        return self._blend.cycle

    @property
    def _open(self) -> Network:
        network = open_network(self._network, self._state)
        assert isinstance(network, Network)
        return network

    @property
    def _over(self) -> OwnTimeOffset | None:
        return None if changing(self._state) else own_offset(self._blend, self._state)

    @property
    def _hybrid(self) -> tuple[HybridNetwork, HybridState]:
        if self._state.hybrid is None or not isinstance(self._network, HybridNetwork):
            raise MotionError("this network has no modes, arcs and keys; only a hybrid network has")
        return self._network, self._state.hybrid
