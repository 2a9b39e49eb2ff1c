"""A file opened by a process of its own, and its answer checked."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.errors import FormatError
from mocapella.files.apart import child_process
from mocapella.files.budget import Budget
from mocapella.files.disk import read_bytes

LARGEST = 512 * 1024**2  # bytes of a file
MEMORY = 4 * 1024**3  # bytes that the process may take, however large the file is
_MOST_SECONDS = 60  # of computing, however large the file is
_PATIENCE = 120.0  # seconds of the clock, on a busy machine


def read_apart(
    path: Path, script: str, options: dict[str, Any], *, name: str, library: str
) -> tuple[dict[str, Any], Float[np.ndarray, " numbers"]]:
    """The answer of a library about a file, read in a process of its own.

    ``script`` is a Python file with ``read(data, options)``, which gives a dictionary for JSON and an ``array`` of
    doubles. ``options`` are what JSON can hold, for ``read``, which also gets the ``budget`` of the file in bytes.
    Raises ``FormatError`` where ``read`` refuses the file, or the process crashes, takes too long or too much memory.
    """
    data = read_bytes(path, most=LARGEST)
    budget = Budget(path, len(data))
    seconds = math.ceil(min(_MOST_SECONDS, budget.seconds))
    limits = {"memory": min(MEMORY, budget.left), "seconds": seconds, "budget": budget.left}
    what = {"path": sys.path, "script": script, "name": name, "library": library}
    words = [sys.executable, "-P", str(child_process.__file__), json.dumps(options | limits | what)]
    try:
        done = subprocess.run(words, input=data, capture_output=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise FormatError(path, 0, f"is not read within {_PATIENCE:g} seconds") from None
    except OSError as error:
        raise FormatError(path, 0, f"cannot be read: {error.strerror or error}") from None
    answer = done.stdout
    size = int.from_bytes(answer[:8], "little")
    if done.returncode != 0 or not 2 <= size <= len(answer) - 8 or (len(answer) - 8 - size) % 8:
        word = f"status {done.returncode}" if done.returncode >= 0 else f"signal {-done.returncode}"
        reason = f"{library}, which reads {name}, failed on it ({word}); the file is damaged or too large"
        raise FormatError(path, 0, reason)
    header = json.loads(answer[8 : 8 + size])
    if "error" in header:
        raise FormatError(path, 0, str(header["error"]))
    return header, np.frombuffer(answer[8 + size :], np.float64)
