"""The worker process: reads jobs from standard input, a line of JSON each, and answers on standard output."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import Literal

import msgspec

from mocapella.errors import MotionError
from mocapella.studio.workers.derivation import Tell
from mocapella.studio.workers.jobs import Ask

_MEMORY = 6 * 1024**3  # bytes of address space that a worker may take


class Reply(msgspec.Struct, frozen=True):
    """A word of a worker: its progress, its answer, or why it has none."""

    number: int
    kind: Literal["progress", "done", "failed", "broken"]
    stage: str = ""
    about: str = ""
    done: int = 0
    total: int = 0
    answer: msgspec.Raw = msgspec.Raw(b"null")
    message: str = ""


def main() -> None:
    """Answer jobs until standard input ends."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a library prints does not come between the answers
    _limit()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches every process of a terminal; the server ends workers
    for line in sys.stdin.buffer:
        ask = msgspec.json.decode(line, type=Ask)

        def tell(stage: str, about: str, done: int, total: int, number: int = ask.number) -> None:
            out.write(_line(Reply(number, "progress", stage, about, done, total)))

        out.write(_line(_answered(ask, tell)))


def _answered(ask: Ask, tell: Tell) -> Reply:
    try:
        return Reply(ask.number, "done", answer=msgspec.Raw(msgspec.json.encode(ask.answer(tell))))
    except MotionError as error:
        return Reply(ask.number, "failed", message=str(error))
    except MemoryError:
        return Reply(ask.number, "failed", message="this needs more memory than a file may take here")
    except Exception as error:  # our own mistake: the server goes on, and says so
        traceback.print_exc()
        return Reply(ask.number, "broken", message=f"{type(error).__name__}: {error}"[:300])


def _line(reply: Reply) -> bytes:
    return msgspec.json.encode(reply) + b"\n"


def _limit() -> None:
    """Lower the priority and bound the memory of this process, where the system can."""
    if sys.platform != "win32":
        import resource

        os.nice(5)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(
            resource.RLIMIT_AS, (_MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most), most)
        )


if __name__ == "__main__":
    main()
