"""From files and clips to cycles: each prepared on its own, and all that fail reported together."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mocapella.building.level_ground import warn_of_slopes, why_not_level
from mocapella.building.takes import cycles_in, n_kinds, named_by_kind, why_no_gait
from mocapella.checks import counted
from mocapella.editing.retarget import retarget
from mocapella.errors import FormatError, MotionError, NetworkError, warn
from mocapella.files.formats import FileMotion, read_motion, used_motions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.skeleton import Skeleton, unlike
from mocapella.motion.travel import stands
from mocapella.rig.binding import same_rig
from mocapella.storage.stored_cycles import CycleCache
from mocapella.storage.values import load_cycle

Source = Clip | Cycle | str | PathLike[str]

_KINDS = (Clip, Cycle, str, PathLike)  # of sources
_MOST_REASONS = 12  # listed in a message, so that it stays readable


def cycles_of(
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
) -> list[Cycle]:
    """One cycle of every source that gives one, in order, with names that differ, all of one skeleton.

    Sources are motion files, stored cycles (``.moca``), clips or cycles; of a file all animations are sources. If
    ``turning`` is None, turns are looked for
    in clips that change their heading, and straight stretches in others. If ``skeleton`` is None, it is the one that
    most of them have; the others are retargeted to it. A source that cannot be used is left out, and a
    ``MotionWarning`` names it, with its reason, as it names what is retargeted; with ``strict`` it raises
    ``NetworkError``, and nothing is retargeted. ``NetworkError`` is raised where none can be used, too. ``method`` and
    ``layout`` are as ``prepare`` takes them, ``reading`` has options of ``load``, and ``progress`` is called with the
    name of each source.
    """
    _refuse_no_motions(sources)
    cycles: list[Cycle] = []
    given: list[Cycle] = []
    reasons: list[MotionError] = []
    asked = {"turning": turning, "method": method, "layout": layout}
    total = 0
    for source in sources:
        progress(title(source))
        try:
            motions = _motions_of(source, asked, cache, reading)
        except MotionError as error:
            reasons.append(_named(error, source))
            total += 1
            continue
        total += len(motions)
        for motion in motions:
            try:
                prepared = [named_by_kind(cycle) for cycle in _cycles_of(motion, asked, cache, reading)]
            except MotionError as error:
                reasons.append(_named(error, motion))
                continue
            cycles += prepared
            if isinstance(motion, Cycle):
                given += prepared
    cycles, more = _gaits(cycles, given)
    reasons += more
    warn_of_slopes(cycles, given)
    if strict or not cycles:
        refuse_all(reasons, total)
        return _with_unique_names(cycles)
    if reasons:
        options = tuple(option for reason in reasons for option in reason.option)
        left_out = "is" if len(reasons) == 1 else "are"
        warn(f"{len(reasons)} of {counted(total, 'motion')} {left_out} left out: {_listed(reasons)}", options)
    return _with_unique_names(on_one_skeleton(cycles, skeleton))


def _named(error: MotionError, source: Source | FileMotion) -> NetworkError:
    """An error with the name of its source in front, unless it has that already."""
    named = isinstance(error, FormatError) or str(error).startswith(f"{title(source)}: ")
    return NetworkError(str(error) if named else f"{title(source)}: {error}", option=error.option)


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
            retargeted.append(f"{name} (legs {scale:.2f} times as long)")
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


def title(source: Source | FileMotion) -> str:
    """The name of a source in messages."""
    if isinstance(source, Clip | Cycle):
        return source.name or source.source or "a motion without a name"
    return Path(source.path if isinstance(source, FileMotion) else source).name


def _gaits(cycles: Sequence[Cycle], given: Sequence[Cycle]) -> tuple[list[Cycle], list[MotionError]]:
    """The cycles that can be blended with walks and runs on level ground, and why the others cannot.

    A dance or a sitting person has cycles too, which do not blend with steps; all are kept where none is a walk or a
    run. Captures on slopes are left out where there are level ones. Cycles that are ``given`` as such were chosen by
    the user and are kept.
    """
    found = [cycle for cycle in cycles if not any(cycle is chosen for chosen in given)]
    advice = "give it as a prepared cycle to have it among gaits"
    why = {id(cycle): f"{reason}; {advice}" for cycle in found if (reason := why_no_gait(cycle))}
    gaits = [cycle for cycle in cycles if id(cycle) not in why]
    if all(stands(cycle) for cycle in gaits):
        return list(cycles), []
    on_slopes = {id(cycle): reason for cycle, reason in zip(gaits, why_not_level(gaits), strict=True) if reason}
    why |= {id(cycle): on_slopes[id(cycle)] for cycle in found if id(cycle) in on_slopes}
    blendable = [cycle for cycle in cycles if id(cycle) not in why]
    return blendable, [MotionError(f"{title(cycle)} {why[id(cycle)]}") for cycle in cycles if id(cycle) in why]


def _motions_of(
    source: Source, asked: Mapping[str, Any], cache: CycleCache | None, reading: Mapping[str, Any]
) -> Sequence[Clip | Cycle | FileMotion]:
    """The motions of a source: of a file all its animations, of which a warning names those that are left out.

    A file that the cache has a cycle of by its own name holds one motion, and is not opened.
    """
    if isinstance(source, Clip | Cycle):
        return [source]
    path = Path(source)
    if path.suffix.lower() == ".moca":
        return [load_cycle(path)]
    if path.suffix.lower() == ".asf":
        raise MotionError("a skeleton without motion; give the .amc files that go with it")
    if cache is not None and cache.holds(path, reading, asked):
        return [FileMotion(path, functools.partial(read_motion, path, **reading))]
    return used_motions(path, **reading)


def _cycles_of(
    motion: Clip | Cycle | FileMotion, asked: Mapping[str, Any], cache: CycleCache | None, reading: Mapping[str, Any]
) -> list[Cycle]:
    """The cycles of a motion, prepared unless it is a cycle already."""
    if isinstance(motion, Cycle):
        return [motion]
    if isinstance(motion, Clip):
        return cycles_in(motion, **asked)

    @functools.cache
    def prepared() -> list[Cycle]:
        return cycles_in(motion.read(), **asked)

    def cached(kind: int) -> Cycle:
        assert cache is not None
        options = {**asked, "kind": kind} if kind else asked
        return cache.cycle(motion.path, reading, options, lambda: prepared()[kind])

    if cache is None:
        return prepared()
    first = cached(0)
    return [first, *map(cached, range(1, n_kinds(first)))]
