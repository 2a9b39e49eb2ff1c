"""The network of one performer's captures, in the requested size and mood."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mocapella.analysis.cycles.slope import SLOPED
from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.building.build import build
from mocapella.editing.feelings.gait_quality import stride, transfer_quality
from mocapella.editing.feelings.usual import GAIT_FEELINGS, usual_gaits
from mocapella.editing.retarget import retarget
from mocapella.editing.synced import sync_mirror
from mocapella.errors import MotionError
from mocapella.files.conventions import body_height
from mocapella.gait.root_motion import played_rates
from mocapella.library.entries import Capture, KeptCycle
from mocapella.library.gait_modifiers import bent
from mocapella.library.store import Library
from mocapella.library.stored_cycles import prepared_again
from mocapella.library.wishes import Wish
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE, layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.travel import STRAIGHT
from mocapella.rig.roles import find_roles


class _Settings(NamedTuple):
    """Sizes of a network for requests, and how far straight cycles may be bent for it."""

    nodes: int = 24  # captures in one network, at most
    spaces: int = 8  # networks kept in memory, for requests that differ in speed and curvature alone
    near_turn: float = 10.0  # °/s: a turn captured so near to a mirror image, and
    near_speed: float = 0.15  # m/s: as near in speed, makes the image needless
    bent: int = 5  # straight cycles that are bent to both sides
    sharpest: float = math.radians(20.0)  # radians a step: what straight cycles may be bent by
    turn: float = 1.5  # times the limit of straight motions is a turn, for sure


_SETTINGS = _Settings()
_LEVEL = math.degrees(SLOPED)  # degrees: ground that is steeper is a slope
# Words by which a capture is no plain one; a mood that is asked for may be any word.
_STYLES = frozenset({
    "tired", "happy", "sad", "angry", "drunk", "old", "brisk", "relaxed", "marching", "sneaky", "zombie",
    "scared", "proud", "injured", "limp", "limping", "crouch", "depressed", "nervous", "shy", "strong", "gangly",
    "graceful", "childlike", "elderly", "cool", "hurried",
})  # fmt: skip
ACTOR = "the embedded actor"  # performs the usual feelings, where no capture has the word
_PACED = frozenset({"slow", "fast", "quick", "slowly", "quickly"})  # words by which one is plain, but not usual
_NORMAL = frozenset({"normal", "neutral", "plain", "regular", "usual"})  # words by which a capture is one


@dataclass(frozen=True)
class Part:
    """A real clip in an answer, or a motion of the embedded actor."""

    clip: str
    path: str  # empty for a motion of the embedded actor
    weight: float  # its share; all shares of a mixture sum to 1
    modifiers: tuple[str, ...] = ()  # what was done to it, in order
    slope: float = 0.0  # degrees, of the ground that it still has in its poses, where it was captured on a slope


@dataclass(frozen=True, eq=False)
class Space:
    """A network of captures, and what its nodes were made of."""

    network: Network
    nodes: Mapping[str, tuple[Part, ...]]  # the takes that a node is the mean of
    moods: tuple[Part, ...]
    usual: float  # m/s: how fast most of it goes
    merged: bool  # whether some of its nodes are means of takes


@dataclass(frozen=True)
class Candidates:
    """Captures for a request; they have only the cycles that are meant."""

    grounds: Sequence[Sequence[Sequence[Capture]]]  # by ground, then by skeleton; the most promising first
    left_out: tuple[str, ...] = ()  # captures of the kind on slopes, where level ones are meant, with their slopes


def performers(library: Library, wish: Wish) -> Candidates:
    """Captures for a request, at least one, by ground and performer.

    For a slope these are captures of about that slope, then level ones; otherwise level ones, or those on slopes where
    there is nothing else. Raises ``MotionError`` where the library has nothing of the kind, the words or the moods.
    """
    captures = _of_kind(library, wish.kind)
    _refuse_unknown_moods(captures, wish)
    captures = _with_words(captures, wish)
    asked = {*wish.words} & _STYLES
    plain = [capture for capture in captures if _is_plain(capture) or asked & {*capture.words}] or captures
    steep = wish.slope or 0.0
    about = _with_cycles(plain, wish.kind, lambda cycle: not is_level(cycle) and abs(cycle.slope - steep) < abs(steep))
    grounds = [about, _with_cycles(plain, wish.kind, is_level)]
    if not any(grounds):
        grounds.append(_with_cycles(plain, wish.kind, lambda cycle: True))
    sloped = [] if steep or not grounds[1] else _with_cycles(plain, wish.kind, lambda cycle: not is_level(cycle))
    left_out = tuple(f"{capture.name} ({capture.cycles[0].slope:+.1f}°)" for capture in sloped)
    return Candidates([_by_performer(group, wish) for group in grounds if group], left_out)


def _of_kind(library: Library, kind: str) -> list[Capture]:
    """Captures with a cycle of a kind; of twins, the one that has its performer's skeleton."""
    captures = library.captures("EXISTS (SELECT 1 FROM cycles y WHERE y.clip = c.id AND y.kind = ?)", [kind])
    skeletons = {capture.number: capture.skeleton for capture in captures}
    captures = [
        capture for capture in captures if capture.twin is None or skeletons.get(capture.twin) != capture.skeleton
    ]
    if not captures:
        raise MotionError(f"the library has no {kind} with a cycle", helps="add captures of it")
    return captures


def _refuse_unknown_moods(captures: Sequence[Capture], wish: Wish) -> None:
    """Raise ``MotionError`` for a mood that is neither the word of a capture nor a usual feeling."""
    words = {word for capture in captures for word in capture.words}
    for mood in wish.mood:
        if mood not in words and mood not in GAIT_FEELINGS:
            there = sorted(words & _STYLES)
            captured = f"moods there are: {', '.join(there)}; " if there else ""
            raise MotionError(
                f"no {wish.kind} in the library has the word {mood!r}, and it is no usual feeling",
                helps=f"{captured}usual feelings are {', '.join(sorted(GAIT_FEELINGS))}",
            )


def _with_words(captures: list[Capture], wish: Wish) -> list[Capture]:
    """The captures that have all words of a request, by their words, names or folders."""
    for word in wish.words:
        captures = [
            capture
            for capture in captures
            if word in capture.words or word in (capture.name.lower(), capture.path.parent.name.lower())
        ]
        if not captures:
            raise MotionError(f"no {wish.kind} in the library has the word {word!r}")
    return captures


def _with_cycles(captures: Sequence[Capture], kind: str, meant: Callable[[KeptCycle], bool]) -> list[Capture]:
    """The captures that have cycles of a kind that are meant, with these alone."""
    narrowed = [
        replace(capture, cycles=tuple(cycle for cycle in capture.cycles if cycle.kind == kind and meant(cycle)))
        for capture in captures
    ]
    return [capture for capture in narrowed if capture.cycles]


def _by_performer(captures: Sequence[Capture], wish: Wish) -> list[list[Capture]]:
    groups: dict[str, list[Capture]] = {}
    for capture in captures:
        groups.setdefault(capture.skeleton, []).append(capture)
    return sorted(groups.values(), key=lambda group: _promise(group, wish))


def _promise(group: Sequence[Capture], wish: Wish) -> tuple[float, int]:
    """How far a performer's captures are from the request; smaller is better."""
    rows = [(abs(cycle.turn), cycle.speed, capture.height) for capture in group for cycle in capture.cycles]
    speeds = [
        pace * math.sqrt(1.0 if wish.height is None or height <= 0.0 else wish.height / height)
        for _, pace, height in rows
    ]
    pace = float(np.median(speeds)) if wish.speed is None else wish.speed
    beyond = max(min(speeds) - pace, pace - max(speeds), 0.0) / max(pace, 0.1)
    rate = abs(math.degrees(wish.curvature * pace))
    sharp = max(rate - max(turn for turn, _, _ in rows), 0.0) / 30.0
    size = 0.0 if wish.height is None else abs(math.log(max(group[0].height, 0.1) / wish.height))
    return beyond + sharp + 0.2 * size, -len(group)


def _is_plain(capture: Capture) -> bool:
    """Whether no word of a capture is a mood or a style."""
    return not _STYLES & {*capture.words}


def is_level(cycle: KeptCycle) -> bool:
    """Whether a cycle was captured on level ground."""
    return abs(cycle.slope) <= _LEVEL


@dataclass(frozen=True)
class Strides:
    """How steps are changed: how far legs swing, and how often, as factors; how much straight ways are bent."""

    length: float = 1.0
    pace: float = 1.0
    bend: float = 0.0  # 1/m, to both sides; 0 leaves turns as they were captured

    @property
    def words(self) -> tuple[str, ...]:
        """The change of steps as a modifier."""
        changed = self.length != 1.0 or self.pace != 1.0
        return (f"stride length={self.length:.3g} pace={self.pace:.3g}",) if changed else ()


_AS_CAPTURED = Strides()


def space_of(library: Library, captures: Sequence[Capture], wish: Wish, *, strides: Strides = _AS_CAPTURED) -> Space:
    """The network of a performer in the requested size and mood.

    Its kind, mood and height count; of many captures those nearest to its speed and curvature are taken. Where it has a
    slope, captures on slopes keep their poses, for a motion that is led up or down; otherwise they are brought to level
    ground.
    """
    chosen = [(capture, cycle) for capture in captures for cycle in capture.cycles if cycle.kind == wish.kind]
    if len(chosen) > _SETTINGS.nodes:
        pace = wish.speed or float(np.median([cycle.speed for _, cycle in chosen]))
        rate = math.degrees(wish.curvature * pace)
        chosen.sort(key=lambda pair: abs(pair[1].speed - pace) / 0.5 + abs(abs(pair[1].turn) - abs(rate)) / 30.0)
        chosen = chosen[: _SETTINGS.nodes]
    cycles = [(capture.file.digest, cycle.start) for capture, cycle in chosen]
    key, plain = (
        repr((cycles, wish.kind, sorted(wish.mood.items()), wish.height, bool(wish.slope), change))
        for change in (strides, Strides())
    )
    spaces = library.shelf.spaces
    if key not in spaces:
        while len(spaces) >= _SETTINGS.spaces:
            spaces.pop(next(iter(spaces)))
        before = spaces.get(plain)  # of the same takes: whether they are merged was decided there
        merge = before.merged if isinstance(before, Space) else None
        spaces[key] = _built(library, chosen, captures, wish, strides, merge)
    space = spaces[key]
    assert isinstance(space, Space)
    return space


@dataclass
class _Takes:
    """Cycles to build a network of, and the capture that each is made of, by name."""

    cycles: list[Cycle]
    parts: dict[str, Part]

    @classmethod
    def of(cls, library: Library, chosen: Sequence[tuple[Capture, KeptCycle]], *, level: bool) -> _Takes:
        """Cycles of captures, prepared; those on slopes brought to level ground, or with the slope noted."""
        takes = cls([], {})
        for capture, cycle in chosen:
            name = capture.name if capture.name not in takes.parts else f"{capture.path}, frame {cycle.start}"
            takes.cycles.append(replace(_prepared(library, capture, cycle, level=level), name=name))
            part = Part(capture.name, str(capture.path), 1.0)
            if not is_level(cycle) and level:
                part = replace(part, modifiers=(f"incline slope={-cycle.slope:.3g}",))
            elif not is_level(cycle):
                part = replace(part, slope=cycle.slope)
            takes.parts[name] = part
        return takes

    def add(self, cycle: Cycle, source: Cycle, modifier: str) -> None:
        """Add a cycle that a modifier made from one of them."""
        part = self.parts[source.name]
        self.cycles.append(cycle)
        self.parts[cycle.name] = replace(part, modifiers=(*part.modifiers, modifier))

    def add_mirror_images(self) -> None:
        """Add the mirror images of turns that were captured to one side only."""
        for cycle in tuple(self.cycles):
            if _needs_mirror(cycle, self.cycles):
                image = replace(sync_mirror(cycle), name=f"{cycle.name}|sync_mirror")
                self.add(image, cycle, "sync_mirror")

    def change_strides(self, strides: Strides) -> None:
        """Change the length and pace of all steps."""
        self.cycles = [stride(cycle, length=strides.length, pace=strides.pace) for cycle in self.cycles]
        self.parts = {
            name: replace(part, modifiers=(*part.modifiers, *strides.words)) for name, part in self.parts.items()
        }

    def add_bends(self, bend: float) -> None:
        """Add straight cycles bent to both sides by a curvature, 1/m."""
        for cycle in _to_bend(self.cycles):
            for side in (1.0, -1.0):
                curvature = side * _bendable(cycle, bend)
                curved = replace(bent(cycle, curvature), name=f"{cycle.name}|bend {curvature:+.3g}")
                self.add(curved, cycle, f"bend curvature={curvature:+.3g}")


def _built(
    library: Library,
    chosen: Sequence[tuple[Capture, KeptCycle]],
    captures: Sequence[Capture],
    wish: Wish,
    strides: Strides,
    merge: bool | None,
) -> Space:
    """The network of some cycles of a performer."""
    takes = _Takes.of(library, chosen, level=not wish.slope)
    takes.add_mirror_images()
    moods: tuple[Part, ...] = ()
    if wish.mood:
        takes.cycles, moods = _in_mood(library, takes.cycles, captures, wish)
    if wish.height is not None:
        factor = wish.height / height_of(takes.cycles[0])
        takes.cycles = [_grown(cycle, factor) for cycle in takes.cycles]
    if strides.words:
        takes.change_strides(strides)
    if strides.bend:
        takes.add_bends(strides.bend)
    built = build(takes.cycles, mirror=False, measure=played_rates, merge=merge)
    nodes = {
        name: tuple(takes.parts[take] for take in (name, *origin.merged) if take in takes.parts)
        for name, origin in built.origins.items()
        if name in takes.parts
    }
    usual = float(np.median([cycle.speed for cycle in takes.cycles]))
    return Space(built.network, nodes, moods, usual, any(origin.merged for origin in built.origins.values()))


def _prepared(library: Library, capture: Capture, cycle: KeptCycle, *, level: bool = True) -> Cycle:
    return prepared_again(library.shelf.make(str(capture.path)), cycle, level=level)


def _needs_mirror(cycle: Cycle, others: Sequence[Cycle]) -> bool:
    """Whether a cycle turns and nothing was captured that turns as much to the other side at that speed."""
    turn = math.degrees(cycle.turn) / cycle.duration
    return abs(turn) >= STRAIGHT and not any(
        abs(math.degrees(other.turn) / other.duration + turn) < _SETTINGS.near_turn
        and abs(other.speed - cycle.speed) < _SETTINGS.near_speed
        for other in others
    )


def _to_bend(cycles: Sequence[Cycle]) -> list[Cycle]:
    """The straightest cycles, a few from the slowest to the fastest."""
    straight = [cycle for cycle in cycles if abs(math.degrees(cycle.turn) / cycle.duration) < STRAIGHT]
    straightest = min(cycles, key=lambda cycle: abs(cycle.turn) / cycle.duration)
    by_speed = sorted(straight or [straightest], key=lambda cycle: cycle.speed)
    return [by_speed[i] for i in sorted({round(at) for at in np.linspace(0, len(by_speed) - 1, _SETTINGS.bent)})]


def _bendable(cycle: Cycle, curvature: float) -> float:
    """The curvature to bend a cycle to: no less than what counts as a turn, no more than feet can follow."""
    least = _SETTINGS.turn * math.radians(STRAIGHT) / cycle.speed
    return min(max(abs(curvature), least), _SETTINGS.sharpest / (0.5 * cycle.speed * cycle.duration))


def _in_mood(
    library: Library, cycles: Sequence[Cycle], captures: Sequence[Capture], wish: Wish
) -> tuple[list[Cycle], tuple[Part, ...]]:
    """The cycles plus the difference between a moody and a plain gait, and both: captured ones, or the actor's."""
    moody, parts = list(cycles), []
    for mood, amount in wish.mood.items():
        pair, names = _pair_of(library, mood, wish.kind, captures[0].skeleton, cycles[0].skeleton)
        moody = [_with_mood(cycle, pair[0], pair[1], amount) for cycle in moody]
        parts += [
            replace(names[1], weight=amount, modifiers=(f"quality {mood}",)),
            replace(names[0], weight=-amount, modifiers=(f"quality {mood}, plain",)),
        ]
    return moody, tuple(parts)


def _pair_of(
    library: Library, mood: str, kind: str, performer: str, skeleton: Skeleton
) -> tuple[tuple[Cycle, Cycle], tuple[Part, Part]]:
    """A plain gait and one in a mood, on a skeleton, and what they are: of a performer, else of another, else usual."""
    shown = _plain_and_moody(library, mood, kind, skeleton=performer)
    if shown is None:
        plain, special = usual_gaits("run" if kind == "run" else "walk", mood)
        parts = Part(f"{ACTOR}'s {kind}", "", 1.0), Part(f"{ACTOR}'s {GAIT_FEELINGS[mood]} {kind}", "", 1.0)
    else:
        plain, special = (_prepared(library, *pair) for pair in shown)
        parts = Part(shown[0][0].name, str(shown[0][0].path), 1.0), Part(shown[1][0].name, str(shown[1][0].path), 1.0)
        if shown[0][0].skeleton == performer:
            return (plain, special), parts
    return (retarget(plain, skeleton), retarget(special, skeleton)), parts


def _with_mood(cycle: Cycle, plain: Cycle, special: Cycle, amount: float) -> Cycle:
    """A gait with a mood, on its own course: how much one take of a mood turned is no part of the mood."""
    moody = transfer_quality(cycle, plain=plain, special=special, amount=amount)
    return replace(bent(moody, cycle.turn / (cycle.duration * cycle.speed)), name=cycle.name)


_Shown = tuple[Capture, KeptCycle]  # a capture, and the cycle of it that is meant


def _plain_and_moody(library: Library, mood: str, kind: str, *, skeleton: str) -> tuple[_Shown, _Shown] | None:
    """The cycle that a performer has without a mood, and one in it: the difference of both is the mood.

    Speed is part of a mood, so the plain one is not the nearest in speed but the most usual: one that is called normal
    where there is one, or at least not slow or fast, and of these the one whose speed is nearest to the median of the
    performer's plain ones. Both are level and as straight as there are. None where no capture has the word, or its
    performer no plain one, and the mood is a usual feeling; ``MotionError`` for other moods.
    """
    condition = """EXISTS (SELECT 1 FROM cycles y WHERE y.clip = c.id AND y.kind = ?)
        AND EXISTS (SELECT 1 FROM words w WHERE w.clip = c.id AND w.word = ?)"""
    moody = [(capture, _straightest(capture, kind)) for capture in library.captures(condition, [kind, mood])]
    if not moody:
        return None
    special = min(moody, key=lambda pair: (pair[0].skeleton != skeleton, not is_level(pair[1])))
    plain = [
        (capture, _straightest(capture, kind))
        for capture in library.captures("c.skeleton = ?", [special[0].skeleton])
        if _is_plain(capture) and mood not in capture.words and any(cycle.kind == kind for cycle in capture.cycles)
    ]
    if not plain and mood in GAIT_FEELINGS:
        return None
    if not plain:
        raise MotionError(
            f"{special[0].name} is {mood}, but the library has no plain {kind} of its performer", helps="add one"
        )
    preferences: tuple[Callable[[_Shown], bool], ...] = (
        lambda pair: is_level(pair[1]),
        lambda pair: abs(pair[1].turn) < STRAIGHT,
        lambda pair: _PACED.isdisjoint(pair[0].words),
        lambda pair: not _NORMAL.isdisjoint(pair[0].words),
    )
    for preferred in preferences:
        plain = list(filter(preferred, plain)) or plain
    usual = float(np.median([cycle.speed for _, cycle in plain]))
    return min(plain, key=lambda pair: abs(pair[1].speed - usual)), special


def _straightest(capture: Capture, kind: str) -> KeptCycle:
    """The straightest level cycle of a kind; of those on slopes where none is level."""
    return min(
        (cycle for cycle in capture.cycles if cycle.kind == kind),
        key=lambda cycle: (not is_level(cycle), abs(cycle.turn)),
    )


def height_of(motion: Cycle | Clip) -> float:
    """Height of a body, metres from sole to crown of the rest pose."""
    return float(body_height(motion.skeleton, find_roles(motion.skeleton)))


def _grown(cycle: Cycle, factor: float) -> Cycle:
    """The cycle of a body of another size, timed as a pendulum of its leg length."""
    slow = math.sqrt(factor)
    dofs = np.array(cycle.dofs)
    dofs[:, HEIGHT] *= factor
    dofs[:, [AHEAD, LEFT]] *= slow
    dofs[:, YAW_RATE] /= slow
    layout = layout_of(cycle.layout.kind, cycle.skeleton.scaled(factor))
    return replace(cycle, layout=layout, dofs=owned(dofs), frame_rate=cycle.frame_rate / slow)
