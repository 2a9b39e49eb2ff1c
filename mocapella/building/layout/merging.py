"""Takes of nearly the same motion, grouped: one node for each group, its best take or the mean.

Two takes of one person at one speed differ by some centimetres. Their mean is nearer to what the person usually does,
unless they are different motions at the same speed. Which holds for a set of takes is decided by leave-one-out
prediction: every take is predicted by the others, once with the best takes and once with means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.likeness import joint_places, mean_distance
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.bank import blend
from mocapella.blending.places import Node
from mocapella.blending.rules import phasor_blend
from mocapella.building.gaits import folder_of
from mocapella.building.layout.placement import Axes, drop_near_duplicates, joined, places_of
from mocapella.errors import warn
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import stands
from mocapella.rig.legs import leg_length, leg_roles


class _MergingSettings(NamedTuple):
    """When takes are of one motion, and when their mean is used."""

    alike: float = 0.045  # leg lengths, mean of all joints: takes that are further apart are different motions
    styles: float = 1.25  # times as far apart as takes within them: two parts of a group are different styles
    odd: float = 2.0  # likewise, one take and the others
    gain: float = 0.02  # share of the error by which means have to be better
    most_left_out: int = 24  # takes of one kind that are predicted by the others
    harmonics: int = 10  # by which takes are predicted


_MERGING = _MergingSettings()

_Means = dict[int, tuple[Cycle, tuple[int, ...]]]  # by the best take, the mean and the takes in it
_Groups = Mapping[int, Sequence[int]]  # by the take that closes best all takes near it, itself among them


def near_takes_as_one(
    cycles: Sequence[Cycle], axes: Axes, *, merge: bool | None = None
) -> tuple[list[Cycle], dict[str, tuple[str, ...]]]:
    """One cycle for every group of takes that lie at nearly one place: their mean, or the one that closes best.

    Cycles of different folders are of different kinds, and never in one group; takes of clearly different motions are
    not averaged. If ``merge`` is True, means are taken, if False the best takes; if None, means for those kinds in
    which they predict held-out takes better. A mean has the name of its best take and a decision ``"merge"``; the
    second result has the names of the other takes by the name of their mean. A ``MotionWarning`` names what was merged,
    and what was left out.
    """
    kinds = [folder_of(cycle) for cycle in cycles]
    groups = _groups(cycles, kinds, axes)
    means = {} if merge is False else _means(cycles, groups)
    if merge is None:
        means = _better_means(cycles, kinds, means, axes)
    nodes = [means[leader][0] if leader in means else cycles[leader] for leader in groups]
    merged = {
        cycles[leader].name: tuple(cycles[i].name for i in inside if i != leader)
        for leader, (_, inside) in means.items()
    }
    if merged:
        names = "; ".join(" + ".join((name, *others)) for name, others in merged.items())
        warn(f"merged, for the mean of takes predicts another take better than the best of them does: {names}")
    used = {*groups, *(i for _, inside in means.values() for i in inside)}
    if len(used) < len(cycles):
        names = ", ".join(cycle.name for i, cycle in enumerate(cycles) if i not in used)
        warn(f"left out, for another take of nearly the same closes better: {names}")
    return nodes, merged


def _better_means(cycles: Sequence[Cycle], kinds: Sequence[str], means: _Means, axes: Axes) -> _Means:
    """The means of those kinds in which means predict held-out takes better."""
    by_kind = {kind: [cycle for cycle, its in zip(cycles, kinds, strict=True) if its == kind] for kind in set(kinds)}
    better = {kind for kind in {kinds[leader] for leader in means} if _means_predict_better(by_kind[kind], axes)}
    return {leader: mean for leader, mean in means.items() if kinds[leader] in better}


def _closing_of(cycle: Cycle) -> float:
    """How far apart the ends of a cycle were before they were made to meet, metres; 0 where it is not known."""
    return next((step.numbers["closing_m"] for step in cycle.decisions if "closing_m" in step.numbers), 0.0)


def _groups(cycles: Sequence[Cycle], kinds: Sequence[str], axes: Axes) -> dict[int, list[int]]:
    """By the best take of each group, the takes that are nearest to it."""
    places = np.array([axes.measure(cycle) for cycle in cycles])
    leaders = drop_near_duplicates(places, [_closing_of(cycle) for cycle in cycles], kinds, axes)
    spots = axes.scaled(places)
    groups: dict[int, list[int]] = {leader: [leader] for leader in leaders}
    for i, kind in enumerate(kinds):
        if i not in groups:
            alike = [leader for leader in leaders if kinds[leader] == kind]
            groups[min(alike, key=lambda leader: float(np.hypot(*(spots[i] - spots[leader]))))].append(i)
    return groups


def _means(cycles: Sequence[Cycle], groups: _Groups) -> _Means:
    """The mean of each group of several takes that are alike, with the takes that are in it."""
    out = {}
    for leader, members in groups.items():
        if len(members) > 1 and not stands(cycles[leader]):
            takes = synchronise([cycles[i] for i in members])
            most = _MERGING.alike * leg_length(takes[0].skeleton, leg_roles(takes[0].skeleton))
            inside = [members[i] for i in _alike([joint_places(take) for take in takes], most)]
            if len(inside) > 1:
                out[leader] = _mean([cycles[i] for i in inside]), tuple(inside)
    return out


def _alike(places: Sequence[Float[np.ndarray, "frames joints 3"]], most: float) -> list[int]:
    """Which takes, the first among them, are of one thing: no two parts of them are further apart than within."""
    apart = np.array([[mean_distance(take, other) for other in places] for take in places])
    alike = [i for i in range(len(places)) if apart[0, i] <= most]
    while len(alike) > 2:
        near = apart[np.ix_(alike, alike)]
        parts = scipy.cluster.hierarchy.fcluster(
            scipy.cluster.hierarchy.linkage(near[np.triu_indices(len(alike), 1)], "average"), 2, "maxclust"
        )
        first = parts == parts[0]
        within = [near[np.ix_(side, side)][np.triu_indices(side.sum(), 1)] for side in (first, ~first)]
        # The nearest two of three are nearer than the third by chance: one take alone has to be further off.
        most_apart = _MERGING.styles if min(first.sum(), (~first).sum()) > 1 else _MERGING.odd
        if near[np.ix_(first, ~first)].mean() <= most_apart * np.concatenate(within).mean():
            break
        alike = [i for i, side in zip(alike, first, strict=True) if side]
    return alike


def _mean(takes: Sequence[Cycle]) -> Cycle:
    """The mean of takes, the first of which gives its name, source and frames."""
    first = takes[0]
    spectra = [analyse(cycle) for cycle in synchronise(takes)]
    closed = synthesise(blend(spectra, np.full(len(takes), 1.0 / len(takes)), rule=phasor_blend), first.n_frames)
    mean = replace(
        first,
        layout=closed.layout,
        dofs=closed.dofs,
        frame_rate=closed.frame_rate,
        contacts=closed.contacts,
        offset=0.0,
    )
    names = ", ".join(cycle.name for cycle in takes[1:])
    return mean.decided("merge", f"mean of {len(takes)} takes, with {names}", takes=len(takes))


def _means_predict_better(cycles: Sequence[Cycle], axes: Axes) -> bool:
    """Whether takes of one kind that are left out are predicted better by means of near takes than by the best ones."""
    moving = synchronise([cycle for cycle in cycles if not stands(cycle)])
    takes = _Takes.of(moving, axes)
    crowded = [i for group in _groups(moving, [""] * len(moving), axes).values() if len(group) > 1 for i in group]
    stride = -(-len(crowded) // _MERGING.most_left_out) or 1
    errors = [pair for target in crowded[::stride] if (pair := takes.errors_of(target)) is not None]
    if not errors:
        return False
    best, mean = np.sum(errors, axis=0)
    return bool(mean < (1.0 - _MERGING.gain) * best)


@dataclass(frozen=True, eq=False)
class _Takes:
    """Synchronised takes of one kind, each of which can be predicted by the others."""

    cycles: Sequence[Cycle]
    axes: Axes
    spectra: Sequence[Spectrum]
    joints: Sequence[Float[np.ndarray, "frames joints 3"]]  # places of joints, metres
    at: Sequence[tuple[float, float]]

    @classmethod
    def of(cls, cycles: Sequence[Cycle], axes: Axes) -> _Takes:
        spectra = [analyse(cycle, _MERGING.harmonics) for cycle in cycles]
        return cls(cycles, axes, spectra, [joint_places(cycle) for cycle in cycles], places_of(cycles, axes))

    def errors_of(self, target: int) -> list[float] | None:
        """How far a take is from its prediction by the best takes, and by means, metres; None where they are equal."""
        best, means = self._nodes_without(target)
        if all(take.at == mean.at for take, mean in zip(best, means, strict=True)):
            return None
        predictions = (joined(nodes, axes=self.axes).blend(self.at[target]) for nodes in (best, means))
        n_frames = self.cycles[target].n_frames
        return [
            mean_distance(joint_places(synthesise(motion, n_frames)), self.joints[target]) for motion in predictions
        ]

    def _nodes_without(self, target: int) -> tuple[list[Node], list[Node]]:
        """The nodes of a network of all other takes: of the best take of each group, and of its mean."""
        skeleton = self.cycles[0].skeleton
        most = _MERGING.alike * leg_length(skeleton, leg_roles(skeleton))
        others = [i for i in range(len(self.cycles)) if i != target]
        best, means = [], []
        for leader, group in _groups([self.cycles[i] for i in others], [""] * len(others), self.axes).items():
            best.append(Node(str(leader), self.at[others[leader]], self.spectra[others[leader]]))
            inside = [others[group[i]] for i in _alike([self.joints[others[i]] for i in group], most)]
            shares = np.full(len(inside), 1.0 / len(inside))
            place = tuple((shares @ np.array([self.at[i] for i in inside])).tolist())
            motion = blend([self.spectra[i] for i in inside], shares, rule=phasor_blend)
            means.append(Node(str(leader), place, motion))
        return best, means
