"""Rotations as unit quaternions ``(w, x, y, z)``, batched over any leading axes.

Column vectors are meant throughout: ``multiply(a, b)`` turns by ``b`` first, then by ``a``.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

Quaternions = Float[np.ndarray, "*batch 4"]
Vectors = Float[np.ndarray, "*batch 3"]

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])  # wxyz
IDENTITY.flags.writeable = False
_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])  # signs of w, x, y, z


def multiply(a: Float[np.ndarray, "*#batch 4"], b: Float[np.ndarray, "*#batch 4"]) -> Float[np.ndarray, "*out 4"]:
    """The rotation ``b`` followed by ``a``; leading axes broadcast."""
    (aw, ax, ay, az), (bw, bx, by, bz) = ([q[..., i] for i in range(4)] for q in (a, b))
    out = np.empty((*np.broadcast_shapes(a.shape, b.shape)[:-1], 4), dtype=np.result_type(a, b))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def conjugate(q: Quaternions) -> Quaternions:
    """The opposite rotation of a unit quaternion."""
    return np.asarray(q * _CONJUGATE)


def seen_from(a: Float[np.ndarray, "*#batch 4"], b: Float[np.ndarray, "*#batch 4"]) -> Float[np.ndarray, "*out 4"]:
    """The rotation ``b`` in the frame of ``a``: ``b`` followed by the opposite of ``a``."""
    return multiply(conjugate(a), b)


def normalise(q: Quaternions) -> Quaternions:
    """Unit quaternions in the same direction; one of zero length becomes the identity."""
    norms = np.sqrt(np.einsum("...i,...i->...", q, q))[..., None]
    return np.where(norms > 0.0, q / np.where(norms > 0.0, norms, 1.0), IDENTITY)


def rotate(q: Float[np.ndarray, "*#batch 4"], v: Float[np.ndarray, "*#batch 3"]) -> Float[np.ndarray, "*out 3"]:
    """Vectors turned by unit quaternions; leading axes broadcast."""
    w, xyz = q[..., :1], q[..., 1:]
    twice = 2.0 * np.cross(xyz, v)
    return np.asarray(v + w * twice + np.cross(xyz, twice))


def exp(half: Vectors) -> Quaternions:
    """The rotation of ``2 |v|`` radians about ``v``."""
    angles = np.sqrt(np.einsum("...i,...i->...", half, half))[..., None]
    return np.concatenate([np.cos(angles), half * np.sinc(angles / np.pi)], axis=-1)


def log(q: Quaternions) -> Vectors:
    """The vector whose ``exp`` is ``q``: half the angle, 0 to π, along the axis.

    ``q`` and ``−q`` have different logarithms; ask for ``log(shortest(q))`` where only the rotation matters. The
    logarithm of −1, a full turn about any axis, is taken along x.
    """
    xyz = q[..., 1:]
    sines = np.sqrt(np.einsum("...i,...i->...", xyz, xyz))[..., None]
    angles = np.arctan2(sines, q[..., :1])
    small = sines < 1e-12
    out = xyz * np.where(small, 1.0, angles / np.where(small, 1.0, sines))
    full_turn = (small & (q[..., :1] < 0.0))[..., 0]
    out[full_turn] = [np.pi, 0.0, 0.0]
    return np.asarray(out)


def shortest(q: Quaternions) -> Quaternions:
    """The one of ``q`` and ``−q`` with ``w ≥ 0``, which turns by at most half a turn."""
    return np.where(q[..., :1] < 0.0, -q, q)


def from_rotvec(rotvec: Vectors) -> Quaternions:
    """Rotations by ``|v|`` radians about ``v``."""
    return exp(0.5 * rotvec)


def to_rotvec(q: Quaternions) -> Vectors:
    """Axis times angle, by the shorter way round (at most π)."""
    return 2.0 * log(shortest(q))


def angle_between(a: Float[np.ndarray, "*#batch 4"], b: Float[np.ndarray, "*#batch 4"]) -> Float[np.ndarray, "*out"]:
    """The angle of the rotation from ``a`` to ``b``, radians, 0 to π; exact for tiny angles too."""
    apart = seen_from(a, b)
    sines = np.sqrt(np.einsum("...i,...i->...", apart[..., 1:], apart[..., 1:]))
    return np.asarray(2.0 * np.arctan2(sines, np.abs(apart[..., 0])))


def slerp(a: Quaternions, b: Quaternions, t: Float[np.ndarray, "*#batch"] | float) -> Quaternions:
    """Turn from ``a`` to ``b`` by the shorter way at constant speed; ``t`` outside 0 … 1 turns on beyond.

    Exactly ``a`` at ``t = 0``; at ``t = 1`` exactly ``b`` or ``−b``, whichever is nearer to ``a``.
    """
    cosines = np.einsum("...i,...i->...", a, b)[..., None]
    near = np.where(cosines < 0.0, -b, b)
    apart = 2.0 * np.arctan2(np.linalg.norm(near - a, axis=-1), np.linalg.norm(near + a, axis=-1))[..., None]
    share = np.asarray(t, dtype=float)[..., None]
    sines = np.sin(apart)
    close = sines < 1e-9  # a straight line and the arc are the same to double precision there
    safe = np.where(close, 1.0, sines)
    from_a = np.where(close, 1.0 - share, np.sin((1.0 - share) * apart) / safe)
    from_b = np.where(close, share, np.sin(share * apart) / safe)
    turned = normalise(from_a * a + from_b * near)
    return np.where(share == 0.0, a, np.where(share == 1.0, near, turned))


def mean(q: Float[np.ndarray, "*batch count 4"], weights: Float[np.ndarray, " count"] | None = None) -> Quaternions:
    """The rotation nearest to several, by least squares; signs and order of what is given do not matter.

    It is the eigenvector of ``Σ q qᵀ`` with the largest eigenvalue. Where no rotation is nearest, as between two that
    are half a turn apart, it is one of those that are.
    """
    shares = np.ones(q.shape[-2]) if weights is None else weights
    _, axes = np.linalg.eigh(np.einsum("n,...ni,...nj->...ij", shares, q, q))
    axis = axes[..., -1]
    like_first = np.einsum("...i,...i->...", axis, q[..., 0, :])[..., None] < 0.0
    return np.where(like_first, -axis, axis)


def unroll(q: Float[np.ndarray, "frames *batch 4"]) -> Float[np.ndarray, "frames *batch 4"]:
    """The same rotations with signs chosen so that each frame is near the one before; the first keeps its sign."""
    if len(q) < 2:
        return q.copy()
    flips = np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0
    out = q.copy()
    # The sign of a frame is the parity of the flips up to it; flips are rare, so most rows need no work.
    negative = np.logical_xor.accumulate(flips, axis=0)
    np.negative(out[1:], out=out[1:], where=negative[..., None])
    return out


def from_matrix(matrices: Float[np.ndarray, "*batch 3 3"]) -> Quaternions:
    """Unit quaternions, ``w ≥ 0``, of proper rotation matrices."""
    m = matrices
    diagonal = np.stack([m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]], axis=-1)
    trace = diagonal.sum(axis=-1)
    # Four times the outer product q qᵀ; its longest column gives q without dividing by anything small.
    k = np.empty((*m.shape[:-2], 4, 4))
    k[..., 0, 0] = 1.0 + trace
    for i in range(3):
        k[..., i + 1, i + 1] = 1.0 + 2.0 * diagonal[..., i] - trace
        j, h = (i + 1) % 3, (i + 2) % 3
        k[..., 0, i + 1] = k[..., i + 1, 0] = m[..., h, j] - m[..., j, h]
        k[..., i + 1, j + 1] = k[..., j + 1, i + 1] = m[..., j, i] + m[..., i, j]
    longest = np.argmax(np.einsum("...ii->...i", k), axis=-1)
    return shortest(normalise(np.take_along_axis(k, longest[..., None, None], axis=-1)[..., 0]))


def to_matrix(q: Quaternions) -> Float[np.ndarray, "*batch 3 3"]:
    """Rotation matrices of unit quaternions, for column vectors."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    out = np.empty((*q.shape[:-1], 3, 3))
    out[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[..., 0, 1] = 2.0 * (x * y - w * z)
    out[..., 0, 2] = 2.0 * (x * z + w * y)
    out[..., 1, 0] = 2.0 * (x * y + w * z)
    out[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[..., 1, 2] = 2.0 * (y * z - w * x)
    out[..., 2, 0] = 2.0 * (x * z - w * y)
    out[..., 2, 1] = 2.0 * (y * z + w * x)
    out[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return out


def between(u: Float[np.ndarray, "*#batch 3"], v: Float[np.ndarray, "*#batch 3"]) -> Float[np.ndarray, "*out 4"]:
    """The smallest rotation that brings the direction of ``u`` to that of ``v``.

    Opposite directions turn about an axis square to ``u``; a zero vector gives the identity.
    """
    u, v = np.broadcast_arrays(u, v)
    lengths = np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1)
    opposite = lengths + np.einsum("...i,...i->...", u, v) < 1e-12 * lengths
    start = np.where(opposite[..., None], -u, u)
    out = np.empty((*u.shape[:-1], 4))
    out[..., 0] = lengths + np.einsum("...i,...i->...", start, v)
    out[..., 1:] = np.cross(start, v)
    out = normalise(out)
    if not opposite.any():
        return out
    # Near opposites have no clear axis of their own: half a turn about a square one, then the little that is left.
    half_turn = np.zeros_like(out)
    half_turn[..., 1:] = np.cross(u, np.eye(3)[np.argmin(np.abs(u), axis=-1)])
    return np.where(opposite[..., None], multiply(out, normalise(half_turn)), out)


def about_y(yaw: Float[np.ndarray, "*batch"] | float) -> Quaternions:
    """Rotations by ``yaw`` about the vertical; positive turns left."""
    half = 0.5 * np.asarray(yaw, dtype=float)
    out = np.zeros((*half.shape, 4))
    out[..., 0] = np.cos(half)
    out[..., 2] = np.sin(half)
    return out


def yaw(q: Quaternions) -> Float[np.ndarray, "*batch"]:
    """The heading of a rotation: the first angle of its YXZ decomposition, where its z axis points on the ground.

    ``q = about_y(yaw(q)) · rest`` with a rest that only tilts. Where the z axis points straight up or down there is no
    heading in it; the answer is then the one that leaves no roll (Z) angle.
    """
    w, x, y, z = np.moveaxis(q, -1, 0)
    east, north = 2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y)
    steep = np.hypot(east, north) < 1e-9
    plain = np.arctan2(east, north)
    if not np.any(steep):
        return np.asarray(plain)
    # R = Ry Rx with Rx = ±90°: the x axis of R is (cos y, 0, −sin y).
    return np.asarray(np.where(steep, np.arctan2(-2.0 * (x * z - w * y), 1.0 - 2.0 * (y * y + z * z)), plain))


# Component planes, for a few hundred rotations at every step of a player: ``multiply`` and ``rotate`` take dozens of
# calls of numpy, which cost more than their sums. Here one product of matrices makes a whole product of quaternions, or
# the sum of many vectors that many quaternions turn.


def compose(
    a: Float[np.ndarray, "4 joints poses"],
    b: Float[np.ndarray, "4 joints poses"],
    out: Float[np.ndarray, "4 joints poses"],
) -> None:
    """Put the rotations ``b`` followed by ``a`` into ``out``.

    Examples
    --------
    >>> half_a_turn = np.array([0.0, 0.0, 1.0, 0.0])[:, None, None]
    >>> both = np.empty((4, 1, 1))
    >>> compose(half_a_turn, half_a_turn, both)
    >>> both.ravel().tolist()
    [-1.0, 0.0, 0.0, 0.0]
    """
    np.dot(_COMPOSING, (a[:, None] * b).reshape(16, -1), out=out.reshape(4, -1))


def turned_on(q: Float[np.ndarray, "joints 4"], half: Float[np.ndarray, "joints 3"]) -> Float[np.ndarray, "joints 4"]:
    """The rotations of one pose, each followed in its own frame by a rotation of twice ``half``.

    The same as ``multiply(q, exp(half))``, in less than half the time.
    """
    sizes = np.sqrt(np.vecdot(half, half))
    by = np.empty(q.shape)
    np.cos(sizes, out=by[:, 0])
    scales = np.divide(np.sin(sizes), sizes, out=np.ones(len(sizes)), where=sizes > 0.0)
    np.multiply(half, scales[:, None], out=by[:, 1:])
    return np.asarray((q[:, :, None] * by[:, None]).reshape(-1, 16).dot(_COMPOSING.T))


def squares(q: Float[np.ndarray, "levels 4 joints poses"], out: Float[np.ndarray, "levels 10 joints poses"]) -> None:
    """Write the products of quaternions' components with each other, of which matrices are sums, into ``out``."""
    np.multiply(q.take(_FIRST, axis=1), q.take(_SECOND, axis=1), out=out)


def turning(vector: Float[np.ndarray, 3]) -> Float[np.ndarray, "3 10"]:
    """The matrix that makes a vector rotated by a unit quaternion of that quaternion's ``squares``.

    Examples
    --------
    >>> quarter_left = np.array([0.5, 0.0, 0.5, 0.0])[None, :, None, None] ** 0.5
    >>> parts = np.empty((1, 10, 1, 1))
    >>> squares(quarter_left, out=parts)
    >>> (turning(np.array([0.0, 0.0, 2.0])) @ parts.ravel()).round(6).tolist()
    [2.0, 0.0, 0.0]
    """
    return np.asarray(np.einsum("ijp,j->ip", _TURNING, vector))


def _turning() -> Float[np.ndarray, "3 3 10"]:
    """How the squares of a unit quaternion add up to its matrix."""
    matrix = np.zeros((4, 4, 3, 3))
    matrix[0, 0] = np.eye(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        matrix[i + 1, i + 1] = np.diag([1.0 if axis == i else -1.0 for axis in range(3)])
        matrix[i + 1, j + 1, i, j] = matrix[i + 1, j + 1, j, i] = 2.0
        matrix[0, i + 1, k, j], matrix[0, i + 1, j, k] = 2.0, -2.0
    both = matrix + matrix.transpose(1, 0, 2, 3) * (1.0 - np.eye(4))[..., None, None]  # x·y and y·x are one product
    return np.ascontiguousarray(both[_FIRST, _SECOND].transpose(1, 2, 0))


_FIRST, _SECOND = np.triu_indices(4)  # the ten products of two components
_TURNING = _turning()
# How products of the components of two quaternions add up to the components of their product.
_COMPOSING = np.ascontiguousarray(multiply(np.eye(4)[:, None], np.eye(4)[None]).reshape(16, 4).T)
