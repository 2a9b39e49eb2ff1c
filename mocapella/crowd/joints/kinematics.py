"""Forward kinematics of many characters: the joints of legs first, all others in blocks that a cache holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mocapella.crowd.legs import Legs
from mocapella.crowd.state import Columns
from mocapella.crowd.tables import CrowdTables
from mocapella.crowd.vectors import Array, product, rotations

# Characters at a time where all joints are placed and written, and joints times characters that are turned at a time:
# of more, matrices leave a core's cache before they are used. No powers of two: rows so long share places in a cache.
_BLOCK, _GROUP = 2512, 4000
_ALL = slice(None)


@dataclass
class LegPoses:
    """Joints in the world that legs hang on or that hang on legs, in the order of ``Legs.joints``."""

    pose: Columns  # dofs of all joints, in the order of the tables' columns
    whole: Array  # (joints, 3, 4, lanes): rotations in the world, and places

    def turns(self, some: slice) -> Array:
        """Rotations of some joints, component by component (3, 3, some, lanes); what is written there turns them."""
        return self.whole[some, :, :3].transpose(1, 2, 0, 3)

    def places(self, some: slice) -> Array:
        """Places of some joints, component by component (3, some, lanes), metres."""
        return self.whole[some, :, 3].transpose(1, 0, 2)


class Kinematics:
    """Places the joints of a skeleton."""

    def __init__(self, tables: CrowdTables, legs: Legs) -> None:
        self.legs, self.n_joints = legs, tables.n_joints
        self.parents: list[int] = tables.skeleton.parents.tolist()
        self.offsets = np.ones((self.n_joints, 4), dtype=np.float32)  # and 1, by which a place is added
        self.offsets[:, :3] = tables.skeleton.offsets
        self.slot = {joint: slot for slot, joint in enumerate(legs.joints)}
        self.rest = [joint for joint in range(self.n_joints) if joint not in self.slot]
        self._rows = tables.columns[:, None] + np.arange(4)  # of a pose, joint by joint

    def posed(self, pose: Columns, place: tuple[Array, Array, Array], cosine: Array, sine: Array) -> LegPoses:
        """The joints of legs as a pose has them, but for those that hang on legs: they are hung when these are bent.

        ``pose`` has dofs in the order of the tables' columns, ``place`` x, y and z of the roots in metres; ``cosine``
        and ``sine`` are those of their headings.
        """
        body = LegPoses(pose, np.empty((len(self.slot), 3, 4, pose.shape[1]), dtype=np.float32))
        own, (x, y, z) = body.whole[self.slot[0]], rotations(pose[self._rows[0]])
        np.add(cosine * x, sine * z, out=own[0, :3])
        own[1, :3] = y
        np.subtract(cosine * z, sine * x, out=own[2, :3])
        own[0, 3], own[1, 3], own[2, 3] = place
        self.hang(body, self.legs.carrying)
        return body

    def hang(self, body: LegPoses, some: Sequence[int]) -> None:
        """Turn joints of legs with their parents, and place them where those have them; parents first."""
        for joint, local in self._turned(body.pose, some):
            self._hang(joint, body.whole[self.slot[self.parents[joint]]], local, body.whole[self.slot[joint]])

    def place(self, body: LegPoses, joint: int) -> None:
        """Place a joint of a leg where its parent has it."""
        above = body.whole[self.slot[self.parents[joint]]]
        np.matmul(self.offsets[joint], above, out=body.whole[self.slot[joint], :, 3])

    def _hang(self, joint: int, above: Array, local: Array, out: Array) -> None:
        product(above[:, :3], local, out=out[:, :3])
        np.matmul(self.offsets[joint], above, out=out[:, 3])

    def _turned(self, pose: Array, some: Sequence[int], lanes: slice = _ALL) -> Iterator[tuple[int, Array]]:
        """Rotations of joints against their parents (3, 3, lanes); so many are made at a time as a cache holds."""
        n = len(range(*lanes.indices(pose.shape[1])))
        size = max(1, _GROUP // n)
        for begin in range(0, len(some), size):
            joints = some[begin : begin + size]
            yield from zip(joints, rotations(pose[self._rows[joints].ravel(), lanes].reshape(-1, 4, n)), strict=True)

    def blocks(self, body: LegPoses) -> Iterator[tuple[slice, Array]]:
        """All joints in the world (joints, 3, 4, lanes), block by block of characters, all written into one array."""
        n = body.pose.shape[1]
        room = np.empty((self.n_joints, 3, 4, min(n, _BLOCK)), dtype=np.float32)
        for begin in range(0, n, _BLOCK):
            lanes = slice(begin, min(begin + _BLOCK, n))
            whole = room[..., : lanes.stop - begin]
            for joint, slot in self.slot.items():
                whole[joint] = body.whole[slot, :, :, lanes]
            for joint, local in self._turned(body.pose, self.rest, lanes):
                self._hang(joint, whole[self.parents[joint]], local, whole[joint])
            yield lanes, whole
