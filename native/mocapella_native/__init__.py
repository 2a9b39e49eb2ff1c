"""The native crowd core of mocapella: the fastest build that this processor runs.

``library()`` gives it as a ctypes library, or None; ``$MOCAPELLA_NATIVE`` names another one (a path), or ``off``.
"""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path

__version__ = "0.1.0"
FEW = "AVX2, four at a time"  # quicker for one to four characters, slower for many
BUILDS = (
    ("core_v4", "avx512vl", "AVX-512"),
    ("core_v3", "avx2", "AVX2"),
    ("core_n3", "avx2", FEW),
    ("core_v2", "sse4_2", "SSE4.2"),
)
PLAIN = "core_base", "", "128-bit"


def builds() -> list[tuple[str, Path]]:
    """Instruction set and file of every build that this processor runs, the fastest first."""
    here = Path(__file__).parent
    flags = _flags()
    found = []
    for name, need, shown in (*BUILDS, PLAIN):
        for suffix in (".so", ".dylib", ".dll"):
            own = here / f"{name}{suffix}"
            if own.exists() and (not need or need in flags):
                found.append((shown, own))
    return found


def library() -> tuple[str, ctypes.CDLL] | None:
    """The fastest build and its instruction set; None where there is none."""
    named = os.environ.get("MOCAPELLA_NATIVE", "")
    if named == "off":
        return None
    for shown, path in [("given", Path(named))] if named else builds():
        try:
            return shown, ctypes.CDLL(str(path))
        except OSError:
            continue
    return None


def library_for_few() -> ctypes.CDLL | None:
    """The build that is quickest for up to four characters; None where it is not another one."""
    if os.environ.get("MOCAPELLA_NATIVE"):
        return None
    for shown, path in builds():
        if shown == FEW:
            try:
                return ctypes.CDLL(str(path))
            except OSError:
                return None
    return None


def _flags() -> set[str]:
    """What the processor can do; nothing where that is not known, as on other systems than Linux."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return {"sse4_2"} if platform.machine().lower() in ("x86_64", "amd64") else set()
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return set(line.split())
