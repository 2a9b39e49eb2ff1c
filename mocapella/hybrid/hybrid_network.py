"""Networks joined by captured changes: arcs between blocks, and operating modes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TypeVar

from mocapella.analysis.fourier import analyse
from mocapella.blending.network import Network
from mocapella.checks import counted, explained, refuse_other
from mocapella.errors import NetworkError
from mocapella.hybrid.block import Block, Triangle, connected, refuse_ambiguous
from mocapella.hybrid.transition import Transition
from mocapella.inline import ShownInline
from mocapella.motion.cycle import Cycle, in_layout
from mocapella.motion.skeleton import ANOTHER_UNIT, REMEDY, Skeleton, unlike
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling
from mocapella.motion.travel import stands

ZONE = 0.95  # of the weights that a transition's node must have before the change may be played


@dataclass(frozen=True)
class ArcEnd:
    """One end of an arc: a node of a block."""

    block: str
    node: str

    def __str__(self) -> str:
        return f"{self.node!r} of block {self.block!r}"


@dataclass(frozen=True, eq=False)
class Arc:
    """A one-way link between two nodes, or from a node to itself: a transition that is played."""

    name: str
    transition: Transition
    source: ArcEnd
    target: ArcEnd
    zone: float = ZONE  # the weight of the source node from which on it is taken
    key: str = ""  # the key that takes it, if any
    mirrored: Transition | None = None  # the reflected change, out of step with the first; the earlier one is taken
    at_once: bool = False  # after standing: do not wait for the frame that the change begins with

    def __post_init__(self) -> None:
        if not 0.0 < self.zone <= 1.0:
            raise NetworkError(
                f"arc {self.name!r} has the trigger zone {self.zone:g}; expected a weight above 0, up to 1"
            )
        if self.at_once and not stands(self.transition.before):
            raise NetworkError(f"arc {self.name!r} cannot be left at once: only after standing, not after steps")

    @property
    def stays(self) -> bool:
        """Whether it leads back to the node it began at."""
        return self.source == self.target

    @property
    def versions(self) -> tuple[Arc, ...]:
        """The arc itself, and where there is a mirrored change the arc that plays that one."""
        if self.mirrored is None:
            return (self,)
        return self, replace(self, transition=self.mirrored, mirrored=self.transition)


@dataclass(frozen=True)
class Mode:
    """An operating mode: the triangles and arcs that are open."""

    name: str
    key: str = ""  # the key that switches to it, if any
    triangles: Mapping[str, tuple[Triangle, ...]] = field(default_factory=dict)  # by block; a block that is left out
    # has its plain triangles
    arcs: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        frozen = {block: tuple(tuple(names) for names in rows) for block, rows in self.triangles.items()}
        object.__setattr__(self, "triangles", MappingProxyType(frozen))
        object.__setattr__(self, "arcs", frozenset(self.arcs))

    def __reduce__(self) -> tuple[type[Mode], tuple[object, ...]]:
        return Mode, (self.name, self.key, dict(self.triangles), self.arcs)  # what is only read cannot be pickled


_Member = TypeVar("_Member", Arc, Mode)


@explained
@dataclass(frozen=True, eq=False, repr=False)
class HybridNetwork(ShownInline):
    """Blocks joined by arcs, and the operating modes that open some of both.

    Everything is checked when it is made: later calls of a player cannot fail.

    Parameters
    ----------
    blocks
        Networks by name, with their buffer triangles; a plain ``Network`` is a block without any.
    arcs
        Transitions that may be played, from node to node.
    modes
        The first is the one a player starts in; one that opens all plain triangles and no arc if there is none.

    Raises
    ------
    NetworkError
        Where blocks or arcs have other skeletons than the rest, names or keys mean two things, an arc is open in no
        mode or its nodes cannot be reached in one in which it is, triangles of a mode lie over each other, or some of
        them cannot be reached from the others.

    Examples
    --------
    >>> from mocapella.actor import capture
    >>> from mocapella.building.build import build
    >>> walks = build([capture(f"{pace} walk straight")[0] for pace in ("slow", "fast")]).network
    >>> HybridNetwork({"walking": walks})
    HybridNetwork(1 block, 0 arcs, 1 mode)
    """

    blocks: Mapping[str, Block]
    arcs: tuple[Arc, ...]
    modes: tuple[Mode, ...]

    def __init__(
        self, blocks: Mapping[str, Block | Network], arcs: Sequence[Arc] = (), modes: Sequence[Mode] = ()
    ) -> None:
        refuse_other(blocks, Mapping, "blocks by name, such as {'walking': network}")
        as_blocks = {name: Block(block) if isinstance(block, Network) else block for name, block in blocks.items()}
        object.__setattr__(self, "blocks", MappingProxyType(as_blocks))
        object.__setattr__(self, "arcs", tuple(arcs))
        object.__setattr__(self, "modes", tuple(modes) or (Mode("all"),))
        for fault in self._faults():
            raise NetworkError(fault)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that all blocks and transitions move."""
        return _skeleton(next(iter(self.blocks.values())).network)

    @cached_property
    def keys(self) -> Mapping[str, Mode | Arc]:
        """The mode or arc of each key."""
        choices: Iterator[Mode | Arc] = itertools.chain(self.modes, self.arcs)
        return MappingProxyType({choice.key: choice for choice in choices if choice.key})

    def block(self, name: str) -> Block:
        """The block of this name."""
        if name not in self.blocks:
            raise NetworkError(f"no block {name!r}; there are {', '.join(self.blocks)}")
        return self.blocks[name]

    def arc(self, name: str) -> Arc:
        """The arc of this name."""
        return _named(name, self.arcs, "arc")

    def mode(self, name: str) -> Mode:
        """The operating mode of this name."""
        return _named(name, self.modes, "mode")

    def arcs_from(self, block: str, mode: str) -> tuple[Arc, ...]:
        """The arcs that can be taken from a block in a mode."""
        self.block(block)
        opened = self.mode(mode).arcs
        return tuple(arc for arc in self.arcs if arc.source.block == block and arc.name in opened)

    def network(self, block: str, mode: str, taken: Arc | None = None) -> Network:
        """The network to blend in: the nodes of a ``block`` with the triangles that a ``mode`` opens, both by name.

        ``taken`` is the arc by which the block was just entered, one of its ``versions``: its target node has the
        motion that follows the change until the blending point has left that node's triangles. The same arguments give
        the same object.
        """
        entered = taken if taken is not None and taken.target.block == block else None
        triangles = self.mode(mode).triangles.get(block, self.block(block).plain)
        key = block, triangles, "" if entered is None else _title(entered)
        if key not in self._networks:
            self._networks[key] = self._entered(block, entered).limited_to(triangles)
        return self._networks[key]

    def made_ready(self) -> HybridNetwork:
        """The same, with every network of ``network`` made beforehand, so that no step of a player is slow."""
        for mode, block in itertools.product(self.modes, self.blocks):
            self.network(block, mode.name)
        for mode, arc in itertools.product(self.modes, self.arcs):
            for version in arc.versions:
                self.network(arc.target.block, mode.name, taken=version)
        return self

    @property
    def networks(self) -> tuple[Network, ...]:
        """The networks that were made so far."""
        return tuple(self._networks.values())

    def after(self, arc: Arc) -> Spectrum:
        """The motion that follows an arc's change, as its target's block writes it."""
        return self._written(arc.transition.after, arc.target)

    def before(self, arc: Arc) -> Spectrum:
        """The motion that leads to an arc's change, as its source's block writes it."""
        return self._written(arc.transition.before, arc.source)

    def __reduce__(self) -> tuple[type[HybridNetwork], tuple[object, ...]]:
        return HybridNetwork, (dict(self.blocks), self.arcs, self.modes)

    def __deepcopy__(self, memo: object) -> HybridNetwork:
        return self  # it never changes, and players of one network share its caches

    def __repr__(self) -> str:
        parts = {"block": self.blocks, "arc": self.arcs, "mode": self.modes}
        return f"HybridNetwork({', '.join(counted(len(part), name) for name, part in parts.items())})"

    @cached_property
    def _networks(self) -> dict[tuple[str, tuple[Triangle, ...], str], Network]:
        return {}

    @cached_property
    def _blocks_entered(self) -> dict[str, Block]:
        return {}

    def _entered(self, block: str, arc: Arc | None) -> Block:
        """A block, after an arc that leads there with what follows its change on the arc's node."""
        if arc is None:
            return self.block(block)
        if _title(arc) not in self._blocks_entered:
            self._blocks_entered[_title(arc)] = self.block(block).with_spectrum(arc.target.node, self.after(arc))
        return self._blocks_entered[_title(arc)]

    def _written(self, cycle: Cycle, end: ArcEnd) -> Spectrum:
        network = self.block(end.block).network
        if network.layout is not None:
            cycle = in_layout(cycle, network.layout.kind)
        return analyse(cycle, min(network.n_harmonics, harmonic_ceiling(cycle.n_frames)))

    def _faults(self) -> Iterator[str]:
        """Why this is not a valid hybrid network, the most important reasons first."""
        if not self.blocks:
            yield "a hybrid network needs at least one block"
        self._refuse_other_skeletons()
        yield from self._name_faults()
        for arc in self.arcs:
            yield from self._arc_faults(arc)
        for mode in self.modes:
            yield from (f"mode {mode.name!r}{fault}" for fault in self._mode_faults(mode))
        for arc in self.arcs:
            if not any(arc.name in mode.arcs for mode in self.modes):
                yield f"arc {arc.name!r} is open in no mode, so it could never be taken; name it in one"

    def _refuse_other_skeletons(self) -> None:
        """Raise ``NetworkError`` for a block or arc of another skeleton than the first block."""
        first, skeleton = next(iter(self.blocks)), self.skeleton
        rigs = [
            (f"block {name!r} has another skeleton than {first!r}", _skeleton(block.network))
            for name, block in self.blocks.items()
        ]
        rigs += [
            (f"arc {arc.name!r} plays a clip of another skeleton than the blocks'", version.transition.clip.skeleton)
            for arc in self.arcs
            for version in arc.versions
        ]
        for fault, rig in rigs:
            if not rig.same_as(skeleton):
                raise NetworkError(f"{fault}: {unlike(rig, skeleton)}", helps=REMEDY, option=ANOTHER_UNIT)

    def _name_faults(self) -> Iterator[str]:
        """Names and keys that mean two things."""
        for kind, names in (("arcs", [arc.name for arc in self.arcs]), ("modes", [mode.name for mode in self.modes])):
            doubled = (name for name in names if names.count(name) > 1)
            yield from (f"two {kind} are called {name!r}; names tell {kind} apart" for name in doubled)
        keys = [(mode.key, f"mode {mode.name!r}") for mode in self.modes if mode.key]
        keys += [(arc.key, f"arc {arc.name!r}") for arc in self.arcs if arc.key]
        for (key, choice), (other_key, other) in itertools.combinations(keys, 2):
            if key == other_key:
                yield f"the key {key!r} is for {choice} and for {other}; one key does one thing"

    def _arc_faults(self, arc: Arc) -> Iterator[str]:
        for end in (arc.source, arc.target):
            try:
                self.block(end.block).network.index(end.node)
            except NetworkError as error:
                yield f"arc {arc.name!r}: {error}"

    def _mode_faults(self, mode: Mode) -> Iterator[str]:
        """Faults of a mode, for messages that begin with its name."""
        for name, triangles in mode.triangles.items():
            block = self.block(name)
            unknown = [names for names in triangles if frozenset(names) not in block.known]
            yield from (f" opens {'–'.join(names)}, which is not a triangle of block {name!r}" for names in unknown)
            if not triangles:
                yield f" closes all of block {name!r}; leave the block out to open its plain part"
            try:
                refuse_ambiguous(block.network, triangles)
            except NetworkError as error:
                yield f": {error}"
            parts = connected(triangles)
            if len(parts) > 1:
                lost = "–".join(min(parts, key=len)[0])
                reason = f": the triangle {lost} of block {name!r} cannot be reached from the others"
                yield f"{reason}; regions of a mode share edges"
        for name in sorted(mode.arcs):
            try:
                arc = self.arc(name)
            except NetworkError as error:
                yield f": {error}"
            for end in (arc.source, arc.target):
                opened = mode.triangles.get(end.block, self.block(end.block).plain)
                if not any(end.node in names for names in opened):
                    yield f" opens arc {name!r}, but none of the triangles round {end}; open its buffer triangles"


def _named(name: str, members: Sequence[_Member], kind: str) -> _Member:
    """The arc or mode of a name; ``NetworkError`` where there is none."""
    for member in members:
        if member.name == name:
            return member
    raise NetworkError(f"no {kind} {name!r}; there are {', '.join(member.name for member in members) or 'none'}")


def _title(arc: Arc) -> str:
    """A key for each version of all arcs."""
    return f"{arc.name}: {arc.transition.name}"


def _skeleton(network: Network) -> Skeleton:
    if network.layout is None:
        raise NetworkError("the motions of a block have no layout, so they make no pose; such blocks are not joined")
    return network.layout.skeleton
