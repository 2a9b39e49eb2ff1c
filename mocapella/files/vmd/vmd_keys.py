"""Keys of a VMD file: bones by name, the curves between their keys, and when inverse kinematics are switched off.

A file is a header, then records of one size after another: keys of bones, then of faces, cameras, lights and shadows,
then switches. Numbers are little-endian, names Shift-JIS, ended by a zero byte or by their field. Lengths are units of
MikuMikuDance, which has z to the back of the room; here it is turned round, so that bodies face +z.
"""

from __future__ import annotations

import struct
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.errors import FormatError, Option
from mocapella.files.budget import Budget
from mocapella.files.disk import read_bytes
from mocapella.geometry import quaternions
from mocapella.geometry.curves import bezier, bezier_parameter
from mocapella.motion.report import Finding

_MAGIC = {b"Vocaloid Motion Data 0002": 20, b"Vocaloid Motion Data file": 10}  # → bytes of the model's name
_MAGIC_SIZE = 30  # bytes
_LARGEST = 512 * 1024**2  # bytes of a file
_KEY = np.dtype([("name", "S15"), ("frame", "<u4"), ("place", "<f4", 3), ("turn", "<f4", 4), ("curves", "u1", 64)])
_OTHERS = {
    "faces": 23,
    "the camera": 61,
    "lights": 28,
    "shadows": 9,
}  # records between bones and switches, bytes of one
_SWITCH, _SWITCHED = struct.Struct("<IBI"), struct.Struct("<20sB")  # frame, visible, count; name, whether it is on
_CURVE_END = 127.0  # what both ends of a curve's handles are measured in
_FURTHEST = 1e6  # units

Places = Float[np.ndarray, "frames 3"]
Turns = Float[np.ndarray, "frames 4"]


@dataclass(frozen=True, eq=False)
class _BoneKeys:
    """The keys of one bone, one for each frame number, rising."""

    frames: Int[np.ndarray, " keys"]
    places: Float[np.ndarray, "keys 3"]  # units, from where the bone is at rest
    turns: Float[np.ndarray, "keys 4"]  # w, x, y, z
    handles: Float[np.ndarray, "keys 4 4"]  # of x, y, z and the rotation: x1, y1, x2, y2 of the curve up to the key

    def at(self, n_frames: int) -> tuple[Places, Turns]:
        """Places and rotations in all frames; those of the first and the last key outside."""
        times, last = np.arange(n_frames), len(self.frames) - 1
        later = np.clip(np.searchsorted(self.frames, times, side="right"), min(1, last), last)
        before = np.maximum(later - 1, 0)
        span = np.maximum(self.frames[later] - self.frames[before], 1)
        share = np.clip((times - self.frames[before]) / span, 0.0, 1.0)
        shares = _eased(self.handles[later], share)
        places = self.places[before] + shares[:, :3] * (self.places[later] - self.places[before])
        return places, quaternions.slerp(self.turns[before], self.turns[later], shares[:, 3])


@dataclass(frozen=True, eq=False)
class VmdMotion:
    """What a file says about bones."""

    bones: dict[str, _BoneKeys]  # by names in usual letters: 左足IK
    switches: dict[str, list[tuple[int, bool]]] = field(default_factory=dict)  # bone → frames from which its IK is on
    findings: tuple[Finding, ...] = ()


def is_on(switches: list[tuple[int, bool]], n_frames: int) -> Bool[np.ndarray, " frames"]:
    """Whether inverse kinematics are on, in each frame; they are where nothing is said."""
    frames, states = zip(*sorted([(-1, True), *switches]), strict=True)
    return np.array(states)[np.searchsorted(frames, np.arange(n_frames), side="right") - 1]


def _eased(
    handles: Float[np.ndarray, "frames 4 4"], share: Float[np.ndarray, " frames"]
) -> Float[np.ndarray, "frames 4"]:
    """How far values have gone, by curves of Bézier from 0, 0 to 1, 1 and the share of the time that has passed."""
    x1, y1, x2, y2 = np.moveaxis(handles, 2, 0)
    straight = (x1 == y1) & (x2 == y2)
    ends = ((share == 0.0) | (share == 1.0))[:, None]
    return np.where(straight | ends, share[:, None], bezier(y1, y2, bezier_parameter(x1, x2, share[:, None])))


def read_keys(path: Path, *, partial: bool) -> tuple[VmdMotion, Budget]:
    """What a file says about bones; ``FormatError`` with the byte where it is no VMD or is cut short."""
    content = read_bytes(path, most=_LARGEST)
    budget = Budget(path, len(content))
    size = next((size for magic, size in _MAGIC.items() if content.startswith(magic)), None)
    if size is None:
        raise FormatError(path, 0, f"expected Vocaloid Motion Data at byte 0, found {content[:25]!r}")
    findings: list[Finding] = []
    at = _MAGIC_SIZE + size
    count, whole = _counted(path, content, at, _KEY.itemsize, "bones", partial)
    if whole < count:
        findings.append(Finding("truncated", f"of {count:,} keys of bones {whole:,} are there"))
    budget.take_numbers(24 * whole, f"{whole:,} keys")
    table = np.frombuffer(content, _KEY, whole, at + 4) if whole else np.empty(0, _KEY)
    at += 4 + count * _KEY.itemsize
    bones = _bones(path, table, at - count * _KEY.itemsize)
    return VmdMotion(bones, _switches(path, content, at) if at < len(content) else {}, tuple(findings)), budget


def _counted(path: Path, content: bytes, at: int, size: int, what: str, partial: bool) -> tuple[int, int]:
    """How many records a file says it has at a byte, and how many there are; ``FormatError`` where these differ."""
    if len(content) < at + 4:
        raise FormatError(path, 0, f"ends at byte {len(content):,}, before the number of keys of {what}")
    (count,) = struct.unpack_from("<I", content, at)
    room = (len(content) - at - 4) // size
    if count > room and not partial:
        helps = Option("partial", True)
        reason = f"expected {count:,} keys of {what} at byte {at:,}, there is room for {room:,}"
        raise FormatError(path, 0, f"{reason}; {helps} reads what there is", option=helps)
    return count, min(count, room)


def _bones(path: Path, table: np.ndarray, begins: int) -> dict[str, _BoneKeys]:
    """The keys of each bone."""
    numbers = np.concatenate([table["place"], table["turn"]], axis=1)
    odd = np.flatnonzero(~(np.abs(numbers) <= _FURTHEST).all(axis=1))
    if len(odd):
        byte = begins + int(odd[0]) * _KEY.itemsize
        raise FormatError(path, 0, f"the key at byte {byte:,} has values that are not numbers of a motion")
    fields, field_of = np.unique(table["name"], return_inverse=True)
    named = [_name(field) for field in fields.tolist()]
    number_of = {name: number for number, name in enumerate(dict.fromkeys(named))}  # fewer: fields end in anything
    bone_of = np.array([number_of[name] for name in named], dtype=np.int64)[field_of]
    order = np.lexsort((np.arange(len(table)), table["frame"], bone_of))
    starts = np.searchsorted(bone_of[order], np.arange(len(number_of) + 1))
    bones: dict[str, _BoneKeys] = {}
    for name, number in number_of.items():
        rows = order[starts[number] : starts[number + 1]]
        frames = table["frame"][rows].astype(np.int64)
        rows = rows[np.append(np.diff(frames) > 0, True)]  # of keys with one number the last is taken
        bones[name] = _keys(table[rows])
    return bones


def _keys(rows: np.ndarray) -> _BoneKeys:
    turns = rows["turn"][:, [3, 0, 1, 2]] * [1.0, -1.0, -1.0, 1.0]  # as z is turned round
    sizes = np.linalg.norm(turns, axis=1, keepdims=True)
    turns = np.where(sizes > 1e-6, turns / np.maximum(sizes, 1e-6), quaternions.IDENTITY)
    # The first row of 16 bytes has the handles of x, y, z and rotation in turn, and flags written over some of them;
    # each further row is the one above without its first byte. So each row begins with the bytes of one of the four.
    handles = rows["curves"].reshape(-1, 4, 4, 4)[..., 0] / _CURVE_END
    return _BoneKeys(
        rows["frame"].astype(np.int64),
        rows["place"].astype(np.float64) * [1.0, 1.0, -1.0],
        quaternions.unroll(turns),
        np.minimum(handles, 1.0),
    )


def _name(field: bytes) -> str:
    """A name in usual letters: Shift-JIS up to a zero byte, perhaps cut within a letter; ＩＫ is IK."""
    return unicodedata.normalize("NFKC", field.split(b"\0")[0].decode("cp932", errors="ignore"))


def _switches(path: Path, content: bytes, at: int) -> dict[str, list[tuple[int, bool]]]:
    """When inverse kinematics of a bone are switched on and off; nothing where a file ends before that, as many do."""
    for what, size in _OTHERS.items():
        if at >= len(content):
            return {}
        count, _ = _counted(path, content, at, size, what, partial=True)
        at += 4 + count * size
    switches: dict[str, list[tuple[int, bool]]] = {}
    if at >= len(content):
        return {}
    count, _ = _counted(path, content, at, _SWITCH.size, "switches", partial=True)
    at += 4
    for _ in range(count):
        if at + _SWITCH.size > len(content):
            break
        frame, _, n_bones = _SWITCH.unpack_from(content, at)
        at += _SWITCH.size
        for _ in range(min(n_bones, (len(content) - at) // _SWITCHED.size)):
            name, state = _SWITCHED.unpack_from(content, at)
            switches.setdefault(_name(name), []).append((frame, bool(state)))
            at += _SWITCHED.size
    return switches
