"""The text of the kernels for one network: sizes, legs and settings as constants, and the walk along its skeleton."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mocapella.crowd.cuda.walks import TEAM, Visit, Walks, walks_of
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
_FROM_KEPT, _IS_GIVEN, _IS_KEPT, _IS_TOE, _IS_RIGHT, _IS_NOISY, _IS_SILENT, _IS_AWAITED = (1 << i for i in range(8))
SHARED_BYTES = 227 * 1024  # that a block may have on devices of compute capability 9.0
_MOST_GAIT_BYTES = 40 * 1024  # of a triangle's gaits that are kept in shared memory
_MOST_TEAMS = 4  # of a block: 512 threads with 128 registers each
_WINDOWS = {False: (16, 20, 24), True: (16, 24)}  # joints that may be written at a time, in halves or not
_NOTES_BYTES = 4736  # of struct Notes in step.cu
TRAVEL, NOTHING = -1, -2  # in the order of quaternions: the numbers of the root; none


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
    _window: int = 0

    @cached_property
    def order(self) -> list[int]:
        """Joints in the order of their quaternions, by eights; ``TRAVEL`` and ``NOTHING`` are none.

        Those that no gain touches come first, then the other joints of the legs, then the rest, window by window.
        """
        tables = self.tables
        columns = tables.columns.tolist()
        plain = sorted(range(tables.n_joints), key=lambda joint: columns[joint])[: tables.n_plain // 4 - 1]
        early = [*plain, TRAVEL, *(joint for joint in _leg_joints(tables) if joint not in plain)]
        out = list(early)
        for first in range(0, tables.n_joints, self.window):
            last = min(first + self.window, tables.n_joints)
            out += [joint for joint in range(first, last) if joint not in early]
            out += [NOTHING] * (-len(out) % 8)
        return out

    @cached_property
    def window(self) -> int:
        """Joints of a character that are written at a time: what lets most teams work, and most of these."""
        teams = (
            {window: replace(self, _window=window).teams for window in _WINDOWS[self.half]} if not self._window else {}
        )
        return self._window or max(teams, key=lambda window: (teams[window], window))

    @property
    def room(self) -> int:
        """Joints for which a row of poses has room: rows begin at multiples of 64 bytes."""
        return -(-self.tables.n_joints // (8 if self.half else 4)) * (8 if self.half else 4)

    @property
    def windows(self) -> int:
        """How many there are."""
        return -(-self.tables.n_joints // self.window)

    @cached_property
    def walks(self) -> Walks:
        """The ways of the warps of a team."""
        return walks_of(self.tables.skeleton.parents.tolist(), _legs(self.tables), self.window)

    @property
    def eights(self) -> int:
        """Groups of eight quaternions."""
        return len(self.order) // 8

    @cached_property
    def eight_at(self) -> list[int]:
        """Where the groups of each window begin; behind the last window all groups."""
        late = {self._late(at): at // 8 for at in reversed(range(len(self.order)))}
        starts = [0]
        for window in range(self.windows, 0, -1):
            starts.insert(1, late.get(window, starts[1] if len(starts) > 1 else self.eights))
        return starts

    def _late(self, at: int) -> int:
        """The window of a quaternion; 0 for those that are mixed first."""
        joint = self.order[at]
        return joint // self.window if joint >= 0 and at >= 8 * self.resident else 0

    @cached_property
    def resident(self) -> int:
        """Groups that have a place of their own until all joints are written."""
        legs = _leg_joints(self.tables)
        return max(at for at, joint in enumerate(self.order) if joint == TRAVEL or joint in legs or joint == 0) // 8 + 1

    @property
    def staged(self) -> int:
        """Groups that have places beside rows: in rows of halves there is no room for a quaternion."""
        sizes = np.diff(self.eight_at)
        return int(max(sizes[0], self.resident + max(sizes[1:], default=0))) if self.half else self.resident

    def quad(self, joint: int) -> int:
        """Where the quaternion of a joint lies in a team's memory.

        Parameters
        ----------
        joint
            Its number in the skeleton.

        Returns
        -------
        int
            Which of the staged ones it is; or the complement of its place in the rows of characters.
        """
        at = self.order.index(joint)
        if at < 8 * self.resident:
            return at
        if self.half:
            window = self._late(at)
            return at if window == 0 else at - 8 * (self.eight_at[window] - self.resident)
        return ~(3 * (joint % self.window))

    @property
    def places(self) -> list[int]:
        """The place of every quaternion in the rows; 0 if it is staged, −1 if there is none."""
        quads = [NOTHING if joint == NOTHING else 0 if joint == TRAVEL else self.quad(joint) for joint in self.order]
        return [-1 if joint == NOTHING else max(~quad, 0) for joint, quad in zip(self.order, quads, strict=True)]

    @property
    def pitch(self) -> int:
        """Groups of four words between the rows of two characters; odd, so that they begin in different banks."""
        together = min(self.window, self.tables.n_joints)
        return -(-3 * together // 2) | 1 if self.half else 3 * together | 1

    @property
    def free(self) -> tuple[int, int]:
        """The longest run of 128-byte pieces of the first window that no leg touches, in groups of four words."""
        n = min(self.window, self.tables.n_joints)
        legs = sorted(visit.joint for way in self.walks.ways[:2] for visit in way if not visit.silent)
        begin, end = max(pairwise([-1, *legs, n]), key=lambda gap: gap[1] - gap[0])
        size = 24 if self.half else 48
        last = end if end < n else min(self.window, self.room)
        return -(-(begin + 1) * size // 128) * 8, last * size // 128 * 8

    @property
    def _bases(self) -> int:
        return (2 if self.upper else 1) * 128 * self.tiles

    @property
    def overlay(self) -> bool:
        """Whether bases lie where rows will: when each warp mixes one group, and all do at the same time."""
        plain = self.tables.n_plain
        return self.windows == 1 and -(-plain // 32) + self.eights - plain // 32 <= TEAM

    @property
    def rows_room(self) -> int:
        """Groups of four words for the rows of 32 characters."""
        return max(32 * self.pitch, self._bases if self.overlay else 0)

    @property
    def upper(self) -> int:
        """Harmonics whose energy is kept."""
        return max(self.tables.n_harmonics + 1 - self.tables.first, 0)

    @property
    def slots(self) -> int:
        """Numbers of a basis that one thread of four holds, in pairs."""
        whole, rest = divmod(self.tables.n_harmonics, 4)
        return 3 * whole + max(rest, 2)

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
    def foot_tiles(self) -> int:
        """Steps of the tensor cores over the harmonics of foot points."""
        return (self.tables.n_harmonics // 4 + 2) // 2

    @property
    def constants(self) -> int:
        """Groups of four words of a triangle's coefficients."""
        return 2 * self.eights * 64 * self.tiles + 2 * self.foot_tiles * 64

    @property
    def _block_bytes(self) -> int:
        gaits = self.vertices * self.row if self.gait_shared else 0
        return 16 * (self.constants + gaits + 3 * self.upper)

    @property
    def _team_bytes(self) -> int:
        room = self.rows_room + 256 * self.staged + 64 * len(self.walks.kept) + (0 if self.overlay else self._bases)
        return 16 * room + _NOTES_BYTES

    @property
    def teams(self) -> int:
        """The number of teams in a block; 0 where not even one fits."""
        return min(_MOST_TEAMS, max((self.most_shared - self._block_bytes) // self._team_bytes, 0))

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block."""
        return self._block_bytes + self.teams * self._team_bytes


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
        "PLAIN": tables.n_plain, "EIGHTS": sizes.eights, "FIRST_EIGHTS": sizes.eight_at[1], "RESIDENT": sizes.resident,
        "STAGED": sizes.staged, "TRIANGLES": len(tables.triangles), "PARTS": tables.parts, "VERTICES": sizes.vertices,
        "PLANTS": tables.n_plants, "ROW": sizes.row, "TEAMS": sizes.teams, "HALF": int(sizes.half),
        "GAIT_SHARED": int(sizes.gait_shared), "WINDOW": sizes.window, "WINDOWS": sizes.windows, "PITCH": sizes.pitch,
        "STRIDE": 3 * sizes.room, "ROWS_ROOM": sizes.rows_room, "OVERLAY": int(sizes.overlay),
        "KEPT": len(sizes.walks.kept), "AWAITS": int(sizes.walks.awaits), "LEG_VISITS": len(sizes.walks.ways[0]),
        "LEGS_ALIKE": int(_alike(sizes)), "FREE_FROM": sizes.free[0], "FREE_TO": sizes.free[1],
        "NOISY": len(tables.noisy_columns),
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
    legs = _legs(tables)
    chains = [_chain(tables, table) for table in legs]
    columns = tables.columns.tolist()
    links = [[[sizes.quad(joint), 0, columns[joint], joint] for joint in chain.joints] for chain in chains]
    ways = sizes.walks.ways
    visits = [_visit(sizes, legs, visit) for way in ways for visit in way]
    lines = [
        f"__constant__ Leg LEGS[2] = {{{', '.join(_leg(table) for table in legs)}}};",
        f"__constant__ Visit CHAIN[2][{len(chains[0].joints)}] = {_braced(links)};",
        f"__constant__ int ANKLE_QUAD[2] = {_braced([sizes.quad(table.ankle) for table in legs])};",
        *_twice("V", "PLACES_OF_JOINTS", "OFFSETS", [_vector(offset) for offset in skeleton.offsets]),
        *_twice("Visit", "VISITS", "JOINT", visits),
        *_twice("int", "WAYS", "WALK_AT", [0, *np.cumsum([len(way) for way in ways]).tolist()]),
        f"__constant__ int ROUND_AT[WINDOWS + 1] = {_braced(sizes.walks.rounds)};",
        f"__constant__ int EIGHT_AT[WINDOWS + 1] = {_braced(sizes.eight_at)};",
        f"__constant__ int PLACES[8 * EIGHTS] = {_braced(sizes.places)};",
    ]
    numbers = {"ABOVE": chains[0].above, "PATH": chains[0].path, "KNEE": chains[0].knee}
    numbers |= {"ROOT_QUAD": sizes.quad(0), "TRAVEL_QUAD": sizes.order.index(TRAVEL)}
    return "\n".join([*(f"#define {name} {value}" for name, value in numbers.items()), *lines]) + "\n"


def _twice(kind: str, known: str, read: str, values: list[Any]) -> list[str]:
    """A table that the compiler knows, and the same one for reading with an index."""
    text = f"[{len(values)}] = {_braced(values)};"
    return [f"constexpr {kind} {known}{text}", f"__constant__ {kind} {read}{text}"]


def _visit(sizes: Sizes, legs: list[LegTable], visit: Visit) -> list[int]:
    """Its quaternion, bits of what is done with it, its column and the joint."""
    tables, joint, kept = sizes.tables, visit.joint, sizes.walks.kept
    column, noisy = int(tables.columns[joint]), tables.noisy_columns.tolist()
    bits = (_IS_SILENT if visit.silent else 0) | (_IS_AWAITED if visit.awaited else 0)
    if visit.kept_from >= 0:
        bits |= _FROM_KEPT | kept.index(visit.kept_from) << 8
    if joint in kept:
        bits |= _IS_KEPT | kept.index(joint) << 16
    for foot, table in enumerate(legs):
        if joint in (*table.above_knee, *table.below_knee, table.ankle):
            bits |= _IS_GIVEN
        if joint == table.leg.toe_joint and table.leg.tip is not None:
            bits |= _IS_TOE | (_IS_RIGHT if foot else 0)
    if column in noisy:
        bits |= _IS_NOISY | noisy.index(column) << 24
    return [sizes.quad(joint), bits, column, joint]


def _alike(sizes: Sizes) -> bool:
    """Whether both legs' ways are the same but for which joints they visit."""
    ways = [[_visit(sizes, _legs(sizes.tables), visit) for visit in way] for way in sizes.walks.ways[:2]]
    kinds = [[(quad >= 0, bits & ~_IS_RIGHT) for quad, bits, _, _ in way] for way in ways]
    return kinds[0] == kinds[1]


def _legs(tables: CrowdTables) -> list[LegTable]:
    return [LegTable.of(tables.skeleton, leg) for leg in tables.legs]


def _leg_joints(tables: CrowdTables) -> list[int]:
    """All joints from the root's children to the ankles."""
    chains = [_chain(tables, table).joints for table in _legs(tables)]
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
