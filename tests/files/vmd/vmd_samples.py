"""A writer of VMD files for tests, after the published layout, and the actor's motions as keys of MikuMikuDance."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import mocapella as mo

LINEAR = (20, 20, 107, 107)  # handles of a curve that is a straight line, as the program writes it
UNIT = 0.08  # metres
# Places at rest that the keys below are relative to: those of the body that files are shown on, units.
WAIST, ANKLE, TOE, LEG = 12.2, (0.9, 1.3, -0.2), (0.9, 0.0, 1.2), 4.7 + 5.2


@dataclass(frozen=True)
class Key:
    """A key in MikuMikuDance's own axes; the handles are those of x, y, z and the rotation, x1, y1, x2, y2 each."""

    frame: int
    place: Sequence[float] = (0.0, 0.0, 0.0)
    turn: Sequence[float] = (0.0, 0.0, 0.0, 1.0)  # x, y, z, w
    handles: Sequence[Sequence[int]] = (LINEAR,) * 4


def written(
    bones: Mapping[str, Sequence[Key]],
    switches: Sequence[tuple[int, Mapping[str, bool]]] = (),
    *,
    magic: bytes = b"Vocaloid Motion Data 0002",
    faces: int = 1,
    after_names: bytes = b"\xfd\xfd\xfd\xfd",
    tail: bool = True,
) -> bytes:
    """A file; without its tail it ends after the faces, as those of older programs do."""
    model = 10 if magic.endswith(b"file") else 20
    out = magic.ljust(30, b"\0") + "初音ミク".encode("cp932").ljust(model, b"\0")[:model]
    out += struct.pack("<I", sum(map(len, bones.values())))
    for name, keys in bones.items():
        field = (name.encode("cp932") + b"\0" + after_names * 4)[:15]
        for key in keys:
            out += field + struct.pack("<I7f", key.frame, *key.place, *key.turn) + _curves(key.handles)
    out += struct.pack("<I", faces) + ("まばたき".encode("cp932").ljust(15, b"\0") + struct.pack("<If", 7, 0.5)) * faces
    if not tail:
        return out
    out += struct.pack("<3I", 0, 0, 0) + struct.pack("<I", len(switches))
    for frame, states in switches:
        out += struct.pack("<IBI", frame, 1, len(states))
        for name, state in states.items():
            out += name.encode("cp932").ljust(20, b"\0") + bytes([state])
    return out


def _curves(handles: Sequence[Sequence[int]]) -> bytes:
    """64 bytes: handles of four channels in turn, then three rows each without the first byte of the one above.

    Two bytes of the first row are flags of the physics, as newer versions write them.
    """
    row = [handles[channel][part] for part in range(4) for channel in range(4)]
    rows = [(row[shift:] + [1] * shift)[:16] for shift in range(4)]
    rows[0][2:4] = 0, 0
    return bytes(value for values in rows for value in values)


def turn_of(rotation: Rotation) -> list[list[float]]:
    """Rotations in our axes as x, y, z, w of MikuMikuDance's."""
    return (rotation.as_quat().reshape(-1, 4) * [-1.0, -1.0, 1.0, 1.0]).tolist()


def place_of(places: np.ndarray) -> list[list[float]]:
    """Places in our axes, as MikuMikuDance has them."""
    return (np.atleast_2d(places) * [1.0, 1.0, -1.0]).tolist()


def performed(clip: mo.Clip) -> tuple[dict[str, list[Key]], dict[str, np.ndarray], float]:
    """A motion as keys: hips, targets of feet and toes; where the ankles are asked to be, units; units of a metre.

    Toes keep their distance from the hips in leg lengths.
    """
    roles = mo.find_roles(clip.skeleton)
    places, world = clip.world
    leg = sum(float(np.linalg.norm(clip.skeleton.offsets[roles[f"left_{part}"]])) for part in ("knee", "ankle"))
    scale = 0.94 * LEG / leg  # so that all is within reach
    rest = clip.skeleton.rest_positions
    bones: dict[str, list[Key]] = {}
    turns = Rotation.from_quat(world[:, roles["hips"]][:, [1, 2, 3, 0]])
    hip = 0.5 * sum(places[:, roles[f"{side}_hip"]] for side in ("left", "right"))
    raised = np.array([0.0, ANKLE[1] - scale * rest[roles["left_ankle"], 1], 0.0])  # soles are as thick as they are
    centre = scale * hip + raised - turns.apply([0.0, 11.2 - WAIST, 0.0])  # of the waist, from which the hips hang
    bones["センター"] = _keyed(centre - [0.0, WAIST, 0.0], None)
    bones["下半身"] = _keyed(None, turns)
    bones["上半身"] = _keyed(None, Rotation.from_quat(world[:, roles["chest"]][:, [1, 2, 3, 0]]))
    ankles = {}
    for side, letter, sign in (("left", "左", 1.0), ("right", "右", -1.0)):
        ankle, toe = roles[f"{side}_ankle"], roles[f"{side}_toe"]
        foot = places[:, toe] - places[:, ankle]
        at_rest = np.array(TOE) - ANKLE
        pitch = np.arctan2(foot[:, 1], np.hypot(foot[:, 0], foot[:, 2])) - np.arctan2(at_rest[1], at_rest[2])
        yaw = np.arctan2(foot[:, 0], foot[:, 2])
        turns = Rotation.from_euler("YX", np.stack([yaw, -pitch], axis=1))
        ankles[letter] = scale * (places[:, toe] - [0.0, rest[toe, 1], 0.0]) - turns.apply(at_rest)
        bones[f"{letter}足ＩＫ"] = _keyed(ankles[letter] - np.array(ANKLE) * [sign, 1, 1], turns)
    return bones, ankles, scale


def _keyed(places: np.ndarray | None, turns: Rotation | None) -> list[Key]:
    n = len(places) if places is not None else len(turns.as_quat())
    moved = place_of(np.zeros((n, 3)) if places is None else places)
    turned = [(0.0, 0.0, 0.0, 1.0)] * n if turns is None else turn_of(turns)
    return [Key(frame, moved[frame], turned[frame]) for frame in range(n)]
