"""How a character begins to play: what ``mocapella play`` knows of it before the first frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mocapella.cli.points import Playable
from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import read_bytes
from mocapella.playback.footwork import Feet
from mocapella.playback.player import Player
from mocapella.playback.snapshot import Snapshot

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
