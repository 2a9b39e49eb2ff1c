"""A network as a grid of closed loops: what a page mixes where no engine runs.

Every loop is the blend at one place, played with held feet and cut to exactly one cycle. The places are the network's
nodes and points that part its triangles evenly, so that the triangles of the grid cover exactly what the network does.
All loops share the network's cycle phase; a page mixes the three around the point and integrates their root motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Complex, Float, Int

from mocapella.blending.network import Network
from mocapella.errors import NetworkError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.player import Player


class _GridSettings(NamedTuple):
    """How fine a grid of loops is."""

    samples: int = 64  # poses of a loop; ten harmonics between them are off by less than a millimetre
    most_loops: int = 60  # of a network; the finest grid within it is taken
    most_parts: int = 4  # of an edge, where there are few
    settling: int = 2  # cycles after which held feet repeat


_GRID = _GridSettings()


@dataclass(frozen=True, eq=False)
class Loop:
    """One cycle of a motion as it is played, seen from the character."""

    at: tuple[float, ...]  # the place in the network
    duration: float  # seconds
    rotations_wxyz: Float[np.ndarray, "samples joints 4"]  # local; the root's without heading
    heights: Float[np.ndarray, " samples"]  # of the root, metres
    steps: Float[np.ndarray, "samples 3"]  # to the next sample: metres left and ahead, radians of yaw
    planted: Bool[np.ndarray, "samples 4"]  # heel and toe of the left foot, then of the right

    @property
    def speed(self) -> float:
        """Metres per second along the path of the root's mean."""
        yaws = np.cumsum([0.0, *self.steps[:-1, 2]])
        way = np.sum((self.steps[:, 1] + 1j * self.steps[:, 0]) * np.exp(1j * yaws))
        turn = float(self.steps[:, 2].sum())
        chord = 1.0 if abs(turn) < 1e-9 else (turn / 2.0) / math.sin(turn / 2.0) if abs(turn) < TURN else 1.0
        return float(abs(way) * chord / self.duration)

    @property
    def turn_rate(self) -> float:
        """Degrees per second, left positive."""
        return float(np.degrees(self.steps[:, 2].sum()) / self.duration)


@dataclass(frozen=True, eq=False)
class LoopGrid:
    """Loops at the corners of small triangles that cover a network."""

    skeleton: Skeleton
    loops: tuple[Loop, ...]  # the network's nodes first
    corners: Int[np.ndarray, "triangles corners"]  # in twos along a line, one for a single motion
    names: tuple[str, ...]  # of the nodes
    triangles: Int[np.ndarray, "_ corners"]  # the network's own


def loop_grid(network: Network, *, samples: int = _GRID.samples, parts: int | None = None) -> LoopGrid:
    """The closed loops of a network of one or more nodes in the plane.

    Every edge is cut into ``parts``; None takes at most four, and as many as give sixty loops. Raises ``NetworkError``
    for a network with more than two axes.
    """
    if network.n_axes != 2:
        raise NetworkError(
            expected="a network in the plane",
            got=f"one with {network.n_axes} axes",
            helps="record it with mocapella play and make a page of the recording",
        )
    tried = range(1, _GRID.most_parts + 1) if parts is None else [parts]
    grids = [_parted(network.points, network.corners, n) for n in tried]
    fitting = [grid for grid in grids if len(grid[0]) <= _GRID.most_loops]
    points, corners = (fitting or grids)[-1 if fitting else 0]
    skeleton = Player(network, network.nodes[0].at).skeleton
    loops = tuple(played_loop(network.blend(tuple(point)), tuple(point), samples) for point in points.tolist())
    return LoopGrid(skeleton, loops, corners, tuple(network.names), network.corners)


def played_loop(spectrum: Spectrum, at: Sequence[float], samples: int = _GRID.samples) -> Loop:
    """One cycle of a motion as a player plays it, once its held feet repeat."""
    player = Player(spectrum)
    dt = spectrum.duration / samples
    for _ in range(_GRID.settling * samples):
        player.step(dt)
    headings, places, heights, rotations, planted = [], [], [], [], []
    for sample in range(samples + 1):
        pose = player.step(dt if sample else 0.0)
        headings.append(player.heading)
        places.append(complex(pose.root_position[2], pose.root_position[0]))
        heights.append(float(pose.root_position[1]))
        rotations.append(pose.rotations_wxyz)
        planted.append(player.planted)
    yaws = np.unwrap(headings)
    local = np.array(rotations[:-1])
    local[:, 0] = quaternions.multiply(quaternions.about_y(-yaws[:-1]), local[:, 0])
    return Loop(
        tuple(at),
        spectrum.duration,
        local,
        np.array(heights[:-1]),
        root_steps(np.array(places), yaws),
        np.array(planted[:-1], dtype=bool),
    )


def root_steps(
    places: Complex[np.ndarray, " closed"], yaws: Float[np.ndarray, " closed"]
) -> Float[np.ndarray, "samples 3"]:
    """The steps of the root from each sample of a loop to the next: metres to the left and ahead, radians of yaw.

    ``places`` on the ground (z + ix, metres) and ``yaws`` (radians, continuous) are one more than there are samples.
    """
    ways = np.diff(places) * np.exp(-1j * yaws[:-1])
    return np.stack([ways.imag, ways.real, np.diff(yaws)], axis=-1)


def _parted(
    points: Float[np.ndarray, "nodes 2"], corners: Int[np.ndarray, "triangles corners"], n: int
) -> tuple[Float[np.ndarray, "places 2"], Int[np.ndarray, "parts corners"]]:
    """Every triangle cut into n² alike, every segment into n; corners shared by neighbours are kept once."""
    numbers: dict[tuple[tuple[int, int], ...], int] = {((node, n),): node for node in range(len(points))}
    places = [*points]
    parts: list[tuple[int, ...]] = []
    for row in corners.tolist():

        def number(*shares: int, row: list[int] = row) -> int:
            key = tuple(sorted((corner, share) for corner, share in zip(row, shares, strict=True) if share))
            if key not in numbers:
                numbers[key] = len(places)
                places.append(sum(share * points[corner] for corner, share in key) / n)
            return numbers[key]

        if len(row) == 1:
            parts.append((number(n),))
            continue
        if len(row) == 2:
            parts += [(number(n - i, i), number(n - i - 1, i + 1)) for i in range(n)]
            continue
        for i in range(n):
            for j in range(n - i):
                k = n - i - j
                parts.append((number(k, i, j), number(k - 1, i + 1, j), number(k - 1, i, j + 1)))
                if k > 1:
                    parts.append((number(k - 1, i + 1, j), number(k - 2, i + 1, j + 1), number(k - 1, i, j + 1)))
    return np.array(places), np.array(parts, dtype=np.int64)
