"""What the hold on the feet has over the next one when another motion takes over, let go gently.

Two motions that meet do not agree to the frame on when a foot comes down, how high, and where. What the old hold does
to a foot at that moment, and how fast that changes, is laid over the new hold and fades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mocapella.playback.footfalls import Footfalls
from mocapella.playback.footlock import Grip, Stand
from mocapella.playback.playhead import Playhead

MOMENT = 1e-3  # seconds, over which rates are measured
SOONEST = 0.12  # seconds that it takes at least until nothing is left
_LITTLE = (1e-4, 1e-4, 1e-3, 1e-3, 1e-3, 1e-3)  # metres and shares in a grip's order: a foot with more does not rest
_NUMBERS = len(_LITTLE)

Grips = tuple[Grip, Grip]


class Moment(NamedTuple):
    """A motion on its way at one moment, and the legs as its pose has them."""

    way: Footfalls
    head: Playhead
    stands: tuple[Stand, Stand]


@dataclass(frozen=True)
class Leftover:
    """What is left of the hold that another one took over from.

    Numbers stand in the order of a grip's: how heel and toe are displaced, how firmly they are held, how far the foot
    is let down and its heel against its toe, of the left foot and then of the right.
    """

    gaps: tuple[complex, ...]  # between the two holds at the moment of taking over
    rates: tuple[complex, ...]  # how fast these changed, per second
    seconds: tuple[float, ...]  # in which they are gone
    age: float = 0.0  # seconds

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.age >= max(self.seconds)

    def after(self, dt: float) -> Leftover:
        """The same, ``dt`` seconds later."""
        return Leftover(self.gaps, self.rates, self.seconds, self.age + dt)

    def of(self, point: int) -> complex:
        """By how much a foot point is still displaced over the ground."""
        return self._left(_column(point))

    def settled(self, point: int) -> bool:
        """Whether next to nothing is left that moves the foot of a point."""
        first = _NUMBERS * (point // 2)
        return all(abs(self._left(first + i)) <= most for i, most in enumerate(_LITTLE))

    def without(self, point: int) -> Leftover:
        """The same, with nothing left of the displacement of one foot point."""
        at = _column(point)
        gaps, rates = list(self.gaps), list(self.rates)
        gaps[at] = rates[at] = 0j
        return Leftover(tuple(gaps), tuple(rates), self.seconds, self.age)

    def over(self, grips: Grips) -> Grips:
        """The new hold with what is left of the old one."""
        numbers = [value + self._left(i) for i, value in enumerate(_numbers(grips))]
        return _grip(numbers[:_NUMBERS]), _grip(numbers[_NUMBERS:])

    def _left(self, i: int) -> complex:
        share = self.age / self.seconds[i]
        if share >= 1.0:
            return 0j
        left = (1.0 - share) ** 2
        return left * ((1.0 + 2.0 * share) * self.gaps[i] + self.age * self.rates[i])


def leftover(old: tuple[Grips, Grips], new: tuple[Grips, Grips], seconds: Sequence[float]) -> Leftover:
    """What one hold has over another, both given at the moment of taking over and a ``MOMENT`` later.

    ``seconds`` are those in which it is gone for each foot point; what belongs to the whole foot goes with the earlier.
    """
    now = [a - b for a, b in zip(_numbers(old[0]), _numbers(new[0]), strict=True)]
    then = [a - b for a, b in zip(_numbers(old[1]), _numbers(new[1]), strict=True)]
    times: list[float] = []
    for heel, toe in ((seconds[0], seconds[1]), (seconds[2], seconds[3])):
        times += [heel, toe, heel, toe, *[min(heel, toe)] * (_NUMBERS - 4)]
    return Leftover(tuple(now), tuple((b - a) / MOMENT for a, b in zip(now, then, strict=True)), tuple(times))


def _column(point: int) -> int:
    """Where the displacement of a foot point stands among the numbers."""
    return _NUMBERS * (point // 2) + point % 2


def _numbers(grips: Grips) -> list[complex]:
    return [complex(value) for grip in grips for value in grip]


def _grip(numbers: list[complex]) -> Grip:
    heel_shift, toe_shift, *rest = numbers
    heel_hold, toe_hold = (min(max(value.real, 0.0), 1.0) for value in rest[:2])
    return Grip(heel_shift, toe_shift, heel_hold, toe_hold, rest[2].real, rest[3].real)
