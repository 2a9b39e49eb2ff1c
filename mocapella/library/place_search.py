"""The place of a network that meets a request, or the nearest with one number changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.gait.root_motion import played_rates
from mocapella.library.entries import Capture
from mocapella.library.gait_modifiers import crossing
from mocapella.library.spaces import Space, Strides, space_of
from mocapella.library.store import Library
from mocapella.library.stretches import GAIT_RULES, GRAVITY
from mocapella.library.wishes import LEAST, Wish
from mocapella.rig.legs import leg_length, leg_roles
from mocapella.steering.calibration import Answer, Calibration


class _Settings(NamedTuple):
    """How far captures may be changed to meet a request, and how closely it is searched."""

    exact: float = 0.01  # share by which the place of a network may miss a number
    tries: int = 24  # places looked at between the request and the nearest that can be had
    rounds: int = 8  # towards the speed that goes with a curvature, where no speed is asked for
    halvings: int = 12  # towards the speed at which steps have a length
    networks: int = 4  # made on the way to a length of steps
    quicker: float = 1.5  # times as quick, or as slow, steps may be taken as they were captured
    longer: float = 1.6  # times as long, or as short, steps may be made beyond those that were captured
    stretch: float = 1.26  # times as long, and as often, steps may be taken beyond captured speeds: 1.6 times the speed
    further: float = 1.15  # times the curvature straight captures are bent by: feet that are held change their speed


_SETTINGS = _Settings()


@dataclass(frozen=True, eq=False)
class RequestedPlace:
    """The place of a network that meets a request, or comes nearest."""

    space: Space
    calibration: Calibration
    answer: Answer
    speed: float  # asked for, or chosen
    curvature: float
    gave_way: str = ""  # the number that cannot be met
    nearest: float = 0.0  # what that number would have to be
    lost: float = 0.0  # share by which a number other than speed and curvature is missed

    @property
    def miss(self) -> float:
        """How much a number has to change, as a share."""
        if not self.gave_way:
            return 0.0
        bent = self.answer.turn_rate / max(self.answer.speed, 1e-6)
        lost = abs(bent - self.curvature) / max(abs(self.curvature), LEAST["curvature"])
        return 1e-6 + self.lost + lost + abs(self.answer.speed - self.speed) / self.speed


def find_place(library: Library, captures: Sequence[Capture], wish: Wish, *, changed: bool = False) -> RequestedPlace:
    """The place of a performer's network that meets a request, or comes nearest.

    Where steps of a length are asked for, it is the speed at which the network steps so; legs swing further, or less,
    where it does at none, and steps are taken more quickly or slowly where a speed is asked for as well.

    With ``changed``, captures that do not reach the speed or the curvature are changed: straight ones are bent, steps
    become longer and quicker, or shorter and slower.
    """
    strides = Strides(bend=_SETTINGS.further * abs(wish.curvature)) if changed else Strides()
    if wish.step is not None:
        return _by_steps(library, captures, wish, wish.step, strides)
    best = _best_place(space_of(library, captures, wish, strides=strides), wish)
    if not changed or wish.speed is None or _would_run(best, wish.kind, wish.speed):
        return best
    last = best
    for length_too in (True, True, False, False):  # how far longer steps carry the root is not quite known beforehand
        if not best.gave_way:
            break
        factor = wish.speed / last.answer.speed
        length, pace = (factor**0.5, factor**0.5) if length_too else (1.0, factor)
        strides = replace(
            strides,
            length=float(np.clip(strides.length * length, 1.0 / _SETTINGS.stretch, _SETTINGS.stretch)),
            pace=float(np.clip(strides.pace * pace, 1.0 / _SETTINGS.stretch, _SETTINGS.stretch)),
        )
        last = _best_place(space_of(library, captures, wish, strides=strides), wish)
        best = last if last.miss < best.miss else best
    return best


def _would_run(place: RequestedPlace, kind: str, speed: float) -> bool:
    """Whether a speed that is asked of a walk, and that no capture of it reaches, is one at which bodies run."""
    layout = place.space.network.layout
    assert layout is not None
    pace = math.sqrt(GRAVITY * leg_length(layout.skeleton, leg_roles(layout.skeleton)))
    return kind == "walk" and speed > max(GAIT_RULES.runs * pace, place.calibration.speeds[1])


def _by_steps(
    library: Library, captures: Sequence[Capture], wish: Wish, step: float, strides: Strides
) -> RequestedPlace:
    """The place at which steps are as long as asked."""
    space = space_of(library, captures, wish, strides=strides)
    stepping = _Stepping.of(space, wish)
    for _ in range(_SETTINGS.networks):
        nearest = step if stepping is None else stepping.nearest(step)
        length = float(np.clip(strides.length * step / nearest, 1.0 / _SETTINGS.longer, _SETTINGS.longer))
        if abs(nearest - step) <= 0.5 * _SETTINGS.exact * step or length == strides.length:
            break
        strides = replace(strides, length=length)
        space = space_of(library, captures, wish, strides=strides)
        stepping = _Stepping.of(space, wish)
    if stepping is None:
        return _stepped(_best_place(space, wish), step)
    nearest = stepping.nearest(step)
    speed = stepping.speed(nearest)
    if wish.speed is not None:
        slowest, fastest = wish.speed / _SETTINGS.quicker, wish.speed * _SETTINGS.quicker
        speed = float(np.clip(np.clip(speed, slowest, fastest), stepping.speeds.min(), stepping.speeds.max()))
        if not slowest <= speed <= fastest:  # not even at another cadence: the speed has to change
            return _stepped(_best_place(space_of(library, captures, wish), wish), step)
        strides = replace(strides, pace=wish.speed / speed)
        space = space_of(library, captures, wish, strides=strides)
    return _stepped(_best_place(space, replace(wish, speed=speed * strides.pace)), step)


def _stepped(place: RequestedPlace, step: float) -> RequestedPlace:
    """The place, with the step length as the number that is not met, where it differs and no other does."""
    nearest = _step_at(place.calibration, place.answer)
    lost = abs(nearest - step) / step
    if place.gave_way or lost <= _SETTINGS.exact:
        return replace(place, lost=lost)
    return replace(place, gave_way="step", nearest=nearest, lost=lost)


def _step_at(calibration: Calibration, answer: Answer) -> float:
    """How long steps are at a place, metres: a cycle is two of them."""
    return 0.5 * answer.speed * float(calibration.network.blend(answer.point).duration)


@dataclass(frozen=True, eq=False)
class _Stepping:
    """How long the steps of a network are, by its speed, round one curve."""

    calibration: Calibration
    curvature: float
    speeds: Float[np.ndarray, " tries"]
    steps: Float[np.ndarray, " tries"]

    @classmethod
    def of(cls, space: Space, wish: Wish) -> _Stepping | None:
        """Steps at the speeds at which the network goes round the curve; None where it does at none."""
        calibration = Calibration(space.network, measure=played_rates)
        speeds, steps = [], []
        for speed in np.linspace(*calibration.speeds, _SETTINGS.tries).tolist():
            answer = calibration.request(wish.curvature * speed, speed)
            if _meets(answer, speed, wish.curvature):
                speeds.append(speed)
                steps.append(_step_at(calibration, answer))
        if not speeds:
            return None
        return cls(calibration, wish.curvature, np.array(speeds), np.array(steps))

    def nearest(self, step: float) -> float:
        """The length of steps that is nearest to one."""
        return float(np.clip(step, self.steps.min(), self.steps.max()))

    def speed(self, step: float) -> float:
        """A speed at which steps have a length within the network's range."""

        def off(speed: float) -> float:
            return _step_at(self.calibration, self.calibration.request(self.curvature * speed, speed)) - step

        return crossing(off, self.speeds, self.steps - step, halvings=_SETTINGS.halvings)


def _best_place(space: Space, wish: Wish) -> RequestedPlace:
    """The place that meets the request; where there is none, the nearest with a single number changed."""
    calibration = Calibration(space.network, measure=played_rates)
    low, high = calibration.speeds
    bend = wish.curvature
    if wish.speed is None:
        pace = float(np.clip(space.usual, low, high))
        for _ in range(_SETTINGS.rounds):  # along a chain the speed goes with the turn
            answer = calibration.request(bend * pace, pace)
            pace = answer.speed
    else:
        pace = wish.speed
        answer = calibration.request(bend * pace, pace)
    place = RequestedPlace(space, calibration, answer, pace, bend)
    if _meets(answer, wish.speed, bend):
        return place
    tries: list[tuple[float, RequestedPlace]] = []
    for other in np.linspace(low, high, _SETTINGS.tries).tolist() if wish.speed is not None else ():
        attempt = calibration.request(bend * other, other)
        if _meets(attempt, other, bend):
            tries.append((abs(other - pace) / pace, replace(place, answer=attempt, gave_way="speed", nearest=other)))
    for share in np.linspace(0.0, 1.0, _SETTINGS.tries)[:-1].tolist() if bend else ():
        attempt = calibration.request(share * bend * pace, pace)
        if _meets(attempt, wish.speed, share * bend):
            lesser = replace(place, answer=attempt, gave_way="curvature", nearest=share * bend)
            tries.append((1.0 - share, lesser))
    return min(tries, key=lambda row: row[0])[1] if tries else replace(place, gave_way="speed and curvature")


def _meets(answer: Answer, speed: float | None, curvature: float) -> bool:
    """Whether an answer meets the request."""
    off = 0.0 if speed is None else abs(answer.speed - speed) / max(speed, LEAST["speed"])
    bent = answer.turn_rate / max(answer.speed, 1e-6)
    return max(off, abs(bent - curvature) / max(abs(curvature), LEAST["curvature"])) < _SETTINGS.exact
