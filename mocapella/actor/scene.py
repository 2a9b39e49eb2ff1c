"""One performance laid out in time, before anybody moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.actor import stage
from mocapella.actor.course import Course, course
from mocapella.actor.gait import Gait
from mocapella.actor.imperfections import Quirks
from mocapella.actor.request import STRAY, Request


@dataclass(frozen=True, eq=False)
class Scene:
    """A course, the part of it that is shown, and what is true of it."""

    course: Course
    shown: slice  # of the course's times
    period: float | None
    period_after: float | None = None
    change: tuple[float, float] | None = None  # of a transition: when it starts and ends to change, seconds
    gesture: stage.Gesture | None = None
    phases: Float[np.ndarray, " times"] | None = None  # cycle phases, where they are not the course's own


def travel(request: Request, quirks: Quirks) -> Scene:
    """A steady walk or run, straight or round a curve."""
    gait = _in_a_turn(request.gait(request.action, request.speed), request.speed * request.turn)
    if request.slope > 0.0:  # the steeper, the sooner the heel has to come up
        gait = gait.changed({}, {"heel_off": -0.6 * request.slope, "knee_strike": request.slope})
    period = float(gait.period)
    times, shown = steady_times(request, quirks, period)
    stray = _stray(request, quirks, times)
    pace = quirks.pace(times)
    way = course(
        times,
        request.speed * pace,
        request.turn + quirks.wander(times) + stray,
        gait.spread(len(times)),
        cadence=np.sqrt(pace) / period,  # faster is half longer steps, half quicker ones
        start=start_cycle(quirks),
    )
    return Scene(way, shown, period)


def _in_a_turn(gait: Gait, side_force: float) -> Gait:
    """The gait in a curve: the outer leg has further to go, so feet leave sooner and all is done with softer knees."""
    k = min(abs(side_force), 4.0)  # metres per second squared
    if gait.flight > 0.5:
        return gait.changed({}, {"knee_strike": 0.05 * k, "toe_off": -0.005 * k})
    return gait.changed(
        {"off_pitch": 1.0 + 0.10 * k}, {"toe_off": -0.015 * k, "heel_off": -0.012 * k, "knee_late": 0.02 * k}
    )


def steady_times(
    request: Request, quirks: Quirks, period: float, *, usual: float = 4.0
) -> tuple[Float[np.ndarray, " times"], slice]:
    """The times of a steady motion, and those of them that are shown; ``usual`` is how many cycles nobody asked for."""
    cycles = extra_cycles(quirks) + (usual if request.cycles is None else request.cycles)
    seconds = cycles * period if request.seconds is None else request.seconds
    return stage.grid(seconds, request.frame_rate)


def start_cycle(quirks: Quirks) -> float:
    """Where in its cycle a clip starts."""
    return quirks.strength.framing * float(quirks.draw("start").uniform(0.0, 1.0))


def extra_cycles(quirks: Quirks) -> float:
    """How much longer than asked for a clip runs on, so that its ends do not match."""
    return quirks.strength.framing * float(quirks.draw("length").uniform(0.05, 0.85))


def _stray(request: Request, quirks: Quirks, times: Float[np.ndarray, " times"]) -> Float[np.ndarray, " times"]:
    """The turns of someone who cannot walk a straight line; they cancel out in the long run."""
    if request.manner.stagger == 0.0:
        return np.zeros_like(times)
    first, second = quirks.draw("stray").uniform(0.0, 2.0 * np.pi, 2)
    sway = 0.6 * np.sin(2.0 * np.pi * times / 3.1 + first) + 0.4 * np.sin(2.0 * np.pi * times / 1.9 + second)
    return np.asarray(STRAY * request.manner.stagger * sway)
