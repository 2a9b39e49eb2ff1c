"""Hybrid networks beside graphs of blend spaces, measured: table 6.4 of the thesis on networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from mocapella.blending.network import Network
from mocapella.graphs.blend_spaces import SpaceEdge, change_space, space_edge
from mocapella.graphs.graph import WINDOW
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.clip import Clip
from mocapella.motion.loops import smooth_course
from mocapella.motion.pose import Pose
from mocapella.playback.player import Player
from mocapella.studies.demo import demo_hybrid
from mocapella.studies.paper_tables import Sources
from mocapella.studies.printed import table_of

_SAMPLES = 16  # changes of each kind
_COMPARED = 24  # motions of each block that the baseline compares
_THRESHOLD = 0.16  # metres; at half of it, where graphs of captures join, no walk is near enough to a run
_DT = 1.0 / 60.0  # seconds of a step
_LONGEST = 12.0  # seconds within which a change has to come
_SPAN = 0.1  # seconds over which the turn of a course changes
_GOING_ON = 60  # frames before and after a change that are measured with it


@dataclass(frozen=True)
class _Tried:
    """Changes from a walk to a run, each asked for at a random point."""

    possible: float  # share of the tries
    missed: float  # how far the run that was given is from that asked for, in ranges of the target's axes
    reach: float  # share of the target's bounding box that can be asked for
    step: float  # the largest of a joint in a frame, in those of the motions themselves
    slip: float  # millimetres that planted feet slide in the median
    wait: float  # seconds from the request until the change begins, mean
    length: float  # seconds of a change, mean


def made(sources: Sources) -> dict[str, Any]:
    """The table, always from the actor's walks and runs.

    Returns ``rows``: ``what ours baseline published_ours published_baseline``, in words; and the figures.
    """
    hybrid = demo_hybrid()
    walks, runs = (hybrid.blocks[name].network for name in ("walking", "running"))
    rng = np.random.default_rng(0)
    starts = _points(walks.points, rng)
    goals = _points(runs.points, rng)
    ours = _by_hybrid(hybrid, starts, goals)
    edge = space_edge(walks, runs, samples=_COMPARED, threshold=_THRESHOLD)
    theirs = _by_spaces(edge, starts, goals)
    smooth = _swerves(walks, starts, _points(walks.points, rng))
    actions = [arc for arc in hybrid.arcs if arc.source.block == arc.target.block]
    rows = [
        ("transitions always possible", f"{100 * ours.possible:.0f} % of tries", f"{100 * theirs.possible:.0f} %",
         "yes", "no"),
        ("free of blending artefacts", f"largest step {ours.step:.2f} ×, feet slide {ours.slip:.1f} mm",
         f"{theirs.step:.2f} ×, {theirs.slip:.1f} mm", "yes", "no"),
        ("navigation smooth", f"course swerves by {smooth[0]:.0f} °/s² at most", f"{smooth[1]:.0f} °/s²",
         "yes", "can look robotic"),
        ("immediate response while blending", f"in the next step; a change begins after {ours.wait:.1f} s",
         f"after {theirs.wait:.1f} s", "yes", "no"),
        ("any target", f"{100 * ours.reach:.0f} % of the runs", f"{100 * theirs.reach:.0f} %", "yes", "no"),
        ("always honours input", f"off by {100 * ours.missed:.0f} % of the range", f"{100 * theirs.missed:.0f} %",
         "yes", "no"),
        ("captures for a new kind of change", "1", f"{len(walks.nodes) + len(runs.nodes)} (both spaces)", "1",
         "dozens"),
        ("spaces must look alike", "no", f"within {100 * _THRESHOLD:.0f} cm", "no", "partly"),
        ("length of a transition", f"{ours.length:.2f} s, as captured", f"{theirs.length:.2f} s", "no limit",
         "very short"),
        ("transitions can be actions", f"yes: {len(actions)} twirls", "no", "yes", "no"),
    ]  # fmt: skip
    keys = ("what", "ours", "baseline", "published_ours", "published_baseline")
    return {
        "rows": [dict(zip(keys, row, strict=True)) for row in rows],
        "ours": vars(ours),
        "baseline": vars(theirs),
        "swerves": {"ours": smooth[0], "baseline": smooth[1]},
    }


def printed(found: dict[str, Any]) -> list[Table | str]:
    """The table for the terminal."""
    heads = ("", "hybrid network", "blend spaces", "published: hybrid", "spaces")
    rows = [tuple(row.values()) for row in found["rows"]]
    title = "Hybrid networks beside graphs of blend spaces (thesis on networks, table 6.4)"
    note = (
        f"{_SAMPLES} changes of the actor from a random walk to a random run; the baseline is that of Heck and "
        f"Gleicher (2007), windows of {WINDOW:g} s within {100 * _THRESHOLD:g} cm"
    )
    return [table_of(title, heads, rows, left=heads), note]


def _points(points: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(points.min(axis=0), points.max(axis=0), (_SAMPLES, 2))


def _by_hybrid(hybrid: HybridNetwork, starts: np.ndarray, goals: np.ndarray) -> _Tried:
    """Captured changes: a player is asked to run, and then sent to the goal."""
    runs = hybrid.blocks["running"].network
    ranges = np.ptp(runs.points, axis=0)
    reached, missed, steps, slips, waits, lengths = 0, [], [], [], [], []
    for start, goal in zip(starts, goals, strict=True):
        player = Player(hybrid, point=hybrid.blocks["walking"].network.place(start.tolist()).point)
        player.mode = "change"
        poses = [player.step(_DT) for _ in range(_GOING_ON)]
        player.trigger("walk-run", anywhere=True)
        begun = ended = 0
        while len(poses) < _LONGEST / _DT and not (ended and len(poses) > ended + _GOING_ON):
            poses.append(player.step(_DT))
            begun = begun or (len(poses) if player.state == "change" else 0)
            ended = ended or (len(poses) if player.block == "running" and player.state == "network" else 0)
        if not ended:
            continue
        reached += 1
        wanted = np.array(runs.place(goal.tolist()).point)
        player.mode = "blend"
        player.point = tuple(wanted.tolist())
        for _ in range(180):
            player.step(_DT)
        missed.append(float(np.linalg.norm((np.array(player.point) - wanted) / ranges)))
        clip = _clip(player, poses)
        steps.append(_step(clip, begun, ended))
        slips.append(_slip(clip[begun - 30 : ended + 30]))
        waits.append((begun - _GOING_ON) * _DT)
        lengths.append((ended - begun) * _DT)
    return _Tried(reached / len(starts), float(np.mean(missed)), 1.0, max(steps),
                  float(np.median(slips)), float(np.mean(waits)), float(np.mean(lengths)))  # fmt: skip


def _by_spaces(edge: SpaceEdge, starts: np.ndarray, goals: np.ndarray) -> _Tried:
    """Blends where motions are near enough."""
    ranges = np.ptp(edge.target.points, axis=0)
    missed, steps, slips, waits, reaches = [], [], [], [], []
    for start, goal in zip(starts, goals, strict=True):
        point = edge.source.place(start.tolist()).point
        wanted = np.array(edge.target.place(goal.tolist()).point)
        box = edge.box((point[0], point[1]))
        reaches.append(0.0 if box is None else float(np.prod((box[1] - box[0]) / ranges)))
        change = change_space(edge, (point[0], point[1]), (float(wanted[0]), float(wanted[1])))
        if change is None:
            continue
        missed.append(float(np.linalg.norm((np.array(change.given) - wanted) / ranges)))
        steps.append(_step(change.clip, *change.blended))
        slips.append(_slip(change.clip[max(change.blended[0] - 30, 0) : change.blended[1] + 30]))
        waits.append(0.5 * change.blended[0] / change.clip.frame_rate)  # asked for at any moment of a round
    if not missed:
        return _Tried(0.0, 1.0, 0.0, float("nan"), float("nan"), float("nan"), WINDOW)
    return _Tried(len(missed) / len(starts), float(np.mean(missed)), float(np.mean(reaches)), max(steps),
                  float(np.median(slips)), float(np.mean(waits)), WINDOW)  # fmt: skip


def _swerves(walks: Network, starts: np.ndarray, goals: np.ndarray) -> tuple[float, float]:
    """How fast the turn of the course changes at most, °/s², median of ways from one walk to another: ours, theirs."""
    edge = space_edge(walks, walks, samples=_COMPARED, threshold=_THRESHOLD)
    ours, theirs = [], []
    for start, goal in zip(starts, goals, strict=True):
        (x, y), wanted = (walks.place(one.tolist()).point for one in (start, goal))
        player = Player(walks, point=(x, y))
        poses = [player.step(_DT) for _ in range(_GOING_ON)]
        player.point = wanted
        ours.append(_swerve(_clip(player, [*poses, *(player.step(_DT) for _ in range(3 * _GOING_ON))])))
        change = change_space(edge, (x, y), (wanted[0], wanted[1]))
        if change is not None:
            theirs.append(_swerve(change.clip))
    return float(np.median(ours)), float(np.median(theirs)) if theirs else float("nan")


def _swerve(clip: Clip) -> float:
    """The largest change of turn rate of a course over a tenth of a second, °/s²."""
    rates = np.diff(smooth_course(clip).headings) * clip.frame_rate
    span = max(round(_SPAN * clip.frame_rate), 1)
    return float(np.degrees(np.abs(rates[span:] - rates[:-span]).max()) * clip.frame_rate / span)


def _clip(player: Player, poses: list[Pose]) -> Clip:
    roots = np.array([pose.root_position for pose in poses])
    return Clip(player.skeleton, roots, np.array([pose.rotations_wxyz for pose in poses]), frame_rate=1.0 / _DT)


def _step(clip: Clip, begun: int, ended: int) -> float:
    """The largest step of a joint in a change, in the largest of what is before and after it."""
    steps = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).max(axis=-1)
    ordinary = max(float(steps[: max(begun - 1, 1)].max()), float(steps[min(ended + 1, len(steps) - 1) :].max()))
    return float(steps[max(begun - 1, 0) : ended + 1].max()) / ordinary


def _slip(clip: Clip) -> float:
    return float(figures(MOTION, MeasuredMotion(clip), ("slip_mm_max",))["slip_mm_max"])
