"""A network cut into triangles whose corners are mixed as phasors, with the gaits of a lattice of blends in each.

Networks that mix by weighted means of harmonics stay as they are. Other blend rules, single-source harmonics, smoother
interpolants, nodes with their own time and Euler angles are cut finer (``refined``): blends are made at the corners of
small triangles, written as quaternions, and phasors in between come near to what the network would make.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.blending.rules import RULES, LivelyBlend, phasor_blend
from mocapella.crowd.cutting.refined import Refined, near_in_step, played_at
from mocapella.geometry.mesh import Mesh
from mocapella.motion.layout import QuaternionLayout
from mocapella.motion.spectrum import Spectrum

_PARTS = (8, 20)  # of an edge between two nodes, at whose ends gaits are derived: at least, at most
_MOST_GAITS = 2000  # of a network between these: what keeps the tables of 25 nodes below a megabyte
_CUTS = (12, 48)  # of a segment of a network whose rule is not a weighted mean: where few will do, and else

Shares = tuple[tuple[int, int], ...]  # of a blend: corners, by their numbers, and how many parts it has of each


@dataclass(frozen=True, eq=False)
class Pieces:
    """Corners with their motions, the triangles between them, and the blends that gaits are derived from."""

    spectra: tuple[Spectrum, ...]  # of each corner, in quaternions
    points: Float[np.ndarray, "corners 2"]  # in the crowd's own units
    centre: tuple[float, float]  # of the network, in its own units
    size: float  # of it: by what the crowd's units are larger
    corners: Int[np.ndarray, "triangles 3"]  # a segment names its second corner twice, a single node itself
    neighbours: Int[np.ndarray, "triangles 3"]  # across from each corner, −1 where there is none
    maps: Float[np.ndarray, "triangles 3 3"]  # weights of a point: constant, times x, times y
    lateness: Float[np.ndarray, " corners"]
    first: int  # the lowest harmonic whose energy is kept outside of the legs; beyond the last: none
    parts: int  # of an edge, at whose ends gaits are derived
    network: Network | None  # the network of the blends, where edges have several parts

    def vertices(self) -> tuple[list[Shares], Int[np.ndarray, "triangles vertices"]]:
        """The blends whose gaits are derived, each once, and which of them stand at the vertices of each lattice.

        Returns the shares of corners, in parts, by their numbers; for the vertices of each triangle, in the order of
        ``lattice``, the numbers of their blends.
        """
        known: dict[Shares, int] = {}
        rows = []
        for own in self.corners.tolist():
            row = []
            for counts in lattice(self.parts):
                shares: dict[int, int] = {}
                for corner, count in zip(own, counts, strict=True):
                    if count:
                        shares[corner] = shares.get(corner, 0) + count
                row.append(known.setdefault(tuple(sorted(shares.items())), len(known)))
            rows.append(row)
        return list(known), np.array(rows)


def lattice(parts: int) -> list[tuple[int, int, int]]:
    """The shares of a triangle's corners, in parts, at the vertices of its lattice.

    Vertex ``i (i + 1) / 2 + j`` has ``j`` parts of the third corner and ``i - j`` of the second.

    Returns shares that sum to ``parts``.
    """
    return [(parts - i, i - j, j) for i in range(parts + 1) for j in range(i + 1)]


def pieces_of(network: Network, *, coarse: bool = False) -> Pieces:
    """The triangles of a network, or smaller ones where harmonics are not mixed by weighted means."""
    bank, rule = network.bank, network.rule
    plain = rule in (phasor_blend, RULES["series"]) or isinstance(rule, LivelyBlend)
    own = network.single_source is None and network.interpolant is None and bool(bank.in_step.all())
    if plain and own and isinstance(network.layout, QuaternionLayout):
        spectra = tuple(bank.mix(np.array([i]), np.ones(1), rule) for i in range(len(network.nodes)))
        lively = rule if isinstance(rule, LivelyBlend) else None
        late = bank.lateness if lively is not None and lively.by_feet else np.zeros(len(spectra))
        beyond = network.n_harmonics + 1
        first = beyond if lively is None else min(lively.first, beyond)
        parts = _parts(len(network.corners), coarse)
        return _joined(spectra, network.points, network.corners, np.asarray(late), first, parts, network)
    return _cut(network, coarse)


def _parts(n_triangles: int, coarse: bool) -> int:
    """The number of parts of an edge: the more, the nearer a crowd is to the gaits that players derive."""
    fewest, most = _PARTS
    if coarse:
        return fewest
    return next((n for n in range(most, fewest, -1) if n_triangles * len(lattice(n)) <= _MOST_GAITS), fewest)


def _cut(network: Network, coarse: bool) -> Pieces:
    """The same triangles cut into smaller ones, or segments into shorter ones, blended at every corner."""
    if network.corners.shape[1] == 3:
        refined = Refined(network, coarse=coarse)
        spectra, points, corners = refined.spectra(), refined.points, np.array(refined.triangles)
    else:
        spectra, points, corners = _chain(network, coarse)
    return _joined(spectra, points, corners, np.zeros(len(spectra)), spectra[0].n_harmonics + 1, 1, None)


def _chain(
    network: Network, coarse: bool
) -> tuple[tuple[Spectrum, ...], Float[np.ndarray, "corners 2"], Int[np.ndarray, "segments some"]]:
    """The blends along the segments of a network on a line, or the motion of a single node."""
    places: dict[tuple[int, int, int], Place] = {}
    corners: list[list[int]] = []
    cuts = _CUTS[0 if coarse else 1]
    for segment, own in enumerate(network.corners.tolist()):
        numbers = []
        for i in range(cuts + 1) if len(own) == 2 else (0,):
            ends = (own[0], own[-1], i) if 0 < i < cuts else (own[i // cuts], own[i // cuts], 0)
            if ends not in places:
                nodes, weights = np.array(own), np.array([cuts - i, i][: len(own)]) / cuts
                at = tuple((weights @ network.points[nodes]).tolist())
                places[ends] = Place(segment, nodes, near_in_step(network, nodes, weights), at)
            numbers.append(list(places).index(ends))
        corners += [numbers[i : i + len(own)] for i in range(max(len(numbers) - 1, 1))]
    points = np.array([place.point for place in places.values()])
    return played_at(network, list(places.values())), points, np.array(corners)


def _joined(
    spectra: tuple[Spectrum, ...],
    points: Float[np.ndarray, "corners 2"],
    corners: Int[np.ndarray, "triangles some"],
    lateness: Float[np.ndarray, " corners"],
    first: int,
    parts: int,
    network: Network | None,
) -> Pieces:
    n, size = corners.shape
    full = np.concatenate([corners, np.repeat(corners[:, -1:], 3 - size, axis=1)], axis=1)
    neighbours = np.full((n, 3), -1)
    if size > 1:
        neighbours[:, :size] = Mesh(points, corners).neighbours
    low, high = points.min(axis=0), points.max(axis=0)
    centre, size = 0.5 * (low + high), float(np.max(high - low)) or 1.0
    points = (points - centre) / size
    maps = np.stack([weight_map(points[row]) for row in corners.tolist()])
    middle = (float(centre[0]), float(centre[1]))
    return Pieces(spectra, points, middle, size, full, neighbours, maps, lateness, first, parts, network)


def weight_map(corners: Float[np.ndarray, "some 2"]) -> Float[np.ndarray, "3 3"]:
    """The matrix from (1, x, y) to the weights of a triangle's corners, a segment's ends or a single node.

    Returns one row for each corner; zeros for those that there are not.
    """
    out = np.zeros((3, 3))
    out[0, 0] = 1.0
    if len(corners) == 2:
        way = (corners[1] - corners[0]) / ((corners[1] - corners[0]) @ (corners[1] - corners[0]))
        out[1] = -corners[0] @ way, *way
        out[0] -= out[1]
    elif len(corners) == 3:
        out = np.linalg.inv(np.concatenate([np.ones((3, 1)), corners], axis=1)).T
    return out
