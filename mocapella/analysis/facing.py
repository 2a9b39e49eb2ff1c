"""Which way a body faces: its root, hips, chest, head and feet vote, and the other clips of the same source.

Strafes and aiming walks turn the hips by 35 to 85 degrees while head and chest stay ahead. In asset packs the part of
the body that points the same way in most clips tells what the animator took for ahead; captures, which go any way, have
no such part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.geometry.angles import difference
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.rig.roles import find_roles
from mocapella.rig.standing import TO_Y

UP_AXES = tuple(TO_Y)
PARTS = ("hips", "chest", "head", "feet")


class _Voting(NamedTuple):
    """When parts of the body agree."""

    alike: float = math.radians(30.0)  # between headings that point the same way
    agree: float = 0.7  # share of a source's clips that have to point the same way
    fewest: int = 3  # clips of a source that can agree
    snap: float = math.radians(15.0)  # to the nearest axis of the file
    straight: float = math.radians(20.0)  # that a clip may turn to have one facing
    turned_away: float = math.radians(20.0)  # from the root's heading: what is less is the sway of the hips
    siblings: float = 4.0  # votes that the other clips of a source have


_VOTING = _Voting()


def sighting(clip: Clip) -> dict[str, float]:
    """What a clip tells about its source: headings of parts of the body, the way up in the file, the body's height.

    Headings are means over the clip, radians in the world, left positive, and that of the root; ``turned`` is how far
    the root turns. Numbers without a unit in their name are leg lengths or shares.
    """
    captured = clip.captured
    root = captured.headings
    out = {"root_rad": _mean(root), "turned_rad": float(np.ptp(root)), "height_m": clip.report.height}
    out |= {f"{part}_rad": _mean(yaws) for part, yaws in _headings(captured).items()}
    roles = find_roles(captured.skeleton)
    top = next((roles[role] for role in ("head", "neck", "chest", "hips") if role in roles), None)
    feet = [roles[f"{side}_ankle"] for side in FEET if f"{side}_ankle" in roles]
    if top is not None and feet:
        up = (captured.positions[:, top] - captured.positions[:, feet].mean(axis=1)).mean(axis=0)
        up = TO_Y[clip.report.up_axis].T @ up / max(float(np.linalg.norm(up)), 1e-9)
        out |= {f"up_{axis}": float(part) for axis, part in zip("xyz", up, strict=True)}
        out["up_read"] = float(UP_AXES.index(clip.report.up_axis))
    return out


def _headings(clip: Clip) -> dict[str, Float[np.ndarray, " frames"]]:
    """The heading of each part of the body, where its joints are known; ahead of a line to the left is left × up."""
    roles, places = find_roles(clip.skeleton), clip.positions
    out = {}
    for part, role in (("hips", "hip"), ("chest", "shoulder")):
        if f"left_{role}" in roles and f"right_{role}" in roles:
            line = places[:, roles[f"left_{role}"]] - places[:, roles[f"right_{role}"]]
            out[part] = np.arctan2(-line[:, 2], line[:, 0])
    if "head" in roles:  # the rest pose faces +z
        ahead = quaternions.rotate(clip.world[1][:, roles["head"]], np.array([0.0, 0.0, 1.0]))
        out["head"] = np.arctan2(ahead[:, 0], ahead[:, 2])
    if all(f"{side}_{part}" in roles for side in FEET for part in ("toe", "ankle")):
        ways = [places[:, roles[f"{side}_toe"]] - places[:, roles[f"{side}_ankle"]] for side in FEET]
        ahead = sum(way / np.maximum(np.linalg.norm(way[:, [0, 2]], axis=1), 1e-9)[:, None] for way in ways)
        out["feet"] = np.arctan2(ahead[:, 0], ahead[:, 2])
    return {part: yaws for part, yaws in out.items() if np.isfinite(yaws).all()}


def common_forward(sightings: Sequence[Mapping[str, float]]) -> float | None:
    """The heading, radians in the world, that a part of the body keeps in all clips of a source, as in asset packs.

    None for captures, which go any way.
    """
    straight = [seen for seen in sightings if seen["turned_rad"] < _VOTING.straight]
    best: tuple[float, float] | None = None
    for part in PARTS:
        angles = np.array([seen[f"{part}_rad"] for seen in straight if f"{part}_rad" in seen])
        if len(angles) < _VOTING.fewest:
            continue
        middle = angles[int(np.argmin(np.abs(difference(*np.meshgrid(angles, angles))).sum(axis=0)))]
        off = difference(angles, np.full_like(angles, middle))
        near = np.abs(off) < _VOTING.alike
        if near.mean() >= _VOTING.agree and (best is None or float(np.abs(off).mean()) < best[0]):
            best = float(np.abs(off).mean()), float(middle + off[near].mean())
    if best is None:
        return None
    axis = 0.5 * math.pi * round(best[1] / (0.5 * math.pi))
    return axis if abs(best[1] - axis) < _VOTING.snap else best[1]


def facing_of(seen: Mapping[str, float], forward: float | None = None) -> tuple[float, str]:
    """The angle from the root's heading to where a body faces, radians, and who said so.

    ``forward`` is what the clips of its source agree on. The angle is 0, and the reason empty, where the body faces as
    its root does, but for the sway of walking, and where it turns, so that it has no one facing.
    """
    said = {"root": 0.0} | {
        part: _between(seen[f"{part}_rad"], seen["root_rad"]) for part in PARTS if f"{part}_rad" in seen
    }
    weights = dict.fromkeys(said, 1.0)
    if forward is not None and seen["turned_rad"] < _VOTING.straight:
        theirs = _between(forward, seen["root_rad"])
        if min(abs(_between(angle, theirs)) for angle in said.values()) < _VOTING.alike:
            said["siblings"], weights["siblings"] = theirs, _VOTING.siblings
    costs = {
        part: sum(weights[other] * abs(_between(said[other], angle)) for other in said) for part, angle in said.items()
    }
    angle = said[min(costs, key=lambda part: costs[part])]
    if abs(angle) < _VOTING.turned_away:
        return 0.0, ""
    agree = [part for part in said if abs(_between(said[part], angle)) < _VOTING.alike]
    return angle, f"faces {math.degrees(angle):+.0f}° from its root, as {' and '.join(agree)} do"


def common_up(sightings: Sequence[Mapping[str, float]]) -> str | None:
    """The axis of the files that points up in the mean of all clips of a source; None where they do not agree."""
    ways = [[seen[f"up_{axis}"] for axis in "xyz"] for seen in sightings if "up_x" in seen]
    if not ways:
        return None
    mean = np.mean(ways, axis=0)
    axis = int(np.argmax(np.abs(mean)))
    return f"{'-' if mean[axis] < 0 else ''}{'xyz'[axis]}" if abs(mean[axis]) >= _CLEAR else None


_CLEAR = 0.6  # length of the mean of unit vectors from ankles to head: below that a source has no common up


def _mean(angles: Float[np.ndarray, " frames"]) -> float:
    return float(np.angle(np.exp(1j * angles).mean()))


def _between(angle: float, other: float) -> float:
    return float(difference(np.array(angle), np.array(other)))
