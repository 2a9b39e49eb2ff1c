"""The fading offset between the foot locks of two motions when one takes over from the other."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mocapella.gait.resting import Span
from mocapella.playback.feet.leg_ik import FootTarget
from mocapella.playback.settings import Number

MOMENT = 1e-3  # seconds, over which rates are measured
_LITTLE = (1e-4, 1e-4, 1e-3, 1e-3, 1e-3, 1e-3)  # metres and shares in a target's order: a foot with more does not rest
_NUMBERS = len(_LITTLE)

Targets = tuple[FootTarget, FootTarget]


class FootOffset(msgspec.Struct, frozen=True):
    """The difference between the foot locks of two motions when one takes over from the other; it fades out.

    Two motions that meet differ a little in when, where and at which height a foot comes down. Numbers are in the order
    of a ``FootTarget``, those of the left foot and then those of the right.
    """

    gaps: tuple[complex, ...]  # between the two holds at the moment of taking over
    rates: tuple[complex, ...]  # how fast these changed, per second
    seconds: tuple[Span, ...]  # in which they are gone
    age: Number = 0.0  # seconds

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.age >= max(self.seconds)

    def after(self, dt: float) -> FootOffset:
        """The same, ``dt`` seconds later."""
        return FootOffset(self.gaps, self.rates, self.seconds, self.age + dt)

    def of(self, point: int) -> complex:
        """By how much a foot point is still displaced over the ground, metres."""
        return self._left(_column(point))

    def settled(self, point: int) -> bool:
        """Whether next to nothing is left that moves the foot of a point."""
        first = _NUMBERS * (point // 2)
        return all(abs(self._left(first + i)) <= most for i, most in enumerate(_LITTLE))

    def without(self, point: int) -> FootOffset:
        """The same, with nothing left of the displacement of one foot point."""
        at = _column(point)
        gaps, rates = list(self.gaps), list(self.rates)
        gaps[at] = rates[at] = 0j
        return FootOffset(tuple(gaps), tuple(rates), self.seconds, self.age)

    def over(self, targets: Targets) -> Targets:
        """The new hold with what is left of the old one."""
        numbers = [value + self._left(i) for i, value in enumerate(_numbers(targets))]
        return _target(numbers[:_NUMBERS]), _target(numbers[_NUMBERS:])

    def _left(self, i: int) -> complex:
        share = self.age / self.seconds[i]
        if share >= 1.0:
            return 0j
        left = (1.0 - share) ** 2
        return left * ((1.0 + 2.0 * share) * self.gaps[i] + self.age * self.rates[i])


def foot_offset(old: tuple[Targets, Targets], new: tuple[Targets, Targets], seconds: Sequence[float]) -> FootOffset:
    """The difference between two foot locks, both given at the moment of taking over and a ``MOMENT`` later.

    The difference of each foot point fades out within its ``seconds``, that of the whole foot within the fewer of both.
    """
    now = [a - b for a, b in zip(_numbers(old[0]), _numbers(new[0]), strict=True)]
    then = [a - b for a, b in zip(_numbers(old[1]), _numbers(new[1]), strict=True)]
    times: list[float] = []
    for heel, toe in ((seconds[0], seconds[1]), (seconds[2], seconds[3])):
        times += [heel, toe, heel, toe, *[min(heel, toe)] * (_NUMBERS - 4)]
    return FootOffset(tuple(now), tuple((b - a) / MOMENT for a, b in zip(now, then, strict=True)), tuple(times))


def _column(point: int) -> int:
    """Where the displacement of a foot point stands among the numbers."""
    return _NUMBERS * (point // 2) + point % 2


def _numbers(targets: Targets) -> list[complex]:
    return [complex(value) for target in targets for value in target]


def _target(numbers: list[complex]) -> FootTarget:
    heel_shift, toe_shift, *rest = numbers
    heel_hold, toe_hold = (min(max(value.real, 0.0), 1.0) for value in rest[:2])
    return FootTarget(heel_shift, toe_shift, heel_hold, toe_hold, rest[2].real, rest[3].real)
