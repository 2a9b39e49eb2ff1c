"""Cost of the embedded actor's captures."""

from __future__ import annotations

from functools import partial

from mocapella.actor import CAPTURED, captures, perform
from mocapella.studies.benches.measuring import Row, fastest

_ACTIONS = ("walk", "run", "walk-twirl-walk", "drink")


def rows(*, quick: bool = False) -> list[Row]:
    """Single actions, and the whole repertoire."""
    found = []
    for action in _ACTIONS:
        clip, _ = perform(action, imperfections=CAPTURED)
        best = fastest({action: partial(perform, action, imperfections=CAPTURED)}, 2 if quick else 5)
        found.append(Row(f"perform {action}, {clip.n_frames} frames", 1e6 * best[action] / clip.n_frames, "µs a frame"))
    if not quick:
        n_clips = sum(1 for _ in captures())
        best = fastest({"all": lambda: sum(1 for _ in captures())}, 2)
        found.append(Row(f"the whole repertoire, {n_clips} clips", best["all"], "s"))
    return found
