"""The C library, compiled where a C++ compiler is, and called with ctypes."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

OK, BAD_ARGUMENT, BAD_FILE, CANNOT_READ, NO_MEMORY = range(5)
PARTS = ("crowd", "mocar", "network", "characters", "changes", "crossover")  # of its sources
ALL = -1  # for a character: every one of the set


def needed(there: object, reason: str) -> None:
    """Skip with a reason; in CI fail."""
    if not there:
        pytest.fail(reason, pytrace=False) if os.environ.get("CI") else pytest.skip(reason)


def compilers() -> tuple[list[str], list[str]] | None:
    """Commands that compile C++ and C; None where there are none."""
    if (cxx := os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")) is not None:
        return [cxx], [os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or "clang"]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "c++"], [sys.executable, "-m", "ziglang", "cc"]
    return None


def compiled(sources: Path, library: Path) -> None:
    """Compile the shared library of a folder of sources."""
    found = compilers()
    assert found is not None
    words = ["-std=c++17", "-O1", "-Wno-psabi", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti"]
    files = [str(sources / f"{name}.cpp") for name in PARTS]
    subprocess.run([*found[0], *words, *files, "-o", str(library)], check=True, timeout=300)


def build(folder: Path) -> tuple[Path, Path]:
    """The shared library and the program of the example, of an exported folder, as the example says it is built."""
    found = compilers()
    assert found is not None
    cxx, cc = found
    words = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-fPIC", "-fno-exceptions", "-fno-rtti"]
    objects = [f"{name}.o" for name in PARTS]
    sources = [f"src/{Path(name).with_suffix('.cpp')}" for name in objects]
    subprocess.run([*cxx, *words, "-c", *sources], cwd=folder, check=True, timeout=200)
    subprocess.run([*cxx, "-shared", *objects, "-o", "mocapella.so"], cwd=folder, check=True, timeout=200)
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    subprocess.run(
        [*cc, *strict, "-Iinclude", "poses.c", *objects, "-lm", "-o", "poses"], cwd=folder, check=True, timeout=200
    )
    return folder / "mocapella.so", folder / "poses"


class Beginning(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_double) for name in ("x", "z", "heading", "phase")), ("point", ctypes.c_double * 2)]


class State(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_double) for name in ("x", "z", "heading", "phase")),
        ("point", ctypes.c_double * 2),
        ("goal", ctypes.c_double * 2),
        ("planted", ctypes.c_int),
    ]


class ChangeInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        *((name, ctypes.c_int) for name in ("source", "source_node", "target", "target_node")),
        ("at", ctypes.c_double * 2),
        ("to", ctypes.c_double * 2),
        *((name, ctypes.c_double) for name in ("phase", "mirrored_phase", "seconds")),
    ]


class Library:
    """The functions of mocapella.h; those that fail return their status."""

    def __init__(self, path: Path) -> None:
        self.core = ctypes.CDLL(str(path))
        self.core.mocapella_error.restype = ctypes.c_char_p
        self.core.mocapella_network_free.restype = self.core.mocapella_free.restype = None

    @property
    def error(self) -> str:
        return self.core.mocapella_error().decode("utf-8", "replace")

    def parse(self, data: bytes) -> tuple[int, ctypes.c_void_p]:
        out = ctypes.c_void_p()
        status = self.core.mocapella_parse(data, ctypes.c_size_t(len(data)), ctypes.byref(out))
        return status, out

    def create(self, network: ctypes.c_void_p, n: int) -> tuple[int, ctypes.c_void_p]:
        out = ctypes.c_void_p()
        return self.core.mocapella_create(network, n, ctypes.byref(out)), out

    def aim(self, characters: ctypes.c_void_p, who: int, x: float, y: float) -> int:
        return self.core.mocapella_aim(characters, who, ctypes.c_double(x), ctypes.c_double(y))

    def steer(self, characters: ctypes.c_void_p, who: int, turn: float, speed: float) -> int:
        return self.core.mocapella_steer(characters, who, ctypes.c_double(turn), ctypes.c_double(speed))

    def step(self, characters: ctypes.c_void_p, seconds: float) -> int:
        return self.core.mocapella_step(characters, ctypes.c_double(seconds))

    def begin(self, characters: ctypes.c_void_p, who: int, *numbers: float) -> int:
        given = Beginning(*numbers[:4], (ctypes.c_double * 2)(*numbers[4:]))
        return self.core.mocapella_begin(characters, who, ctypes.byref(given))

    def now(self, characters: ctypes.c_void_p, who: int) -> tuple[int, State]:
        out = State()
        return self.core.mocapella_now(characters, who, ctypes.byref(out)), out

    def enter(self, characters: ctypes.c_void_p, who: int, block: int, x: float, y: float) -> int:
        return self.core.mocapella_enter(characters, who, block, ctypes.c_double(x), ctypes.c_double(y))

    def doing(self, characters: ctypes.c_void_p, who: int) -> tuple[int, int, int, float]:
        """Activity, block, change and seconds."""
        words, seconds = [ctypes.c_int() for _ in range(3)], ctypes.c_double()
        found = self.core.mocapella_doing(characters, who, *map(ctypes.byref, words), ctypes.byref(seconds))
        assert found == OK, self.error
        return (*(word.value for word in words), seconds.value)

    def change(self, network: ctypes.c_void_p, number: int) -> tuple[int, ChangeInfo]:
        out = ChangeInfo()
        return self.core.mocapella_change(network, number, ctypes.byref(out)), out

    def block(self, network: ctypes.c_void_p, number: int) -> tuple[str, ctypes.c_void_p]:
        name, out = ctypes.c_char_p(), ctypes.c_void_p()
        assert self.core.mocapella_block(network, number, ctypes.byref(name), ctypes.byref(out)) == OK, self.error
        return name.value.decode(), out

    def count(self, network: ctypes.c_void_p, what: int) -> int:
        out = ctypes.c_int(-1)
        assert self.core.mocapella_count(network, what, ctypes.byref(out)) == OK
        return out.value

    def read(self, what: str, characters: ctypes.c_void_p, who: int, n: int, room: int | None = None) -> np.ndarray:
        out = np.full(n, np.nan, dtype=np.float32)
        size = ctypes.c_size_t(n if room is None else room)
        assert getattr(self.core, f"mocapella_{what}")(characters, who, ctypes.c_void_p(out.ctypes.data), size) == OK
        return out
