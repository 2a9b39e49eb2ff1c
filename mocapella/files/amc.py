"""Acclaim motion files read: frame after frame, a line of values for every bone that can turn."""

from __future__ import annotations

import math
import re
from os import PathLike

import numpy as np
from jaxtyping import Float

from mocapella.errors import FormatError
from mocapella.files.amc_frames import AmcFrames, read_frames
from mocapella.files.asf import AsfSkeleton, read_asf
from mocapella.files.disk import read_bytes
from mocapella.files.flips import FlipFinder
from mocapella.files.parsed import Parsed, refuse_more_than_the_file_pays_for
from mocapella.files.tokens import NUMBER, shown, text
from mocapella.geometry import euler, quaternions
from mocapella.motion.frame_rates import is_usable, refuse_no_rate
from mocapella.motion.report import Finding

CMU_FRAME_RATE = 120.0
_BLOCK = 4096  # frames turned into rotations at a time: bounds the memory for sines and cosines
_LINE = re.compile(rb"\S[^\n]*")
_LONGEST_HEADER = 10_000  # lines, comments among them


def load_amc(
    path: str | PathLike[str],
    skeleton_path: str | PathLike[str],
    *,
    frame_rate: float | None = None,
    partial: bool = False,
) -> Parsed:
    """The motion of an AMC file on the skeleton of an ASF file, in file units."""
    return read_amc(path, read_asf(skeleton_path), frame_rate=frame_rate, partial=partial)


def read_amc(
    path: str | PathLike[str], asf: AsfSkeleton, *, frame_rate: float | None = None, partial: bool = False
) -> Parsed:
    """The motion of an AMC file on its skeleton, in file units.

    Hardly any file states a frame rate (``:SAMPLES-PER-SECOND``). Where neither it nor ``frame_rate`` does, CMU's 120
    is assumed, and a finding says so. A file that ends within a frame is refused, unless ``partial`` asks for those
    before it; then a finding says so too. Raises ``FormatError`` with line and reason for anything else that is no
    motion of this skeleton.
    """
    if frame_rate is not None:
        refuse_no_rate(frame_rate)
    content = _plain_lines(read_bytes(path))
    header = _Header(path, content, asf)
    frames = read_frames(path, content, header.end, header.line, asf, partial=partial)
    n_frames, n_columns = frames.values.shape
    refuse_more_than_the_file_pays_for(path, n_frames, n_columns, asf.skeleton.n_joints)
    findings = [*asf.findings, *frames.findings]
    if frame_rate is None and header.frame_rate is None:
        message = f"the file states no frame rate; {CMU_FRAME_RATE:g} frames per second are assumed"
        findings.append(Finding("frame-rate-assumed", message, doubtful=False))
    rotations = _rotations(frames, asf, header.degrees)
    columns = [_angle_columns(frames, asf, joint) for joint in range(asf.skeleton.n_joints)]
    flips = FlipFinder(columns, asf.skeleton.names, n_columns, degrees=1.0 if header.degrees else math.degrees(1.0))
    flips.add(frames.values, rotations)
    findings += flips.findings()
    return Parsed(
        skeleton=asf.skeleton,
        root_positions=_root_positions(frames, asf),
        rotations_wxyz=rotations,
        frame_rate=frame_rate or header.frame_rate or CMU_FRAME_RATE,
        findings=tuple(findings),
        metres_per_unit=asf.metres_per_unit,
    )


def _plain_lines(content: bytes) -> bytes:
    """The text with one kind of line end; its lines keep their numbers."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


class _Header:
    """The lines before the first frame: how angles are meant, and perhaps how fast frames follow."""

    def __init__(self, path: str | PathLike[str], content: bytes, asf: AsfSkeleton) -> None:
        self.degrees = asf.degrees
        self.frame_rate: float | None = None
        self.line = 1
        self.end = 0  # where the first frame begins
        for match, _ in zip(_LINE.finditer(content), range(_LONGEST_HEADER), strict=False):
            self.line += content.count(b"\n", self.end, match.start())
            self.end = match.start()
            words = match.group()[:1000].partition(b"#")[0].split()
            if words and not words[0].startswith(b":"):
                return
            self._read(path, words)
        raise FormatError(path, self.line, "expected frames after the header, found none")

    def _read(self, path: str | PathLike[str], words: list[bytes]) -> None:
        match words[0].upper() if words else b"":
            case b":DEGREES":
                self.degrees = True
            case b":RADIANS":
                self.degrees = False
            case b":SAMPLES-PER-SECOND":
                word = words[1] if len(words) == 2 else b"nothing"
                self.frame_rate = float(word) if NUMBER.fullmatch(word) else 0.0
                if not is_usable(self.frame_rate):
                    raise FormatError(path, self.line, f"expected a frame rate above 0, found {shown(text(word))}")


def _root_positions(frames: AmcFrames, asf: AsfSkeleton) -> Float[np.ndarray, "frames 3"]:
    """Where the root is; an axis without a channel stays where the skeleton presets it."""
    out = np.tile(asf.root_position, (len(frames.values), 1))
    for column, channel in enumerate(asf.root_channels, start=frames.columns.firsts[0]):
        if channel.startswith("T"):
            out[:, "XYZ".index(channel[1])] += frames.values[:, column]
    return out


def _rotations(frames: AmcFrames, asf: AsfSkeleton, degrees: bool) -> Float[np.ndarray, "frames joints 4"]:
    """Local rotations ``C · M · C⁻¹``: the angles turn about axes that the skeleton has turned by ``C``."""
    joints = asf.skeleton
    groups: dict[str, list[int]] = {}
    for joint, order in enumerate(joints.rotation_orders):
        groups.setdefault(order, []).append(joint)
    # A product with C and its inverse leaves w as it is and turns x, y, z as a vector.
    turns = quaternions.to_matrix(joints.axes_wxyz)
    rotations = np.empty((len(frames.values), joints.n_joints, 4))
    for order, members in groups.items():
        if not order:
            rotations[:, members] = quaternions.IDENTITY
            continue
        columns = np.array([_angle_columns(frames, asf, joint) for joint in members])
        for start in range(0, len(rotations), _BLOCK):
            block = slice(start, start + _BLOCK)
            angles = frames.values[block][:, columns]
            stated = euler.to_quaternion(np.radians(angles) if degrees else angles, order)
            turned = np.einsum("jab,fjb->fja", turns[members], stated[..., 1:])
            rotations[block, members] = np.concatenate([stated[..., :1], turned], axis=-1)
    if not np.array_equal(asf.root_orientation_wxyz, quaternions.IDENTITY):
        rotations[:, 0] = quaternions.multiply(rotations[:, 0], asf.root_orientation_wxyz)
    return rotations


def _angle_columns(frames: AmcFrames, asf: AsfSkeleton, joint: int) -> list[int]:
    """The columns of a joint's angles in the order of the matrix product, last angle first."""
    first = frames.columns.firsts[joint]
    if joint:
        return [first + i for i in reversed(range(len(asf.dofs[joint])))]
    return [first + i for i, channel in reversed(list(enumerate(asf.root_channels))) if channel.startswith("R")]
