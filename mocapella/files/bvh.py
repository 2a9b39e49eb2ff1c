"""Biovision files read: a joint tree in words, then a row of channel values for every frame."""

from __future__ import annotations

from os import PathLike

from mocapella.files.bvh_motion import BvhJoint, BvhMotion, rotation_order
from mocapella.files.disk import read_bytes
from mocapella.files.frame_times import plain_rate
from mocapella.files.numbers import most_rows_of, row_blocks
from mocapella.files.parsed import Parsed, refuse_more_than_the_file_pays_for
from mocapella.files.tokens import NUMBER, Tokens, shown, without_lone_returns
from mocapella.geometry import euler
from mocapella.motion.frame_rates import is_usable
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import NO_PARENT

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
