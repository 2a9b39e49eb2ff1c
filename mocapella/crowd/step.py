"""One step of many characters in NumPy: the engine where no native core is, and what that is checked against."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float32, Int

from mocapella.crowd import feet, legs, vectors
from mocapella.crowd import gaits as rows
from mocapella.crowd.legs import LegTable, Skeletons, Target
from mocapella.crowd.noise import add_noise
from mocapella.crowd.plants import Clock, Plants, bearing, plants_of, rolls_off
from mocapella.crowd.points import Step, move_points
from mocapella.crowd.state import (
    AHEAD,
    FEET,
    LEFT,
    MARKS,
    OWED,
    OWED_UNIT,
    PHASE,
    PLACED,
    TRIANGLE,
    TURN,
    YAW,
    Lanes,
    Records,
    X,
    Z,
    origins,
    paired,
    pairs,
)
from mocapella.crowd.tables import N_FOOT_DOFS, CrowdTables
from mocapella.geometry.angles import TURN as ROUND
from mocapella.playback.feet.plants import FIRM

_CHUNK = 4096  # characters at a time: more take more cache, fewer more calls of NumPy for each
_MOST_GAIN = 10.0  # of the energy of an upper harmonic
Poses = Float32[np.ndarray, "characters joints 3 4"]


@dataclass(frozen=True, eq=False)
class NumpyEngine:
    """Steps characters of one network."""

    tables: CrowdTables
    name = "numpy"

    def step(
        self,
        records: Records,
        goals: Float32[np.ndarray, "characters 2"],
        rows: Int[np.ndarray, " some"],
        step: Step,
        poses: Poses,
    ) -> None:
        """Move some characters on, and write their poses.

        Parameters
        ----------
        records
            The state of all; changed in place.
        goals
            Of their blending points, about the network's centre, in its sizes.
        rows
            Which characters.
        step
            How long it is, and how much is drawn.
        poses
            World rotations and positions of all joints; those of these characters are written.
        """
        order = rows[np.argsort(records.view(np.int32)[rows, TRIANGLE], kind="stable")]
        for begin in range(0, len(order), _CHUNK):
            some = order[begin : begin + _CHUNK]
            lanes = Lanes.of(records, some)
            weights, changes = move_points(self.tables, lanes, np.ascontiguousarray(goals[some].T), step)
            triangle = lanes.words[TRIANGLE]
            if (triangle[1:] < triangle[:-1]).any():  # points have moved on: those of one triangle are mixed together
                again = np.argsort(triangle, kind="stable")
                some, lanes = some[again], Lanes(np.ascontiguousarray(lanes.numbers[:, again]))
                weights, changes = (np.ascontiguousarray(one[:, again]) for one in (weights, changes))
            body = self._played(lanes, some, weights, changes, step)
            lanes.into(records, some)
            body.places[::2] += origins(np.ascontiguousarray(lanes.numbers.T)).T[:, None]
            poses[some] = np.ascontiguousarray(body.whole.reshape(-1, len(some)).T).reshape(-1, *poses.shape[1:])

    def _played(
        self,
        lanes: Lanes,
        numbers: Int[np.ndarray, " lanes"],
        weights: Float32[np.ndarray, "3 lanes"],
        changes: Float32[np.ndarray, "3 lanes"],
        step: Step,
    ) -> Skeletons:
        tables, state, dt = self.tables, lanes.numbers, step.dt
        row = _gaits(tables, lanes, weights)
        rate = np.float32(ROUND) / row[rows.DURATION]
        phase = state[PHASE] + rate * np.float32(dt)
        phase = phase - np.float32(ROUND) * np.floor(phase * np.float32(1.0 / ROUND))
        state[PHASE] = phase
        pose, feet_moved = self._synthesised(lanes, weights, changes, phase - row[rows.LATENESS], step)
        add_noise(tables, pose, numbers, step)
        clock, height = self._travelled(lanes, row, pose, rate, dt)
        share = bearing(row, tables.n_plants, clock, tables.settings)
        self._make_way(lanes, clock, share, feet_moved)
        body = self._placed(lanes, pose, height, clock)
        self._hold_feet(lanes, row, clock, body)
        return body

    def _synthesised(
        self,
        lanes: Lanes,
        weights: Float32[np.ndarray, "3 lanes"],
        changes: Float32[np.ndarray, "3 lanes"],
        angle: Float32[np.ndarray, " lanes"],
        step: Step,
    ) -> tuple[Float32[np.ndarray, "columns lanes"], Float32[np.ndarray, "8 lanes"]]:
        """The dofs of the blends at these angles, and by how much foot points move with the blending points."""
        tables, n = self.tables, len(angle)
        most, first = step.harmonics, tables.first
        waves = _waves(angle, most)
        plain = waves[None] * weights[:, None]
        free = plain.copy()
        triangle = lanes.words[TRIANGLE]
        if most >= first:
            a, b, c = weights
            product = tables.products[triangle][:, : most - first + 1].transpose(2, 1, 0)
            have = a * (product[0] * a + 2.0 * (product[3] * b + product[4] * c))
            have = have + b * (product[1] * b + 2.0 * product[5] * c) + product[2] * c * c
            want = np.einsum("nku,kn->un", tables.energies[tables.triangles[triangle]], weights)[: len(have)]
            gains = np.sqrt(np.clip(want / np.maximum(have, 1e-30), 1.0, _MOST_GAIN))
            free[:, 2 * first - 1 :] *= np.repeat(gains, 2, axis=0)
        moved = waves[None] * changes[:, None]
        pose = np.empty((tables.n_columns, n), dtype=np.float32)
        feet_moved = np.zeros((N_FOOT_DOFS, n), dtype=np.float32)
        edges = np.flatnonzero(np.diff(triangle)) + 1
        parts = 2 * most + 1
        end, last = step.columns, tables.n_columns
        for begin, stop in zip([0, *edges], [*edges, n], strict=True):
            own = tables.coefficients[tables.triangles[triangle[begin]]]
            used = own[:, :parts].reshape(3 * parts, -1)
            lane = slice(begin, stop)
            basis = plain[..., lane].reshape(3 * parts, -1)
            pose[: tables.n_plain, lane] = used[:, : tables.n_plain].T @ basis
            pose[tables.n_plain : end, lane] = used[:, tables.n_plain : end].T @ free[..., lane].reshape(3 * parts, -1)
            pose[end:, lane] = own[:, 0, end:last].T @ weights[:, lane]
            if changes[:, lane].any():
                feet_moved[:, lane] = used[:, last : last + N_FOOT_DOFS].T @ moved[..., lane].reshape(3 * parts, -1)
        return pose, feet_moved

    def _travelled(
        self,
        lanes: Lanes,
        row: Float32[np.ndarray, "numbers lanes"],
        pose: Float32[np.ndarray, "columns lanes"],
        rate: Float32[np.ndarray, " lanes"],
        dt: float,
    ) -> tuple[Clock, Float32[np.ndarray, " lanes"]]:
        """Move the roots on, in place."""
        tables, state = self.tables, lanes.numbers
        root = tables.n_plain - 4
        phase = state[PHASE]
        waves = _waves(phase, rows.TRAVEL_HARMONICS)
        beyond = row[rows.TRAVEL : rows.PLANTS].reshape(2, len(waves), -1)
        ahead = pose[root + 1] + rate * (beyond[0] * waves).sum(axis=0)
        left = pose[root + 2] + rate * (beyond[1] * waves).sum(axis=0)
        turning = pose[root + 3]
        height = pose[root] + row[rows.LIFT] + row[rows.LIFT + 1] * waves[1] - row[rows.LIFT + 2] * waves[2]
        half = np.float32(0.5 * dt)
        yaw = state[YAW] + half * (state[TURN] + turning)
        middle = 0.5 * (state[YAW] + yaw)
        c, s = np.cos(middle), np.sin(middle)
        forth, aside = half * (state[AHEAD] + ahead), half * (state[LEFT] + left)
        state[Z] += c * forth - s * aside
        state[X] += s * forth + c * aside
        state[AHEAD], state[LEFT], state[TURN] = ahead, left, turning
        state[YAW] = yaw - np.float32(ROUND) * np.rint(yaw * np.float32(1.0 / ROUND))
        return Clock(dt, phase, rate, turning / rate, np.cos(yaw), np.sin(yaw)), height

    def _make_way(
        self,
        lanes: Lanes,
        clock: Clock,
        share: Float32[np.ndarray, "4 lanes"],
        feet_moved: Float32[np.ndarray, "8 lanes"],
    ) -> None:
        """Move the roots so that planted feet stay where the blend changes, no faster than a body does."""
        state, words, settings = lanes.numbers, lanes.words, self.tables.settings
        total = np.maximum(share.sum(axis=0), 1.0)
        ahead, left = (-(share * feet_moved[i::2]).sum(axis=0) / total for i in (0, 1))
        most = np.float32(max(settings.root_shift_speed * clock.dt, 1e-9))
        limit = 1.0 / np.sqrt(1.0 + (ahead * ahead + left * left) / (most * most))
        unit = np.float32(OWED_UNIT)
        x, z = pairs(words[OWED])
        x = x * unit + limit * (clock.sine * ahead + clock.cosine * left)
        z = z * unit + limit * (clock.cosine * ahead - clock.sine * left)
        made = np.float32(-np.expm1(-clock.dt / settings.root_shift_time))
        state[X] += made * x
        state[Z] += made * z
        words[OWED] = paired((1.0 - made) * x / unit, (1.0 - made) * z / unit)

    def _placed(
        self,
        lanes: Lanes,
        pose: Float32[np.ndarray, "columns lanes"],
        height: Float32[np.ndarray, " lanes"],
        clock: Clock,
    ) -> Skeletons:
        """Forward kinematics: all joints in the world."""
        tables, state = self.tables, lanes.numbers
        columns = tables.columns
        local = vectors.matrix(*(pose[columns + k] for k in range(4)))
        whole = np.empty((len(columns), 3, 4, len(clock.phase)), dtype=np.float32)  # as poses are written
        turns, places = whole[:, :, :3].transpose(1, 2, 0, 3), whole[:, :, 3].transpose(1, 0, 2)
        tilt, c, s = local[:, :, 0], clock.cosine, clock.sine
        turns[0, :, 0], turns[1, :, 0], turns[2, :, 0] = c * tilt[0] + s * tilt[2], tilt[1], c * tilt[2] - s * tilt[0]
        places[0, 0], places[1, 0], places[2, 0] = state[X], height, state[Z]
        offsets = tables.skeleton.offsets.astype(np.float32)
        for joints, parents in self._levels:
            above = turns[:, :, parents]
            turns[:, :, joints] = vectors.product(above, local[:, :, joints])
            places[:, joints] = places[:, parents] + vectors.turned(above, offsets[joints].T[:, :, None])
        return Skeletons(self._parents, offsets, local, whole, turns, places)

    def _hold_feet(
        self, lanes: Lanes, row: Float32[np.ndarray, "numbers lanes"], clock: Clock, body: Skeletons
    ) -> None:
        tables, settings, state, words = self.tables, self.tables.settings, lanes.numbers, lanes.words
        holds, planted = [], []
        strain = np.zeros_like(clock.phase)
        marks = words[MARKS].copy()
        for foot, table in enumerate(self._legs):
            leg = table.leg
            heel, toe = legs.foot_ends(body, table)
            plants = []
            for point in (2 * foot, 2 * foot + 1):
                placed = ((marks >> (2 * point)) & 3) != 0
                plants.append(plants_of(row, tables.n_plants, point, clock, placed, settings))
            if clock.dt > settings.long_step:
                self._after_long_step(lanes, foot, plants, clock)
            over_heel, over_toe = heel[1] - leg.heel_height, toe[1] - leg.toe_height
            stands, turned = feet.sole_of(plants[0], plants[1], over_heel - over_toe, settings)
            rise = np.float32(leg.heel_height - leg.toe_height)
            apart = np.sqrt(np.maximum(np.float32(leg.flat_length**2) + rise * rise - np.square(rise + stands), 0.0))
            held = []
            for i, at in enumerate((heel, toe)):
                point, other = 2 * foot + i, 2 * foot + 1 - i
                there = state[FEET + 2 * other : FEET + 2 * other + 2].copy()
                stays = ((words[MARKS] >> (2 * other)) & 3) == PLACED
                stays &= (plants[1 - i].since < plants[1 - i].length) & (plants[1 - i].hold > 0)
                held.append(feet.hold_point(lanes, point, plants[i], clock, at[::2], there, stays, apart, settings))
            sink = feet.sink_of((plants[0], plants[1]), np.minimum(over_heel, over_toe), clock.rate, settings)
            one = np.ones_like(sink)
            flat = Target(held[0].shift, held[1].shift, one, one, sink, turned)
            both = held[0].inside & held[1].inside
            down = np.where(both, legs.still_down(body, table, heel, toe, flat), np.float32(1.0))
            heel_shift, heel_hold, toe_shift = down * held[0].shift, down * held[0].hold, held[1].shift
            holds += [heel_hold, held[1].hold]
            part = np.minimum(feet.slack(heel_shift, settings), feet.slack(toe_shift, settings))
            for shift, own in ((heel_shift, held[0]), (toe_shift, held[1])):
                strain = np.maximum(strain, np.where(own.inside, np.hypot(*shift), 0.0))
            firm = np.float32(FIRM)
            target = Target(
                part * heel_shift,
                part * toe_shift,
                part * np.where(held[0].inside, heel_hold, np.minimum(heel_hold, firm)),
                part * np.where(held[1].inside, held[1].hold, np.minimum(held[1].hold, firm)),
                sink,
                part * turned,
            )
            lifted = legs.bend(body, table, heel, toe, target)
            rolling = ~((held[0].inside & ~rolls_off(plants[0])) | (held[1].inside & ~rolls_off(plants[1])))
            is_down = feet.note_standing(lanes, foot, held[0].inside | held[1].inside, rolling, lifted, settings)
            planted += [
                own.firm & is_down & (hold > firm) for own, hold in zip(held, (heel_hold, held[1].hold), strict=True)
            ]
        feet.note_holds(lanes, holds)
        feet.note_step(lanes, strain, planted, settings)

    def _after_long_step(self, lanes: Lanes, foot: int, plants: list[Plants], clock: Clock) -> None:
        """Forget places of plants that are over: a point may stand again in the same plant a round later."""
        beyond = np.float32(clock.dt - self.tables.settings.long_step) * clock.rate
        for i, plant in enumerate(plants):
            again = (plant.since < beyond) & ~plant.full
            bits = 3 << (2 * (2 * foot + i))
            lanes.words[MARKS] = np.where(again, lanes.words[MARKS] & ~bits, lanes.words[MARKS])

    @cached_property
    def _legs(self) -> tuple[LegTable, LegTable]:
        left, right = (LegTable.of(self.tables.skeleton, leg) for leg in self.tables.legs)
        return left, right

    @cached_property
    def _parents(self) -> list[int]:
        parents: list[int] = self.tables.skeleton.parents.tolist()
        return parents

    @cached_property
    def _levels(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Joints by how many they hang on, and their parents."""
        parents = self._parents
        depth = [0] * len(parents)
        for joint, parent in enumerate(parents):
            depth[joint] = 0 if parent < 0 else depth[parent] + 1
        out = []
        for level in range(1, max(depth) + 1):
            joints = np.flatnonzero(np.array(depth) == level)
            out.append((joints, np.array(parents)[joints]))
        return out


def _waves(angle: Float32[np.ndarray, " lanes"], harmonics: int) -> Float32[np.ndarray, "parts lanes"]:
    """1, then cosines and sines of multiples of angles, by turns."""
    out = np.empty((2 * harmonics + 1, len(angle)), dtype=np.float32)
    out[0] = 1.0
    c, s = np.cos(angle), np.sin(angle)
    ck, sk = c, s
    for k in range(1, harmonics + 1):
        out[2 * k - 1], out[2 * k] = ck, sk
        ck, sk = ck * c - sk * s, ck * s + sk * c
    return out


def _gaits(
    tables: CrowdTables, lanes: Lanes, weights: Float32[np.ndarray, "3 lanes"]
) -> Float32[np.ndarray, "numbers lanes"]:
    """The gaits of blends, linear in the cells of their triangles' lattices."""
    parts, triangle = tables.parts, lanes.words[TRIANGLE]
    b = weights[2] * np.float32(parts)
    a = np.maximum((weights[1] + weights[2]) * np.float32(parts), b)
    i = np.minimum(a.astype(np.int32), parts - 1)
    j = np.minimum(b.astype(np.int32), i)
    a, b = np.minimum(a - i.astype(np.float32), 1.0), np.minimum(b - j.astype(np.float32), 1.0)
    upper = (a >= b) | (i == j)
    base = i * (i + 1) // 2 + j
    last = (i + 1) * (i + 2) // 2 + j + 1
    middle = np.where(upper, last - 1, base + 1)
    small, large = np.where(upper, np.minimum(a, b), a), np.where(upper, a, b)
    table = tables.gaits
    row = (1.0 - large)[:, None] * table[triangle, base]
    row += (large - small)[:, None] * table[triangle, middle]
    row += small[:, None] * table[triangle, last]
    return np.ascontiguousarray(row.T)
