"""The network of one performer's captures, in the requested size and mood."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mocapella.analysis.cycles.slope import SLOPED
from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.building.build import build
from mocapella.editing.feelings.gait_quality import stride, transfer_quality
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
from mocapella.motion.travel import STRAIGHT
from mocapella.rig.roles import find_roles

_MOST_NODES = 24  # captures in one network
_KEPT = 8  # networks kept in memory, for requests that differ in speed and curvature alone
_NEAR = (10.0, 0.15)  # °/s and m/s: a turn captured so near to a mirror image makes it needless
_MOST_BENT = 5  # straight cycles that are bent to both sides
_SHARPEST = math.radians(20.0)  # a step: what straight cycles may be bent by
_TURN = 1.5  # times what counts as straight is a turn, for sure
_LEVEL = math.degrees(SLOPED)  # degrees: ground that is steeper is a slope
# Words by which a capture is no plain one; a mood that is asked for may be any word.
_STYLES = frozenset({
    "tired", "happy", "sad", "angry", "drunk", "old", "brisk", "relaxed", "marching", "sneaky", "zombie",
    "scared", "proud", "injured", "limp", "limping", "crouch", "depressed", "nervous", "shy", "strong", "gangly",
    "graceful", "childlike", "elderly", "cool", "hurried",
})  # fmt: skip
_NORMAL = frozenset({"normal", "neutral", "plain", "regular", "usual"})  # words by which a capture is one


@dataclass(frozen=True)
class Part:
    """A real clip in an answer."""

    clip: str
    path: str
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
    """Captures for a request, by ground and performer.

    For a slope these are captures of about that slope, then level ones; otherwise level ones, or those on slopes where
    there is nothing else.

    The result is at least one capture. Raises ``MotionError`` where the library has nothing of the kind, the words or
    the moods.
    """
    found = library.captures("EXISTS (SELECT 1 FROM cycles y WHERE y.clip = c.id AND y.kind = ?)", [wish.kind])
    skeletons = {
        one.number: one.skeleton for one in found
    }  # of twins, the one that has its performer's skeleton counts
    found = [one for one in found if one.twin is None or skeletons.get(one.twin) != one.skeleton]
    if not found:
        raise MotionError(f"the library has no {wish.kind} with a cycle", helps="add captures of it")
    for mood in wish.mood:
        if not any(mood in one.words for one in found):
            there = sorted({word for one in found for word in one.words if word in _STYLES})
            raise MotionError(
                f"no {wish.kind} in the library has the word {mood!r}",
                helps=f"moods there are: {', '.join(there)}" if there else "name or note captures by their moods",
            )
    for word in wish.words:
        found = [one for one in found if word in one.words or word in map(str.lower, (one.name, one.path.parent.name))]
        if not found:
            raise MotionError(f"no {wish.kind} in the library has the word {word!r}")
    plain = [one for one in found if _is_plain(one) or {*one.words} & {*wish.words} & _STYLES] or found
    steep = wish.slope or 0.0
    about = _with_cycles(plain, wish.kind, lambda cycle: not is_level(cycle) and abs(cycle.slope - steep) < abs(steep))
    grounds = [about, _with_cycles(plain, wish.kind, is_level)]
    if not any(grounds):
        grounds.append(_with_cycles(plain, wish.kind, lambda cycle: True))
    sloped = [] if steep or not grounds[1] else _with_cycles(plain, wish.kind, lambda cycle: not is_level(cycle))
    left_out = tuple(f"{one.name} ({one.cycles[0].slope:+.1f}°)" for one in sloped)
    return Candidates([_by_performer(captures, wish) for captures in grounds if captures], left_out)


def _with_cycles(captures: Sequence[Capture], kind: str, meant: Callable[[KeptCycle], bool]) -> list[Capture]:
    """The captures that have cycles of a kind that are meant, with these alone."""
    own = [replace(one, cycles=tuple(y for y in one.cycles if y.kind == kind and meant(y))) for one in captures]
    return [one for one in own if one.cycles]


def _by_performer(captures: Sequence[Capture], wish: Wish) -> list[list[Capture]]:
    groups: dict[str, list[Capture]] = {}
    for one in captures:
        groups.setdefault(one.skeleton, []).append(one)
    return sorted(groups.values(), key=lambda group: _promise(group, wish))


def _promise(group: Sequence[Capture], wish: Wish) -> tuple[float, int]:
    """How far a performer's captures are from the request; smaller is better."""
    rows = [(abs(cycle.turn), cycle.speed, one) for one in group for cycle in one.cycles]
    speeds = []
    for _, pace, one in rows:
        grown = 1.0 if wish.height is None or one.height <= 0.0 else wish.height / one.height
        speeds.append(pace * math.sqrt(grown))
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
    own = [(one, cycle) for one in captures for cycle in one.cycles if cycle.kind == wish.kind]
    if len(own) > _MOST_NODES:
        pace = wish.speed or float(np.median([cycle.speed for _, cycle in own]))
        rate = math.degrees(wish.curvature * pace)
        own.sort(key=lambda pair: abs(pair[1].speed - pace) / 0.5 + abs(abs(pair[1].turn) - abs(rate)) / 30.0)
        own = own[:_MOST_NODES]
    cycles = [(one.file.digest, cycle.start) for one, cycle in own]
    key, plain = (
        repr((cycles, wish.kind, sorted(wish.mood.items()), wish.height, bool(wish.slope), one))
        for one in (strides, Strides())
    )
    kept_spaces = library.shelf.spaces
    if key not in kept_spaces:
        while len(kept_spaces) >= _KEPT:
            kept_spaces.pop(next(iter(kept_spaces)))
        before = kept_spaces.get(plain)  # of the same takes: whether they are merged was decided there
        merge = before.merged if isinstance(before, Space) else None
        kept_spaces[key] = _built(library, own, captures, wish, strides, merge)
    made = kept_spaces[key]
    assert isinstance(made, Space)
    return made


def _built(
    library: Library,
    own: Sequence[tuple[Capture, KeptCycle]],
    captures: Sequence[Capture],
    wish: Wish,
    strides: Strides,
    merge: bool | None,
) -> Space:
    """The network of some cycles of a performer."""
    cycles: list[Cycle] = []
    parts: dict[str, Part] = {}
    for one, kept in own:
        name = one.name if one.name not in parts else f"{one.path}, frame {kept.start}"
        cycles.append(replace(_prepared(library, one, kept, level=not wish.slope), name=name))
        part = Part(one.name, str(one.path), 1.0)
        if not is_level(kept):
            sloping = {"slope": kept.slope} if wish.slope else {"modifiers": (f"incline slope={-kept.slope:.3g}",)}
            part = replace(part, **sloping)
        parts[name] = part
    for cycle in tuple(cycles):
        if _needs_mirror(cycle, cycles):
            image = f"{cycle.name}|sync_mirror"
            cycles.append(replace(sync_mirror(cycle), name=image))
            parts[image] = replace(parts[cycle.name], modifiers=(*parts[cycle.name].modifiers, "sync_mirror"))
    moods: tuple[Part, ...] = ()
    if wish.mood:
        cycles, moods = _in_mood(library, cycles, captures, wish)
    if wish.height is not None:
        factor = wish.height / height_of(cycles[0])
        cycles = [_grown(cycle, factor) for cycle in cycles]
    if strides.words:
        cycles = [stride(cycle, length=strides.length, pace=strides.pace) for cycle in cycles]
        parts = {name: replace(part, modifiers=(*part.modifiers, *strides.words)) for name, part in parts.items()}
    for cycle in _to_bend(cycles) if strides.bend else ():
        for side in (1.0, -1.0):
            curvature = side * _bendable(cycle, strides.bend)
            made = replace(bent(cycle, curvature), name=f"{cycle.name}|bend {curvature:+.3g}")
            cycles.append(made)
            words = (*parts[cycle.name].modifiers, f"bend curvature={curvature:+.3g}")
            parts[made.name] = replace(parts[cycle.name], modifiers=words)
    built = build(cycles, mirror=False, measure=played_rates, merge=merge)
    nodes = {
        name: tuple(parts[take] for take in (name, *origin.merged) if take in parts)
        for name, origin in built.origins.items()
        if name in parts
    }
    usual = float(np.median([cycle.speed for cycle in cycles]))
    return Space(built.network, nodes, moods, usual, any(origin.merged for origin in built.origins.values()))


def _prepared(library: Library, capture: Capture, kept: KeptCycle, *, level: bool = True) -> Cycle:
    return prepared_again(library.shelf.make(str(capture.path)), kept, level=level)


def _needs_mirror(cycle: Cycle, others: Sequence[Cycle]) -> bool:
    """Whether a cycle turns and nothing was captured that turns as much to the other side at that speed."""
    turn = math.degrees(cycle.turn) / cycle.duration
    if abs(turn) < STRAIGHT:
        return False
    for other in others:
        apart = abs(math.degrees(other.turn) / other.duration + turn)
        if apart < _NEAR[0] and abs(other.speed - cycle.speed) < _NEAR[1]:
            return False
    return True


def _to_bend(cycles: Sequence[Cycle]) -> list[Cycle]:
    """The straightest cycles, a few from the slowest to the fastest."""
    straight = [one for one in cycles if abs(math.degrees(one.turn) / one.duration) < STRAIGHT]
    found = sorted(straight or [min(cycles, key=lambda one: abs(one.turn) / one.duration)], key=lambda one: one.speed)
    return [found[i] for i in sorted({round(at) for at in np.linspace(0, len(found) - 1, _MOST_BENT)})]


def _bendable(cycle: Cycle, curvature: float) -> float:
    """The curvature to bend a cycle to: no less than what counts as a turn, no more than feet can follow."""
    least = _TURN * math.radians(STRAIGHT) / cycle.speed
    return min(max(abs(curvature), least), _SHARPEST / (0.5 * cycle.speed * cycle.duration))


def _in_mood(
    library: Library, cycles: Sequence[Cycle], captures: Sequence[Capture], wish: Wish
) -> tuple[list[Cycle], tuple[Part, ...]]:
    """The cycles plus the difference between a moody and a plain gait of the performer, and both captures."""
    made, parts = list(cycles), []
    for mood, amount in wish.mood.items():
        (special, kept), (near, own) = _moody_and_plain(library, mood, wish.kind, skeleton=captures[0].skeleton)
        pair = [_prepared(library, near, own), _prepared(library, special, kept)]
        if special.skeleton != captures[0].skeleton:
            pair = [retarget(one, cycles[0].skeleton) for one in pair]
        made = [
            replace(transfer_quality(one, plain=pair[0], special=pair[1], amount=amount), name=one.name) for one in made
        ]
        parts += [
            Part(special.name, str(special.path), amount, (f"quality {mood}",)),
            Part(near.name, str(near.path), -amount, (f"quality {mood}, plain",)),
        ]
    return made, tuple(parts)


def _moody_and_plain(
    library: Library, mood: str, kind: str, *, skeleton: str
) -> tuple[tuple[Capture, KeptCycle], tuple[Capture, KeptCycle]]:
    """A cycle in a mood, and the one that its performer has without: the difference of both is the mood.

    Speed is part of a mood, so the plain one is not the nearest in speed but the most usual: one that is called normal
    where there is one, and of these the one whose speed is nearest to the median of the performer's plain ones. Both
    are level and as straight as there are.

    Raises ``MotionError`` where the performer has no plain one.
    """
    condition = """EXISTS (SELECT 1 FROM cycles y WHERE y.clip = c.id AND y.kind = ?)
        AND EXISTS (SELECT 1 FROM words w WHERE w.clip = c.id AND w.word = ?)"""
    moody = [(one, _straightest(one, kind)) for one in library.captures(condition, [kind, mood])]
    special, own = min(moody, key=lambda pair: (pair[0].skeleton != skeleton, not is_level(pair[1])))
    there = library.captures("c.skeleton = ?", [special.skeleton])
    plain = [
        (one, _straightest(one, kind))
        for one in there
        if _is_plain(one) and mood not in one.words and any(cycle.kind == kind for cycle in one.cycles)
    ]
    if not plain:
        raise MotionError(
            f"{special.name} is {mood}, but the library has no plain {kind} of its performer", helps="add one"
        )
    plain = [pair for pair in plain if is_level(pair[1])] or plain
    plain = [pair for pair in plain if abs(pair[1].turn) < STRAIGHT] or plain
    plain = [pair for pair in plain if _NORMAL & {*pair[0].words}] or plain
    usual = float(np.median([cycle.speed for _, cycle in plain]))
    return (special, own), min(plain, key=lambda pair: abs(pair[1].speed - usual))


def _straightest(capture: Capture, kind: str) -> KeptCycle:
    """The straightest level cycle of a kind; of those on slopes where none is level."""
    return min(
        (cycle for cycle in capture.cycles if cycle.kind == kind),
        key=lambda cycle: (not is_level(cycle), abs(cycle.turn)),
    )


def height_of(motion: Cycle | Clip) -> float:
    """How tall a body is, as it stands. Returns metres from sole to crown of the rest pose."""
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
