"""A network sampled on a grid: closed loops that start at the same cycle phase, for the blend spaces of engines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from mocapella.blending.network import Network
from mocapella.checks import whole_number
from mocapella.editing.retarget import carried_to
from mocapella.errors import MotionError, warn
from mocapella.geometry import triangulation
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.loops import mean_rates, steady_course
from mocapella.motion.skeleton import Skeleton
from mocapella.playback.player import Player
from mocapella.playback.record import record_loop

_NEAR = 0.45  # of a cell: points of the lattice nearer than this to a node are left out
_LIKE, _LIKE_TURN = 0.05, 3.0  # of speed and turn, and degrees per second: nodes so near to their rates lie at them
_MOST = 1024  # loops in a grid
_MOMENTS = 32  # of a cycle, at which loops may begin
_TAKEN_OFF = re.compile(r"[-_](?:loop|loop_mode|cycle)(\d*)$", re.IGNORECASE)  # ends that tell Godot to repeat


@dataclass(frozen=True, eq=False)
class GridLoop:
    """One cycle of a network at a blending point, closed, its planted feet held."""

    name: str
    at: tuple[float, float]  # where it lies in a blend space
    point: tuple[float, float]  # where it was recorded in the network
    clip: Clip  # with its closing frame
    contacts: Contacts
    phase: float = 0.0  # radians: cycle phase of its first frame

    @property
    def seconds(self) -> float:
        """How long a round takes."""
        return (self.clip.n_frames - 1) / self.clip.frame_rate

    @cached_property
    def rates(self) -> tuple[float, float]:
        """Speed in m/s and turn in degrees per second, left positive, as the loop goes."""
        return mean_rates(steady_course(self.clip), self.seconds)

    @cached_property
    def plants(self) -> dict[str, list[list[float]]]:
        """When each foot is down, as shares of a round."""
        n_frames = self.clip.n_frames - 1
        return {
            side: [[first / n_frames, (last + 1) / n_frames] for first, last in self.contacts[:n_frames].foot(side)]
            for side in ("left", "right")
        }


@dataclass(frozen=True, eq=False)
class BlendGrid:
    """Loops over the plane of a network, and the triangles between them."""

    loops: tuple[GridLoop, ...]
    triangles: Int[np.ndarray, "triangles 3"]

    @property
    def period(self) -> float:
        """The mean time of a round, seconds."""
        return float(np.mean([loop.seconds for loop in self.loops]))


def blend_grid(
    network: Network,
    *,
    columns: int = 5,
    rows: int = 5,
    frame_rate: float = 30.0,
    uniform: bool = False,
    progress: Callable[[Sequence[tuple[float, float]]], Iterator[tuple[float, float]]] = iter,
) -> BlendGrid:
    """Record the loops of a network at its nodes and at the points of a lattice between them.

    Parameters
    ----------
    network
        Network in the plane.
    columns, rows
        Size of the lattice over the network's extent; points outside the network, and those next to a node, are left
        out.
    frame_rate
        Frames per second of the loops, rounded so that a cycle has a whole number of frames.
    uniform
        Give all loops the same number of frames, as many as a cycle of mean length has.
    progress
        Iterates over the points, and may show how far it is.

    Returns
    -------
    BlendGrid
        Nodes first; all loops start at the same cycle phase, so that equal shares of a round match: the one at which
        the nodes move least, so that no loop is joined at its fastest moment. Where the nodes lie at their turn and
        speed, each loop lies at the turn and speed that it has, which blends meet only roughly.

    Raises
    ------
    MotionError
        Where the network is not one in the plane, nothing in it repeats, or more than 1,024 loops are asked for.

    Warns
    -----
    MotionWarning
        Names the points whose motion does not repeat, such as stands that run in their own time.
    """
    if network.n_axes != 2:
        raise MotionError("a grid needs a network in the plane; take one of the layers of this one")
    points = _points(network, *_checked_size(columns, rows))
    loops: list[GridLoop] = []
    left_out: list[str] = []
    names = dict(zip(map(tuple, network.points.tolist()), network.names, strict=True))
    frames = round(frame_rate * float(np.mean([node.spectrum.duration for node in network.nodes]))) if uniform else None
    phase = _calmest_phase(network)
    for number, at in enumerate(progress(points)):
        name = names.get(at, f"grid_{number}")
        try:
            player = Player(network, point=at, phase=phase)
            clip, contacts = record_loop(player, frame_rate=frame_rate, frames=frames, name=_plain(name))
        except MotionError:
            left_out.append(name)
            continue
        loops.append(GridLoop(_free(clip.name, [loop.name for loop in loops]), at, at, clip, contacts, phase))
    if not loops:
        raise MotionError("nothing in the network repeats cycle by cycle, so there is no loop to write")
    if left_out:
        warn(f"left out, for their motion does not repeat cycle by cycle: {', '.join(left_out)}")
    if all(_by_rates(loop) for loop in loops if loop.point in names):
        loops = [replace(loop, at=(loop.rates[1], loop.rates[0])) for loop in loops]
    return BlendGrid(tuple(loops), _triangles(np.array([loop.at for loop in loops])))


def _checked_size(columns: int, rows: int) -> tuple[int, int]:
    n_columns, n_rows = (whole_number(count, "a number of loops, at least 2") for count in (columns, rows))
    if min(n_columns, n_rows) < 2 or n_columns * n_rows > _MOST:
        raise MotionError(expected=f"a grid of 2 × 2 to {_MOST} loops", got=f"{columns} × {rows}")
    return n_columns, n_rows


def carried_grid(grid: BlendGrid, skeleton: Skeleton) -> BlendGrid:
    """The loops of a grid on another skeleton, feet held, closed again.

    Loops that lay at their turn and speed are moved to those that they have now: longer legs go faster. Raises
    ``MotionError`` where the skeleton lacks hips or legs.
    """
    carried = [
        replace(loop, clip=carried_to(loop.clip, skeleton, contacts=loop.contacts, loop=True)) for loop in grid.loops
    ]
    if all(np.allclose(loop.at, loop.rates[::-1]) for loop in grid.loops):
        carried = [replace(loop, at=(loop.rates[1], loop.rates[0])) for loop in carried]
    return BlendGrid(tuple(carried), _triangles(np.array([loop.at for loop in carried])))


def _by_rates(loop: GridLoop) -> bool:
    """Whether a loop was recorded at its turn, in degrees per second, and its speed."""
    speed, turn = loop.rates
    turns_so = np.isclose(loop.point[0], turn, rtol=_LIKE, atol=_LIKE_TURN)
    return bool(turns_so and np.isclose(loop.point[1], speed, rtol=_LIKE))


def _points(network: Network, columns: int, rows: int) -> list[tuple[float, float]]:
    """The places of the nodes, and the points of the lattice that lie in the network and not next to one."""
    nodes = list(dict.fromkeys((float(x), float(y)) for x, y in network.points))
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    cell = np.maximum((high - low) / [columns - 1, rows - 1], 1e-9)
    out = list(nodes)
    if len(network.corners) and network.corners.shape[1] == 3:
        for y in np.linspace(low[1], high[1], rows):
            for x in np.linspace(low[0], high[0], columns):
                away = np.linalg.norm((np.array(nodes) - [x, y]) / cell, axis=-1).min()
                if away > _NEAR and network.holds((float(x), float(y))):
                    out.append((float(x), float(y)))
    return out


def _calmest_phase(network: Network) -> float:
    """The cycle phase, radians, at which nodes move and change their movement least; 0 where none repeats.

    Each node is compared with its own fastest moment, and the worst of them counts.
    """
    paces = []
    for point in dict.fromkeys((float(x), float(y)) for x, y in network.points):
        try:
            clip, _ = record_loop(Player(network, point=point), frames=_MOMENTS)
        except MotionError:
            continue
        seen = steady_course(clip).taken_out_of(clip).positions[:-1]  # on the spot, so that it goes round
        steps = np.roll(seen, -1, axis=0) - seen
        for moves in (np.diff(clip.positions, axis=0), steps - np.roll(steps, 1, axis=0)):
            sizes = np.sqrt((moves**2).sum(axis=-1).mean(axis=-1))
            paces.append(np.maximum(sizes, np.roll(sizes, 1)) / max(float(sizes.max()), 1e-9))
    return 2.0 * np.pi * int(np.argmin(np.max(paces, axis=0))) / _MOMENTS if paces else 0.0


def _triangles(points: Float[np.ndarray, "loops 2"]) -> Int[np.ndarray, "triangles 3"]:
    """Delaunay's triangles; none where all points lie on a line along an axis."""
    if len(points) < 3 or np.ptp(points, axis=0).min() <= 0.0:
        return np.zeros((0, 3), dtype=np.int64)
    return np.asarray(triangulation.delaunay(points), dtype=np.int64)


def _plain(name: str) -> str:
    """A name that all engines keep: of letters, digits, dashes and underscores, without words that Godot takes off."""
    name = "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name)
    while (short := _TAKEN_OFF.sub(r"\1", name)) != name:
        name = short
    return name or "loop"


def _free(wish: str, taken: Sequence[str]) -> str:
    """The wished name, numbered where another loop has it."""
    name, number = wish, 2
    while name in taken:
        name, number = f"{wish}_{number}", number + 1
    return name
