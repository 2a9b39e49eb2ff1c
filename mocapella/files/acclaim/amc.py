"""AMC files, the motions of Acclaim, read: as a table, and line by line where that fails."""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass, field
from os import PathLike
from typing import NoReturn

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.checks import is_usable
from mocapella.errors import FormatError, Option
from mocapella.files.acclaim.asf import AsfSkeleton
from mocapella.files.budget import Budget
from mocapella.files.conventions import FlipFinder, Parsed
from mocapella.files.disk import read_bytes
from mocapella.files.text import LARGEST_NUMBER, NUMBER, as_number, plain_lines, quoted, text
from mocapella.geometry import euler, quaternions
from mocapella.motion.report import Finding

# Columns: which values belong to which bone, once frames are a table.


@dataclass(frozen=True)
class _Columns:
    """The columns of a skeleton's motions: joints in their order, values in the order of the file."""

    names: tuple[str, ...]
    counts: tuple[int, ...]  # values per joint
    firsts: tuple[int, ...]  # the column of a joint's first value
    joints: dict[str, int]  # by name
    skeleton_path: str

    @classmethod
    def of(cls, asf: AsfSkeleton) -> _Columns:
        """The columns for one skeleton."""
        names = asf.skeleton.names
        counts = (len(asf.root_channels), *(len(letters) for letters in asf.dofs[1:]))
        firsts = np.cumsum((0, *counts[:-1])).tolist()
        return cls(names, counts, tuple(firsts), {name: i for i, name in enumerate(names)}, asf.path)

    @property
    def total(self) -> int:
        """How many columns there are."""
        return sum(self.counts)


# Frames read line by line: slow, but with bones in any order, and with the line of what is wrong.

_LONGEST_LINE = 10_000  # bytes; a name and six numbers
_LONGEST_NUMBER = 15  # digits of a frame number
_CUT_NUMBER = re.compile(rb"[+-]?\d*(\.\d*)?([eE][+-]?\d*)?")


_Numbers = Float[np.ndarray, " frames"]
_Rows = Float[np.ndarray, "frames columns"]


@dataclass
class _Frame:
    """A frame while its lines come in."""

    number: float
    line: int
    values: dict[int, list[float]] = field(default_factory=dict)  # by joint, in the order of the lines


class _LineReader:
    """Reads chunks that begin with a frame number and end where another frame begins."""

    def __init__(
        self, path: str | PathLike[str], columns: _Columns, usual: list[int], *, partial: bool = False
    ) -> None:
        self.path = path
        self.partial = partial  # whether a file may end within a frame
        self.columns = columns
        self.usual = usual  # the joints in the order in which frames name them; empty before the first frame
        self.needed = [joint for joint, count in enumerate(columns.counts) if count]

    def read(self, chunk: bytes, line: int, row: int, *, last: bool) -> tuple[_Numbers, _Rows, list[Finding]]:
        """The frames of a chunk that begins on ``line`` with the frame of this ``row``.

        In the ``last`` chunk the last frame may be cut short: where a partial read was asked for it is left out, and a
        finding says so, else the file is refused.
        """
        numbers, values = array("d"), array("d")
        frame: _Frame | None = None
        at = 0
        end = len(chunk.rstrip())
        for match in _LINE.finditer(chunk):
            line += chunk.count(b"\n", at, match.start())
            at = match.start()
            words = self._words(line, match)
            if not words:  # a comment
                continue
            if len(words) == 1 and words[0].isdigit():
                if frame is not None:
                    self._close(frame, numbers, values)
                frame = self._open(line, words[0])
            elif frame is None:
                self._fail(line, f"expected the number of a frame, found {quoted(text(words[0]))}")
            elif last and match.end() >= end and self._is_cut(words, frame):
                break
            else:
                self._read_bone(line, words, frame)
        findings: list[Finding] = []
        if frame is not None and last and self.usual and self._is_beginning(frame):
            findings.append(self._truncated(frame, line, row + len(numbers)))
        elif frame is not None:
            self._close(frame, numbers, values)
        return np.array(numbers), np.array(values).reshape(len(numbers), self.columns.total), findings

    def _truncated(self, frame: _Frame, line: int, row: int) -> Finding:
        """The finding about a last frame that is left out; ``FormatError`` where no partial read was asked for."""
        if not self.partial:
            option = Option("partial", True)
            reason = f"the file ends within frame {frame.number:.0f}; {option} uses those before it"
            raise FormatError(self.path, line, reason, option=option)
        message = f"the file ends within frame {frame.number:.0f}; that frame is left out"
        return Finding("truncated", message, frames=(row,))

    def _words(self, line: int, match: re.Match[bytes]) -> list[bytes]:
        if match.end() - match.start() > _LONGEST_LINE:
            self._fail(line, f"a line of {match.end() - match.start():,} bytes is not a bone of a frame")
        return match.group().partition(b"#")[0].split()

    def _open(self, line: int, word: bytes) -> _Frame:
        if len(word) > _LONGEST_NUMBER:
            self._fail(line, f"the frame number {quoted(text(word))} is too large")
        return _Frame(float(word), line)

    def _read_bone(self, line: int, words: list[bytes], frame: _Frame) -> None:
        joint = self.columns.joints.get(text(words[0]))
        if joint is None:
            bone = quoted(text(words[0]))
            self._fail(
                line, f"{bone} is not a bone of {self.columns.skeleton_path}; does the motion belong to this skeleton?"
            )
        name = quoted(self.columns.names[joint])
        if joint in frame.values:
            self._fail(line, f"{name} stands twice in frame {frame.number:.0f}")
        count = self.columns.counts[joint]
        if len(words) != count + 1:
            self._fail(
                line,
                f"expected {count} {'value' if count == 1 else 'values'} for {name}, one for each of its dofs in "
                f"{self.columns.skeleton_path}, found {len(words) - 1}; does the motion belong to this skeleton?",
            )
        frame.values[joint] = [self._number(line, word, name) for word in words[1:]]

    def _number(self, line: int, word: bytes, name: str) -> float:
        value = as_number(word)
        if math.isnan(value):
            self._fail(line, f"expected a number for {name}, found {quoted(text(word))}")
        return value

    def _close(self, frame: _Frame, numbers: array[float], values: array[float]) -> None:
        """Keep a frame, if it is whole."""
        for joint in self.needed:
            if joint not in frame.values:
                name = quoted(self.columns.names[joint])
                self._fail(frame.line, f"frame {frame.number:.0f} has no line for {name}; every frame names all bones")
        numbers.append(frame.number)
        for joint in self.needed:
            values.extend(frame.values[joint])
        self.usual = list(frame.values)

    def _is_beginning(self, frame: _Frame) -> bool:
        """Whether a frame stops too early but is so far like the one before."""
        so_far = list(frame.values)
        return so_far == self.usual[: len(so_far)] and any(joint not in frame.values for joint in self.needed)

    def _is_cut(self, words: list[bytes], frame: _Frame) -> bool:
        """Whether a last line is what a cut leaves of the line that should stand there."""
        if not self.usual or not self._is_beginning(frame):
            return False
        joint = self.usual[len(frame.values)]
        name, count = self.columns.names[joint], self.columns.counts[joint]
        if len(words) == 1:
            return count > 0 and name.startswith(text(words[0]))
        plain = all(NUMBER.fullmatch(word) for word in words[1:-1]) and _CUT_NUMBER.fullmatch(words[-1]) is not None
        complete = len(words) == count + 1 and NUMBER.fullmatch(words[-1]) is not None
        return text(words[0]) == name and len(words) <= count + 1 and plain and not complete

    def _fail(self, line: int, reason: str) -> NoReturn:
        raise FormatError(self.path, line, reason)


# Frames read as one table: a row for each frame, a column for each value.

_CHUNK = 1 << 19  # bytes decoded at a time: the words and floats between text and array stay few, and in the cache
_LONGEST_FRAME = 1 << 22  # bytes; the largest skeleton that is read fills a quarter of that
_FRAME_NUMBER = re.compile(rb"^[ \t]*\d+[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_COMMENT = re.compile(rb"#[^\n]*")
_FLAT = msgspec.json.Decoder(list[float])


@dataclass(frozen=True, eq=False, repr=False)
class _AmcFrames:
    """The values of all frames, as stated in the file."""

    values: Float[np.ndarray, "frames columns"]
    columns: _Columns
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class _Pattern:
    """How a frame is laid out: a number, then names each followed by values."""

    n_words: int
    names: dict[int, tuple[int, bytes]]  # by joint in the order of the frame: which word, and how it is spelled
    order: tuple[int, ...]  # for every column, the word that holds its value

    @classmethod
    def of_frame(cls, words: list[bytes], columns: _Columns) -> _Pattern | None:
        """The pattern of the frame that ``words`` begin with; None where that is no frame of this skeleton."""
        names: dict[int, tuple[int, bytes]] = {}
        order = [0] * columns.total
        at = 1
        while at < len(words):
            joint = columns.joints.get(text(words[at]))
            if joint is None or joint in names:
                break
            names[joint] = (at, words[at])
            first, count = columns.firsts[joint], columns.counts[joint]
            order[first : first + count] = range(at + 1, at + 1 + count)
            at += 1 + count
        return cls(at, names, tuple(order)) if 0 not in order else None

    def decode(self, chunk: bytes) -> Float[np.ndarray, "frames words"] | None:
        """All frames of a chunk at once, names as zeros; None where a closer look is needed."""
        words = _without_comments(chunk).split()
        n_frames, rest = divmod(len(words), self.n_words)
        if rest:
            return None
        zeros = [b"0"] * n_frames
        for at, name in self.names.values():
            if words[at :: self.n_words].count(name) != n_frames:
                return None
            words[at :: self.n_words] = zeros
        if not all(word.isdigit() for word in words[:: self.n_words]):
            return None
        try:
            values = _FLAT.decode(b"[" + b",".join(words) + b"]")
        except msgspec.MsgspecError:
            return None
        if len(values) != len(words):  # a word had a comma in it
            return None
        table = np.fromiter(values, np.float64, len(values)).reshape(n_frames, self.n_words)
        return table if np.abs(table).max(initial=0.0) <= LARGEST_NUMBER else None


def _read_frames(
    path: str | PathLike[str], content: bytes, start: int, line: int, asf: AsfSkeleton, *, partial: bool = False
) -> _AmcFrames:
    """All frames from byte ``start``, which is on ``line``; all line ends are newlines.

    Frames nearly always name the same bones in the same order, and then many are decoded at once. Where some differ, in
    spelling or in error, the chunk they are in is read line by line.
    """
    columns = _Columns.of(asf)
    opening = _without_comments(content[start : start + _LONGEST_FRAME])
    pattern = _Pattern.of_frame(opening.split(maxsplit=columns.total + len(columns.names) + 2), columns)
    lines = _LineReader(path, columns, [] if pattern is None else list(pattern.names), partial=partial)
    numbers: list[Float[np.ndarray, " some"]] = []
    rows: list[Float[np.ndarray, "some columns"]] = []
    findings: list[Finding] = []
    n_frames = 0
    while start < len(content):
        end = _end_of_chunk(content, start)
        chunk = content[start:end]
        plain = pattern is not None and len(chunk) <= _CHUNK + _LONGEST_FRAME
        table = pattern.decode(chunk) if pattern is not None and plain else None
        if pattern is not None and table is not None:
            numbers.append(table[:, 0].copy())
            rows.append(table[:, pattern.order])
        else:
            some_numbers, some_rows, cut = lines.read(chunk, line, n_frames, last=end == len(content))
            numbers.append(some_numbers)
            rows.append(some_rows)
            findings += cut
        n_frames += len(rows[-1])
        line += chunk.count(b"\n")
        start = end
    if n_frames == 0:
        raise FormatError(path, line, "expected frames, each a number and then a line for every bone, found none whole")
    return _AmcFrames(np.concatenate(rows), columns, (*findings, *_doubt_numbers(np.concatenate(numbers))))


def _end_of_chunk(content: bytes, start: int) -> int:
    """Where a frame begins, about a chunk further on, or the end."""
    if len(content) - start <= _CHUNK:
        return len(content)
    match = _FRAME_NUMBER.search(content, start + _CHUNK)
    return len(content) if match is None else match.start()


def _without_comments(chunk: bytes) -> bytes:
    return _COMMENT.sub(b"", chunk) if b"#" in chunk else chunk


def _doubt_numbers(numbers: Float[np.ndarray, " frames"]) -> list[Finding]:
    jumps = np.flatnonzero(np.diff(numbers) != 1.0) + 1
    if len(jumps) == 0:
        return []
    at = int(jumps[0])
    message = (
        f"frame numbers do not count up by one, {numbers[at - 1]:.0f} is followed by {numbers[at]:.0f}; "
        "frames are taken as they come"
    )
    return [Finding("frame-numbers", message, frames=tuple(jumps.tolist()))]


# The motion: frame after frame, a line of values for every bone that can turn.

_CMU_FRAME_RATE = 120.0  # frames per second
_BLOCK = 4096  # frames turned into rotations at a time: bounds the memory for sines and cosines
_LINE = re.compile(rb"\S[^\n]*")
_LONGEST_HEADER = 10_000  # lines, comments among them


def read_amc(
    path: str | PathLike[str], asf: AsfSkeleton, *, frame_rate: float | None = None, partial: bool = False
) -> Parsed:
    """Read the motion of an AMC file on its skeleton, in file units.

    ``frame_rate`` is in frames per second; if None what the file states (``:SAMPLES-PER-SECOND``), which hardly any
    does, else CMU's 120, and a finding says so. Set ``partial`` to leave out the last frame of a file that ends within
    it, instead of refusing the file; a finding says so. Raises ``FormatError`` with line and reason, for anything that
    is no motion of this skeleton.
    """
    content = plain_lines(read_bytes(path))
    header = _Header(path, content, asf)
    frames = _read_frames(path, content, header.end, header.line, asf, partial=partial)
    n_frames, n_columns = frames.values.shape
    Budget(path, len(content)).take_motion(n_frames, asf.skeleton.n_joints)
    findings = [*asf.findings, *frames.findings]
    if frame_rate is None and header.frame_rate is None:
        message = f"the file states no frame rate; {_CMU_FRAME_RATE:g} frames per second are assumed"
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
        frame_rate=frame_rate or header.frame_rate or _CMU_FRAME_RATE,
        findings=tuple(findings),
        metres_per_unit=asf.metres_per_unit,
    )


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
                    raise FormatError(path, self.line, f"expected a frame rate above 0, found {quoted(text(word))}")


def _root_positions(frames: _AmcFrames, asf: AsfSkeleton) -> Float[np.ndarray, "frames 3"]:
    """Where the root is; an axis without a channel stays where the skeleton presets it."""
    out = np.tile(asf.root_position, (len(frames.values), 1))
    for column, channel in enumerate(asf.root_channels, start=frames.columns.firsts[0]):
        if channel.startswith("T"):
            out[:, "XYZ".index(channel[1])] += frames.values[:, column]
    return out


def _rotations(frames: _AmcFrames, asf: AsfSkeleton, degrees: bool) -> Float[np.ndarray, "frames joints 4"]:
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


def _angle_columns(frames: _AmcFrames, asf: AsfSkeleton, joint: int) -> list[int]:
    """The columns of a joint's angles in the order of the matrix product, last angle first."""
    first = frames.columns.firsts[joint]
    if joint:
        return [first + i for i in reversed(range(len(asf.dofs[joint])))]
    return [first + i for i, channel in reversed(list(enumerate(asf.root_channels))) if channel.startswith("R")]
