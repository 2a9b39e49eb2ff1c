"""Scripts of ``mocapella play``: a table of times, blending points and keys becomes what leads a player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mocapella.blending.hybrid import HybridNetwork
from mocapella.cli.points import Playable, axes_of
from mocapella.cli.tables import Table, read_table
from mocapella.errors import FormatError
from mocapella.playback.easing import Point
from mocapella.playback.script import Script


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
