"""Times that can be compared on a noisy machine: candidates take turns, round after round."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure, with the peer's and the published one where there are any."""

    name: str
    value: float
    unit: str
    peer: str = ""
    published: str = ""
    note: str = ""


def fastest(candidates: Mapping[str, Callable[[], object]], rounds: int = 15) -> dict[str, float]:
    """Seconds of the fastest of ``rounds`` for each candidate, all of them once per round."""
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, run in candidates.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def processor_times(candidates: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Processor seconds of every round for each candidate, all of them once per round.

    What else runs on the machine counts for nobody. Fair only among candidates that all keep to one thread. Who takes
    five times as long as the fastest in the first two rounds takes no part in the others.
    """
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds):
        for name, run in candidates.items():
            if number < 2 or min(times[name]) < 5.0 * min(map(min, times.values())):
                start = time.process_time()
                run()
                times[name].append(time.process_time() - start)
    return times


def peak_bytes(run: Callable[[], object]) -> int:
    """The most memory that Python and numpy held at once during a run, beyond what they held before."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
