"""Stick figures: a line for every joint, blue on the left side of the body, red on the right."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.motion.roles import find_roles
from mocapella.motion.skeleton import Skeleton
from mocapella.pictures import canvas

Links = list[tuple[int, int, str]]


def links(skeleton: Skeleton) -> Links:
    """Pairs of points to join, joints first and then end sites, with a colour for their side."""
    roles = {joint: role for role, joint in find_roles(skeleton).items()}
    found = []
    for joint in range(1, skeleton.n_joints):
        found.append((int(skeleton.parents[joint]), joint, _colour(skeleton.path(joint), roles)))
    for end, joint in enumerate(skeleton.end_joints):
        found.append((int(joint), skeleton.n_joints + end, _colour(skeleton.path(int(joint)), roles)))
    return found


def draw_figure(
    axes: Any,
    across: Float[np.ndarray, " points"],
    up: Float[np.ndarray, " points"],
    joined: Links,
    *,
    width: float = 1.6,
    transform: Any = None,
) -> None:
    """Draw one figure from its points, joints first and then end sites; into ``transform`` instead of the axes' own."""
    from matplotlib.collections import LineCollection

    ends = [[(across[i], up[i]) for i in pair] for *pair, _ in joined]
    placed = {} if transform is None else {"transform": transform}
    lines = LineCollection(ends, colors=[link[2] for link in joined], linewidths=width, capstyle="round", **placed)
    axes.add_collection(lines, autolim=transform is None)


def _colour(path: list[int], roles: dict[int, str]) -> str:
    """Blue for a joint that is, or hangs on, a left one; red for a right one."""
    for joint in path:
        role = roles.get(joint, "")
        if role.startswith("left_"):
            return canvas.LEFT
        if role.startswith("right_"):
            return canvas.RIGHT
    return canvas.MIDDLE
