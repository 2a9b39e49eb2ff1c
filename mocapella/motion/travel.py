"""Rates of travel and turn round a cycle, and the path that they make.

A character that repeats a cycle adds the same travel and the same turn on the ground with each round. Its velocity,
seen from a frame that turns evenly with it, is periodic, so it has harmonics, and the conversion between path and
velocity is exact both ways up to the harmonics that the frames determine: a cycle that is repeated follows the captured
path. Ground places are complex numbers, z + ix: ahead is real, left imaginary, and multiplying by exp(iψ) turns left by
ψ.
"""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Complex, Float

from mocapella.geometry.angles import TURN

_Steps = Complex[np.ndarray, " frames"]
_Places = Complex[np.ndarray, " closed"]  # a round with its closing frame
_Yaws = Float[np.ndarray, " closed"]
_YawRates = Float[np.ndarray, " frames"]

STRAIGHT = 8.0  # degrees per second: a motion that turns less goes straight, with the sway that walking has
ASIDE = math.radians(60.0)  # between the ways of two motions: sharp turns to both sides differ by up to 45 degrees
STANDING = 0.1  # m/s: a motion that is slower, and straight, stands


@runtime_checkable
class _Travelling(Protocol):
    """A cycle or a spectrum: how long a round takes, how far it turns and how fast it goes."""

    @property
    def duration(self) -> float:
        """Seconds per cycle."""

    @property
    def turn(self) -> float:
        """Radians per cycle, left positive."""

    @property
    def speed(self) -> float:
        """Mean speed in the character's heading, m/s."""

    @property
    def velocity(self) -> tuple[float, float]:
        """Mean velocity to the left of the character's heading and ahead in it, m/s."""


def turn_and_speed(motion: _Travelling) -> tuple[float, float]:
    """How fast a motion turns and goes. Returns ``turn`` and ``speed``: degrees per second, left positive, and m/s."""
    return math.degrees(motion.turn / motion.duration), motion.speed


def straight(motion: _Travelling) -> bool:
    """Whether a motion goes straight: its mean turn rate is below ``STRAIGHT``, the sway of walking."""
    return abs(turn_and_speed(motion)[0]) < STRAIGHT


def stands(motion: _Travelling) -> bool:
    """Whether a motion is straight and slower than ``STANDING``, so that it has no steps to synchronise."""
    return motion.speed < STANDING and straight(motion)


def direction(motion: _Travelling) -> float:
    """The direction of travel relative to where the hips face: to a side in a side step, backwards in a backward walk.

    Radians, −π … π: 0 ahead, left positive; 0 where it hardly goes anywhere.
    """
    left, ahead = motion.velocity
    return math.atan2(left, ahead) if motion.speed >= STANDING else 0.0


def go_one_way(motion: _Travelling, other: _Travelling) -> bool:
    """Whether two motions go the same way up to ``ASIDE``, seen from where the hips face, or one hardly goes at all."""
    standing = min(motion.speed, other.speed) < STANDING
    return standing or math.cos(direction(motion) - direction(other)) >= math.cos(ASIDE)


def _rates_of_steps(steps: _Steps, duration: float, *, turn: float = 0.0) -> _Steps:
    """The velocities at the frames of a path given by its steps, both in the evenly turning frame.

    Step ``n`` leads from frame ``n`` to the next, the last one to the first frame of the next round. ``turn`` is how
    far, in radians, the frame turns per round; ``duration`` how long a round takes.
    """
    return np.asarray(np.fft.ifft(np.fft.fft(steps) / _gains(len(steps), duration, turn)))


def _steps_of_rates(rates: _Steps, duration: float, *, turn: float = 0.0) -> _Steps:
    """The steps from frame to frame that velocities add up to: the inverse of ``_rates_of_steps``."""
    return np.asarray(np.fft.ifft(np.fft.fft(rates) * _gains(len(rates), duration, turn)))


def rates_of_path(places: _Places, yaws: _Yaws, frame_rate: float) -> tuple[_Steps, _YawRates]:
    """Velocities and yaw rates of one round of a path that is given with its closing frame.

    They add up to exactly the travel and turn from the first frame to the last.

    ``places`` are z + ix on the ground, metres; ``yaws`` continuous headings, radians. Returns velocities in the
    character's heading, ahead + i left, m/s, and yaw rates, rad/s.
    """
    n = len(places) - 1
    duration, turn = n / frame_rate, float(yaws[-1] - yaws[0])
    yaw_rates = _rates_of_steps(np.diff(yaws).astype(np.complex128), duration).real
    course = _course(n, turn)
    velocities = _rates_of_steps(np.diff(places) * np.exp(-1j * (yaws[0] + course)), duration, turn=turn)
    return velocities * np.exp(1j * (course + yaws[0] - yaws[:-1])), yaw_rates


def path_of_rates(velocities: _Steps, yaw_rates: _YawRates, frame_rate: float) -> tuple[_Places, _Yaws]:
    """Places and headings of one round and its closing frame, begun at the origin with heading 0.

    ``velocities`` are in the character's heading, ahead + i left, m/s; ``yaw_rates`` in rad/s. Returns places z + ix,
    metres, and continuous headings, radians.
    """
    n = len(velocities)
    duration = n / frame_rate
    yaws = np.concatenate([[0.0], np.cumsum(_steps_of_rates(yaw_rates.astype(np.complex128), duration).real)])
    turn = float(yaws[-1])
    course = _course(n, turn)
    steps = _steps_of_rates(velocities * np.exp(1j * (yaws[:-1] - course)), duration, turn=turn)
    return np.concatenate([[0.0], np.cumsum(steps * np.exp(1j * course))]), yaws


def repeated_path(
    places: _Places, yaws: _Yaws, rounds: int
) -> tuple[Complex[np.ndarray, " all"], Float[np.ndarray, " all"]]:
    """The path of several rounds, each begun where the one before ended, without the last one's closing frame.

    ``places`` and ``yaws`` are of one round with its closing frame: z + ix in metres, radians.
    """
    turn, way = yaws[-1] - yaws[0], places[-1] - places[0]
    starts = np.cumsum(np.concatenate([[0.0], way * np.exp(1j * turn * np.arange(rounds - 1))]))
    turned = np.exp(1j * turn * np.arange(rounds))[:, None] * (places[:-1] - places[0])
    headings = turn * np.arange(rounds)[:, None] + yaws[:-1]
    return np.asarray(places[0] + starts[:, None] + turned).ravel(), np.asarray(headings).ravel()


def _course(n: int, turn: float) -> Float[np.ndarray, " frames"]:
    """The heading of the evenly turning frame."""
    return turn * np.arange(n) / n


def _gains(n: int, duration: float, turn: float) -> Complex[np.ndarray, " frames"]:
    """The integral of exp(iαt) over one frame, for each harmonic of a velocity."""
    angles = (TURN * np.fft.fftfreq(n, 1.0 / n) + turn) / n  # radians per frame
    return np.asarray(duration / n * np.exp(0.5j * angles) * np.sinc(angles / TURN))
