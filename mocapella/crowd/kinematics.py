"""Forward kinematics of many characters: the joints of legs first, all others in blocks that a cache holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32

from mocapella.crowd.legs import Legs
from mocapella.crowd.tables import CrowdTables
from mocapella.crowd.vectors import Array, product, rotations

# Characters at a time where all joints are placed and written, and joints times characters that are turned at a time:
# of more, matrices leave a core's cache before they are used. No powers of two: rows so long share places in a cache.
_BLOCK, _GROUP = 2512, 4000
Columns = Float32[np.ndarray, "columns lanes"]


@dataclass
class LegPoses:
    """Joints in the world that legs hang on or that hang on legs, in the order of ``Legs.joints``."""

    local: Array  # (joints, 3, 3, lanes): rotations against the parents
    whole: Array  # (joints, 3, 4, lanes): rotations in the world, and places

    def turns(self, some: slice) -> Array:
        """Rotations of some joints, component by component (3, 3, some, lanes); what is written there turns them."""
        return self.whole[some, :, :3].transpose(1, 2, 0, 3)

    def places(self, some: slice) -> Array:
        """Places of some joints, component by component (3, some, lanes), metres."""
        return self.whole[some, :, 3].transpose(1, 0, 2)


class Kinematics:
    """Places the joints of a skeleton.

    Parameters
    ----------
    tables
        What is played.
    legs
        Of its skeleton.
    """

    def __init__(self, tables: CrowdTables, legs: Legs) -> None:
        self.legs, self.n_joints = legs, tables.n_joints
        self.parents: list[int] = tables.skeleton.parents.tolist()
        self.offsets = np.ones((self.n_joints, 4), dtype=np.float32)  # and 1, by which a place is added
        self.offsets[:, :3] = tables.skeleton.offsets
        self.slot = {joint: slot for slot, joint in enumerate(legs.joints)}
        self.rest = [joint for joint in range(self.n_joints) if joint not in self.slot]
        self._leg_rows, self._rest_rows = (
            (tables.columns[some][:, None] + np.arange(4)).ravel() for some in (legs.joints, self.rest)
        )

    def posed(self, pose: Columns, place: tuple[Array, Array, Array], cosine: Array, sine: Array) -> LegPoses:
        """The joints of legs as a pose has them; those that hang on legs are left out: they are hung when these bend.

        Parameters
        ----------
        pose
            Dofs, in the order of the tables' columns.
        place
            Of the roots: x, y and z, metres.
        cosine, sine
            Of their headings.

        Returns
        -------
        LegPoses
            In the world.
        """
        n = pose.shape[1]
        local = rotations(pose[self._leg_rows].reshape(-1, 4, n))
        body = LegPoses(local, np.empty((len(local), 3, 4, n), dtype=np.float32))
        root = self.slot[0]
        own, (x, y, z) = body.whole[root], local[root]
        np.add(cosine * x, sine * z, out=own[0, :3])
        own[1, :3] = y
        np.subtract(cosine * z, sine * x, out=own[2, :3])
        own[0, 3], own[1, 3], own[2, 3] = place
        for joint in self.legs.carrying:
            self.hang(body, joint)
        return body

    def hang(self, body: LegPoses, joint: int) -> None:
        """Turn a joint of a leg with its parent, and place it where that has it."""
        slot, above = self.slot[joint], body.whole[self.slot[self.parents[joint]]]
        self._hang(joint, above, body.local[slot], body.whole[slot])

    def place(self, body: LegPoses, joint: int) -> None:
        """Place a joint of a leg where its parent has it."""
        above = body.whole[self.slot[self.parents[joint]]]
        np.matmul(self.offsets[joint], above, out=body.whole[self.slot[joint], :, 3])

    def _hang(self, joint: int, above: Array, local: Array, out: Array) -> None:
        product(above[:, :3], local, out=out[:, :3])
        np.matmul(self.offsets[joint], above, out=out[:, 3])

    def _groups(self, n: int) -> Iterator[tuple[list[int], Array]]:
        """The other joints, so many at a time that a cache holds their rotations, and their rows of a pose."""
        size = max(1, _GROUP // n)
        for begin in range(0, len(self.rest), size):
            yield self.rest[begin : begin + size], self._rest_rows[4 * begin : 4 * (begin + size)]

    def blocks(self, body: LegPoses, pose: Array) -> Iterator[tuple[slice, Array]]:
        """All joints, some characters after others.

        Parameters
        ----------
        body
            The joints of legs, as they are at last.
        pose
            Dofs of all joints (columns, lanes).

        Returns
        -------
        iterator of (lanes, matrices)
            Rotations in the world and places (joints, 3, 4, lanes); the next ones are written where these are.
        """
        n = pose.shape[1]
        room = np.empty((self.n_joints, 3, 4, min(n, _BLOCK)), dtype=np.float32)
        for begin in range(0, n, _BLOCK):
            lanes = slice(begin, min(begin + _BLOCK, n))
            whole = room[..., : lanes.stop - begin]
            for joint, slot in self.slot.items():
                whole[joint] = body.whole[slot, :, :, lanes]
            for some, numbers in self._groups(whole.shape[-1]):
                local = rotations(pose[numbers, lanes].reshape(len(some), 4, -1))
                for own, joint in zip(local, some, strict=True):
                    self._hang(joint, whole[self.parents[joint]], own, whole[joint])
            yield lanes, whole
