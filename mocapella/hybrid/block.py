"""Blocks of a hybrid network: a network and the buffer triangles that lie over it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.errors import MotionWarning, NetworkError
from mocapella.geometry import triangulation
from mocapella.geometry.simplices import overlap
from mocapella.motion.spectrum import Spectrum

Triangle = tuple[str, ...]  # names of nodes


@dataclass(frozen=True, eq=False)
class Block:
    """A network and, beside its own triangles, buffer triangles that may lie over them.

    The network has all nodes, transition nodes as well; its own triangles are the plain ones.
    """

    network: Network
    buffers: tuple[Triangle, ...] = ()  # each with a transition node
    transition_nodes: frozenset[str] = field(default=frozenset())

    def __post_init__(self) -> None:
        if self.network.n_axes != 2:
            raise NetworkError("a block is a network in the plane, this one has three axes; take one of its layers")
        if self.network.interpolant is not None:
            raise NetworkError(
                "a block's triangles open and close, which an interpolant takes no heed of; build it without one"
            )
        for name in sorted(self.transition_nodes):
            self.network.index(name)  # raises for unknown names
        for names in self.buffers:
            if len(names) != 3 or len({self.network.index(name) for name in names}) != 3:
                raise NetworkError(f"a buffer triangle has 3 different corners, got {'–'.join(names)}")
            if not self.transition_nodes.intersection(names):
                raise NetworkError(f"no corner of the buffer triangle {'–'.join(names)} belongs to a transition")

    @property
    def plain(self) -> tuple[Triangle, ...]:
        """The triangles that are open by default."""
        return self.network.triangles

    @cached_property
    def known(self) -> frozenset[frozenset[str]]:
        """All triangles, plain or buffer, as sets of names."""
        return frozenset(frozenset(names) for names in (*self.plain, *self.buffers))

    def armed(self, nodes: Iterable[str]) -> tuple[Triangle, ...]:
        """The triangles of a mode in which these transition nodes can be reached.

        Their buffer triangles are open and the plain ones below them closed; triangles that are then disconnected from
        the buffer triangles are closed as well, so that every open triangle is entered across a shared edge.

        Raises
        ------
        NetworkError
            Where buffer triangles of these nodes lie over each other.
        """
        wanted = set(nodes)
        opened = [names for names in self.buffers if wanted.intersection(names)]
        if not opened:
            return self.plain
        for i, names in enumerate(opened):
            below = self._below(names, opened[i + 1 :])
            if below:
                raise NetworkError(
                    f"the buffer triangles {'–'.join(names)} and {'–'.join(below[0])} lie over each other; "
                    "open them in different modes"
                )
        closed = {frozenset(names) for buffer in opened for names in self._below(buffer, self.plain)}
        free = [names for names in self.plain if frozenset(names) not in closed]
        parts = connected([*opened, *free])
        return next(part for part in parts if frozenset(opened[0]) in map(frozenset, part))

    def limited_to(self, triangles: Sequence[Triangle]) -> Network:
        """The network with these triangles alone; the same nodes, ready mixed."""
        return self.network if tuple(triangles) == self.plain else self.network.limited_to(triangles)

    def with_spectrum(self, node: str, spectrum: Spectrum) -> Block:
        """The same block with another motion on one of its nodes."""
        with unwarned():
            return replace(self, network=self.network.with_spectra({node: spectrum}))

    def covers(self, shape: Sequence[Sequence[float]]) -> bool:
        """Whether a triangle of three places lies over any of the block's, plain or buffer."""
        return bool(self._under(np.array(shape, dtype=np.float64), (*self.plain, *self.buffers)))

    def _below(self, names: Triangle, others: Sequence[Triangle]) -> list[Triangle]:
        """Those of the others that share more than an edge with a triangle."""
        return self._under(self.network.points[[self.network.index(name) for name in names]], others)

    def _under(self, shape: Float[np.ndarray, "3 2"], others: Sequence[Triangle]) -> list[Triangle]:
        if not others or any(len(other) != 3 for other in others):
            return []
        points = self.network.points
        rows = np.array([[self.network.index(name) for name in row] for row in others], dtype=np.intp)
        shapes = points[triangulation.anticlockwise(points, rows)]
        upright = shape[triangulation.anticlockwise(shape, np.arange(3)[None])[0]]
        hit = overlap(np.broadcast_to(upright, shapes.shape), shapes)
        return [other for other, crossed in zip(others, hit.tolist(), strict=True) if crossed]


@contextmanager
def unwarned() -> Iterator[None]:
    """Without the warning of nodes in no triangle, which blocks have by design."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "in no triangle", MotionWarning)
        yield


def connected(triangles: Sequence[Triangle]) -> list[tuple[Triangle, ...]]:
    """The triangles in parts within which one can go from triangle to triangle across shared edges."""
    sets = [frozenset(names) for names in triangles]
    parts: list[tuple[Triangle, ...]] = []
    left = list(range(len(sets)))
    while left:
        part, edge = [], [left.pop(0)]
        while edge:
            here = edge.pop()
            part.append(here)
            beside = [i for i in left if len(sets[i] & sets[here]) == len(sets[here]) - 1]
            left = [i for i in left if i not in beside]
            edge += beside
        parts.append(tuple(triangles[i] for i in sorted(part)))
    return parts


def refuse_ambiguous(network: Network, triangles: Sequence[Triangle]) -> None:
    """Raise ``NetworkError`` for triangles that lie over each other, or are flat."""
    if triangles and all(len(names) == 3 for names in triangles):
        corners = np.array([[network.index(name) for name in names] for names in triangles], dtype=np.intp)
        ordered = triangulation.anticlockwise(network.points, corners)
        triangulation.refuse_crossings(network.points, ordered, network.names)
