"""How changes of motion are played: ``python -m benchmarks.quality_hybrid [held-out] [runs] [folder]``.

Prints, over random moments of setting a change off, the worst that is seen at its joins as shares of what its own
capture does, and how far planted feet slide: of the actor's changes and of real ones. ``mocapella reproduce latency``
has the delays. Changes of angular velocity are read in three ways:
``kick``, the joint that changes most, beside the 99th percentile of the same in all frames; ``pooled``, beside the
percentile of all joints and frames thrown together, with what the capture itself reaches; ``joint by joint``, every
joint beside its own. A change that was played mirrored is measured by the mirrored capture; without that, sides not
exchanged. Of each real change it says at which rows of its file it is left and arrived at, and
where these were given by hand, which would have been found. Into the folder, where one is named, come pictures of all
of them. With ``held-out`` all this of real changes by which nothing was chosen.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from benchmarks.captured_changes import Rows, captured_hybrids, found_rows, rows
from benchmarks.held_out_changes import held_out_hybrids
from benchmarks.hybrid_pictures import draw_change
from benchmarks.smoothness import JoinFigures, join_figures, jolts
from benchmarks.tables.latencies import IN_ORDER, on_node
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.hybrid.hybrid_network import Arc, HybridNetwork
from mocapella.hybrid.transition import Transition
from mocapella.measure.footskate import footing
from mocapella.motion.clip import Clip
from mocapella.playback.record import record_with_contacts
from mocapella.studies.demo import demo_hybrid

STEP, KICK, PUSH, SLIP = 1.5, 2.0, 1.0, 1.0  # the marks: shares of what captures do, millimetres


def played_from(arc: Arc, phase: float) -> Transition:
    """The version of an arc, as captured or mirrored, that a character takes which waits for it from a phase on."""
    return min(arc.versions, key=lambda one: (one.transition.leave_phase - phase) % TURN).transition


def judged(
    clip: Clip, leave: float, arrive: float, change: Transition, played: Transition
) -> tuple[JoinFigures, JoinFigures]:
    """Both joins of a recorded change, beside the capture as it is, or as in a mirror where that was played.

    Up to the first join a node shows the capture itself, whichever version follows.
    """
    return (
        join_figures(clip, leave, change.clip, then=played.clip),
        join_figures(clip, arrive, played.clip),
    )


@dataclass(frozen=True)
class Worst:
    """The worst of one change over many runs."""

    leave: JoinFigures
    arrive: JoinFigures
    sides: tuple[float, float]  # joint by joint, at both, with the capture's own left and right even where mirrored
    slip: float  # mm
    depth: float  # mm

    @property
    def meets_marks(self) -> bool:
        """Whether nothing is beyond what joins may show."""
        fine = [
            one.step <= STEP and max(one.kick, one.own_kick) <= KICK and max(one.push, one.twist) <= PUSH
            for one in (self.leave, self.arrive)
        ]
        return all(fine) and self.slip <= SLIP


def joins(hybrid: HybridNetwork, arc: Arc, runs: int, folder: Path | None = None) -> Worst:
    """The worst of both joins, and of slip about them and penetration, over random moments."""
    rng = np.random.default_rng(1)
    change = arc.transition
    rate = change.clip.frame_rate
    leaving, arriving, sides, slips, depths = [], [], [], [], []
    for phase in rng.uniform(0.0, TURN, runs):
        player = on_node(hybrid, arc, float(phase))
        seconds = change.before.duration + change.seconds + 1.2
        clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=rate)
        states = player.states
        if tuple(entry.state for entry in states[:4]) != IN_ORDER:
            raise MotionError(f"{arc.name}: states out of order: {states}")
        leave, arrive = states[2].time, states[3].time
        first, last = judged(clip, leave, arrive, change, played_from(arc, float(phase)))
        leaving.append(first)
        arriving.append(last)
        sides.append([join_figures(clip, moment, change.clip).own_kick for moment in (leave, arrive)])
        if folder is not None and not slips:
            draw_change(folder, arc.name, clip, contacts, player)
        feet = footing(clip, contacts)
        near = [s.slid for s in feet.slips if leave - 0.2 < s.last / rate and s.first / rate < arrive + 0.3]
        slips.append(1000.0 * max(near, default=0.0))
        depths.append(feet.penetration_mm_max)
    left, right = np.max(sides, axis=0).tolist()
    return Worst(_worst(leaving), _worst(arriving), (left, right), max(slips), max(depths))


def main(runs: int = 20, folder: Path | None = None) -> None:
    """Print the tables."""
    warnings.simplefilter("ignore")
    print(_marks(runs))
    found = found_rows()
    for name, made in [("the actor", demo_hybrid(standing=True)), *captured_hybrids()]:
        print(f"{name}: {made}")
        for arc in made.arcs:
            print_joins(made, arc, runs, folder, found.get(arc.name))


def held_out(runs: int = 20, folder: Path | None = None) -> None:
    """Print the joins of changes by which nothing was chosen, and how many of them meet the marks."""
    warnings.simplefilter("ignore")
    print(_marks(runs))
    kept, played, refused = 0, 0, 0
    for name, made in held_out_hybrids():
        if isinstance(made, str):
            refused += 1
            print(f"  {name:18} refused: {made}")
            continue
        worst = print_joins(made, made.arc(name), runs, folder)
        played, kept = played + 1, kept + worst.meets_marks
    print(f"{played + refused} changes: {refused} refused, {played} played, {kept} of them within all marks")


def print_joins(
    hybrid: HybridNetwork, arc: Arc, runs: int, folder: Path | None, found: Rows | str | None = None
) -> Worst:
    """Print, and give, the worst of one change; ``found`` is where it would begin and end without given boundaries."""
    worst, change = joins(hybrid, arc, runs, folder), arc.transition
    own = jolts(change.clip)
    print(
        f"  {arc.name:18} slip {worst.slip:5.2f} mm, penetration {worst.depth:5.2f} mm; its capture, pooled: "
        f"{own.usual_kick / own.pooled_kick:.2f} usually and {own.kicks.max() / own.pooled_kick:.2f} at most; "
        f"rows {_told(rows(change), found)}; {'all marks met' if worst.meets_marks else 'MARKS MISSED'}"
    )
    ends = (("leave", worst.leave, change.leave), ("arrive", worst.arrive, change.arrive))
    for (word, one, frame), side in zip(ends, worst.sides, strict=True):
        bare = join_figures(change.clip, frame / change.clip.frame_rate, change.clip)
        print(
            f"    {word:7} step {one.step:5.2f}  kick {one.kick:5.2f}  pooled {one.pooled_kick:5.2f} "
            f"(the bare capture there {bare.pooled_kick:.2f})  joint by joint {one.own_kick:5.2f} "
            f"(the bare capture there {bare.own_kick:.2f}; sides not exchanged {side:.2f})  "
            f"push {one.push:5.2f}  twist {one.twist:5.2f}",
            flush=True,
        )
    return worst


def _marks(runs: int) -> str:
    return (
        f"\nworst of {runs} random moments: step ≤ {STEP}, kick, joint by joint too, ≤ {KICK:g}, push and twist ≤ "
        f"{PUSH:g}, slip ≤ {SLIP:g} mm are the marks"
    )


def _told(chosen: Rows, found: Rows | str | None) -> str:
    """Where a change begins and ends, and how far from there without given boundaries."""
    given = f"{chosen[0]} to {chosen[1]}"
    if found is None or found == chosen:
        return f"{given}, found"
    if isinstance(found, str):
        return f"{given}, by hand; found: {found}"
    return f"{given}, by hand; found {found[0] - chosen[0]:+d} and {found[1] - chosen[1]:+d} frames off"


def _worst(figures: list[JoinFigures]) -> JoinFigures:
    return JoinFigures(**{part.name: max(getattr(one, part.name) for one in figures) for part in fields(JoinFigures)})


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["held-out"]:
        held_out(*map(int, words[1:2]), *map(Path, words[2:3]))
    else:
        main(*map(int, words[:1]), *map(Path, words[1:2]))
