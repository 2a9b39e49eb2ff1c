"""From files and clips to cycles: each prepared on its own, and all that fail reported together."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from mocapella.building.level_ground import warn_of_slopes, why_not_level
from mocapella.building.sorting import SortedMotion, Sorter, Source, title, turned_to_face
from mocapella.building.takes import motion_of
from mocapella.checks import counted
from mocapella.editing.retarget import retarget
from mocapella.errors import MotionError, NetworkError, warn
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.motion.cycle import Cycle
from mocapella.motion.skeleton import Skeleton, unlike
from mocapella.motion.travel import stands
from mocapella.rig.binding import same_rig
from mocapella.rig.roles import find_roles
from mocapella.storage.stored_cycles import CycleCache

_KINDS = (Clip, Cycle, str, PathLike)  # of sources
_SAME_LEGS = 0.02  # of their length: legs that differ less are not worth a word
_MOST_REASONS = 12  # listed in a message, so that it stays readable


@dataclass(frozen=True, eq=False)
class Gathered:
    """The cycles of some sources, and what every motion of them is to a network."""

    cycles: tuple[Cycle, ...]  # of one skeleton, with names that differ
    motions: tuple[SortedMotion, ...]


def gather(
    sources: Sequence[Source],
    *,
    turning: bool | None = None,
    method: str = "symmetric",
    layout: str = "quaternion",
    cache: CycleCache | None = None,
    reading: Mapping[str, Any] = MappingProxyType({}),
    progress: Callable[[str], None] = lambda name: None,
    strict: bool = False,
    skeleton: Skeleton | None = None,
) -> Gathered:
    """The cycles of every source that gives some, in order, with names that differ, all of one skeleton.

    Sources are motion files, stored cycles (``.moca``), clips or cycles; of a file all animations are sources. If
    ``turning`` is None, turns are looked for in clips that change their heading, and straight stretches in others. If
    ``skeleton`` is None, it is the one that most of them have; the others are retargeted to it. A source that cannot be
    used is left out, and a ``MotionWarning`` names it, with its reason, as it names what is retargeted; with ``strict``
    it raises ``NetworkError``, and nothing is retargeted. ``NetworkError`` is raised where none can be used, too.
    ``method`` and ``layout`` are as ``prepare`` takes them, ``reading`` has options of ``load``, and ``progress`` is
    called with the name of each source.
    """
    _refuse_no_motions(sources)
    asked = {"turning": turning, "method": method, "layout": layout}
    motions = Sorter(asked, cache, reading, progress).sort(sources)
    why = _left_out(motions)
    reasons = [motion.error for motion in motions if motion.error is not None]
    reasons += [
        MotionError(f"{title(cycle)} {why[id(cycle)]}")
        for motion in motions
        for cycle in motion.cycles
        if id(cycle) in why
    ]
    cycles = [cycle for motion in motions for cycle in motion.cycles if id(cycle) not in why]
    warn_of_slopes(cycles, [cycle for motion in motions if motion.is_given for cycle in motion.cycles])
    if strict or not cycles:
        refuse_all(reasons, len(motions))
        return Gathered(tuple(_with_unique_names(cycles)), tuple(motions))
    if reasons:
        _warn_of_left_out(motions, why, reasons)
    fitting = [turned_to_face(cycle) for cycle in on_one_skeleton(cycles, skeleton)]
    told = [
        replace(motion, reason=why[id(motion.cycles[0])]) if motion.cycles and id(motion.cycles[0]) in why else motion
        for motion in motions
    ]
    return Gathered(tuple(_with_unique_names(fitting)), tuple(told))


def _warn_of_left_out(motions: Sequence[SortedMotion], why: Mapping[int, str], reasons: Sequence[MotionError]) -> None:
    """Name what is left out, each with what it is and a short reason."""
    texts = [
        motion.reason if motion.title in motion.reason else f"{motion.title} ({motion.kind}: {motion.reason})"
        for motion in motions
        if motion.error
    ]
    texts += [f"{title(cycle)} {why[id(cycle)]}" for motion in motions for cycle in motion.cycles if id(cycle) in why]
    more = f"; and {len(texts) - _MOST_REASONS} more" if len(texts) > _MOST_REASONS else ""
    options = tuple(option for reason in reasons for option in reason.option)
    are = "is" if len(texts) == 1 else "are"
    listed = "; ".join(texts[:_MOST_REASONS])
    warn(f"{len(texts)} of {counted(len(motions), 'motion')} {are} left out: {listed}{more}", options)


def on_one_skeleton(
    cycles: Sequence[Cycle], skeleton: Skeleton | None = None, *, all_of_them: bool = False
) -> list[Cycle]:
    """The cycles, those of other skeletons retargeted to one, in the same order.

    If ``skeleton`` is None, it is the one that most of them have. Cycles that cannot be retargeted are left out; with
    ``all_of_them`` they raise ``NetworkError``, which names each with its reason. A ``MotionWarning`` names what was
    retargeted, and what was left out.
    """
    which = "that most motions have" if skeleton is None else "of the others"
    fitting = _of_skeleton(cycles, skeleton)
    skeleton = fitting[0].skeleton if skeleton is None else skeleton
    unchanged = {id(cycle) for cycle in fitting}
    result, retargeted, reasons = [], [], []
    for cycle in cycles:
        if id(cycle) in unchanged:
            result.append(cycle)
            continue
        name = cycle.name or "a motion without a name"
        try:
            result.append(retarget(cycle, skeleton))
        except MotionError as error:
            reasons.append(MotionError(f"{name}: {error} ({unlike(cycle.skeleton, skeleton)})", option=error.option))
        else:
            scale = result[-1].decisions[-1].numbers["scale"]
            retargeted.append(name if abs(scale - 1.0) < _SAME_LEGS else f"{name} (legs {scale:.2f} times as long)")
    if retargeted:
        more = f" and {len(retargeted) - _MOST_REASONS} more" if len(retargeted) > _MOST_REASONS else ""
        warn(f"retargeted to the skeleton {which}: {', '.join(retargeted[:_MOST_REASONS])}{more}")
    if all_of_them:
        refuse_all(reasons, len(cycles))
    if reasons:
        warn(f"left out, since these cannot be retargeted to the skeleton {which}: {_listed(reasons)}")
    return result


def _of_skeleton(cycles: Sequence[Cycle], skeleton: Skeleton | None) -> list[Cycle]:
    """The cycles of a skeleton; of the one that most have if None."""
    groups: list[list[Cycle]] = []
    for cycle in cycles:
        alike = (group for group in groups if _alike(cycle.skeleton, group[0].skeleton))
        if (group := next(alike, None)) is None:
            groups.append([cycle])
        else:
            group.append(cycle)
    if skeleton is None:
        return max(groups, key=len)
    return [cycle for group in groups if _alike(group[0].skeleton, skeleton) for cycle in group]


def _alike(skeleton: Skeleton, other: Skeleton) -> bool:
    return skeleton.same_as(other) or same_rig(skeleton, other)


def _refuse_no_motions(sources: object) -> None:
    """Raise ``NetworkError`` unless this is a list of motions; a single name would pass as a list of letters."""
    if isinstance(sources, _KINDS) or not isinstance(sources, Collection):
        raise NetworkError(
            f"expected a list of motion files, clips or cycles, got {sources!r}; put a single one in [ ]"
        )
    for source in sources:
        if not isinstance(source, _KINDS):
            raise NetworkError(f"expected motion files, clips or cycles, found {source!r} among them")


def refuse_all(reasons: Sequence[MotionError], total: int) -> None:
    """Raise one error for all failures, if there are any."""
    if reasons:
        options = tuple(option for reason in reasons for option in reason.option)
        text = f"{len(reasons)} of {counted(total, 'motion')} cannot be used: {_listed(reasons)}"
        raise NetworkError(text, option=options)


def _listed(reasons: Sequence[MotionError]) -> str:
    """Reasons in one line; of many the first."""
    more = f"; and {len(reasons) - _MOST_REASONS} more" if len(reasons) > _MOST_REASONS else ""
    return "; ".join(map(str, reasons[:_MOST_REASONS])) + more


def _with_unique_names(cycles: Sequence[Cycle]) -> list[Cycle]:
    """The cycles with names that differ: a second "walk" becomes "walk 2", one without a name "motion"."""
    taken: set[str] = set()
    out = []
    for cycle in cycles:
        plain = cycle.name or "motion"
        names = itertools.chain([plain], (f"{plain} {n}" for n in itertools.count(2)))
        name = next(name for name in names if name not in taken)
        taken.add(name)
        out.append(cycle if name == cycle.name else replace(cycle, name=name))
    return out


# A gait whose head is lower than this share of the height of upright ones crouches; runs and strafes go down to 0.89.
_LOW_HEAD, _UPRIGHT = 0.87, 80.0  # the latter a percentile of all gaits and stands


def _left_out(motions: Sequence[SortedMotion]) -> dict[int, str]:
    """Why cycles cannot be in one network with the others, by their ``id``, as the end of a sentence.

    A dance or a sitting person has cycles too, which do not blend with steps; all are kept where none is a walk or a
    run. Captures on slopes are left out where there are level ones, gaits that crouch where most walk upright, and of
    several stands all but the first. Cycles that are given as such were chosen by the user and are kept.
    """
    found = [cycle for motion in motions if not motion.is_given for cycle in motion.cycles]
    every = [cycle for motion in motions for cycle in motion.cycles]
    why = {}
    for cycle in found:
        kind, reason = motion_of(cycle)
        if kind not in ("gait", "idle"):
            why[id(cycle)] = f"is an {kind}: {reason}; give it as a prepared cycle to have it among gaits"
    gaits = [cycle for cycle in every if id(cycle) not in why]
    if all(stands(cycle) for cycle in gaits):
        return {}
    on_slopes = zip(gaits, why_not_level(gaits), strict=True)
    chosen = {id(cycle) for cycle in found}
    why |= {id(cycle): reason for cycle, reason in on_slopes if reason and id(cycle) in chosen}
    stand = next(cycle for cycle in gaits if stands(cycle)) if any(map(stands, gaits)) else None
    for cycle in found:
        if id(cycle) not in why and stands(cycle) and cycle is not stand and stand is not None:
            why[id(cycle)] = f"is another stand beside {stand.name or 'the first'}"
    return why | {key: reason for key, reason in _crouching(gaits).items() if key in chosen and key not in why}


def _crouching(gaits: Sequence[Cycle]) -> dict[int, str]:
    """Gaits that go lower than most, by the heights of their heads in shares of the body's height."""
    heads = {id(cycle): _head_height(cycle) for cycle in gaits}
    usual = float(np.percentile([height for height in heads.values() if height] or [1.0], _UPRIGHT))
    return {
        key: f"crouches, its head {1.0 - height / usual:.0%} lower than that of the others"
        for key, height in heads.items()
        if 0.0 < height < _LOW_HEAD * usual
    }


def _head_height(cycle: Cycle) -> float:
    """The mean height of the head over the lower ankle, in the length of the joints between; 0 where not known."""
    roles = find_roles(cycle.skeleton)
    ankles = [roles[f"{side}_ankle"] for side in FEET if f"{side}_ankle" in roles]
    if "head" not in roles or not ankles:
        return 0.0
    lengths = np.linalg.norm(cycle.skeleton.offsets, axis=1)
    above = set(cycle.skeleton.path(roles.get("hips", 0)))
    chains = [[joint for joint in cycle.skeleton.path(end) if joint not in above] for end in (roles["head"], ankles[0])]
    upright = sum(lengths[joint] for chain in chains for joint in chain)
    places = cycle.to_clip().positions[..., 1]
    return float((places[:, roles["head"]] - places[:, ankles].min(axis=1)).mean()) / max(float(upright), 1e-9)
