"""Constraint projection: forces that move joints, without what would move points that are held.

Forces ``g`` on joint angles would change these by ``K g``, where ``K`` says how easily each gives way. Held points add
the forces ``J_cᵀ λ`` that keep them in place: ``J_c K J_cᵀ λ = −J_c K g`` makes the change ``K (g + J_cᵀ λ)`` one that
the held points do not feel. An error of these points on the right side is taken away by the same step.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

_TINY = 1e-12  # of the largest diagonal term: keeps rows that depend on each other solvable


def project(
    held: Float[np.ndarray, "*batch rows dofs"],
    forces: Float[np.ndarray, "*batch dofs"],
    compliance: Float[np.ndarray, "*#batch dofs"],
    errors: Float[np.ndarray, "*batch rows"] | None = None,
    *,
    damping: Float[np.ndarray, "*#batch rows"] | float = 0.0,
) -> tuple[Float[np.ndarray, "*batch dofs"], Float[np.ndarray, "*batch rows"]]:
    """Change of joint angles under forces, such that held points move by given errors only.

    ``held`` is ``J_c``: how the held points move with each angle, metres per radian. ``forces`` are ``g``: on each
    angle. ``compliance`` is the diagonal of ``K``, 0 for angles that do not change. Each row of the held points should
    move by its entry in ``errors``, metres; 0 if None. Rows may fall short by ``damping`` metres, one number or one
    each, where they would need large changes. Returns the change ``K (g + J_cᵀ λ)``, radians, and ``λ``. Of all changes
    that meet the errors it is the nearest to ``K g``, measured by the inverse of ``K``.
    """
    eased = held * compliance[..., None, :]  # J K
    square = eased @ np.swapaxes(held, -1, -2)
    size = np.einsum("...ii->...i", square).max(axis=-1, initial=0.0)
    square = square + (np.square(damping) + (_TINY * size + _TINY**2)[..., None])[..., None] * np.eye(held.shape[-2])
    wanted = -np.einsum("...cd,...d->...c", eased, forces)
    if errors is not None:
        wanted = wanted + errors
    multipliers = np.linalg.solve(square, wanted[..., None])[..., 0]
    return compliance * (forces + np.einsum("...cd,...c->...d", held, multipliers)), multipliers
