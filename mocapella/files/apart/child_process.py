"""The script that opens a file with another library: limits first, then the library, then an answer and a quick end.

It imports nothing of this package, so that it starts quickly. The file is on standard input; its argument is JSON with
the limits, the module search path, the library and a script whose ``read(data, options)`` gives a header and numbers;
what its ``prepare()`` takes, where it has one, is not counted.
On standard output it leaves the length of the header, the header as JSON, and the numbers as bytes. It ends without
cleaning up, for that is where bindings crash.
"""

from __future__ import annotations

import array
import gc
import importlib
import json
import os
import runpy
import struct
import sys
from pathlib import Path
from typing import Any

_USUAL = 1 << 32  # bytes of addresses that a process has where the system does not tell


def _limit(memory: int, seconds: int) -> None:
    """Bound what this process takes more than it has, where the system can."""
    try:
        import resource
    except ImportError:  # on Windows the parent's clock alone bounds it
        return
    try:
        has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        has = _USUAL
    for what, most in ((resource.RLIMIT_AS, has + memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(what)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (least, hard))


def _main() -> None:
    gc.disable()
    answer = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no part of the answer
    options: dict[str, Any] = json.loads(sys.argv[1])
    sys.path[:] = options["path"]
    data = sys.stdin.buffer.read()
    importlib.import_module(options["library"])
    script = runpy.run_path(options["script"])
    script.get("prepare", int)()
    _limit(options["memory"], options["seconds"])
    numbers = array.array("d")
    try:
        header, numbers = script["read"](data, options)
    except MemoryError:
        header = {"error": "takes more memory than such a file is given"}
    except ValueError as error:
        header = {"error": str(error)[:300]}
    except Exception as error:  # a reader of others may raise anything; this process answers once and ends
        name = type(error).__name__.removesuffix("Error")
        header = {"error": f"is not a readable {options['name']} file ({name}: {str(error)[:200]})"}
    text = json.dumps(header).encode()
    with os.fdopen(answer, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.write(numbers.tobytes())
    os._exit(0)


if __name__ == "__main__":
    _main()
