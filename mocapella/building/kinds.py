"""Kinds of cycles, each for one block of a hybrid network, and the frames of a clip that show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Int

from mocapella.analysis.cycles.search import pose_features
from mocapella.building.gaits import FLIGHT, flight_of
from mocapella.hybrid.boundaries import MOST_BENT_AWAY, apart_from
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.travel import stands


class _KindSettings(NamedTuple):
    """When cycles are of one kind, and when frames show it."""

    doubling: float = 0.33  # distance of twice the speed, where the feet of a walk and a run have distance 1
    unlike: float = 0.6  # mean difference of two groups, from which on they are two kinds
    slowest: float = 0.05  # m/s that a cycle counts as at least
    looks: float = 30.0  # frames per second at which frames are compared
    briefest: float = 0.25  # seconds: a kind that shows for a shorter time is no stretch


_KIND = _KindSettings()


@dataclass(frozen=True, eq=False)
class Kind:
    """Cycles of one kind."""

    name: str  # "walking"
    cycles: tuple[Cycle, ...]

    @property
    def speed(self) -> float:
        """The mean of its cycles, m/s."""
        return float(np.mean([cycle.speed for cycle in self.cycles]))

    @property
    def longest(self) -> float:
        """Seconds of the longest cycle."""
        return max(cycle.duration for cycle in self.cycles)


@dataclass(frozen=True)
class Stretch:
    """Frames of a clip that show one kind, or none."""

    kind: int  # -1 for none
    first: int
    last: int  # exclusive


def kinds_of(cycles: Sequence[Cycle]) -> list[Kind]:
    """Cycles grouped by gait: standing, walking, running.

    Agglomerative clustering with average linkage. Two cycles differ by the share of time that they spend without a foot
    on the ground, which separates walks from runs, and a little by their speeds, so that very unlike ones fall apart.
    """
    groups = _by_gait([cycle for cycle in cycles if not stands(cycle)])
    if standing := [cycle for cycle in cycles if stands(cycle)]:
        groups = [standing, *groups]
    groups.sort(key=lambda group: float(np.mean([cycle.speed for cycle in group])))
    kinds: list[Kind] = []
    for group in groups:
        runs = np.mean([_gait(cycle) for cycle in group]) > 0.5
        gait = "standing" if group is standing else "running" if runs else "walking"
        alike = sum(kind.name.split(" ")[0] == gait for kind in kinds)
        kinds.append(Kind(f"{gait} {alike + 1}" if alike else gait, tuple(group)))
    return kinds


def _by_gait(moving: Sequence[Cycle]) -> list[list[Cycle]]:
    """Cycles that travel, in groups whose mean difference is large."""
    if len(moving) < 2:
        return [list(moving)] if moving else []
    rows = np.array([[_gait(cycle), _KIND.doubling * math.log2(max(cycle.speed, _KIND.slowest))] for cycle in moving])
    tree = scipy.cluster.hierarchy.linkage(rows, "average")
    numbers = scipy.cluster.hierarchy.fcluster(tree, _KIND.unlike, "distance")
    return [[moving[i] for i in np.flatnonzero(numbers == number).tolist()] for number in np.unique(numbers)]


def stretches_of(clip: Clip, kinds: Sequence[Kind]) -> list[Stretch]:
    """The kinds that a clip shows, stretch by stretch.

    A frame shows the kind with the cycle that is nearest to it in pose and movement; none where that is further than
    ``MOST_BENT_AWAY`` of the distance between any two poses of the cycle.

    The stretches are in order, without gaps, each at least a quarter of a second long.
    """
    stride = max(1, round(clip.frame_rate / _KIND.looks))
    features = pose_features(clip)[::stride]
    nearest = np.stack(
        [np.min([apart_from(features, _seen(cycle)) for cycle in kind.cycles], axis=0) for kind in kinds]
    )
    labels = np.where(nearest.min(axis=0) <= MOST_BENT_AWAY, nearest.argmin(axis=0), -1)
    return _merged(labels, stride, clip.n_frames, _KIND.briefest * clip.frame_rate)


def nearest_cycle(clip: Clip, frames: slice, kind: Kind) -> Cycle:
    """The cycle of a kind that comes nearest to some frames of a clip, at least one."""
    features = pose_features(clip)[frames]
    return min(kind.cycles, key=lambda cycle: float(apart_from(features, _seen(cycle)).min()))


def _merged(labels: Int[np.ndarray, " looks"], stride: int, n_frames: int, least: float) -> list[Stretch]:
    """Stretches of equal labels; those that are too brief belong to the one before, the first to the one after."""
    cuts = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
    out: list[Stretch] = []
    for first, last in pairwise(cuts):
        kind, start, stop = int(labels[first]), first * stride, min(last * stride, n_frames)
        if out and (stop - start < least or out[-1].kind == kind):
            out[-1] = Stretch(out[-1].kind, out[-1].first, stop)
        elif out and out[-1].last - out[-1].first < least:
            out[-1] = Stretch(kind, out[-1].first, stop)
        else:
            out.append(Stretch(kind, start, stop))
    return [*out[:-1], Stretch(out[-1].kind, out[-1].first, n_frames)]


def _gait(cycle: Cycle) -> float:
    """0 for a walk, 1 for a run, between them for gaits with short flights."""
    return min(flight_of(cycle) / FLIGHT, 1.0)


def _seen(cycle: Cycle) -> np.ndarray:
    """Poses and movements of a cycle, from the middle one of three rounds, where differences at the ends are known."""
    stride = max(1, round(cycle.frame_rate / _KIND.looks))
    return np.asarray(pose_features(cycle.to_clip(3))[cycle.n_frames : 2 * cycle.n_frames : stride])
