"""Timing that can be compared on a noisy machine: candidates run alternately, round after round."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """One figure, with the published one and those of peers where there are any, all in one unit."""

    name: str
    value: float
    unit: str
    published: float | int | None = None
    mark: float | int | None = None  # target
    peers: Mapping[str, float] = field(default_factory=dict)  # times by name of the library
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As ``bench --json`` says it: ``peer`` is the fastest; what is not known is left out."""
        row: dict[str, Any] = {key: getattr(self, key) for key in ("name", "value", "unit", "published", "mark")}
        if self.peers:
            fastest_peer = min(self.peers, key=lambda name: self.peers[name])
            row |= {"peer": self.peers[fastest_peer], "peer_name": fastest_peer, "peers": dict(self.peers)}
        return {key: value for key, value in {**row, "note": self.note or None}.items() if value is not None}


def fastest(candidates: Mapping[str, Callable[[], object]], rounds: int = 15, *, times: int = 1) -> dict[str, float]:
    """Seconds of the fastest of ``rounds`` for each candidate, all in turn, ``times`` runs of each at a time."""
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, run in candidates.items():
            start = time.perf_counter()
            for _ in range(times):
                run()
            best[name] = min(best[name], (time.perf_counter() - start) / times)
    return best


def processor_times(candidates: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Processor seconds of every round for each candidate, all of them once per round.

    Other work on the machine does not count. Fair only among candidates that all keep to one thread. A candidate that
    takes five times as long as the fastest in the first two rounds is left out of the others.
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
