"""One step of many characters in NumPy: the engine where no native core is, and what that is checked against."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float32, Int

from mocapella.crowd import feet, legs, vectors
from mocapella.crowd import gaits as rows
from mocapella.crowd.legs import Legs, Skeletons, Target
from mocapella.crowd.noise import add_noise
from mocapella.crowd.plants import Clock, bearing, plants_of
from mocapella.crowd.points import Step, move_points
from mocapella.crowd.state import (
    AHEAD,
    LEFT,
    OWED,
    OWED_UNIT,
    PHASE,
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

# Characters at a time: more take more cache, fewer more calls of NumPy for each. No power of two: rows of such a length
# share their places in a cache.
_CHUNK = 5008
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
            poses.reshape(len(poses), -1)[some] = body.whole.reshape(-1, len(some)).T

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
        self._make_way(lanes, row, clock, feet_moved)
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
        row: Float32[np.ndarray, "numbers lanes"],
        clock: Clock,
        feet_moved: Float32[np.ndarray, "8 lanes"],
    ) -> None:
        """Move the roots so that planted feet stay where the blend changes, no faster than a body does."""
        state, words, settings = lanes.numbers, lanes.words, self.tables.settings
        share = bearing(row, self.tables.n_plants, clock, settings)
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
        state, columns, n = lanes.numbers, self.tables.columns, len(height)
        whole = np.empty((len(columns), 3, 4, n), dtype=np.float32)  # as poses are written
        local = vectors.matrix(*(pose[columns + k] for k in range(4)))
        body = Skeletons(self._offsets, local, whole)
        tilt, turns, places, c, s = local[:, :, 0], body.turns, body.places, clock.cosine, clock.sine
        turns[0, :, 0], turns[1, :, 0], turns[2, :, 0] = c * tilt[0] + s * tilt[2], tilt[1], c * tilt[2] - s * tilt[0]
        places[0, 0], places[1, 0], places[2, 0] = state[X], height, state[Z]
        for joints, parents in self._levels:
            body.turn(joints, parents)
            body.hang(joints, parents)
        return body

    def _hold_feet(
        self, lanes: Lanes, row: Float32[np.ndarray, "numbers lanes"], clock: Clock, body: Skeletons
    ) -> None:
        settings, both = self.tables.settings, self._legs
        heel, toe = legs.foot_ends(body, both)
        plants = plants_of(row, self.tables.n_plants, clock, feet.marks_of(lanes) != 0, settings)
        if clock.dt > settings.long_step:  # a point may stand again in the same plant a round later
            beyond = np.float32(clock.dt - settings.long_step) * clock.rate
            feet.forget_places(lanes, (plants.since < beyond) & ~plants.full)
        over_heel, over_toe = heel[1] - both.heel_height, toe[1] - both.toe_height
        stands, turned = feet.sole_of(plants, over_heel - over_toe, settings)
        rise = both.heel_height - both.toe_height
        apart = np.sqrt(np.maximum(np.square(both.flat_length) + np.square(rise) - np.square(rise + stands), 0.0))
        heels, toes = (
            feet.hold_ends(lanes, end, plants, clock, at[::2], apart, settings) for end, at in enumerate((heel, toe))
        )
        sink = feet.sink_of(plants, np.minimum(over_heel, over_toe), clock.rate, settings)
        one, firm = np.float32(1.0), np.float32(FIRM)
        flat = Target(heels.shift, toes.shift, one, one, sink, turned)
        down = np.where(heels.inside & toes.inside, legs.still_down(body, both, heel, toe, flat), one)
        heels = heels._replace(shift=down * heels.shift, hold=down * heels.hold)
        heel_far, toe_far = vectors.length(heels.shift), vectors.length(toes.shift)
        part = feet.slack(np.maximum(heel_far, toe_far), settings)
        heel_hold, toe_hold = (
            part * np.where(own.inside, own.hold, np.minimum(own.hold, firm)) for own in (heels, toes)
        )
        target = Target(part * heels.shift, part * toes.shift, heel_hold, toe_hold, sink, part * turned)
        lifted = legs.bend(body, both, heel, toe, target)
        holds, inside, fast = (
            np.stack([getattr(heels, name), getattr(toes, name)], axis=1) for name in ("hold", "inside", "firm")
        )
        rolling = ~(inside & ~plants.rolls_off).any(axis=1)
        is_down = feet.note_standing(lanes, heels.inside | toes.inside, rolling, lifted, settings)
        feet.note_holds(lanes, holds)
        strain = np.maximum(heels.inside * heel_far, toes.inside * toe_far).max(axis=0)
        feet.note_step(lanes, strain, fast & is_down[:, None] & (holds > firm), settings)

    @cached_property
    def _legs(self) -> Legs:
        return Legs(self.tables.skeleton, self.tables.legs)

    @cached_property
    def _offsets(self) -> Float32[np.ndarray, "3 joints 1"]:
        return np.ascontiguousarray(self.tables.skeleton.offsets.T[..., None], dtype=np.float32)

    @cached_property
    def _levels(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Joints by how many they hang on, and their parents; those that hang on legs are placed with these."""
        joints = set(range(1, self.tables.n_joints)) - self._legs.loose
        return legs.levels_of(self.tables.skeleton, sorted(joints))


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
