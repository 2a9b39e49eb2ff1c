"""A character that plays the blend at its blending point."""

from __future__ import annotations

import difflib
import math

from msgspec.structs import replace

from mocapella.blending.network import Network
from mocapella.checks import explained, finite_number, finite_numbers, real_or_nan, shown
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.hybrid.hybrid_network import Arc, HybridNetwork
from mocapella.inline import ShownInline
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, why_unplayable
from mocapella.playback.adjusting import AdjustableSettings
from mocapella.playback.blend import blend_of, exchanged, open_network, rearranged
from mocapella.playback.modes import Entry, HybridState, State, meant_by, network_of, open_arc
from mocapella.playback.native.native_character import Engine, NativeCharacter, character_for
from mocapella.playback.playhead import Playhead
from mocapella.playback.pointer import Blended, Blender, Coordinates, Point, checked_goal, checked_point, open_in
from mocapella.playback.settings import (
    FARTHEST,
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
        Network, hybrid network or spectrum to play. A spectrum counts as a network of one place; of a hybrid network,
        captured changes of motion are played as well. Anything with a method ``blend(point)`` that returns a spectrum
        can be played too.
    point
        Where the blending point starts, in the units of the network's plane.
    block, mode
        Names of the block and the operating mode of a hybrid network to start in; the first ones if None.
    feet
        ``"held"``: the feet drive the body, and legs bend so that no planted foot slides. ``"anchored"``: the body
        moves so that the lower planted foot stays put, and nothing else is touched, as in the papers.
        ``"velocity"``: the blended velocity of the root alone; feet may slide.
    ease
        Seconds in which the blending point covers 90 % of the way to its goal; 0 lets it jump.
    pace
        The largest speed of the blending point, in units of the plane per second; not limited if left out.
    join
        Seconds of the crossover between a blend and a captured change; 0 cuts from one to the other, as in the papers.
    harmonics
        Number of harmonics to play; None plays all. Fewer make a smoother motion with less detail.
    engine
        Engine of the steps: ``"native"``, the compiled core (extra ``fast``), or ``"numpy"``, ten times slower and the
        same to 1e-9. None takes that of ``$MOCAPELLA_ENGINE``, else the core where it is installed and plays this
        network.
    phase
        Cycle phase to begin with, radians.
    position
        Place of the root on the ground to begin at (x, z), metres.
    heading
        Direction of travel to begin with, radians, 0 along +z, left positive. The hips swing about it with every step;
        side steps and backward walks face that way on average.

    Raises
    ------
    MotionError
        For a point, time or place that is not a finite number, a motion without a layout, unknown names, or an engine
        that cannot play the network.

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
        network: Network | Spectrum | HybridNetwork | Blender,
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
        if isinstance(network, Spectrum) and (unplayable := why_unplayable(network)):
            raise MotionError(f"what is played {unplayable}")
        place = finite_numbers(position, "expected a position (x, z), two numbers of metres")
        if len(place) != 2:
            raise MotionError(f"expected a position (x, z), two numbers of metres; got {shown(position)}")
        if max(map(abs, place)) > FARTHEST:
            raise MotionError(expected="a position within 1,000 km", got=shown(position))
        direction = finite_number(heading, "a heading to begin with, radians")
        if abs(direction) > FARTHEST:
            raise MotionError(expected="a heading within a million radians", got=shown(heading))
        start = Playhead(finite_number(phase, "a phase to begin at, a number") % TURN, place, direction)
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
            names = [public for public in dir(Player) if isinstance(getattr(Player, public), property)]
            names = [public for public in names if not public.startswith("_")]
            near = difflib.get_close_matches(name, names, n=1)
            helps = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(names)}"
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
        played = self._network
        if not (isinstance(played, Network) and isinstance(network, Network) and network.rearranges(played)):
            raise MotionError(
                "a player goes on with the same motions in other places, as network.moved has them; "
                f"got {shown(network)} for {played!r}; player.harmonics changes how many harmonics are played"
            )
        self._state = rearranged(played, network, self._settings, self._state)
        self._network = network
        if self._character is not None:
            self._character = NativeCharacter(network)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of its poses."""
        return self._now.skeleton

    @property
    def point(self) -> Point:
        """Where the blending point is; setting it sets its goal, to which it moves from the next step on.

        With ``outside="clamp"`` a point outside is brought axis by axis into the range of the nodes, then to the
        nearest place of the outline. A point that a network with ``outside="extrapolate"`` cannot blend is an error.

        In a hybrid network it stays within the open triangles, and cannot be moved while a change is waited for or
        played, nor while it travels to the node of a triggered arc.
        """
        return self._state.point.point if self._state.hybrid is None else self._now.blend.place.point

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
            state = replace(state, point=replace(state.point, goal=self.point, pace=None))
        if here.state == "network":
            here = replace(here, open_mode=name)
            blend = blend_of(self._network, self._settings, state)
            network = network_of(hybrid, here.block, name, here.taken)
            before = Blended(state.point, blend.aim, blend.place, blend.spectrum)
            state = exchanged(blend, state, open_in(network, before, self._settings))
        self._state = replace(state, hybrid=here)

    @property
    def state(self) -> State:
        """``"network"``, ``"waiting"`` for the moment of a change, or ``"change"`` while one is played."""
        return "network" if self._state.hybrid is None else self._state.hybrid.state

    @property
    def hidden(self) -> bool:
        """Whether there is no blending point to show, because a captured change is played in place of a blend."""
        return self.state == "change"

    @property
    def states(self) -> tuple[Entry, ...]:
        """The log of its states: time in seconds, state, arc, block and mode; the last 3,000 entries."""
        return (Entry(0.0, "network"),) if self._state.hybrid is None else self._state.hybrid.log

    @property
    def phase(self) -> float:
        """How far into the cycle the character is, 0 … 2π; during a change, where the next cycle will begin."""
        return self._now.phase

    @property
    def heading(self) -> float:
        """Which way it faces, radians, left positive, running on beyond a full turn."""
        return self._now.heading

    @property
    def position(self) -> tuple[float, float]:
        """Where its root is on the ground (x, z), metres."""
        return self._now.position

    @property
    def centre(self) -> tuple[float, float]:
        """Its position without the sway of the steps (x, z), metres; during a change with it."""
        return self._now.course[:2]

    @property
    def course(self) -> float:
        """The direction of travel without the swing of the steps, radians; it can differ from the heading.

        Where it hardly moves, as in a turn on the spot, that is the heading.
        """
        return self._now.course[2]

    @property
    def speed(self) -> float:
        """The mean speed of the motion being played, m/s."""
        return self._now.course[3]

    @property
    def turn_rate(self) -> float:
        """The mean turn rate of the motion being played, rad/s, left positive."""
        return self._now.turn_rate

    @property
    def spectrum(self) -> Spectrum:
        """The motion being played."""
        return self._now.spectrum

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
            native_pose = character.step(self._settings, self._stored, seconds)
            if native_pose is not None:
                self._stored = None
                return native_pose
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
            Name of the arc; it must be open in the present mode and begin in the present block.
        times
            Number of rounds of the loop within the change, a whole number from 1 on.
        anywhere
            Begin the change from the present blending point, with a longer crossover, instead of moving the point to
            the node of the arc first.

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
            goal = network_of(hybrid, here.block, here.mode, here.taken).node(taken.source.node).at
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
            Network that the original player played.
        snapshot
            Settings and state, from ``Player.snapshot`` or ``Snapshot.from_json``.
        engine
            Engine of the steps, as for a new player; another engine gives the same frames to 1e-9.

        Returns
        -------
        Player
            Player whose next step is the next step of the original.

        Raises
        ------
        MotionError
            Where the snapshot belongs to another network.
        """
        settings, state = snapshot.settings, snapshot.state
        here = state.hybrid
        if (here is None) == isinstance(network, HybridNetwork):
            stored, given = ("a plain", "hybrid") if here is None else ("a hybrid", "plain")
            raise MotionError(f"this is the snapshot of {stored} network's player, and the network is {given}")
        block, mode = (None, None) if here is None else (here.block, here.mode)
        player = cls(network, state.point.point, block=block, mode=mode, feet=settings.feet, engine=engine)
        refuse_other_network(network, settings, state)
        player._settings, player._state = settings, state
        return player

    @property
    def _open(self) -> Network:
        network = open_network(self._network, self._state)
        assert isinstance(network, Network)
        return network

    @property
    def _hybrid(self) -> tuple[HybridNetwork, HybridState]:
        if self._state.hybrid is None or not isinstance(self._network, HybridNetwork):
            raise MotionError("this network has no modes, arcs and keys; only a hybrid network has")
        return self._network, self._state.hybrid
