"""The columns of a Biovision file turned into a motion, block by block as they are read.

No table of all numbers is ever made: fresh memory costs more time than the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float

from mocapella.arrays import owned
from mocapella.files.flips import FlipFinder, Leaps
from mocapella.files.parsed import Parsed
from mocapella.geometry import euler
from mocapella.motion.clip import vouched
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import Skeleton

_MOVES = 1e-6  # of the skeleton's size: a position channel that varies by less is an offset written twice


@dataclass
class BvhJoint:
    """A joint as the hierarchy describes it."""

    name: str
    parent: int
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, str]] | None = None  # (POSITION or ROTATION, axis) in file order
    first_column: int = 0
    ends: list[tuple[float, float, float]] = field(default_factory=list)

    def columns(self, kind: str) -> list[int]:
        """Where the channels of this kind stand in a row, in file order."""
        channels = enumerate(self.channels or (), start=self.first_column)
        return [column for column, (channel, _) in channels if channel == kind]

    def axes(self, kind: str) -> str:
        """The axes of the channels of this kind, in file order; for rotations, their order."""
        return rotation_order(self.channels or [], kind)


def rotation_order(channels: list[tuple[str, str]], kind: str = "ROTATION") -> str:
    """The axes that a list of channels turns about, in order."""
    return "".join(axis for channel, axis in channels if channel == kind)


class BvhMotion:
    """Takes rows of channel values in order; knows the motion at the end."""

    def __init__(self, joints: list[BvhJoint], most_rows: int) -> None:
        self.joints = joints
        self.n_frames = 0
        self._placed = [i for i, joint in enumerate(joints) if joint.axes("POSITION")]
        self._place_columns = [column for i in self._placed for column in joints[i].columns("POSITION")]
        self._places = np.empty((most_rows, len(self._place_columns)))
        self._rotations = np.empty((most_rows, len(joints), 4))
        self._negated = np.zeros(
            len(joints), dtype=bool
        )  # joints whose last rotation has the other sign than its angles
        angles, names = [joint.columns("ROTATION") for joint in joints], [joint.name for joint in joints]
        self._flips = FlipFinder(angles, names, sum(len(joint.channels or ()) for joint in joints))
        self._groups = [(order, _together(members), _columns(joints, members)) for order, members in self._by_order()]

    def add(self, rows: Float[np.ndarray, "rows columns"]) -> None:
        """The next rows of the file."""
        first, after = self.n_frames, self.n_frames + len(rows)
        if after > len(self._rotations):  # more than the header promised
            self._places = _grown(self._places, after)
            self._rotations = _grown(self._rotations, after)
        self._places[first:after] = rows[:, self._place_columns]
        rotations = self._rotations[first:after]
        for order, together, columns in self._groups:
            if order:
                angles = rows[:, columns].reshape(len(rows), -1, len(order))
                if isinstance(together, slice):
                    euler.to_quaternion(angles, order, degrees=True, out=rotations[:, together])
                else:
                    rotations[:, together] = euler.to_quaternion(angles, order, degrees=True)
            else:
                rotations[:, together] = [1.0, 0.0, 0.0, 0.0]
        rotations[:, self._negated] *= -1.0
        running = self._rotations[max(first - 1, 0) : after]
        self._negated ^= _run_on(running, self._flips.add(rows, running))
        self.n_frames = after

    def parsed(self, frame_rate: float, findings: list[Finding]) -> Parsed:
        """The motion of all rows, in file units."""
        offsets = np.array([joint.offset for joint in self.joints], dtype=np.float64)
        size = float(np.abs(offsets).sum(axis=0).max()) or 1.0
        places = self._positions(offsets)
        added = _adds_to_offsets(places, offsets)
        if added:
            message = "position channels count from the joints' offsets"
            findings.append(Finding("added-positions", message, doubtful=False))
        root_positions = np.tile(offsets[0], (self.n_frames, 1))
        sliding: list[int] = []
        for i, place in places.items():
            moved = place + offsets[i] if i in added else place
            if i == 0:
                root_positions = moved
            elif np.ptp(moved, axis=0).max() > _MOVES * size:
                sliding.append(i)
            else:
                offsets[i] = moved[0]
            places[i] = moved
        if sliding:
            names = ", ".join(self.joints[i].name for i in sliding[:5]) + (", …" if len(sliding) > 5 else "")
            findings.append(Finding("sliding-joints", f"joints slide as well as turn: {names}", doubtful=False))
        return Parsed(
            skeleton=Skeleton.of(
                [joint.name for joint in self.joints],
                [joint.parent for joint in self.joints],
                offsets,
                ends=[(joint.name, list(end)) for joint in self.joints for end in joint.ends],
                rotation_orders=[joint.axes("ROTATION") for joint in self.joints],
            ),
            root_positions=root_positions,
            rotations_wxyz=vouched(owned(owned(self._rotations)[: self.n_frames])),
            frame_rate=frame_rate,
            sliding_joints=np.array(sliding, dtype=np.int64),
            slides=np.stack([places[i] for i in sliding], axis=1) if sliding else np.zeros((0, 0, 3)),
            findings=(*findings, *self._flips.findings()),
        )

    def _by_order(self) -> list[tuple[str, list[int]]]:
        """Joints with the same rotation order are turned together."""
        groups: dict[str, list[int]] = {}
        for i, joint in enumerate(self.joints):
            groups.setdefault(joint.axes("ROTATION"), []).append(i)
        return list(groups.items())

    def _positions(self, offsets: Float[np.ndarray, "joints 3"]) -> dict[int, Float[np.ndarray, "frames 3"]]:
        """What the position channels say, joint by joint; an axis without a channel stays at the offset."""
        out = {}
        column = 0
        for i in self._placed:
            out[i] = np.tile(offsets[i], (self.n_frames, 1))
            for axis in self.joints[i].axes("POSITION"):
                out[i][:, "XYZ".index(axis)] = self._places[: self.n_frames, column]
                column += 1
        return out


def _adds_to_offsets(
    places: dict[int, Float[np.ndarray, "frames 3"]], offsets: Float[np.ndarray, "joints 3"]
) -> frozenset[int]:
    """The joints whose position channels count from their OFFSET instead of taking its place.

    Programs disagree, and no file says which is meant. Where a joint's first position lies nearer to its offset than to
    zero, measured along the offset, the channels repeat the offset and so replace it. The root decides for itself, the
    other joints by vote.
    """

    def counts_from_offset(i: int) -> bool:
        offset = offsets[i]
        length = float(offset @ offset)
        return length > 0.0 and float(places[i][0] @ offset) < 0.5 * length

    others = [i for i in places if i != 0 and np.any(offsets[i])]
    votes = sum(counts_from_offset(i) for i in others)
    added = {i for i in places if i != 0} if 2 * votes > len(others) else set()
    return frozenset(added | ({0} if 0 in places and counts_from_offset(0) else set()))


def _together(members: list[int]) -> slice | list[int]:
    """Members that stand side by side, in order, as a slice, which costs no copy."""
    whole = range(members[0], members[0] + len(members))
    return slice(whole.start, whole.stop) if members == list(whole) else members


def _columns(joints: list[BvhJoint], members: list[int]) -> slice | list[int]:
    """The columns of the angles of all members, one after another."""
    columns = [column for i in members for column in joints[i].columns("ROTATION")]
    return _together(columns) if columns else columns


def _grown(array: Float[np.ndarray, " rows *rest"], least: int) -> Float[np.ndarray, " rows_then *rest"]:
    out = np.empty((least + least // 2, *array.shape[1:]))
    out[: len(array)] = array
    return out


def _run_on(q: Float[np.ndarray, "frames joints 4"], leaps: Leaps) -> Bool[np.ndarray, " joints"]:
    """Choose the signs of all frames but the first so that each is near the one before; which joints end negated."""
    opposite = leaps.nearness < 0.0
    frames, joints = leaps.frames[opposite], leaps.joints[opposite]
    negated = np.zeros(q.shape[1], dtype=bool)
    for joint in np.unique(joints):  # a few at most
        turns = np.zeros(len(q), dtype=bool)
        turns[frames[joints == joint]] = True
        turned = np.logical_xor.accumulate(turns)
        q[turned, joint] *= -1.0
        negated[joint] = turned[-1]
    return negated
