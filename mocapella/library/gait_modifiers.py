"""Modifiers that make a gait from two or more: at a given speed, on a curve, up a slope.

Each takes the cycles of its clips, mixes their harmonics and searches for the mixture that has the requested figure
when it is played with locked feet. A request beyond what the clips reach is an error that names the reachable range.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.analysis.examined import examine
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.prepare import prepare, turning_of
from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.build import HARMONICS, build
from mocapella.building.layout.steps import in_step
from mocapella.building.sources import on_one_skeleton
from mocapella.editing.feet.incline import climbing, on_slope
from mocapella.errors import MotionError, MotionWarning
from mocapella.gait.root_motion import played_rates
from mocapella.geometry import quaternions
from mocapella.library.stretches import GRAVITY
from mocapella.library.wishes import LEAST, WITHIN
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import YAW_RATE
from mocapella.motion.loops import smooth_course
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.player import Player
from mocapella.playback.record import record, record_with_contacts
from mocapella.steering.calibration import Calibration

_STOPS = 17  # places between two clips at which a figure is measured before the right one is searched for
_HALVINGS = 40  # of the share between two clips: to the last digit
_GENTLER = 6  # halvings towards the steepest slope that legs can follow
_LEAST_SPEED = 0.05  # m/s: what goes slower has no curvature


@dataclass(frozen=True)
class Figures:
    """Figures of a gait, measured on its frames."""

    speed: float  # m/s along its way
    turn: float  # degrees per second, left positive
    curvature: float  # of its way, 1/m, left positive
    slope: float  # degrees, up positive
    step: float  # metres from a footfall to the next, along its way: half of what a cycle goes


def gait_figures(clip: Clip, seconds: float) -> Figures:
    """Measure a gait that repeats by frames a cycle apart, so that the sway of steps does not count.

    Returns means over the clip. A cycle leads round an arc; its length counts, not its chord. Raises ``MotionError``
    where the clip is not longer than a cycle.
    """
    frames = np.arange(clip.n_frames)
    shift = seconds * clip.frame_rate
    first = frames[frames + shift <= frames[-1] + 1e-9]
    if not len(first) or seconds <= 0.0:
        raise MotionError(f"a clip of {clip.seconds:.2f} s holds no cycle of {seconds:.2f} s to measure")

    def later(signal: np.ndarray) -> np.ndarray:
        return np.asarray(np.interp(first + shift, frames, signal))

    path, headings, heights = clip.ground_path, clip.headings, clip.root_positions[:, 1]
    chord = later(path.real) + 1j * later(path.imag) - path[first]
    turn = float(np.mean(later(headings) - headings[first]))
    arc = float(np.mean(np.abs(chord))) * (0.5 * turn / math.sin(0.5 * turn) if abs(turn) > 1e-9 else 1.0)
    rise = float(np.mean(later(heights) - heights[first]))
    curvature = turn / arc if arc > _LEAST_SPEED * seconds else 0.0
    slope = math.degrees(math.atan2(rise, max(arc, 1e-9)))
    return Figures(arc / seconds, math.degrees(turn) / seconds, curvature, slope, 0.5 * arc)


def to_speed(clip: Clip, other: Clip, *, speed: float) -> Clip:
    """The mixture of two gaits that has a given speed.

    ``speed`` is in m/s. The result is about as long as the first, feet held where they rest. Raises ``MotionError``
    where no mixture goes at that speed.
    """
    return _between(clip, other, "speed", speed, "m/s", lambda turn_rate, pace: pace)


def to_curvature(clip: Clip, other: Clip, *, curvature: float) -> Clip:
    """The mixture of two gaits that has a given curvature.

    ``clip`` and ``other`` are gaits that turn unlike, such as one and its ``sync_mirror``. ``curvature`` is in 1/m,
    left positive. The result is about as long as the first, feet held where they rest. Raises ``MotionError`` where no
    mixture goes round that curve.
    """
    return _between(clip, other, "curvature", curvature, "1/m", lambda turn_rate, pace: turn_rate / pace)


def to_slope(clip: Clip, other: Clip, *, slope: float) -> Clip:
    """The mixture of two gaits that climbs a given slope.

    ``slope`` is in degrees, up positive. The result is about as long as the first, feet held where they rest. Raises
    ``MotionError`` where the slope does not lie between those of the two.
    """
    slopes, cycles = [], []
    for motion in (clip, other):
        slope_there, flat = _levelled(motion)
        slopes.append(slope_there)
        cycles.append(prepare(flat, turning=turning_of(motion), contacts=examine(motion).plants))
    cycles = in_step(_alike(cycles))
    low, high = min(slopes), max(slopes)
    if not low <= slope <= high or high - low < 0.5:
        raise MotionError(expected=f"a slope between those of the clips, {low:.1f} to {high:.1f}°", got=f"{slope:g}°")
    network = _pair([analyse(cycle, HARMONICS) for cycle in cycles])
    spectrum = network.blend(((slope - slopes[0]) / (slopes[1] - slopes[0]), 0.0))
    rounds = max(2, round(clip.seconds / spectrum.duration))
    cycle = synthesise(spectrum, max(8, round(spectrum.duration * clip.frame_rate)))
    level = cycle.to_clip(rounds)
    return replace(on_slope(level, slope, _plants_of(cycle, rounds)), name=clip.name)


def bent(cycle: Cycle, curvature: float) -> Cycle:
    """A gait led round a curve: its course turns evenly, and the body leans against the centrifugal force.

    Feet are not touched: a player holds them where they come down.

    ``curvature`` is that of the way, 1/m, left positive, in place of its own.
    """
    turn_rate = cycle.turn / cycle.duration
    lean = math.atan(cycle.speed * (turn_rate - curvature * cycle.speed) / GRAVITY)  # about +z, to the right positive
    dofs = np.array(cycle.dofs)
    dofs[:, YAW_RATE] += curvature * cycle.speed - turn_rate
    root = cycle.layout.columns(0)
    about_z = np.array([math.cos(0.5 * lean), 0.0, 0.0, math.sin(0.5 * lean)])
    dofs[:, root] = quaternions.multiply(about_z, dofs[:, root])
    return replace(cycle, dofs=owned(dofs))


def gait(clip: Clip, *others: Clip, speed: float | None = None, curvature: float | None = None) -> Clip:
    """The mixture of several gaits that has a given speed and curvature, chosen independently.

    ``clip`` and ``others`` are gaits; turns are mirrored where there is none to the other side. ``speed`` is in m/s;
    that of the first where it is left out. ``curvature`` is in 1/m, left positive; straight where it is left out. The
    result is about as long as the first, feet held where they rest.
    """
    cycles = _alike([prepare(motion, turning=turning_of(motion)) for motion in (clip, *others)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        network = build(cycles, measure=played_rates).network
        calibration = Calibration(network, measure=played_rates)
    pace = cycles[0].speed if speed is None else speed
    bend = 0.0 if curvature is None else curvature
    answer = calibration.request(bend * pace, pace)
    if not answer.feasible:
        low, high = calibration.speeds
        left = max(map(abs, calibration.turns))
        raise MotionError(
            f"no mixture of these clips goes at {pace:g} m/s round {bend:g} 1/m; the nearest at {answer.speed:.2f} "
            f"m/s round {answer.turn_rate / max(answer.speed, _LEAST_SPEED):.2f} 1/m",
            helps=f"they go at {low:.2f} to {high:.2f} m/s and turn by up to {math.degrees(left):.0f} °/s",
        )
    return replace(played(network, answer.point, clip.seconds, clip.frame_rate), name=clip.name)


def played(network: Network, point: Sequence[float], seconds: float, frame_rate: float) -> Clip:
    """A recording of a character at a point of a network.

    It begins at the origin; feet are held where they rest.
    """
    return record(Player(network, point=tuple(point)), seconds=seconds, frame_rate=frame_rate)


def climbed(
    network: Network, point: Sequence[float], seconds: float, frame_rate: float, *, slope: float
) -> tuple[Clip, float]:
    """A recording of a character at a point of a network on a slope, or on the steepest that its legs can follow.

    ``slope`` is in degrees, up positive; the one returned is less where a foot would not reach its place. Feet are held
    where they rest on the slope. The other arguments are as for ``played``.
    """
    duration = network.blend(tuple(point)).duration
    lead = round(duration * frame_rate)  # a cycle at both ends that is cut off again: feet pull the root there
    n_frames = round(seconds * frame_rate)
    level, plants = record_with_contacts(
        Player(network, point=tuple(point)), seconds=(n_frames + 2 * lead) / frame_rate, frame_rate=frame_rate
    )

    def tried(share: float) -> tuple[Clip, bool]:
        recording, reached = climbing(level, share * slope, plants, level_at=lead)
        climb = recording[lead : lead + n_frames]
        off = abs(gait_figures(climb, duration).slope - share * slope)
        climb = climb.moved(-float(climb.root_positions[0, 0]), -float(climb.root_positions[0, 2]))
        climb = climb.turned(-float(climb.headings[0]))
        return climb, reached and off <= WITHIN * max(abs(share * slope), LEAST["slope"])

    climb, reached = tried(1.0)
    if reached:
        return climb, slope
    low, high, climb = 0.0, 1.0, level[:n_frames]
    for _ in range(_GENTLER):
        share = 0.5 * (low + high)
        other, reached = tried(share)
        low, high, climb = (share, high, other) if reached else (low, share, climb)
    return climb, low * slope


def _between(
    clip: Clip, other: Clip, what: str, asked: float, unit: str, figure: Callable[[float, float], float]
) -> Clip:
    """The mixture of two gaits for which a figure of turn rate (rad/s) and speed (m/s) is as requested."""
    cycles = in_step(_alike([prepare(motion, turning=turning_of(motion)) for motion in (clip, other)]))
    network = _pair([analyse(cycle, HARMONICS) for cycle in cycles])

    def off(share: float) -> float:
        turn_rate, pace = played_rates(network.blend((share, 0.0)))
        return figure(turn_rate, max(pace, _LEAST_SPEED)) - asked

    shares = np.linspace(0.0, 1.0, _STOPS)
    offs = np.array([off(share) for share in shares])
    low, high = float(offs.min()), float(offs.max())
    if low > 1e-9 or high < -1e-9:
        raise MotionError(
            expected=f"a {what} that these clips reach, {low + asked:.3g} to {high + asked:.3g} {unit}",
            got=f"{asked:g} {unit}",
        )
    share = crossing(off, shares, offs, halvings=_HALVINGS)
    return replace(played(network, (share, 0.0), clip.seconds, clip.frame_rate), name=clip.name)


def crossing(
    figure: Callable[[float], float],
    places: Float[np.ndarray, " places"],
    values: Float[np.ndarray, " places"],
    *,
    halvings: int,
) -> float:
    """Where a figure is first 0, between the places it was measured at; the place of its least value if nowhere."""
    met = np.flatnonzero((values[:-1] <= 0.0) != (values[1:] <= 0.0))
    if not len(met):
        return float(places[int(np.argmin(np.abs(values)))])
    low, high = places[met[0]], places[met[0] + 1]
    rising = values[met[0]] <= 0.0
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (figure(middle) <= 0.0) == rising else (low, middle)
    return float(0.5 * (low + high))


def _alike(cycles: Sequence[Cycle]) -> list[Cycle]:
    """The cycles, all of the first one's skeleton where they can be brought to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        return on_one_skeleton(cycles, cycles[0].skeleton, all_of_them=True)


def _pair(spectra: Sequence[Spectrum]) -> Network:
    return Network([Node(f"clip {k + 1}", (float(k), 0.0), spectrum) for k, spectrum in enumerate(spectra)])


def _levelled(clip: Clip) -> tuple[float, Clip]:
    """The slope of a motion, degrees, and the motion with its climb taken out of its root."""
    captured = clip.captured
    course = smooth_course(captured)
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(course.places)))])
    heights = captured.root_positions[:, 1]
    if way[-1] < 1.0:
        return 0.0, clip
    slope, _ = np.polyfit(way, heights, 1)  # sway goes out over the strides
    if abs(math.degrees(math.atan(slope))) < 0.5:
        return 0.0, clip
    lost = clip.n_frames - captured.n_frames
    roots = np.array(clip.root_positions)
    roots[lost:, 1] -= slope * way
    return math.degrees(math.atan(float(slope))), replace(clip, root_positions=roots)


def _plants_of(cycle: Cycle, rounds: int) -> Contacts:
    """The foot plants of some rounds of a cycle."""
    phases = np.tile(cycle.phases, rounds)
    contacts = cycle.contacts
    if contacts is None:
        raise MotionError("a cycle without foot plants cannot be led up a slope")
    return Contacts.from_masks({point: contacts.planted(point, phases) for point in FOOT_POINTS})
