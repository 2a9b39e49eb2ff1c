"""Inverse kinematics of chains: general solvers that turn hinges until the end of a chain is at its goal.

Two-bone limbs have an exact answer, in ``geometry.limbs``; these are for chains of any number of joints, with limits.
All return joint angles, one a hinge. A step of ``damped_least_squares`` is ``Jᵀ(J Jᵀ + λ² I)⁻¹ e``, of
``pseudo_inverse`` ``J⁺ e``, of ``transpose`` ``α Jᵀ e``; ``cyclic_descent`` turns one hinge after another, from the end
to the start. ``constraint_projection`` takes the end for a constraint, ``J K Jᵀ λ = e − J K g``, where ``g`` draws
every hinge towards the middle of its limits. A column of the Jacobian is ``u × (r − r_i)``. Limits are kept by clamping
after every step; hinges that a step would turn beyond a limit they are at take no part in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.arrays import freeze
from mocapella.errors import MotionError
from mocapella.geometry.projection import project

_Vector3 = Float[np.ndarray, "3"]
Angles = Float[np.ndarray, " hinges"]

_DAMPING = 0.05  # of the chain's length, at first; less the nearer the end is to its goal
_LONGEST_STEP = 0.4  # radians by which any hinge turns in one step
_EASE = 0.1  # share of the way to the middle of its limits by which a hinge is drawn there in one step
_MOST_STEPS = 400  # of a solver, before it gives up
_RESTARTS = 12  # from other angles, where a solver is stuck at a limit or in a straight line
_TINY = 1e-12  # lengths and squares below it are 0 but for rounding


@dataclass(frozen=True, eq=False)
class Chain:
    """Hinges in a row, each carrying a rod to the next; the last rod carries the end.

    Several hinges in one place, rods of length 0, make a joint of more than one degree of freedom.

    Examples
    --------
    >>> arm = Chain.of(axes=[[0, 0, 1], [0, 0, 1]], rods=[[1, 0, 0], [1, 0, 0]])
    >>> arm.end(np.array([np.pi / 2, 0.0])).round(6).tolist()
    [0.0, 2.0, 0.0]
    """

    axes: Float[np.ndarray, "hinges 3"]  # unit, in the frame of the rod before
    rods: Float[np.ndarray, "hinges 3"]  # from each hinge to the next, in its own frame, metres
    lower: Angles  # limits, radians
    upper: Angles

    def __post_init__(self) -> None:
        freeze(self, np.float64, "axes", "rods", "lower", "upper")
        n = len(self.axes)
        if n == 0 or self.axes.shape != (n, 3) or self.rods.shape != (n, 3):
            raise MotionError(f"a chain has as many axes as rods, got {self.axes.shape} and {self.rods.shape}")
        if not (np.isfinite(self.axes).all() and np.isfinite(self.rods).all()):
            raise MotionError("axes and rods of a chain must be finite numbers")
        if np.abs(np.linalg.norm(self.axes, axis=-1) - 1.0).max() > 1e-6:
            raise MotionError("axes of a chain have length 1; normalise them")
        if self.lower.shape != (n,) or self.upper.shape != (n,) or not np.all(self.lower <= self.upper):
            raise MotionError("a chain has a lower limit for every hinge, and an upper one that is not below it")

    @classmethod
    def of(cls, axes: object, rods: object, *, limits: object | None = None) -> Chain:
        """A chain from lists; without limits a hinge turns freely."""
        given = np.asarray(axes, dtype=np.float64)
        free = np.tile([-np.inf, np.inf], (len(given), 1))
        bounds = free if limits is None else np.asarray(limits, dtype=np.float64).reshape(len(given), 2)
        return cls(given, np.asarray(rods, dtype=np.float64), bounds[:, 0], bounds[:, 1])

    @property
    def length(self) -> float:
        """The length of all rods together, metres."""
        return float(np.linalg.norm(self.rods, axis=-1).sum())

    def clamped(self, angles: Angles) -> Angles:
        """Angles within the limits."""
        return np.asarray(np.clip(angles, self.lower, self.upper))

    def posed(self, angles: Angles) -> tuple[Float[np.ndarray, "hinges 3"], Float[np.ndarray, "hinges 3"], _Vector3]:
        """Places and axes of the hinges in the world, and where the end is."""
        places, axes = np.empty(self.axes.shape), np.empty(self.axes.shape)
        frame, here = np.eye(3), np.zeros(3)
        for i, (axis, rod, angle) in enumerate(zip(self.axes, self.rods, angles, strict=True)):
            places[i], axes[i] = here, frame @ axis
            frame = frame @ _rotation(axis, float(angle))
            here = here + frame @ rod
        return places, axes, here

    def end(self, angles: Angles) -> _Vector3:
        """Where the end is, from the first hinge."""
        return self.posed(angles)[2]

    def jacobian(self, angles: Angles) -> tuple[Float[np.ndarray, "3 hinges"], _Vector3]:
        """How the end moves with each hinge, metres per radian, and where it is."""
        places, axes, end = self.posed(angles)
        return np.cross(axes, end - places).T, end


@dataclass(frozen=True, eq=False)
class _Solution:
    """The result of a solver."""

    angles: Angles  # radians
    error: float  # metres between end and goal
    steps: int  # over all starts


Step = Callable[[Chain, Angles, _Vector3], Angles]
_Jacobian = Float[np.ndarray, "3 hinges"]
_Turns = Callable[[Chain, Angles, _Jacobian, _Vector3], Angles]  # from the Jacobian and the miss


def _by_jacobian(turns: _Turns) -> Step:
    """A step from the Jacobian, in which hinges that are at a limit and would be turned beyond it do not count."""

    def step(chain: Chain, angles: Angles, goal: _Vector3) -> Angles:
        jacobian, end = chain.jacobian(angles)
        free = np.ones(len(angles))
        low, high = angles <= chain.lower, angles >= chain.upper
        for _ in range(len(angles)):
            change = free * turns(chain, angles, jacobian * free, goal - end)
            stuck = (free > 0.0) & (((change < 0.0) & low) | ((change > 0.0) & high))
            if not stuck.any():
                break
            free = np.where(stuck, 0.0, free)
        return np.asarray(free * change)

    return step


def _damping(chain: Chain, off: _Vector3) -> float:
    return _DAMPING * chain.length * min(1.0, 10.0 * float(np.linalg.norm(off)) / chain.length)


def _damped(chain: Chain, angles: Angles, jacobian: _Jacobian, off: _Vector3) -> Angles:
    square = jacobian @ jacobian.T + (_damping(chain, off) ** 2 + _TINY) * np.eye(3)
    return np.asarray(jacobian.T @ np.linalg.solve(square, off))


def _transposed() -> Step:
    """Steps along ``Jᵀ e`` in conjugate directions: straight down the slope they zigzag where a chain is stretched."""
    last: list[Angles] = []  # slope and direction of the step before

    def turns(chain: Chain, angles: Angles, jacobian: _Jacobian, off: _Vector3) -> Angles:
        heading = slope = jacobian.T @ off
        if last and (size := float(last[0] @ last[0])) > _TINY**2:
            share = max(0.0, float(slope @ (slope - last[0])) / size)
            heading = slope + share * np.where(slope == 0.0, 0.0, last[1])
            heading = heading if heading @ slope > 0.0 else slope
        moves = jacobian @ heading
        last[:] = [slope, heading]
        size = float(moves @ moves)
        return np.asarray(heading * (float(off @ moves) / size if size > _TINY**2 else 0.0))

    return _by_jacobian(turns)


def _projected(chain: Chain, angles: Angles, jacobian: _Jacobian, off: _Vector3) -> Angles:
    limited = np.isfinite(chain.lower) & np.isfinite(chain.upper)
    middle = np.array(angles)
    middle[limited] = 0.5 * (chain.lower[limited] + chain.upper[limited])
    forces = _EASE * min(1.0, float(np.linalg.norm(off)) / (_EASE * chain.length)) * (middle - angles)
    return project(jacobian, forces, np.ones(len(angles)), off, damping=_damping(chain, off))[0]


def _descent(chain: Chain, angles: Angles, goal: _Vector3) -> Angles:
    """One round of cyclic coordinate descent, from the end to the start; returned as the change of all angles."""
    out = np.array(angles)
    for i in reversed(range(len(out))):
        places, axes, end = chain.posed(out)
        axis = axes[i]
        now, wanted = end - places[i], goal - places[i]
        now, wanted = now - (now @ axis) * axis, wanted - (wanted @ axis) * axis
        if np.linalg.norm(now) * np.linalg.norm(wanted) < _TINY:
            continue
        turn = math.atan2(float(np.cross(now, wanted) @ axis), float(now @ wanted))
        out[i] = np.clip(out[i] + turn, chain.lower[i], chain.upper[i])
    return np.asarray(out - angles)


# What begins a solver: one that remembers its last step must not do so from one goal to the next.
SOLVERS: Mapping[str, Callable[[], Step]] = {
    "damped_least_squares": lambda: _by_jacobian(_damped),
    "pseudo_inverse": lambda: _by_jacobian(lambda _, __, jacobian, off: np.linalg.pinv(jacobian, rcond=1e-3) @ off),
    "transpose": _transposed,
    "cyclic_descent": lambda: _descent,
    "constraint_projection": lambda: _by_jacobian(_projected),
}


def solve_chain(
    chain: Chain,
    goal: _Vector3,
    start: Angles | None = None,
    *,
    solver: str = "damped_least_squares",
    tolerance: float = 1e-6,
) -> _Solution:
    """Angles of a chain that bring its end to a goal, within limits.

    A goal out of reach is approached as far as the chain can. Where a solver gets stuck, at limits or with the chain in
    line with its goal, it starts again from other angles, always the same ones in the same order.

    ``goal`` is the wanted place of the end, from the first hinge, metres. ``start`` are the angles to begin with,
    radians; as near to 0 as limits allow if None. ``solver`` is one of ``SOLVERS``, which stops within ``tolerance``
    metres of the goal. Returns the best angles found, and how far the end is from the goal. Raises ``MotionError``
    where there is no such solver, or the goal is no place.
    """
    if solver not in SOLVERS:
        raise MotionError(expected=f"a solver of {', '.join(SOLVERS)}", got=repr(solver))
    wanted = np.asarray(goal, dtype=np.float64)
    if wanted.shape != (3,) or not np.isfinite(wanted).all():
        raise MotionError(expected="a goal of three finite numbers", got=repr(goal))
    first = chain.clamped(np.zeros(len(chain.axes)) if start is None else np.asarray(start, dtype=np.float64))
    best, error, steps = first, math.inf, 0
    beyond = float(np.linalg.norm(wanted)) >= chain.length  # then there is nothing to find elsewhere
    for attempt in range(1 if beyond else _RESTARTS):
        angles, off, used = _descended(chain, wanted, _start(chain, first, attempt), SOLVERS[solver](), tolerance)
        steps += used
        if off < error:
            best, error = angles, off
        if error <= tolerance:
            break
    return _Solution(best, error, steps)


def _descended(chain: Chain, goal: _Vector3, start: Angles, step: Step, tolerance: float) -> tuple[Angles, float, int]:
    """Steps from one start; a step that leads away is halved, and given up when it is tiny."""
    angles = start
    off = float(np.linalg.norm(goal - chain.end(angles)))
    for count in range(_MOST_STEPS):
        if off <= tolerance:
            return angles, off, count
        change = step(chain, angles, goal)
        change = change * min(1.0, _LONGEST_STEP / max(float(np.abs(change).max()), _TINY))
        for _ in range(12):
            tried = chain.clamped(angles + change)
            distance = float(np.linalg.norm(goal - chain.end(tried)))
            if distance < off:
                break
            change = 0.5 * change
        else:
            return angles, off, count
        if off - distance < 1e-9 * chain.length and distance > tolerance:
            return tried, distance, count
        angles, off = tried, distance
    return angles, off, _MOST_STEPS


def _start(chain: Chain, first: Angles, attempt: int) -> Angles:
    """The angles that an attempt begins with: those given, then others spread evenly over what limits allow."""
    if attempt == 0:
        return first
    low, high = np.maximum(chain.lower, -np.pi), np.minimum(chain.upper, np.pi)
    primes = np.resize([2, 3, 5, 7, 11, 13, 17, 19, 23, 29], len(first))
    shares = (attempt * np.sqrt(primes)) % 1.0  # multiples of square roots of primes spread evenly
    return chain.clamped(low + shares * (high - low))


def _rotation(axis: _Vector3, angle: float) -> Float[np.ndarray, "3 3"]:
    """The matrix of a turn about a unit axis."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    t = 1.0 - c
    return np.array(
        [
            [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
            [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
            [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
        ]
    )
