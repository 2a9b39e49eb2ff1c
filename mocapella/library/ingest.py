"""Adding captures to a library: read, labelled and described in worker processes, committed one by one."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mocapella.analysis.examined import examine
from mocapella.analysis.treadmill import travelling
from mocapella.editing.edits import digest_of, skeleton_digest
from mocapella.errors import MotionError, MotionWarning
from mocapella.files.disk import make_folder, replacing
from mocapella.files.formats import FileMotion, Reading, motions_below, motions_in
from mocapella.library.descriptors import signature_of, windows_of
from mocapella.library.entries import DescribedFile, Entry, Known, Refusal, digest_of_file, file_of
from mocapella.library.store import Library
from mocapella.library.stored_cycles import kept_cycles
from mocapella.library.stretches import find_stretches
from mocapella.library.words import notes_on, words_of
from mocapella.motion.contacts import FOOT_POINTS

_AHEAD = 4  # tasks that wait for each worker, so that memory stays flat however many files there are
CRASHED = "reading it ended the worker process"
_TAKEN = "captures"  # folder of files that were taken in


@dataclass
class Added:
    """Counts of captures that were added, known, duplicates, or failed."""

    added: int = 0
    known: int = 0
    duplicates: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)  # path, reason
    left_out: list[tuple[str, str]] = field(default_factory=list)  # animations of no use: path, reason


def add_captures(
    library: Library,
    places: Sequence[Path],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    take: bool = False,
    progress: Callable[[int], Callable[[str], None]] | None = None,
) -> Added:
    """Add the motion files of folders to a library; returns counts, and the files that failed.

    Known files that have not changed are skipped, so that an interrupted run continues where it ended; the words of
    texts and lists beside them are read again. A file that cannot be read is noted with its reason, and the others are
    read all the same. Every animation of a file is a capture; those of no use beside others are left out.

    ``places`` are files, and folders that are looked through with those below them. ``workers`` is the number of
    processes: that of processors if None, and none for 0. ``scheduler`` is the address of a Dask cluster that reads
    instead, such as ``"tcp://10.0.0.1:8786"``; its workers must see the files under the same paths and have mocapella
    installed. With ``take`` the files, their skeletons and notes are copied into the folder of the ``library``, so that
    it no longer depends on where they lie. ``progress`` is called with the number of files; what it returns is called
    with the name of each as it is done. Raises ``MotionError`` where a place does not exist or holds no motion files,
    or the database cannot be written.
    """
    paths = _files(places)
    done, todo = Added(), []
    recorded: dict[str, dict[str, Known]] = {}  # by file, then by capture
    for capture, state in library.known().items():
        recorded.setdefault(str(file_of(Path(capture))), {})[capture] = state
    called: dict[str, tuple[str, ...]] = {}
    for path in paths:
        if (odd := _unwritable(path)) is not None:
            done.failures.append(odd)
            continue
        place = _taken(library, path) if take else path
        if place is None:
            todo.append(path)  # its reader says what is wrong with it
        elif _unchanged(place, captures := recorded.get(str(place), {})):
            done.known += len(captures)
            called |= {capture: words_of(Path(capture)) for capture in captures}
        else:
            todo.append(place)
    library.call(called)
    tell = (lambda name: None) if progress is None else progress(len(todo))
    if scheduler is None:
        results = _described(todo, os.cpu_count() or 1 if workers is None else workers)
    else:
        from mocapella.library.cluster import described_by_cluster  # an optional package

        results = described_by_cluster(todo, scheduler)
    for result in results:
        done.duplicates += library.put(result)
        failures = [(capture.path, capture.reason) for capture in result.captures if isinstance(capture, Refusal)]
        done.failures += failures
        done.added += len(result.captures) - len(failures)
        done.left_out += result.left_out
        tell(Path(result.path).name)
    done.failures.sort()
    return done


def describe(path: Path) -> DescribedFile:
    """Read the captures of a file and compute everything that a library keeps of them.

    Where one cannot be read, there is a refusal instead.
    """
    try:
        file = Known.of(path)
    except OSError as error:
        reason = f"{path}: cannot be read: {error.strerror or error}"
        return DescribedFile(str(path), (Refusal(str(path), Known(0, 0, ""), reason),))
    motions = motions_in(path)
    left_out = tuple((str(motion.path), motion.left_out) for motion in motions if motion.left_out)
    captures = tuple(_described_motion(motion, file) for motion in motions if not motion.left_out)
    return DescribedFile(str(path), captures, left_out)


def _described_motion(motion: FileMotion, file: Known) -> Entry | Refusal:
    """The record of a motion; a refusal where it cannot be read."""
    try:
        words = words_of(motion.path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MotionWarning)
            clip = travelling(motion.read(), warns=False)
            captured = clip.captured
            shift = clip.n_frames - captured.n_frames
            examined = examine(clip)
            stretches = find_stretches(examined)
            cycles = kept_cycles(examined, stretches)
            points = FOOT_POINTS if stretches and cycles else ()
            plants = {point: [[first, last] for first, last in examined.plants.point(point)] for point in points}
        numbers, starts = windows_of(captured)
    except MotionError as error:
        return Refusal(str(motion.path), file, str(error))
    except OSError as error:
        return Refusal(str(motion.path), file, f"{motion.path}: cannot be read: {error.strerror or error}")
    return Entry(
        path=str(motion.path),
        file=file,
        name=clip.name,
        motion=digest_of(captured),
        frames=captured.n_frames,
        frame_rate=clip.frame_rate,
        joints=clip.skeleton.n_joints,
        height=float(clip.report.height or 0.0),
        signature=signature_of(captured).astype("<f4").tobytes(),
        stretches=stretches,
        words=words,
        numbers=np.ascontiguousarray(numbers, dtype="<f2").tobytes(),
        starts=(starts + shift).astype("<i4").tobytes(),
        skeleton=skeleton_digest(clip.skeleton),
        cycles=cycles,
        plants=plants,
    )


def _taken(library: Library, path: Path) -> Path | None:
    """The copy of a motion in the library's folder, made where there is none; None where its skeleton is missing.

    It lies in a folder named by the digest of its content, so that names of captures lead nowhere else, and within
    that in one with the name of its own folder, which is among its words.
    """
    try:
        files = [Path(file) for file in Reading().files(path)]
        digest = digest_of_file(path)
    except (MotionError, OSError):
        return None
    within = re.sub(r"[^\w .-]", "_", path.absolute().parent.name).strip(". ") or "motion"
    folder = library.folder.absolute() / _TAKEN / digest[:16] / within
    make_folder(folder)
    for original in files:
        copy = folder / original.name
        if not copy.is_file() or copy.stat().st_size != original.stat().st_size:
            with replacing(copy) as file, original.open("rb") as source:
                shutil.copyfileobj(source, file)
    notes, beside = notes_on(path), folder / f"{path.stem}.txt"
    if notes and (not beside.is_file() or beside.read_text(encoding="utf-8", errors="replace") != notes):
        with replacing(beside) as file:
            file.write(notes.encode())
    return folder / path.name


def _files(places: Sequence[Path]) -> list[Path]:
    """The motion files of the places, absolute, each once; all of a file where one of its animations is named."""
    out: dict[Path, None] = {}
    for place in map(file_of, places):
        if place.is_dir():
            out |= dict.fromkeys(path.absolute() for path in motions_below(place))
        elif place.is_file():
            out[place.absolute()] = None
        else:
            raise MotionError(f"{place}: there is no such file or folder")
    return list(out)


def _unwritable(path: Path) -> tuple[str, str] | None:
    """A path that no database can hold, as text, and what is wrong with it; None for any other."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        text = ascii(str(path))
        return text, f"{text}: its name holds bytes that are not UTF-8; rename the file"
    return None


def _unchanged(path: Path, captures: Mapping[str, Known]) -> bool:
    """Whether a file is as it was when its captures were taken in; the digest decides where its date has changed."""
    with suppress(OSError):
        return bool(captures) and all(before.still_in(path) for before in {*captures.values()})
    return False


def _described(paths: Sequence[Path], workers: int) -> Iterator[DescribedFile]:
    """The descriptions of files as they are done, by worker processes; a file that crashes its worker is refused."""
    if workers < 1 or len(paths) < 2:
        yield from map(describe, paths)
        return
    waiting = iter(paths)
    running: dict[Future[DescribedFile], Path] = {}
    pool = _pool(workers)
    try:
        while True:
            for path in waiting:
                running[pool.submit(describe, path)] = path
                if len(running) >= _AHEAD * workers:
                    break
            if not running:
                return
            ready, _ = wait(running, return_when=FIRST_COMPLETED)
            try:
                for future in ready:
                    yield future.result()
                    del running[future]
            except BrokenProcessPool:  # one of these files crashed its worker: each is read by its own worker
                pool.shutdown(wait=False, cancel_futures=True)
                if not _workers_start():
                    yield from map(describe, (*running.values(), *waiting))
                    return
                yield from _one_by_one(running.values())
                running = {}
                pool = _pool(workers)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _workers_start() -> bool:
    """Whether a worker process can be had at all; a program that does not guard its main module has none."""
    with _pool(1) as pool:
        try:
            return pool.submit(int).result() == 0
        except BrokenProcessPool:
            return False


def _one_by_one(paths: Iterable[Path]) -> Iterator[DescribedFile]:
    """The descriptions of files, each by a new process."""
    for path in paths:
        with _pool(1) as pool:
            try:
                yield pool.submit(describe, path).result()
            except BrokenProcessPool:
                yield DescribedFile(str(path), (Refusal(str(path), Known.of(path), CRASHED),))


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
