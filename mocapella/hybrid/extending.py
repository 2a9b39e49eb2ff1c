"""Networks extended by hand: one more motion as a node, or a captured change as an arc."""

from __future__ import annotations

from collections.abc import Sequence

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.synchronise import synchronised_to
from mocapella.blending.places import Node
from mocapella.hybrid.arranging import Playable, network_in
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.network import HybridNetwork, Mode
from mocapella.hybrid.rejoining import with_node
from mocapella.hybrid.transition import Transition
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import harmonic_ceiling
from mocapella.motion.travel import turn_and_speed

_BLOCK = "walking"  # what a plain network is called once a captured change makes it hybrid
_FRAMES = 32  # of a node synthesised to be compared
_TURN = 60.0  # degrees per second that count as much as 1 m/s when motions are compared


def with_blend(playable: Playable, at: Sequence[float], *, name: str, block: str = "") -> Playable:
    """The same with the blend at a place as a node of its own, which can then be moved.

    Parameters
    ----------
    playable
        A network or a hybrid one.
    at
        A blending point; outside, the nearest place of the outline.
    name
        Of the node.
    block
        Of a hybrid network.

    Returns
    -------
    Network or HybridNetwork
        Blends everywhere are nearly what they were.
    """
    network = network_in(playable, block)
    place = network.place(at)
    return with_node(playable, Node(name, place.point, network.blend(place)), block=block)


def with_cycle(
    playable: Playable, cycle: Cycle, *, at: Sequence[float] | None = None, name: str = "", block: str = ""
) -> Playable:
    """The same with one more cycle as a node, in step with the others.

    Parameters
    ----------
    playable
        A network or a hybrid one, of the cycle's skeleton and layout.
    cycle
        As ``prepare`` gives it.
    at
        Where it lies; at its turn (degrees per second) and speed (m/s) if None.
    name
        Of the node; the cycle's own if empty.
    block
        Of a hybrid network.

    Returns
    -------
    Network or HybridNetwork
        With the node.
    """
    network = network_in(playable, block)
    references = [synthesise(node.spectrum, _FRAMES) for node in network.nodes if node.synchronised]
    own = synchronised_to(cycle, references) if references else cycle
    motion = analyse(own, min(network.n_harmonics, harmonic_ceiling(own.n_frames)))
    place = turn_and_speed(cycle) if at is None else tuple(at)
    return with_node(playable, Node(name or cycle.name, place, motion), block=block)


def with_change(
    playable: Playable, transition: Transition, *, source: str = "", target: str = "", key: str = ""
) -> HybridNetwork:
    """The same with a captured change as an arc, and a mode in which it is open.

    Parameters
    ----------
    playable
        A network, which becomes a block called ``"walking"``, or a hybrid network.
    transition
        As ``find_transition`` gives it.
    source, target
        The blocks it leads from and to; those with the motions most like its ends if empty.
    key
        What takes it on request.

    Returns
    -------
    HybridNetwork
        The new mode has the change's name, and the first free key of 1 to 9.
    """
    hybrid = playable if isinstance(playable, HybridNetwork) else HybridNetwork({_BLOCK: playable})
    begin = source or _nearest_block(hybrid, transition.before)
    end = target or _nearest_block(hybrid, transition.after)
    builder = HybridBuilder(hybrid.blocks, hybrid.arcs).with_transition(
        transition, begin, None if end == begin else end, mirrored=True, key=key
    )
    modes = [builder.mode(mode.name, sorted(mode.arcs), key=mode.key) for mode in hybrid.modes]
    taken = {one.key for one in (*hybrid.modes, *builder.arcs)}
    free = next((digit for digit in "123456789" if digit not in taken), "")
    return builder.finished([*modes, builder.mode(_free(transition.name, modes), [transition.name], key=free)])


def _free(name: str, modes: Sequence[Mode]) -> str:
    """The name itself, or with a number where a mode has it already."""
    taken = {mode.name for mode in modes}
    return next(one for one in (name, *(f"{name} {i}" for i in range(2, 1000))) if one not in taken)


def _nearest_block(hybrid: HybridNetwork, cycle: Cycle) -> str:
    """The block with the node whose turn and speed are most like a cycle's."""
    turn, speed = turn_and_speed(cycle)

    def apart(name: str) -> float:
        rates = [turn_and_speed(node.spectrum) for node in hybrid.block(name).network.nodes]
        return min(abs(one - turn) / _TURN + abs(other - speed) for one, other in rates)

    return min(hybrid.blocks, key=apart)
