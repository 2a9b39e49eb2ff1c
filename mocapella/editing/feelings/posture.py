"""Posture of a feeling: how trunk, head and the arm that does not act are held, as turns that fit any skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.roles import find_roles

HELD = ("trunk", "head", "other shoulder", "other elbow")
"""Parts that have a posture; the acting arm has its ways instead."""

_CARRIED_BY = (None, 0, 0, 2)  # the part before it in the chain: its turn is no part of the posture
_MIRRORED = np.array([1.0, -1.0, -1.0])  # a rotation vector on the other side of the body

Posture = Float[np.ndarray, "held 3"]  # rotation vectors, radians: forward, to the left, to the right side


def posture_between(
    neutral: Clip,
    emotional: Clip,
    frames: tuple[Int[np.ndarray, " samples"], Int[np.ndarray, " samples"]],
    shares: Float[np.ndarray, " samples"],
    end: str,
) -> Posture:
    """How differently parts are held in corresponding frames of two performances.

    ``shares`` say how much of the feeling each sample shows; ``end`` is the role of the leading end. Turns are about
    axes that turn with the heading (+x left, +y up, +z ahead), as if the right hand acted.
    """
    chains = _chains(neutral.skeleton, end)
    turns: list[Float[np.ndarray, "samples 4"]] = []
    out = np.zeros((len(HELD), 3))
    still = np.tile(quaternions.IDENTITY, (len(shares), 1))
    for i, chain in enumerate(chains):
        if not chain:
            turns.append(still)
            continue
        calm, felt = (_seen(clip, chain[-1])[rows] for clip, rows in zip((neutral, emotional), frames, strict=True))
        turns.append(quaternions.multiply(felt, quaternions.conjugate(calm)))
        below = _CARRIED_BY[i]
        own = turns[i] if below is None else quaternions.seen_from(turns[below], turns[i])
        vectors = quaternions.to_rotvec(quaternions.shortest(own))
        out[i] = shares @ vectors / max(float(shares @ shares), 1e-9)
    return out * _MIRRORED if end.startswith("left") else out


def with_posture(clip: Clip, posture: Posture, shares: Float[np.ndarray, " frames"], end: str) -> Clip:
    """The clip with parts held otherwise, by a share for each frame; hips and legs stay as they are."""
    if not posture.any():
        return clip
    rotations = np.array(clip.rotations_wxyz)
    axes = quaternions.about_y(clip.headings)
    sided = posture * _MIRRORED if end.startswith("left") else posture
    for chain, turn in zip(_chains(clip.skeleton, end), sided, strict=True):
        for joint in chain:
            carrier = clip.world[1][:, int(clip.skeleton.parents[joint])]
            vectors = shares[:, None] * quaternions.rotate(axes, turn / len(chain))
            local = quaternions.rotate(quaternions.conjugate(carrier), vectors)
            rotations[:, joint] = quaternions.multiply(quaternions.from_rotvec(local), rotations[:, joint])
    return replace(clip, rotations_wxyz=rotations)


def _seen(clip: Clip, joint: int) -> Float[np.ndarray, "frames 4"]:
    """How a joint is turned, in axes that turn with the heading."""
    return np.asarray(quaternions.multiply(quaternions.about_y(-clip.headings), clip.world[1][:, joint]))


def _chains(skeleton: Skeleton, end: str) -> list[Sequence[int]]:
    """The joints that share the turn of each part, from the hips outwards; none where the skeleton has not the part."""
    roles = find_roles(skeleton)
    top = next((roles[role] for role in ("chest", "spine") if role in roles), 0)
    other = "right" if end.startswith("left") else "left"
    single = [[roles[role]] if (role := f"{other}_{part}") in roles else [] for part in ("shoulder", "elbow")]
    return [skeleton.path(top)[-2::-1], [roles[role] for role in ("neck", "head") if role in roles], *single]
