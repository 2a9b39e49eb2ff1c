"""Networks for other programs (.mocar) for the fuzzer: the C library and its WebAssembly build agree on every file."""

from __future__ import annotations

import json
import select
import shutil
import subprocess
import zlib
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from mocapella.exporting.embedding import RUNTIME, WASM
from mocapella.exporting.mocar import mocar_bytes
from tests.crowd.samples import walks
from tests.exporting import damaged
from tests.exporting.hybrids import twirling
from tests.exporting.library import BAD_FILE, OK, Library, compiled, compilers
from tests.fuzz.cases import Files, Kind

_ROOT = Path(__file__).resolve().parents[2]
_SOURCES = _ROOT / "native" / "src"
_LIBRARY = _ROOT / "native" / "build" / "library.so"
_PATIENCE = 60.0  # seconds that the WebAssembly build may take for a file, on a busy machine


@cache
def _files() -> list[Files]:
    return [{"network.mocar": mocar_bytes(network)} for network in (walks(), walks(harmonics=3), twirling())]


def _damaged(files: Files, rng: Random) -> Files:
    return {"network.mocar": damaged.damage(files["network.mocar"], np.random.default_rng(rng.randrange(2**63)))}


@cache
def _library() -> Library | None:
    """The C library, compiled where its sources are newer; None where there is no compiler."""
    if compilers() is None:
        return None
    if not _LIBRARY.exists() or _LIBRARY.stat().st_mtime < max(path.stat().st_mtime for path in _SOURCES.iterdir()):
        _LIBRARY.parent.mkdir(exist_ok=True)
        compiled(_SOURCES, _LIBRARY)
    return Library(_LIBRARY)


class _Node:
    """A Node process that parses and plays files in WebAssembly."""

    def __init__(self, node: str) -> None:
        words = [node, str(Path(__file__).with_name("mocar.mjs")), str(RUNTIME)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def told(self, path: Path) -> dict[str, str]:
        """What became of a file: ``outcome``, and ``reason`` where it was refused."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n".encode())
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], _PATIENCE)[0]:
            self._process.kill()
            _node.cache_clear()
            raise AssertionError(f"WebAssembly: no answer for {_PATIENCE:g} seconds")
        line = self._process.stdout.readline()
        if not line:
            _node.cache_clear()
            raise AssertionError(f"WebAssembly: Node ended with {self._process.wait()}")
        return json.loads(line)


@cache
def _node() -> _Node | None:
    node = shutil.which("node")
    return _Node(node) if node and (RUNTIME / WASM).is_file() else None


def _missing() -> str:
    lacking = [what for what, there in (("a C++ compiler", _library()), (f"node and {WASM}", _node())) if there is None]
    return f"no {' and no '.join(lacking)}" if lacking else ""


def _parse_and_play(folder: Path) -> str:
    path = folder / "network.mocar"
    content, library, node = path.read_bytes(), _library(), _node()
    assert library is not None
    assert node is not None
    status, network = library.parse(content)
    assert status in (OK, BAD_FILE), library.error
    reason = library.error if status else ""
    if status:
        assert reason, "refused without a reason"
        assert not network.value
    else:
        damaged.play(library, network, np.random.default_rng(zlib.crc32(content)))
    told = node.told(path)
    assert told["outcome"] in ("played", "refused"), f"WebAssembly: {told}"
    assert told["reason"] == reason, f"C says {reason!r}, WebAssembly {told['reason']!r}"
    return "refused" if status else "played"


MOCAR = Kind(_files, _damaged, _parse_and_play, 1.0, _missing)
