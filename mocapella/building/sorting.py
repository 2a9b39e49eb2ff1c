"""What the motions of a folder are to a network: gaits, idles, actions, transitions, or of no use, with reasons.

Motions of one source, whose joints have the same names, decide together which axis points up and which way a body
faces; what was read against that is read again.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mocapella.analysis.facing import UP_AXES, common_forward, common_up, facing_of, sighting
from mocapella.analysis.gait_figures import why_unmoved
from mocapella.analysis.treadmill import IN_PLACE
from mocapella.building.takes import Motion, cycles_in, motion_of, n_kinds, named_by_kind
from mocapella.checks import counted
from mocapella.errors import FormatError, MotionError, MotionWarning, NetworkError, warn
from mocapella.files.format_table import split_animation
from mocapella.files.formats import FileMotion, read_motion, used_motions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.legs import leg_length, leg_roles
from mocapella.rig.roles import find_roles
from mocapella.storage.stored_cycles import CycleCache
from mocapella.storage.values import load_cycle

Source = Clip | Cycle | str | PathLike[str]
_Motion = Clip | Cycle | FileMotion


@dataclass(frozen=True, eq=False)
class SortedMotion:
    """A motion of a source, and what it is to a network."""

    title: str  # of the file or clip
    kind: Motion
    reason: str  # why it is no gait; for a gait what else it holds
    cycles: tuple[Cycle, ...] = ()  # that it gives; what is no gait may give some, too
    is_given: bool = False  # as a cycle, which somebody chose
    error: MotionError | None = None  # where it gives none

    path: str = ""  # the file it came from, or its title


class _Seen(NamedTuple):
    """A motion that was sorted, and what it tells about its source."""

    result: SortedMotion
    motion: _Motion
    source: tuple[tuple[str, str], ...]  # role and joint, for each role
    numbers: Mapping[str, float]


@dataclass(frozen=True)
class Sorter:
    """How the motions of a folder are read and prepared."""

    asked: Mapping[str, Any]  # options of ``cycles_in``
    cache: CycleCache | None
    reading: Mapping[str, Any]  # options of ``load``
    progress: Callable[[str], None]

    def sort(self, sources: Sequence[Source]) -> list[SortedMotion]:
        """Every motion of the sources, in order; a warning that holds for many of them is given once."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", MotionWarning)
            seen = [one for source in sources for one in self._seen(source)]
            if self.reading.get("up") is None:
                seen = self._upright(seen)
        _say_once(said)
        return _faced(seen)

    def _seen(self, source: Source) -> Iterator[_Seen]:
        self.progress(title(source))
        try:
            motions = self._motions(source)
        except MotionError as error:
            yield _Seen(_unusable(source, error), Path(), (), {})  # type: ignore[arg-type]
            return
        for motion in motions:
            yield self._sorted(motion, self.reading)

    def _motions(self, source: Source) -> Sequence[_Motion]:
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
        if self.cache is not None and self.cache.holds(path, self.reading, self.asked):
            return [FileMotion(path, functools.partial(read_motion, path, **self.reading))]
        return used_motions(path, **self.reading)

    def _sorted(self, motion: _Motion, reading: Mapping[str, Any]) -> _Seen:
        """A motion with its cycles, or with what it is without any."""
        if isinstance(motion, Cycle):
            kind, reason = motion_of(motion)
            return _Seen(
                SortedMotion(title(motion), kind, reason, (motion,), is_given=True, path=_path(motion)), motion, (), {}
            )
        clips: list[Clip] = []

        def read() -> Clip:
            clips.append(motion if isinstance(motion, Clip) else motion.read())
            return clips[-1]

        try:
            cycles = self._cycles(motion, read, reading)
        except MotionError as error:
            if not clips:
                return _Seen(_unusable(motion, error), motion, (), {})
            kind, reason = _without_cycle(clips[-1], error)
            result = SortedMotion(title(motion), kind, reason, error=_named(error, motion), path=_path(motion))
            return _Seen(result, motion, _source_of(clips[-1].skeleton), sighting(clips[-1]))
        kind, reason = motion_of(cycles[0])
        numbers = next(step.numbers for step in cycles[0].decisions if step.step == "sighting")
        return _Seen(
            SortedMotion(title(motion), kind, reason, tuple(map(named_by_kind, cycles)), path=_path(motion)),
            motion,
            _source_of(cycles[0].skeleton),
            numbers,
        )

    def _cycles(self, motion: Clip | FileMotion, read: Callable[[], Clip], reading: Mapping[str, Any]) -> list[Cycle]:
        @functools.cache
        def prepared() -> list[Cycle]:
            return cycles_in(read(), **self.asked)

        cache = self.cache
        if cache is None or isinstance(motion, Clip):
            return prepared()

        def cached(kind: int) -> Cycle:
            options = {**self.asked, "kind": kind} if kind else self.asked
            return cache.cycle(motion.path, reading, options, lambda: prepared()[kind])

        first = cached(0)
        return [first, *map(cached, range(1, n_kinds(first)))]

    def _upright(self, seen: Sequence[_Seen]) -> list[_Seen]:
        """What was read with another axis up than its source has, read again."""
        ups = {key: common_up([one.numbers for one in members]) for key, members in _sources(seen).items()}
        out = []
        for one in seen:
            up = ups.get(one.source)
            motion = one.motion
            if not isinstance(motion, FileMotion) or up is None or "up_read" not in one.numbers:
                out.append(one)
                continue
            if UP_AXES[int(one.numbers["up_read"])] == up:
                out.append(one)
                continue
            options = {**self.reading, "up": up}
            file = split_animation(motion.path)[0]
            again = next((other for other in used_motions(file, **options) if other.path == motion.path), None)
            out.append(one if again is None else self._sorted(again, options))
        return out


def _say_once(said: Sequence[warnings.WarningMessage]) -> None:
    """Give warnings again, each once, and those of motions in place together."""
    texts = dict.fromkeys(str(message.message) for message in said if issubclass(message.category, MotionWarning))
    walking = [text.removesuffix(IN_PLACE) for text in texts if text.endswith(IN_PLACE)]
    if len(walking) > 1:
        texts = {text: None for text in texts if not text.endswith(IN_PLACE)}
        more = f" and {len(walking) - _MOST_NAMES} more" if len(walking) > _MOST_NAMES else ""
        names = ", ".join(walking[:_MOST_NAMES])
        texts[f"{counted(len(walking), 'motion')} in place travel as their feet demand: {names}{more}"] = None
    options = {str(message.message): getattr(message.message, "option", ()) for message in said}
    for text in texts:
        warn(text, options.get(text, ()))


def _sources(seen: Sequence[_Seen]) -> dict[tuple[tuple[str, str], ...], list[_Seen]]:
    groups: dict[tuple[tuple[str, str], ...], list[_Seen]] = {}
    for one in seen:
        if one.source:
            groups.setdefault(one.source, []).append(one)
    return groups


def _faced(seen: Sequence[_Seen]) -> list[SortedMotion]:
    """The motions with the facing that their sources agree on, noted in their cycles for ``turned_to_face``."""
    ahead = {key: common_forward([one.numbers for one in members]) for key, members in _sources(seen).items()}
    out = []
    for one in seen:
        if not one.source or not one.result.cycles:
            out.append(one.result)
            continue
        angle, reason = facing_of(one.numbers, ahead[one.source])
        cycles = one.result.cycles
        if reason:
            cycles = tuple(cycle.decided("facing", reason, angle_rad=angle) for cycle in cycles)
        out.append(replace(one.result, cycles=cycles))
    return out


def turned_to_face(cycle: Cycle) -> Cycle:
    """A cycle with the heading that its source faces, where that was noted."""
    angles = [step.numbers["angle_rad"] for step in cycle.decisions if step.step == "facing"]
    return cycle.facing(angles[-1]) if angles else cycle


def _source_of(skeleton: Skeleton) -> tuple[tuple[str, str], ...]:
    """What motions of one source have in common: the joints of their roles, by name."""
    return tuple(sorted((role, skeleton.names[joint]) for role, joint in find_roles(skeleton).items()))


_LONGEST_REASON = 120  # letters
_MOST_NAMES = 12  # in a warning


class _Changes(NamedTuple):
    """When a take is a transition."""

    window: float = 0.4  # seconds over which speed is measured
    walks: float = 0.6  # leg lengths per second from which on a take travels
    stands: float = 0.15  # of its usual speed: slower than that a take stands
    differs: float = 1.5  # ratio of speeds between the first and the last quarter of a take that changes


_CHANGES = _Changes()


def _without_cycle(clip: Clip, error: MotionError) -> tuple[Motion, str]:
    """What a clip without a cycle is, and why."""
    captured = clip.captured
    try:
        leg = leg_length(clip.skeleton, leg_roles(clip.skeleton))
    except MotionError as reason:
        return "unusable", str(reason)
    if unmoved := why_unmoved(captured, leg):
        return "unusable", unmoved
    change = _change_in(captured, leg)
    return ("transition", change) if change else ("action", _plain(error))


def _change_in(clip: Clip, leg: float) -> str:
    """What changes from the beginning of a take to its end, such as ``"from standing"``; empty where it goes evenly."""
    window = max(2, round(_CHANGES.window * clip.frame_rate))
    if clip.n_frames < 4 * window:
        return ""
    path = clip.ground_path / leg
    speeds = np.abs(path[window:] - path[:-window]) * clip.frame_rate / window
    usual = float(np.percentile(speeds, 80))
    if usual < _CHANGES.walks:
        return ""
    first, last = float(speeds[:window].min()), float(speeds[-window:].min())
    words = ["from standing"] if first < _CHANGES.stands * usual else []
    words += ["to standing"] if last < _CHANGES.stands * usual else []
    if words:
        return " and ".join(words)
    quarter = len(speeds) // 4
    early, late = float(np.median(speeds[:quarter])), float(np.median(speeds[-quarter:]))
    if max(early, late) <= _CHANGES.differs * min(early, late):
        return ""
    return "speeds up" if late > early else "slows down"


def _plain(error: MotionError) -> str:
    """The reason in an error in short: without the name of the clip, advice and details."""
    text = str(error).partition("): ")[2] or str(error)
    first = text.partition("; ")[0].partition(" (")[0].partition(", which is")[0]
    return first if len(first) <= _LONGEST_REASON else f"{first[:_LONGEST_REASON]}…"


def _unusable(source: Source | _Motion, error: MotionError) -> SortedMotion:
    return SortedMotion(title(source), "unusable", str(error), error=_named(error, source), path=_path(source))


def _named(error: MotionError, source: Source | _Motion) -> NetworkError:
    """An error with the name of its source in front, unless it has that already."""
    named = isinstance(error, FormatError) or str(error).startswith(f"{title(source)}: ")
    return NetworkError(str(error) if named else f"{title(source)}: {error}", option=error.option)


def _path(source: Source | _Motion) -> str:
    """The file of a source, or its title."""
    if isinstance(source, Clip | Cycle):
        return source.source or title(source)
    return str(source.path if isinstance(source, FileMotion) else source)


def title(source: Source | _Motion) -> str:
    """The name of a source in messages."""
    if isinstance(source, Clip | Cycle):
        return source.name or source.source or "a motion without a name"
    return Path(source.path if isinstance(source, FileMotion) else source).name
