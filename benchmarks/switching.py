"""What it costs to switch modes, leave and arrive, in ordinary steps: ``python -m benchmarks.switching``.

Times are those of one process, as multiples of the median step of the same player; a frame at 60 Hz is printed too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.tables.latencies import on_node
from mocapella.playback.player import Player
from mocapella.studies.demo import demo_hybrid

DT = 1.0 / 60.0
ROUNDS = 9


def seconds(act: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def main() -> None:
    """Print the table."""
    hybrid = demo_hybrid(standing=True)
    steps: list[float] = []
    costs: dict[str, list[float]] = {}
    for i in range(ROUNDS):
        player = Player(hybrid, (0.0, 1.2), block="walking", phase=0.7 * i)
        for mode in ("twirl", "blend", "change"):
            steps += [seconds(partial(player.step, DT)) for _ in range(40)]

            def switch(p: Player = player, to: str = mode) -> None:
                p.mode = to
                p.step(DT)

            costs.setdefault(f"switching to mode {mode!r}, with the step that follows", []).append(seconds(switch))
        for arc in hybrid.arcs:
            player = on_node(hybrid, arc, 0.7 * i)
            while len(player.states) < 4:
                before = player.state
                cost = seconds(partial(player.step, DT))
                if (before, player.state) == ("change", "network"):
                    costs.setdefault("arriving", []).append(cost)
                elif before != "change" and player.state == "change":
                    costs.setdefault("leaving", []).append(cost)
                else:
                    steps.append(cost)
    usual = float(np.median(steps))
    print(f"an ordinary step takes {1e3 * usual:.2f} ms (median of {len(steps)}); a frame lasts {1e3 * DT:.1f} ms")
    for title, found in costs.items():
        middle, worst = float(np.median(found)), max(found)
        print(f"  {title:56} {middle / usual:5.1f} steps (median), {worst / usual:5.1f} (worst) = {1e3 * worst:.1f} ms")
    print(f"  {'the most costly of ordinary steps':56} {max(steps) / usual:5.1f} steps")


if __name__ == "__main__":
    main()
