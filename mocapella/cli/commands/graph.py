"""``mocapella graph``: captures joined where they look alike, and walks through them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import click
import numpy as np

from mocapella.building.proposal import propose_hybrid
from mocapella.cli.options import FILE, Group, expert_option
from mocapella.cli.options.csv_tables import read_path
from mocapella.cli.options.motion_files import animation_option, motion_files
from mocapella.cli.options.numbers import NumberRange
from mocapella.cli.options.outputs import (
    PICTURES,
    check_output,
    check_outputs,
    output_option,
    outputs_option,
    write_all,
)
from mocapella.cli.printing import Json, as_option, command, doubt, say, table, tracked
from mocapella.editing.retarget import retarget
from mocapella.errors import MotionError
from mocapella.files.animations import Wanted
from mocapella.files.format_table import WRITABLE
from mocapella.files.formats import used_motions
from mocapella.gait.root_motion import played_rates
from mocapella.graphs.clusters import DEPTH, find_clusters, reachable_from
from mocapella.graphs.distance import DISTANCES
from mocapella.graphs.goal_search import EFFORT, walk_to
from mocapella.graphs.graph import MotionGraph, build_graph
from mocapella.graphs.traversal import Walk, join_step, random_walk, walk_along, walk_clip
from mocapella.library.entries import KINDS
from mocapella.library.stretches import find_stretches
from mocapella.motion.clip import Clip
from mocapella.storage.values import load, save

_MOST_NAMES = 12  # of motions in one line


@click.group(cls=Group, example="mocapella graph build captures/*.bvh -o graph.moca")
def graph() -> None:
    """Join captures where they look alike, and walk through them."""


@graph.command("build", example="mocapella graph build captures/*.bvh -o graph.moca")
@click.argument("sources", metavar="FILE…", nargs=-1, required=True, type=FILE)
@output_option(metavar="GRAPH.moca", required=True, help="The graph to write.")
@expert_option("--distance", type=click.Choice([*DISTANCES]), default="clouds",
               help="Compare joint positions (clouds) or joint angles.")  # fmt: skip
@expert_option("--threshold", type=NumberRange(0.0, 3.0, min_open=True),
              help="Largest distance of joined frames; 0.08 m if left out, or 0.13 rad for angles.")  # fmt: skip
@expert_option("--window", type=NumberRange(0.05, 2.0), default=0.33, help="Duration of a join, seconds.")
@expert_option("--strict", is_flag=True, help="Stop if a file cannot be read or has another skeleton or frame rate.")
@expert_option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu",
               help="Where frames are compared; cuda is a GPU.")  # fmt: skip
@animation_option
@command
def build(sources: tuple[Path, ...], output: Path, distance: str, threshold: float | None, window: float, strict: bool,
          device: str, animation: Wanted) -> Json:  # fmt: skip
    """Find where captures of one skeleton can be joined.

    Windows of frames are compared, regardless of position and heading; the same feet must be planted. Dead ends are
    pruned: in the graph every node leads to every other. Files that cannot be read are left out, those of another
    skeleton or frame rate than most are retargeted or resampled to it; all are named.
    """
    files = motion_files(sources)
    check_output(output, [".moca"], files)
    clips = _one_body(_readable(files, animation, strict), strict)
    motions = build_graph(
        clips,
        distance=distance,
        threshold=threshold,
        window=window,
        device=device,
        progress=lambda pairs: tracked("comparing", pairs),
    )
    save(motions, output)
    short = [clip.name for clip in clips if not _has(motions, clip.name)]
    _doubt_all(short, f"left out: no {3.0 * window:.2g} s without a fault")
    used = len({int(clip) for clip in motions.nodes[:, 0]})
    say(f"{output}: {len(motions.nodes)} nodes, {len(motions.joins)} joins, {used} of {len(clips)} clips")
    return {
        "nodes": len(motions.nodes),
        "edges": len(motions.edges),
        "frames": motions.n_frames,
        "strongly_connected": motions.is_strongly_connected,
        "clips": used,
    }


def _readable(files: list[Path], animation: Wanted, strict: bool) -> list[Clip]:
    """The clips of the files that can be read, all animations of a file; the others are named."""
    clips: list[Clip] = []
    for path in tracked("reading", files):
        motions = used_motions(path, animation=animation)
        for motion in motions:
            try:
                clips.append(motion.read())
            except MotionError as error:
                if strict or len(files) == len(motions) == 1:
                    raise
                doubt(f"left out: {error.spelled(as_option)}")
    if not clips:
        raise MotionError(f"none of {len(files)} files can be read")
    return clips


def _one_body(clips: list[Clip], strict: bool) -> list[Clip]:
    """The clips on the skeleton, and at the frame rate, that most seconds of motion have."""
    if strict:
        return clips
    spans = [sum(other.seconds for other in clips if clip.skeleton.same_as(other.skeleton)) for clip in clips]
    skeleton = clips[spans.index(max(spans))].skeleton
    on_it, carried = [], []
    for clip in clips:
        if clip.skeleton.same_as(skeleton):
            on_it.append(clip)
            continue
        try:
            on_it.append(retarget(clip, skeleton))
            carried.append(clip.name)
        except MotionError as error:
            doubt(f"{clip.name} is left out: {error.spelled(as_option)}")
    _doubt_all(carried, "retargeted to the skeleton that most motions have")
    seconds: dict[float, float] = {}
    for clip in on_it:
        rounded = round(clip.frame_rate, 3)
        seconds[rounded] = seconds.get(rounded, 0.0) + clip.seconds
    most = max(seconds, key=lambda rate: seconds[rate])
    rate = next(clip.frame_rate for clip in on_it if round(clip.frame_rate, 3) == most)
    other = [clip.name for clip in on_it if not math.isclose(clip.frame_rate, rate, rel_tol=1e-6)]
    _doubt_all(other, f"brought to the {rate:g} frames a second that most motions have")
    return [clip if math.isclose(clip.frame_rate, rate, rel_tol=1e-6) else clip.resampled(rate) for clip in on_it]


def _doubt_all(names: list[str], what: str) -> None:
    """Say what was done to some motions, in one line however many they are."""
    if names:
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        doubt(f"{', '.join(names[:_MOST_NAMES])}{more} {'is' if len(names) == 1 else 'are'} {what}")


@graph.command("walk", example="mocapella graph walk graph.moca -o there.glb --to 2 4")
@click.argument("source", metavar="GRAPH.moca", type=FILE)
@outputs_option(metavar="OUT", help=f"A motion file: {', '.join(WRITABLE)}; repeat it for several.")
@click.option("--seconds", type=NumberRange(0.0, 3600.0, min_open=True), help="Walk at random for this many seconds.")
@expert_option("--seed", type=click.IntRange(0), default=0, help="Seed of random choices.")
@click.option("--to", "goal", type=(float, float), metavar="X Z", help="Go to a place, metres left and ahead.")
@click.option("--path", type=FILE, metavar="FILE.csv", help="Go along a path over the ground: x,z.")
@click.option("--clip", "names", metavar="NAME", multiple=True, help="Use this capture; repeat for others.")
@expert_option("--stretch", "stretches", type=(float, str), metavar="METRES NAME", multiple=True,
              help="With --path: use this capture or kind (walk, run, turn, stand) from there on.")  # fmt: skip
@expert_option("--start", type=click.IntRange(0), default=0, help="The node to begin at.")
@expert_option("--arrive", metavar="NAME|NODE", help="With --to: the capture or node to arrive at.")
@expert_option("--search", type=click.Choice(["ahead", "both"]),
              help="With --to: search from the start, or from both ends.")  # fmt: skip
@expert_option("--effort", type=click.IntRange(1, 10_000_000), default=EFFORT,
              help="With --to: largest number of nodes to examine.")  # fmt: skip
@command
def walk(source: Path, outputs: tuple[Path, ...], seconds: float | None, seed: int, goal: tuple[float, float] | None,
         path: Path | None, names: tuple[str, ...], stretches: tuple[tuple[float, str], ...], start: int,
         arrive: str | None, search: Literal["ahead", "both"] | None, effort: int) -> Json:  # fmt: skip
    """Walk through a graph and write the motion; planted feet are held.

    One of --seconds, --to and --path says where to; without any it walks at random for 10 s. With --to the shortest
    walk is searched; --arrive asks for the motion in which it ends, from where it can go on.
    """
    if sum(given is not None for given in (seconds, goal, path)) > 1:
        raise click.UsageError("say where to go with one of --seconds, --to and --path, not with several")
    if stretches and path is None:
        raise click.UsageError("--stretch goes with --path")
    if goal is None and (arrive is not None or search is not None):
        raise click.UsageError("--arrive and --search go with --to")
    check_outputs(outputs, WRITABLE, [source])
    motions = _graph_in(source)
    if start >= len(motions.nodes):
        raise MotionError(f"the graph has {len(motions.nodes)} nodes, from 0, so there is none numbered {start}")
    if goal is not None:
        is_node = arrive and arrive.isdecimal() and not _has(motions, arrive)  # some captures are named by numbers
        end = int(arrive) if arrive and is_node else arrive
        way = walk_to(motions, goal, start=start, clips=names, arrive=end, search=search, effort=effort)
    elif path is not None:
        way = _walk_along(motions, path, start, names, stretches)
    else:
        seconds = 10.0 if seconds is None else seconds
        way = random_walk(motions, seconds, rng=np.random.default_rng(seed), start=start)
    clip, _ = walk_clip(motions, way, name=outputs[0].stem)
    files = write_all(clip, outputs)
    answer = {
        "frames": clip.n_frames,
        "distance_to_goal": None,
        "distance_to_path": None,
        "joins": sum(edge.join is not None for edge in way.edges),
        "step_max": join_step(motions, way, clip),
        "gap": None,
        "looked_at": None,
    }
    off = ""
    if goal is not None:
        apart = float(np.hypot(*(clip.root_positions[-1, [0, 2]] - goal)))
        answer |= {"distance_to_goal": apart, "gap": way.gap, "looked_at": way.looked_at}
        off = f", {apart:.2f} m from the goal"
    elif path is not None:
        answer |= {"distance_to_path": way.cost}
        off = f", {way.cost:.2f} m beside the path"
    say(f"{', '.join(files['files'])}: {clip.n_frames} frames, {clip.seconds:.1f} s, {answer['joins']} joins{off}")
    return {**answer, **files}


def _walk_along(
    motions: MotionGraph, path: Path, start: int, names: Sequence[str], stretches: Sequence[tuple[float, str]]
) -> Walk:
    """The walk along a path in a file; captures are labelled where a stretch names a kind of motion."""
    places = np.array([row[:2] for row in read_path(path)])
    labels = _kinds(motions) if any(name in KINDS and not _has(motions, name) for _, name in stretches) else ()
    return walk_along(motions, places, start=start, clips=names, stretches=stretches, labels=labels)


def _kinds(motions: MotionGraph) -> list[list[tuple[int, int, str]]]:
    """The kinds of motion in each clip of a graph, as a library labels them."""
    return [
        [
            (stretch.start, stretch.start + stretch.frames - 1, stretch.kind)
            for stretch in find_stretches(clip)
            if stretch.kind != "change"
        ]
        for clip in motions.clips
    ]


def _has(motions: MotionGraph, name: str) -> bool:
    """Whether a clip has a name."""
    return any(clip.name == name for clip in motions.clips)


@graph.command("kinds", example="mocapella graph kinds graph.moca")
@click.argument("source", metavar="GRAPH.moca", type=FILE)
@click.option("--from", "node", type=click.IntRange(0), default=0, help="The node to start from.")
@click.option("--depth", type=click.IntRange(0, 100), default=DEPTH, help="Largest number of joins.")
@command
def kinds(source: Path, node: int, depth: int) -> Json:
    """List the kinds of motion that can be reached.

    Nodes are grouped by posture and speed. For each kind the fewest joins on the way to it are printed, and how long
    that way takes.
    """
    motions = _graph_in(source)
    groups = find_clusters(motions)
    reached = reachable_from(motions, groups, node, depth=depth)
    counts = np.bincount(groups.of_node, minlength=groups.n_clusters)
    rows = [
        (groups.name(kind.cluster), str(counts[kind.cluster]), str(kind.joins), f"{kind.seconds:.1f}")
        for kind in reached
    ]
    say(table(("kind", ">nodes", ">joins", ">seconds"), rows))
    listed = [
        {"name": groups.name(kind.cluster), "nodes": int(counts[kind.cluster]),
         "speed": float(groups.speeds[kind.cluster]), "turn": float(groups.turns[kind.cluster]),
         "joins": kind.joins, "seconds": kind.seconds}
        for kind in reached
    ]  # fmt: skip
    return {"node": node, "kinds": listed}


@graph.command("hybrid", example="mocapella graph hybrid graph.moca -o person.moca")
@click.argument("source", metavar="GRAPH.moca", type=FILE)
@output_option(metavar="NET.moca", required=True, help="The hybrid network to write.")
@command
def hybrid(source: Path, output: Path) -> Json:
    """Propose a hybrid network: blocks of cycles, arcs of changes.

    Cycles of the captures are grouped by kind, such as walking and running. Between two kinds the best change is taken:
    a capture of it, or the walk through the graph with the fewest joins. What is left out is named with the reason.
    """
    check_output(output, [".moca"], [source])
    proposal = propose_hybrid(_graph_in(source), measure=played_rates, progress=lambda clips: tracked("cycles", clips))
    save(proposal.network, output)
    say(f"{output}: {proposal.network!r}")
    rows = [
        (arc.name, arc.source, arc.target, ", ".join(arc.clips), str(arc.joins), f"{arc.seconds:.1f}")
        for arc in proposal.arcs
    ]
    say(table(("arc", "from", "to", "captures", ">joins", ">seconds"), rows))
    for lost in proposal.left_out:
        doubt(f"left out: {lost.name}: {lost.reason}")
    return {
        "blocks": [
            {"name": kind.name, "cycles": [cycle.name for cycle in kind.cycles], "speed": kind.speed}
            for kind in proposal.kinds
        ],
        "arcs": [{**asdict(arc), "clips": list(arc.clips)} for arc in proposal.arcs],
        "left_out": [asdict(lost) for lost in proposal.left_out],
    }


def _graph_in(source: Path) -> MotionGraph:
    value = load(source)
    if not isinstance(value, MotionGraph):
        raise MotionError(f"{source} holds no motion graph", helps="mocapella graph build makes one")
    return value


@graph.command("draw", example="mocapella graph draw graph.moca graph.png")
@click.argument("source", metavar="GRAPH.moca", type=FILE)
@click.argument("output", metavar="OUT.png", type=FILE)
@command
def draw(source: Path, output: Path) -> Json:
    """Draw a graph: captures as lines in time, joins as arcs."""
    from mocapella.pictures.graph_drawing import draw_graph  # matplotlib takes long to import, and may be missing

    check_output(output, PICTURES, [source])
    motions = _graph_in(source)
    draw_graph(motions, output)
    say(f"{output}: {motions!r}")
    return {"path": str(output), "nodes": len(motions.nodes), "edges": len(motions.edges)}
