"""Many cases of the fuzzer in processes of their own, and what is found in them, with the files that show it."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path

from tests.fuzz.cases import Kind, judged, write_files
from tests.fuzz.kinds import KINDS

_PATIENCE = 120.0  # seconds without an answer after which a process is taken to hang, on a busy machine as well
_MOST_MEMORY = 4 * 1024**3  # bytes that a process may have, so that a finding does not fill the machine
_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # options of mallopt
_SHOWN = 20  # findings that are printed


@dataclass(frozen=True)
class _Answer:
    """What became of a case; ``place`` is where in the sources it failed, and empty where it did not."""

    outcome: str
    seconds: float = 0.0
    place: str = ""
    story: str = ""


@dataclass
class Campaign:
    """Cases of one seed, as many as there is time for; each finding is printed once and its files are kept."""

    seed: int
    kinds: Mapping[str, Kind]
    findings: Path  # the folder that they are kept in
    n_found: int = 0
    places: set[str] = field(default_factory=set)
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def run(self, seconds: float, jobs: int, most: int | None = None) -> bool:
        """Run cases for so long, and at most so many; whether nothing was found."""
        end = time.monotonic() + seconds
        with tempfile.TemporaryDirectory(prefix="mocapella-fuzz-") as room:
            workers = [_Worker(self.seed, self.kinds, Path(room) / str(i)) for i in range(jobs)]
            try:
                self._keep_busy(workers, end, most)
            finally:
                for worker in workers:
                    worker.stop()
        for name, counted in self.outcomes.items():
            told = ", ".join(f"{count:,} {what}" for what, count in counted.most_common())
            print(f"{name}: {told} in {self.spent[name]:.0f} s", flush=True)
        return not self.n_found

    def _keep_busy(self, workers: list[_Worker], end: float, most: int | None) -> None:
        while time.monotonic() < end and (most is None or sum(map(Counter.total, self.outcomes.values())) < most):
            for worker in workers:
                if worker.task is None:
                    worker.begin(*self._next())
            ready = wait([worker.answers for worker in workers], timeout=1.0)
            for worker in workers:
                if worker.answers in ready or worker.hangs:
                    self._note(worker)

    def _next(self) -> tuple[str, int]:
        """A case of the kind that has had least of its share of the time."""
        name = min(self.kinds, key=lambda one: self.spent.get(one, 0.0) / self.kinds[one].share)
        number = self._numbers[name] = self._numbers.get(name, -1) + 1
        self.spent[name] = self.spent.get(name, 0.0) + 1e-3  # while it is under way it counts a little
        return name, number

    def _note(self, worker: _Worker) -> None:
        assert worker.task is not None
        (name, number), answer = worker.task, worker.answer()
        self.spent[name] += answer.seconds
        self.outcomes.setdefault(name, Counter())[answer.outcome] += 1
        if not answer.place:
            return
        self.n_found += 1
        if answer.place in self.places:
            return
        self.places.add(answer.place)
        again = f"python -m tests.fuzz --seed {self.seed} --kind {name} --case {number}"
        kept = self.findings / f"{name}-{self.seed}-{number}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(worker.folder, kept)
        (kept / "finding.txt").write_text(f"{answer.story}\n{again}\n", encoding="utf-8", errors="replace")
        if len(self.places) <= _SHOWN:
            last = answer.story.strip().splitlines()[-1][:300]
            print(f"FOUND {name} {number}: {last}\n  at {answer.place}\n  files: {kept}\n  repeat: {again}", flush=True)


class _Worker:
    """A process that runs cases one after the other; a new one where it dies or hangs."""

    def __init__(self, seed: int, kinds: Mapping[str, Kind], room: Path) -> None:
        self._seed, self._kinds, self._room = seed, kinds, room
        self.folder = room / "case"
        self.folder.mkdir(parents=True)
        self.task: tuple[str, int] | None = None
        self._start()

    def _start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.answers, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_work, args=(self._seed, self._kinds, self._room, theirs))
        self._process.start()
        theirs.close()  # so that the end of the process ends the pipe

    def begin(self, name: str, number: int) -> None:
        """Hand it a case."""
        self.task, self._begun = (name, number), time.monotonic()
        with suppress(OSError):  # it has died: there will be no answer
            self.answers.send(self.task)

    @property
    def hangs(self) -> bool:
        return self.task is not None and time.monotonic() - self._begun > _PATIENCE

    def answer(self) -> _Answer:
        """What became of its case."""
        assert self.task is not None
        name, self.task = self.task[0], None
        if self.answers.poll():
            try:
                return self.answers.recv()
            except (EOFError, OSError):
                self._process.join(10.0)
                code = self._process.exitcode
                what = f"died: the process ended with {code}" + (f" (signal {-code})" if code and code < 0 else "")
        else:
            what = f"hangs: no answer for {_PATIENCE:g} seconds"
        self.stop()
        self._start()
        return _Answer("failed", time.monotonic() - self._begun, f"{name}: {what}", what)

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self.answers.close()


def _work(seed: int, kinds: Mapping[str, Kind], room: Path, tasks: Connection) -> None:
    """Run cases as they are asked for, until the pipe ends."""
    _keep_memory_low()
    os.chdir(room.parent)
    seen: set[str] = set()
    while True:
        try:
            name, number = tasks.recv()
        except EOFError:
            return
        kind = kinds[name]
        if name not in seen:
            seen.add(name)
            kind.warm_up(room / "case")
        tasks.send(_tried(kind, name, seed, number, room / "case"))


def _tried(kind: Kind, name: str, seed: int, number: int, folder: Path) -> _Answer:
    """Run a case; what went wrong, with the place, where anything did."""
    began = time.perf_counter()
    try:
        write_files(folder, kind.case(name, seed, number))
        outcome = judged(kind.run, folder)
    except Exception as error:
        story = "".join(traceback.format_exception(error))
        return _Answer("failed", time.perf_counter() - began, f"{name}: {_place(error)}", story)
    return _Answer(outcome, time.perf_counter() - began)


def _place(error: Exception) -> str:
    """The last line of our own sources that an error came through; where there is none, its first words."""
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    own = [(name, line) for name, line in frames if f"{os.sep}mocapella{os.sep}" in name]
    if not own:
        return f"{type(error).__name__} {re.sub('[0-9]+', '…', str(error))[:40]}"
    name, line = own[-1]
    return f"{type(error).__name__} at {name.rpartition(f'{os.sep}mocapella{os.sep}')[2]}:{line}"


def _keep_memory_low() -> None:
    """Freed memory goes back to the system, so that no case is charged with another's; there is an end to it."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    for option, value in ((_MMAP_THRESHOLD, 1 << 16), (_TRIM_THRESHOLD, 0)):
        ctypes.CDLL(None).mallopt(option, value)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard == resource.RLIM_INFINITY or hard > _MOST_MEMORY:
        resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, hard))


def usable(names: Collection[str]) -> Iterator[tuple[str, Kind]]:
    """Kinds that can be run here; the others are named with the reason, and stop the run in CI."""
    for name in names:
        reason = KINDS[name].missing()
        if not reason:
            yield name, KINDS[name]
            continue
        print(f"{name} are left out: {reason}", flush=True)
        if os.environ.get("CI"):
            raise SystemExit(1)
