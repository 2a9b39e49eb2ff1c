"""Motion graphs of captures: size, reach, joins and feet; and how fast frames are compared.

    python -m benchmarks.quality_graph [SUBJECT]

Walks to a place are searched from the start and from both ends, with nodes looked at, time, length and gap of each.
Marks: every node reaches every node, walks to 50 random goals end within 0.2 m, joins at most 1.5 × an ordinary step,
feet at most 1 mm, all pairs of frames at least 5 times as fast as aligning pair by pair in NumPy.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from benchmarks.smoothness import join_figures
from mocapella.building.proposal import propose_hybrid
from mocapella.gait.root_motion import played_rates
from mocapella.geometry.alignment import ground_alignment
from mocapella.graphs.distance import cloud_distances, clouds_of
from mocapella.graphs.goal_search import EFFORT, walk_to
from mocapella.graphs.graph import MotionGraph, build_graph
from mocapella.graphs.traversal import join_step, random_walk, walk_along, walk_clip
from mocapella.measure.footskate import footing
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts

GOALS = 50
SEARCHES = 30


def pair_by_pair(one, other, pairs):
    """Seconds for a pair of frames as the papers describe it: align two clouds, sum what is left."""
    looks = np.round(np.linspace(0, round(0.33 * one.frame_rate), 5)).astype(int)
    began = time.perf_counter()
    for i, j in pairs:
        a, b = one.positions[i + looks].reshape(-1, 3), other.positions[j + looks].reshape(-1, 3)
        ((a - ground_alignment(a, b).applied(b)) ** 2).sum()
    return (time.perf_counter() - began) / len(pairs)


def print_proposal(graph: MotionGraph) -> None:
    """The hybrid network that is proposed from a graph, with every arc played once."""
    began = time.perf_counter()
    proposal = propose_hybrid(graph, measure=played_rates)
    print(f"proposed in {time.perf_counter() - began:.1f} s: {proposal.network!r}")
    for kind in proposal.kinds:
        print(f"  {kind.name}: {len(kind.cycles)} cycles, {kind.speed:.2f} m/s")
    for made in proposal.arcs:
        arc = proposal.network.arc(made.name)
        change = arc.transition
        at = proposal.network.network(made.source, "armed").node(arc.source.node).at
        player = Player(proposal.network, at, block=made.source, mode="armed")
        player.trigger(made.name)
        clip, contacts = record_with_contacts(player, seconds=change.seconds + 2.0, frame_rate=change.clip.frame_rate)
        joins = [join_figures(clip, entry.time, change.clip) for entry in player.states[2:4]]
        step, kick = (" / ".join(f"{getattr(one, part):.2f}" for one in joins) for part in ("step", "kick"))
        slip = 1e3 * max(one.slid for one in footing(clip, contacts).slips)
        print(
            f"  {made.name}: {', '.join(made.clips)}, {made.joins} joins, {made.seconds:.2f} s, unlikeness "
            f"{made.unlikeness:.2f}; step {step}, kick {kick}, feet {slip:.2f} mm"
        )
    for lost in proposal.left_out:
        print(f"  left out: {lost.name}: {lost.reason}")


def print_searches(graph: MotionGraph) -> None:
    """Walks to random places, anywhere and at a random node: from the start and from both ends."""
    for what, arrives in (("a place", False), ("a place and a node", True)):
        rng = np.random.default_rng(1)
        found: dict[str, list[tuple[int, float, float, float]]] = {"ahead": [], "both": []}
        for _ in range(SEARCHES):
            goal = tuple(rng.uniform(-5.0, 5.0, 2))
            start, end = (int(node) for node in rng.integers(len(graph.nodes), size=2))
            for search, rows in found.items():
                began = time.perf_counter()
                try:
                    walk = walk_to(graph, goal, start=start, arrive=end if arrives else None, search=search)
                except mo.MotionError:
                    rows.append((EFFORT, time.perf_counter() - began, np.nan, np.nan))
                    continue
                rows.append((walk.looked_at, time.perf_counter() - began, walk.cost, walk.gap))
        figures_of = {search: np.array(rows) for search, rows in found.items()}
        met = np.isfinite([rows[:, 2] for rows in figures_of.values()]).all(axis=0)
        print(f"to {what}, {SEARCHES} random ones; metres are of the {met.sum()} that both searches found:")
        for search, rows in figures_of.items():
            there = np.isfinite(rows[:, 2])
            print(
                f"  {search:>5}: {there.sum()} found, {rows[:, 0].mean():.0f} nodes, {1e3 * rows[:, 1].mean():.0f} ms, "
                f"{rows[met, 2].mean():.3f} m, largest gap {rows[there, 3].max():.2f}"
            )


def main(subject: str = "16") -> None:
    folder = data_folder()
    if folder is None:
        sys.exit("needs the folder of captures: set $MOCAPELLA_DATA")
    files = sorted((folder / "cmu-bvh" / subject).glob("*.bvh"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clips = [mo.load(file) for file in files]
    _ = [clip.positions for clip in clips]
    one, other = clips[0].captured, clips[1].captured
    clouds = [clouds_of(clip) for clip in (one, other)]
    began = time.perf_counter()
    ours = cloud_distances(*clouds)
    each = (time.perf_counter() - began) / ours.size
    rng = np.random.default_rng(0)
    most = (len(clouds[0].ground), len(clouds[1].ground))
    plain = pair_by_pair(one, other, np.stack([rng.integers(0, n, 2000) for n in most], axis=-1))
    print(
        f"a pair of frames: ours {1e9 * each:.0f} ns, pair by pair {1e9 * plain:.0f} ns: {plain / each:.0f} × (mark 5)"
    )
    began = time.perf_counter()
    graph = build_graph(clips)
    used = len({int(clip) for clip in graph.nodes[:, 0]})
    print(f"subject {subject}: {graph!r} of {used} clips in use, {time.perf_counter() - began:.1f} s")
    print(f"every node reaches every node: {graph.is_strongly_connected}")
    ends, slips, steps, gaps = [], [], [], []
    for _ in range(GOALS):
        goal = tuple(rng.uniform(-5.0, 5.0, 2))
        try:
            walk = walk_to(graph, goal, start=int(rng.integers(len(graph.nodes))))
        except mo.MotionError:
            ends.append(np.inf)
            continue
        clip, contacts = walk_clip(graph, walk)
        ends.append(float(np.hypot(*(clip.root_positions[-1, [0, 2]] - goal))))
        slips.append(figures(MOTION, MeasuredMotion(clip, contacts), ("slip_mm_max",))["slip_mm_max"])
        steps.append(join_step(graph, walk, clip))
        gaps.append(walk.gap)
    near = sum(end <= 0.2 for end in ends)
    print(f"goals within 0.2 m: {near} of {GOALS}; worst end {max(ends):.2f} m, optimality gap {max(gaps):.2f}")
    print(f"joins: worst step {max(steps):.2f} × ordinary (mark 1.5); feet slide {max(slips):.3f} mm (mark 1)")
    print_searches(graph)
    walk = random_walk(graph, 60.0, rng=rng)
    clip, contacts = walk_clip(graph, walk)
    slip = figures(MOTION, MeasuredMotion(clip, contacts), ("slip_mm_max",))["slip_mm_max"]
    print(f"a minute at random: {join_step(graph, walk, clip):.2f} × an ordinary step, feet {slip:.3f} mm")
    walk = walk_along(graph, np.array([[0.0, 0.0], [0.0, 4.0], [3.0, 7.0], [3.0, 10.0]]))
    print(f"along a path with two bends of 45°: {100 * walk.cost:.0f} cm beside it on average")
    print_proposal(graph)


if __name__ == "__main__":
    main(*sys.argv[1:])
