"""Files on which a reader dies or fails, for tests of the fuzzer itself."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from tests.fuzz.cases import Files, Kind


def _samples() -> list[Files]:
    return [{"a.txt": b"whole"}]


def _damaged(files: Files, rng: Random) -> Files:
    return {"a.txt": rng.randbytes(1)}


def _read(folder: Path) -> str:
    content = (folder / "a.txt").read_bytes()
    if content == b"whole":
        return "done"
    if content[0] % 2:
        os.abort()
    raise KeyError("even")


DYING = Kind(_samples, _damaged, _read)
