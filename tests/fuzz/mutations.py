"""Ways in which a file gets damaged; each takes bytes and a generator of chance and gives other bytes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from random import Random

LARGEST = 200_000  # bytes that duplication may grow a file to

_NUMBER = re.compile(rb"[+-]?\d+\.?\d*(?:[eE][+-]?\d+)?")
_ODD_NUMBERS = (
    *(b"nan", b"inf", b"-inf", b"1e999", b"-1e308", b"1e-320", b"1e200", b"4e-200", b"1e12", b"1e5", b"9" * 400),
    *(b"999999999999", b"1000000000000000000000000000", b"0", b"-0", b"-1", b"180", b"90.0000001", b"-90", b"1.2.3"),
    *(b"1_000", b"0x1f", b"1,5", b".", b"-", b"+", b"+-1", b"1e", b"e5", b"--1"),
)
_ODD_SIGNS = (
    *(
        b"{",
        b"}",
        b"(",
        b")",
        b"#",
        b":",
        b"\xc3\xa9",
        b"\xff\xfe",
        b"\x00",
        b"\r",
        b"\n",
        b"\t",
        b" ",
        b"\x0b",
        b"\x85",
    ),
    *(b"", b"JOINT", b"ROOT", b"End", b"MOTION", b"OFFSET", b"CHANNELS", b"Frames:", b"Xrotation", b"Zposition"),
    *(b"begin", b"end", b":root", b":hierarchy", b"root"),
)
_ODD_WORDS = _ODD_NUMBERS + _ODD_SIGNS
_LETTERS = b" \t\n\r\x00\xff.+-eE0123456789{}():#,_"


def flip_bits(content: bytes, rng: Random) -> bytes:
    """A few bits turn over."""
    out = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def change_letters(content: bytes, rng: Random) -> bytes:
    """A few letters become others that mean something to a parser."""
    out = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        out[rng.randrange(len(out))] = rng.choice(_LETTERS)
    return bytes(out)


def delete(content: bytes, rng: Random) -> bytes:
    """A stretch goes missing, mostly a short one."""
    start, stop = _stretch(content, rng)
    return content[:start] + content[stop:]


def duplicate(content: bytes, rng: Random) -> bytes:
    """A stretch comes twice, or very often."""
    start, stop = _stretch(content, rng)
    times = rng.choice((2, 2, 2, 3, 100))
    return content[:start] + (content[start:stop] * times)[:LARGEST] + content[stop:]


def insert(content: bytes, rng: Random) -> bytes:
    """Something that belongs elsewhere, or nowhere."""
    at = rng.randrange(len(content) + 1)
    word = rng.choice((rng.choice(_ODD_WORDS), rng.randbytes(rng.randint(1, 20))))
    return content[:at] + word + content[at:]


def shuffle_lines(content: bytes, rng: Random) -> bytes:
    """Lines change places, a few of them or all of a stretch."""
    lines = content.split(b"\n")
    if rng.random() < 0.5:
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    else:
        start = rng.randrange(len(lines))
        some = lines[start : start + rng.randint(2, 8)]
        rng.shuffle(some)
        lines[start : start + len(some)] = some
    return b"\n".join(lines)


def change_lines(content: bytes, rng: Random) -> bytes:
    """A line goes missing, comes twice, or loses its end."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    match rng.randrange(3):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case _:
            lines[at : at + 2] = [b" ".join(lines[at : at + 2])]
    return b"\n".join(lines)


def mangle_numbers(content: bytes, rng: Random) -> bytes:
    """Numbers become other numbers, or words that only look like some."""
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    out = content
    for match in sorted(rng.sample(found, min(len(found), rng.choice((1, 1, 1, 3)))), key=lambda m: -m.start()):
        word = match.group()
        others = (rng.choice(_ODD_WORDS), b"-" + word, word.replace(b".", b""), word + b"e" + word[:3], word * 3)
        out = out[: match.start()] + rng.choice(others) + out[match.end() :]
    return out


def replace_word(content: bytes, rng: Random) -> bytes:
    """A word gives way to an odd one."""
    words = list(re.finditer(rb"\S+", content))
    if not words:
        return content
    match = rng.choice(words)
    return content[: match.start()] + rng.choice(_ODD_WORDS) + content[match.end() :]


def truncate(content: bytes, rng: Random) -> bytes:
    """The end is missing, or the beginning."""
    at = rng.randrange(len(content))
    return content[:at] if rng.random() < 0.8 else content[at:]


def other_line_ends(content: bytes, rng: Random) -> bytes:
    """Line ends of another system, in all of the file or in some lines."""
    end = rng.choice((b"\r\n", b"\r", b"\n\n", b"\n\r"))
    return content.replace(b"\n", end, rng.choice((-1, 1, 5, 50)))


MUTATIONS: tuple[Callable[[bytes, Random], bytes], ...] = (
    flip_bits,
    change_letters,
    delete,
    duplicate,
    insert,
    shuffle_lines,
    change_lines,
    mangle_numbers,
    mangle_numbers,
    replace_word,
    truncate,
    other_line_ends,
)


def splice(content: bytes, other: bytes, rng: Random) -> bytes:
    """The beginning of one file and the end of another, or a stretch of another in the middle."""
    at = rng.randrange(len(content))
    start, stop = _stretch(other, rng)
    return content[:at] + other[start:] if rng.random() < 0.5 else content[:at] + other[start:stop] + content[at:]


def damaged(content: bytes, others: list[bytes], rng: Random) -> bytes:
    """One to three mutations, now and then a splice."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not content:
            break
        if rng.random() < 0.08:
            content = splice(content, rng.choice(others), rng)
        else:
            content = rng.choice(MUTATIONS)(content, rng)
    return content[:LARGEST]


def damaged_archive(content: bytes, rng: Random) -> bytes:
    """An archive whose sums are right, with damage inside of one member."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    name = rng.choice(list(members))
    head = members[name].index(b"\n") + 1
    if rng.random() < 0.7:  # what numpy parses is in the first line
        members[name] = damaged(members[name][:head], list(members.values()), rng) + members[name][head:]
    else:
        members[name] = damaged(members[name], list(members.values()), rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file:
        for other, inside in members.items():
            file.writestr(other, inside)
    return out.getvalue()


def _stretch(content: bytes, rng: Random) -> tuple[int, int]:
    start = rng.randrange(len(content))
    length = rng.choice((1, 2, 8, 40, 200, 2000))
    return start, start + rng.randint(1, length)
