"""The text of the kernels for one network: sizes, legs and settings as constants, and the walk along its skeleton."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from mocapella.crowd.legs import LegTable
from mocapella.crowd.native import LEG_LENGTHS
from mocapella.crowd.state import FAR, GRID
from mocapella.crowd.tables import CrowdTables

_SETTINGS = {
    "HOLD_RATE": "hold_rate", "STEEPEST_HOLD_RATE": "steepest_hold_rate", "RELEASE_FROM": "release_from",
    "RELEASE_AT": "release_at", "TOUCHDOWN": "touchdown", "TOUCHDOWN_SHARE": "touchdown_share", "DOWN_AT": "down",
    "LIFTED_AT": "lifted", "ROCKING": "rocking", "STRAIN_FROM": "strain_from", "STRAIN_TO": "strain_to",
    "SHORTEST_PLANT": "shortest_plant", "HAND_OVER": "hand_over", "SWING_SHARE": "swing_share",
    "ROOT_SHIFT_SPEED": "root_shift_speed", "LONG_STEP": "long_step",
}  # fmt: skip
_PARTS = ("vectors", "points", "harmonics", "feet", "step")  # files that make one text, in this order
_AT_A_TIME = 2  # joints that a warp writes together
_FROM_KEPT, _IS_GIVEN, _IS_KEPT, _IS_TOE, _IS_RIGHT, _IS_NOISY, _IS_NEXT = 1, 2, 4, 8, 16, 32, 64  # as in vectors.cu
SHARED_BYTES = 227 * 1024  # that a block may have on devices of compute capability 9.0
_MOST_GAIT_BYTES = 40 * 1024  # of a triangle's gaits that are kept in shared memory
_MOST_WARPS = 10
_MOST_RESIDENT = 4  # groups of eight quaternions that are all mixed at once


@dataclass(frozen=True)
class Sizes:
    """How the kernels of a network are laid out.

    Parameters
    ----------
    tables
        Of the network.
    half
        Whether matrices are written in half precision.
    most_shared
        Bytes of shared memory that a block may have on the device.
    """

    tables: CrowdTables
    half: bool = False
    most_shared: int = SHARED_BYTES

    @cached_property
    def order(self) -> list[int]:
        """Joints in the order of their quaternions; −1 for the numbers of the root.

        Those that no gain touches come first, then the other joints of the legs, then the rest as in the skeleton.
        """
        tables = self.tables
        columns = tables.columns.tolist()
        plain = sorted(range(tables.n_joints), key=lambda joint: columns[joint])[: tables.n_plain // 4 - 1]
        legs = [joint for joint in _leg_joints(tables) if joint not in plain]
        rest = [joint for joint in range(tables.n_joints) if joint not in plain and joint not in legs]
        return [*plain, -1, *legs, *rest]

    @property
    def eights(self) -> int:
        """Groups of eight quaternions."""
        return -(-len(self.order) // 8)

    @property
    def resident(self) -> int:
        """Groups that are mixed before legs are bent; the others are when their joints come."""
        legs = len(self.order) - len([joint for joint in self.order if joint >= 0 and joint not in self._early])
        return self.eights if self.eights <= _MOST_RESIDENT else -(-legs // 8)

    @cached_property
    def _early(self) -> set[int]:
        tables = self.tables
        plain = {joint for joint in range(tables.n_joints) if tables.columns[joint] < tables.n_plain}
        return plain | set(_leg_joints(tables))

    def quad(self, joint: int) -> int:
        """Where the quaternion of a joint lies in a warp's memory.

        Parameters
        ----------
        joint
            Its number in the skeleton.

        Returns
        -------
        int
            Groups that are mixed late take turns in one place.
        """
        at = self.order.index(joint)
        return at if at < 8 * self.resident else 8 * self.resident + at % 8

    @property
    def upper(self) -> int:
        """Harmonics whose energy is kept."""
        return max(self.tables.n_harmonics + 1 - self.tables.first, 0)

    @property
    def slots(self) -> int:
        """Numbers of a basis that one thread of four holds, in pairs."""
        whole, rest = divmod(self.tables.n_harmonics, 4)
        return 3 * whole + -(-(3 * rest + 2) // 4)

    @property
    def tiles(self) -> int:
        """Steps of the tensor cores over all harmonics."""
        return (self.slots + 1) // 2

    @property
    def row(self) -> int:
        """Groups of four numbers of a gait; odd, so that rows begin in different banks of memory."""
        return (6 + 14 * self.tables.n_plants) | 1

    @property
    def vertices(self) -> int:
        """Gaits of a triangle."""
        return int(self.tables.gaits.shape[1])

    @property
    def gait_shared(self) -> bool:
        """Whether the gaits of a triangle fit beside the rest."""
        return 16 * self.vertices * self.row <= _MOST_GAIT_BYTES

    @property
    def constants(self) -> int:
        """Groups of four words of a triangle's coefficients."""
        return (2 * self.eights + 1) * 64 * self.tiles

    @property
    def _block_bytes(self) -> int:
        return 16 * (self.constants + (self.vertices * self.row if self.gait_shared else 0))

    @property
    def _warp_bytes(self) -> int:
        rolling = self.resident < self.eights
        stage = 256 * (self.resident + rolling) + 8 * max(self.upper, 8) + 128 * self.tiles * rolling
        stage += 64 * len(_kept(self))
        return 16 * stage + 32 * (3 * _AT_A_TIME + 1) * (8 if self.half else 16)

    @property
    def warps(self) -> int:
        """Of a block; 0 where not even one fits."""
        return min(_MOST_WARPS, max((self.most_shared - self._block_bytes) // self._warp_bytes, 0))

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block."""
        return self._block_bytes + self.warps * self._warp_bytes


def source_of(sizes: Sizes) -> str:
    """The kernels of a network.

    Parameters
    ----------
    sizes
        How they are laid out.

    Returns
    -------
    str
        CUDA C++.
    """
    tables = sizes.tables
    numbers = {
        "JOINTS": tables.n_joints, "HARMONICS": tables.n_harmonics, "FIRST": tables.first, "UPPER": sizes.upper,
        "PLAIN": tables.n_plain, "EIGHTS": sizes.eights, "RESIDENT": sizes.resident,
        "SLOTS_OF_EIGHT": sizes.resident + (sizes.resident < sizes.eights), "TRIANGLES": len(tables.triangles),
        "PARTS": tables.parts, "VERTICES": sizes.vertices, "PLANTS": tables.n_plants, "ROW": sizes.row,
        "WARPS": sizes.warps, "HALF": int(sizes.half), "GAIT_SHARED": int(sizes.gait_shared), "AT_A_TIME": _AT_A_TIME,
        "KEPT": len(_kept(sizes)), "NOISY": len(tables.noisy_columns),
    }  # fmt: skip
    lines = [f"#define {name} {value}" for name, value in numbers.items()]
    floats = {name: getattr(tables.settings, own) for name, own in _SETTINGS.items()}
    floats |= {"CENTRE_X": tables.centre[0], "CENTRE_Y": tables.centre[1], "PER_SIZE": 1.0 / tables.size}
    least, most = tables.points.min(axis=0).tolist(), tables.points.max(axis=0).tolist()
    floats |= {"LEAST_X": least[0], "LEAST_Y": least[1], "MOST_X": most[0], "MOST_Y": most[1]}
    floats |= {"FAR_AWAY": FAR, "GRID": GRID}
    lines += [f"#define {name} {_number(value)}" for name, value in floats.items()]
    folder = resources.files(__package__)
    text = "".join(folder.joinpath(f"{part}.cu").read_text(encoding="utf-8") for part in _PARTS)
    return "\n".join(lines) + "\n" + text.replace("BODY\n", _body(sizes), 1)


def _number(value: float | int) -> str:
    return f"{value:.9e}f"


def _vector(values: np.ndarray | tuple[float, ...]) -> str:
    return "V{" + ", ".join(_number(float(value)) for value in values) + "}"


def _body(sizes: Sizes) -> str:
    """The skeleton as constants of the device."""
    tables = sizes.tables
    skeleton = tables.skeleton
    legs = [LegTable.of(skeleton, leg) for leg in tables.legs]
    chains = [_chain(tables, table) for table in legs]
    lines = [
        f"__constant__ Leg LEGS[2] = {{{', '.join(_leg(table) for table in legs)}}};",
        f"__constant__ int CHAIN[2][{len(chains[0].joints)}] = {_braced([chain.joints for chain in chains])};",
        f"__constant__ V OFFSETS[JOINTS] = {_braced([_vector(offset) for offset in skeleton.offsets])};",
        f"__constant__ int4 JOINT[JOINTS] = {_braced(_joints(sizes, legs))};",
    ]
    numbers = {"ABOVE": chains[0].above, "PATH": chains[0].path, "KNEE": chains[0].knee}
    return "\n".join([*(f"#define {name} {value}" for name, value in numbers.items()), *lines]) + "\n"


def _joints(sizes: Sizes, legs: list[LegTable]) -> list[list[int]]:
    """For every joint its quaternion, bits of what is done with it, and its column."""
    tables = sizes.tables
    kept, noisy = _kept(sizes), tables.noisy_columns.tolist()
    out = []
    mixed = sizes.resident
    for joint, parent in enumerate(tables.skeleton.parents.tolist()):
        bits = 0
        if sizes.order.index(joint) >= 8 * mixed:
            bits |= _IS_NEXT
            mixed += 1
        if parent >= 0 and (parent != joint - 1):
            bits |= _FROM_KEPT | kept.index(parent) << 8
        if joint in kept:
            bits |= _IS_KEPT | kept.index(joint) << 16
        for foot, table in enumerate(legs):
            if joint in (*table.above_knee, *table.below_knee, table.ankle):
                bits |= _IS_GIVEN
            if joint == table.leg.toe_joint and table.leg.tip is not None:
                bits |= _IS_TOE | (_IS_RIGHT if foot else 0)
        if int(tables.columns[joint]) in noisy:
            bits |= _IS_NOISY | noisy.index(int(tables.columns[joint])) << 24
        out.append([sizes.quad(joint), bits, int(tables.columns[joint]), 0])
    return out


def _kept(sizes: Sizes) -> list[int]:
    """Joints on which others hang than the next one."""
    parents = sizes.tables.skeleton.parents.tolist()
    return sorted({parent for joint, parent in enumerate(parents) if parent >= 0 and parent != joint - 1})


def _leg_joints(tables: CrowdTables) -> list[int]:
    """All joints from the root's children to the ankles."""
    chains = [_chain(tables, LegTable.of(tables.skeleton, leg)).joints for leg in tables.legs]
    return sorted({joint for chain in chains for joint in chain})


class _Chain(NamedTuple):
    """The joints from below the root to an ankle."""

    joints: list[int]
    above: int  # those above the hip
    path: int  # those from hip to ankle
    knee: int  # which one of these the knee is


def _chain(tables: CrowdTables, table: LegTable) -> _Chain:
    way = list(tables.skeleton.path(table.ankle))
    joints = sorted(joint for joint in way if joint != 0)
    above = joints.index(table.hip)
    return _Chain(joints, above, len(joints) - above, joints.index(table.knee) - above)


def _braced(values: list[Any]) -> str:
    """An initialiser of C."""
    inside = (_braced(value) if isinstance(value, list) else str(value) for value in values)
    return "{" + ", ".join(inside) + "}"


def _leg(table: LegTable) -> str:
    leg = table.leg
    places = (leg.heel, leg.toe, leg.tip or (0.0, 0.0, 0.0), leg.hinge, leg.across)
    numbers = [_number(getattr(leg, name)) for name in LEG_LENGTHS]
    return "{" + ", ".join([*(_vector(place) for place in places), *numbers]) + "}"
