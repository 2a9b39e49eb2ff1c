"""Changes set off at random moments, with full poses: ``python -m benchmarks.random_moments [runs] [processes]``.

Every change of the actor, alone and with its mirror image, is played so many times over, from the moment it is set off
until half a second after it. Printed: how often something failed, how often something popped (a step above 1.5 times
the capture's largest, a change of angular velocity above twice its usual), the mean delay beside equation 6.4, and the
worst of all runs.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.quality_hybrid import judged, played_from
from benchmarks.tables.latencies import on_node
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.footskate import footing
from mocapella.playback.record import record_with_contacts
from mocapella.studies.demo import demo_hybrid

STATES = ["network", "waiting", "change", "network"]
AFTERWARDS = 0.5  # seconds
BATCH = 50
FIGURES = "step", "kick", "own_kick", "pooled_kick", "push", "twist"


@dataclass(frozen=True)
class Batch:
    """Some runs of one change."""

    arc: str
    mirrored: bool
    seed: int
    runs: int


@dataclass(frozen=True)
class Outcome:
    """What came of one run."""

    arc: str
    mirrored: bool
    failed: str  # empty where nothing did
    delay: float = 0.0
    leave: tuple[float, ...] = (0.0,) * len(FIGURES)
    arrive: tuple[float, ...] = (0.0,) * len(FIGURES)
    slip: float = 0.0  # mm

    @property
    def popped(self) -> bool:
        """Whether a join would be visible."""
        return any(one[0] > 1.5 or one[1] > 2.0 for one in (self.leave, self.arrive))


@lru_cache(maxsize=2)
def actor(mirrored: bool) -> HybridNetwork:
    """The actor's hybrid network, with or without mirrored changes."""
    return demo_hybrid(standing=True, mirrored=mirrored)


def played(batch: Batch) -> list[Outcome]:
    """Play one batch."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(batch.seed)
    return [one_run(batch.arc, batch.mirrored, float(phase)) for phase in rng.uniform(0.0, TURN, batch.runs)]


def one_run(name: str, mirrored: bool, phase: float) -> Outcome:
    """Set one change off at a phase of the cycle, and play it to its end and a little longer."""
    hybrid = actor(mirrored)
    arc = hybrid.arc(name)
    change = arc.transition
    rate = change.clip.frame_rate
    player = on_node(hybrid, arc, phase)
    wait = max(0.0, min((one.transition.leave_phase - phase) % TURN for one in arc.versions))
    cycle = player.spectrum.duration
    seconds = (0.0 if arc.at_once else wait / TURN * cycle) + change.seconds + AFTERWARDS
    try:
        clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=rate)
    except MotionError as error:
        return Outcome(name, mirrored, str(error))
    states = player.states
    if [entry.state for entry in states] != STATES:
        return Outcome(name, mirrored, f"states {[entry.state for entry in states]}")
    leave, arrive = states[2].time, states[3].time
    slips = footing(clip, contacts).slips
    near = [one.slid for one in slips if leave - 0.2 < one.last / rate and one.first / rate < arrive + 0.3]
    first, last = judged(clip, leave, arrive, change, played_from(arc, phase))
    return Outcome(
        name,
        mirrored,
        "",
        leave - states[1].time,
        tuple(getattr(first, figure) for figure in FIGURES),
        tuple(getattr(last, figure) for figure in FIGURES),
        1000.0 * max(near, default=0.0),
    )


def batches(runs: int) -> Iterator[Batch]:
    """All that is to be played."""
    for mirrored in (False, True):
        for arc in actor(mirrored).arcs:
            if mirrored and arc.mirrored is None:
                continue  # the same as without
            for start in range(0, runs, BATCH):
                yield Batch(arc.name, mirrored, start, min(BATCH, runs - start))


def main(runs: int = 100, processes: int = 2) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    began = time.perf_counter()
    found: dict[tuple[str, bool], list[Outcome]] = {}
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for outcomes in pool.imap_unordered(played, batches(runs)):
            for one in outcomes:
                found.setdefault((one.arc, one.mirrored), []).append(one)
    print(f"{runs} random moments of every change; worst figures at leaving / arriving")
    for (name, mirrored), outcomes in sorted(found.items(), key=lambda item: (item[0][1], item[0][0])):
        arc = actor(mirrored).arc(name)
        failed = [one.failed for one in outcomes if one.failed]
        fine = [one for one in outcomes if not one.failed]
        length = on_node(actor(mirrored), arc, 0.0).spectrum.duration
        expected = 0.0 if arc.at_once else 0.5 * length / len(arc.versions)
        mean = float(np.mean([one.delay for one in fine]))
        off = "" if expected == 0.0 else f" ({100.0 * (mean / expected - 1.0):+.1f} %)"
        title = f"{name}{' or mirrored' if mirrored else ''}"
        print(
            f"{title:28} {len(outcomes):5} runs, {len(failed)} failed, {sum(one.popped for one in fine)} popped, "
            f"delay {mean:.3f} s, eq 6.4 {expected:.3f} s{off}, slip {max(one.slip for one in fine):.2f} mm"
        )
        worst = [
            [max(getattr(one, end)[i] for one in fine) for i in range(len(FIGURES))] for end in ("leave", "arrive")
        ]
        print("    " + "  ".join(f"{f} {a:.2f} / {b:.2f}" for f, a, b in zip(FIGURES, *worst, strict=True)))
        for text in sorted(set(failed)):
            print(f"    {text}")
    print(f"{time.perf_counter() - began:.0f} s in {processes} processes")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:3]))
