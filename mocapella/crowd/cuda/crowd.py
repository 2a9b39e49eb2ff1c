"""Many characters of one network in time, all on one GPU."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mocapella.checks import finite_number, shown
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.cuda.packing import Packed, packed
from mocapella.crowd.cuda.source import Sizes, source_of
from mocapella.crowd.cuda.walks import PAIR
from mocapella.crowd.points import Step
from mocapella.crowd.rates import RateTable
from mocapella.crowd.state import GRID, N_WORDS, Bit, Word
from mocapella.errors import MotionError
from mocapella.geometry.gpu import cuda_arrays

_OFTEN = 60  # steps between two checks of how far characters have gone
_MOST_TRIANGLES = 5000  # whose counts fit into shared memory
_INSTEAD = "take Crowd, which runs on the processor"
_OLDEST = 80  # compute capability 8.0: the first with these tensor-core products
_TRIANGLE_BITS = 24  # as in points.cu
_MOST_GROUPS = 2**32  # of four words in the array of poses
_MOST_GRAPHS = 128  # recorded steps that are kept; levels that are updated in every n-th step need n

_Moved = tuple[int, int, float]  # a level, the remainder of the characters that are moved, and by how many seconds


class CudaCrowd:
    """The characters of a crowd moved to a GPU, where they stay.

    Blending points and poses are arrays on the device: write into ``points`` or call ``steer``, then ``step``, and read
    ``poses``. CuPy's arrays are shared with PyTorch, JAX and others without a copy, by DLPack.

    Parameters
    ----------
    crowd
        The crowd to copy; it is not changed. Its network, ease, pace, noise and levels of detail are used.
    half
        Write poses in half precision, positions from each character's root over the ground (see ``positions``).

    Raises
    ------
    MotionError
        Without CuPy or a device, for devices that are too old, and for networks that are too large for their shared
        memory.
    """

    def __init__(self, crowd: Crowd, *, half: bool = False) -> None:
        if not isinstance(crowd, Crowd):
            raise MotionError(expected="a Crowd, such as Crowd(network, 1000)", got=shown(crowd))
        self._cupy = cuda_arrays("a crowd on a GPU", _INSTEAD)
        device = self._cupy.cuda.Device()
        if int(device.compute_capability) < _OLDEST:
            text = f"crowds need a GPU of compute capability 8.0 or newer, this one has {device.compute_capability}"
            raise MotionError(text, helps=_INSTEAD)
        self._sizes = Sizes(crowd.tables, half, int(device.attributes["MaxSharedMemoryPerBlockOptin"]))
        if not self._sizes.pairs or len(crowd.tables.triangles) > _MOST_TRIANGLES:
            text = f"{crowd.tables.n_joints} joints with {crowd.tables.n_harmonics} harmonics do not fit into this GPU"
            raise MotionError(text, helps="take fewer harmonics, or Crowd, which runs on the processor")
        self._refuse_too_many(len(crowd), half)
        self._crowd, self._n, self.half = crowd, len(crowd), half
        self.time, self._steps = crowd.time, 0
        self._turns = copy.deepcopy(crowd.turns)
        self._graphs: dict[tuple[_Moved, ...], Any] = {}
        self._rates: Any = None
        self._make(device)

    def __reduce__(self) -> tuple[object, ...]:
        raise MotionError("a crowd on a GPU is not copied or pickled", helps="copy the Crowd that it was made of")

    def _make(self, device: Any) -> None:
        cp, crowd, sizes = self._cupy, self._crowd, self._sizes
        self._plays: dict[bool, Any] = {}
        module = self._compiled(detailed=False)
        self._place, self._sort, self._recentre = (module.get_function(name) for name in ("place", "sort", "recentre"))
        self._blocks = int(device.attributes["MultiProcessorCount"])
        self._tables = Packed(*(cp.asarray(table) for table in packed(sizes)))
        n, triangles = self._n, len(crowd.tables.triangles)
        words = crowd.state.view(np.int32)
        self._spots = cp.asarray(crowd.state[:, : Word.PHASE])
        self._own_records = cp.zeros((n + 1, N_WORDS - Word.PHASE), cp.float32)
        self._records = self._own_records[:n]
        self._records[...] = cp.asarray(crowd.state[:, Word.PHASE :])
        self._where = cp.zeros(n + 1, cp.int32)
        give = words[:, Word.MARKS] >> Bit.GIVE & 255
        self._where[:n] = cp.asarray(words[:, Word.TRIANGLE] | (give << _TRIANGLE_BITS))
        self._points = cp.asarray(crowd.points.astype(np.float32))
        self._goals = cp.asarray(crowd.goals)
        kind = cp.float16 if self.half else cp.float32
        whole = cp.zeros((n + 1, sizes.room, 3, 4), kind)  # the last row is nobody's: kernels write there what is spare
        self._poses = whole[:n, : crowd.tables.n_joints]
        self._poses[...] = cp.asarray(self._first_poses(), dtype=kind)
        self._mixed, self._rank = cp.zeros((n, 4), cp.float32), cp.zeros(n, cp.int32)
        self._order = cp.zeros(n + 32 * triangles, cp.int32)
        self._sorted = cp.zeros((n + 32 * triangles, 4), cp.float32)
        self._counts, self._runs = cp.zeros(triangles, cp.int32), cp.zeros((triangles + 1, 2), cp.int32)
        self._begins = cp.zeros((self._blocks + 1, 2), cp.int32)
        self.choose(levels=crowd.levels, resting=crowd.resting)

    def _compiled(self, *, detailed: bool) -> Any:
        sizes = self._sizes
        options = ("-std=c++17", "--use_fast_math", f"--maxrregcount={sizes.registers}")
        return self._cupy.RawModule(code=source_of(sizes, detailed=detailed), options=options)

    def _play(self, step: Step) -> Any:
        """The kernel for a step: one that knows noise and levels of detail, only where these are used."""
        detailed = step.noise > 0.0 or step.columns < self._sizes.tables.n_columns
        if detailed not in self._plays:
            play = self._compiled(detailed=detailed).get_function("play")
            play.max_dynamic_shared_size_bytes = self._sizes.shared_bytes
            self._plays[detailed] = play
        return self._plays[detailed]

    def _first_poses(self) -> np.ndarray:
        poses = self._crowd.poses()
        if not self.half:
            return poses
        own = poses.copy()
        own[:, :, ::2, 3] -= own[:, :1, ::2, 3]
        return own

    def _refuse_too_many(self, n: int, half: bool) -> None:
        needed = n * (4 * N_WORDS + (24 if half else 48) * self._sizes.room + 16 + 48)
        there = int(self._cupy.cuda.runtime.memGetInfo()[0])
        if needed > there:
            text = f"{n:,} characters need {needed / 1e9:,.1f} GB, this GPU has {there / 1e9:,.1f} GB free"
            raise MotionError(text, helps="ask for fewer, or half=True")
        most = _MOST_GROUPS // self._sizes.row_groups - 1
        if n > most:
            raise MotionError(expected=f"at most {most:,} characters of this skeleton on one GPU", got=f"{n:,}")

    def __len__(self) -> int:
        return self._n

    def __repr__(self) -> str:
        return f"CudaCrowd({self._crowd.network!r}, {self._n} characters, {self.engine}, {self.time:.2f} s played)"

    @property
    def engine(self) -> str:
        """``"cuda (NVIDIA H200)"``."""
        properties = self._cupy.cuda.runtime.getDeviceProperties(self._cupy.cuda.Device().id)
        return f"cuda ({properties['name'].decode()})"

    @property
    def points(self) -> Any:
        """Where blending points are sent: a device array of shape (characters, 2), to write into.

        Points outside of the network go to its outline; for NaN and infinity characters go on as they were.
        """
        return self._points

    @points.setter
    def points(self, points: Any) -> None:
        own = self._cupy.asarray(points, dtype=self._cupy.float32)
        if own.shape != (self._n, 2):
            raise MotionError(expected=f"points of shape ({self._n}, 2)", got=f"shape {own.shape}")
        self._points[...] = own

    def steer(self, turns: Any, speeds: Any) -> None:
        """Send blending points to where the blend has the requested turn rate and speed, or the nearest.

        Parameters
        ----------
        turns
            Turn rates, rad/s, left positive: one number for all, or an array of one for each, best on the device.
        speeds
            The same in m/s. Characters whose rates are no numbers go on as they were, and ``faults`` names them.

        Raises
        ------
        MotionError
            For other shapes.
        """
        cp, tables = self._cupy, self._sizes.tables
        if self._rates is None:
            self._rates = RateTable.of(tables).on(cp)
        own = [cp.asarray(one, dtype=cp.float32) for one in (turns, speeds)]
        for one, name in zip(own, ("turns", "speeds"), strict=True):
            if one.shape not in ((), (self._n,)):
                raise MotionError(expected=f"{name} of shape ({self._n},), or one number", got=f"shape {one.shape}")
        turn, speed = (cp.broadcast_to(one, (self._n,)) for one in own)
        goals = RateTable.looked_up(turn, speed, self._rates, cp)
        self._points[...] = goals * tables.size + cp.asarray(tables.centre, dtype=cp.float32)

    @property
    def faults(self) -> Any:
        """Which characters have points that are not numbers: a device array of shape (characters,)."""
        return ~self._cupy.isfinite(self._points).all(axis=1)

    @property
    def blending_points(self) -> Any:
        """Where blending points are now: a device array of shape (characters, 2)."""
        tables = self._sizes.tables
        return self._spots[:, :2] * tables.size + self._cupy.asarray(tables.centre, dtype=np.float32)

    @property
    def positions(self) -> Any:
        """Where roots are on the ground (x, z), metres: a device array of shape (characters, 2), double precision."""
        cp = self._cupy
        words = self._words(Word.ORIGIN)
        origins = cp.stack([(words << 16) >> 16, words >> 16], axis=-1) * GRID
        return self._records[:, Word.X - Word.PHASE : Word.Z + 1 - Word.PHASE].astype(cp.float64) + origins

    @property
    def headings(self) -> Any:
        """Which way characters face, radians, left positive: a device array of shape (characters,)."""
        return self._records[:, Word.YAW - Word.PHASE].copy()

    @property
    def phases(self) -> Any:
        """How far into their cycles they are, 0 … 2π: a device array of shape (characters,)."""
        return self._records[:, 0].copy()

    @property
    def planted(self) -> Any:
        """Which foot points rest: a device array of shape (characters, 4), left heel and toe, right heel and toe."""
        cp = self._cupy
        marks = self._words(Word.MARKS)
        return cp.stack([((marks >> (Bit.PLANTED + point)) & 1) == 1 for point in range(4)], axis=-1)

    def _words(self, column: int) -> Any:
        """A column of the records that holds whole numbers."""
        return self._records.view(self._cupy.int32)[:, column - Word.PHASE]

    @property
    def n_bytes(self) -> int:
        """Memory of all characters and their poses on the device, bytes."""
        own = [self._records, self._spots, self._where, self._poses, self._goals, self._points]
        own += [self._mixed, self._rank, self._order, self._sorted]
        return sum(int(one.nbytes) for one in own)

    def poses(self) -> Any:
        """World rotations (3 × 3) and positions (last column, metres) of all joints.

        Returns
        -------
        cupy.ndarray of shape (characters, joints, 3, 4)
            The crowd's own buffer: the next step writes into it. Characters lie a multiple of 64 bytes apart, as if 23
            joints were 24; ``cupy.ascontiguousarray`` makes a copy without gaps. In half precision x and z are seen
            from the root.
        """
        return self._poses

    def choose(self, *, levels: Sequence[int] | Any = None, resting: Sequence[bool] | Any = None) -> None:
        """Set the level of detail of each character, and which characters rest.

        Parameters
        ----------
        levels
            A number of the crowd's levels for every character; 0 for all if None.
        resting
            Whether each character rests; none if None.

        Raises
        ------
        MotionError
            For other shapes and unknown levels.
        """
        cp = self._cupy
        levels = cp.zeros(self._n, cp.int32) if levels is None else cp.asarray(levels)
        resting = cp.zeros(self._n, bool) if resting is None else cp.asarray(resting, dtype=bool)
        if levels.shape != (self._n,) or resting.shape != (self._n,):
            raise MotionError(expected=f"levels and resting of shape ({self._n},)", got=f"{levels.shape}")
        most = len(self._crowd.detail) - 1
        if int(levels.min()) < 0 or int(levels.max()) > most:
            raise MotionError(expected=f"levels of detail from 0 to {most}", got=shown(int(levels.max())))
        numbers = cp.arange(self._n)
        self._rows: dict[tuple[int, int], Any] = {}
        self._graphs = {}
        for level, detail in enumerate(self._crowd.detail):
            for turn in range(detail.every):
                rows = cp.flatnonzero((levels == level) & ~resting & (numbers % detail.every == turn)).astype(cp.int32)
                if rows.size:
                    self._rows[level, turn] = None if rows.size == self._n else rows

    def step(self, dt: float | int) -> None:
        """Advance all characters that do not rest.

        The work is queued on CuPy's current stream; reading an array waits for it.

        Parameters
        ----------
        dt
            Seconds, from 0 on.
        """
        seconds = finite_number(dt, "seconds from 0 on", least=0.0)
        self.time += seconds
        due = tuple(one for one in self._turns.next(self._crowd.detail, seconds) if one[:2] in self._rows)
        if self._crowd.noise > 0.0:
            self._queue(due)
        elif due:
            self._replay(due)
        self._steps += 1
        if self._steps % _OFTEN == 0:
            self._recentre((-(-self._n // 512),), (512,), (self._records, np.int32(self._n)))

    def _replay(self, due: tuple[_Moved, ...]) -> None:
        """The launches of a step, recorded once for all steps alike."""
        cp = self._cupy
        if due not in self._graphs:
            if len(self._graphs) >= _MOST_GRAPHS:
                self._graphs.clear()
            for level, _, seconds in due:
                self._play(self._crowd.step_at(level, seconds, self.time))  # compiled before launches are recorded
            recorder = cp.cuda.Stream(non_blocking=True)
            with recorder:
                recorder.begin_capture()
                self._queue(due)
                self._graphs[due] = recorder.end_capture()
        self._graphs[due].launch(cp.cuda.get_current_stream())

    def _queue(self, due: tuple[_Moved, ...]) -> None:
        for level, turn, seconds in due:
            self._launch(self._crowd.step_at(level, seconds, self.time), self._rows[level, turn])

    def _launch(self, step: Step, rows: Any) -> None:
        n = self._n if rows is None else int(rows.size)
        tables, triangles = self._tables, len(self._sizes.tables.triangles)
        whose = np.uintp(0) if rows is None else rows
        number = np.float32
        spring = number(step.dt), number(step.stiffness), number(step.decay), number(step.furthest)
        self._place(
            (-(-n // 512),), (512,),
            (self._points, self._goals, self._spots, self._where, whose, np.int32(n), *spring, tables.maps,
             tables.neighbours, tables.seconds, tables.corners, self._mixed, self._rank, self._counts),
            shared_mem=8 * triangles,
        )  # fmt: skip
        self._sort(
            (-(-n // 1024),), (1024,),
            (whose, np.int32(n), self._where, self._rank, self._mixed, self._counts, self._runs, self._order,
             self._sorted, np.int32(self._blocks), self._begins),
            shared_mem=4 * triangles,
        )  # fmt: skip
        made = -math.expm1(-step.dt / self._sizes.tables.settings.root_shift_time)
        self._play(step)(
            (self._blocks,), (32 * PAIR * self._sizes.pairs,),
            (self._own_records, self._where, np.int32(self._n), number(step.dt), number(made), np.int32(step.harmonics),
             np.int32(step.columns), number(step.noise), np.int32(step.beat), number(step.between),
             tables.coefficients, tables.energies, tables.gaits, tables.means, self._runs, self._begins, self._order,
             self._sorted, self._counts, self._poses),
            shared_mem=self._sizes.shared_bytes,
        )  # fmt: skip
