"""Requests to a library, checked; contradictions are errors in one line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mocapella.checks import real_or_nan, shown
from mocapella.editing.feet.incline import STEEPEST
from mocapella.errors import MotionError
from mocapella.library.entries import KINDS

WITHIN = 0.03  # share of a number by which an answer may miss it and still be what was asked for
LEAST = {"speed": 0.5, "curvature": 0.2, "height": 1.0, "slope": 2.0, "step": 0.3}  # shares are of no less than this
_GAITS = ("walk", "run")
_TALLEST, _SMALLEST = 3.0, 0.3  # metres
_MOST_MOOD = 4.0  # times as captured


@dataclass(frozen=True)
class Wish:
    """A checked request."""

    kind: str
    speed: float | None
    curvature: float
    mood: Mapping[str, float]
    height: float | None
    words: tuple[str, ...]
    slope: float | None = None  # degrees, up positive
    step: float | None = None  # metres from a footfall to the next


def checked_wish(
    kind: str,
    speed: object,
    curvature: object,
    turn: object,
    mood: Mapping[str, Any] | None,
    height: object,
    words: Sequence[str],
    slope: object = None,
    step: object = None,
) -> Wish:
    """A request, checked; ``MotionError`` where it contradicts itself or a value is no number."""
    _refuse_kind(kind)
    pace = _optional(speed, "speed", "m/s")
    if pace is not None and pace <= 0.0:
        raise MotionError(
            f"a {kind} at {pace:g} m/s contradicts itself: a {kind} gets ahead", helps="ask for a speed above 0"
        )
    bend = _bend(_optional(curvature, "curvature", "1/m"), _optional(turn, "turn", "°/s"), pace)
    tall = _optional(height, "height", "m")
    if tall is not None and not _SMALLEST <= tall <= _TALLEST:
        raise MotionError(expected=f"a height from {_SMALLEST:g} to {_TALLEST:g} m", got=f"{tall:g} m")
    steep = _optional(slope, "slope", "degrees")
    if steep is not None and abs(steep) > STEEPEST:
        raise MotionError(expected=f"a slope of up to {STEEPEST:g}°", got=f"{steep:g}°")
    long = _optional(step, "step", "m")
    if long is not None and long <= 0.0:
        raise MotionError(
            f"a {kind} with steps of {long:g} m contradicts itself: a {kind} gets ahead", helps="ask for longer steps"
        )
    return Wish(kind, pace, bend, _moods(mood or {}), tall, tuple(word.lower() for word in words), steep, long)


def _refuse_kind(kind: str) -> None:
    """Raise ``MotionError`` for a kind that is no gait."""
    if kind not in _GAITS:
        there = (
            "is not made by numbers; mocapella library find lists it" if kind in KINDS else "is not a kind of motion"
        )
        raise MotionError(f"{shown(kind)} {there}", helps=f"ask for {' or '.join(_GAITS)}")


def _bend(curvature: float | None, turn: float | None, speed: float | None) -> float:
    """The curvature, 1/m, that was asked for as such, or as a turn in °/s at a speed, or as both."""
    bend = 0.0 if curvature is None else curvature
    if turn is None:
        return bend
    rate = math.radians(turn)
    if speed is None:
        raise MotionError("a turn in degrees per second needs a speed to go with it", helps="or ask for a curvature")
    if curvature is None:
        return rate / speed
    if abs(rate - bend * speed) > WITHIN * max(abs(rate), abs(bend * speed), 0.02):
        raise MotionError(
            f"speed {speed:g} m/s, curvature {bend:g} 1/m and turn {math.degrees(rate):g} °/s contradict; "
            f"the first two turn {math.degrees(bend * speed):.3g} °/s",
            helps="leave one of them out",
        )
    return bend


def _moods(mood: Mapping[str, Any]) -> dict[str, float]:
    """Amounts of moods, those of 0 left out."""
    amounts = {str(word).lower(): _number(amount, f"mood {word}", "of it") for word, amount in mood.items()}
    for word, amount in amounts.items():
        if abs(amount) > _MOST_MOOD:
            raise MotionError(expected=f"an amount of {word} from {-_MOST_MOOD:g} to {_MOST_MOOD:g}", got=f"{amount:g}")
    return {word: amount for word, amount in amounts.items() if amount}


def _optional(value: object, name: str, unit: str) -> float | None:
    return None if value is None else _number(value, name, unit)


def _number(value: object, name: str, unit: str) -> float:
    number = real_or_nan(value)
    if isinstance(value, bool) or not math.isfinite(number):
        raise MotionError(expected=f"a number for {name}, {unit}", got=shown(value))
    return number


def positive(value: object, name: str) -> float:
    """A number above 0 and up to an hour's worth."""
    number = real_or_nan(value)
    if not 0.0 < number <= 3600.0:
        raise MotionError(expected=f"a number above 0 for {name}", got=shown(value))
    return number
