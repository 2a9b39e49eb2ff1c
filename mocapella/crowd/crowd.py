"""Many characters of one network in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from mocapella.blending.network import Network
from mocapella.checks import finite_number, shown
from mocapella.crowd.detail import LEVELS, Level, level_at
from mocapella.crowd.native import NativeEngine, fits, native_library
from mocapella.crowd.points import Step
from mocapella.crowd.rates import RateTable
from mocapella.crowd.starting import formation, refuse_too_many, rows_of
from mocapella.crowd.state import (
    FAR,
    GIVE,
    MARKS,
    N_WORDS,
    ORIGIN,
    PHASE,
    PLANTED,
    POINT,
    TRIANGLE,
    YAW,
    Records,
    X,
    Z,
    origins,
    paired,
    recentre,
)
from mocapella.crowd.step import NumpyEngine, Poses
from mocapella.crowd.tables import CrowdTables
from mocapella.errors import MotionError, warn
from mocapella.geometry.angles import TURN
from mocapella.hybrid.network import HybridNetwork
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum

if TYPE_CHECKING:
    from mocapella.crowd.cuda.crowd import CudaCrowd

_OFTEN = 60  # steps between looks at how far characters have gone

Controller = Callable[["Crowd", float], None]


@runtime_checkable
class _Engine(Protocol):
    """What steps characters."""

    @property
    def name(self) -> str:
        """``"numpy"``, or which native core."""
        ...

    def step(self, records: Records, goals: np.ndarray, rows: np.ndarray, step: Step, poses: Poses) -> None:
        """Move some characters on, and write their poses."""
        ...


class Crowd:
    """Many characters of one network in time, each with its own blending point, feet held on the ground.

    Send blending points somewhere with ``points[...] =`` or ``steer``, call ``step``, and take ``poses``. Characters
    start at random phases and motions, in a loose formation, unless told otherwise.

    Parameters
    ----------
    network
        What they play: a network in the plane, or a single spectrum.
    n
        How many characters.
    points
        Where their blending points start, one row each; at random in the network if None.
    phases, positions, headings
        Where in the cycle, where on the ground (x, z; metres) and facing which way (radians, left positive) each
        begins.
    seed
        Of all that is chosen at random.
    ease, pace
        As those of ``Player``.
    noise
        Radians by which trunk, neck and shoulders are turned at most, by noise of each character's own.
    detail
        Levels of detail that ``levels`` chooses from.
    controller
        Called as ``controller(crowd, dt)`` before each step, to set points; see ``mocapella.crowd.control``.
    engine
        ``"numpy"``, ``"native"``, or ``"auto"``: native where the package ``mocapella-native`` is.
    threads
        That the native engine uses.

    Raises
    ------
    MotionError
        For numbers of characters that do not fit into memory, arrays of other shapes, and networks without a plane.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> crowd = Crowd(analyse(prepare(perform("walk", speed=1.3)[0]), harmonics=8), 100)
    >>> start = crowd.positions.copy()
    >>> for _ in range(60):
    ...     crowd.step(1 / 60)
    >>> crowd.poses().shape
    (100, 23, 3, 4)
    >>> bool(np.allclose(np.hypot(*(crowd.positions - start).T), 1.3, atol=0.1))
    True
    """

    def __init__(
        self,
        network: Network | Spectrum | HybridNetwork,
        n: int,
        *,
        points: Float[np.ndarray, "n 2"] | Sequence[Sequence[float]] | None = None,
        phases: Float[np.ndarray, " n"] | Sequence[float] | None = None,
        positions: Float[np.ndarray, "n 2"] | Sequence[Sequence[float]] | None = None,
        headings: Float[np.ndarray, " n"] | Sequence[float] | None = None,
        seed: int = 0,
        ease: float | int = 0.3,
        pace: float | int = math.inf,
        noise: float | int = 0.0,
        detail: Sequence[Level] = LEVELS,
        controller: Controller | None = None,
        engine: str = "auto",
        threads: int = 1,
    ) -> None:
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise MotionError(expected="a number of characters from 1 on", got=shown(n))
        self.tables = CrowdTables.of(network)
        refuse_too_many(int(n), self.tables.n_joints)
        self.network, self.time, self.controller = network, 0.0, controller
        self._ease = finite_number(ease, "ease from 0 seconds on", least=0.0)
        self._pace = math.inf if pace == math.inf else finite_number(pace, "a pace above 0", above=0.0)
        self.noise = finite_number(noise, "noise from 0 radians on", least=0.0)
        self.detail = tuple(detail)
        if not self.detail or not all(isinstance(level, Level) for level in self.detail):
            raise MotionError(expected="levels of detail, such as (Level(), Level(harmonics=4))", got=shown(detail))
        self._engine = _engine(engine, self.tables, threads)
        rng = np.random.default_rng(seed)
        self._n, self._steps = int(n), 0
        self._records = np.zeros((self._n, N_WORDS), dtype=np.float32)
        self._poses = np.zeros((self._n, self.tables.n_joints, 3, 4), dtype=np.float32)
        self._goals = np.zeros((self._n, 2), dtype=np.float32)
        self.levels = np.zeros(self._n, dtype=np.intp)
        self.resting = np.zeros(self._n, dtype=bool)
        self.faults = np.zeros(self._n, dtype=bool)
        self._waited: dict[tuple[int, int], float] = {}
        self._points = rows_of(points, "points", (self._n, 2), lambda: self._anywhere(rng))
        self._begin(
            rows_of(phases, "phases", (self._n,), lambda: rng.uniform(0.0, TURN, self._n)),
            rows_of(positions, "positions", (self._n, 2), lambda: formation(self._n, rng)),
            rows_of(headings, "headings", (self._n,), lambda: rng.uniform(-math.pi, math.pi, self._n)),
        )

    def _begin(self, phases: np.ndarray, positions: np.ndarray, headings: np.ndarray) -> None:
        if not all(np.isfinite(given).all() for given in (self._points, phases, positions, headings)):
            raise MotionError("points, phases, positions and headings are finite numbers; these have NaN or infinity")
        if np.abs(positions).max(initial=0.0) > 1e6:
            raise MotionError(expected="positions within 1,000 km", got=f"{np.abs(positions).max():g} m")
        words = self._records.view(np.int32)
        steps = np.rint(positions / FAR) * (FAR / 64.0)
        words[:, ORIGIN] = paired(steps[:, 0], steps[:, 1])
        self._records[:, X : Z + 1] = positions - steps * 64.0
        self._records[:, PHASE], self._records[:, YAW] = phases % TURN, headings
        words[:, MARKS] = 255 << GIVE
        self._take_goals()
        words[:, TRIANGLE] = self._found(self._goals)
        self._records[:, POINT : POINT + 2] = self._goals
        self._engine.step(self._records, self._goals, np.arange(self._n), self.step_at(0, 0.0, self.time), self._poses)

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        return f"Crowd({self.network!r}, {self._n} characters, {self.engine}, {self.time:.2f} s played)"

    @property
    def engine(self) -> str:
        """What steps them: ``"numpy"``, or the native core and its instruction set."""
        return self._engine.name

    @property
    def skeleton(self) -> Skeleton:
        """Whose poses they have."""
        return self.tables.skeleton

    @property
    def points(self) -> Float[np.ndarray, "characters 2"]:
        """Where their blending points are sent; write into it.

        Points outside of the network go to its outline. NaN and infinity are not followed: such characters go on as
        they were, and ``faults`` names them.
        """
        return self._points

    @points.setter
    def points(self, points: Float[np.ndarray, "characters 2"]) -> None:
        self._points[...] = rows_of(points, "points", self._points.shape)

    @property
    def goals(self) -> Float32[np.ndarray, "characters 2"]:
        """Where blending points go, as engines take them: about the network's centre, in its sizes."""
        return self._goals

    @property
    def state(self) -> Records:
        """All that changes while characters play, 24 words each: copy it to keep it, write into it to go back there.

        ``mocapella.crowd.state`` says which word is what.
        """
        return self._records

    @property
    def blending_points(self) -> Float[np.ndarray, "characters 2"]:
        """Where their blending points are now."""
        return self._records[:, POINT : POINT + 2].astype(np.float64) * self.tables.size + self.tables.centre

    @property
    def positions(self) -> Float[np.ndarray, "characters 2"]:
        """Where their roots are on the ground (x, z), metres."""
        return np.asarray(self._records[:, X : Z + 1].astype(np.float64) + origins(self._records))

    @property
    def headings(self) -> Float32[np.ndarray, " characters"]:
        """Which way they face, radians, left positive, within half a turn."""
        return self._records[:, YAW].copy()

    @property
    def phases(self) -> Float32[np.ndarray, " characters"]:
        """How far into their cycles they are, 0 … 2π."""
        return self._records[:, PHASE].copy()

    @property
    def planted(self) -> Bool[np.ndarray, "characters 4"]:
        """Which foot points rest: left heel and toe, right heel and toe."""
        marks = self._records.view(np.int32)[:, MARKS]
        return np.stack([((marks >> (PLANTED + point)) & 1) == 1 for point in range(4)], axis=-1)

    @property
    def n_bytes(self) -> int:
        """Memory of all characters and their poses, bytes; the tables of the network are ``tables.n_bytes``."""
        return sum(one.nbytes for one in (self._records, self._poses, self._goals, self._points))

    def poses(self) -> Poses:
        """World rotations (3 × 3) and positions (last column, metres) of all joints.

        Returns
        -------
        array of shape (characters, joints, 3, 4)
            The crowd's own buffer: the next step writes into it.
        """
        return self._poses

    def steer(
        self,
        turns: Float[np.ndarray, " characters"] | Sequence[float] | float,
        speeds: Float[np.ndarray, " characters"] | Sequence[float] | float,
    ) -> None:
        """Send blending points to where characters turn and go as asked, or as nearly so as the network can.

        Parameters
        ----------
        turns
            Turn rates, rad/s, left positive; one number for all or one each.
        speeds
            m/s.
        """
        own = [rows_of(np.broadcast_to(given, (self._n,)), "rates", (self._n,)) for given in (turns, speeds)]
        goals = self.rate_table.at(own[0], own[1])
        known = np.isfinite(goals).all(axis=1)
        self._points[known] = goals[known] * self.tables.size + self.tables.centre

    @cached_property
    def rate_table(self) -> RateTable:
        """Blending points by turn rate and speed."""
        return RateTable.of(self.tables)

    def look_from(self, camera: Sequence[float], limits: Sequence[float | int] = (15.0, 40.0)) -> None:
        """Choose levels of detail by the distance from a camera.

        Parameters
        ----------
        camera
            Its place over the ground (x, z), metres.
        limits
            Distances at which the next level begins.
        """
        if len(limits) >= len(self.detail):
            raise MotionError(expected=f"at most {len(self.detail) - 1} limits", got=shown(limits))
        self.levels[:] = level_at(np.hypot(*(self.positions - np.asarray(camera, dtype=np.float64)).T), limits)

    def on_gpu(self, *, half: bool = False) -> CudaCrowd:
        """The same characters on a GPU, where they stay and are stepped; this crowd is not changed.

        Parameters
        ----------
        half
            Write poses in half precision, positions from each character's root over the ground.

        Returns
        -------
        CudaCrowd
            With ``points`` to write into, ``step`` and ``poses``, all arrays on the device.

        Raises
        ------
        MotionError
            Without CuPy (``pip install 'mocapella[cuda]'``) or a GPU that is new and large enough.
        """
        from mocapella.crowd.cuda.crowd import CudaCrowd  # it imports this module

        return CudaCrowd(self, half=half)

    def step(self, dt: float | int) -> None:
        """Move all characters on, but those in ``resting``.

        Parameters
        ----------
        dt
            Seconds, from 0 on.

        Raises
        ------
        MotionError
            For a time that is no number or negative, and levels of detail that there are not.
        """
        seconds = finite_number(dt, "seconds from 0 on", least=0.0)
        if self.controller is not None:
            self.controller(self, seconds)
        self._take_goals()
        self.time += seconds
        for rows, step in self._due(seconds):
            self._engine.step(self._records, self._goals, rows, step, self._poses)
        self._steps += 1
        if self._steps % _OFTEN == 0:
            recentre(self._records)

    def _due(self, dt: float) -> list[tuple[Int[np.ndarray, " some"], Step]]:
        """Who is moved in this step, and by how much."""
        active = ~self.resting
        if not self.levels.any():
            rows = np.arange(self._n) if active.all() else np.flatnonzero(active)
            return [(rows, self.step_at(0, dt, self.time))] if rows.size else []
        if self.levels.min() < 0 or self.levels.max() >= len(self.detail):
            raise MotionError(expected=f"levels of detail from 0 to {len(self.detail) - 1}", got=shown(self.levels))
        out = []
        numbers = np.arange(self._n)
        for number, level in enumerate(self.detail):
            turn = self._steps % level.every
            for other in range(level.every):
                self._waited[number, other] = self._waited.get((number, other), 0.0) + dt
            rows = np.flatnonzero(active & (self.levels == number) & (numbers % level.every == turn))
            waited = self._waited.pop((number, turn))
            if rows.size:
                out.append((rows, self.step_at(number, waited, self.time)))
        return out

    def step_at(self, level: int, dt: float, time: float) -> Step:
        """What engines are told of a step.

        Parameters
        ----------
        level
            Of detail.
        dt
            How long it is, seconds.
        time
            When it ends, seconds.

        Returns
        -------
        Step
            How points go to their goals, how much is drawn, and how much noise there is.
        """
        harmonics, columns = self.detail[level].drawn(self.tables)
        step = Step.of(dt, self._ease, self._pace / self.tables.size, harmonics, columns)
        return step.noisy(self.noise, time) if self.noise > 0.0 else step

    def _take_goals(self) -> None:
        """What was written into ``points``, in the engines' units."""
        if self._points.shape != (self._n, 2):
            raise MotionError(expected=f"points of shape ({self._n}, 2)", got=shown(self._points.shape))
        goals = (self._points - self.tables.centre) * (1.0 / self.tables.size)
        finite = np.isfinite(goals)
        if finite.all():
            self.faults[:] = False
        else:
            self.faults[:] = ~finite.all(axis=1)
            if not self._steps or not self._warned:
                self._warned = True
                warn(f"{int(self.faults.sum())} characters have points that are no numbers; they go on as they were")
            goals[self.faults] = self._goals[self.faults]
        np.clip(goals, self._corners[0], self._corners[1], out=goals)
        self._goals[:] = goals

    _warned = False

    @cached_property
    def _corners(self) -> tuple[np.ndarray, np.ndarray]:
        points = self.tables.points.astype(np.float64)
        return points.min(axis=0), points.max(axis=0)

    def _found(self, goals: Float32[np.ndarray, "characters 2"]) -> Int[np.ndarray, " characters"]:
        """The triangles that hold points, or come nearest."""
        maps = self.tables.maps
        out = np.empty(len(goals), dtype=np.int32)
        for begin in range(0, len(goals), 4096):
            x, y = goals[begin : begin + 4096].T
            weights = maps[:, :, 0, None] + maps[:, :, 1, None] * x + maps[:, :, 2, None] * y
            out[begin : begin + 4096] = weights.min(axis=1).argmax(axis=0)
        return out

    def _anywhere(self, rng: np.random.Generator) -> np.ndarray:
        """Random points in random triangles."""
        corners = self.tables.points[self.tables.triangles].astype(np.float64)
        sides = corners[:, 1:] - corners[:, :1]
        areas = np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0])
        sizes = areas if areas.sum() > 0.0 else np.linalg.norm(sides[:, 0], axis=-1) + 1e-12
        chosen = rng.choice(len(corners), self._n, p=sizes / sizes.sum())
        places = np.einsum("nk,nka->na", rng.dirichlet(np.ones(3), self._n), corners[chosen])
        return np.asarray(places * self.tables.size + self.tables.centre)


def _engine(name: str, tables: CrowdTables, threads: int) -> _Engine:
    if name not in ("auto", "numpy", "native"):
        raise MotionError(expected="engine 'auto', 'numpy' or 'native'", got=shown(name))
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 256:
        raise MotionError(expected="a number of threads from 1 to 256", got=shown(threads))
    if name == "native" or (name == "auto" and native_library() is not None and fits(tables)):
        return NativeEngine(tables, threads)
    return NumpyEngine(tables)
