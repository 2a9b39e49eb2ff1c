"""Takes of nearly the same motion, grouped: one node for each group, its best take or the mean.

Two takes of one person at one speed differ by some centimetres. Their mean is nearer to what the person usually does,
unless they are different motions at the same speed. Which holds for a set of takes is decided by leave-one-out
prediction: every take is predicted by the others, once with the best takes and once with means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.likeness import joint_places, mean_distance
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.bank import blend
from mocapella.blending.places import Node
from mocapella.blending.rules import phasor_blend
from mocapella.building.layout.evening import kind_of
from mocapella.building.layout.placement import Axes, drop_near_duplicates, joined, places_of
from mocapella.errors import warn
from mocapella.motion.cycle import Cycle
from mocapella.motion.travel import stands
from mocapella.rig.legs import leg_length, leg_roles

_ALIKE = 0.045  # leg lengths, mean of all joints: takes that are further apart are different motions
_STYLES = 1.25  # times as far apart as takes within them: two parts of a group are different styles
_ODD = 2.0  # likewise, one take and the others
_GAIN = 0.02  # share of the error by which means have to be better
_MOST_LEFT_OUT = 24  # takes of one kind
_HARMONICS = 10  # by which takes are predicted

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
    kinds = [kind_of(cycle) for cycle in cycles]
    groups = _groups(cycles, kinds, axes)
    means = {} if merge is False else _means(cycles, groups)
    wanted = {
        kind
        for kind in {kinds[leader] for leader in means}
        if merge or _means_predict_better([one for one, own in zip(cycles, kinds, strict=True) if own == kind], axes)
    }
    out: list[Cycle] = []
    merged: dict[str, tuple[str, ...]] = {}
    left_out: list[int] = []
    for leader, members in groups.items():
        mean = means.get(leader) if kinds[leader] in wanted else None
        inside = (leader,) if mean is None else mean[1]
        out.append(cycles[leader] if mean is None else mean[0])
        if mean is not None:
            merged[cycles[leader].name] = tuple(cycles[i].name for i in inside if i != leader)
        left_out += [i for i in members if i not in inside]
    if merged:
        names = "; ".join(" + ".join((name, *others)) for name, others in merged.items())
        warn(f"merged, for the mean of takes predicts another take better than the best of them does: {names}")
    if left_out:
        names = ", ".join(cycles[i].name for i in sorted(left_out))
        warn(f"left out, for another take of nearly the same closes better: {names}")
    return out, merged


def _closing_of(cycle: Cycle) -> float:
    """How far apart the ends of a cycle were before they were made to meet, metres; 0 where it is not known."""
    found = [decision.numbers["closing_m"] for decision in cycle.decisions if "closing_m" in decision.numbers]
    return found[0] if found else 0.0


def _groups(cycles: Sequence[Cycle], kinds: Sequence[str], axes: Axes) -> dict[int, list[int]]:
    """Every take with the nearest of those that are kept, by these."""
    places = np.array([axes.measure(cycle) for cycle in cycles])
    kept = drop_near_duplicates(places, [_closing_of(cycle) for cycle in cycles], kinds, axes)
    spots = axes.scaled(places)
    groups: dict[int, list[int]] = {leader: [leader] for leader in kept}
    for i, kind in enumerate(kinds):
        if i not in groups:
            alike = [leader for leader in kept if kinds[leader] == kind]
            groups[min(alike, key=lambda leader: float(np.hypot(*(spots[i] - spots[leader]))))].append(i)
    return groups


def _means(cycles: Sequence[Cycle], groups: _Groups) -> dict[int, tuple[Cycle, tuple[int, ...]]]:
    """The mean of each group of several takes that are alike, with the takes that are in it."""
    out = {}
    for leader, members in groups.items():
        if len(members) > 1 and not stands(cycles[leader]):
            takes = synchronise([cycles[i] for i in members])
            most = _ALIKE * leg_length(takes[0].skeleton, leg_roles(takes[0].skeleton))
            inside = [members[i] for i in _alike([joint_places(take) for take in takes], most)]
            if len(inside) > 1:
                out[leader] = _mean([cycles[i] for i in inside]), tuple(inside)
    return out


def _alike(places: Sequence[Float[np.ndarray, "frames joints 3"]], most: float) -> list[int]:
    """Which takes, the first among them, are of one thing: no two parts of them are further apart than within."""
    apart = np.array([[mean_distance(one, other) for other in places] for one in places])
    own = [i for i in range(len(places)) if apart[0, i] <= most]
    while len(own) > 2:
        near = apart[np.ix_(own, own)]
        parts = scipy.cluster.hierarchy.fcluster(
            scipy.cluster.hierarchy.linkage(near[np.triu_indices(len(own), 1)], "average"), 2, "maxclust"
        )
        first = parts == parts[0]
        within = [near[np.ix_(side, side)][np.triu_indices(side.sum(), 1)] for side in (first, ~first)]
        # The nearest two of three are nearer than the third by chance: one take alone has to be further off.
        most_apart = _STYLES if min(first.sum(), (~first).sum()) > 1 else _ODD
        if near[np.ix_(first, ~first)].mean() <= most_apart * np.concatenate(within).mean():
            break
        own = [i for i, side in zip(own, first, strict=True) if side]
    return own


def _mean(takes: Sequence[Cycle]) -> Cycle:
    """The mean of takes, the first of which gives its name, source and frames."""
    first = takes[0]
    spectra = [analyse(cycle) for cycle in synchronise(takes)]
    made = synthesise(blend(spectra, np.full(len(takes), 1.0 / len(takes)), rule=phasor_blend), first.n_frames)
    mean = replace(
        first, layout=made.layout, dofs=made.dofs, frame_rate=made.frame_rate, contacts=made.contacts, offset=0.0
    )
    names = ", ".join(cycle.name for cycle in takes[1:])
    return mean.decided("merge", f"mean of {len(takes)} takes, with {names}", takes=len(takes))


def _means_predict_better(cycles: Sequence[Cycle], axes: Axes) -> bool:
    """Whether takes of one kind that are left out are predicted better by means of near takes than by the best ones."""
    moving = synchronise([cycle for cycle in cycles if not stands(cycle)])
    most = _ALIKE * leg_length(moving[0].skeleton, leg_roles(moving[0].skeleton))
    spectra, shapes = [analyse(cycle, _HARMONICS) for cycle in moving], [joint_places(cycle) for cycle in moving]
    at = places_of(moving, axes)
    crowded = [i for group in _groups(moving, [""] * len(moving), axes).values() if len(group) > 1 for i in group]
    errors = []
    for target in crowded[:: -(-len(crowded) // _MOST_LEFT_OUT) or 1]:
        others = [i for i in range(len(moving)) if i != target]
        best, means = [], []
        for leader, group in _groups([moving[i] for i in others], [""] * len(others), axes).items():
            best.append(Node(str(leader), at[others[leader]], spectra[others[leader]]))
            inside = [others[group[i]] for i in _alike([shapes[others[i]] for i in group], most)]
            shares = np.full(len(inside), 1.0 / len(inside))
            place = tuple((shares @ np.array([at[i] for i in inside])).tolist())
            means.append(Node(str(leader), place, blend([spectra[i] for i in inside], shares, rule=phasor_blend)))
        if any(one.at != other.at for one, other in zip(best, means, strict=True)):
            made = (joined(nodes, axes=axes).blend(at[target]) for nodes in (best, means))
            errors.append(
                [mean_distance(joint_places(synthesise(one, moving[target].n_frames)), shapes[target]) for one in made]
            )
    if not errors:
        return False
    plain, mean = np.sum(errors, axis=0)
    return bool(mean < (1.0 - _GAIN) * plain)
