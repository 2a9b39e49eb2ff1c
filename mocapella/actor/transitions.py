"""Changes of motion: a cycle or more of the old, the change, a cycle or more of the new."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from mocapella.actor import scenes
from mocapella.actor.course import course
from mocapella.actor.gait import Gait, mix, running, standing, walking
from mocapella.actor.imperfections import Quirks
from mocapella.actor.request import Request
from mocapella.actor.scenes import Scene, extra_cycles, start_cycle
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import bell_smooth, ease

_BREATH = 2.4  # seconds per breath, the cycle of standing
Values = Float[np.ndarray, " times"]


def change(request: Request, quirks: Quirks) -> Scene:
    """The scene of a requested transition."""
    before, _, after = request.action.partition("-")
    if "twirl" in request.action:
        return _twirl(request, quirks, before)
    if before == "stand":
        return _set_off(request, quirks)
    if after == "stand":
        return _stop(request, quirks)
    return _switch(request, quirks, before, after)


def _switch(request: Request, quirks: Quirks, before: str, after: str) -> Scene:
    """From walk to run or back, within a cycle and a half."""
    old, new = request.gait(before, request.speed), request.gait(after, request.usual_speed(after))
    first, second = float(old.period), float(new.period)
    begin = (2.0 + extra_cycles(quirks)) * first
    end = begin + 0.8 * (first + second)
    times, shown = scenes.grid(end + (2.3 + extra_cycles(quirks)) * second, request.frame_rate)
    # Speeding up, the step changes before the speed; slowing down, the speed changes before the step.
    early, late = ease((times - begin) / (0.6 * (end - begin))), ease((end - times) / (0.75 * (end - begin)))
    share, faster = (early, 1.0 - late) if after == "run" else (1.0 - late, early)
    way = course(
        times,
        (request.speed + faster * (request.usual_speed(after) - request.speed)) * quirks.pace(times),
        quirks.wander(times),
        mix(old, new, share),
        start=start_cycle(quirks),
    )
    return Scene(way, shown, first, second, (begin, end))


def _twirl(request: Request, quirks: Quirks, kind: str) -> Scene:
    """Once round to the left on small quick steps, slowing down for it."""
    gait = request.gait(kind, request.speed)
    period, leg = float(gait.period), request.leg
    small = walking(0.75) if kind == "walk" else running(1.8, leg)
    small = request.manner.of(small).changed({"width": 1.7}, {"arm_out": 0.45, "elbow": 0.35, "hip_turn": -0.05})
    quick = 0.85 if kind == "walk" else 0.70
    slow = (0.50 if kind == "walk" else 1.25) * leg  # metres per second in the middle of it
    begin = (2.0 + extra_cycles(quirks)) * period
    end = begin + 3.4 * quick
    times, shown = scenes.grid(end + (2.3 + extra_cycles(quirks)) * period, request.frame_rate)
    tick = float(times[1] - times[0])
    share = bell_smooth(_between(times, begin + 0.5 * quick, end - 0.5 * quick), round(0.5 * quick / tick))
    turning = bell_smooth(_between(times, begin + 0.6 * quick, end - 0.6 * quick), round(0.35 / tick))
    turning *= TURN / (turning.sum() * tick)
    way = course(
        times,
        (request.speed + share * (slow - request.speed)) * quirks.pace(times),
        turning + quirks.wander(times),
        mix(gait, replace(small, period=np.asarray(quick)), share),
        start=start_cycle(quirks),
        banking=0.2,
    )
    return Scene(way, shown, period, period, (begin, end))


def _set_off(request: Request, quirks: Quirks) -> Scene:
    """From standing: the right foot lifts its heel and steps first."""
    still, gait = standing(), request.gait("walk", request.speed)
    period = float(gait.period)
    begin = (1.1 + extra_cycles(quirks)) * _BREATH
    end = begin + 1.25 * period
    times, shown = scenes.grid(end + (2.2 + extra_cycles(quirks)) * period, request.frame_rate)
    share = ease((times - begin) / (0.9 * period))
    start = 0.5 + float(still.heel_off) - 0.01
    way = course(
        times,
        request.speed * ease((times - begin - 0.1 * period) / period) * quirks.pace(times),
        quirks.wander(times) * share,
        _breathing(mix(still, gait, share), times, 1.0 - share),
        cadence=ease((times - begin) / (0.35 * period)) / period,
        start=start,
        stands_first=True,
    )
    phases = np.where(times < begin, (times - begin) / _BREATH, way.cycles) % 1.0
    return Scene(way, shown, _BREATH, period, (begin, end), phases=TURN * phases)


def _stop(request: Request, quirks: Quirks) -> Scene:
    """To standing: the left foot takes the last whole step, the right one closes up."""
    gait, still = request.gait("walk", request.speed), standing()
    period = float(gait.period)
    start = start_cycle(quirks)
    last = np.ceil(start + 2.3 + extra_cycles(quirks))  # the left foot's last strike, in cycles
    begin = float(last - 0.4 - start) * period
    closing = float(last + 0.42 - start) * period  # the right foot is about to land
    end = closing + 0.5 * period
    times, shown = scenes.grid(end + (1.1 + extra_cycles(quirks)) * _BREATH, request.frame_rate)
    share = ease((times - begin) / (end - begin))
    slowing = float(last - 0.25 - start) * period
    way = course(
        times,
        request.speed * (1.0 - ease((times - slowing) / (0.92 * period))) * quirks.pace(times),
        quirks.wander(times) * (1.0 - share),
        _breathing(mix(gait, still, share), times, share),
        cadence=(1.0 - ease((times - closing) / (0.5 * period))) / period,
        start=start,
        stands_last=True,
    )
    phases = np.where(times > end, (times - end) / _BREATH, way.cycles) % 1.0
    return Scene(way, shown, period, _BREATH, (begin, end), phases=TURN * phases)


def _between(times: Values, begin: float, end: float) -> Values:
    return np.where((times > begin) & (times < end), 1.0, 0.0)


def _breathing(gait: Gait, times: Values, share: Values) -> Gait:
    """The gait with breathing, by the share of standing."""
    breath = np.sin(TURN * times / _BREATH)
    return replace(
        gait,
        lean=gait.lean - np.radians(0.7) * share * breath,
        shrug=gait.shrug + np.radians(1.2) * share * breath,
        arm_out=gait.arm_out + np.radians(0.8) * share * breath,
    )
