"""What takes a player by the hand; the plainest asks for turn rates and speeds by time."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

from mocapella.errors import MotionError, MotionWarning
from mocapella.playback.about_turn import AboutTurn
from mocapella.playback.checks import finite_numbers
from mocapella.playback.easing import Point
from mocapella.playback.player import Player
from mocapella.playback.turning import Rates, Turning

EVERY = 0.1  # seconds between two looks
LAG = 0.25  # seconds: what is asked for now is done so much later


@runtime_checkable
class Guide(Protocol):
    """What may take a player by the hand."""

    def steer(self, player: Player, time: float | int) -> Point | None:
        """Where the blending point belongs, ``time`` seconds into the recording; None leaves it where it is."""
        ...


@dataclass
class Request:
    """Turn rates and speeds by time, asked of a network.

    ``wanted`` maps seconds to a turn rate (rad/s, left positive) and a speed (m/s). The first request that the network
    cannot meet is warned of; it keeps the turn then, and goes at the nearest speed.
    """

    rates: Rates
    wanted: Callable[[float], tuple[float, float]]
    _warned: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        refuse_other_rates(self.rates)
        if not callable(self.wanted):
            raise MotionError(f"expected a function of seconds that gives a turn rate and a speed, got {self.wanted!r}")

    def steer(self, player: Player, time: float | int) -> Point:
        """The point that does what is wanted at this time, or comes nearest to it."""
        words = f"expected a turn rate in rad/s and a speed in m/s at {time:g} s, both finite"
        wanted = finite_numbers(self.wanted(time), words)
        if len(wanted) != 2:
            raise MotionError(f"{words}; got {wanted}")
        turn, speed = wanted
        answer = self.rates.request(turn, speed)
        if not answer.feasible and not self._warned:
            self._warned = True
            asked, played = (
                f"{math.degrees(turn):+.1f} °/s at {speed:.2f} m/s"
                for turn, speed in ((turn, speed), (answer.turn_rate, answer.speed))
            )
            text = f"{time:g} s: asked for {asked}, which the network has not; it plays {played}"
            warnings.warn(text, MotionWarning, stacklevel=2)
        return tuple(answer.point)


class Turner:
    """Somebody who knows how a network turns, for whoever leads a player somewhere."""

    rates: Rates

    @cached_property
    def turning(self) -> Turning:
        """How tightly the network turns."""
        return Turning.of(self.rates)

    @cached_property
    def about_turn(self) -> AboutTurn:
        """How it turns on the spot, where the network can."""
        return AboutTurn(self.rates)


def refuse_other_rates(rates: object) -> None:
    """What cannot say which blending point turns and goes as asked is an error."""
    if not isinstance(rates, Rates):
        raise MotionError(f"expected what answers to turn rates and speeds, such as a Calibration, got {rates!r}")
