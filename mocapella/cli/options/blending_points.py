"""Options of what is played: blending points, how they move, and how a character starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from mocapella.blending.cascade import Cascade
from mocapella.blending.network import Network
from mocapella.cli.options import Command, Options, expert_option
from mocapella.cli.options.csv_tables import Playable, read_number
from mocapella.cli.options.numbers import NumberRange
from mocapella.errors import FormatError, MotionError, warn
from mocapella.files.disk import read_bytes
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.playback.player import Player
from mocapella.playback.pointer import Point
from mocapella.playback.settings import FEET_MODES, Feet
from mocapella.playback.state import LARGEST, Snapshot
from mocapella.steering.point_script import Script
from mocapella.storage.values import load_network

_MOST_AXES = 64  # numbers of a point: cascades have a few, more are other arguments
_SLOWEST = 60.0  # seconds that a point may take to arrive
_NEARLY = 0.02  # of a network's width and height: a point nearer to it than this is outside by rounding only
_JOIN = ","


class PointsCommand(Command):
    """A command with options of type ``POINT``: all numbers that follow such an option belong to it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the numbers of each point to one word, since a click option takes a fixed number of words."""
        options = {name for param in self.params if isinstance(param.type, _Point) for name in param.opts}
        words: list[str] = []
        left = list(args)
        while left:
            word = left.pop(0)
            words.append(word)
            if word in options:
                numbers: list[str] = []
                while left and read_number(left[0]) is not None and len(numbers) < _MOST_AXES:
                    numbers.append(left.pop(0))
                words.append(_JOIN.join(numbers))
        return super().parse_args(ctx, words)


class _Point(click.ParamType[tuple[float, ...]]):
    """Two numbers or more."""

    name = "point"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        numbers = [word for word in str(value).split(_JOIN) if word]
        if len(numbers) < 2:
            self.fail(f"expected two numbers or more, such as 20 1.3, got {' '.join(numbers) or 'none'}", param, ctx)
        return tuple(float(number) for number in numbers)


POINT = _Point()

# The keyword arguments of ``Player``, under the same names.
start_options = Options(
    click.option("--block", metavar="NAME", help="Hybrid network: the block to start in; its first if left out."),
    click.option("--mode", metavar="NAME", help="Hybrid network: the mode to start in; its first if left out."),
    expert_option("--feet", type=click.Choice(FEET_MODES), default="held", help="How planted feet are held."),
    expert_option("--ease", type=NumberRange(0.0, _SLOWEST), metavar="SECONDS",
                 help="Time in which the point covers 90 % of the way to its target; 0.3 if left out, 0 jumps."),
    expert_option("--pace", type=NumberRange(0.0, min_open=True), metavar="UNITS",
                 help="Largest speed of the point, in units of the plane per second; not limited if left out."),
)  # fmt: skip


@dataclass(frozen=True)
class Start:
    """How a player starts: as ``start_options`` say, or from a stored state."""

    feet: Feet
    block: str | None = None  # of a hybrid network
    mode: str | None = None
    ease: float | None = None  # seconds; the player's own default if None
    pace: float | None = None  # units of the plane per second; not limited if None
    stored: Snapshot | None = None

    def player(self, network: Playable, point: Sequence[float]) -> Player:
        """A player that starts this way; from a stored state, where that left off."""
        if self.stored is not None:
            return Player.resumed(network, self.stored)
        moving: dict[str, Any] = {"ease": self.ease, "pace": self.pace}
        given = {key: value for key, value in moving.items() if value is not None}
        return Player(network, point=tuple(point), block=self.block, mode=self.mode, feet=self.feet, **given)


def chosen_network(path: Path, block: str | None) -> tuple[Network, tuple[str, ...]]:
    """The plain network in a file: of a hybrid network one block, of a cascade the network that it blends.

    ``block`` names a block of a hybrid network; None for its first. Returns the network and the names of the other
    blocks. Raises ``MotionError`` where there is no such block.
    """
    return _one_block(path, load_network(path), block)


def all_blocks(path: Path, block: str | None) -> Network | HybridNetwork:
    """The network in a file: a hybrid network as a whole, unless one of its blocks is named.

    Raises ``MotionError`` where there is no such block.
    """
    network = load_network(path)
    if isinstance(network, HybridNetwork) and block is None:
        return network
    return _one_block(path, network, block)[0]


def _one_block(path: Path, network: Playable, block: str | None) -> tuple[Network, tuple[str, ...]]:
    others: tuple[str, ...] = ()
    if isinstance(network, HybridNetwork):
        chosen = next(iter(network.blocks)) if block is None else block
        others = tuple(name for name in network.blocks if name != chosen)
        network = network.block(chosen).network
    elif block is not None:
        raise MotionError(f"{path} is a plain network; only a hybrid one has blocks")
    return network.network if isinstance(network, Cascade) else network, others


def middle_of(network: Playable, block: str | None = None) -> tuple[float, ...]:
    """The place of the node nearest to the middle of a network or block, which is inside any network.

    ``block`` names a block of a hybrid network; None for its first.
    """
    if isinstance(network, HybridNetwork):
        network = network.block(block or next(iter(network.blocks))).network
    if isinstance(network, Cascade):
        network = network.network
    points = network.points
    spans = np.maximum(np.ptp(points, axis=0), 1e-9)
    return network.nodes[int(np.argmin(np.linalg.norm((points - points.mean(axis=0)) / spans, axis=1)))].at


def stored(path: Path) -> Snapshot:
    """Read a player's state that ``--save-state`` wrote; ``FormatError`` if the file holds none."""
    try:
        return Snapshot.from_json(read_bytes(path, most=LARGEST))
    except FormatError:
        raise
    except MotionError as error:
        raise FormatError(path, 0, str(error)) from None


@dataclass(frozen=True)
class ResumedScript:
    """A script that continues after ``frames`` frames have been played."""

    script: Script
    frames: int
    rate: float  # frames per second

    def steer(self, player: object, time: float | int) -> Point | None:
        """The point of the script at the time it would have without the break."""
        return self.script.steer(player, (round(time * self.rate) + self.frames) / self.rate)


def warn_of_points_outside(network: Playable, points: Sequence[Point]) -> None:
    """Warn once if points lie outside a network: the first of them, how many, and what is played instead.

    In a hybrid network a point is inside if any of its blocks contains it, since the block is known only when the point
    is reached. In a cascade each network has its own coordinates of a point.
    """
    if isinstance(network, Cascade):
        first = 0
        for part in (network.outer, *network.inner.values()):
            warn_of_points_outside(part, [point[first : first + part.n_axes] for point in points if len(point) > first])
            first += part.n_axes
        return
    parts = [block.network for block in network.blocks.values()] if isinstance(network, HybridNetwork) else [network]
    outside = []
    for point in points:
        nearest = [_nearest(part, point) for part in parts]
        if None not in nearest:
            outside.append((point, nearest[0]))
    if outside:
        warn(_told_outside(parts, outside, len(points)))


def _told_outside(parts: Sequence[Network], outside: Sequence[tuple[Point, Point | None]], n_points: int) -> str:
    """The first point outside, the size of the network, how many points there are, and which point is played."""
    asked, played = outside[0]
    spans = np.concatenate([part.points for part in parts])
    ends = zip(spans.min(axis=0).tolist(), spans.max(axis=0).tolist(), strict=True)
    size = " by ".join(f"{low:.4g} … {high:.4g}" for low, high in ends)
    more = f", as {len(outside)} points of {n_points} do" if n_points > 1 else ""
    there = f" there, {_words(played)}," if len(parts) == 1 and played else ""
    return f"the point {_words(asked)} lies outside the network, {size}{more}; the nearest{there} is played"


def _nearest(network: Network, point: Point) -> Point | None:
    """The nearest point inside; None for a point inside, and where the network extrapolates."""
    if network.outside == "extrapolate":
        return None
    nearest = network.place(point).point
    spread = np.ptp(network.points, axis=0)
    scale = np.where(spread > 0.0, spread, max(float(spread.max()), 1.0))
    off = float(np.linalg.norm((np.array(nearest) - np.array(point)) / scale))
    return nearest if off > _NEARLY else None


def _words(point: Point) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in point) + ")"
