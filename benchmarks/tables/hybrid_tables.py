"""Hybrid networks beside graphs of blend spaces, measured: table 6.4 of the thesis on networks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from mocapella.analysis.fourier import synthesise
from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.graphs.blend_spaces import SpaceChange, SpaceEdge, change_space, space_edge
from mocapella.graphs.distance import Clouds, cloud_distances, clouds_of
from mocapella.graphs.graph import WINDOW
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.clip import Clip
from mocapella.motion.loops import smooth_course
from mocapella.motion.pose import Pose
from mocapella.playback.player import Player
from mocapella.studies.demo import demo_blocks, demo_hybrid
from mocapella.studies.paper_tables import Sources
from mocapella.studies.printed import table_of

_SAMPLES = 16  # changes of each kind
_COMPARED = 24  # motions of each block that the baseline compares
_THRESHOLD = 0.16  # metres; at half of it, where graphs of captures join, no walk is near enough to a run
_DT = 1.0 / 60.0  # seconds of a step
_LONGEST = 12.0  # seconds within which a change has to come
_SPAN = 0.1  # seconds over which the turn of a course changes
_SEEN = 0.001  # metres by which a joint has to be elsewhere before a request is answered
_GOING_ON = 60  # frames before and after a change that are measured with it


@dataclass(frozen=True)
class _Tried:
    """Changes from a walk to a run, each asked for at a random point."""

    possible: float  # share of the tries
    missed: float  # how far the run that was given is from that asked for, in ranges of the target's axes
    step: float  # the largest of a joint in a frame, in those of the motions themselves
    slip: float  # millimetres that planted feet slide in the median
    wait: float  # seconds from the request until the change begins, mean
    length: float  # seconds of a change, mean
    longest: float  # seconds of the longest change that there is
    bridged: float  # metres by which the nearest windows of a walk and a run that were joined differ, at most
    moved: float  # how far apart the places are at which it is asked for from different walks, in ranges of the axes
    new: float  # metres by which windows of a change differ from all walks and runs, at most


@dataclass(frozen=True)
class _Steered:
    """Ways from one walk to another, each asked for at a random point."""

    answer: float  # seconds until a joint is 1 mm from where it would have been, mean
    swerve: float  # the largest change of the course's turn rate, °/s², median


def made(sources: Sources) -> dict[str, Any]:
    """The table, always from the actor's walks and runs.

    Returns ``rows``: ``what ours baseline published_ours published_baseline``, in words; and the figures.
    """
    hybrid, blocks = demo_hybrid(), demo_blocks()
    walks, runs = (hybrid.blocks[name].network for name in ("walking", "running"))
    rng = np.random.default_rng(0)
    starts = _points(walks.points, rng)
    goals = _points(runs.points, rng)
    motions = [
        clouds_of(_motion(block, point), window=WINDOW, stride=2) for block in (walks, runs) for point in block.points
    ]
    ours = _by_hybrid(hybrid, starts, goals, motions)
    edge = space_edge(walks, runs, samples=_COMPARED, threshold=_THRESHOLD)
    theirs = _by_spaces(edge, starts, goals, motions)
    steered, led = _ways(walks, starts, _points(walks.points, rng))
    changes = len({arc.transition.clip.name for arc in hybrid.arcs}) / len(hybrid.arcs)
    rows = [
        ("transitions always possible", f"{100 * ours.possible:.0f} % of tries", f"{100 * theirs.possible:.0f} %",
         "yes", "no"),
        ("free of blending artefacts", f"largest step {ours.step:.2f} ×, feet slide {ours.slip:.1f} mm",
         f"{theirs.step:.2f} ×, {theirs.slip:.1f} mm", "yes", "no"),
        ("navigation smooth", f"course swerves by {steered.swerve:.0f} °/s² at most", f"{led.swerve:.0f} °/s²",
         "yes", "can look robotic"),
        ("immediate response while blending", f"after {steered.answer:.2f} s", f"after {led.answer:.2f} s",
         "yes", "no"),
        ("static target to trigger", f"moves by {100 * ours.moved:.0f} % of the range",
         f"{100 * theirs.moved:.0f} %", "yes", "no"),
        ("always honours input", f"off by {100 * ours.missed:.0f} % of the range", f"{100 * theirs.missed:.0f} %",
         "yes", "no"),
        ("motions for a new kind", f"{changes:g} capture a change",
         f"{len(blocks['running'].sources)} captures of runs", "1", "dozens"),
        ("spaces must look alike", f"joined {100 * ours.bridged:.0f} cm apart", f"{100 * theirs.bridged:.0f} cm",
         "no", "partly"),
        ("length of a transition", f"{ours.length:.2f} s, the longest {ours.longest:.2f} s",
         f"{theirs.length:.2f} s, the longest {theirs.longest:.2f} s", "no limit", "very short"),
        ("transitions can be actions", f"up to {100 * ours.new:.0f} cm from every walk and run",
         f"{100 * theirs.new:.0f} cm", "yes", "no"),
    ]  # fmt: skip
    keys = ("what", "ours", "baseline", "published_ours", "published_baseline")
    return {
        "rows": [dict(zip(keys, row, strict=True)) for row in rows],
        "ours": vars(ours) | vars(steered),
        "baseline": vars(theirs) | vars(led),
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


def _by_hybrid(hybrid: HybridNetwork, starts: np.ndarray, goals: np.ndarray, motions: Sequence[Clouds]) -> _Tried:
    """Captured changes: a player is asked to run, and then sent to the goal."""
    walks, runs = (hybrid.blocks[name].network for name in ("walking", "running"))
    ranges = np.ptp(runs.points, axis=0)
    missed, steps, slips, waits, lengths, apart, asked = [], [], [], [], [], [], []
    for start, goal in zip(starts, goals, strict=True):
        point = walks.place(start.tolist()).point
        player = Player(hybrid, point=point)
        player.mode = "change"
        poses = [player.step(_DT) for _ in range(_GOING_ON)]
        other = Player(hybrid, point=point, mode="change")
        other.trigger("walk-run")
        asked.append(other.goal / np.ptp(walks.points, axis=0))
        player.trigger("walk-run", anywhere=True)
        begun = ended = 0
        while len(poses) < _LONGEST / _DT and not (ended and len(poses) > ended + _GOING_ON):
            poses.append(player.step(_DT))
            begun = begun or (len(poses) if player.state == "change" else 0)
            ended = ended or (len(poses) if player.block == "running" and player.state == "network" else 0)
        if not ended:
            continue
        wanted = np.array(runs.place(goal.tolist()).point)
        player.mode = "blend"
        player.point = tuple(wanted.tolist())
        for _ in range(180):
            player.step(_DT)
        missed.append(float(np.linalg.norm((np.array(player.point) - wanted) / ranges)))
        apart.append(_nearest(_motion(walks, start), [clouds_of(_motion(runs, goal), window=WINDOW, stride=2)]).min())
        clip = _clip(player, poses)
        steps.append(_step(clip, begun, ended))
        slips.append(_slip(clip[begun - 30 : ended + 30]))
        waits.append((begun - _GOING_ON) * _DT)
        lengths.append((ended - begun) * _DT)
    changes = [arc.transition for arc in hybrid.arcs]
    return _Tried(
        possible=len(missed) / len(starts),
        missed=float(np.mean(missed)),
        step=max(steps),
        slip=float(np.median(slips)),
        wait=float(np.mean(waits)),
        length=float(np.mean(lengths)),
        longest=max(change.seconds for change in changes),
        bridged=float(max(apart)),
        moved=_spread(asked),
        new=max(float(_nearest(change.clip[change.leave : change.arrive], motions).max()) for change in changes),
    )


def _by_spaces(edge: SpaceEdge, starts: np.ndarray, goals: np.ndarray, motions: Sequence[Clouds]) -> _Tried:
    """Blends where motions are near enough."""
    ranges = np.ptp(edge.target.points, axis=0)
    missed, steps, slips, waits, lengths, apart, asked, new = [], [], [], [], [], [], [], []
    for start, goal in zip(starts, goals, strict=True):
        point = edge.source.place(start.tolist()).point
        wanted = np.array(edge.target.place(goal.tolist()).point)
        change = change_space(edge, (point[0], point[1]), (float(wanted[0]), float(wanted[1])))
        box = edge.box((point[0], point[1]))
        if change is None or box is None:
            continue
        first, last = change.blended
        rate = change.clip.frame_rate
        asked.append(0.5 * (box[0] + box[1]) / ranges)
        missed.append(float(np.linalg.norm((np.array(change.given) - wanted) / ranges)))
        steps.append(_step(change.clip, first, last))
        slips.append(_slip(change.clip[max(first - 30, 0) : last + 30]))
        waits.append(_mean_wait(change))
        lengths.append((last - first) / rate)
        apart.append(change.distance)
        new.append(float(_nearest(change.clip[first : last + round(WINDOW * rate)], motions).max()))
    if not missed:
        raise MotionError(f"none of the {len(starts)} changes was possible by blend spaces; nothing to compare")
    return _Tried(
        possible=len(missed) / len(starts),
        missed=float(np.mean(missed)),
        step=max(steps),
        slip=float(np.median(slips)),
        wait=float(np.mean(waits)),
        length=float(np.mean(lengths)),
        longest=max(lengths),
        bridged=max(apart),
        moved=_spread(asked),
        new=max(new),
    )


def _ways(walks: Network, starts: np.ndarray, goals: np.ndarray) -> tuple[_Steered, _Steered]:
    """Ways from one walk to another: a point that is moved, and blends between motions that are near enough."""
    edge = space_edge(walks, walks, samples=_COMPARED, threshold=_THRESHOLD)
    answers, waits, ours, theirs = [], [], [], []
    for start, goal in zip(starts, goals, strict=True):
        (x, y), wanted = (walks.place(one.tolist()).point for one in (start, goal))
        player, unmoved = Player(walks, point=(x, y)), Player(walks, point=(x, y))
        poses, without = ([one.step(_DT) for _ in range(_GOING_ON)] for one in (player, unmoved))
        player.point = wanted
        poses += [player.step(_DT) for _ in range(3 * _GOING_ON)]
        without += [unmoved.step(_DT) for _ in range(3 * _GOING_ON)]
        off = [
            np.abs(pose.positions - other.positions).max() > _SEEN for pose, other in zip(poses, without, strict=True)
        ]
        answers.append((int(np.argmax(off)) - _GOING_ON + 1) * _DT)
        ours.append(_swerve(_clip(player, poses)))
        change = change_space(edge, (x, y), (wanted[0], wanted[1]))
        if change is not None:
            waits.append(_mean_wait(change))
            theirs.append(_swerve(change.clip))
    none = float("nan")
    return (
        _Steered(float(np.mean(answers)), float(np.median(ours))),
        _Steered(float(np.mean(waits)) if waits else none, float(np.median(theirs)) if theirs else none),
    )


def _mean_wait(change: SpaceChange) -> float:
    """Seconds until a blend begins, mean over all moments of the round before it."""
    return 0.5 * change.blended[0] / change.clip.frame_rate


def _motion(network: Network, point: np.ndarray) -> Clip:
    """Two rounds of a blend."""
    spectrum = network.blend(network.place(point.tolist()))
    return synthesise(spectrum, round(spectrum.duration / _DT)).to_clip(2).resampled(1.0 / _DT)


def _nearest(clip: Clip, motions: Sequence[Clouds]) -> np.ndarray:
    """How far each window of a clip is from the nearest of some motions, metres."""
    own = clouds_of(clip.resampled(1.0 / _DT), window=WINDOW, stride=2)
    return np.min([cloud_distances(own, other).min(axis=1) for other in motions], axis=0)


def _spread(places: Sequence[np.ndarray]) -> float:
    """How far apart the two farthest of some places are."""
    return max((float(np.linalg.norm(a - b)) for a, b in itertools.combinations(places, 2)), default=0.0)


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
