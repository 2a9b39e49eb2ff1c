"""Rotation matrices of many quaternions at once, with the longest axis last.

``quaternions.to_matrix`` takes thirty calls of numpy, which cost a player that asks for a few hundred rotations at
every step more than their sums do. Here one product makes the whole matrix and its scale.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def matrices_and_squares(
    q: Float[np.ndarray, "4 joints poses"],
) -> tuple[Float[np.ndarray, "3 3 joints poses"], Float[np.ndarray, "joints poses"]]:
    """Rotation matrices of quaternions times the squares of their lengths, and these squares.

    Examples
    --------
    >>> twice = np.array([2.0, 0.0, 0.0, 0.0])[:, None, None]
    >>> matrices, squares = matrices_and_squares(twice)
    >>> matrices[:, :, 0, 0].diagonal().tolist(), squares.tolist()
    ([4.0, 4.0, 4.0], [[4.0]])
    """
    products = q.take(_FIRST, axis=0) * q.take(_SECOND, axis=0)
    sums = _FROM_PRODUCTS.dot(products.reshape(10, -1)).reshape(10, *q.shape[1:])
    return sums[:9].reshape(3, 3, *q.shape[1:]), sums[9]


def _from_products() -> Float[np.ndarray, "10 10"]:
    """How the products of a quaternion's components add up to its matrix and to the square of its length."""
    matrix = np.zeros((4, 4, 3, 3))
    matrix[0, 0] = np.eye(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        matrix[i + 1, i + 1] = np.diag([1.0 if axis == i else -1.0 for axis in range(3)])
        matrix[i + 1, j + 1, i, j] = matrix[i + 1, j + 1, j, i] = 2.0
        matrix[0, i + 1, k, j], matrix[0, i + 1, j, k] = 2.0, -2.0
    sums = np.concatenate([matrix.reshape(4, 4, 9), np.eye(4)[..., None]], axis=-1)
    both = sums + sums.transpose(1, 0, 2) * (1.0 - np.eye(4))[..., None]  # x·y and y·x are one product
    return np.ascontiguousarray(both[_FIRST, _SECOND].T)


_FIRST, _SECOND = np.triu_indices(4)
_FROM_PRODUCTS = _from_products()
