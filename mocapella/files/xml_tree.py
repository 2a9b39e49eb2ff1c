"""XML files as trees of elements with their lines; what may make a small file large is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np
from jaxtyping import Float

from mocapella.errors import FormatError
from mocapella.files.budget import Budget
from mocapella.files.disk import read_bytes
from mocapella.files.text import LARGEST_NUMBER, quoted

_LARGEST = 512 * 1024**2  # bytes of a file
_DEEPEST = 1000  # elements above one
_ROWS = 256  # read at a time: words take ten times the memory of what they spell


class XmlElement:
    """An element: its name without a prefix, what it holds, and the line where it begins."""

    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[XmlElement] = []
        self.text = ""

    def all(self, *tags: str) -> list[XmlElement]:
        """The elements in it that are called so; each further tag goes one level down."""
        level = [self]
        for tag in tags:
            level = [child for element in level for child in element.children if child.tag == tag]
        return level

    def first(self, *tags: str) -> XmlElement | None:
        """The first of those, or None."""
        return next(iter(self.all(*tags)), None)

    def words(self, *tags: str) -> str:
        """The text of the first of those, without the blanks round it; "" where there is none."""
        element = self.first(*tags)
        return "" if element is None else element.text.strip()


def read_xml(path: Path) -> tuple[XmlElement, Budget]:
    """The outermost element of a file.

    Raises ``FormatError`` with its line where it is no XML, is nested too deep, or has a document type: entities of
    one could stand for gigabytes, or for other files.
    """
    content = read_bytes(path, most=_LARGEST)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    open_elements = [XmlElement("", {}, 0)]
    texts: list[list[str]] = [[]]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_elements) > _DEEPEST:
            raise FormatError(path, parser.CurrentLineNumber, f"elements are nested more than {_DEEPEST} deep")
        element = XmlElement(tag.rpartition(":")[2], attributes, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)
        texts.append([])

    def end(_: str) -> None:
        open_elements.pop().text = "".join(texts.pop())

    def refuse(*_: object) -> None:
        raise FormatError(path, parser.CurrentLineNumber, "has a document type, which is not read: it may name others")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: texts[-1].append(text)
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise FormatError(path, error.lineno, f"is not XML: {expat.ErrorString(error.code)}") from None
    except (LookupError, ValueError) as error:  # an encoding that is none, or no single bytes
        raise FormatError(path, 1, f"is not XML: {error}") from None
    return open_elements[0].children[0], Budget(path, len(content))


def number_rows(
    path: Path, elements: Sequence[XmlElement], n_columns: int | None = None
) -> Float[np.ndarray, "rows columns"]:
    """The numbers of some elements, as many in each; as many as the first has if None.

    Raises ``FormatError`` with the line of the element that holds anything else.
    """
    if n_columns is None:
        n_columns = len(elements[0].text.split())
    out = np.empty((len(elements), n_columns))
    for first in range(0, len(elements), _ROWS):
        rows = elements[first : first + _ROWS]
        words = " ".join(row.text for row in rows).split()
        try:
            values = np.array(words, dtype=np.float64) if len(words) == n_columns * len(rows) else None
        except ValueError:
            values = None
        if values is None or not (np.abs(values) <= LARGEST_NUMBER).all():
            _refuse_numbers(path, rows, n_columns)
        out[first : first + len(rows)] = np.reshape(values, (len(rows), n_columns))
    return out


def _refuse_numbers(path: Path, elements: Sequence[XmlElement], n_columns: int) -> NoReturn:
    """Raise ``FormatError`` at the first element that does not hold so many numbers."""
    for element in elements:
        words = element.text.split()
        for word in words:
            try:
                usable = abs(float(word)) <= LARGEST_NUMBER
            except ValueError:
                usable = False
            if not usable:
                raise FormatError(path, element.line, f"expected a number in <{element.tag}>, found {quoted(word)}")
        if len(words) != n_columns:
            reason = f"expected {n_columns:,} numbers in <{element.tag}>, found {len(words):,}"
            raise FormatError(path, element.line, reason)
    raise AssertionError("numbers that were refused are usable")
