"""TOML of strangers ends in tables or in one line that names the place, in bounded time."""

from __future__ import annotations

import pytest

from mocapella.errors import FormatError
from mocapella.toml import LARGEST, read_toml


def test_what_people_write_is_read():
    text, tables = read_toml("a.toml", b'\xef\xbb\xbf[roles]\nhead = "a.b.c"\nat = [[1, 2], [3.5, 4]]\n')
    assert text.startswith("[roles]")
    assert tables == {"roles": {"head": "a.b.c", "at": [[1, 2], [3.5, 4]]}}


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"a" + b".a" * 20_000 + b" = 1\n", 1, "is nested more than 32 deep"),
        (b"[" + b".".join([b"t"] * 20_000) + b"]\n", 1, "is nested more than 32 deep"),
        (b"x = 1\na = " + b"[" * 5_000 + b"]" * 5_000 + b"\n", 2, "is nested more than 32 deep"),
        (b"a = [\n" * 5_000, 2, "is not TOML"),
        (b"a = " + b"[\n" * 5_000 + b"]" * 5_000, 1, "is no"),
        (b"n = " + b"9" * 5_000 + b"\n", 1, "a number of more than 400 digits"),
        (b'a = "\\ud800"\n', 1, "is not TOML"),
        (b"a = 1\nb = \xff\n", 2, "is not UTF-8 text"),
        (b"#" * (LARGEST + 1), 0, "holds more than 1 MiB"),
        (b"a = 1\na = 2\n", 2, "is not TOML"),
    ],
)
def test_what_no_person_writes_is_refused_with_its_line(content, line, reason):
    with pytest.raises(FormatError, match=reason) as caught:
        read_toml("a.toml", content)
    assert caught.value.line >= line
