"""Run the fuzzer: ``python -m tests.fuzz --cases 50000``; repeat one case with ``--seed S --case N [--networks]``."""

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

from tests.fuzz.cases import Outcomes, make_case, run_case, run_cases
from tests.fuzz.network_cases import make_network_case, run_in_little_memory
from tests.fuzz.samples import find_data, samples, slow_samples

_STEP = 250  # cases a process takes at a time
_SHOWN = 20  # failures that are printed
_PER_NETWORK = 50  # motion files for each stored network, which take that much longer


def main() -> int:
    """Exit status 1 where any case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=50_000, help="of motion files; of stored networks 1 in 50")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--case", type=int, help="run this one case alone and let its error through")
    parser.add_argument("--networks", action="store_true", help="stored networks alone, as many as --cases says")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.case is not None:
        return _repeat(arguments.seed, arguments.case, arguments.networks)
    n_files = 0 if arguments.networks else arguments.cases
    n_networks = arguments.cases if arguments.networks else arguments.cases // _PER_NETWORK
    print(f"seed {arguments.seed}: {n_files:,} damaged motion files, {n_networks:,} damaged networks", flush=True)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        failed = [
            _watch(pool, partial(_batch, arguments.seed, networks), count, arguments.seed, networks)
            for count, networks in ((n_files, False), (n_networks, True))
        ]
    return 1 if any(failed) else 0


def _watch(pool: ProcessPoolExecutor, batch: partial[Outcomes], cases: int, seed: int, networks: bool) -> bool:
    """Let processes run all cases, and print what came of them; whether any failed."""
    started = time.perf_counter()
    outcomes: Counter[str] = Counter()
    failures: dict[int, str] = {}
    step = _STEP // _PER_NETWORK if networks else _STEP
    again = " --networks" if networks else ""
    # Numbers, not files, go to the processes.
    for counted, failed in pool.map(batch, [range(i, min(i + step, cases)) for i in range(0, cases, step)]):
        outcomes += counted
        failures |= failed
        for number, what in failed.items():
            if len(failures) <= _SHOWN:
                print(f"case {number}: {what}\n  repeat: --seed {seed} --case {number}{again}", flush=True)
    told = ", ".join(f"{count:,} {what}" for what, count in outcomes.most_common()) or "nothing"
    title = "networks" if networks else "motion files"
    print(f"{title}: {told} in {time.perf_counter() - started:.0f} s", flush=True)
    return bool(failures)


def _batch(seed: int, networks: bool, numbers: range) -> Outcomes:
    with tempfile.TemporaryDirectory() as folder:
        return run_cases(_runner(seed, networks, Path(folder)), numbers)


def _runner(seed: int, networks: bool, folder: Path) -> partial[str]:
    return partial(_run_network if networks else _run_file, seed, folder)


def _run_file(seed: int, folder: Path, number: int) -> str:
    return run_case(make_case(seed, number, [*samples(find_data()), *slow_samples()]), folder)


def _run_network(seed: int, folder: Path, number: int) -> str:
    return run_in_little_memory(make_network_case(seed, number), folder)


def _repeat(seed: int, number: int, networks: bool) -> int:
    folder = Path(tempfile.mkdtemp(prefix="mocapella-fuzz-"))
    print(f"the files are in {folder}")
    print(_runner(seed, networks, folder)(number))
    return 0


if __name__ == "__main__":
    sys.exit(main())
