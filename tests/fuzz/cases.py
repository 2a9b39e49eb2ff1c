"""One case of the fuzzer: a damaged file made from a number, loaded, and judged."""

from __future__ import annotations

import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

import mocapella as mo
from tests.fuzz.mutations import damaged, damaged_archive
from tests.fuzz.samples import Sample

MOST_SECONDS = 20.0  # per case; they take a few thousandths

Outcomes = tuple[Counter[str], dict[int, str]]


@dataclass(frozen=True)
class Case:
    """Files to load, and how."""

    motion_name: str
    motion: bytes
    skeleton: bytes
    clean: bool
    partial: bool


class TooSlowError(Exception):
    """A case took longer than any reader should."""


def make_case(seed: int, number: int, samples: list[Sample]) -> Case:
    """Case ``number`` of a run: the same for the same seed and samples."""
    rng = Random(f"{seed}/{number}")
    sample = rng.choice(samples)
    others = [other.motion for other in samples]
    motion, skeleton = sample.motion, sample.skeleton
    suffix = ".amc" if sample.is_pair else Path(sample.name).suffix
    if sample.is_pair and rng.random() < 0.4:
        skeleton = damaged(skeleton, [other.skeleton for other in samples if other.is_pair], rng)
        suffix = rng.choice((".amc", ".asf"))
    elif suffix == ".npz" and rng.random() < 0.7:
        motion = damaged_archive(motion, rng)
    else:
        motion = damaged(motion, others, rng)
    return Case("damaged" + suffix, motion, skeleton, clean=rng.random() < 0.3, partial=rng.random() < 0.3)


def run_case(case: Case, folder: Path) -> str:
    """What became of a case: "loaded" or "refused"; anything else raises."""
    path = folder / case.motion_name
    if path.suffix == ".asf":
        path.write_bytes(case.skeleton)
    else:
        path.write_bytes(case.motion)
        (folder / "damaged.asf").write_bytes(case.skeleton)
    with warnings.catch_warnings(record=True) as caught, time_limit(MOST_SECONDS):
        warnings.simplefilter("always")
        outcome = _outcome(path, case)
    for warning in caught:
        assert issubclass(warning.category, mo.MotionWarning), f"{warning.category.__name__}: {warning.message}"
    return outcome


def _outcome(path: Path, case: Case) -> str:
    try:
        clip = mo.load(path, clean=case.clean, partial=case.partial)
    except mo.MotionError as error:
        refusal = error
    else:
        judge(clip)
        return "loaded"
    assert len(str(refusal)) < 1000, f"a message of {len(str(refusal))} letters"
    if isinstance(refusal, mo.FormatError):
        place = f"{refusal.path}:{refusal.line}: " if refusal.line else f"{refusal.path}: "
        assert str(refusal).startswith(place), f"no place: {refusal}"
    return "refused"


def judge(clip: mo.Clip) -> None:
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


def run_cases(run: Callable[[int], str], numbers: range) -> Outcomes:
    """Outcomes counted, and for every failed case what went wrong."""
    outcomes: Counter[str] = Counter()
    failures: dict[int, str] = {}
    for number in numbers:
        try:
            outcomes[run(number)] += 1
        except Exception as error:
            outcomes["failed"] += 1
            failures[number] = f"{type(error).__name__}: {error}"
    return outcomes, failures


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise in the middle of what runs too long; without signals, as on Windows, there is no limit."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise TooSlowError(f"more than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
