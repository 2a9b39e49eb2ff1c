"""Where a character is in a hybrid network: blending, waiting for the moment of a change, or changing."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

import msgspec

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.hybrid.hybrid_network import Arc, HybridNetwork, Mode
from mocapella.playback.settings import Seconds

State = Literal["network", "waiting", "change"]
Version = tuple[str, Annotated[int, msgspec.Meta(ge=0, le=1)]]  # name of an arc; 1 where its mirrored change is meant
_ROUNDING = 1e-9  # of a weight
MOST_ENTRIES = 3000  # of the log, a thousand changes: older ones are dropped, so that a player's memory is bounded


class Entry(NamedTuple):
    """One line of the log: the time from which a player was in a state, with its arc, block and mode."""

    time: Seconds
    state: State
    arc: str = ""
    block: str = ""
    mode: str = ""


class HybridState(msgspec.Struct, frozen=True):
    """The state of one character in a hybrid network; blocks, modes and arcs are known by their names.

    In the trigger zone of an open arc the blending point goes to the arc's node and the cycle plays on to the frame at
    which the change begins: ``"waiting"``. Then the point is hidden and the capture is played, ``"change"``, until the
    block it leads to takes over. After a change the point is at the arc's target node; arcs that begin there are not
    triggered until it has left that node's triangles.
    """

    block: str
    mode: str
    open_mode: str  # the mode whose triangles the point is in: the old one until a change that was under way is over
    state: State = "network"
    arc: Version | None = None  # the arc that is waited for, or the version of it that is played
    taken: Version | None = None  # the arc by which the block was entered, until the point has left its node
    wanted: str | None = None  # the arc to whose node the point is travelling on request
    times: Annotated[int, msgspec.Meta(ge=1, le=10**6)] = 1  # how often the loop of the change is played
    log: Annotated[tuple[Entry, ...], msgspec.Meta(max_length=MOST_ENTRIES)] = ()

    @classmethod
    def start(cls, block: str, mode: str) -> HybridState:
        """A character that begins to blend in a block and a mode."""
        return cls(block, mode, mode, log=(Entry(0.0, "network", "", block, mode),))

    def waiting_for(self, arc: Arc, time: float) -> HybridState:
        """The same, waiting for the frame at which the arc can be taken."""
        return self._noted("waiting", (arc.name, 0), time, wanted=None)

    def changing_by(self, version: Version, time: float) -> HybridState:
        """The same at the beginning of a change."""
        return self._noted("change", version, time)

    def arrived(self, arc: Arc, time: float) -> HybridState:
        """The same after a change has been made: in the block that the arc leads to."""
        there = self._noted("network", self.arc, time, block=arc.target.block)
        return msgspec.structs.replace(there, taken=self.arc, arc=None, times=1, open_mode=self.mode)

    def _noted(self, state: State, arc: Version | None, time: float, **others: object) -> HybridState:
        """The same in another state, with an entry in the log."""
        block = str(others.get("block", self.block))
        entry = Entry(time, state, "" if arc is None else arc[0], block, self.mode)
        return msgspec.structs.replace(self, state=state, arc=arc, log=(*self.log, entry)[-MOST_ENTRIES:], **others)


@lru_cache(maxsize=256)
def network_of(hybrid: HybridNetwork, block: str, mode: str, taken: Version | None = None) -> Network:
    """The network in which the blending point moves: the nodes of a block with the triangles that a mode opens.

    ``taken`` is the arc by which the block was entered, while the point has not left its node.
    """
    return hybrid.network(block, mode, None if taken is None else version_of(hybrid, taken))


def version_of(hybrid: HybridNetwork, version: Version) -> Arc:
    """The arc of a version, with its own change or the mirrored one."""
    versions = hybrid.arc(version[0]).versions
    if version[1] >= len(versions):
        raise MotionError(f"the snapshot plays arc {version[0]!r} mirrored, and here it has no mirrored change")
    return versions[version[1]]


def weight_of(network: Network, node: str, place: Place) -> float:
    """The weight of a node at a place."""
    return float(place.weights[place.nodes == network.index(node)].sum())


def triggered_arc(hybrid: HybridNetwork, here: HybridState, place: Place) -> Arc | None:
    """The arc whose trigger zone a place lies in, if it may be taken from there.

    Of several it is the first open one; arcs of the node at which the character has just arrived do not count.
    """
    network = network_of(hybrid, here.block, here.mode, here.taken)
    arrived_at = None if here.taken is None else version_of(hybrid, here.taken).target.node
    for arc in hybrid.arcs_from(here.block, here.mode):
        # On request the point need not leave the node that it arrived at first.
        primed = arrived_at != arc.source.node if here.wanted is None else arc.name == here.wanted
        if primed and weight_of(network, arc.source.node, place) >= arc.zone - _ROUNDING:
            return arc
    return None


def soonest(arc: Arc, phase: float) -> tuple[Version, float]:
    """The version of an arc, its own or mirrored, whose start comes first, and radians of cycle phase until then."""
    if arc.at_once:
        return (arc.name, 0), 0.0
    apart = [((arc.name, i), (version.transition.leave_phase - phase) % TURN) for i, version in enumerate(arc.versions)]
    return min(apart, key=lambda version_apart: version_apart[1])


def open_arc(hybrid: HybridNetwork, here: HybridState, name: str, times: float | int) -> Arc:
    """The arc of this name if it can be taken now, with ``times`` rounds of its loop; an error says why it cannot."""
    arc = hybrid.arc(name)
    if here.state != "network":
        doing = "waited for" if here.state == "waiting" else "played"
        under_way = "" if here.arc is None else here.arc[0]
        raise MotionError(f"arc {name!r} cannot be taken now: {under_way!r} is being {doing}; wait until it is done")
    if arc.source.block != here.block:
        raise MotionError(f"arc {name!r} begins in block {arc.source.block!r}, and this is block {here.block!r}")
    if name not in hybrid.mode(here.mode).arcs:
        modes = [mode.name for mode in hybrid.modes if name in mode.arcs]
        raise MotionError(f"arc {name!r} is closed in mode {here.mode!r}; it is open in {', '.join(modes)}")
    refuse_times(arc, times)
    return arc


def meant_by(hybrid: HybridNetwork, key: str) -> Mode | Arc:
    """The mode or arc of a key."""
    keys = hybrid.keys
    if key not in keys:
        raise MotionError(f"the key {key!r} does nothing here; there are {', '.join(keys) or 'no keys'}")
    return keys[key]


def refuse_times(arc: Arc, times: float | int) -> None:
    """Raise ``MotionError`` where a change cannot be made so many times over: only one with a loop can be repeated."""
    if not float(times).is_integer():
        raise MotionError(f"a change is made a whole number of times, got {times}")
    if times < 1:
        raise MotionError(f"a change is made once or more often, got {times} times")
    if times > 1 and any(version.transition.loop is None for version in arc.versions):
        raise MotionError(f"nothing in arc {arc.name!r} can be repeated, so it cannot be made {times} times")
