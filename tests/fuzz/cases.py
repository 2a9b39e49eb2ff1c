"""One case of the fuzzer: files made from a number, used as a user would, and judged by the limits of SECURITY.md."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

import mocapella as mo
from mocapella.errors import printable
from mocapella.files.budget import FLOOR, PER_BYTE, Budget

LONGEST_MESSAGE = 1000  # letters of an error or a warning
_ALLOCATOR = 16 * 1024**2  # bytes that the allocator may keep beside what was asked for

Files = dict[str, bytes]  # what lies in the folder of a case, by name


@dataclass(frozen=True)
class Kind:
    """A kind of input: whole samples, how they are damaged, and what is done with them.

    ``run`` gives a word for what became of the files in a folder; whatever it raises but a ``MotionError`` is a
    finding. ``share`` is of the time, ``missing`` says why it cannot be run here.
    """

    samples: Callable[[], Sequence[Files]]
    damage: Callable[[Files, Random], Files]
    run: Callable[[Path], str]
    share: float = 1.0
    missing: Callable[[], str] = str

    def case(self, name: str, seed: int, number: int) -> Files:
        """The files of case ``number``: the same for the same seed and samples."""
        rng = Random(f"{seed}/{name}/{number}")
        return self.damage(dict(rng.choice(self.samples())), rng)

    def warm_up(self, folder: Path) -> None:
        """Import what the first sample needs and fill caches, which is no part of any case."""
        write_files(folder, dict(self.samples()[0]))
        with suppress(mo.MotionError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.run(folder)


class TooSlowError(Exception):
    """A case took longer than its input allows."""


class TooLargeError(Exception):
    """A case took more memory than its input allows."""


def write_files(folder: Path, files: Files) -> None:
    """Let a folder hold these files and no others; those that are the same stay as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)


def judged(run: Callable[[Path], str], folder: Path) -> str:
    """What became of the files in a folder: the word of ``run``, or "refused"; anything else raises."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    limit = Budget(folder, size).seconds
    with warnings.catch_warnings(record=True) as caught, computing_limit(limit), memory_limit(size):
        warnings.simplefilter("always")
        try:
            outcome = run(folder)
        except mo.MotionError as error:
            judge_refusal(error)
            outcome = "refused"
    for warning in caught:
        assert issubclass(warning.category, mo.MotionWarning), f"{warning.category.__name__}: {warning.message}"
        assert len(str(warning.message)) < LONGEST_MESSAGE, f"a warning of {len(str(warning.message))} letters"
    return outcome


def judge_refusal(error: mo.MotionError) -> None:
    """A refusal is short, one line of text that can be printed, and names its place."""
    message = str(error)
    assert len(message) < LONGEST_MESSAGE, f"a message of {len(message)} letters: {message[:200]}"
    message.encode()
    if isinstance(error, mo.FormatError):
        place = f"{error.path}:{error.line}: " if error.line else f"{error.path}: "
        assert message.startswith((printable(place), printable(error.path[:100]))), f"no place: {message}"


def judge_clip(clip: mo.Clip) -> None:
    """All numbers of a clip are finite, and so is all that follows from them."""
    arrays = {
        "root positions": clip.root_positions,
        "rotations": clip.rotations_wxyz,
        "offsets": clip.skeleton.offsets,
        "end offsets": clip.skeleton.end_offsets,
        "slides": clip.slides,
        "joint positions": clip.positions,
        "end positions": clip.end_positions,
    }
    for what, array in arrays.items():
        assert np.isfinite(array).all(), f"{what} are not finite"
    assert np.isfinite(clip.frame_rate), "the frame rate is not finite"
    assert clip.frame_rate > 0, f"a frame rate of {clip.frame_rate}"
    assert np.isfinite([clip.report.height, clip.report.facing, clip.report.metres_per_unit]).all(), clip.report


def judge_play(player: mo.Player, seconds: float = 4.0) -> None:
    """A player goes on for some seconds, and every pose is one."""
    for _ in range(16):
        pose = player.step(seconds / 16)
        assert np.isfinite(pose.root_position).all(), "a root that is nowhere"
        assert np.isfinite(pose.rotations_wxyz).all(), "rotations that are no numbers"


@contextmanager
def computing_limit(seconds: float) -> Iterator[None]:
    """Raise in the middle of what computes too long, however busy the machine is; not on Windows."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise TooSlowError(f"more than {seconds:g} seconds of computing")

    before, children = signal.signal(signal.SIGPROF, stop), _seconds_of_children()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    if _seconds_of_children() - children > seconds + 1.0:  # which the system ends a moment later
        stop()


def _seconds_of_children() -> float:
    """Seconds of computing of all processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


@contextmanager
def memory_limit(size: int) -> Iterator[None]:
    """Raise after what took more memory than input of this size may; on Linux alone."""
    status = Path("/proc/self/status")
    if not status.exists():
        yield
        return
    before, highest = _memory(status)
    if highest - before > FLOOR // 2:  # of another case: the peak begins anew
        Path("/proc/self/clear_refs").write_text("5")
        highest = before
    yield
    peak = _memory(status)[1]
    if peak > highest and peak - before > max(FLOOR, PER_BYTE * size) + _ALLOCATOR:
        raise TooLargeError(f"{(peak - before) >> 20:,} MiB of memory for {size:,} bytes")


def _memory(status: Path) -> tuple[int, int]:
    """What this process has, and the most it has had, in bytes."""
    text = status.read_text()
    now, highest = (1024 * int(text.partition(f"{name}:")[2].split()[0]) for name in ("VmRSS", "VmHWM"))
    return now, highest
