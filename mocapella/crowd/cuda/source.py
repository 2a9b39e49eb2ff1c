"""The text of the kernels for one network: sizes, legs and settings as constants, and the walk along its skeleton."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.crowd.cuda.walks import PAIR, Visit, Walks, walks_of
from mocapella.crowd.legs import LegTable
from mocapella.crowd.state import FAR, GRID
from mocapella.crowd.tables import CrowdTables
from mocapella.gait.foot_constants import FOOT
from mocapella.motion.skeleton import Skeleton
from mocapella.playback.native.player_core import LEG_LENGTHS

_SETTINGS = {
    "HOLD_RATE": "hold_rate", "STEEPEST_HOLD_RATE": "steepest_hold_rate", "RELEASE_FROM": "release_from",
    "RELEASE_AT": "release_at", "TOUCHDOWN": "touchdown", "TOUCHDOWN_SHARE": "touchdown_share", "DOWN_AT": "down",
    "LIFTED_AT": "lifted", "ROCKING": "rocking", "STRAIN_FROM": "strain_from", "STRAIN_TO": "strain_to",
    "SHORTEST_PLANT": "shortest_plant", "HAND_OVER": "hand_over", "SWING_SHARE": "swing_share",
    "ROOT_SHIFT_SPEED": "root_shift_speed", "LONG_STEP": "long_step",
}  # fmt: skip
_PARTS = ("vectors", "points", "harmonics", "feet", "step")  # files that make one text, in this order
_FROM_KEPT, _IS_GIVEN, _IS_KEPT, _IS_TOE, _IS_RIGHT, _IS_NOISY, _IS_SILENT = (1 << i for i in range(7))
SHARED_BYTES = 227 * 1024  # that a block may have on devices of compute capability 9.0
_MOST_GAIT_BYTES = 40 * 1024  # of a triangle's gaits that are kept in shared memory
_MOST_PAIRS = 6  # of a block: more would leave too few registers to each thread
_REGISTERS = 16384  # of a quarter of a multiprocessor
_WINDOWS = (16, 24, 32, 48, 64)  # joints whose quaternions may be known at a time
_NOTES_BYTES = 2688 + 2 * 5 * 512  # of struct Notes and of two warps' memories in step.cu
_PIECE_QUADS = 6  # quaternions that take as much room as a piece of matrices
_HALF_ERROR = 2.0**-11  # of a product of two numbers in half precision, relative
_MOST_ERROR = 1e-5  # by harmonics that are multiplied in half precision, as a share of the body
_SHORTEST_LEVER = 0.1  # of a joint, as a share of the body: its own rotation counts too
TRAVEL, NOTHING = -1, -2  # in the order of quaternions: the numbers of the root; none


@dataclass(frozen=True)
class Sizes:
    """How the kernels of a network are laid out.

    ``half`` says whether matrices are written in half precision. ``most_shared`` is the bytes of shared memory that a
    block may have on the device.
    """

    tables: CrowdTables
    half: bool = False
    most_shared: int = SHARED_BYTES
    _window: int = 0

    @cached_property
    def order(self) -> list[int]:
        """Joints in the order of their quaternions, by eights; ``TRAVEL`` and ``NOTHING`` are none.

        Those that no gain touches come first, then the other joints of the legs, then the rest, window by window. In
        the first window, those that are written after the legs come last.
        """
        tables = self.tables
        columns = tables.columns.tolist()
        plain = sorted(range(tables.n_joints), key=lambda joint: columns[joint])[: tables.n_plain // 4 - 1]
        first = [*plain, TRAVEL, *(joint for joint in _leg_joints(tables) if joint not in plain)]
        late = {visit.joint for way in self.walks.ways[2:4] for visit in way}
        out = list(first)
        for begin in range(0, tables.n_joints, self.window):
            joints = range(begin, min(begin + self.window, tables.n_joints))
            out += sorted((joint for joint in joints if joint not in first), key=lambda joint: joint in late)
            out += [NOTHING] * (-len(out) % 8)
        return out

    @cached_property
    def window(self) -> int:
        """Joints whose quaternions are known at a time: what lets most pairs work, and fewest windows."""
        if self._window:
            return self._window
        pairs = {window: replace(self, _window=window).pairs for window in _WINDOWS}
        return max(pairs, key=lambda window: (pairs[window], self.tables.n_joints <= window, window))

    @property
    def piece(self) -> int:
        """Joints of a character that are written at a time: 96 bytes."""
        return 4 if self.half else 2

    @property
    def room(self) -> int:
        """Joints for which a row of poses has room: rows begin at multiples of 64 bytes."""
        return -(-self.tables.n_joints // (8 if self.half else 4)) * (8 if self.half else 4)

    @property
    def row_groups(self) -> int:
        """Groups of four words of a row of poses."""
        return self.room * (3 if self.half else 6) // 2

    @property
    def windows(self) -> int:
        """How many there are."""
        return -(-self.tables.n_joints // self.window)

    @cached_property
    def walks(self) -> Walks:
        """The ways of the warps of a pair."""
        return walks_of(self.tables.skeleton.parents.tolist(), _legs(self.tables), self.window, self.piece)

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
    def _mixed(self) -> int:
        """Groups that are known at the same time."""
        sizes = np.diff(self.eight_at)
        return int(max(sizes[0], self.resident + max(sizes[1:], default=0)))

    @property
    def shared_at(self) -> int:
        """The quaternion in whose place the first shared piece is written: one that is no longer needed by then."""
        late = {visit.joint for way in self.walks.ways[2:4] for visit in way}
        first = 8 * self.resident
        free = [joint in late for joint in self.order[first : 8 * self.eight_at[1]]]
        needed = _PIECE_QUADS * len(self.walks.shared)
        return first if not any(free[:needed]) and len(free) >= needed else 8 * self._mixed

    @property
    def staged(self) -> int:
        """Groups for which a pair has room, with shared pieces and the basis of foot points."""
        pieces = -(-(self.shared_at + _PIECE_QUADS * len(self.walks.shared)) // 8)
        return max(self._mixed, pieces, -(-self.foot_tiles // 2))

    def quad(self, joint: int) -> int:
        """Where the quaternion of a joint lies in a pair's memory."""
        at = self.order.index(joint)
        window = self._late(at)
        return at if window == 0 else at - 8 * (self.eight_at[window] - self.resident)

    @property
    def upper(self) -> int:
        """Harmonics whose energy is kept."""
        return max(self.tables.n_harmonics + 1 - self.tables.first, 0)

    @property
    def tiles(self) -> int:
        """Steps of the tensor cores over all harmonics: eight pairs of numbers each."""
        return -(-(2 + 3 * self.tables.n_harmonics) // 8)

    @cached_property
    def fine(self) -> int:
        """How many of them need the precision of single numbers; harmonics of the others are small."""
        columns = (self.tables.columns[:, None] + np.arange(4)).ravel()
        squares = self.tables.coefficients[..., columns].astype(np.float64) ** 2
        for tile in range(self.tiles):
            harmonic = max((8 * tile - 2) // 3 + 1, 0)  # the first one in it
            rest = np.sqrt(squares[:, max(2 * harmonic - 1, 0) :].sum(axis=1)).reshape(-1, self.tables.n_joints, 4)
            if (rest.max(axis=(0, 2)) * _levers(self.tables.skeleton)).max() * _HALF_ERROR <= _MOST_ERROR:
                return tile
        return self.tiles

    @property
    def gained(self) -> int:
        """The first of them with harmonics whose energy is kept."""
        return (3 * self.tables.first - 1) // 8 if self.upper else self.tiles

    def tile_at(self, tile: int) -> int:
        """Where the coefficients of a tile begin among those of eight quaternions, in groups of four words."""
        return 32 * (4 * tile if tile < self.fine else 2 * (tile + self.fine))

    @property
    def shared_eight(self) -> int:
        """The eight quaternions of which gains touch some but not all, or −1."""
        return self.tables.n_plain // 32 if self.tables.n_plain % 32 and self.upper else -1

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
        return self.tables.n_harmonics // 8 + 1

    @property
    def coefficients(self) -> int:
        """Groups of four words of a triangle's coefficients, without those of foot points."""
        whole = self.tile_at(self.tiles)
        return self.eights * whole + (whole - self.tile_at(self.gained) if self.shared_eight >= 0 else 0)

    @property
    def _block_bytes(self) -> int:
        gaits = self.vertices * self.row if self.gait_shared else 0
        return 16 * (self.coefficients + 64 * self.foot_tiles + gaits + 3 * self.upper)

    @property
    def _pair_bytes(self) -> int:
        basis = 128 * (self.tiles + max(self.fine - self.gained, 0))
        after = 2 * 32 * 6 + 64 * self.walks.slots
        room = 256 * self.staged + (max(basis, after) if self.windows == 1 else basis + after)
        return 16 * room + _NOTES_BYTES

    @property
    def pairs(self) -> int:
        """The number of pairs of warps in a block; 0 where not even one fits."""
        return min(_MOST_PAIRS, max((self.most_shared - self._block_bytes) // self._pair_bytes, 0))

    @property
    def registers(self) -> int:
        """Registers of a thread: a multiprocessor has four parts, each with a quarter of the warps and its own ones."""
        warps = -(-PAIR * self.pairs // 4)
        return min(_REGISTERS // (32 * warps) // 8 * 8, 255)

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block."""
        return self._block_bytes + self.pairs * self._pair_bytes


def source_of(sizes: Sizes, *, detailed: bool = False) -> str:
    """The kernels of a network; only ``detailed`` ones know noise and joints that are not drawn, and are slower."""
    tables = sizes.tables
    numbers = {
        "JOINTS": tables.n_joints, "HARMONICS": tables.n_harmonics, "FIRST": tables.first, "UPPER": sizes.upper,
        "PLAIN": tables.n_plain, "EIGHTS": sizes.eights, "FIRST_EIGHTS": sizes.eight_at[1], "RESIDENT": sizes.resident,
        "STAGED": sizes.staged, "TRIANGLES": len(tables.triangles), "PARTS": tables.parts, "VERTICES": sizes.vertices,
        "PLANTS": tables.n_plants, "ROW": sizes.row, "PAIRS": sizes.pairs, "HALF": int(sizes.half),
        "GAIT_SHARED": int(sizes.gait_shared), "WINDOWS": sizes.windows, "ROOM": sizes.room, "TILES": sizes.tiles,
        "FINE": sizes.fine, "FOOT_TILES": sizes.foot_tiles, "KEPT": sizes.walks.slots,
        "SHARED_JOINTS": len(sizes.walks.shared),
        "SHARED_PIECES": 32 * sizes.shared_at, "NOISY": len(tables.noisy_columns), "DETAILED": int(detailed),
    }  # fmt: skip
    lines = [f"#define {name} {value}" for name, value in numbers.items()]
    floats = {name: getattr(tables.settings, own) for name, own in _SETTINGS.items()}
    floats |= {"CENTRE_X": tables.centre[0], "CENTRE_Y": tables.centre[1], "PER_SIZE": 1.0 / tables.size}
    least, most = tables.points.min(axis=0).tolist(), tables.points.max(axis=0).tolist()
    floats |= {"LEAST_X": least[0], "LEAST_Y": least[1], "MOST_X": most[0], "MOST_Y": most[1]}
    floats |= {"FAR_AWAY": FAR, "GRID": GRID}
    floats |= {f"FOOT_{name.upper()}": value for name, value in FOOT._asdict().items()}
    floats["FOOT_FOLDING"] = FOOT.folded - FOOT.back  # subtracted as float64: floats would be off in the last bit
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
    links = [[[sizes.quad(joint), 0, columns[joint], joint, -1, 0] for joint in chain.joints] for chain in chains]
    ways = sizes.walks.ways
    visits = [_visit(sizes, legs, way, number) for way in ways for number in range(len(way))]
    lines = [
        f"__constant__ Leg LEGS[2] = {{{', '.join(_leg(table) for table in legs)}}};",
        f"__constant__ Visit CHAIN[2][{len(chains[0].joints)}] = {_braced(links)};",
        f"__constant__ int ANKLE_QUAD[2] = {_braced([sizes.quad(table.ankle) for table in legs])};",
        *_twice("V", "PLACES_OF_JOINTS", "OFFSETS", [_vector(offset) for offset in skeleton.offsets]),
        *_twice("Visit", "VISITS", "JOINT", visits),
        *_twice("int", "WAYS", "WALK_AT", [0, *np.cumsum([len(way) for way in ways]).tolist()]),
        f"__constant__ int ROUND_AT[WINDOWS + 1] = {_braced(sizes.walks.rounds)};",
        f"__constant__ int EIGHT_AT[WINDOWS + 1] = {_braced(sizes.eight_at)};",
        f"__constant__ int JOINTS_SHARED[] = {_braced(sizes.walks.shared or [0])};",
    ]
    numbers = {"ABOVE": chains[0].above, "PATH": chains[0].path, "KNEE": chains[0].knee}
    numbers |= {"ROOT_QUAD": sizes.quad(0), "TRAVEL_QUAD": sizes.order.index(TRAVEL)}
    return "\n".join([*(f"#define {name} {value}" for name, value in numbers.items()), *lines]) + "\n"


def _twice(kind: str, known: str, read: str, values: list[Any]) -> list[str]:
    """A table that the compiler knows, and the same one for reading with an index."""
    text = f"[{len(values)}] = {_braced(values)};"
    return [f"constexpr {kind} {known}{text}", f"__constant__ {kind} {read}{text}"]


def _visit(sizes: Sizes, legs: list[LegTable], way: list[Visit], number: int) -> list[int]:
    """Its quaternion, bits of what is done, its column, the joint, its piece and whether that is complete then."""
    visit = way[number]
    tables, joint = sizes.tables, visit.joint
    column, noisy = int(tables.columns[joint]), tables.noisy_columns.tolist()
    bits = _IS_SILENT if visit.silent else 0
    if visit.reads >= 0:
        bits |= _FROM_KEPT | visit.reads << 8
    if visit.keeps >= 0:
        bits |= _IS_KEPT | visit.keeps << 16
    for foot, table in enumerate(legs):
        if joint in table.led:
            bits |= _IS_GIVEN
        if joint == table.leg.toe_joint and table.leg.tip is not None:
            bits |= _IS_TOE | (_IS_RIGHT if foot else 0)
    if column in noisy:
        bits |= _IS_NOISY | noisy.index(column) << 24
    own = joint - joint % sizes.piece
    shared = sizes.walks.shared.index(own) if own in sizes.walks.shared else -1
    later = any(other.joint // sizes.piece == joint // sizes.piece for other in way[number + 1 :])
    return [sizes.quad(joint), bits, column, joint, shared, int(shared < 0 and not later and not visit.silent)]


def _levers(skeleton: Skeleton) -> Float[np.ndarray, " joints"]:
    """How far from every joint the furthest one is that it moves, of the furthest one from the root."""
    reach = np.zeros(skeleton.n_joints)
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    for joint in range(skeleton.n_joints - 1, 0, -1):
        parent = int(skeleton.parents[joint])
        reach[parent] = max(reach[parent], reach[joint] + lengths[joint])
    return np.asarray(np.maximum(reach / max(reach[0], 1e-9), _SHORTEST_LEVER))


def _legs(tables: CrowdTables) -> list[LegTable]:
    return [LegTable.of(tables.skeleton, leg) for leg in tables.legs]


def _leg_joints(tables: CrowdTables) -> list[int]:
    """All joints from the root's children to the ankles."""
    return sorted({joint for table in _legs(tables) for joint in _chain(tables, table).joints})


class _Chain(NamedTuple):
    """The joints from below the root to an ankle."""

    joints: list[int]
    above: int  # those above the hip
    path: int  # those from hip to ankle
    knee: int  # which one of these the knee is


def _chain(tables: CrowdTables, table: LegTable) -> _Chain:
    joints = sorted(joint for joint in tables.skeleton.path(table.ankle) if joint != 0)
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
