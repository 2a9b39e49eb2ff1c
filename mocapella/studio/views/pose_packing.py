"""Arrays and small skeletons in the form in which they travel to the page."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts, CycleContacts
from mocapella.motion.layout import HEIGHT
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.rig.roles import find_roles

PHASES = 32  # poses of a small skeleton over a cycle


def packed(values: Shaped[np.ndarray, "*shape"], kind: str) -> str:
    """An array as base64, of numbers of a numpy ``kind`` such as ``"<f4"``."""
    return base64.b64encode(np.ascontiguousarray(values).astype(kind).tobytes()).decode()


def small(positions: Float[np.ndarray, "*batch points 3"]) -> str:
    """Small skeletons: ``positions`` of joints and ends, from under the root in metres, as whole millimetres."""
    return packed(np.clip(np.round(1000.0 * positions), -32767, 32767), "<i2")


def spectrum_points(spectrum: Spectrum, phases: int = PHASES) -> Float[np.ndarray, "phases points 3"]:
    """Joints and ends of a motion at even phases of its cycle, from under the root, facing +z, in metres."""
    layout = spectrum.layout
    assert layout is not None
    dofs = spectrum.at(np.arange(phases) * TURN / phases)
    roots = np.zeros((phases, 3))
    roots[:, 1] = dofs[:, HEIGHT]
    positions, world = kinematics.forward(layout.skeleton, roots, layout.rotations(dofs))
    return np.concatenate([positions, kinematics.end_positions(layout.skeleton, positions, world)], axis=1)


def clip_points(clip: Clip, frames: list[int]) -> Float[np.ndarray, "frames points 3"]:
    """Joints and ends of a clip at some frames, from under the root, turned to face +z, in metres."""
    places = np.concatenate([clip.positions[frames], clip.end_positions[frames]], axis=1)
    places = places - places[:, :1] * np.array([1.0, 0.0, 1.0])
    back = quaternions.about_y(-clip.headings[frames])
    return np.asarray(quaternions.rotate(back[:, None], places))


def joint_tree(skeleton: Skeleton) -> dict[str, Any]:
    """Joints, their parents and the joints that limbs end at, as fields of messages."""
    parents, end_parents = (tuple(map(int, rows)) for rows in (skeleton.parents, skeleton.end_joints))
    return {"joints": skeleton.names, "parents": parents, "end_parents": end_parents}


def joints_by_role(skeleton: Skeleton) -> dict[str, str]:
    """The joint of every role that was found."""
    return {role: skeleton.names[joint] for role, joint in find_roles(skeleton).items()}


def sides(skeleton: Skeleton) -> tuple[int, ...]:
    """For each joint 0 in the middle, 1 left, 2 right, by the side of the body on which it lies in the rest pose."""
    width = float(np.abs(skeleton.rest_positions[:, 0]).max()) or 1.0
    shares = (skeleton.rest_positions[:, 0] / width).tolist()
    return tuple(0 if abs(x) < 0.02 else 1 if x > 0.0 else 2 for x in shares)


def phase_plants(contacts: CycleContacts | None) -> dict[str, list[tuple[float, float]]]:
    """Foot plants round a cycle by foot point: begin and length as shares of it; empty lists without contacts."""
    if contacts is None:
        return {point: [] for point in FOOT_POINTS}
    return {point: [(a / TURN, length / TURN) for a, length in contacts.point(point)] for point in FOOT_POINTS}


def row_plants(contacts: Contacts, first_row: int) -> dict[str, list[tuple[int, int]]]:
    """Foot plants of a clip in the file's own rows."""
    return {point: [(a + first_row, b + first_row) for a, b in contacts.point(point)] for point in FOOT_POINTS}


def flexion(rotations_wxyz: Float[np.ndarray, "*batch 4"]) -> Float[np.ndarray, "*batch"]:
    """How far a joint is bent about the axis to the side, −180 … 180 degrees, by its local rotations."""
    angles = 2.0 * np.arctan2(rotations_wxyz[..., 1], rotations_wxyz[..., 0])
    return np.asarray(np.degrees((angles + math.pi) % TURN - math.pi))
