"""One step of many characters in NumPy: the engine where no native core is, and what that is checked against."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from jaxtyping import Int

from mocapella.crowd import feet, vectors
from mocapella.crowd import gaits as rows
from mocapella.crowd.joints import bending
from mocapella.crowd.joints.bending import Target
from mocapella.crowd.joints.kinematics import Kinematics, LegPoses
from mocapella.crowd.legs import ANKLES, Legs
from mocapella.crowd.noise import add_noise
from mocapella.crowd.plants import Clock, Gait, Slot, bearing, plants_of, slots_of
from mocapella.crowd.points import Step, move_points
from mocapella.crowd.state import (
    GRID,
    OWED_UNIT,
    Columns,
    Goals,
    Lane,
    Lanes,
    Poses,
    Records,
    Rows,
    Weights,
    Word,
    paired,
    pairs,
)
from mocapella.crowd.synthesis import FeetMoved, synthesised, waves
from mocapella.crowd.tables import CrowdTables
from mocapella.gait.foot_constants import FOOT
from mocapella.geometry.angles import TURN as ROUND
from mocapella.motion.layout import N_ROOT_DOFS

# Characters at a time: fewer take more calls of NumPy for each, some 3 ms a chunk; more take more memory. No power of
# two: rows of such a length share their places in a cache.
_CHUNK = 10_016


@dataclass(frozen=True, eq=False)
class NumpyEngine:
    """Steps characters of one network."""

    tables: CrowdTables
    name = "numpy"

    def step(self, records: Records, goals: Goals, rows: Rows, step: Step, poses: Poses) -> None:
        """Move some characters on: ``records`` are changed, and their ``poses`` written, in place."""
        lanes = Lanes.of(records, rows)
        weights, changes = move_points(self.tables, lanes, np.ascontiguousarray(goals[rows].T), step)
        # Characters of one triangle are blended together; small whole numbers are sorted in one pass.
        narrow = np.min_scalar_type(len(self.tables.triangles))
        order = np.argsort(lanes.words[Word.TRIANGLE].astype(narrow), kind="stable")
        numbers, weights, changes, ordered_rows = (
            np.take(columns, order, axis=-1) for columns in (lanes.numbers, weights, changes, rows)
        )
        flat = poses.reshape(len(poses), -1)
        for begin in range(0, len(rows), _CHUNK):
            chunk = slice(begin, begin + _CHUNK)
            lanes = Lanes(numbers[:, chunk])
            body = self._played(lanes, ordered_rows[chunk], weights[:, chunk], changes[:, chunk], step)
            origins = np.stack(pairs(lanes.words[Word.ORIGIN])) * np.float32(GRID)
            for block, matrices in self._joints.blocks(body):
                matrices[:, ::2, 3] += origins[:, block]
                flat[ordered_rows[chunk][block]] = matrices.reshape(-1, matrices.shape[-1]).T
        Lanes(numbers).into(records, ordered_rows)

    def _played(
        self, lanes: Lanes, numbers: Int[np.ndarray, " lanes"], weights: Weights, changes: Weights, step: Step
    ) -> LegPoses:
        tables, state, dt = self.tables, lanes.numbers, step.dt
        row = _gaits(tables, lanes, weights)
        rate = np.float32(ROUND) / row[rows.DURATION]
        phase = state[Word.PHASE] + rate * np.float32(dt)
        phase = phase - np.float32(ROUND) * np.floor(phase * np.float32(1.0 / ROUND))
        state[Word.PHASE] = phase
        angle = phase - row[rows.LATENESS]
        pose, feet_moved = synthesised(tables, lanes.words[Word.TRIANGLE], weights, changes, angle, step)
        add_noise(tables, pose, numbers, step)
        clock, height = self._travelled(lanes, row, pose, rate, dt)
        slots = slots_of(row, tables.n_plants, clock, tables.settings)
        self._make_way(lanes, slots, clock, feet_moved)
        body = self._joints.posed(pose, (state[Word.X], height, state[Word.Z]), clock.cosine, clock.sine)
        self._hold_feet(lanes, slots, clock, body)
        return body

    def _travelled(self, lanes: Lanes, row: Gait, pose: Columns, rate: Lane, dt: float) -> tuple[Clock, Lane]:
        """Move the roots on, in place."""
        state, root = lanes.numbers, self.tables.n_plain - N_ROOT_DOFS
        phase = state[Word.PHASE]
        cosines, sines = waves(phase, rows.TRAVEL_HARMONICS)
        beyond = row[rows.TRAVEL : rows.PLANTS].reshape(2, 2 * rows.TRAVEL_HARMONICS + 1, -1)
        more = beyond[:, 0] + (beyond[:, 1::2] * cosines).sum(axis=1) + (beyond[:, 2::2] * sines).sum(axis=1)
        ahead, left = pose[root + 1 : root + 3] + rate * more
        turning = pose[root + 3]
        height = pose[root] + row[rows.LIFT] + row[rows.LIFT + 1] * cosines[0] - row[rows.LIFT + 2] * sines[0]
        half = np.float32(0.5 * dt)
        yaw = state[Word.YAW] + half * (state[Word.TURN] + turning)
        middle = 0.5 * (state[Word.YAW] + yaw)
        c, s = np.cos(middle), np.sin(middle)
        forth, aside = half * (state[Word.AHEAD] + ahead), half * (state[Word.LEFT] + left)
        state[Word.Z] += c * forth - s * aside
        state[Word.X] += s * forth + c * aside
        state[Word.AHEAD], state[Word.LEFT], state[Word.TURN] = ahead, left, turning
        state[Word.YAW] = yaw - np.float32(ROUND) * np.rint(yaw * np.float32(1.0 / ROUND))
        return Clock(dt, phase, rate, turning / rate, np.cos(yaw), np.sin(yaw)), height

    def _make_way(self, lanes: Lanes, slots: list[Slot], clock: Clock, feet_moved: FeetMoved) -> None:
        """Move the roots so that planted feet stay where the blend changes, no faster than a body does."""
        state, words, settings = lanes.numbers, lanes.words, self.tables.settings
        share = bearing(slots, clock, settings)
        total = np.maximum(share.sum(axis=0), 1.0)
        ahead, left = (-(share * feet_moved[i::2]).sum(axis=0) / total for i in (0, 1))
        most = np.float32(max(settings.root_shift_speed * clock.dt, 1e-9))
        limit = 1.0 / np.sqrt(1.0 + (ahead * ahead + left * left) / (most * most))
        unit = np.float32(OWED_UNIT)
        x, z = pairs(words[Word.OWED])
        x = x * unit + limit * (clock.sine * ahead + clock.cosine * left)
        z = z * unit + limit * (clock.cosine * ahead - clock.sine * left)
        part = np.float32(-np.expm1(-clock.dt / settings.root_shift_time))
        state[Word.X] += part * x
        state[Word.Z] += part * z
        words[Word.OWED] = paired((1.0 - part) * x / unit, (1.0 - part) * z / unit)

    def _hold_feet(self, lanes: Lanes, slots: list[Slot], clock: Clock, body: LegPoses) -> None:
        settings, both = self.tables.settings, self._joints.legs
        ends = np.asarray(np.matmul(both.ends, body.whole[ANKLES]).swapaxes(0, 1))  # heels and toes, metres
        plants = plants_of(slots, feet.marks_of(lanes) != 0)
        if clock.dt > settings.long_step:  # a point may stand again in the same plant a round later
            beyond = np.float32(clock.dt - settings.long_step) * clock.rate
            feet.forget_places(lanes, (plants.since < beyond) & ~plants.full)
        over = ends[1] - both.heights
        stands, turned = feet.sole_of(plants, over[:, 0] - over[:, 1], settings)
        rise = both.heights[:, 0] - both.heights[:, 1]
        apart = np.sqrt(np.maximum(np.square(both.flat_length) + np.square(rise) - np.square(rise + stands), 0.0))
        held = feet.hold_points(lanes, plants, clock, ends[::2], apart, settings)
        sink = feet.sink_of(plants, np.minimum(over[:, 0], over[:, 1]), clock.rate, settings)
        firm = np.float32(FOOT.firm)
        flat = Target(held.shift, held.hold, sink, turned)
        lost = held.inside.all(axis=1) * bending.too_short(body, both, ends, flat)
        held.shift[:, :, 0] -= lost * held.shift[:, :, 0]
        held.hold[:, 0] -= lost * held.hold[:, 0]
        far = vectors.length(held.shift)
        part = feet.slack(far.max(axis=1), settings)
        hold = part[:, None] * np.minimum(held.hold, np.maximum(held.inside, firm))
        target = Target(part[:, None] * held.shift, hold, sink, part * turned)
        lifted = bending.bend(self._joints, body, ends, target)
        rolling = ~(held.inside & ~plants.rolls_off).any(axis=1)
        is_down = feet.note_standing(lanes, held.inside[:, 0] | held.inside[:, 1], rolling, lifted, settings)
        feet.note_holds(lanes, held.hold)
        strain = (held.inside * far).max(axis=(0, 1))
        feet.note_step(lanes, strain, held.firm & is_down[:, None] & (held.hold > firm), settings)

    @cached_property
    def _joints(self) -> Kinematics:
        return Kinematics(self.tables, Legs(self.tables.skeleton, self.tables.legs))


def _gaits(tables: CrowdTables, lanes: Lanes, weights: Weights) -> Gait:
    """The gaits of blends, linear in the cells of their triangles' lattices."""
    parts, triangle = tables.parts, lanes.words[Word.TRIANGLE]
    b = weights[2] * np.float32(parts)
    a = np.maximum((weights[1] + weights[2]) * np.float32(parts), b)
    i = np.clip(a.astype(np.int32), 0, parts - 1)  # what is no number points at something all the same
    j = np.clip(b.astype(np.int32), 0, i)
    a, b = np.minimum(a - i.astype(np.float32), 1.0), np.minimum(b - j.astype(np.float32), 1.0)
    upper = (a >= b) | (i == j)
    base = (i * (i + 1) >> 1) + j
    last = ((i + 1) * (i + 2) >> 1) + j + 1
    middle = base + 1 + upper * (last - base - 2)
    small, large = np.minimum(a, b), np.where(upper, a, b)
    first = triangle * np.int32(tables.gaits.shape[1])
    shares, vertices = np.empty((len(i), 3), dtype=np.float32), np.empty((len(i), 3), dtype=np.int32)
    for k, (share, vertex) in enumerate(((1.0 - large, base), (large - small, middle), (small, last))):
        shares[:, k] = share
        np.add(vertex, first, out=vertices[:, k])
    # A product of sparse matrices takes a third of the time of three gathers and their sum.
    ends = np.arange(0, 3 * len(i) + 1, 3, dtype=np.int32)
    table = tables.gaits.reshape(-1, tables.gaits.shape[2])
    mean = scipy.sparse.csr_array((shares.ravel(), vertices.ravel(), ends), shape=(len(i), len(table)))
    return np.ascontiguousarray((mean @ table).T)
