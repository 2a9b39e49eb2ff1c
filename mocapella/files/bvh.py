"""BVH files, read and written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
from jaxtyping import Bool, Float

from mocapella.arrays import owned
from mocapella.checks import is_usable
from mocapella.errors import MotionError
from mocapella.files.conventions import FlipFinder, Leaps, Parsed, refuse_more_than_the_file_pays_for
from mocapella.files.disk import read_bytes, replacing
from mocapella.files.text import NUMBER, Tokens, most_rows_of, row_blocks, shown, without_lone_returns
from mocapella.geometry import euler
from mocapella.geometry.euler import fit
from mocapella.motion.clip import Clip, vouched
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import NO_PARENT, Skeleton

# The columns of a Biovision file turned into a motion, block by block as they are read.
#
# No table of all numbers is ever made: fresh memory costs more time than the arithmetic.

_MOVES = 1e-6  # of the skeleton's size: a position channel that varies by less is an offset written twice


@dataclass
class BvhJoint:
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
        return rotation_order(self.channels or [], kind)


def rotation_order(channels: list[tuple[str, str]], kind: str = "ROTATION") -> str:
    """The axes that a list of channels turns about, in order."""
    return "".join(axis for channel, axis in channels if channel == kind)


class BvhMotion:
    """Takes rows of channel values in order; knows the motion at the end."""

    def __init__(self, joints: list[BvhJoint], most_rows: int) -> None:
        self.joints = joints
        self.n_frames = 0
        self._placed = [i for i, joint in enumerate(joints) if joint.axes("POSITION")]
        self._place_columns = [column for i in self._placed for column in joints[i].columns("POSITION")]
        self._places = np.empty((most_rows, len(self._place_columns)))
        self._rotations = np.empty((most_rows, len(joints), 4))
        self._negated = np.zeros(
            len(joints), dtype=bool
        )  # joints whose last rotation has the other sign than its angles
        angles, names = [joint.columns("ROTATION") for joint in joints], [joint.name for joint in joints]
        self._flips = FlipFinder(angles, names, sum(len(joint.channels or ()) for joint in joints))
        self._groups = [(order, _together(members), _columns(joints, members)) for order, members in self._by_order()]

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
        root_positions = np.tile(offsets[0], (self.n_frames, 1))
        sliding: list[int] = []
        for i, place in places.items():
            moved = place + offsets[i] if i in added else place
            if i == 0:
                root_positions = moved
            elif np.ptp(moved, axis=0).max() > _MOVES * size:
                sliding.append(i)
            else:
                offsets[i] = moved[0]
            places[i] = moved
        if sliding:
            names = ", ".join(self.joints[i].name for i in sliding[:5]) + (", …" if len(sliding) > 5 else "")
            findings.append(Finding("sliding-joints", f"joints slide as well as turn: {names}", doubtful=False))
        return Parsed(
            skeleton=Skeleton.of(
                [joint.name for joint in self.joints],
                [joint.parent for joint in self.joints],
                offsets,
                ends=[(joint.name, list(end)) for joint in self.joints for end in joint.ends],
                rotation_orders=[joint.axes("ROTATION") for joint in self.joints],
            ),
            root_positions=root_positions,
            rotations_wxyz=vouched(owned(owned(self._rotations)[: self.n_frames])),
            frame_rate=frame_rate,
            sliding_joints=np.array(sliding, dtype=np.int64),
            slides=np.stack([places[i] for i in sliding], axis=1) if sliding else np.zeros((0, 0, 3)),
            findings=(*findings, *self._flips.findings()),
        )

    def _by_order(self) -> list[tuple[str, list[int]]]:
        """Joints with the same rotation order are turned together."""
        groups: dict[str, list[int]] = {}
        for i, joint in enumerate(self.joints):
            groups.setdefault(joint.axes("ROTATION"), []).append(i)
        return list(groups.items())

    def _positions(self, offsets: Float[np.ndarray, "joints 3"]) -> dict[int, Float[np.ndarray, "frames 3"]]:
        """What the position channels say, joint by joint; an axis without a channel stays at the offset."""
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
    whole = range(members[0], members[0] + len(members))
    return slice(whole.start, whole.stop) if members == list(whole) else members


def _columns(joints: list[BvhJoint], members: list[int]) -> slice | list[int]:
    """The columns of the angles of all members, one after another."""
    columns = [column for i in members for column in joints[i].columns("ROTATION")]
    return _together(columns) if columns else columns


def _grown(array: Float[np.ndarray, " rows *rest"], least: int) -> Float[np.ndarray, " rows_then *rest"]:
    out = np.empty((least + least // 2, *array.shape[1:]))
    out[: len(array)] = array
    return out


def _run_on(q: Float[np.ndarray, "frames joints 4"], leaps: Leaps) -> Bool[np.ndarray, " joints"]:
    """Choose the signs of all frames but the first so that each is near the one before; which joints end negated."""
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


# Biovision files written: the joint tree in words, then a row of channel values for every frame.

_BLOCK = 512  # rows formatted at a time
_DEFAULT_ORDER = "ZXY"
_FITS = 1e-9  # radians that may be left over when a rotation is written with fewer than three angles


def write_bvh(clip: Clip, path: str | PathLike[str], *, metres_per_unit: float = 0.01) -> None:
    """Write a clip as BVH, y up, in units of ``metres_per_unit`` (centimetres unless told otherwise).

    Every joint keeps the rotation order it was read with. Angles run on from frame to frame instead of flipping over at
    ±180°, so that curve editors show smooth curves. The root's OFFSET is zero and its position channels say where it
    is, which all programs understand alike. Raises ``MotionError`` for joint names that BVH has no way to write.
    """
    _refuse_unwritable_names(clip.skeleton.names)
    orders, angles = _angles(clip)
    sliding = {int(joint): i for i, joint in enumerate(clip.sliding_joints)}
    columns = []
    for joint in _depth_first(clip.skeleton):
        if joint == 0:
            columns.append(clip.root_positions / metres_per_unit)
        elif joint in sliding:
            columns.append(clip.slides[:, sliding[joint]] / metres_per_unit)
        columns.append(np.degrees(angles[joint]))
    rows = np.concatenate(columns, axis=1)
    with replacing(path) as file:
        for line in _hierarchy(clip, orders, set(sliding), metres_per_unit):
            file.write(line.encode() + b"\n")
        file.write(f"MOTION\nFrames: {clip.n_frames}\nFrame Time: {1.0 / float(clip.frame_rate)!r}\n".encode())
        for text in _formatted(rows):
            file.write(text)


def _refuse_unwritable_names(names: Sequence[str]) -> None:
    """A name ends with its line, and braces stand for themselves."""
    for name in names:
        written = name.encode(errors="replace").strip()
        if not written or written.decode() != name or any(sign in name for sign in "{}\r\n"):
            raise MotionError(f"BVH cannot name a joint {name!r}: no braces, line breaks or outer blanks; rename it")


def _formatted(rows: Float[np.ndarray, "frames columns"]) -> Iterator[bytes]:
    row = b" ".join([b"%.6f"] * rows.shape[1]) + b"\n"
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        yield row * len(block) % tuple(block.ravel().tolist())


def _angles(clip: Clip) -> tuple[list[str], list[Float[np.ndarray, "frames axes"]]]:
    """For every joint the order it is written with, and its angles in radians."""
    orders, angles = [], []
    for joint, known in enumerate(clip.skeleton.rotation_orders):
        q, order = clip.rotations_wxyz[:, joint], known or _DEFAULT_ORDER
        values = fit(q, order, within=_FITS)
        if values is None:  # the motion was edited and no longer fits the channels it came with
            order = euler.complete(order)
            values = euler.unroll(euler.from_quaternion(q, order), order)
        orders.append(order)
        angles.append(values)
    return orders, angles


def _hierarchy(clip: Clip, orders: list[str], sliding: set[int], metres_per_unit: float) -> Iterator[str]:
    skeleton = clip.skeleton
    offsets = np.array(skeleton.offsets)
    offsets[0] = 0.0
    offsets[clip.sliding_joints] = clip.slides[0]
    offsets /= metres_per_unit
    ends = skeleton.end_offsets / metres_per_unit
    yield "HIERARCHY"
    below = _children(skeleton)
    # A stack of what is still to be written instead of a call within a call: chains may be long.
    todo: list[tuple[str, int, int]] = [("open", 0, 0)]
    while todo:
        what, joint, depth = todo.pop()
        tab = "\t" * depth
        if what == "close":
            yield f"{tab}}}"
            continue
        positions = ["Xposition", "Yposition", "Zposition"] if joint == 0 or joint in sliding else []
        channels = positions + [f"{letter}rotation" for letter in orders[joint]]
        yield f"{tab}{'ROOT' if joint == 0 else 'JOINT'} {skeleton.names[joint]}"
        yield f"{tab}{{"
        yield f"{tab}\tOFFSET {_words(offsets[joint])}"
        yield f"{tab}\tCHANNELS {len(channels)} {' '.join(channels)}"
        for end in np.flatnonzero(skeleton.end_joints == joint):
            yield from (f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET {_words(ends[end])}", f"{tab}\t}}")
        todo.append(("close", joint, depth))
        todo.extend(("open", child, depth + 1) for child in reversed(below[joint]))


def _depth_first(skeleton: Skeleton) -> list[int]:
    """The joints in the order in which the file names them; skeletons may have theirs in another."""
    below = _children(skeleton)
    order, todo = [], [0]
    while todo:
        joint = todo.pop()
        order.append(joint)
        todo.extend(reversed(below[joint]))
    return order


def _children(skeleton: Skeleton) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in skeleton.names]
    for joint in range(1, skeleton.n_joints):
        below[skeleton.parents[joint]].append(joint)
    return below


def _words(offset: Float[np.ndarray, 3]) -> str:
    return " ".join(f"{value:.9g}" for value in offset.tolist())


# Frame rates from the rounded frame times that files state.

_FILM_RATES = tuple(rate * 1000 / 1001 for rate in (24, 30, 48, 60, 120))  # 23.976, 29.97, …
_ROUNDING = 1.5e-4  # files write 120 Hz as .0083333 or .00833, 24 Hz as 0.041667 or 0.0417


def plain_rate(frame_time: float) -> float:
    """The frames per second a frame time stands for: a whole or film rate where the rounding of files allows it.

    Examples
    --------
    >>> plain_rate(0.0083333), plain_rate(0.041667), round(plain_rate(0.0417083333), 3)
    (120.0, 24.0, 23.976)
    """
    rate = 1.0 / frame_time
    nearest = min((float(round(rate)), *_FILM_RATES), key=lambda plain: abs(plain - rate))
    return nearest if nearest > 0 and abs(nearest - rate) <= _ROUNDING * rate else rate


# Biovision files read: a joint tree in words, then a row of channel values for every frame.

MOST_JOINTS = 10_000
DEEPEST = 1_000  # joints below one another; a body has about ten, a chain or a tail some dozens
_MOST_CHANNELS = 6
_LONGEST_NAME = 1_000  # letters; names stand in messages and are searched for meaning
_CHANNELS = {f"{axis}{kind}": (kind, axis) for axis in "XYZ" for kind in ("POSITION", "ROTATION")}


def read_bvh(path: str | PathLike[str], *, partial: bool = False) -> Parsed:
    """The motion of a BVH file in its own units.

    Raises ``FormatError`` with line and reason for anything that is no complete BVH file. A file that ends before the
    frames its header promises is refused too, unless ``partial`` asks for what there is.
    """
    tokens = Tokens(path, without_lone_returns(read_bytes(path)))
    joints = _read_hierarchy(tokens)
    declared, frame_time = _read_motion_header(tokens)
    n_columns = sum(len(joint.channels or ()) for joint in joints)
    if n_columns == 0:
        tokens.fail("no joint has a channel, so nothing can move")
    rows_start, rows_line = tokens.next_line_start(), tokens.line + 1
    rows_end, cut = _whole_rows(tokens, rows_start, declared, n_columns) if partial else (len(tokens.content), [])
    most_rows = min(declared, most_rows_of(rows_end - rows_start, n_columns))
    refuse_more_than_the_file_pays_for(path, most_rows, n_columns, len(joints))
    motion = BvhMotion(joints, most_rows)
    for rows in row_blocks(path, tokens.content[:rows_end], rows_start, rows_line, n_columns):
        motion.add(rows)
    findings = _compare_counts(tokens, declared, motion.n_frames, partial)
    return motion.parsed(plain_rate(frame_time), [*findings, *cut])


def _read_hierarchy(tokens: Tokens) -> list[BvhJoint]:
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
                    tokens.fail(f"joint {shown(joint.name)} has a second OFFSET line")
                joint.offset = _read_offset(tokens)
            case "CHANNELS":
                joint.channels = _read_channels(tokens, joint)
                joint.first_column = n_columns
                n_columns += len(joint.channels)
            case "JOINT":
                joints.append(_read_name(tokens, open_joints[-1]))
                if joints[-1].name in names:
                    tokens.fail(f"two joints are called {shown(joints[-1].name)}; joint names must differ")
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
                    tokens.fail(f"joint {shown(joint.name)} ends without an OFFSET")
                open_joints.pop()
            case _:
                tokens.fail(f"expected OFFSET, CHANNELS, JOINT, End Site or }}, found {shown(word)}")
    return joints


def _read_name(tokens: Tokens, parent: int) -> BvhJoint:
    """A joint's name is what is left of the line: it may hold blanks and colons."""
    name = tokens.rest_of_line() or tokens.next()
    if name in ("", "{", "}"):
        tokens.fail(f"expected the name of a joint, found {shown(name)}")
    if len(name) > _LONGEST_NAME:
        tokens.fail(f"expected a name of at most {_LONGEST_NAME:,} letters, found {shown(name)}")
    return BvhJoint(name, parent)


def _read_offset(tokens: Tokens) -> tuple[float, float, float]:
    return tokens.number("an offset"), tokens.number("an offset"), tokens.number("an offset")


def _read_channels(tokens: Tokens, joint: BvhJoint) -> list[tuple[str, str]]:
    if joint.channels is not None:
        tokens.fail(f"joint {shown(joint.name)} has a second CHANNELS line")
    count = tokens.whole_number("the count of channels")
    if count > _MOST_CHANNELS:
        tokens.fail(f"a joint has at most {_MOST_CHANNELS} channels, found a count of {count}")
    channels = []
    for _ in range(count):
        word = tokens.next()
        if word.upper() not in _CHANNELS:
            tokens.fail(f"expected a channel such as Xposition or Zrotation, found {shown(word)}")
        channels.append(_CHANNELS[word.upper()])
    positions = [axis for kind, axis in channels if kind == "POSITION"]
    if len(set(positions)) != len(positions):
        tokens.fail(f"joint {shown(joint.name)} lists a position channel twice")
    order = rotation_order(channels)
    if order:
        try:
            euler.check(order)
        except ValueError:
            tokens.fail(f"joint {shown(joint.name)} turns about {' '.join(order)}, which is no rotation order")
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
        tokens.fail(f"expected the end of the line after the frame time, found {shown(extra)}")
    return declared, frame_time


def _expect_label(tokens: Tokens, label: str) -> None:
    """``Frames:``, also with a blank before the colon."""
    found = tokens.next()
    if found.upper() == label.upper() and tokens.peek() == ":":
        tokens.next()
    elif found.upper() != f"{label}:".upper():
        tokens.fail(f"expected {label}:, found {shown(found)}")


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
        tokens.fail(
            f"the header promises {declared:,} frames, the file ends after {actual:,}; "
            "ask for a partial read to use what there is"
        )
    message = f"the header says {declared:,} frames, the file has {actual:,} rows; all rows are kept"
    return [Finding("frame-count", message)]
