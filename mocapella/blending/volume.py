"""Networks in space: a third axis for style above the plane of turn and speed, filled with tetrahedra."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.spatial import Delaunay, QhullError

from mocapella.blending import triangulation
from mocapella.blending.embedding import Line
from mocapella.blending.network import Network
from mocapella.errors import NetworkError
from mocapella.geometry.triangles import flatness

Tetrahedra = Int[np.ndarray, "tetrahedra 4"]


class Volume(Network):
    """Nodes at three coordinates joined by tetrahedra; places, blends and rules are those of any network.

    ``triangles`` takes and gives names in fours. Nodes that all lie in one plane make no volume.
    """

    n_axes = 3

    @property
    def outline(self) -> tuple[tuple[int, ...], ...]:
        """The triangles that the volume ends at."""
        return tuple(tuple(face) for face in self.mesh.border.tolist())

    def flipped(self, first: str, second: str) -> Volume:
        """Refused: in space an edge has no other diagonal."""
        raise NetworkError(f"edge {first}–{second} of a volume has no other diagonal; give the tetrahedra by hand")

    @property
    def _line(self) -> Line | None:
        return None

    def _corners(self, given: Int[np.ndarray, "tetrahedra corners"] | None) -> Int[np.ndarray, "tetrahedra corners"]:
        triangulation.refuse_duplicates(self.points, self.names)
        if len(self.nodes) == 1:
            return np.zeros((1, 1), dtype=np.intp)
        if given is None:
            return _tetrahedra(self.points)
        _refuse_crossings(self.points, given, self.names)
        return given


def layered(networks: Sequence[Network], heights: Sequence[float], *, names: Sequence[str] | None = None) -> Volume:
    """Networks of the same triangles, one above the other: between two the blend changes from one to the next.

    On the height of a layer the volume is that network, which must be without single-source harmonics. Nodes are called
    ``layer/node``; layers are called by ``names`` or, without any, by their heights.
    """
    if len(networks) < 2 or len(networks) != len(heights):
        raise NetworkError(f"expected two layers or more, each with a height; got {len(networks)} and {len(heights)}")
    if any(not low < high for low, high in itertools.pairwise(heights)):
        raise NetworkError(f"heights of layers rise from one to the next, got {list(heights)}")
    corners = networks[0].corners
    if corners.shape[1] != 3 or any(not np.array_equal(network.corners, corners) for network in networks):
        raise NetworkError("layers need the same triangles over the same number of nodes, in the same order")
    if any(network.single_source is not None for network in networks):
        raise NetworkError("layers are joined without single-source harmonics; ask the volume for some afterwards")
    titles = [f"{height:g}" for height in heights] if names is None else list(names)
    nodes = [
        replace(node, name=f"{title}/{node.name}", at=(*node.at, float(height)))
        for network, height, title in zip(networks, heights, titles, strict=True)
        for node in network.nodes
    ]
    n, tetrahedra = len(networks[0].nodes), []
    for layer in range(len(networks) - 1):
        low = np.sort(corners, axis=1) + layer * n
        high = low + n
        # Every upright face is cut from the lower-numbered node above to the higher-numbered below, for both its sides.
        for i in range(3):
            tetrahedra.append(np.concatenate([low[:, i:], high[:, : i + 1]], axis=1))
    first = networks[0]
    return Volume(
        nodes,
        np.concatenate(tetrahedra).tolist(),
        rule=first.rule,
        harmonics=first.harmonics,
        outside=first.outside,
    )


def _tetrahedra(points: Float[np.ndarray, "points 3"]) -> Tetrahedra:
    spread = np.ptp(points, axis=0)
    scaled = (points - points.min(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    try:
        # Joggled: nodes on a grid are cut the same way from both sides of a face, and slivers are dropped after.
        # Four are one tetrahedron; joggled, Qhull asks for one more.
        one = len(points) == 4
        corners = np.arange(4)[None] if one else Delaunay(scaled, qhull_options="QJ Qbb").simplices.astype(np.intp)
    except (QhullError, ValueError):
        corners = np.zeros((0, 4), dtype=np.intp)
    corners = corners[flatness(scaled[corners]) >= triangulation.FLAT]
    if not len(corners):
        raise NetworkError(f"{len(points)} nodes in one plane span no volume; a network in the plane holds them")
    return np.asarray(np.sort(corners, axis=1)[np.lexsort(np.sort(corners, axis=1).T[::-1])])


def _refuse_crossings(points: Float[np.ndarray, "points 3"], corners: Tetrahedra, names: Sequence[str]) -> None:
    def title(t: int) -> str:
        return "–".join(names[i] for i in corners[t].tolist())

    shapes = points[corners]
    flat = np.flatnonzero(flatness(shapes) < triangulation.FLAT)
    if flat.size:
        raise NetworkError(f"the corners of {title(int(flat[0]))} lie in one plane")
    low, high = shapes.min(axis=1), shapes.max(axis=1)
    for t in range(len(corners) - 1):
        rest = np.arange(t + 1, len(corners))
        near = rest[((low[rest] < high[t]) & (high[rest] > low[t])).all(axis=1)]
        crossing = near[_overlap(shapes[t], shapes[near])] if near.size else near
        if crossing.size:
            raise NetworkError(f"{title(t)} and {title(int(crossing[0]))} cross; a point in both would have two blends")


def _overlap(one: Float[np.ndarray, "4 3"], others: Float[np.ndarray, "others 4 3"]) -> Bool[np.ndarray, " others"]:
    """Whether insides meet: no direction along a face's normal or square to two edges tells the two apart."""
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    own_edges = one[pairs[:, 1]] - one[pairs[:, 0]]
    edges = others[:, pairs[:, 1]] - others[:, pairs[:, 0]]
    own_normals = np.cross(own_edges[:, None], own_edges[None]).reshape(1, -1, 3)
    normals = np.cross(edges[:, :, None], edges[:, None]).reshape(len(others), -1, 3)
    crossed = np.cross(own_edges[None, :, None], edges[:, None]).reshape(len(others), -1, 3)
    axes = np.concatenate([np.broadcast_to(own_normals, normals.shape), normals, crossed], axis=1)
    sizes = np.linalg.norm(axes, axis=-1, keepdims=True)
    axes = np.divide(axes, sizes, out=np.zeros_like(axes), where=sizes > 1e-12)
    first, second = axes @ one.T, np.einsum("oda,oca->odc", axes, others)
    slack = 1e-9 * float(np.ptp(one, axis=0).max())
    gap = (first.max(axis=-1) <= second.min(axis=-1) + slack) | (second.max(axis=-1) <= first.min(axis=-1) + slack)
    return np.asarray(~(gap & (sizes[..., 0] > 1e-12)).any(axis=1))
