"""Frames of an Acclaim motion file line by line: slow, but takes bones in any order and knows where it is."""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass, field
from os import PathLike
from typing import NoReturn

import numpy as np
from jaxtyping import Float

from mocapella.errors import FormatError
from mocapella.files.amc_columns import Columns
from mocapella.files.tokens import NUMBER, as_number, shown, text
from mocapella.motion.report import Finding

_LINE = re.compile(rb"\S[^\n]*")
_LONGEST_LINE = 10_000  # bytes; a name and six numbers
_LONGEST_NUMBER = 15  # digits of a frame number
_CUT_NUMBER = re.compile(rb"[+-]?\d*(\.\d*)?([eE][+-]?\d*)?")


@dataclass(frozen=True, eq=False, repr=False)
class Lines:
    """The whole frames of a chunk."""

    numbers: Float[np.ndarray, " frames"]
    rows: Float[np.ndarray, "frames columns"]
    findings: list[Finding]


@dataclass
class _Frame:
    """A frame while its lines come in."""

    number: float
    line: int
    values: dict[int, list[float]] = field(default_factory=dict)  # by joint, in the order of the lines


class LineReader:
    """Reads chunks that begin with a frame number and end where another frame begins."""

    def __init__(self, path: str | PathLike[str], columns: Columns, usual: list[int], *, partial: bool = False) -> None:
        self.path = path
        self.partial = partial  # whether a file may end within a frame
        self.columns = columns
        self.usual = usual  # the joints in the order in which frames name them; empty before the first frame
        self.needed = [joint for joint, count in enumerate(columns.counts) if count]

    def read(self, chunk: bytes, line: int, row: int, *, last: bool) -> Lines:
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
                self._fail(line, f"expected the number of a frame, found {shown(text(words[0]))}")
            elif last and match.end() >= end and self._is_cut(words, frame):
                break
            else:
                self._read_bone(line, words, frame)
        findings = []
        if frame is not None and last and self.usual and self._is_beginning(frame):
            if not self.partial:
                reason = f"the file ends within frame {frame.number:.0f}; ask for a partial read to use those before it"
                self._fail(line, reason)
            message = f"the file ends within frame {frame.number:.0f}; that frame is left out"
            findings.append(Finding("truncated", message, frames=(row + len(numbers),)))
        elif frame is not None:
            self._close(frame, numbers, values)
        return Lines(np.array(numbers), np.array(values).reshape(len(numbers), self.columns.total), findings)

    def _words(self, line: int, match: re.Match[bytes]) -> list[bytes]:
        if match.end() - match.start() > _LONGEST_LINE:
            self._fail(line, f"a line of {match.end() - match.start():,} bytes is no bone of a frame")
        return match.group().partition(b"#")[0].split()

    def _open(self, line: int, word: bytes) -> _Frame:
        if len(word) > _LONGEST_NUMBER:
            self._fail(line, f"the frame number {shown(text(word))} is too large")
        return _Frame(float(word), line)

    def _read_bone(self, line: int, words: list[bytes], frame: _Frame) -> None:
        joint = self.columns.joints.get(text(words[0]))
        if joint is None:
            found = shown(text(words[0]))
            self._fail(
                line, f"{found} is no bone of {self.columns.skeleton_path}; does the motion belong to this skeleton?"
            )
        name = shown(self.columns.names[joint])
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
            self._fail(line, f"expected a number for {name}, found {shown(text(word))}")
        return value

    def _close(self, frame: _Frame, numbers: array[float], values: array[float]) -> None:
        """Keep a frame, if it is whole."""
        for joint in self.needed:
            if joint not in frame.values:
                name = shown(self.columns.names[joint])
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
        whole = len(words) == count + 1 and NUMBER.fullmatch(words[-1]) is not None
        return text(words[0]) == name and len(words) <= count + 1 and plain and not whole

    def _fail(self, line: int, reason: str) -> NoReturn:
        raise FormatError(self.path, line, reason)
