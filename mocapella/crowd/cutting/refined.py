"""A network whose blends are not weighted means, cut into small triangles between whose corners they nearly are.

Harmonics of such a network bend most where phase angles of nodes are opposite to each other or where a single-source
harmonic changes its node, and hardly at all elsewhere. Triangles are halved where the blend half-way along an edge is
off the mean of its ends, those first whose error counts most, until all are near enough or there are as many corners
as memory is meant for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.geometry.refinement import Edge, Triangle, bisected, edges_of, with_longest
from mocapella.motion.layout import HEIGHT, N_ROOT_DOFS, QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum, whole_cycle

_PARTS = (4, 12)  # of an edge between two nodes, before anything is halved: at least, at most
_EVENLY = 0.1  # of all corners, between these: gaits bend where harmonics are straight
_CORNERS = (500, 4000)  # of all triangles at most: where few will do, and else
_EACH = 160  # corners of each of the network's triangles at most, on average
_NEAR_ENOUGH = 0.4e-3  # metres that joints are off half-way along an edge, root of the mean square
_SHORTEST = 1.0 / 128.0  # of an edge between two nodes: where a blend leaps, no edge is halved further
_AT_ONCE = 256  # blends whose harmonics are compared at a time
_Shares = Float[np.ndarray, " corners"]
_NEAR = 1e-3  # of a weight: close to a node


class Refined:
    """The triangles of a network, halved where its blends are not straight."""

    def __init__(self, network: Network, *, coarse: bool = False) -> None:
        self.network = network
        self.shares: list[np.ndarray] = []  # of all nodes, at each corner
        self.triangles: list[Triangle] = []
        self._owners: list[int] = []  # the network's triangle that each lies in
        self._first: list[int] = []  # one of those that each corner lies in
        n_triangles = len(network.corners)
        most = min(_CORNERS[0 if coarse else 1], _EACH * n_triangles)
        fewest, finest = _PARTS
        self._begin(min(max(int(math.sqrt(2.0 * _EVENLY * most / n_triangles)), fewest), finest))
        self._motions = self._harmonics(range(len(self.shares)))
        self._errors: dict[Edge, float] = {}
        self._halve(most)

    @property
    def points(self) -> Float[np.ndarray, "corners 2"]:
        """Where the corners lie in the plane of the network."""
        return np.asarray(np.array(self.shares) @ self.network.points)

    def spectra(self) -> tuple[Spectrum, ...]:
        """The motions of all corners, in quaternions."""
        return played_at(self.network, [self._place(*own) for own in zip(self._first, self.shares, strict=True)])

    def _begin(self, parts: int) -> None:
        """The lattice of every triangle of the network."""
        known: dict[tuple[tuple[int, int], ...], int] = {}
        for owner, nodes in enumerate(self.network.corners.tolist()):
            numbers: dict[tuple[int, int], int] = {}
            for i in range(parts + 1):
                for j in range(i + 1):
                    counts = (parts - i, i - j, j)
                    name = tuple(sorted((node, count) for node, count in zip(nodes, counts, strict=True) if count))
                    if name not in known:
                        known[name] = len(self.shares)
                        shares = np.zeros(len(self.network.nodes))
                        shares[nodes] = np.array(counts) / parts
                        self._add(shares, owner)
                    numbers[i, j] = known[name]
            for i in range(parts):
                for j in range(i + 1):
                    self.triangles.append((numbers[i, j], numbers[i + 1, j], numbers[i + 1, j + 1]))
                    if j < i:
                        self.triangles.append((numbers[i, j], numbers[i + 1, j + 1], numbers[i, j + 1]))
            self._owners += [owner] * (len(self.triangles) - len(self._owners))

    def _add(self, shares: Float[np.ndarray, " nodes"], owner: int) -> int:
        self.shares.append(shares)
        self._first.append(owner)
        return len(self.shares) - 1

    def _halve(self, most: int) -> None:
        """Halve triangles, those first whose errors count most."""
        while True:
            self._compare()
            owners = {
                one: owner
                for triangle, owner in zip(self.triangles, self._owners, strict=True)
                for one in edges_of(triangle)
            }
            bent = [one for one in owners if self._errors[one] > _NEAR_ENOUGH and self._length(one) > _SHORTEST]
            room = most - len(self.shares)
            if not bent or room < most // 20:
                return
            bent.sort(key=lambda one: (-self._errors[one] * self._length(one), one))
            middles: dict[Edge, int] = {}
            for one in sorted(with_longest(self.triangles, bent[: max(room // 3, 1)], self._length)):
                middles[one] = self._add(0.5 * (self.shares[one[0]] + self.shares[one[1]]), owners[one])
            new = self._harmonics(range(len(self._motions), len(self.shares)))
            self._motions = np.concatenate([self._motions, new])
            cut = [bisected(triangle, middles, self._length) for triangle in self.triangles]
            self._owners = [own for own, parts in zip(self._owners, cut, strict=True) for _ in parts]
            self.triangles = [triangle for parts in cut for triangle in parts]

    def _length(self, one: Edge) -> float:
        """The length of an edge: the same in both triangles beside it, 1 between two nodes."""
        off = self.shares[one[0]] - self.shares[one[1]]
        return float(np.sqrt(0.5 * (off @ off)))

    def _compare(self) -> None:
        """How far the blends half-way along edges are off the means of their ends, where that is not yet known."""
        new: dict[Edge, int] = {}
        for triangle, owner in zip(self.triangles, self._owners, strict=True):
            for one in edges_of(triangle):
                if one not in self._errors:
                    new.setdefault(one, owner)
        edges = list(new)
        for begin in range(0, len(edges), _AT_ONCE):
            some = edges[begin : begin + _AT_ONCE]
            a, b = np.array(some).T
            middles = [0.5 * (self.shares[i] + self.shares[j]) for i, j in some]
            there = self._blended([self._place(new[one], own) for one, own in zip(some, middles, strict=True)])
            off = np.abs(there - 0.5 * (self._motions[a] + self._motions[b]))
            off[:, 1:] *= np.sqrt(2.0)  # what a harmonic moves in the mean square
            errors = np.sqrt(np.einsum("nhd,d->n", np.square(off), self._levers))
            self._errors.update(zip(some, errors.tolist(), strict=True))

    def _harmonics(self, corners: range) -> Complex[np.ndarray, "some harmonics dofs"]:
        places = [self._place(self._first[i], self.shares[i]) for i in corners]
        return np.concatenate([self._blended(places[i : i + _AT_ONCE]) for i in range(0, len(places), _AT_ONCE)])

    def _blended(self, places: list[Place]) -> Complex[np.ndarray, "places harmonics dofs"]:
        """The harmonics of blends, in quaternions and single precision."""
        network = self.network
        found = network.coefficients_at([place.point for place in places] if network.interpolant else places)
        return _in_quaternions(network, found).astype(np.complex64)

    def _place(self, owner: int, shares: Float[np.ndarray, " nodes"]) -> Place:
        """All of a triangle's nodes in its order, also those without a share: stacks are ranked by them."""
        nodes = self.network.corners[owner]
        weights = near_in_step(self.network, nodes, shares[nodes])
        return Place(owner, nodes, weights, tuple((shares @ self.network.points).tolist()))

    @cached_property
    def _levers(self) -> Float[np.ndarray, " dofs"]:
        """The factors from squared differences of dofs to mean squared displacements of joints."""
        layout = _quaternion_layout(self.network)
        out = np.zeros(layout.n_dofs)
        out[:-N_ROOT_DOFS] = np.repeat(4.0 * _squared_levers(layout.skeleton), 4)  # turned by twice as much
        out[HEIGHT] = 1.0
        return out


def played_at(network: Network, places: Sequence[Place]) -> tuple[Spectrum, ...]:
    """The blends at places of a network, in quaternions; with an interpolant, only the points of places count."""
    spectra = [network.blend(place if network.interpolant is None else place.point) for place in places]
    if isinstance(network.layout, QuaternionLayout):
        return tuple(spectra)
    layout = _quaternion_layout(network)
    written = _in_quaternions(network, [spectrum.coefficients for spectrum in spectra])
    pairs = zip(spectra, written, strict=True)
    return tuple(replace(spectrum, coefficients=own, layout=layout) for spectrum, own in pairs)


def _quaternion_layout(network: Network) -> QuaternionLayout:
    layout = network.layout
    assert layout is not None
    return layout if isinstance(layout, QuaternionLayout) else QuaternionLayout(layout.skeleton)


def _in_quaternions(
    network: Network, motions: Sequence[np.ndarray] | Complex[np.ndarray, "motions harmonics dofs"]
) -> Complex[np.ndarray, "motions harmonics others"]:
    """The harmonics of motions of a network with quaternions for dofs, of like signs."""
    if isinstance(network.layout, QuaternionLayout):
        return np.asarray(motions)
    layout = _quaternion_layout(network)
    means = [_frames(network, node.spectrum.coefficients).mean(axis=0) for node in network.nodes]
    common = layout.common_reference(np.stack(means))
    rows = [layout.matched(_frames(network, one), common) for one in motions]
    return np.fft.rfft(rows, axis=1, norm="forward")[:, : len(motions[0])]


def _frames(network: Network, motion: Complex[np.ndarray, "harmonics dofs"]) -> Float[np.ndarray, "frames others"]:
    """One round of a motion of a network, in quaternions."""
    layout = network.layout
    assert layout is not None
    rows = whole_cycle(motion, 4 * len(motion))
    return _quaternion_layout(network).dofs(layout.rotations(rows), rows[:, -N_ROOT_DOFS:])


def _squared_levers(skeleton: Skeleton) -> Float[np.ndarray, " joints"]:
    """How far a joint's turn moves all joints: squares of their distances in the rest pose, the mean over all."""
    at = skeleton.rest_positions
    out = np.zeros(skeleton.n_joints)
    for other in range(skeleton.n_joints):
        above = skeleton.path(other)
        out[above] += np.square(at[above] - at[other]).sum(axis=-1) / skeleton.n_joints
    return out


def near_in_step(network: Network, nodes: Int[np.ndarray, " corners"], weights: _Shares) -> _Shares:
    """The shares of a corner; at a node with its own time those of a place close by.

    There plants are those of the nodes that keep step, on the node itself its own: cells between the two would have
    plants of neither.

    ``nodes`` and ``weights`` are of a triangle or segment, and what they count at the corner.
    """
    steady = network.bank.in_step[nodes]
    if steady[weights > 0.0].any() or np.count_nonzero(weights) > 1 or not steady.any():
        return weights
    return np.where(np.arange(len(nodes)) == np.argmax(steady), _NEAR, weights * (1.0 - _NEAR))
