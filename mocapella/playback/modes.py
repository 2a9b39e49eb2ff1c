"""Where a character is in a hybrid network: blending, waiting for the moment of a change, or changing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.hybrid.network import Arc, HybridNetwork, Mode
from mocapella.hybrid.transition import Transition

State = Literal["network", "waiting", "change"]
_ROUNDING = 1e-9  # of a weight


class Entry(NamedTuple):
    """One line of the log: from when on a player was in which state, by which arc, in which block and mode."""

    time: float  # seconds
    state: State
    arc: str = ""
    block: str = ""
    mode: str = ""


@dataclass
class Transit:
    """The state of one character in a hybrid network, and what may happen next.

    In the trigger zone of an open arc the blending point is hidden and the cycle plays on until it comes by the frame
    that the change begins with: ``"waiting"``. Then the capture is played, ``"change"``, and the block it leads to
    takes over. The motion that follows a change sits on the node it leads to until the point has left that node's
    triangles; until then arriving there does not set off what begins there.
    """

    hybrid: HybridNetwork
    block: str
    mode: str
    state: State = "network"
    arc: Arc | None = None  # what is waited for, or the version of it that is played
    taken: Arc | None = None  # by which the block was entered, while its node is not left
    wanted: Arc | None = None  # to whose node the point is on its way on request
    times: int = 1  # how often what can be repeated of the change is played
    log: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._note(0.0)

    @property
    def network(self) -> Network:
        """What is open."""
        return self.hybrid.network(self.block, self.mode, self.taken)

    @property
    def transition(self) -> Transition:
        """What is waited for or played."""
        assert self.arc is not None
        return self.arc.transition

    def key(self, key: str) -> Mode | Arc:
        """What a key does."""
        known = self.hybrid.keys
        if key not in known:
            raise MotionError(f"the key {key!r} does nothing here; there are {', '.join(known) or 'no keys'}")
        return known[key]

    def open_arc(self, name: str, times: float | int) -> Arc:
        """The arc of this name, where it can be taken now, so many times over."""
        arc = self.hybrid.arc(name)
        if self.state != "network":
            raise MotionError(f"arc {name!r} cannot be taken now: {self._doing}; wait until it is done")
        if arc.source.block != self.block:
            raise MotionError(f"arc {name!r} begins in block {arc.source.block!r}, and this is block {self.block!r}")
        if name not in self.hybrid.mode(self.mode).arcs:
            modes = [mode.name for mode in self.hybrid.modes if name in mode.arcs]
            raise MotionError(f"arc {name!r} is closed in mode {self.mode!r}; it is open in {', '.join(modes)}")
        refuse_times(arc, times)
        return arc

    def set_off(self, place: Place) -> Arc | None:
        """The arc whose trigger zone a place lies in, if it may be taken from there."""
        for arc in self.hybrid.arcs_from(self.block, self.mode):
            if self.wanted is None:
                primed = self.taken is None or self.taken.target.node != arc.source.node
            else:
                primed = arc is self.wanted  # who asks for it need not go away first
            if primed and self.weight(arc.source.node, place) >= arc.zone - _ROUNDING:
                return arc
        return None

    def weight(self, node: str, place: Place) -> float:
        """How much a node counts at a place."""
        return float(place.weights[place.nodes == self.network.index(node)].sum())

    def wait(self, arc: Arc, time: float) -> None:
        """From now on wait for the moment at which the arc can be taken."""
        self.state, self.arc, self.wanted = "waiting", arc, None
        self._note(time, arc.name)

    def soonest(self, phase: float) -> tuple[Arc, float]:
        """Of what is waited for the version that comes first, and how far off it is, radians of cycle phase."""
        assert self.arc is not None
        if self.arc.at_once:
            return self.arc, 0.0
        apart = [(version, (version.transition.leave_phase - phase) % TURN) for version in self.arc.versions]
        return min(apart, key=lambda one: one[1])

    def begin(self, version: Arc, time: float) -> None:
        """The change begins."""
        self.state, self.arc = "change", version
        self._note(time, version.name)

    def stretch_end(self) -> int:
        """The frame of the clip up to which it is played in one go."""
        loop = self.transition.loop
        return self.transition.arrive if loop is None or self.times <= 1 else loop[1]

    def again(self) -> int | None:
        """The frame to go back to at the end of a stretch; None where the change has been made."""
        loop = self.transition.loop
        if loop is None or self.times <= 1:
            return None
        self.times -= 1
        return loop[0]

    def arrive(self, time: float) -> str:
        """The change has been made: the node that it leads to, in the block that it leads to."""
        assert self.arc is not None
        self.state, self.taken, self.block, self.times = "network", self.arc, self.arc.target.block, 1
        self._note(time, self.arc.name)
        self.arc = None
        return self.taken.target.node

    def released(self, place: Place) -> bool:
        """Give the node by which the block was entered its own motion back once the point has left it."""
        if self.taken is None or self.weight(self.taken.target.node, place) > 0.0:
            return False
        self.taken = None
        return True

    def _note(self, time: float, arc: str = "") -> None:
        self.log.append(Entry(time, self.state, arc, self.block, self.mode))

    @property
    def _doing(self) -> str:
        name = "" if self.arc is None else self.arc.name
        return f"{name!r} is being waited for" if self.state == "waiting" else f"{name!r} is being played"


def refuse_times(arc: Arc, times: float | int) -> None:
    """Raise ``MotionError`` where a change cannot be made so many times over."""
    if not float(times).is_integer():
        raise MotionError(f"a change is made a whole number of times, got {times}")
    if times < 1:
        raise MotionError(f"a change is made once or more often, got {times} times")
    if times > 1 and any(version.transition.loop is None for version in arc.versions):
        raise MotionError(f"nothing in arc {arc.name!r} can be repeated, so it cannot be made {times} times")
