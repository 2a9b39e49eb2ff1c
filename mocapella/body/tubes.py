"""Tubes lofted along lines of joints, and the figure that a skeleton makes: roles, size and directions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from mocapella.geometry.angles import TURN
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import SIDES

_Rings = Float[np.ndarray, "rings 3"]
_Profile = Float[np.ndarray, "corners 2"]

_X, _Y, _Z = np.eye(3)  # left, up, ahead
_N_INFLUENCES = 4  # joints that may carry one vertex; what glTF and the engines take
_STATURE_PER_LEG = 2.04  # hip joint to ankle is 49 % of a person's height


def circle(n_corners: int) -> _Profile:
    """Corners of a regular polygon on the unit circle, anticlockwise."""
    angles = TURN * np.arange(n_corners) / n_corners
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def _loft(
    centres: _Rings, across: _Rings, deep: _Rings, tips: Float[np.ndarray, "2 3"], profile: _Profile
) -> tuple[Float[np.ndarray, "vertices 3"], Int[np.ndarray, "faces 3"]]:
    """The closed surface through rings, from the first tip to the last.

    A ring is the profile spanned by its two half axes, ``centre + profile · (across, deep)``. Vertices come ring by
    ring, then the two tips; faces are triangles, anticlockwise when seen from outside.
    """
    n_rings, n_corners = len(centres), len(profile)
    spanned = np.einsum("cd,drk->rck", profile, np.stack([across, deep]))
    vertices = np.concatenate([(centres[:, None] + spanned).reshape(-1, 3), tips])
    ring = np.arange(n_corners)
    beside = (ring + 1) % n_corners
    low = n_corners * np.arange(n_rings - 1)[:, None]
    high, tip = low + n_corners, np.full(n_corners, n_rings * n_corners)
    sides = [(low + ring, low + beside, high + beside), (low + ring, high + beside, high + ring)]
    top = n_corners * (n_rings - 1)
    caps = [(tip, beside, ring), (tip + 1, top + ring, top + beside)]
    faces = np.concatenate([np.stack([np.ravel(corner) for corner in three], axis=-1) for three in (*sides, *caps)])
    return vertices, faces if volume(vertices, faces) >= 0.0 else faces[:, ::-1].copy()


def volume(vertices: Float[np.ndarray, "vertices 3"], faces: Int[np.ndarray, "faces 3"]) -> float:
    """The volume of a closed surface, negative where its faces look inwards."""
    a, b, c = np.moveaxis(vertices[faces] - vertices.mean(axis=0), 1, 0)
    return float(np.einsum("fk,fk->", a, np.cross(b, c)) / 6.0)


def smooth_normals(
    vertices: Float[np.ndarray, "vertices 3"], faces: Int[np.ndarray, "faces 3"]
) -> Float[np.ndarray, "vertices 3"]:
    """Unit normals at the vertices, each the mean of its faces' by area; straight up where they cancel out."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    twice_areas = np.cross(b - a, c - a)
    sums = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(sums, faces[:, corner], twice_areas)
    lengths = np.linalg.norm(sums, axis=-1, keepdims=True)
    flat = lengths <= 1e-12 * max(1e-300, float(lengths.max(initial=0.0)))
    return np.where(flat, [0.0, 1.0, 0.0], sums / np.where(flat, 1.0, lengths))


@dataclass(frozen=True, eq=False)
class Figure:
    """A skeleton with its roles, its size, and which way it looks at rest."""

    skeleton: Skeleton
    roles: Mapping[str, int]
    height: float  # of the whole person, metres
    left: Float[np.ndarray, 3]
    up: Float[np.ndarray, 3]
    forward: Float[np.ndarray, 3]
    soles: float  # how thick they are below the lowest points of the feet, metres

    @classmethod
    def of(cls, skeleton: Skeleton, roles: Mapping[str, int], soles: float) -> Figure:
        """Size from the legs, directions from hips, shoulders and neck; from all joints and the axes without those."""
        at = skeleton.rest_positions

        def way(start: str, end: str) -> Float[np.ndarray, 3]:
            return np.asarray(at[roles[end]] - at[roles[start]]) if {start, end} <= set(roles) else np.zeros(3)

        legs = [length_of(way(f"{s}hip", f"{s}knee")) + length_of(way(f"{s}knee", f"{s}ankle")) for s in SIDES]
        extent = np.ptp(np.concatenate([at, skeleton.rest_end_positions]), axis=0).max()
        height = _STATURE_PER_LEG * max(legs) if min(legs) > 0.0 else extent
        up = _straightened(square_to(np.zeros(3), way("hips", "neck"), way("hips", "head"), _Y))
        leftwards = way("right_hip", "left_hip") + way("right_shoulder", "left_shoulder")
        left = _straightened(square_to(up, leftwards, _X, _Z))
        return cls(skeleton, roles, float(height), left, up, np.cross(left, up), soles)

    def at(self, joint: int) -> Float[np.ndarray, 3]:
        """Where a joint rests."""
        return np.asarray(self.skeleton.rest_positions[joint])

    def chain(self, *roles: str) -> list[int]:
        """The joints from the first role down to the last, by way of the others; empty where there is no such way."""
        if not all(role in self.roles for role in roles):
            return []
        path = self.skeleton.path(self.roles[roles[-1]])[::-1]
        steps = [path.index(self.roles[role]) if self.roles[role] in path else -1 for role in roles]
        return path[steps[0] :] if steps[0] >= 0 and steps == sorted(steps) else []

    def below(self, joint: int) -> list[int]:
        """All joints that hang on ``joint``, directly or not."""
        return [other for other in range(joint + 1, self.skeleton.n_joints) if joint in self.skeleton.path(other)]

    def tip(self, joint: int) -> Float[np.ndarray, 3] | None:
        """The farthest end site of a joint, or None."""
        offsets = self.skeleton.end_offsets[self.skeleton.end_joints == joint]
        return None if len(offsets) == 0 else np.asarray(self.at(joint) + max(offsets, key=lambda v: float(v @ v)))


def square_to(axis: Float[np.ndarray, 3], *wishes: Float[np.ndarray, 3]) -> Float[np.ndarray, 3]:
    """The first wish that has a direction of its own beside ``axis``, made square to it and of length 1."""
    for wish in wishes:
        beside = wish - axis * (wish @ axis)
        if (length := length_of(beside)) > 1e-3 * length_of(wish) and length > 1e-9:
            return np.asarray(beside / length)
    raise ValueError("all wished directions lie along the axis")


def length_of(vector: Float[np.ndarray, 3]) -> float:
    """How long a vector is."""
    return float(np.linalg.norm(vector))


def _straightened(direction: Float[np.ndarray, 3]) -> Float[np.ndarray, 3]:
    """The coordinate axis a direction all but follows, or the direction: rest poses stand straight, spines lean."""
    nearest = np.round(direction)
    return nearest if np.abs(nearest).sum() == 1.0 and nearest @ direction > np.cos(np.radians(30)) else direction


@dataclass(frozen=True, eq=False)
class Part:
    """One closed surface, and what it covers, so that no plain limb is drawn there too."""

    vertices: Float[np.ndarray, "vertices 3"]
    faces: Int[np.ndarray, "faces 3"]
    joints: Int[np.ndarray, "vertices 4"]
    weights: Float[np.ndarray, "vertices 4"]
    covers: frozenset[int] = field(default=frozenset())  # joints: the way to each from its parent
    covers_ends_of: frozenset[int] = field(default=frozenset())  # joints: the way from each to its end sites


def tube(
    figure: Figure,
    line: Float[np.ndarray, "points 3"],
    rows: Float[np.ndarray, "rows 3"],
    stops: Mapping[int, float],
    *,
    softness: float,
    looks: Sequence[Float[np.ndarray, 3]] | None = None,
    profile: _Profile,
    covers: Iterable[int] = (),
) -> Part:
    """A part along a line, through rings that are rows of distance along it, half width and half depth, in metres.

    From the first joint on, each carries what lies beyond its stop, a length along the line, and takes over within
    ``softness`` to either side; a stop before the one above it counts as that. Depth is measured along the first of
    ``looks``, forward and up if None, that the line does not follow.
    """
    looks = (figure.forward, figure.up) if looks is None else looks
    at = rows[:, 0]
    chords = _along(line, at + softness) - _along(line, at - softness)
    tangents = np.stack([square_to(np.zeros(3), chord, line[-1] - line[0], _Y) for chord in chords])
    look = next((look for look in looks if np.abs(tangents @ look).max() < 0.9), looks[-1])
    deep = np.stack([square_to(tangent, look, _X, _Y, _Z) for tangent in tangents])
    across = np.cross(tangents, deep)
    centres = _along(line, at)
    inner = slice(1, -1)
    half_width, half_depth = rows[inner, 1:2] * across[inner], rows[inner, 2:] * deep[inner]
    vertices, faces = _loft(centres[inner], half_width, half_depth, centres[[0, -1]], profile)
    begun = np.clip((at[:, None] - np.maximum.accumulate([*stops.values()]) + softness) / (2.0 * softness), 0.0, 1.0)
    begun[:, 0] = 1.0  # what lies before the first joint is carried by it alone
    strongest, weights = _strongest(begun - np.pad(begun[:, 1:], ((0, 0), (0, 1))), np.array([*stops]))
    row = np.concatenate([np.repeat(np.arange(len(at))[inner], len(profile)), [0, len(at) - 1]])
    return Part(vertices, faces, strongest[row], weights[row], frozenset(covers))


def round_off(rows: Float[np.ndarray, "rows 3"]) -> Float[np.ndarray, "more 3"]:
    """The rows with half a ball added at either end: it looks the same however the joint in its middle turns."""
    (first, *near), (last, *far) = rows[0], rows[-1]
    turn = np.sqrt(0.5)
    before = [(first - np.mean(near), 0.0, 0.0), (first - turn * np.mean(near), *(turn * rows[0, 1:]))]
    after = [(last + turn * np.mean(far), *(turn * rows[-1, 1:])), (last + np.mean(far), 0.0, 0.0)]
    return np.array([*before, *rows, *after])


def extrapolate(
    at: Float[np.ndarray, " rows"], knots: Float[np.ndarray, " knots"], values: Float[np.ndarray, " knots"]
) -> Float[np.ndarray, " rows"]:
    """``np.interp``, but going on straight outside."""
    piece = np.clip(np.searchsorted(knots, at) - 1, 0, len(knots) - 2)
    return np.asarray(values[piece] + (np.diff(values) / np.diff(knots))[piece] * (at - knots[piece]))


def _strongest(
    shares: Float[np.ndarray, "rows chain"], joints: Int[np.ndarray, " chain"]
) -> tuple[Int[np.ndarray, "rows 4"], Float[np.ndarray, "rows 4"]]:
    """The largest shares of each row and their joints, scaled to sum to 1; joint 0 where a share is none."""
    order = np.argsort(-shares, axis=1, kind="stable")[:, :_N_INFLUENCES]
    weights = np.zeros((len(shares), _N_INFLUENCES))
    weights[:, : order.shape[1]] = np.take_along_axis(shares, order, axis=1)
    weights[weights < 1e-3] = 0.0
    chosen = np.zeros(weights.shape, dtype=np.int64)
    chosen[:, : order.shape[1]] = joints[order]
    return np.where(weights > 0.0, chosen, 0), weights / weights.sum(axis=1, keepdims=True)


def _along(line: Float[np.ndarray, "points 3"], at: Float[np.ndarray, " rows"]) -> Float[np.ndarray, "rows 3"]:
    """Points of a line of straight pieces by their distance along it; straight on beyond its ends."""
    arcs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=-1))])
    keep = np.concatenate([[True], np.diff(arcs) > 1e-9])
    return np.stack([extrapolate(at, arcs[keep], line[keep, axis]) for axis in range(3)], axis=-1)
