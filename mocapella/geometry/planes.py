"""Quaternions of many poses at once, a plane for each component and the poses last.

``quaternions.multiply`` and ``quaternions.rotate`` take dozens of calls of numpy, which cost a player that asks for a
few hundred rotations at every step more than their sums do. Here one product of matrices makes a whole product of
quaternions, or the sum of many vectors that many quaternions turn.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions


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
    """The rotations of one pose, each turned on in its own frame by twice a vector's length about it.

    What ``quaternions.multiply(q, quaternions.exp(half))`` gives, in less than half the time.
    """
    sizes = np.sqrt(np.vecdot(half, half))
    by = np.empty(q.shape)
    np.cos(sizes, out=by[:, 0])
    scales = np.divide(np.sin(sizes), sizes, out=np.ones(len(sizes)), where=sizes > 0.0)
    np.multiply(half, scales[:, None], out=by[:, 1:])
    return np.asarray((q[:, :, None] * by[:, None]).reshape(-1, 16).dot(_COMPOSING.T))


def squares(q: Float[np.ndarray, "levels 4 joints poses"], out: Float[np.ndarray, "levels 10 joints poses"]) -> None:
    """Put into ``out`` the products of quaternions' components with each other: their rotations are sums of these."""
    np.multiply(q.take(_FIRST, axis=1), q.take(_SECOND, axis=1), out=out)


def turning(vector: Float[np.ndarray, 3]) -> Float[np.ndarray, "3 10"]:
    """What the ``squares`` of a unit quaternion are multiplied by to give a vector as it turns it.

    Examples
    --------
    >>> quarter_left = np.array([0.5, 0.0, 0.5, 0.0])[None, :, None, None] ** 0.5
    >>> parts = np.empty((1, 10, 1, 1))
    >>> squares(quarter_left, out=parts)
    >>> (turning(np.array([0.0, 0.0, 2.0])) @ parts.ravel()).round(6).tolist()
    [2.0, 0.0, 0.0]
    """
    return np.asarray(np.einsum("ijp,j->ip", _TURNING, vector))


def _composing() -> Float[np.ndarray, "4 16"]:
    """How products of the components of two quaternions add up to the components of their product."""
    units = np.eye(4)
    return np.ascontiguousarray(quaternions.multiply(units[:, None], units[None]).reshape(16, 4).T)


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


_FIRST, _SECOND = np.triu_indices(4)
_COMPOSING, _TURNING = _composing(), _turning()
