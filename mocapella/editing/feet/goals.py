"""Goals: where the end of a limb should be while it is held, and how foot or hand should be turned there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from mocapella.editing.feet.constraints import Hold, Limb
from mocapella.geometry import quaternions
from mocapella.geometry.curves import smoothstep
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import intervals_of

STRAIGHTEST = 0.9995  # of a leg's length: how far it may reach

Track = Float[np.ndarray, "frames 3"]
Mask = Bool[np.ndarray, " frames"]


class _GoalSettings(NamedTuple):
    """How feet come free after a rest, and legs stop stretching."""

    roll_sets_in: float = 0.08  # seconds after its other point has left the ground in which a foot comes free to roll
    brakes: float = 0.5  # of the zone in which a fade loses the velocity it begins with
    gives: float = 1.5  # how sharply a nearly straight leg stops stretching
    furthest: float = 0.45  # radians by which a foot rolls at most for a leg that is too short


_GOALS = _GoalSettings()


@dataclass(frozen=True, eq=False)
class Goals:
    """Displacement and turn of a limb's end in the frames in which it is held; 0 in others."""

    held: Mask  # frames in which a point rests
    shifts: Track  # of the end joint, metres
    turns: Track  # rotation vectors of foot or hand in the world, radians


def goals_of(limb: Limb, clip: Clip, holds: Sequence[Hold], zone: int) -> Goals:
    """The goals of a limb's end, from the rests of its points.

    A point that rests alone takes the foot along without turning it, unless the leg would have to stretch: then the
    foot rolls over that point, as at push-off. Two of them turn the foot into the line between their places, and that
    turn fades while one of them still rests.
    """
    n = clip.n_frames
    masks = np.zeros((2, n), dtype=bool)
    places = np.zeros((2, n, 3))
    for hold in holds:
        frames = slice(hold.first, hold.last + 1)
        masks[int(hold.far), frames] = True
        places[int(hold.far), frames] = hold.place
    both, held = masks[0] & masks[1], masks[0] | masks[1]
    apart = limb.far - limb.near
    turns = np.zeros((n, 3))
    turns[both] = quaternions.to_rotvec(quaternions.between(apart[both], places[1, both] - places[0, both]))
    turns = faded(turns, both, zone)
    end = clip.positions[:, limb.joints.ankle]
    turned = quaternions.from_rotvec(turns)
    arms = np.stack([quaternions.rotate(turned, points - end) for points in (limb.near, limb.far)])
    shares = masks[1] / np.maximum(masks.sum(axis=0), 1)  # two resting points share the error
    goal = shares[:, None] * (places[1] - arms[1]) + (1.0 - shares[:, None]) * (places[0] - arms[0])
    if limb.is_leg:
        soft = max(round(_GOALS.roll_sets_in * clip.frame_rate), 1)
        for i in (0, 1):
            alone = masks[i] & ~masks[1 - i]
            roll = _rolled(limb, clip, goal, arms[i], 1.0 - _nearness(masks[1 - i], soft))
            by = quaternions.from_rotvec(np.where(alone[:, None], roll, 0.0))
            goal = np.where(alone[:, None], places[i] - quaternions.rotate(by, arms[i]), goal)
            turns = np.where(alone[:, None], quaternions.to_rotvec(quaternions.multiply(by, turned)), turns)
    here = held[:, None]
    return Goals(held, np.where(here, goal - end, 0.0), np.where(here, turns, 0.0))


def _rolled(limb: Limb, clip: Clip, goal: Track, arm: Track, free: Float[np.ndarray, " frames"]) -> Track:
    """Rotation vectors about a point of the foot that bring the ankle so near that the leg need not stretch.

    ``arm`` leads from the ankle to that point; ``free`` is the share of the roll that is allowed.
    """
    hip = clip.positions[:, limb.joints.hip]
    now, length = limb_reach(limb, clip)
    wanted = np.linalg.norm(goal - hip, axis=-1)
    reach = _softened(wanted, now, length)
    to_ankle, to_hip = -arm, hip - goal - arm
    short, far = np.linalg.norm(to_ankle, axis=-1), np.linalg.norm(to_hip, axis=-1)
    across = np.cross(to_ankle, to_hip)
    size = np.linalg.norm(across, axis=-1)
    cosines = (short**2 + far**2 - reach**2) / np.maximum(2.0 * short * far, 1e-12)
    angle = np.arctan2(size, np.einsum("fi,fi->f", to_ankle, to_hip)) - np.arccos(np.clip(cosines, -1.0, 1.0))
    angle = np.where((wanted > now) & (size > 1e-9), np.maximum(angle, 0.0), 0.0)
    angle = free * angle / (1.0 + (angle / _GOALS.furthest) ** 6) ** (1.0 / 6.0)
    return np.asarray(across * (angle / np.maximum(size, 1e-9))[:, None])


def limb_reach(limb: Limb, clip: Clip) -> tuple[Float[np.ndarray, " frames"], Float[np.ndarray, " frames"]]:
    """How far a limb reaches in every frame, and how far it would when straight; metres."""
    top, middle, end = (clip.positions[:, joint] for joint in limb.joints)
    length = np.linalg.norm(middle - top, axis=-1) + np.linalg.norm(end - middle, axis=-1)
    return np.linalg.norm(end - top, axis=-1), length


def _softened(
    wanted: Float[np.ndarray, " frames"], now: Float[np.ndarray, " frames"], length: Float[np.ndarray, " frames"]
) -> Float[np.ndarray, " frames"]:
    """How far a limb should reach so that no knee snaps: the nearer to straight, the less it stretches."""
    room = np.maximum(STRAIGHTEST * length - now, 1e-6)
    longer = np.maximum(wanted - now, 0.0)
    return np.where(
        longer > 0.0, now + longer / (1.0 + (longer / room) ** _GOALS.gives) ** (1.0 / _GOALS.gives), wanted
    )


def faded(values: Float[np.ndarray, " frames *rest"], known: Mask, zone: int) -> Float[np.ndarray, " frames *rest"]:
    """Values where they are known, fading to 0 within a zone before and after.

    They leave what is known with the velocity they have there and come to rest at 0. In a gap shorter than the zone
    both fades add up, so that they meet what is known on either side.
    """
    out = np.where(known.reshape(-1, *(1,) * (values.ndim - 1)), values, 0.0)
    for first, last in intervals_of(~known):
        gap = last - first + 1
        open_ended = first == 0 or last == len(values) - 1  # then nothing has to be met there
        reach = zone if open_ended else min(zone, gap + 1)
        if first > 0:
            fade = _fade(values, known, first - 1, -1, reach)[:gap]
            out[first : first + len(fade)] += fade
        if last + 1 < len(values):
            fade = _fade(values, known, last + 1, 1, reach)[:gap]
            out[last + 1 - len(fade) : last + 1] += fade[::-1]
    return out


def _fade(
    values: Float[np.ndarray, " frames *rest"], known: Mask, edge: int, inward: int, reach: int
) -> Float[np.ndarray, " some *rest"]:
    """The fade of a value with its velocity in the frames after an edge, to 0."""
    inside = edge + 2 * inward
    speed = np.zeros_like(values[0])
    if 0 <= inside < len(values) and known[edge + inward] and known[inside]:
        speed = 0.5 * (values[edge] - values[inside])  # a frame, away from what is known
    steps = np.arange(1, reach).reshape(-1, *(1,) * (values.ndim - 1))
    u = steps / reach
    brake = max(round(_GOALS.brakes * reach), 1)
    v = np.minimum(steps / brake, 1.0)
    return np.asarray((1.0 + u * u * (2.0 * u - 3.0)) * values[edge] + v * (1.0 - v) ** 2 * brake * speed)


def _nearness(held: Mask, zone: int) -> Float[np.ndarray, " frames"]:
    """1 where something is held, falling smoothly to 0 within a zone before and after."""
    frames = np.flatnonzero(held)
    if not len(frames):
        return np.zeros(len(held))
    at = np.arange(len(held))
    after = np.searchsorted(frames, at)
    ahead = frames[np.minimum(after, len(frames) - 1)]
    behind = frames[np.maximum(np.searchsorted(frames, at, side="right") - 1, 0)]
    away = np.minimum(np.abs(ahead - at), np.abs(at - behind))
    return smoothstep(np.clip(1.0 - away / (zone + 1.0), 0.0, 1.0))
