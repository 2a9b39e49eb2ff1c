"""The pool of worker processes: gives each a job with a limit of time, and replaces processes that were lost."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeVar, get_type_hints

import msgspec

from mocapella.errors import MotionError
from mocapella.studio.messages.answers import Progress
from mocapella.studio.messages.fields import Answer, copied
from mocapella.studio.workers.job_process import Reply
from mocapella.studio.workers.jobs import Ask

_TIME = 300.0  # seconds that a job may take
_LINE = 256 * 1024**2  # bytes of an answer at most

T = TypeVar("T")
_Told = Callable[[Reply], None]


class _StoppedError(MotionError):
    """A job was stopped by hand."""


class _Worker:
    """One process, and the job it is at."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.number = 0

    @classmethod
    async def start(cls) -> _Worker:
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        words = (sys.executable, "-m", "mocapella.studio.workers.job_process")
        env, pipe = {**os.environ, **dict.fromkeys(names, "1")}, asyncio.subprocess.PIPE
        return cls(await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, env=env, limit=_LINE))

    def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()


class Pool:
    """Worker processes, started when first needed."""

    def __init__(self, size: int = 2, *, seconds: float = _TIME) -> None:
        self._seconds = seconds
        self._free: list[_Worker] = []
        self._busy: dict[int, _Worker] = {}
        self._stopped: set[int] = set()
        self._turns = asyncio.Semaphore(size)
        self._numbers = itertools.count(1)

    def next_number(self) -> int:
        """A number for a job, by which it can be stopped before it has begun."""
        return next(self._numbers)

    async def run(
        self,
        job: Callable[..., T],
        *,
        progress: _Told = lambda reply: None,
        number: int | None = None,
        seconds: float = 0.0,
    ) -> T:
        """Do a job: a ``partial`` of a function of ``jobs``. ``progress`` is called with its progress.

        ``number`` is from ``next_number``; a new one if None. Raises ``MotionError`` where the job's values cannot be
        used, it took too long or too much memory, or was stopped.
        """
        assert isinstance(job, partial)
        number = self.next_number() if number is None else number
        limit = self._seconds + seconds
        async with self._turns:
            if number in self._stopped:
                self._stopped.discard(number)
                raise _StoppedError("stopped")
            worker = self._free.pop() if self._free else await _Worker.start()
            self._busy[number] = worker
            try:
                reply = await asyncio.wait_for(self._asked(worker, Ask.of(number, job), progress), limit)
            except TimeoutError:
                worker.kill()
                raise MotionError(f"this took longer than {limit:g} s and was stopped") from None
            except BaseException:
                worker.kill()  # its answer would come in the place of the next one's
                raise
            finally:
                del self._busy[number]
                self._stopped.discard(number)
            self._free.append(worker)
        if reply.kind == "done":
            answer: T = msgspec.json.decode(reply.answer, type=get_type_hints(job.func)["return"])
            return answer
        raise MotionError(reply.message if reply.kind == "failed" else f"a fault of this program: {reply.message}")

    async def _asked(self, worker: _Worker, ask: Ask, progress: _Told) -> Reply:
        stdin, stdout = worker.process.stdin, worker.process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(BrokenPipeError, ConnectionResetError):  # it has ended: the next line says so
            stdin.write(msgspec.json.encode(ask) + b"\n")
            await stdin.drain()
        while line := await stdout.readline():
            reply = msgspec.json.decode(line, type=Reply)
            if reply.number != ask.number:
                continue
            if reply.kind != "progress":
                return reply
            progress(reply)
        await worker.process.wait()
        if ask.number in self._stopped:
            raise _StoppedError("stopped")
        raise MotionError("the process that worked on this came to an end, out of memory or time")

    def stop(self, number: int = 0) -> None:
        """Stop a job that is under way or waits for its turn; all that are under way if 0."""
        for running, worker in list(self._busy.items()):
            if number in (0, running):
                self._stopped.add(running)
                worker.kill()
        if number and number not in self._busy:
            self._stopped.add(number)

    async def warm(self) -> None:
        """Start a worker that waits for the first job."""
        if not self._free and not self._busy:
            self._free.append(await _Worker.start())

    async def close(self) -> None:
        """End all workers."""
        workers = [*self._free, *self._busy.values()]
        for worker in workers:
            worker.kill()
        await asyncio.gather(*(worker.process.wait() for worker in workers))
        self._free.clear()


@contextmanager
def telling(broadcast: Callable[[Answer], None], number: int, title: str) -> Iterator[_Told]:
    """Tell pages how far a job is, and at the end whether it was done, failed or was stopped."""

    def told(reply: Reply) -> None:
        broadcast(copied(Progress, reply, job=number, title=title))

    stage = "failed"
    try:
        yield told
        stage = "done"
    except _StoppedError:
        stage = "cancelled"
        raise
    finally:
        broadcast(Progress(job=number, title=title, stage=stage))  # type: ignore[arg-type]
