"""Kinds of cycles, each for one block of a hybrid network, and the frames of a clip that show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy
from jaxtyping import Int

from mocapella.analysis.cycles.search import pose_features
from mocapella.building.takes import FLIGHT, flight_of
from mocapella.hybrid.boundaries import MOST_BENT_AWAY, apart_from
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.travel import stands

_DOUBLING = 0.33  # distance of twice the speed, where the feet of a walk and a run have distance 1
_UNLIKE = 0.6  # mean difference of two groups, from which on they are two kinds
_SLOWEST = 0.05  # m/s
_LOOKS = 30.0  # frames per second at which frames are compared
_BRIEFEST = 0.25  # seconds: what shows for a shorter time is no stretch


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

    ``cycles`` are one or more.
    """
    still = [cycle for cycle in cycles if stands(cycle)]
    moving = [cycle for cycle in cycles if not stands(cycle)]
    groups = [still] if still else []
    if len(moving) < 2:
        groups += [moving] if moving else []
    else:
        rows = np.array([[_gait(one), _DOUBLING * math.log2(max(one.speed, _SLOWEST))] for one in moving])
        of_cycle = scipy.cluster.hierarchy.fcluster(
            scipy.cluster.hierarchy.linkage(rows, "average"), _UNLIKE, "distance"
        )
        groups += [[moving[i] for i in np.flatnonzero(of_cycle == number)] for number in np.unique(of_cycle)]
    groups.sort(key=lambda group: float(np.mean([cycle.speed for cycle in group])))
    out: list[Kind] = []
    for group in groups:
        plain = "running" if np.mean([_gait(one) for one in group]) > 0.5 else "walking"
        plain = "standing" if stands(group[0]) else plain
        alike = sum(kind.name.split(" ")[0] == plain for kind in out)
        out.append(Kind(f"{plain} {alike + 1}" if alike else plain, tuple(group)))
    return out


def stretches_of(clip: Clip, kinds: Sequence[Kind]) -> list[Stretch]:
    """The kinds that a clip shows, stretch by stretch.

    A frame shows the kind with the cycle that is nearest to it in pose and movement; none where that is further than
    ``MOST_BENT_AWAY`` of the distance between any two poses of the cycle.

    ``kinds`` are one or more. The result is in order, each a quarter of a second or longer, without gaps.
    """
    stride = max(1, round(clip.frame_rate / _LOOKS))
    features = pose_features(clip)[::stride]
    nearest = np.stack([np.min([apart_from(features, _seen(one)) for one in kind.cycles], axis=0) for kind in kinds])
    labels = np.where(nearest.min(axis=0) <= MOST_BENT_AWAY, nearest.argmin(axis=0), -1)
    return _merged(labels, stride, clip.n_frames, _BRIEFEST * clip.frame_rate)


def nearest_cycle(clip: Clip, frames: slice, kind: Kind) -> Cycle:
    """The cycle of a kind that comes nearest to some frames of a clip.

    ``frames`` are those of the clip, at least one.
    """
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
    stride = max(1, round(cycle.frame_rate / _LOOKS))
    return np.asarray(pose_features(cycle.to_clip(3))[cycle.n_frames : 2 * cycle.n_frames : stride])
