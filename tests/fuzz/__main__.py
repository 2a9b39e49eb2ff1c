"""Run the fuzzer: ``python -m tests.fuzz --cases 50000``; repeat one case with ``--seed S --case N``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.fuzz.cases import make_case, run_case, run_cases
from tests.fuzz.samples import find_data, samples

_STEP = 250  # cases a process takes at a time
_SHOWN = 20  # failures that are printed


def main() -> int:
    """Exit status 1 where any case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--case", type=int, help="run this one case alone and let its error through")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.case is not None:
        return _repeat(arguments.seed, arguments.case)
    print(f"seed {arguments.seed}, {arguments.cases:,} cases from {len(samples(find_data()))} files", flush=True)
    started = time.perf_counter()
    outcomes: Counter[str] = Counter()
    failures: dict[int, str] = {}
    batches = [
        range(first, min(first + _STEP, arguments.cases)) for first in range(0, arguments.cases, _STEP)
    ]  # numbers, not files, go to the processes
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for counted, failed in pool.map(partial(_batch, arguments.seed), batches):
            outcomes += counted
            failures |= failed
            for number, what in failed.items():
                if len(failures) <= _SHOWN:
                    print(f"case {number}: {what}\n  repeat: --seed {arguments.seed} --case {number}", flush=True)
    seconds = time.perf_counter() - started
    print(f"{', '.join(f'{count:,} {what}' for what, count in outcomes.most_common())} in {seconds:.0f} s")
    return 1 if failures else 0


def _batch(seed: int, numbers: range) -> tuple[Counter[str], dict[int, str]]:
    with tempfile.TemporaryDirectory() as folder:
        return run_cases(seed, numbers, samples(find_data()), Path(folder))


def _repeat(seed: int, number: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="mocapella-fuzz-"))
    print(f"the files are in {folder}")
    print(run_case(make_case(seed, number, samples(find_data())), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
