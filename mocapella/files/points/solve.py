"""Rotations of a skeleton that bring its joints to given positions, frame by frame.

Joints with several children take the rotation that fits them best; others swing the shortest way, and hips and
shoulders turn about the limb so that knee and elbow bend as hinges do. Since bones keep their lengths and positions do
not, what is left over is then spread by least squares over all rotations and the root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.skeleton import Skeleton

Positions = Float[np.ndarray, "frames joints 3"]
Rotations = Float[np.ndarray, "frames joints 4"]
_Roots = Float[np.ndarray, "frames 3"]
_Weights = Float[np.ndarray, "frames joints"]
_Matrices = Float[np.ndarray, "*batch 3 3"]

_TINY = 1e-9  # in any unit: lengths below it have no direction


class _SolverSettings(NamedTuple):
    """How rotations are fitted to positions."""

    flat: float = 1e-3  # of the largest singular value: children on one line say nothing about turning round it
    back_weight: float = 0.3  # weight of the direction to the parent where children lie on one line
    # Sine of the bend from which a hinge counts, and of that from which it counts fully.
    bent: tuple[float, float] = (np.sin(np.radians(8.0)), np.sin(np.radians(25.0)))
    rounds: int = 12  # steps at most; most blocks need fewer
    damping: float = 1e-4  # of the mean square of levers: keeps turns that nothing measures as they are
    damping_factors: tuple[float, float] = (0.1, 10.0)  # of damping after a step that helped, or did not
    done: float = 1e-9  # of the square of the body's size: what is left over where no further step is taken
    block: int = 256  # frames solved together


_SOLVER = _SolverSettings()

# Upper joint of a limb → the next joint, its end, and the axis about which it bends where the body stands in a T-pose.
_HINGES: Mapping[str, tuple[str, str, tuple[float, float, float]]] = {
    "left_hip": ("left_knee", "left_ankle", (1.0, 0.0, 0.0)),
    "right_hip": ("right_knee", "right_ankle", (1.0, 0.0, 0.0)),
    "left_shoulder": ("left_elbow", "left_wrist", (0.0, -1.0, 0.0)),
    "right_shoulder": ("right_elbow", "right_wrist", (0.0, 1.0, 0.0)),
}


def best_rotation(
    rest: Float[np.ndarray, "points 3"],
    seen: Float[np.ndarray, "frames points 3"],
    weights: Float[np.ndarray, " points"],
) -> _Matrices:
    """The rotation in each frame that brings vectors at rest nearest to those seen, by least squares.

    Where vectors lie on one line, it is any of those that fit.
    """
    spread = np.einsum("p,pi,tpj->tij", weights, rest, seen)
    u, _, vt = np.linalg.svd(spread)
    v = np.swapaxes(vt, -1, -2)
    sign = np.sign(np.linalg.det(v @ np.swapaxes(u, -1, -2)))
    v[..., 2] *= np.where(sign == 0.0, 1.0, sign)[:, None]
    return np.asarray(v @ np.swapaxes(u, -1, -2))


def _lies_on_a_line(vectors: Float[np.ndarray, "points 3"]) -> bool:
    """Whether vectors from one point tell a direction only, not how things are turned about it."""
    sizes = np.linalg.svd(vectors, compute_uv=False)
    return len(sizes) < 2 or bool(sizes[1] <= _SOLVER.flat * max(float(sizes[0]), _TINY))


def first_rotations(
    skeleton: Skeleton, positions: Positions, known: Sequence[bool], roles: Mapping[str, int]
) -> Rotations:
    """World rotations by directions alone, from the root outwards; ``roles`` are those of known joints."""
    n = len(positions)
    world = np.tile(np.eye(3), (n, skeleton.n_joints, 1, 1))
    hinged = {roles[role]: role for role in _HINGES if role in roles}
    for joint in range(skeleton.n_joints):
        above = int(skeleton.parents[joint])
        before = world[:, above] if above >= 0 else np.tile(np.eye(3), (n, 1, 1))
        children = [int(child) for child in skeleton.children(joint) if known[child]] if known[joint] else []
        rest = skeleton.offsets[children]
        seen = positions[:, children] - positions[:, [joint]]
        weights = _weights_of_directions(rest)
        if not weights.any():
            world[:, joint] = before
        elif len(children) > 1 and not _lies_on_a_line(rest):
            world[:, joint] = best_rotation(rest, seen, weights)
        elif len(children) > 1 and above >= 0 and known[above]:
            back = -skeleton.offsets[joint]
            lengths = np.append(weights, _SOLVER.back_weight / max(float(np.linalg.norm(back)), _TINY))
            behind = positions[:, [above]] - positions[:, [joint]]
            world[:, joint] = best_rotation(np.vstack([rest, back]), np.concatenate([seen, behind], axis=1), lengths)
        else:
            longest = int(np.argmax(np.linalg.norm(rest, axis=1)))
            world[:, joint] = _swung(before, rest[longest], seen[:, longest])
            if joint in hinged:
                world[:, joint] = _hinged(world[:, joint], hinged[joint], rest[longest], positions, roles)
    return quaternions.from_matrix(world)


def _weights_of_directions(vectors: Float[np.ndarray, "points 3"]) -> Float[np.ndarray, " points"]:
    """Weights by which short bones count as long ones; 0 where one has no length."""
    sizes = np.linalg.norm(vectors, axis=1)
    return np.where(sizes > _TINY, 1.0 / np.maximum(sizes, _TINY), 0.0)


def _swung(before: _Matrices, rest: Float[np.ndarray, 3], seen: Float[np.ndarray, "frames 3"]) -> _Matrices:
    """The rotation nearest to that of the parent which brings a bone to its direction."""
    carried = before @ rest
    turn = quaternions.between(carried, np.where(np.linalg.norm(seen, axis=1, keepdims=True) > _TINY, seen, carried))
    return np.asarray(quaternions.to_matrix(turn) @ before)


def _hinged(
    swung: _Matrices, role: str, rest: Float[np.ndarray, 3], positions: Positions, roles: Mapping[str, int]
) -> _Matrices:
    """The rotation of an upper limb, turned about it so that the lower one bends about its hinge."""
    middle, end, axis = _HINGES[role]
    if middle not in roles or end not in roles:
        return swung
    top, knee, ankle = (positions[:, roles[part]] for part in (role, middle, end))
    upper, lower = _unit(knee - top), _unit(ankle - knee)
    bend = np.cross(upper, lower)
    least, full = _SOLVER.bent
    share = np.clip((np.linalg.norm(bend, axis=1) - least) / (full - least), 0.0, 1.0)[:, None]
    along = _unit(rest[None])[0]
    still = _unit(np.array(axis)[None] - (np.array(axis) @ along) * along[None])[0]
    carried = swung @ still
    # A limb that bends the other way is hyperextended, or noise: it turns nothing.
    share = np.where(np.einsum("ti,ti->t", bend, carried)[:, None] > 0.0, share, 0.0)
    mixed = share * _unit(bend) + (1.0 - share) * carried
    mixed = _unit(mixed - np.einsum("ti,ti->t", mixed, upper)[:, None] * upper)
    at_rest = np.stack([along, still, np.cross(along, still)], axis=1)
    seen = np.stack([upper, mixed, np.cross(upper, mixed)], axis=2)
    good = (np.linalg.norm(mixed, axis=1) > 0.5) & (np.linalg.norm(upper, axis=1) > 0.5)
    return np.asarray(np.where(good[:, None, None], seen @ at_rest.T, swung))


def _unit(vectors: Float[np.ndarray, "frames 3"]) -> Float[np.ndarray, "frames 3"]:
    sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(sizes, _TINY))


def refined(
    skeleton: Skeleton, roots: _Roots, rotations_wxyz: Rotations, positions: Positions, weights: _Weights
) -> tuple[_Roots, Rotations]:
    """The same pose in each frame, moved so that the joints are nearest to where they were measured.

    ``roots`` and ``rotations_wxyz`` are places of the root and local rotations to begin with, and are returned so.
    ``weights`` are 0 where nothing was measured. Turns that no position tells anything about stay as they are.
    """
    out_roots, out = np.array(roots), np.array(rotations_wxyz)
    movers = np.unique(skeleton.parents[1:])
    below = np.zeros((len(movers), skeleton.n_joints))
    for joint in range(skeleton.n_joints):
        below[:, joint] = np.isin(movers, skeleton.path(joint)[1:])
    size = float(np.square(skeleton.offsets[1:]).sum())
    for start in range(0, len(roots), _SOLVER.block):
        rows = np.arange(start, min(start + _SOLVER.block, len(roots)))
        damping = np.full(len(rows), _SOLVER.damping)
        left = _left(skeleton, out_roots[rows], out[rows], positions[rows], weights[rows])
        for _ in range(_SOLVER.rounds):
            open_ = np.flatnonzero((left > _SOLVER.done * size) & (damping < 1e3))
            if not len(open_):
                break
            at = rows[open_]
            moved, turned = _stepped(
                skeleton, out_roots[at], out[at], positions[at], weights[at], movers, below, damping[open_]
            )
            after = _left(skeleton, moved, turned, positions[at], weights[at])
            helped = after < left[open_]
            out_roots[at[helped]], out[at[helped]] = moved[helped], turned[helped]
            gained = helped & (after > (1.0 - 1e-3) * left[open_])
            left[open_[helped]] = after[helped]
            damping[open_] *= np.where(helped, _SOLVER.damping_factors[0], _SOLVER.damping_factors[1])
            damping[open_[gained]] = np.inf  # hardly better: as good as it gets
    return out_roots, quaternions.normalise(out)


def _left(
    skeleton: Skeleton, roots: _Roots, rotations: Rotations, positions: Positions, weights: _Weights
) -> Float[np.ndarray, " frames"]:
    """The weighted sum of squares that least squares make small."""
    places = kinematics.forward(skeleton, roots, rotations)[0]
    return np.asarray(np.einsum("tj,tjx->t", weights, (positions - places) ** 2))


def _stepped(
    skeleton: Skeleton,
    roots: _Roots,
    rotations: Rotations,
    positions: Positions,
    weights: _Weights,
    movers: Int[np.ndarray, " movers"],
    below: Float[np.ndarray, "movers joints"],
    damping: Float[np.ndarray, " frames"],
) -> tuple[_Roots, Rotations]:
    """One step of least squares: small turns of all joints about axes of the room, and a shift of the root."""
    places, world = kinematics.forward(skeleton, roots, rotations)
    n, count = len(roots), len(movers)
    levers = (places[:, None] - places[:, movers, None]) * below[None, :, :, None]  # (frames, movers, joints, 3)
    x, y, z = np.moveaxis(levers, -1, 0)
    zero = np.zeros_like(x)
    # A turn by w moves a joint at lever r by w × r: the matrix of −[r]×.
    turns = np.stack([np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -1)
    moves = np.empty((n, skeleton.n_joints, 3, 3 * count + 3))
    moves[..., : 3 * count] = -turns.transpose(0, 2, 4, 1, 3).reshape(n, skeleton.n_joints, 3, 3 * count)
    moves[..., 3 * count :] = np.eye(3)
    roots_of_weights = np.sqrt(weights)[:, :, None]
    jacobian = (moves * roots_of_weights[..., None]).reshape(n, -1, 3 * count + 3)
    missing = ((positions - places) * roots_of_weights).reshape(n, -1, 1)
    normal = np.swapaxes(jacobian, 1, 2) @ jacobian
    scale = np.trace(normal, axis1=1, axis2=2) / (3 * count + 3)
    normal += (damping * scale + _TINY)[:, None, None] * np.eye(3 * count + 3)
    step = np.linalg.solve(normal, np.swapaxes(jacobian, 1, 2) @ missing)[..., 0]
    turn = quaternions.from_rotvec(step[:, : 3 * count].reshape(n, count, 3))
    above = skeleton.parents[movers]
    parents = np.where((above < 0)[None, :, None], quaternions.IDENTITY, world[:, above])
    local = quaternions.multiply(quaternions.conjugate(parents), quaternions.multiply(turn, parents))
    out = np.array(rotations)
    out[:, movers] = quaternions.normalise(quaternions.multiply(local, rotations[:, movers]))
    return roots + step[:, 3 * count :], out
