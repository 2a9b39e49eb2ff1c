"""What people call a motion: words of its file's name, its folder's, a text beside it, and lists of many motions."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path, PurePath

from mocapella.library.entries import file_of

_LARGEST_NOTE = 4096  # bytes of a text file beside a motion that is read for words
_LARGEST_LIST = 8 << 20  # bytes of a list of motions
_LISTS = (".txt", ".tsv", ".csv")
_MOST_LISTS = 16  # in one folder
_ABOVE = 2  # folders in which a list of a motion may lie: its own, and the one above
_NOT_WORDS = {"bvh", "amc", "take", "mocap", "capture", "clip", "motion"}
_FILE_COLUMNS = ("file", "filename", "path", "name", "clip", "id")
_WORD_COLUMNS = (
    "description", "motion", "action", "words", "word", "labels", "label", "style", "styles", "mood", "tags", "caption",
    "text",
)  # fmt: skip

_Said = Mapping[str, Sequence[tuple[tuple[str, ...], str]]]  # by stem: the folders that were named, and the words


def words_of(path: Path) -> tuple[str, ...]:
    """The words by which people call a motion.

    ``path`` is a motion file, or names an animation of one, ``pack.glb#Walk``. Words beside it stand in a file of the
    same name that ends in ``.txt``, or in a list of many motions in its folder or the one above: a text with a line for
    each, its name first, or a table with columns such as ``file`` and ``description``. The result is in lower case, in
    order, each once; numbers are left out.
    """
    file = file_of(path)
    animation = str(path)[len(str(file)) :]
    texts = " ".join([file.parent.name, file.stem, animation, notes_on(file)])
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", texts)
    words = (word.lower() for word in re.findall(r"[^\W\d_]{2,}", split))
    return tuple(dict.fromkeys(word for word in words if word not in _NOT_WORDS))


def notes_on(path: Path) -> str:
    """What texts beside a motion and lists of many say of it. The result is empty where there are none."""
    texts = []
    beside = path.with_suffix(".txt")
    if beside.is_file() and beside.stat().st_size <= _LARGEST_NOTE:
        texts.append(beside.read_text(encoding="utf-8", errors="replace"))
    for folder in path.absolute().parents[:_ABOVE]:
        for said in _said_in(folder):
            texts += [words for above, words in said.get(path.stem.lower(), ()) if _lies_in(path, above)]
    return " ".join(texts)


def _lies_in(path: Path, above: tuple[str, ...]) -> bool:
    """Whether a motion lies in the folders that a list names before it."""
    return not above or tuple(part.lower() for part in path.absolute().parent.parts[-len(above) :]) == above


def _said_in(folder: Path) -> list[_Said]:
    """What the lists in a folder say of motions."""
    try:
        lists = _lists_in(folder, folder.stat().st_mtime_ns)
        return [_read(path, (status := path.stat()).st_size, status.st_mtime_ns) for path in lists]
    except OSError:
        return []


@lru_cache(maxsize=64)
def _lists_in(folder: Path, changed: int) -> tuple[Path, ...]:
    """The files in a folder that may be lists: texts and tables that lie beside no motion of their name."""
    files = [path for path in folder.iterdir() if path.is_file()]
    motions = {path.stem for path in files if path.suffix.lower() not in _LISTS}
    lists = sorted(path for path in files if path.suffix.lower() in _LISTS and path.stem not in motions)
    return tuple(lists[:_MOST_LISTS])


@lru_cache(maxsize=64)
def _read(path: Path, size: int, changed: int) -> _Said:
    """What a list says, by the names of motions."""
    out: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    if size > _LARGEST_LIST:
        return out
    text = path.read_text(encoding="utf-8", errors="replace")
    for name, words in _rows_of_table(text) if path.suffix.lower() == ".csv" else _lines_of(text):
        parts = [part.lower() for part in PurePath(name.strip().replace("\\", "/")).parts if part not in (".", "/")]
        if parts:
            out.setdefault(PurePath(parts[-1]).stem, []).append((tuple(parts[:-1]), words))
    return out


def _lines_of(text: str) -> Iterator[tuple[str, str]]:
    """First word and the rest of each line."""
    for line in text.splitlines():
        name, *rest = re.split(r"[\s,;]+", line.strip(), maxsplit=1)
        if name and rest:
            yield name, rest[0]


def _rows_of_table(text: str) -> Iterator[tuple[str, str]]:
    """The file and what is said of it in each row of a table with named columns."""
    try:
        rows = csv.DictReader(text.splitlines())
        columns = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
        file = next((columns[name] for name in _FILE_COLUMNS if name in columns), None)
        said = [columns[name] for name in _WORD_COLUMNS if name in columns]
        if file is None or not said:
            return
        for row in rows:
            yield row[file] or "", " ".join(row[name] or "" for name in said)
    except csv.Error:
        return
