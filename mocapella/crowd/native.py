"""The native crowd core, loaded with ctypes where the package ``mocapella-native`` is."""

from __future__ import annotations

import ctypes
import importlib
import math
from functools import cache
from typing import Any

import numpy as np

from mocapella.crowd.legs import LegTable
from mocapella.crowd.points import Step
from mocapella.crowd.state import Goals, Poses, Records, Rows
from mocapella.crowd.tables import CrowdTables
from mocapella.errors import MotionError
from mocapella.playback.native.player_core import LEG_LENGTHS, warn_of_version

ABI = 1  # version of the interface, as in native/src/crowd.h
_WIDEST, _FEW = "AVX-512", 4  # for so few characters a narrower build is quicker than this one
# fmt: off
SETTINGS = (
    "hold_rate", "steepest_hold_rate", "release_from", "release_at", "touchdown", "touchdown_share", "down", "lifted",
    "rocking", "strain_from", "strain_to", "shortest_plant", "hand_over", "swing_share", "root_shift_speed",
    "root_shift_time", "long_step",
)
_NUMBERS = (
    "abi", "joints", "harmonics", "stride", "n_plain", "n_columns", "first", "corners", "triangles", "parts",
    "n_plants", "row", "n_noisy",
)
_ARRAYS = (
    "coefficients", "triangle", "neighbour", "map", "point", "energy", "product", "seconds", "gait", "parent",
    "offset", "column", "left", "right", "noisy",
)
# fmt: on
LEG_PLACES = ("heel_at", "toe_at", "tip", "hinge", "across")


class _Settings(ctypes.Structure):
    _fields_ = [(name, ctypes.c_float) for name in SETTINGS]


class _Leg(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int) for name in ("hip", "knee", "ankle", "toe")),
        *((name, ctypes.c_float * 3) for name in LEG_PLACES),
        *((name, ctypes.c_float) for name in LEG_LENGTHS),
    ]


class _Tables(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int) for name in _NUMBERS),
        *((name, ctypes.c_void_p) for name in _ARRAYS),
        ("size", ctypes.c_longlong * len(_ARRAYS)),
        ("leg", _Leg * 2),
        ("set", _Settings),
    ]


class _Step(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_float) for name in ("dt", "stiffness", "decay", "furthest", "made")),
        ("harmonics", ctypes.c_int),
        ("columns", ctypes.c_int),
        ("noise", ctypes.c_float),
        ("beat", ctypes.c_int),
        ("between", ctypes.c_float),
    ]


class _Call(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("tables", "step", "records", "goals", "rows", "poses")),
        *((name, ctypes.c_void_p) for name in ("scratch", "order")),
        *((name, ctypes.c_int) for name in ("characters", "n_rows", "threads")),
    ]


@cache
def native_library() -> tuple[str, Any] | None:
    """The native core and its instruction set; None where the package is not, or is of another version."""
    try:
        found = importlib.import_module("mocapella_native").library()
    except ImportError:
        return None
    ready = None if found is None else _ready(*found)
    if found is not None and ready is None:
        warn_of_version("crowds")
    return ready


@cache
def _few_library() -> Any | None:
    """The build for up to four characters; None where there is none."""
    try:
        found = getattr(importlib.import_module("mocapella_native"), "library_for_few", lambda: None)()
    except ImportError:
        return None
    ready = None if found is None else _ready("few", found)
    return None if ready is None else ready[1]


def _ready(name: str, core: Any) -> tuple[str, Any] | None:
    """A library ready to be called; None where it was built for another version of the interface."""
    wanted = [*(ctypes.sizeof(kind) for kind in (_Tables, _Step, _Leg, _Settings)), ABI, ctypes.sizeof(_Call)]
    if [core.crowd_sizes(which) for which in range(6)] != wanted:
        return None
    core.crowd_run.argtypes, core.crowd_run.restype = [ctypes.c_void_p], ctypes.c_int
    return str(name), core


class NativeEngine:
    """Steps characters by the native core; ``MotionError`` where that is not installed, or the skeleton too large."""

    def __init__(self, tables: CrowdTables, threads: int = 1) -> None:
        found = native_library()
        if found is None:
            raise MotionError(
                "the native engine needs an extra package: pip install 'mocapella[fast]', or engine='numpy'"
            )
        if not fits(tables):
            raise MotionError(f"the native engine plays up to 128 joints, not {tables.n_joints}; take engine='numpy'")
        self._set, self._core = found
        self.tables, self.threads = tables, threads
        self._kept, self._packed = _packed(tables)
        self._few = _few_library() if self._set == _WIDEST else None
        self._scratch, self._order = np.empty(0, dtype=np.float32), np.empty(0, dtype=np.int32)
        self._step: Step | None = None  # the last one, and what it is for the core
        self._numbers = _Step()
        self._given: tuple[np.ndarray, ...] = ()  # arrays of the last call
        self._call, self._run, self._at = _Call(), self._core.crowd_run, 0  # what they are for which build, and where

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.tables, self.threads)  # a copy has its own memory

    @property
    def name(self) -> str:
        """``"native (AVX2)"``."""
        return f"native ({self._set})"

    def step(self, records: Records, goals: Goals, rows: Rows, step: Step, poses: Poses) -> None:
        """Move some characters on, and write their poses; as ``NumpyEngine.step``."""
        given = self._given
        if not (given and records is given[0] and goals is given[1] and rows is given[2] and poses is given[3]):
            self._prepare(records, goals, rows, poses)
            # Read-only rows are the same the next time.
            self._given = () if rows.flags.writeable else (records, goals, rows, poses)
        if step is not self._step:
            made = -math.expm1(-step.dt / self.tables.settings.root_shift_time)
            self._step, self._numbers = step, _Step(
                step.dt, step.stiffness, step.decay, step.furthest, made,
                step.harmonics, step.columns, step.noise, step.beat, step.between,
            )  # fmt: skip
            self._call.step = ctypes.addressof(self._numbers)
        if wrong := self._run(self._at):
            raise MotionError(f"the native core refused its arguments (reason {wrong}); this is a fault of the program")

    def _prepare(self, records: Records, goals: Goals, rows: Rows, poses: Poses) -> None:
        """Choose the build for so many characters, and what it is called with."""
        tables, n = self.tables, len(rows)
        room = n + 2 * len(tables.triangles) + 2
        if len(self._order) < room or len(self._scratch) < 6 * n:
            self._scratch, self._order = np.empty(6 * n, dtype=np.float32), np.empty(room, dtype=np.int32)
        for array, of_each in ((records, (24,)), (goals, (2,)), (poses, (tables.n_joints, 3, 4))):
            shape = len(records), *of_each
            if array.shape != shape or array.dtype != np.float32 or not array.flags.c_contiguous:
                raise MotionError(expected=f"a contiguous array of shape {shape}", got=f"shape {array.shape}")
        self._rows = np.ascontiguousarray(rows, dtype=np.int32)
        self._run = (self._core if self._few is None or n > _FEW else self._few).crowd_run
        arrays = records, goals, self._rows, poses, self._scratch, self._order
        addresses = [array.ctypes.data for array in arrays]
        packed, numbers = ctypes.addressof(self._packed), ctypes.addressof(self._numbers)
        self._call = _Call(packed, numbers, *addresses, len(records), n, self.threads)
        self._at = ctypes.addressof(self._call)


def fits(tables: CrowdTables) -> bool:
    """Whether the native core has room for a skeleton."""
    return tables.n_joints <= 128 and tables.n_plain >= 8


def _packed(tables: CrowdTables) -> tuple[list[np.ndarray], _Tables]:
    """The tables as the core wants them, and the arrays that they point into."""
    out = _Tables()
    for name, value in zip(_NUMBERS, core_numbers(tables), strict=True):
        setattr(out, name, value)
    arrays = core_arrays(tables)
    for name, array in zip(_ARRAYS, arrays, strict=True):
        setattr(out, name, array.ctypes.data)
    out.size = (ctypes.c_longlong * len(_ARRAYS))(*(array.size for array in arrays))
    for side, leg in enumerate(core_legs(tables)):
        out.leg[side] = leg
    for name in SETTINGS:
        setattr(out.set, name, getattr(tables.settings, name))
    return arrays, out


def core_numbers(tables: CrowdTables) -> tuple[int, ...]:
    """The whole numbers of the core's tables, in the order of ``native/src/crowd.h``."""
    corners, parts, stride = tables.coefficients.shape
    return (
        ABI, tables.n_joints, (parts - 1) // 2, stride, tables.n_plain, tables.n_columns, tables.first, corners,
        len(tables.triangles), tables.parts, tables.n_plants, tables.gaits.shape[2], len(tables.noisy_columns),
    )  # fmt: skip


def core_arrays(tables: CrowdTables) -> list[np.ndarray]:
    """The arrays of the core's tables, in the order of ``native/src/crowd.h``: contiguous, none of them empty."""
    left, right = (LegTable.of(tables.skeleton, leg) for leg in tables.legs)
    given: list[tuple[np.ndarray, Any]] = [
        (tables.coefficients, np.float32), (tables.triangles, np.int32), (tables.neighbours, np.int32),
        (tables.maps, np.float32), (tables.points, np.float32), (_some(tables.energies), np.float32),
        (_some(tables.products), np.float32), (tables.seconds, np.float32), (tables.gaits, np.float32),
        (tables.skeleton.parents, np.int32), (tables.skeleton.offsets, np.float32), (tables.columns, np.int32),
        (_chain(tables, left), np.int32), (_chain(tables, right), np.int32), (_some(tables.noisy_columns), np.int32),
    ]  # fmt: skip
    return [np.ascontiguousarray(array, dtype=kind) for array, kind in given]


def core_legs(tables: CrowdTables) -> list[_Leg]:
    """The legs of the core's tables."""
    return [_leg(LegTable.of(tables.skeleton, leg)) for leg in tables.legs]


def _some(array: np.ndarray) -> np.ndarray:
    """An array that has an address, also where it holds nothing."""
    return array if array.size else np.zeros(1, dtype=array.dtype)


def _leg(table: LegTable) -> _Leg:
    leg = table.leg
    bends = leg.tip is not None and leg.toe_joint is not None
    places = (leg.heel, leg.toe, leg.tip or (0.0, 0.0, 0.0), leg.hinge, leg.across)
    out = _Leg(table.hip, table.knee, table.ankle, leg.toe_joint if bends else -1)
    for name, place in zip(LEG_PLACES, places, strict=True):
        setattr(out, name, (ctypes.c_float * 3)(*place))
    for name in LEG_LENGTHS:
        setattr(out, name, getattr(leg, name))
    return out


def _chain(tables: CrowdTables, table: LegTable) -> np.ndarray:
    """How every joint moves when a leg bends, as numbered in src/crowd.h."""
    out = np.zeros(tables.n_joints, dtype=np.int32)
    out[list(table.hanging)] = 4
    out[list(table.above_knee)] = 1
    out[list(table.below_knee)] = 2
    out[table.ankle] = 3
    toe = table.leg.toe_joint
    if toe is not None and table.leg.tip is not None:
        out[[j for j in table.hanging if j != toe and toe in tables.skeleton.path(j)]] = 5
    return out
