"""The frames of an Acclaim motion file as one table: a row for each frame, a column for each value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.errors import FormatError
from mocapella.files.amc_columns import Columns
from mocapella.files.amc_lines import LineReader
from mocapella.files.asf import AsfSkeleton
from mocapella.files.tokens import LARGEST_NUMBER, text
from mocapella.motion.report import Finding

_CHUNK = 1 << 19  # bytes decoded at a time: the words and floats between text and array stay few, and in the cache
_LONGEST_FRAME = 1 << 22  # bytes; the largest skeleton that is read fills a quarter of that
_FRAME_NUMBER = re.compile(rb"^[ \t]*\d+[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_COMMENT = re.compile(rb"#[^\n]*")
_FLAT = msgspec.json.Decoder(list[float])


@dataclass(frozen=True, eq=False, repr=False)
class AmcFrames:
    """What the frames say, as they say it."""

    values: Float[np.ndarray, "frames columns"]
    columns: Columns
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class _Pattern:
    """How a frame is laid out: a number, then names each followed by values."""

    n_words: int
    names: dict[int, tuple[int, bytes]]  # by joint in the order of the frame: which word, and how it is spelled
    order: tuple[int, ...]  # for every column, the word that holds its value

    @classmethod
    def of_frame(cls, words: list[bytes], columns: Columns) -> _Pattern | None:
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


def read_frames(
    path: str | PathLike[str], content: bytes, start: int, line: int, asf: AsfSkeleton, *, partial: bool = False
) -> AmcFrames:
    """All frames from byte ``start``, which is on ``line``; all line ends are newlines.

    Frames nearly always name the same bones in the same order, and then many are decoded at once. Where some differ, in
    spelling or in error, the chunk they are in is read line by line.
    """
    columns = Columns.of(asf)
    opening = _without_comments(content[start : start + _LONGEST_FRAME])
    pattern = _Pattern.of_frame(opening.split(maxsplit=columns.total + len(columns.names) + 2), columns)
    lines = LineReader(path, columns, [] if pattern is None else list(pattern.names), partial=partial)
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
            read = lines.read(chunk, line, n_frames, last=end == len(content))
            numbers.append(read.numbers)
            rows.append(read.rows)
            findings += read.findings
        n_frames += len(rows[-1])
        line += chunk.count(b"\n")
        start = end
    if n_frames == 0:
        raise FormatError(path, line, "expected frames, each a number and then a line for every bone, found none whole")
    return AmcFrames(np.concatenate(rows), columns, (*findings, *_doubt_numbers(np.concatenate(numbers))))


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
