"""The state of a crowd as arrays with one row for each character."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from mocapella.checks import explained, shown
from mocapella.crowd.blocks.part import Part
from mocapella.crowd.starting import rows_of
from mocapella.crowd.state import Bit, Goals, Numbers, Points, Poses, Records, Rows, Word, origins
from mocapella.crowd.tables import CrowdTables
from mocapella.errors import MotionError
from mocapella.motion.skeleton import Skeleton


@explained
class CrowdArrays:
    """The arrays of all characters: state, goals of their blending points, and poses."""

    _n: int
    _all: Numbers  # their numbers
    _parts: tuple[Part, ...]
    _part: Numbers  # which one each character is in
    _records: Records
    _poses: Poses
    _points: Points
    _goals: Goals  # the same in the engines' units

    def __len__(self) -> int:
        return self._n

    @property
    def tables(self) -> CrowdTables:
        """The packed tables of the network; of a hybrid network those of its first block."""
        return self._parts[0].tables

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of their poses."""
        return self.tables.skeleton

    @property
    def points(self) -> Float[np.ndarray, "characters 2"]:
        """The goals of their blending points, each in the plane of its block; write into it to steer.

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
        """The state of all characters, 24 words each: copy it to save it, write into it to restore it.

        ``mocapella.crowd.state`` describes the words.
        """
        return self._records

    @property
    def blending_points(self) -> Float[np.ndarray, "characters 2"]:
        """Where their blending points are now."""
        centres, sizes = self._units
        return np.asarray(self._records[:, Word.POINT : Word.POINT + 2].astype(np.float64) * sizes + centres)

    @property
    def positions(self) -> Float[np.ndarray, "characters 2"]:
        """Where their roots are on the ground (x, z), metres."""
        return np.asarray(self._records[:, Word.X : Word.Z + 1].astype(np.float64) + origins(self._records))

    @property
    def headings(self) -> Float32[np.ndarray, " characters"]:
        """Which way they face, radians, left positive, within half a turn."""
        return self._records[:, Word.YAW].copy()

    @property
    def phases(self) -> Float32[np.ndarray, " characters"]:
        """How far into their cycles they are, 0 … 2π."""
        return self._records[:, Word.PHASE].copy()

    @property
    def planted(self) -> Bool[np.ndarray, "characters 4"]:
        """Which foot points rest: left heel and toe, right heel and toe."""
        marks = self._records.view(np.int32)[:, Word.MARKS]
        return np.stack([((marks >> (Bit.PLANTED + point)) & 1) == 1 for point in range(4)], axis=-1)

    @property
    def n_bytes(self) -> int:
        """Memory of all characters and their poses, bytes; the tables of the network are ``tables.n_bytes``."""
        return sum(one.nbytes for one in (self._records, self._poses, self._goals, self._points))

    def poses(
        self, *, positions: bool = False, out: np.ndarray | None = None
    ) -> Float32[np.ndarray, "characters joints *components"]:
        """World rotations (3 × 3) and positions (last column, metres) of all joints, or positions alone.

        Parameters
        ----------
        positions
            Give positions alone.
        out
            An array to write into, of single precision and the shape of what is given.

        Returns
        -------
        array of shape (characters, joints, 3, 4) or (characters, joints, 3)
            ``out``; without it the crowd's own buffer or a view of that, into which the next step writes.

        Raises
        ------
        MotionError
            For an array of another shape or kind.
        """
        own = self._poses[..., 3] if positions else self._poses
        if out is None:
            return own
        if not isinstance(out, np.ndarray) or out.shape != own.shape or out.dtype != np.float32:
            got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else shown(out)
            raise MotionError(expected=f"an array of float32 and shape {own.shape} to write into", got=got)
        out[...] = own
        return out

    def steer(
        self,
        turns: Float[np.ndarray, " characters"] | Sequence[float] | float,
        speeds: Float[np.ndarray, " characters"] | Sequence[float] | float,
    ) -> None:
        """Send blending points to where the blend has the requested turn rate and speed, or the nearest.

        Parameters
        ----------
        turns
            Turn rates, rad/s, left positive; one number for all or one each.
        speeds
            m/s. Rates that are no numbers are not followed: such characters go on as they were, and ``faults`` names
            them.

        Raises
        ------
        MotionError
            For other shapes.
        """
        given = [np.full(self._n, one) if np.ndim(one) == 0 else one for one in (turns, speeds)]
        own = [rows_of(one, name, (self._n,)) for one, name in zip(given, ("turns", "speeds"), strict=True)]
        for rows, part in self._by_part(self._all):
            goals = part.rates.at(own[0][rows], own[1][rows])
            self._points[rows] = goals * part.tables.size + part.tables.centre

    def _by_part(self, rows: Rows) -> Iterator[tuple[Int[np.ndarray, " few"], Part]]:
        if len(self._parts) == 1:
            yield rows, self._parts[0]
            return
        for number, part in enumerate(self._parts):
            own = rows[self._part[rows] == number]
            if own.size:
                yield own, part

    @property
    def _units(self) -> tuple[np.ndarray, np.ndarray]:
        """The centre and the size of the plane that each character's point is in."""
        tables = [part.tables for part in self._parts]
        if len(tables) == 1:
            return np.array(tables[0].centre), np.array(tables[0].size)
        centres, sizes = np.array([one.centre for one in tables]), np.array([one.size for one in tables])
        return centres[self._part], sizes[self._part][:, None]
