"""Requests to the actor: actions, styles, and the limits within which a body can perform them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from mocapella.actor.body import leg_length, skeleton_of
from mocapella.actor.gait import RUN_RANGE, WALK_RANGE, Gait, running, walking
from mocapella.errors import MotionError, Option
from mocapella.motion.skeleton import Skeleton

# Styles of walking and running, as changes of a gait.

_D = float(np.pi / 180.0)  # radians in a degree


@dataclass(frozen=True)
class _Style:
    """Factors on and additions to a gait; angles added are in radians."""

    speed: float = 1.0  # factor on the default speed
    scale: dict[str, float] = field(default_factory=dict)
    shift: dict[str, float] = field(default_factory=dict)
    stagger: float = 0.0  # strength of random turns, see STRAY

    def of(self, gait: Gait) -> Gait:
        """The gait in this style."""
        return gait.changed(self.scale, self.shift)


STYLES = MappingProxyType({
    "normal": _Style(),
    "tired": _Style(
        0.75,
        {"arm_swing": 0.55, "ball_lift": 0.75, "ball_pass": 0.6, "chest_turn": 0.6, "period": 1.10, "sway": 1.25},
        {"lean": 9 * _D, "head_down": 16 * _D, "knee_load": 5 * _D, "knee_late": 6 * _D, "knee_strike": 4 * _D,
         "shrug": -4 * _D, "arm_forward": 5 * _D, "elbow": -5 * _D},
    ),
    "brisk": _Style(
        1.25,
        {"arm_swing": 1.45, "hip_turn": 1.2, "chest_turn": 1.3, "period": 0.93, "elbow_swing": 1.4},
        {"lean": 2 * _D, "elbow": 18 * _D, "head_down": -3 * _D},
    ),
    "sad": _Style(
        0.68,
        {"arm_swing": 0.4, "ball_lift": 0.8, "ball_pass": 0.75, "hip_drop": 0.7, "chest_turn": 0.5, "period": 1.05},
        {"lean": 7 * _D, "head_down": 26 * _D, "shrug": -6 * _D, "knee_late": 3 * _D, "arm_forward": 4 * _D,
         "toe_out": -2 * _D},
    ),
    "happy": _Style(
        1.05,
        {"arm_swing": 1.5, "ball_lift": 1.3, "hip_drop": 1.5, "chest_turn": 1.3, "chest_rock": 2.2, "nod": 2.0,
         "off_pitch": 1.08, "period": 0.96},
        {"lean": -4 * _D, "head_down": -7 * _D, "elbow": 12 * _D, "arm_out": 5 * _D, "knee_load": 4 * _D},
    ),
    "angry": _Style(
        1.15,
        {"arm_swing": 1.35, "ball_lift": 1.1, "chest_turn": 1.4, "elbow_swing": 1.4, "hip_turn": 1.2, "period": 0.92,
         "nod": 1.5},
        {"lean": 6 * _D, "head_down": 4 * _D, "elbow": 22 * _D, "shrug": 3 * _D, "arm_out": 4 * _D},
    ),
    "relaxed": _Style(
        0.8,
        {"arm_swing": 1.15, "sway": 1.4, "hip_drop": 1.25, "chest_rock": 1.6, "period": 1.12},
        {"lean": -3 * _D, "toe_out": 4 * _D, "arm_out": 2 * _D, "head_down": -1 * _D, "toe_strike": 0.01},
    ),
    "marching": _Style(
        1.0,
        {"arm_swing": 1.7, "arm_out": 0.6, "elbow": 0.35, "elbow_swing": 0.3, "ball_pass": 3.2, "ball_lift": 1.5,
         "strike_pitch": -0.55, "pass_pitch": 1.6, "whip_pitch": 0.75, "off_pitch": 0.8, "toe_strike": 0.0, "sway": 0.6,
         "chest_turn": 0.5, "nod": 0.3, "width": 0.8, "period": 0.92, "toe_off": 0.94},
        {"heel_strike": 0.05, "lean": -3 * _D, "head_down": -3 * _D, "arm_twist": -8 * _D, "knee_load": -3 * _D,
         "over": -0.05, "shrug": 2 * _D},
    ),
    "drunk": _Style(
        0.6,
        {"arm_swing": 0.8, "width": 1.7, "sway": 2.2, "chest_rock": 3.0, "nod": 3.0, "ball_lift": 1.2, "period": 1.02},
        {"lean": 5 * _D, "head_down": 10 * _D, "arm_out": 9 * _D, "knee_load": 6 * _D, "knee_late": 6 * _D,
         "toe_out": 6 * _D, "elbow": 8 * _D},
        stagger=1.0,
    ),
})  # fmt: skip


# Requests.

GAITS = ("walk", "run")
TURNS = ("turn",)
IDLES = ("stand", "look-around", "twist", "dance")
TRANSITIONS = ("walk-run", "run-walk", "walk-twirl-walk", "run-twirl-run", "stand-walk", "walk-stand")
_GESTURES = ("drink", "knock", "reach")
_ACTIONS = GAITS + TURNS + IDLES + TRANSITIONS + _GESTURES
_MOODS = ("normal", "angry")  # styles of a gesture


@dataclass(frozen=True)
class _Limits:
    """Limits of requests, and the usual turn."""

    steepest: float = np.radians(10.0)  # radians: slope of the ground, up or down
    turn_per_cycle: float = np.radians(95.0)  # radians: beyond, a standing foot would twist out of its hip
    turn_on_spot: tuple[float, float] = (0.2, 1.6)  # radians per second; slower is stepping from foot to foot
    usual_turn: float = 1.0  # radians per second on the spot


_LIMITS = _Limits()

_SIDE_FORCE = {"walk": 0.30, "run": 0.38}  # of the weight, in a turn
STRAY = 0.57  # rad/s by which turns stray at stagger 1
_USUAL = {"walk": 1.45, "run": 3.6}  # leg lengths per second


@dataclass(frozen=True)
class Request:
    """One performance as asked for, all of it known to be possible."""

    action: str
    style: str
    speed: float  # metres per second; of the walk or the run, 0 on the spot
    turn: float  # radians per second
    slope: float  # radians, up along +z
    frame_rate: float
    seconds: float | None
    cycles: float | None
    target: tuple[float, float, float] | None  # metres, for a reach
    skeleton: Skeleton

    @property
    def leg(self) -> float:
        """Thigh and shank, metres."""
        return leg_length(self.skeleton)

    @property
    def manner(self) -> _Style:
        """The style of walking or running; ``"normal"`` for gestures."""
        return STYLES.get(self.style, STYLES["normal"])

    def gait(self, kind: str, speed: float) -> Gait:
        """A walk or run of this performer at a speed in m/s, in this request's style."""
        relative = float(np.clip(speed / self.leg, *(WALK_RANGE if kind == "walk" else RUN_RANGE)))
        if kind == "walk":
            return self.manner.of(walking(relative))
        plain = running(relative, self.leg)
        styled = self.manner.of(plain)
        # Strides of a run are long already: a style lengthens them by 3 % at most.
        return replace(styled, period=np.asarray(np.minimum(styled.period, 1.03 * plain.period)), toe_off=plain.toe_off)

    def usual_speed(self, kind: str) -> float:
        """Default speed of this performer, m/s."""
        low, high = WALK_RANGE if kind == "walk" else RUN_RANGE
        return float(np.clip(_USUAL[kind] * self.manner.speed, low * 1.05, high * 0.95)) * self.leg


def check(
    action: str,
    *,
    speed: float | None,
    turn: float | None,
    style: str,
    slope: float,
    height: float,
    frame_rate: float,
    seconds: float | None,
    cycles: float | None,
    target: tuple[float, float, float] | None,
    seed: int,
) -> Request:
    """The request, or a ``MotionError`` that names what is possible."""
    _choice("action", action, _ACTIONS)
    _choice(f"style of {action}", style, _styles_of(action))
    _number("frame rate", frame_rate, 10.0, 1000.0, "Hz")
    _number("height", height, 0.0, np.inf, "m")
    skeleton = skeleton_of(float(height))
    timed, paced = (seconds, cycles) != (None, None), (speed, turn) != (None, None)
    travels = action in GAITS + TRANSITIONS
    timeless, going = ", ".join(GAITS + TURNS + IDLES), ", ".join(GAITS + TRANSITIONS)
    own_time = timed and action in TRANSITIONS + _GESTURES
    _refuse(
        (seed < 0, f"a seed is 0 or more, got {seed}"),
        (own_time, f"{action!r} takes its own time; seconds and cycles are for {timeless}"),
        (None not in (seconds, cycles), "say how long in seconds or in cycles, not both"),
    )
    for name, value in (("seconds", seconds), ("cycles", cycles)):
        if value is not None:
            _number(name, value, 0.1, 600.0, "")
    stays, still = action in TURNS and bool(speed), paced and not travels and action not in TURNS
    _refuse(
        (stays, f"{action!r} stays on the spot, so its speed is 0; for curves ask for 'walk' or 'run'"),
        (still, f"{action!r} stays on the spot: speed and turn are for {going}"),
        (slope != 0.0 and action != "walk", f"{action!r} needs level ground: slopes are walked, so ask for 'walk'"),
        (target is not None and action != "reach", f"a target is for 'reach', not for {action!r}"),
    )
    request = Request(action, style, 0.0, 0.0, 0.0, float(frame_rate), seconds, cycles, target, skeleton)
    if action in TURNS:
        return replace(request, turn=_turn_on_the_spot(turn, request.manner))
    if not travels:
        return request
    kind = "run" if action.startswith("run") else "walk"
    low, high = (limit * request.leg for limit in (WALK_RANGE if kind == "walk" else RUN_RANGE))
    pace = request.usual_speed(kind) if speed is None else float(speed)
    _number(f"{kind} speed for this height", pace, low, high, "m/s")
    _number("slope", slope, -_LIMITS.steepest, _LIMITS.steepest, "rad")
    return replace(request, speed=pace, turn=_turn(kind, turn, pace, slope, request), slope=float(slope))


def _refuse(*reasons: tuple[bool, str]) -> None:
    for refused, why in reasons:
        if refused:
            raise MotionError(why)


def _turn(kind: str, turn: float | None, speed: float, slope: float, request: Request) -> float:
    if turn is None or turn == 0.0:
        return 0.0
    if request.action in TRANSITIONS:
        raise MotionError(f"{request.action!r} goes straight; turns are for {' and '.join(GAITS)}")
    if slope != 0.0:
        straight = Option("turn", 0)
        raise MotionError("a slope is walked straight up or down", helps=f"ask for {straight}", option=straight)
    sharpest = min(_LIMITS.turn_per_cycle / float(request.gait(kind, speed).period), _SIDE_FORCE[kind] * 9.81 / speed)
    sharpest = max(sharpest - STRAY * request.manner.stagger, 0.1)  # staggering takes the rest
    _number(f"turn at {speed:.2f} m/s", turn, -sharpest, sharpest, "rad/s")
    return float(turn)


def _turn_on_the_spot(turn: float | None, manner: _Style) -> float:
    if turn is None:
        return _LIMITS.usual_turn * manner.speed
    low, high = _LIMITS.turn_on_spot
    if not low <= abs(turn) <= high:
        raise MotionError(f"a turn on the spot goes from {low:g} to {high:g} rad/s to either side, got {turn:g}")
    return float(turn)


def _styles_of(action: str) -> tuple[str, ...]:
    if action in _GESTURES:
        return _MOODS
    return tuple(style for style in STYLES if not (style == "marching" and "run" in action))  # one marches at a walk


def _choice(what: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise MotionError(f"unknown {what} {given!r}; there are {', '.join(choices)}")


def _number(what: str, given: float, low: float, high: float, unit: str) -> None:
    if not (np.isfinite(given) and low - 1e-9 <= given <= high + 1e-9):
        raise MotionError(f"{what} goes from {low:.3g} to {high:.3g} {unit}".rstrip() + f", got {given:g}")
