"""BVH files read: a joint tree in words, then a row of channel values for every frame."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from os import PathLike
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from mocapella.arrays import owned
from mocapella.checks import is_usable
from mocapella.errors import FormatError, Option
from mocapella.files.budget import Budget
from mocapella.files.conventions import FlipFinder, Leaps, Parsed
from mocapella.files.disk import read_bytes
from mocapella.files.text import NUMBER, Tokens, most_rows_of, quoted, row_blocks, without_lone_returns
from mocapella.geometry import euler
from mocapella.motion.clip import mark_continuous
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import NO_PARENT, Skeleton

MOST_JOINTS = 10_000  # of all trees; a body with fingers and face has some hundreds
DEEPEST = 1_000  # joints below one another; a body has about ten, a chain or a tail some dozens
LONGEST_NAME = 10_000  # letters of a joint's name, which is searched for meaning
_MOTION = re.compile(rb"^[ \t]*MOTION\b", re.MULTILINE | re.IGNORECASE)
_JAPANESE = re.compile("[ぁ-ゖァ-ヺ左右]")
_CHANNELS = {f"{axis}{kind}": (kind, axis) for axis in "XYZ" for kind in ("POSITION", "ROTATION")}
_FILM_RATES = tuple(rate * 1000 / 1001 for rate in (24, 30, 48, 60, 120))  # 23.976, 29.97, …


class _Limits(NamedTuple):
    """What is read as a BVH file, and how it is understood."""

    channels: int = 6  # of one joint: three positions and three angles
    header: int = 1 << 24  # bytes in which names are looked at for their encoding
    frame_time: float = 1.0  # seconds between frames that may still show a movement
    rounding: float = 1.5e-4  # of a rate: files write 120 Hz as .0083333 or .00833, 24 Hz as 0.041667 or 0.0417
    moves: float = 1e-6  # of the skeleton's size: a position channel that varies by less is an offset written twice


_LIMITS = _Limits()


def read_bvh(path: str | PathLike[str], *, frame_rate: float | None = None, partial: bool = False) -> Parsed:
    """Read the motion of a BVH file, in its own units.

    ``frame_rate`` is in frames per second; those of the file's frame time if None. Set ``partial`` to use what there is
    of a file that ends before the frames its header promises, instead of refusing it. Raises ``FormatError`` with line
    and reason, for anything that is no complete BVH file.
    """
    content, renamed = _with_names_in_utf8(without_lone_returns(read_bytes(path)))
    tokens = Tokens(path, content)
    joints = _read_hierarchy(tokens)
    declared, frame_time = _read_motion_header(tokens)
    n_columns = sum(len(joint.channels or ()) for joint in joints)
    if n_columns == 0:
        tokens.fail("no joint has a channel, so nothing can move")
    rows_start, rows_line = tokens.next_line_start(), tokens.line + 1
    rows_end, cut = _whole_rows(tokens, rows_start, declared, n_columns) if partial else (len(tokens.content), [])
    most_rows = min(declared, most_rows_of(rows_end - rows_start, n_columns))
    Budget(path, len(content)).take_motion(most_rows, len(joints))
    motion = _Motion(joints, most_rows)
    try:
        for rows in row_blocks(path, tokens.content[:rows_end], rows_start, rows_line, n_columns):
            motion.add(rows)
    except FormatError as error:
        if partial or error.line != rows_line + tokens.content.count(b"\n", rows_start):
            raise
        option = Option("partial", True)
        text = f"{error.reason}; the file ends within this row: {option} leaves it out"
        raise FormatError(path, error.line, text, option=option) from None
    findings = [*renamed, *_compare_counts(tokens, declared, motion.n_frames, partial), *cut]
    if frame_rate is None:
        findings += _doubt_rate(frame_time, motion.n_frames)
    return motion.parsed(_plain_rate(frame_time) if frame_rate is None else float(frame_rate), findings)


def _with_names_in_utf8(content: bytes) -> tuple[bytes, list[Finding]]:
    """The file with joint names in UTF-8, where they are in Shift-JIS as Japanese programs write them.

    It has to be seen before words are: second bytes of Shift-JIS may be braces. A text is taken for Japanese where it
    is Shift-JIS from end to end and has kana, 左 or 右; other 8-bit text has no letters where their first bytes are.
    """
    motion = _MOTION.search(content, 0, _LIMITS.header)
    header = content[: motion.start()] if motion else content[: _LIMITS.header]
    try:
        header.decode("utf-8")
        return content, []
    except UnicodeDecodeError:
        words = header.decode("cp932", errors="replace")
    if "\N{REPLACEMENT CHARACTER}" in words or not _JAPANESE.search(words):
        return content, []
    message = "joint names are in Shift-JIS, as Japanese programs write them"
    return words.encode() + content[len(header) :], [Finding("shift-jis", message, doubtful=False)]


def _read_hierarchy(tokens: Tokens) -> list[_Joint]:
    tokens.expect("HIERARCHY")
    tokens.expect("ROOT")
    joints = [_read_name(tokens, NO_PARENT)]
    names = {joints[0].name}
    tokens.expect("{")
    open_joints = [0]
    n_columns = n_ends = 0
    while open_joints:
        joint = joints[open_joints[-1]]
        word = tokens.next()
        match word.upper():
            case "OFFSET":
                if joint.offset is not None:
                    tokens.fail(f"joint {quoted(joint.name)} has a second OFFSET line")
                joint.offset = _read_offset(tokens)
            case "CHANNELS":
                joint.channels = _read_channels(tokens, joint)
                joint.first_column = n_columns
                n_columns += len(joint.channels)
            case "JOINT":
                joints.append(_read_name(tokens, open_joints[-1]))
                if joints[-1].name in names:
                    tokens.fail(f"two joints are called {quoted(joints[-1].name)}; joint names must differ")
                if len(joints) > MOST_JOINTS or len(open_joints) >= DEEPEST:
                    tokens.fail(f"more than {MOST_JOINTS:,} joints, or {DEEPEST:,} below one another, are not read")
                names.add(joints[-1].name)
                open_joints.append(len(joints) - 1)
                tokens.expect("{")
            case "END":
                tokens.rest_of_line()  # "Site", or a name that some programs write there
                tokens.expect("{")
                tokens.expect("OFFSET")
                joint.ends.append(_read_offset(tokens))
                if (n_ends := n_ends + 1) > MOST_JOINTS:
                    tokens.fail(f"more than {MOST_JOINTS:,} end sites are not read")
                tokens.expect("}")
            case "}":
                if joint.offset is None:
                    tokens.fail(f"joint {quoted(joint.name)} ends without an OFFSET")
                open_joints.pop()
            case _:
                tokens.fail(f"expected OFFSET, CHANNELS, JOINT, End Site or }}, found {quoted(word)}")
    return joints


def _read_name(tokens: Tokens, parent: int) -> _Joint:
    """A joint's name is what is left of the line: it may hold blanks and colons."""
    name = tokens.rest_of_line() or tokens.next()
    if name in ("", "{", "}"):
        tokens.fail(f"expected the name of a joint, found {quoted(name)}")
    if len(name) > LONGEST_NAME:
        tokens.fail(f"expected a name of at most {LONGEST_NAME:,} letters, found {quoted(name)}")
    return _Joint(name, parent)


def _read_offset(tokens: Tokens) -> tuple[float, float, float]:
    return tokens.number("an offset"), tokens.number("an offset"), tokens.number("an offset")


def _read_channels(tokens: Tokens, joint: _Joint) -> list[tuple[str, str]]:
    if joint.channels is not None:
        tokens.fail(f"joint {quoted(joint.name)} has a second CHANNELS line")
    count = tokens.whole_number("the count of channels")
    if count > _LIMITS.channels:
        tokens.fail(f"a joint has at most {_LIMITS.channels} channels, found a count of {count}")
    channels = []
    for _ in range(count):
        word = tokens.next()
        if word.upper() not in _CHANNELS:
            tokens.fail(f"expected a channel such as Xposition or Zrotation, found {quoted(word)}")
        channels.append(_CHANNELS[word.upper()])
    positions = [axis for kind, axis in channels if kind == "POSITION"]
    if len(set(positions)) != len(positions):
        tokens.fail(f"joint {quoted(joint.name)} lists a position channel twice")
    order = "".join(axis for kind, axis in channels if kind == "ROTATION")
    if order:
        try:
            euler.check(order)
        except ValueError:
            tokens.fail(f"joint {quoted(joint.name)} turns about {' '.join(order)}, which is not a rotation order")
    return channels


def _read_motion_header(tokens: Tokens) -> tuple[int, float]:
    """How many frames the file says it has, and how long each lasts."""
    if tokens.peek().upper() == "ROOT":
        tokens.next()
        tokens.fail("a second ROOT: the file holds several skeletons; split it into a file for each")
    tokens.expect("MOTION")
    _expect_label(tokens, "Frames")
    declared = tokens.whole_number("the count of frames")
    tokens.expect("Frame")
    _expect_label(tokens, "Time")
    frame_time = tokens.number("the frame time")
    if frame_time <= 0:
        tokens.fail(f"expected a frame time above 0 seconds, found {frame_time:g}")
    if not is_usable(1.0 / frame_time):
        tokens.fail(f"expected a frame time of a microsecond to an hour, found {frame_time:g} s")
    if (extra := tokens.rest_of_line()) != "":
        tokens.fail(f"expected the end of the line after the frame time, found {quoted(extra)}")
    return declared, frame_time


def _expect_label(tokens: Tokens, label: str) -> None:
    """``Frames:``, also with a blank before the colon."""
    word = tokens.next()
    if word.upper() == label.upper() and tokens.peek() == ":":
        tokens.next()
    elif word.upper() != f"{label}:".upper():
        tokens.fail(f"expected {label}:, found {quoted(word)}")


def _whole_rows(tokens: Tokens, start: int, declared: int, n_columns: int) -> tuple[int, list[Finding]]:
    """Where the last row ends that is sure to be whole, and a finding where another begins after it.

    A file that is cut in the middle of a row has no line end there. What is left of the row may look whole, its last
    number shortened; only where it is the last row that was promised can it be believed.
    """
    end = tokens.content.rfind(b"\n", start) + 1 or start
    n_rows = sum(1 for row in tokens.content[start:end].split(b"\n") if row.strip())
    rest = tokens.content[end:].split(maxsplit=n_columns)
    looks_whole = len(rest) == n_columns and all(NUMBER.fullmatch(word) for word in rest)
    if not rest or (looks_whole and n_rows + 1 == declared):
        return len(tokens.content), []
    return end, [Finding("truncated", "the file ends within a row; that row is left out", frames=(n_rows,))]


def _compare_counts(tokens: Tokens, declared: int, actual: int, partial: bool) -> list[Finding]:
    if actual == 0:
        tokens.fail(f"the header promises {declared:,} frames, the file holds none")
    if actual == declared:
        return []
    if actual < declared and not partial:
        option = Option("partial", True)
        text = f"the header promises {declared:,} frames, the file ends after {actual:,}; {option} uses what there is"
        raise FormatError(tokens.path, tokens.line, text, option=option)
    message = f"the header says {declared:,} frames, the file has {actual:,} rows; all rows are kept"
    return [Finding("frame-count", message)]


def _doubt_rate(frame_time: float, n_frames: int) -> list[Finding]:
    """What to think of a frame time with which no movement can be followed; some programs write milliseconds."""
    if frame_time <= _LIMITS.frame_time or n_frames == 1:
        return []
    message = f"a frame lasts {frame_time:g} s, too long to show a movement; if these are milliseconds, name the rate"
    return [Finding("frame-rate-unsure", f"{message}: {_plain_rate(frame_time / 1000.0):g} frames per second")]


def _plain_rate(frame_time: float) -> float:
    """Frames per second of a frame time: a whole or film rate where the rounding of files allows it.

    Examples
    --------
    >>> _plain_rate(0.0083333), _plain_rate(0.041667), round(_plain_rate(0.0417083333), 3)
    (120.0, 24.0, 23.976)
    """
    rate = 1.0 / frame_time
    nearest = min((float(round(rate)), *_FILM_RATES), key=lambda plain: abs(plain - rate))
    return nearest if nearest > 0 and abs(nearest - rate) <= _LIMITS.rounding * rate else rate


# Rows turned into a motion, block by block as they are read. A table of all numbers is never made: fresh memory
# costs more time than the arithmetic.


@dataclass
class _Joint:
    """A joint as the hierarchy describes it."""

    name: str
    parent: int
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, str]] | None = None  # (POSITION or ROTATION, axis) in file order
    first_column: int = 0
    ends: list[tuple[float, float, float]] = field(default_factory=list)

    def columns(self, kind: str) -> list[int]:
        """Where the channels of this kind stand in a row, in file order."""
        channels = enumerate(self.channels or (), start=self.first_column)
        return [column for column, (channel, _) in channels if channel == kind]

    def axes(self, kind: str) -> str:
        """The axes of the channels of this kind, in file order; for rotations, their order."""
        return "".join(axis for channel, axis in self.channels or () if channel == kind)


class _Motion:
    """Collects rows of channel values in order, and returns the motion at the end."""

    def __init__(self, joints: list[_Joint], most_rows: int) -> None:
        self.joints = joints
        self.n_frames = 0
        self._placed = [i for i, joint in enumerate(joints) if joint.axes("POSITION")]
        self._place_columns = [column for i in self._placed for column in joints[i].columns("POSITION")]
        self._places = np.empty((most_rows, len(self._place_columns)))
        self._rotations = np.empty((most_rows, len(joints), 4))
        self._negated = np.zeros(len(joints), dtype=bool)  # whether a last rotation has not the sign of its angles
        angles, names = [joint.columns("ROTATION") for joint in joints], [joint.name for joint in joints]
        self._flips = FlipFinder(angles, names, sum(len(joint.channels or ()) for joint in joints))
        members_of: dict[str, list[int]] = {}  # joints with the same rotation order are turned together
        for i, joint in enumerate(joints):
            members_of.setdefault(joint.axes("ROTATION"), []).append(i)
        self._groups = [
            (order, _together(members), _together([column for i in members for column in angles[i]]))
            for order, members in members_of.items()
        ]

    def add(self, rows: Float[np.ndarray, "rows columns"]) -> None:
        """The next rows of the file."""
        first, after = self.n_frames, self.n_frames + len(rows)
        if after > len(self._rotations):  # more than the header promised
            self._places = _grown(self._places, after)
            self._rotations = _grown(self._rotations, after)
        self._places[first:after] = rows[:, self._place_columns]
        rotations = self._rotations[first:after]
        for order, together, columns in self._groups:
            if order:
                angles = rows[:, columns].reshape(len(rows), -1, len(order))
                if isinstance(together, slice):
                    euler.to_quaternion(angles, order, degrees=True, out=rotations[:, together])
                else:
                    rotations[:, together] = euler.to_quaternion(angles, order, degrees=True)
            else:
                rotations[:, together] = [1.0, 0.0, 0.0, 0.0]
        rotations[:, self._negated] *= -1.0
        running = self._rotations[max(first - 1, 0) : after]
        self._negated ^= _run_on(running, self._flips.add(rows, running))
        self.n_frames = after

    def parsed(self, frame_rate: float, findings: list[Finding]) -> Parsed:
        """The motion of all rows, in file units."""
        offsets = np.array([joint.offset for joint in self.joints], dtype=np.float64)
        size = float(np.abs(offsets).sum(axis=0).max()) or 1.0
        places = self._positions(offsets)
        added = _adds_to_offsets(places, offsets)
        if added:
            message = "position channels count from the joints' offsets"
            findings.append(Finding("added-positions", message, doubtful=False))
        places = {i: place + offsets[i] if i in added else place for i, place in places.items()}
        root_positions = places.pop(0, np.tile(offsets[0], (self.n_frames, 1)))
        sliding = [i for i, place in places.items() if np.ptp(place, axis=0).max() > _LIMITS.moves * size]
        for i in places.keys() - sliding:
            offsets[i] = places[i][0]
        if sliding:
            names = ", ".join(self.joints[i].name for i in sliding[:5]) + (", …" if len(sliding) > 5 else "")
            findings.append(Finding("sliding-joints", f"joints slide as well as turn: {names}", doubtful=False))
        return Parsed(
            skeleton=self._skeleton(offsets),
            root_positions=root_positions,
            rotations_wxyz=mark_continuous(owned(owned(self._rotations)[: self.n_frames])),
            frame_rate=frame_rate,
            sliding_joints=np.array(sliding, dtype=np.int64),
            slides=np.stack([places[i] for i in sliding], axis=1) if sliding else np.zeros((0, 0, 3)),
            findings=(*findings, *self._flips.findings()),
        )

    def _skeleton(self, offsets: Float[np.ndarray, "joints 3"]) -> Skeleton:
        return Skeleton.of(
            [joint.name for joint in self.joints],
            [joint.parent for joint in self.joints],
            offsets,
            ends=[(joint.name, list(end)) for joint in self.joints for end in joint.ends],
            rotation_orders=[joint.axes("ROTATION") for joint in self.joints],
        )

    def _positions(self, offsets: Float[np.ndarray, "joints 3"]) -> dict[int, Float[np.ndarray, "frames 3"]]:
        """The position channels, joint by joint; an axis without a channel stays at the offset."""
        out = {}
        column = 0
        for i in self._placed:
            out[i] = np.tile(offsets[i], (self.n_frames, 1))
            for axis in self.joints[i].axes("POSITION"):
                out[i][:, "XYZ".index(axis)] = self._places[: self.n_frames, column]
                column += 1
        return out


def _adds_to_offsets(
    places: dict[int, Float[np.ndarray, "frames 3"]], offsets: Float[np.ndarray, "joints 3"]
) -> frozenset[int]:
    """The joints whose position channels count from their OFFSET instead of taking its place.

    Programs disagree, and no file says which is meant. Where a joint's first position lies nearer to its offset than to
    zero, measured along the offset, the channels repeat the offset and so replace it. The root decides for itself, the
    other joints by vote.
    """

    def counts_from_offset(i: int) -> bool:
        offset = offsets[i]
        length = float(offset @ offset)
        return length > 0.0 and float(places[i][0] @ offset) < 0.5 * length

    others = [i for i in places if i != 0 and np.any(offsets[i])]
    votes = sum(counts_from_offset(i) for i in others)
    added = {i for i in places if i != 0} if 2 * votes > len(others) else set()
    return frozenset(added | ({0} if 0 in places and counts_from_offset(0) else set()))


def _together(members: list[int]) -> slice | list[int]:
    """Members that stand side by side, in order, as a slice, which costs no copy."""
    run = range(members[0], members[0] + len(members)) if members else range(0)
    return slice(run.start, run.stop) if members == list(run) else members


def _grown(array: Float[np.ndarray, " rows *rest"], least: int) -> Float[np.ndarray, " rows_then *rest"]:
    out = np.empty((least + least // 2, *array.shape[1:]))
    out[: len(array)] = array
    return out


def _run_on(q: Float[np.ndarray, "frames joints 4"], leaps: Leaps) -> Bool[np.ndarray, " joints"]:
    """Choose signs so that each frame is near the one before; returns which joints end negated."""
    opposite = leaps.nearness < 0.0
    frames, joints = leaps.frames[opposite], leaps.joints[opposite]
    negated = np.zeros(q.shape[1], dtype=bool)
    for joint in np.unique(joints):  # a few at most
        turns = np.zeros(len(q), dtype=bool)
        turns[frames[joints == joint]] = True
        turned = np.logical_xor.accumulate(turns)
        q[turned, joint] *= -1.0
        negated[joint] = turned[-1]
    return negated
