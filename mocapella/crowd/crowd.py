"""Many characters of one network in time."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool, Float

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.checks import (
    checked_seed,
    counted,
    explained,
    finite_number,
    finite_numbers,
    refuse_other,
    shown,
    whole_number,
)
from mocapella.crowd.blocks.arrays import CrowdArrays
from mocapella.crowd.blocks.changes import Changes, player_settings
from mocapella.crowd.blocks.part import Part
from mocapella.crowd.detail import LEVELS, Level, Turns, level_at
from mocapella.crowd.points import Step
from mocapella.crowd.starting import formation, refuse_too_many, rows_of
from mocapella.crowd.state import FAR, GRID, N_WORDS, Bit, Rows, Word, paired, recentre
from mocapella.crowd.tables import CrowdTables
from mocapella.errors import MotionError, warn
from mocapella.geometry.angles import TURN, wrap
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.player import Player
from mocapella.playback.settings import FARTHEST

if TYPE_CHECKING:
    from mocapella.crowd.cuda.crowd import CudaCrowd

_OFTEN = 60  # steps between two checks of how far characters have gone

Controller = Callable[["Crowd", float], None]


@explained
class Crowd(CrowdArrays):
    """Many characters of one network in time, each with its own blending point, feet held on the ground.

    Set the goals of blending points with ``points[...] =`` or ``steer``, call ``step``, and read ``poses``. By default
    characters start at random phases and blending points, in a loose formation.

    Parameters
    ----------
    network
        A network in the plane, a single spectrum, or a hybrid network; its changes of motion are played by a ``Player``
        for each character that is in one.
    n
        Number of characters.
    points
        Blending points to start at, one row each; at random in the network if None.
    phases
        Cycle phases to begin with, radians; random if None.
    positions
        Places on the ground to begin at (x, z), metres; a loose formation if None.
    headings
        Headings to begin with, radians, left positive; random if None.
    seed
        Seed of all random choices, a whole number from 0 on.
    ease
        Seconds in which a blending point covers 90 % of the way to its goal; 0 lets it jump.
    pace
        The largest speed of a blending point, in units of the plane per second; not limited if left out.
    noise
        Largest angle, radians, by which smooth noise turns trunk, neck and shoulders, different for each character.
    detail
        Levels of detail that the array ``levels`` chooses from, character by character.
    controller
        Function called as ``controller(crowd, dt)`` before each step, to set points; see ``mocapella.crowd.control``.
    engine
        Engine of the steps: ``"native"``, the compiled core (extra ``fast``), or ``"numpy"``. None or ``"auto"`` takes
        that of ``$MOCAPELLA_ENGINE``, else the core where it is installed and plays this network.
    threads
        Number of threads of the native engine.
    block, mode
        Names of the block and the operating mode of a hybrid network that all begin in; the first ones if None.

    Raises
    ------
    MotionError
        For more characters than fit into memory, arrays of other shapes or with numbers that are not finite, networks
        that are not in the plane, and unknown names.

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
        engine: str | None = None,
        threads: int = 1,
        block: str | None = None,
        mode: str | None = None,
    ) -> None:
        if (number := whole_number(n, "a number of characters from 1 on")) < 1:
            raise MotionError(expected="a number of characters from 1 on", got=shown(n))
        self.network, self.time, self.controller = network, 0.0, controller
        self._ease = finite_number(ease, "ease from 0 seconds on", least=0.0)
        self._pace = math.inf if pace == math.inf else finite_number(pace, "a pace above 0", above=0.0)
        self.noise = finite_number(noise, "noise from 0 radians on", least=0.0)
        self.detail = tuple(detail)
        if not self.detail:
            raise MotionError(expected="levels of detail, such as (Level(), Level(harmonics=4))", got=shown(detail))
        if controller is not None:
            refuse_other(controller, Callable, "a controller to call with the crowd and the seconds of a step")
        seed = checked_seed(seed)
        self._changes: Changes | None = None
        if isinstance(network, HybridNetwork):
            refuse_too_many(number, network.skeleton.n_joints)
            self._changes = Changes(network, mode, player_settings(self._ease, self._pace), engine, threads)
            self._parts = self._changes.parts
        else:
            if block is not None or mode is not None:
                raise MotionError("only a hybrid network has blocks and modes to begin in")
            self._parts = (Part(network, engine, threads),)
        refuse_too_many(number, self.tables.n_joints)
        rng = np.random.default_rng(seed)
        self._n, self._steps = number, 0
        first = 0 if self._changes is None else self._changes.start_block(block)
        self._part = np.full(self._n, first, dtype=np.intp)
        self._records = np.zeros((self._n, N_WORDS), dtype=np.float32)
        self._poses = np.zeros((self._n, self.tables.n_joints, 3, 4), dtype=np.float32)
        self._goals = np.zeros((self._n, 2), dtype=np.float32)
        self.levels = np.zeros(self._n, dtype=np.intp)
        self.resting = np.zeros(self._n, dtype=bool)
        self.faults = np.zeros(self._n, dtype=bool)
        self.turns = Turns()
        self._all = owned(np.arange(self._n))
        self._taken = b""  # the points that goals were made of
        self._known: tuple[tuple[int, float], Step] | None = None  # the last step, where there is no noise
        self._points = rows_of(points, "points", (self._n, 2), lambda: self._parts[first].anywhere(rng, self._n))
        self._begin(
            rows_of(phases, "phases", (self._n,), lambda: rng.uniform(0.0, TURN, self._n)),
            rows_of(positions, "positions", (self._n, 2), lambda: formation(self._n, rng)),
            rows_of(headings, "headings", (self._n,), lambda: rng.uniform(-math.pi, math.pi, self._n)),
        )

    def _begin(self, phases: np.ndarray, positions: np.ndarray, headings: np.ndarray) -> None:
        if not all(np.isfinite(given).all() for given in (self._points, phases, positions, headings)):
            raise MotionError("points, phases, positions and headings are finite numbers; these have NaN or infinity")
        if np.abs(positions).max(initial=0.0) > FARTHEST:
            raise MotionError(expected="positions within 1,000 km", got=f"{np.abs(positions).max():g} m")
        if np.abs(headings).max(initial=0.0) > FARTHEST:
            raise MotionError(expected="headings within a million radians", got=f"{np.abs(headings).max():g}")
        words = self._records.view(np.int32)
        steps = np.rint(positions / FAR) * (FAR / GRID)
        words[:, Word.ORIGIN] = paired(steps[:, 0], steps[:, 1])
        self._records[:, Word.X : Word.Z + 1] = positions - steps * GRID
        self._records[:, Word.PHASE], self._records[:, Word.YAW] = phases % TURN, wrap(headings)
        words[:, Word.MARKS] = 255 << Bit.GIVE
        self._take_goals()
        words[:, Word.TRIANGLE] = self._parts[self._part[0]].found(self._goals)
        self._records[:, Word.POINT : Word.POINT + 2] = self._goals
        self._play(self._all, 0, 0.0)

    def __copy__(self) -> Crowd:
        return copy.deepcopy(self, {id(self.network): self.network})  # arrays of its own, also for a shallow copy

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._all = owned(self._all)  # NumPy's copies can be written into

    def __repr__(self) -> str:
        return f"Crowd({self.network!r}, {self._n} characters, {self.engine}, {self.time:.2f} s played)"

    @property
    def engine(self) -> str:
        """The engine: ``"numpy"``, or the native core and its instruction set."""
        return self._parts[0].engine.name

    @property
    def blocks(self) -> tuple[str, ...]:
        """The block of a hybrid network that each character is in, or leaves; empty names elsewhere."""
        out = [self._parts[number].block for number in self._part.tolist()]
        for number, player in self.players.items():
            out[number] = player.block
        return tuple(out)

    @property
    def players(self) -> Mapping[int, Player]:
        """The players of characters that wait for or are in a change of motion, by character number."""
        return MappingProxyType({} if self._changes is None else self._changes.players)

    @property
    def open_arcs(self) -> Mapping[str, tuple[str, ...]]:
        """The arcs of a hybrid network that characters can take, by the block that they begin in."""
        if self._changes is None:
            raise MotionError("this network has no arcs; only a hybrid network has")
        return self._changes.open_arcs

    def trigger(self, characters: Iterable[int] | int, arc: str, *, times: int = 1, anywhere: bool = False) -> None:
        """Let characters of a hybrid network take an arc, as ``Player.trigger`` does.

        Parameters
        ----------
        characters
            Numbers of the characters, from 0 on, or a single number.
        arc
            Name of the arc.
        times
            Number of rounds of the loop within the change.
        anywhere
            Begin the change from the present blending point instead of moving the point to the node of the arc first.

        Raises
        ------
        MotionError
            Where one of them cannot take it now; none does then.
        """
        if self._changes is None:
            raise MotionError("this network has no arcs; only a hybrid network has")
        numbers = [characters] if isinstance(characters, int | np.integer) else list(characters)
        if any(not isinstance(number, int | np.integer) or not 0 <= number < self._n for number in numbers):
            raise MotionError(expected=f"numbers of characters from 0 to {self._n - 1}", got=shown(characters))
        handed = [int(number) for number in numbers if number not in self._changes]
        for number in handed:
            self._hand_over(number)
        try:
            self._changes.trigger([int(number) for number in numbers], arc, times, anywhere)
        except MotionError:
            for number in handed:
                del self._changes.players[number]
            raise

    def _hand_over(self, number: int) -> None:
        assert self._changes is not None
        self._changes.hand_over(
            number, int(self._part[number]), self._records[number], self._points[number], self._poses[number], self.time
        )

    def look_from(self, camera: Sequence[float], limits: Sequence[float | int] = (15.0, 40.0)) -> None:
        """Choose levels of detail by the distance from a camera.

        Parameters
        ----------
        camera
            Place of the camera over the ground (x, z), metres.
        limits
            Distances at which the next level begins, metres; at most one fewer than there are levels.
        """
        if len(limits) >= len(self.detail):
            raise MotionError(expected=f"at most {len(self.detail) - 1} limits", got=shown(limits))
        here = finite_numbers(camera, "a camera stands at x and z over the ground, finite numbers of metres")
        if len(here) != 2:
            raise MotionError(expected="a camera's place over the ground, x and z in metres", got=shown(camera))
        self.levels[:] = level_at(np.hypot(*(self.positions - here).T), limits)

    def on_gpu(self, *, half: bool = False) -> CudaCrowd:
        """A copy of this crowd on a GPU, where its state stays and is stepped; this crowd is not changed.

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
            Without CuPy (``pip install 'mocapella[cuda]'``) or a GPU that is new and large enough; for a crowd of a
            hybrid network.
        """
        from mocapella.crowd.cuda.crowd import CudaCrowd  # it imports this module

        if self._changes is not None:
            raise MotionError("a GPU plays a network in the plane; take a block of the hybrid network")
        return CudaCrowd(self, half=half)

    def step(self, dt: float | int) -> None:
        """Advance all characters except those in ``resting``.

        Parameters
        ----------
        dt
            Seconds, from 0 on.

        Raises
        ------
        MotionError
            For a time that is no number or negative, and unknown levels of detail.
        """
        seconds = finite_number(dt, "seconds from 0 on", least=0.0)
        if seconds > (longest := 1e6):  # phases lose their precision after longer steps
            raise MotionError(expected=f"steps of at most {longest:,.0f} seconds", got=f"{seconds:g}")
        if self.controller is not None:
            self.controller(self, seconds)
        self._take_goals()
        self.time += seconds
        for rows, level, span in self._due(seconds):
            self._play(rows, level, span)
        if self._changes is not None:
            self._change(self._changes, seconds)
        self._steps += 1
        if self._steps % _OFTEN == 0:
            recentre(self._records)

    def _change(self, changes: Changes, dt: float) -> None:
        """Step characters in a change of motion; hand over those that enter a trigger zone to players."""
        before = set(changes.players)
        if before:
            step = self.step_at(0, dt, self.time)
            changes.step(step, self._records, self._poses, self._points, self._part, self._goals)
            back = np.array(sorted(before - set(changes.players)), dtype=np.intp)
            if back.size:
                self._play(back, 0, 0.0)  # velocities and marks of the block that they are in now
        points = self.blending_points
        for rows, part in changes.left(self._part, points):
            self._part[rows] = part
            entered = self._parts[part]
            at = (points[rows] - entered.tables.centre) / entered.tables.size
            self._records[rows, Word.POINT : Word.POINT + 2] = at
            self._records.view(np.int32)[rows, Word.TRIANGLE] = entered.found(at.astype(np.float32))
        for number in changes.due(self._part, points):
            if not self.resting[number]:
                self._hand_over(number)

    def _play(self, rows: Rows, level: int, dt: float) -> None:
        for part_rows, part in self._by_part(rows):
            step = self.step_at(level, dt, self.time, None if self._changes is None else part.tables)
            part.engine.step(self._records, self._goals, part_rows, step, self._poses)

    def _due(self, dt: float) -> list[tuple[Rows, int, float]]:
        """The characters that are stepped now, their level of detail, and the seconds by which they are."""
        for name, given in (("levels", self.levels), ("resting", self.resting)):
            if getattr(given, "shape", None) != (self._n,):
                raise MotionError(expected=f"an array of shape ({self._n},) for {name}", got=shown(given))
        each_step = self.detail[0].every == 1
        if each_step and not (self.players or _any(self.levels) or _any(self.resting)):
            return [(self._all, 0, dt)]
        active = ~self.resting
        active[list(self.players)] = False
        if each_step and not self.levels.any():
            rows = np.flatnonzero(active)
            return [(rows, 0, dt)] if rows.size else []
        return self._due_by_level(active, dt)

    def _due_by_level(self, active: Bool[np.ndarray, " characters"], dt: float) -> list[tuple[Rows, int, float]]:
        """The same where levels of detail differ, or are not updated in every step."""
        if self.levels.min() < 0 or self.levels.max() >= len(self.detail):
            raise MotionError(expected=f"levels of detail from 0 to {len(self.detail) - 1}", got=shown(self.levels))
        out = []
        numbers = np.arange(self._n)
        for number, turn, waited in self.turns.next(self.detail, dt):
            rows = np.flatnonzero(active & (self.levels == number) & (numbers % self.detail[number].every == turn))
            if rows.size:
                out.append((rows, number, waited))
        return out

    def step_at(self, level: int, dt: float, time: float, tables: CrowdTables | None = None) -> Step:
        """The parameters of a step for the engines, at a ``level`` of detail.

        The step is ``dt`` seconds long and ends at ``time``, seconds. ``tables`` are those of the part of a hybrid
        network; those of the crowd if None.
        """
        key = level, dt
        if tables is None and self._known is not None and self._known[0] == key:
            return self._known[1]
        played = self.tables if tables is None else tables
        harmonics, columns = self.detail[level].drawn(played)
        step = Step.of(dt, self._ease, self._pace / played.size, harmonics, columns)
        if self.noise > 0.0:
            return step.noisy(self.noise, time)
        if tables is None:
            self._known = key, step
        return step

    def _take_goals(self) -> None:
        """Convert what was written into ``points`` to the engines' units."""
        if self._points.shape != (self._n, 2):
            raise MotionError(expected=f"points of shape ({self._n}, 2)", got=shown(self._points.shape))
        if self._changes is None:
            given = self._points.tobytes()
            if given == self._taken:
                return
            self._taken = given
        centres, sizes = self._units
        goals = (self._points - centres) * (1.0 / sizes)
        finite = np.isfinite(goals)
        if finite.all():
            self.faults[:] = False
        else:
            self.faults[:] = ~finite.all(axis=1)
            if not self._steps or not self._warned:
                self._warned = True
                how_many = counted(int(self.faults.sum()), "character")
                warn(f"points that are not numbers are not followed ({how_many}); motions go on as they were")
            goals[self.faults] = self._goals[self.faults]
        for rows, part in self._by_part(self._all):
            self._goals[rows] = np.clip(goals[rows], *part.corners)

    _warned = False


def _any(flags: np.ndarray, few: int = 32) -> bool:
    """Whether one of them is not zero; up to a ``few`` of them, quicker than NumPy."""
    return any(flags.tobytes()) if flags.size <= few else bool(flags.any())
