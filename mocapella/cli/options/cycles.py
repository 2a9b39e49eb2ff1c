"""Options that all commands share which take one cycle of a clip."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from mocapella.analysis.closing.cyclify import CLOSING_METHODS
from mocapella.analysis.examined import Examined
from mocapella.analysis.prepare import Selection, prepare, select, turning_of
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import LAYOUTS

_STEERING = (
    click.option("--turning/--straight", default=None, help="Prefer the sharpest turn, or the straightest way."),
    click.option("--speed", type=float, help="Wanted speed, m/s."),
    click.option("--turn", type=float, help="Wanted turn per cycle, degrees, left positive."),
    click.option("--within", type=(int, int), help="First and last frame that may be used."),
    click.option("--raw", is_flag=True, help="Take the clip as it is, without bridging gaps and jumps first."),
)
method_option = click.option(
    "--method",
    type=click.Choice(list(CLOSING_METHODS)),
    default="symmetric",
    show_default=True,
    help="How the ends are closed.",
)
layout_option = click.option(
    "--layout",
    type=click.Choice(list(LAYOUTS)),
    default="quaternion",
    show_default=True,
    help="How rotations are written.",
)
_CLOSING = (
    method_option,
    layout_option,
    click.option("--limp", is_flag=True, help="Bend the legs so that the feet keep their captured heights."),
    click.option("--smooth", type=float, default=0.0, help="Leave out harmonics below this share of the largest."),
)


@dataclass(frozen=True)
class Steering:
    """What somebody said about the cycle that is wanted."""

    turning: bool | None = None
    speed: float | None = None
    turn: float | None = None  # radians
    within: tuple[int, int] | None = None
    frames: tuple[int, int] | None = None
    raw: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any], frames: tuple[int, int] | None = None) -> Steering:
        """From the values of the options."""
        turn = options["turn"]
        return cls(
            turning=options["turning"],
            speed=options["speed"],
            turn=None if turn is None else math.radians(turn),
            within=options["within"],
            frames=frames,
            raw=options["raw"],
        )

    @property
    def wishes(self) -> dict[str, Any]:
        """What the search is asked for."""
        return {"turning": self.turning, "speed": self.speed, "turn": self.turn, "within": self.within}

    def selection(self, clip: Clip | Examined) -> Selection:
        """The cycle that ``build`` would take of a clip with these wishes."""
        return select(clip, **self._as_build(clip), frames=self.frames, clean=not self.raw)

    def prepared(self, clip: Clip | Examined, *, method: str, layout: str, limp: bool, smooth: float) -> Cycle:
        """The same, closed."""
        return prepare(
            clip,
            **self._as_build(clip),
            frames=self.frames,
            clean=not self.raw,
            method=method,
            layout=layout,
            limp=limp,
            smooth=smooth,
        )

    def _as_build(self, clip: Clip | Examined) -> dict[str, Any]:
        turning = turning_of(clip, self.turning, turn=self.turn, within=self.within, frames=self.frames)
        return {**self.wishes, "turning": turning}


def steering_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say which cycle is wanted, as keyword arguments."""
    return _with(run, _STEERING)


def closing_options(run: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say how a cycle is closed: ``method``, ``layout``, ``limp``, ``smooth``."""
    return _with(run, _CLOSING)


def split_steering(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that steer, and the others."""
    names = ("turning", "speed", "turn", "within", "raw")
    return {n: options[n] for n in names}, {n: value for n, value in options.items() if n not in names}


def _with(run: Callable[..., Any], options: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    for option in reversed(options):
        run = option(run)
    return run
