"""How a cycle walks over the ground: strides, feet at rest, the rates that are played."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from operator import neg, sub

import numpy as np
from jaxtyping import Complex, Float, Int
from scipy.linalg.lapack import zposv

from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import smoothstep
from mocapella.motion.contacts import FOOT_POINTS, Arc, CycleContacts
from mocapella.motion.layout import AHEAD, N_ROOT_DOFS
from mocapella.motion.spectrum import Spectrum, waves
from mocapella.playback.feet.plants import Arcs, bearings_of, plants_of
from mocapella.playback.motion_on_ground import N_SAMPLES, ORDERS, PHASES, CycleOnGround
from mocapella.playback.settings import DEFAULTS, PlayerSettings
from mocapella.rig.legs import LegDofs, leg_dofs

# Which part of each foot plant is real rest, told by how high the point stands in the pose that is played.

RISEN = 0.014  # metres: a point that much higher than in the middle of its plant has left the ground
_LANDING = 0.004  # metres more, at its beginning: a foot is braked before it is held
_TILTED = 0.007  # metres: one that much higher over the other end of its foot than then does not rest either
LOW, HIGH = 0.025, 0.04  # metres: one this high over it all the time rests in less of its plant, and in nothing of it
CLEAR = 0.004  # metres above the ground: a point that is lower has not left it
SWIVEL = 1.2  # radians per second: a foot that turns faster on its toe has let go of the ground with its heel
SOONER = 1.0  # samples before it has risen a heel is let go of: one that rises at once is let go of at once

Heights = Sequence[list[float]]  # of each of ``FOOT_POINTS``, metres, evenly over the cycle


def resting_arcs(contacts: CycleContacts, heights: Heights, ground: float = -math.inf) -> Arcs:
    """The plants of each of ``FOOT_POINTS`` without the ends in which a point is well above where it stands.

    A foot that comes down or rolls off slowly passes for one that rests, but holding it down would stretch the leg.
    ``heights`` are those of the foot points over a flat sole, taken to be linear between the samples. A point that a
    pose has below the ``ground``, where that is known, rests until it has come out.
    """
    first, second, third, fourth = heights
    return (
        _resting(contacts.left_heel, first, ground),
        _resting(contacts.left_toe, second, ground),
        _resting(contacts.right_heel, third, ground),
        _resting(contacts.right_toe, fourth, ground),
    )


def until_heels_rise(arcs: Arcs, heights: Heights, swivel: Callable[[int, int], float]) -> Arcs:
    """The same plants with those of heels lasting until the heel rises, as long as its toe stands.

    A heel that slides in a capture is taken to have left the ground, though it is there yet: let go of, it would drift
    over it. ``heights`` are above the ground. ``swivel`` says how fast a foot, 0 or 1, turns over it at a sample,
    radians per second, and is asked where a heel stays down: who swivels on a toe moves the heel on purpose, low as it
    may be.
    """
    left, left_toe, right, right_toe = arcs
    return (
        _until_up(left, left_toe, heights[0], lambda sample: swivel(0, sample)),
        left_toe,
        _until_up(right, right_toe, heights[2], lambda sample: swivel(1, sample)),
        right_toe,
    )


def _resting(arcs: tuple[Arc, ...], heights: list[float], ground: float) -> tuple[Arc, ...]:
    n = len(heights)
    per_radian, rounds = n / TURN, heights * 3
    if len(arcs) == 1 and _all_along(arcs[0], rounds, per_radian, ground):  # as most do
        return arcs
    stands = []
    falling, highest, longest = 0.0, 0.0, -1.0
    for start, length in arcs:
        middle = n + ((start + 0.5 * length) * per_radian) % n
        stand = _between(rounds, middle)
        stands.append((middle, stand))
        if length > longest:  # the longest plant says how high the point stands
            falling, highest, longest = stand + RISEN + _LANDING, max(stand + RISEN, ground + CLEAR), length
    out = []
    for arc, (middle, stand) in zip(arcs, stands, strict=True):
        length = arc[1]
        if length >= TURN:
            out.append(arc)
        elif stand <= highest:
            half = 0.5 * length * per_radian
            falls = max(stand, falling)
            if _stays_below(rounds, middle - half, middle + half, min(falls, highest)):  # as most do
                out.append(arc)
                continue
            before = _until(rounds, middle, stand, half, -1, falls)
            after = _until(rounds, middle, stand, half, 1, highest)
            out.append((((middle - before) / per_radian) % TURN, (before + after) / per_radian))
    return tuple(out)


def _all_along(arc: Arc, rounds: list[float], per_radian: float, ground: float) -> bool:
    """Whether the only plant of a point is rest from end to end, told by the samples in it and on either side."""
    start, length = arc
    n, half = len(rounds) // 3, 0.5 * length * per_radian
    middle = n + (start * per_radian + half) % n
    risen = _between(rounds, middle) + RISEN
    highest = max(rounds[int(middle - half) : int(middle + half) + 2])
    return highest <= risen + _LANDING and (highest <= risen or highest <= ground + CLEAR)


def level_arcs(arcs: Arcs, heights: Heights) -> Arcs:
    """The same plants without the ends in which a point is up over the other end of its foot, which rests.

    A heel that rises from its toe does not rest, nor a toe that is still to come down, however low the body has them
    both. Nor does the heel of who runs on the balls of his feet, slowly as it may move: laid down, it would draw the
    knee straight. A foot that one of them leaves stands on the other: none is lifted for that.
    """
    left, left_toe, right, right_toe = arcs
    return *_levelled(left, left_toe, heights[0], heights[1]), *_levelled(right, right_toe, heights[2], heights[3])


def _levelled(
    heels: tuple[Arc, ...], toes: tuple[Arc, ...], heel_heights: list[float], toe_heights: list[float]
) -> tuple[tuple[Arc, ...], tuple[Arc, ...]]:
    tilts = list(map(sub, heel_heights, toe_heights))
    heels = tuple([_level(arc, toes, tilts * 3) for arc in heels])
    return heels, tuple([_level(arc, heels, list(map(neg, tilts)) * 3) for arc in toes])


def _level(arc: Arc, others: tuple[Arc, ...], tilts: list[float]) -> Arc:
    """A plant of a point, given the plants of the other end of its foot.

    ``tilts`` say by how much the point is higher than that, evenly over three rounds of the cycle.
    """
    start, length = arc
    if length >= TURN:
        return arc
    n = len(tilts) // 3
    per_radian, half = n / TURN, 0.5 * length
    middle, samples = n + ((start + half) * per_radian) % n, half * per_radian
    tilt = _between(tilts, middle)
    steepest = max(tilt, 0.0) + _TILTED
    if tilt <= LOW and _stays_below(tilts, middle - samples, middle + samples, steepest):  # as most do
        return arc
    before = after = half
    for begin, span in others:
        since, left = (start - begin) % TURN, (start + length - begin) % TURN  # the other plant, at both ends
        if since <= span:
            down = _until(tilts, middle, tilt, samples, -1, steepest) / per_radian
            before = max(down, since + half - span)
        if left <= span:
            down = _until(tilts, middle, tilt, samples, 1, steepest) / per_radian
            after = max(down, half - left)
        if tilt > LOW and since + length <= span and length < 0.5 * TURN:  # who stands has his heels down
            rest = smoothstep(max(0.0, (HIGH - tilt) / (HIGH - LOW)))
            before, after = rest * before, rest * after
    return (start + half - before) % TURN, before + after


def _until_up(
    heels: tuple[Arc, ...], toes: tuple[Arc, ...], heights: list[float], swivel: Callable[[int], float]
) -> tuple[Arc, ...]:
    """The plants of a heel made longer up to where it rises or swivels, or the toe is gone."""
    n = len(heights)
    per_radian = n / TURN
    out = []
    for start, length in heels:
        end = start + length
        if heights[int(end * per_radian + SOONER) % n] <= RISEN:  # still low when it would be let go of at the soonest
            room = min(max([span - (end - begin) % TURN for begin, span in toes], default=0.0), TURN - length)
            if room > 0.0:
                longer = _up_after(heights, swivel, end * per_radian, room * per_radian) - SOONER
                length += max(0.0, longer) / per_radian
        out.append((start, length))
    return tuple(out)


def _up_after(heights: list[float], swivel: Callable[[int], float], here: float, most: float) -> float:
    """How many samples after a place a heel is up, or its foot swivels; 0 where it does already, at most ``most``."""
    n = len(heights)
    low = int(here)
    before, at = 0.0, low - here
    for sample in range(low, math.ceil(here + most) + 1):
        there = sample % n
        up = max(heights[there] / RISEN, abs(swivel(there)) / SWIVEL)
        if sample == low + 1 and before + (here - low) * (up - before) >= 1.0:
            return 0.0
        if sample > low and up > 1.0:
            return min(at + (1.0 - before) / (up - before), most)
        before, at = up, sample - here
    return most


def _between(heights: list[float], place: float) -> float:
    """The height at a place between samples."""
    low = int(place)
    here = heights[low]
    return here + (place - low) * (heights[low + 1] - here)


def _stays_below(heights: list[float], start: float, end: float, highest: float) -> bool:
    """Whether heights rise nowhere above ``highest`` between two places."""
    first, last = int(start), int(end)
    if max(heights[first + 1 : last + 1], default=highest) > highest:
        return False
    return max(heights[first], heights[last + 1]) <= highest or (
        _between(heights, start) <= highest and _between(heights, end) <= highest
    )


def _until(heights: list[float], middle: float, stand: float, half: float, way: int, highest: float) -> float:
    """How many samples from the middle of a plant one way heights first rise above ``highest``; at most to its end.

    ``heights`` are those of three rounds, and the middle lies in the second, at the height ``stand``.
    """
    first = math.floor(middle) + 1 if way > 0 else math.ceil(middle) - 1
    gone = (first - middle) * way
    at, before = 0.0, stand
    part = heights[first : first + math.ceil(half - gone) * way : way]
    if part and max(part) <= highest:  # as most are
        at, before = gone + len(part) - 1.0, part[-1]
    else:
        for height in part:
            if height > highest:
                return at + (gone - at) * (highest - before) / (height - before)
            at, before = gone, height
            gone += 1.0
    end = _between(heights, middle + way * half)
    return half if end <= highest else at + (half - at) * (highest - before) / (end - before)


# Work out how a spectrum travels: the feet say how fast the body goes.
#
# A foot point that rests asks the root for exactly one velocity, and the root takes the smoothest one that does justice
# to all points that rest: the blended root velocity plus a few harmonics fitted to what the feet ask beyond it. Those
# few leave the root as smooth as it was captured; what is left over, millimetres, the legs bend for. In flight no foot
# asks for anything, and the fit runs on by itself. The height of the root is fitted to the feet in the same way.

_TRAVEL_HARMONICS = 4  # of the velocity that the feet ask for beyond the blended one
ROLLING = 0.08  # of the speed: a point that asks for that much more or less is rolling off, and believed half
_NO_LENGTH = 1e-300  # metres: nothing beside any length, and something to divide by
STAYS, GOES = 0.02, 0.05  # m/s: who goes as slowly as the first stays where he is
TURNS = 0.1  # rad/s: not who turns on the spot as fast, for whom it is a circle
STIFFNESS = 0.003  # what a harmonic of the fit costs, times its number squared: it decides where no foot rests


def rooted_gait(spectrum: Spectrum, settings: PlayerSettings = DEFAULTS) -> CycleOnGround:
    """The way of a spectrum as its root was blended; its feet are not looked at."""
    low = spectrum.coefficients[: N_SAMPLES // 2 - 1, -N_ROOT_DOFS:]
    dofs = (waves(PHASES, len(low) - 1) @ low).real.T
    contacts = spectrum.contacts or CycleContacts()
    duration = spectrum.duration
    plants = plants_of(tuple(contacts.point(name) for name in FOOT_POINTS), duration, settings)
    turning, velocities = _per_radian(dofs, duration)
    nothing = np.zeros((6, N_SAMPLES), dtype=np.complex128)
    progress = _evenly_turning(velocities, turning, TURN / duration)
    return CycleOnGround.of(spectrum, plants, progress, (0.0, 0j), nothing, np.zeros((N_SAMPLES, 4)))


def footed_gait(spectrum: Spectrum, part: LegDofs, settings: PlayerSettings = DEFAULTS) -> CycleOnGround:
    """The way of a spectrum as its feet ask for it."""
    dofs = _sampled(spectrum, part)
    feet = part.feet(dofs)
    places = feet[:, :8].view(np.complex128)
    contacts, duration = spectrum.contacts or CycleContacts(), spectrum.duration
    over = feet[:, 8:] - part.soles
    bearings = bearings_of(resting_arcs(contacts, over.T.tolist()), duration, N_SAMPLES, settings)
    turning, velocities = _per_radian(dofs, duration)
    moves = _slopes().dot(feet)[:, :8].view(np.complex128)
    asked = (-1j * turning)[:, None] * places  # of the root, by each foot point, beyond the blended velocity
    asked -= moves
    asked -= velocities[:, None]
    pace = ROLLING / N_SAMPLES * float(np.add.reduce(np.abs(velocities))) + 1e-3 * duration / TURN
    doubts = np.abs(asked)
    doubts /= pace
    doubts *= doubts
    doubts += 1.0
    travel, (mean, swing) = _fitted(bearings / doubts, over, asked)
    velocities += _basis(_TRAVEL_HARMONICS).dot(travel)
    progress = _evenly_turning(velocities, turning, TURN / duration)
    # Who rests is judged again now that it is known where the ground is.
    over += _lifting().dot((mean, swing.real, swing.imag))[:, None]
    above = over.T.tolist()
    resting = resting_arcs(contacts, above, 0.0)
    arcs = level_arcs(until_heels_rise(resting, above, _swivel(places, moves, turning, duration)), above)
    harmonics = feet.view(np.complex128).T.dot(_analysis())
    plants = plants_of(arcs, duration, settings)
    return CycleOnGround.of(spectrum, plants, progress, (mean, 2.0 * swing), harmonics, bearings)


def _sampled(spectrum: Spectrum, part: LegDofs) -> Float[np.ndarray, "some samples"]:
    """The dofs of the legs evenly over the cycle, by the harmonics that so many samples can tell."""
    n_harmonics = min(spectrum.n_harmonics, N_SAMPLES // 2 - 2)
    parts = spectrum.coefficients.view(np.float64).ravel()
    return np.asarray(parts.take(part.sampling(n_harmonics, spectrum.n_dofs)).dot(_sampling(n_harmonics)))


def _per_radian(
    dofs: Float[np.ndarray, "some samples"], duration: float
) -> tuple[Float[np.ndarray, " samples"], Complex[np.ndarray, " samples"]]:
    """The turn and the way of the root, ahead real and left imaginary, per radian of cycle phase."""
    root = dofs[AHEAD:].T * (duration / TURN)
    return root[:, 2], np.ascontiguousarray(root[:, :2]).view(np.complex128).ravel()


def _swivel(
    places: Complex[np.ndarray, "samples 4"],
    moves: Complex[np.ndarray, "samples 4"],
    turning: Float[np.ndarray, " samples"],
    duration: float,
) -> Callable[[int, int], float]:
    """How fast a foot, 0 or 1, turns over the ground at a sample, radians per second: only a few are asked for.

    A foot of no length, of which only the ankle is known, turns as the body does.
    """

    def swivel(foot: int, sample: int) -> float:
        heel, toe = 2 * foot, 2 * foot + 1
        sole = places.item(sample, toe) - places.item(sample, heel) + _NO_LENGTH
        turn = (moves.item(sample, toe) - moves.item(sample, heel)) / sole
        rate: float = (turn.imag + turning.item(sample)) * TURN / duration
        return rate

    return swivel


def _evenly_turning(
    velocities: Complex[np.ndarray, " samples"], turning: Float[np.ndarray, " samples"], per_second: float
) -> Complex[np.ndarray, " samples"]:
    """Harmonics of velocities in the heading as seen from the frame that turns evenly: there they are periodic.

    Blends of people who sway and twist where they stand would creep away, though none of them does: whoever gets no
    further than that stays. ``per_second`` are radians of cycle phase.
    """
    progress = np.asarray(_analysis().dot(velocities * np.exp(1j * _swinging().dot(turning))))
    speed = per_second * abs(complex(progress[0]))
    if speed < GOES:
        turns = per_second / (TURNS * N_SAMPLES) * abs(float(np.add.reduce(turning)))
        going = smoothstep(max(0.0, (speed - STAYS) / (GOES - STAYS)))
        progress[0] *= going + (1.0 - going) * smoothstep(min(1.0, turns))
    return progress


def _fitted(
    weights: Float[np.ndarray, "samples 4"],
    over: Float[np.ndarray, "samples 4"],
    asked: Complex[np.ndarray, "samples 4"],
) -> tuple[Complex[np.ndarray, " some"], tuple[float, complex]]:
    """The velocity and the height that come nearest to what the foot points ask for, where they do.

    Given are how high they are ``over`` their soles, which the body is to be lowered by, and the velocities ``asked``.
    Fitted are harmonics −n … n of the velocity, of the height its mean and its first harmonic, left and right: the
    second is the body's own bounce. Both fits count the same points by the same weights, so their equations share
    their numbers.
    """
    most = _TRAVEL_HARMONICS
    totals = weights.ravel().dot(_summing(2 * most)).view(np.complex128)
    total, first, second = totals[2 * most : 2 * most + 3].tolist()
    if not total.real > 0.0:
        return np.zeros(2 * most + 1, dtype=np.complex128), (0.0, 0j)
    matrix = totals.take(_toeplitz(most))
    matrix += _stiffness(most)
    _, mean, swing = (weights * over).ravel().dot(_summing(1)).view(np.complex128).tolist()
    goal = (weights * asked).ravel().dot(_adjoint(most))
    return _solved(matrix, goal), _lift(total.real, first, second, -mean.real, -swing)


def _lift(total: float, first: complex, second: complex, mean: float, swing: complex) -> tuple[float, complex]:
    """The mean and the first harmonic of a real signal that come nearest to samples.

    Given are the harmonics 0, 1 and 2 of the samples' weights, and 0 and 1 of the weighted samples. Without the mean,
    the equations leave ``own c + other c̄ = goal``.
    """
    own = total + STIFFNESS * N_SAMPLES - abs(first) ** 2 / total
    other = second - first * first / total
    goal = swing - first * mean / total
    c = (own * goal - other * goal.conjugate()) / (own * own - abs(other) ** 2)
    return (mean - 2.0 * (first.conjugate() * c).real) / total, c


def _solved(matrix: Complex[np.ndarray, "few few"], goal: Complex[np.ndarray, " few"]) -> Complex[np.ndarray, " few"]:
    """The answer to equations whose matrix is Hermitian and positive; numpy's own solver takes twice as long."""
    _, answer, trouble = zposv(matrix, goal)
    return np.asarray(answer) if trouble == 0 else np.asarray(np.linalg.lstsq(matrix, goal)[0])


@cache
def _sampling(n_harmonics: int) -> Float[np.ndarray, "parts samples"]:
    """The matrix that makes samples of the real and imaginary parts of harmonics, by turns."""
    factors = waves(PHASES, n_harmonics).T
    return np.stack([factors.real, -factors.imag], axis=1).reshape(-1, N_SAMPLES)


@cache
def _swinging() -> Float[np.ndarray, "samples samples"]:
    """The matrix that makes the swings of a heading, 0 at cycle phase 0, of samples of its rate per radian."""
    orders = np.arange(1, N_SAMPLES // 2 - 1)
    swings = (np.exp(1j * PHASES[:, None] * orders) - 1.0) * (2.0 / orders)
    return np.ascontiguousarray((swings @ _analysis()[orders]).imag)


@cache
def _analysis() -> Complex[np.ndarray, "samples samples"]:
    """The Fourier transform as a matrix, which is symmetric: for so few samples quicker than a fast one."""
    return np.asarray(np.fft.fft(np.eye(N_SAMPLES), axis=0, norm="forward"))


@cache
def _slopes() -> Float[np.ndarray, "samples samples"]:
    """What samples in columns are multiplied by to give the slopes of the signals, per radian."""
    orders = np.where(np.abs(ORDERS) < N_SAMPLES // 2, ORDERS, 0.0)
    spectra = np.fft.fft(np.eye(N_SAMPLES), axis=0)
    return np.ascontiguousarray(np.fft.ifft(1j * orders[:, None] * spectra, axis=0).real)


@cache
def _lifting() -> Float[np.ndarray, "samples 3"]:
    """What a mean and both parts of a first harmonic are multiplied by to give samples of a real signal."""
    return np.stack([np.ones(N_SAMPLES), 2.0 * np.cos(PHASES), -2.0 * np.sin(PHASES)], axis=1)


@cache
def _basis(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    return np.asarray(np.exp(1j * PHASES[:, None] * np.arange(-harmonics, harmonics + 1)))


@cache
def _adjoint(harmonics: int) -> Complex[np.ndarray, "samples few"]:
    """What makes harmonics −n … n of the sum of four signals, sampled by turns."""
    return np.repeat(_basis(harmonics).conj(), len(FOOT_POINTS), axis=0)


@cache
def _summing(harmonics: int) -> Float[np.ndarray, "samples parts"]:
    """The same for real signals: real and imaginary parts by turns."""
    return _adjoint(harmonics).view(np.float64)


@cache
def _toeplitz(harmonics: int) -> Int[np.ndarray, "few few"]:
    """Where a matrix of basis products finds its numbers among the harmonics −2n … 2n of the weights."""
    orders = np.arange(2 * harmonics + 1)
    return orders[:, None] - orders + 2 * harmonics


@cache
def _stiffness(harmonics: int) -> Float[np.ndarray, "few few"]:
    return np.diag(STIFFNESS * N_SAMPLES * np.arange(-harmonics, harmonics + 1.0) ** 2)


# How fast a motion is played: planted feet carry the body, not the root that was captured.


def played_rates(spectrum: Spectrum) -> tuple[float, float]:
    """Turn rate and speed that a player makes of a motion by its feet.

    For ``Calibration(network, measure=played_rates)``: requests are then met as they are seen, not as roots were
    captured.

    Parameters
    ----------
    spectrum
        The motion, with a layout whose skeleton has legs.

    Returns
    -------
    tuple[float, float]
        Radians per second, left positive, and metres per second; means of a cycle.
    """
    if spectrum.layout is None:
        raise MotionError("these harmonics carry no layout, so they go nowhere")
    gait = footed_gait(spectrum, leg_dofs(spectrum.layout))
    return spectrum.turn / spectrum.duration, abs(gait.velocity)


def played_speed(spectrum: Spectrum) -> float:
    """How fast a motion is played.

    Parameters
    ----------
    spectrum
        The motion.

    Returns
    -------
    float
        Metres per second; where no legs are known, how fast its root was captured.
    """
    try:
        return played_rates(spectrum)[1]
    except MotionError:
        return spectrum.speed
