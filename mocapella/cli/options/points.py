"""Options of what is played: points, starts, scripts, what lies outside."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from mocapella.blending.cascade import Cascade
from mocapella.blending.network import Network
from mocapella.cli.options.files import Table, read_table
from mocapella.errors import FormatError, MotionError, MotionWarning
from mocapella.files.disk import read_bytes
from mocapella.hybrid.network import HybridNetwork
from mocapella.playback.player import Player
from mocapella.playback.pointer import Point
from mocapella.playback.settings import Feet
from mocapella.playback.state import Snapshot
from mocapella.steering.script import Script

# Blending points on the command line: as many numbers as the network has axes.

Playable = Network | HybridNetwork | Cascade

MOST_AXES = 64
_JOIN = ","


class PointsCommand(click.Command):
    """A command with options of type ``POINT``: all numbers that follow one belong to it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hand each point over as one word, for an option takes a fixed number of them."""
        options = {name for param in self.params if isinstance(param.type, _Point) for name in param.opts}
        words: list[str] = []
        left = list(args)
        while left:
            word = left.pop(0)
            words.append(word)
            if word in options:
                numbers: list[str] = []
                while left and _is_number(left[0]) and len(numbers) < MOST_AXES:
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


def axes_of(playable: Playable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the coordinates of a blending point are called in tables: those it must have, and those it may have."""
    if isinstance(playable, Cascade):
        own = playable.outer.n_axes
        names = tuple(name.lower() for name in playable.axes)
        return names[:own], names[own:]
    return ("x", "y", "z")[: playable.n_axes] if isinstance(playable, Network) else ("x", "y"), ()


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


# How a character begins to play: what ``mocapella play`` knows of it before the first frame.

SLOWEST = 60.0  # seconds that a point may take

_MOVING = (
    click.option("--ease", type=click.FloatRange(0.0, SLOWEST), metavar="SECONDS",
                 help="In which the point goes nine tenths of the way to where it is sent; else 0.3, 0 jumps."),
    click.option("--pace", type=click.FloatRange(0.0, min_open=True), metavar="UNITS",
                 help="The most the point moves a second, in units of the plane; else as fast as --ease has it."),
)  # fmt: skip


def moving_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how fast the blending point moves."""
    for option in reversed(_MOVING):
        run = option(run)
    return run


@dataclass(frozen=True)
class Start:
    """How a player begins: in which block and mode of a hybrid network, how it stands, or as it was stored."""

    block: str | None
    mode: str | None
    feet: Feet
    ease: float | None  # seconds; the player's own if None
    pace: float | None  # units of the plane per second; as fast as it eases if None
    stored: Snapshot | None

    def player(self, network: Playable, point: Sequence[float]) -> Player:
        """A player that begins so; one that was stored begins where it was."""
        if self.stored is not None:
            return Player.resumed(network, self.stored)
        given = {"ease": self.ease, "pace": self.pace}
        moving: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        return Player(network, point=tuple(point), block=self.block, mode=self.mode, feet=self.feet, **moving)


def stored(path: Path) -> Snapshot:
    """How a character was when it was stored; ``FormatError`` where a file does not say so."""
    try:
        return Snapshot.from_json(read_bytes(path))
    except FormatError:
        raise
    except MotionError as error:
        raise FormatError(path, 0, str(error)) from None


# Scripts of ``mocapella play``: a table of times, blending points and keys becomes what leads a player.


def read_script(path: Path, network: Playable) -> tuple[Script, int]:
    """Read ``time,x,y[,key]``, where a later row with a key may leave x and y out; also the line it ends on.

    A network with more axes has a column for each: ``time,x,y,z``; a cascade may have those of its inner points after
    them.

    Raises
    ------
    FormatError
        With the line: for what is no number, time before 0 s or that runs backward, a key that does nothing in this
        network.
    """
    axes, more = axes_of(network)
    table = read_table(path, ("time", *axes), more, word="key", gaps=axes)
    if any(name in table.columns for name in more):
        axes = (*axes, *more)
    known = network.keys if isinstance(network, HybridNetwork) else {}
    rows: list[tuple[float | str, ...]] = []
    for (time, *cells), key, line in zip(_cells(table, axes), table.words, table.lines, strict=True):
        if key and key not in known:
            there = f"there are {', '.join(known)}" if known else "this network has none"
            raise FormatError(path, line, f"the key {key[:40]!r} does nothing here; {there}")
        if time < 0.0:
            raise FormatError(path, line, f"a script begins at 0 s, found {time:g} s")
        if rows and time < float(rows[-1][0]):
            raise FormatError(path, line, f"time runs forward; {time:g} s comes after {rows[-1][0]:g} s")
        point = [value for value in cells if value is not None]
        if len(point) == len(axes):
            rows.append((time, *point, key))
        elif key and not point and rows:
            rows.append((time, key))
        else:
            raise FormatError(path, line, f"expected a number for {axes[cells.index(None)]}, found ''")
    return Script.of(rows), table.lines[-1]


def _cells(table: Table, axes: Sequence[str]) -> list[tuple[float, *tuple[float | None, ...]]]:
    times = [0.0 if value is None else value for value in table.column("time")]
    return list(zip(times, *(table.column(name) for name in axes), strict=True))


@dataclass(frozen=True)
class Resumed:
    """A script taken up again, so many frames on."""

    script: Script
    frames: int
    rate: float  # per second

    def steer(self, player: object, time: float | int) -> Point | None:
        """What the script says, at the very time at which it would have said it without a break."""
        return self.script.steer(player, (round(time * self.rate) + self.frames) / self.rate)


# Blending points that were asked for where a network has nothing.

_NEARLY = 0.02  # of a network's width and height: what is off by less is a matter of digits


def warn_of_points_outside(network: Network | HybridNetwork | Cascade, points: Sequence[Point]) -> None:
    """Say once which point lies outside, how far they go, and what is played instead.

    In a hybrid network a point is inside that lies in any of its blocks: which one it is meant for is known only when
    it comes to it. In a cascade each network has its own part of a point.
    """
    if isinstance(network, Cascade):
        first = 0
        for one in (network.outer, *network.inner.values()):
            parts_of = [point[first : first + one.n_axes] for point in points if len(point) > first]
            warn_of_points_outside(one, parts_of)
            first += one.n_axes
        return
    parts = [block.network for block in network.blocks.values()] if isinstance(network, HybridNetwork) else [network]
    outside = []
    for point in points:
        nearest = [_nearest(part, point) for part in parts]
        if None not in nearest:
            outside.append((point, nearest[0]))
    if not outside:
        return
    asked, played = outside[0]
    spans = np.concatenate([part.points for part in parts])
    ends = zip(spans.min(axis=0).tolist(), spans.max(axis=0).tolist(), strict=True)
    size = " by ".join(f"{low:.4g} … {high:.4g}" for low, high in ends)
    more = f", as {len(outside)} points of {len(points)} do" if len(points) > 1 else ""
    instead = (
        f"the nearest there, {_words(played)}, is played" if len(parts) == 1 and played else "the nearest is played"
    )
    text = f"the point {_words(asked)} lies outside the network, {size}{more}; {instead}"
    warnings.warn(text, MotionWarning, stacklevel=2)


def _nearest(network: Network, point: Point) -> Point | None:
    """Where a point goes that lies outside; None for one inside, and where a network goes on beyond its nodes."""
    if network.outside == "extrapolate":
        return None
    found = network.place(point).point
    spread = np.ptp(network.points, axis=0)
    scale = np.where(spread > 0.0, spread, max(float(spread.max()), 1.0))
    off = float(np.linalg.norm((np.array(found) - np.array(point)) / scale))
    return found if off > _NEARLY else None


def _words(point: Point) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in point) + ")"
