"""From cycles to a network: which of them become nodes, and where the nodes go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from mocapella.analysis.fourier import analyse
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.arithmetic import with_quality
from mocapella.blending.cascade import Cascade
from mocapella.blending.interpolants import Interpolant
from mocapella.blending.network import Network
from mocapella.blending.places import Node, Outside
from mocapella.blending.rules import BlendRule, lively_blend
from mocapella.building.gaits import kind_of, name_by_place
from mocapella.building.layout.as_played import Measure, as_played, why_not_as_played
from mocapella.building.layout.evening import smooth_nodes
from mocapella.building.layout.merging import near_takes_as_one
from mocapella.building.layout.placement import (
    APART,
    LEFT_AND_AHEAD,
    TURN_AND_SPEED,
    Axes,
    axes_for,
    going_the_usual_way,
    joined,
    places_of,
    squared,
    straightened,
    warn_of_turns,
)
from mocapella.building.sorting import SortedMotion
from mocapella.errors import NetworkError, SkeletonError, warn
from mocapella.gait.root_motion import played_speed
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling
from mocapella.motion.travel import STRAIGHT, stands, turn_and_speed
from mocapella.rig.symmetry import is_uneven, mirrored
from mocapella.storage.stored_networks import Origin


@dataclass(frozen=True, eq=False)
class Built:
    """A network, and where the motion of each of its nodes came from."""

    network: Network
    origins: Mapping[str, Origin]
    cascade: Cascade | None = None  # the same network, where nodes are blends of inner ones
    motions: tuple[SortedMotion, ...] = ()  # what the network was built from, and what is not in it

    @property
    def sources(self) -> frozenset[str]:
        """The captures that its nodes come from; mirror images and what is made of other motions are none."""
        captured = [one for one in self.origins.values() if not (one.reckoned or one.mirrored)]
        return frozenset(name for origin in captured for name in (origin.source, *origin.merged))


@dataclass(frozen=True, eq=False, kw_only=True)
class LayoutOptions:
    """Which steps of a layout are taken, and how; ``mocapella.building.build.build`` describes them."""

    harmonics: int | None
    mirror: bool = True
    substitute: bool = False
    thin: bool = True
    merge: bool | None = None
    even: bool = False
    axes: Axes | None = None
    rule: BlendRule | str = lively_blend
    outside: Outside = "clamp"
    interpolant: Interpolant | str | None = None
    measure: Measure | None = None


@dataclass(frozen=True, eq=False)
class _Motions:
    """The motions of a network by name, in the order of its nodes."""

    spectra: Mapping[str, Spectrum]
    origins: Mapping[str, Origin]
    kinds: Mapping[str, str]  # nodes are smoothed with others of their kind


def lay_out(cycles: Sequence[Cycle], options: LayoutOptions) -> Built:
    """The network of some cycles of one skeleton.

    The steps, in this order:

    1. face straight motions exactly ahead, back or to a side where they all but go so; choose the axes, and leave out
       cycles that go another way than most (``axes``);
    2. make one cycle of takes of nearly the same motion (``thin``, ``merge``);
    3. add the mirror images of turns that are missing on the other side (``mirror``);
    4. synchronise the cycles and analyse them (``harmonics``), without the accidental turn of straight ones;
    5. add turns for speeds that were captured straight only (``substitute``);
    6. place every motion on the axes, and join the nodes by triangles (``rule``, ``outside``, ``interpolant``);
    7. smooth out accidental differences between neighbouring nodes of one kind (``even``);
    8. move nodes to the speeds they are played at, and add nodes where speed is uneven (``measure``).

    Cycles that all stand are neither merged nor mirrored, and lie in a ring.
    """
    cycles, axes = _going_together([squared(cycle) for cycle in cycles], options)
    in_place = all(stands(cycle) for cycle in cycles)
    merged: Mapping[str, tuple[str, ...]] = {}
    if options.thin and not in_place:
        cycles, merged = near_takes_as_one(cycles, axes, merge=options.merge)
    warn_of_turns({cycle.name: cycle for cycle in cycles}, axes)
    if options.mirror and not in_place:
        cycles = [*cycles, *_other_sides(cycles, axes)]
    motions = _analysed(in_step(cycles), axes, options.harmonics, merged)
    if options.substitute:
        motions = _with_missing_turns(motions)
    network = _joined(motions.spectra, axes, in_place, options)
    if options.even:
        network = smooth_nodes(network, kinds=motions.kinds)
    built = Built(network, motions.origins)
    return built if options.measure is None else built_as_played(built, options.measure)


def _going_together(cycles: Sequence[Cycle], options: LayoutOptions) -> tuple[list[Cycle], Axes]:
    """The cycles that one network can hold, and by what they are placed; a warning names the others."""
    axes = options.axes
    if axes is None:
        axes = TURN_AND_SPEED if options.substitute else axes_for(cycles)
    usual = going_the_usual_way(cycles, axes)
    if len(usual) < len(cycles):
        others = ", ".join(cycle.name for i, cycle in enumerate(cycles) if i not in usual)
        text = f"left out, since places by {axes.name} do not tell that these go another way than the others: {others}"
        warn(f"{text}; straight motions of all ways go into a network by {LEFT_AND_AHEAD.name}")
    return [cycles[i] for i in usual], axes


def _other_sides(cycles: Sequence[Cycle], axes: Axes) -> list[Cycle]:
    """Turns missing on one side, mirrored from the other; none, with a warning, for asymmetric skeletons."""
    try:
        if is_uneven(cycles[0].skeleton):
            raise SkeletonError("left and right of the rest pose differ by more than 10 % of the body's size")
        return missing_sides(cycles, axes)
    except SkeletonError as error:
        warn(f"nothing was mirrored: {error}")
        return []


def in_step(cycles: Sequence[Cycle]) -> list[Cycle]:
    """All stepping cycles synchronised with each other; standing ones are left alone, unless all stand."""
    stepping = [cycle for cycle in cycles if not stands(cycle)]
    if not stepping:
        return synchronise(cycles)
    together = iter(synchronise(stepping))
    return [cycle if stands(cycle) else next(together) for cycle in cycles]


def _analysed(
    cycles: Sequence[Cycle], axes: Axes, harmonics: int | None, merged: Mapping[str, tuple[str, ...]]
) -> _Motions:
    """Synchronised cycles as harmonics; ``merged`` names the takes of which some are the mean."""
    most = max(harmonic_ceiling(cycle.n_frames) for cycle in cycles)
    count = most if harmonics is None else min(harmonics, most)
    return _Motions(
        straightened({cycle.name: _spectrum(cycle, count) for cycle in cycles}, axes),
        {cycle.name: replace(origin_of(cycle), merged=merged.get(cycle.name, ())) for cycle in cycles},
        {cycle.name: kind_of(cycle) for cycle in cycles},
    )


def _spectrum(cycle: Cycle, count: int) -> Spectrum:
    """The harmonics of a cycle up to ``count``; those that its frames cannot hold are zero."""
    spectrum = analyse(cycle, min(count, harmonic_ceiling(cycle.n_frames)))
    missing = np.zeros((count - spectrum.n_harmonics, spectrum.coefficients.shape[1]))
    return replace(spectrum, coefficients=np.concatenate([spectrum.coefficients, missing]))


def origin_of(cycle: Cycle) -> Origin:
    """Where a cycle came from, as it is kept in a network's file."""
    steps = tuple(f"{decision.step}: {decision.text}" for decision in cycle.decisions)
    noise = max((decision.numbers.get("noise_mm", 0.0) for decision in cycle.decisions), default=0.0)
    return Origin(cycle.source or cycle.name, cycle.start_row, steps, noise_mm=noise)


def _with_missing_turns(motions: _Motions) -> _Motions:
    """The motions with turns made by arithmetic, named by place; each is of the kind of its straight motion."""
    turns: dict[str, _Substitute] = {}
    for turn in missing_turns(motions.spectra):
        rates = turn_and_speed(turn.spectrum)[0], played_speed(turn.spectrum)
        name = name_by_place(turn.spectrum, *rates, taken=[*motions.spectra, *turns])
        turns[name] = replace(turn, spectrum=replace(turn.spectrum, name=name))
    return _Motions(
        {**motions.spectra, **{name: turn.spectrum for name, turn in turns.items()}},
        {**motions.origins, **{name: Origin(turn.recipe) for name, turn in turns.items()}},
        {**motions.kinds, **{name: motions.kinds[turn.base] for name, turn in turns.items()}},
    )


def _joined(motions: Mapping[str, Spectrum], axes: Axes, in_place: bool, options: LayoutOptions) -> Network:
    """The network of motions at their places; a standing motion among others keeps its own time."""
    places = places_of(list(motions.values()), axes)
    nodes = [
        Node(name, place, motion, in_place or not stands(motion))
        for (name, motion), place in zip(motions.items(), places, strict=True)
    ]
    by = None if in_place else axes
    return joined(nodes, axes=by, rule=options.rule, outside=options.outside, interpolant=options.interpolant)


def built_as_played(built: Built, measure: Measure, wanted: bool | None = None) -> Built:
    """The built network with its nodes at the speeds they are played at.

    ``measure`` is the turn rate (rad/s) and speed (m/s) at which a motion is played. For ``wanted``, False leaves it as
    it is; None does so where it cannot be laid out as played, which for True is a ``NetworkError``. The result has
    origins for the nodes that part its edges.
    """
    reason = "lay the networks of a cascade out as played before they are joined"
    why_not = why_not_as_played(built.network, measure) if built.cascade is None else reason
    if wanted and why_not is not None:
        raise NetworkError(why_not)
    if wanted is False or why_not is not None:
        return built
    reckoned = [name for name, origin in built.origins.items() if origin.reckoned]
    network = as_played(built.network, measure, reckoned=reckoned)
    parting = {
        node.name: Origin(f"blended: {node.spectrum.name}") for node in network.nodes if node.name not in built.origins
    }
    remaining = {name: origin for name, origin in built.origins.items() if name in network.names}
    return replace(built, network=network, origins={**remaining, **parting})


# Motions that were not captured: turns to the other side by a mirror, turns at other speeds by arithmetic.

_COUNTERPART = 0.2  # of the spread: a right turn this near to the mirror image of a left one is its counterpart


@dataclass(frozen=True, eq=False)
class _Substitute:
    """The motion ``base + (special − plain)`` with the names of its parts."""

    base: str
    plain: str
    special: str
    spectrum: Spectrum

    @property
    def recipe(self) -> str:
        """How it was made, in words."""
        return f"{self.base} + ({self.special} − {self.plain})"


def missing_sides(cycles: Sequence[Cycle], axes: Axes = TURN_AND_SPEED) -> list[Cycle]:
    """The mirror images of those turns, or side steps, that have no counterpart to the other side."""
    if not cycles or axes.middle is None:
        return []
    places = np.array([axes.measure(cycle) for cycle in cycles])
    captured, mirror = np.split(axes.scaled(np.concatenate([places, places * [-1.0, 1.0]])), 2)
    sides = np.where(np.abs(places[:, 0]) >= axes.middle, np.sign(places[:, 0]), 0.0)
    out = []
    for cycle, side, image in zip(cycles, sides, mirror, strict=True):
        near = np.hypot(*(captured - image).T) < _COUNTERPART
        if side and not (near & (sides == -side)).any():
            out.append(replace(mirrored(cycle), name=f"{cycle.name} mirrored"))
    return out


def missing_turns(motions: Mapping[str, Spectrum]) -> list[_Substitute]:
    """For every straight motion that no turn goes with, the turns of the straight motion nearest in speed.

    A turn goes with the straight motion that is nearest in speed to it. All motions must be in step. With the slow walk
    C, the walk A and its left turn B, the missing slow left turn is C + (B − A).
    """
    places = {name: turn_and_speed(motion) for name, motion in motions.items()}
    turning = [name for name, (turn, _) in places.items() if abs(turn) >= STRAIGHT]
    straight = [name for name, motion in motions.items() if name not in turning and not stands(motion)]
    if len(straight) < 2 or not turning:
        return []
    speeds = {name: speed for name, (_, speed) in places.items()}
    sides = ([name for name in turning if sign * places[name][0] > 0.0] for sign in (1.0, -1.0))
    substitutes = [substitute for side in sides for substitute in _of_side(motions, speeds, straight, side)]
    return _apart(substitutes, list(places.values()))


def _apart(substitutes: Sequence[_Substitute], places: Sequence[tuple[float, float]]) -> list[_Substitute]:
    """The substitutes that lie apart from the captured places and from all substitutes before them."""
    rates = [turn_and_speed(substitute.spectrum) for substitute in substitutes]
    spots = TURN_AND_SPEED.scaled(np.array([*places, *rates]))
    return [
        substitute
        for i, substitute in enumerate(substitutes, start=len(places))
        if np.hypot(*(spots[:i] - spots[i]).T).min() >= APART
    ]


def _of_side(
    motions: Mapping[str, Spectrum], speeds: Mapping[str, float], straight: Sequence[str], turning: Sequence[str]
) -> Iterator[_Substitute]:
    """The turns to one side of every straight motion that none of ``turning`` goes with."""

    def nearest(name: str, among: Sequence[str]) -> str:
        return min(among, key=lambda other: abs(speeds[other] - speeds[name]))

    plain_of = {name: nearest(name, straight) for name in turning}
    complete = sorted(set(plain_of.values()), key=lambda name: speeds[name])
    for base in straight if complete else ():
        if base not in complete:
            plain = nearest(base, complete)
            for special in (name for name in turning if plain_of[name] == plain):
                with suppress(NetworkError):  # motions that are too unlike to be added up
                    turned = with_quality(motions[base], motions[plain], motions[special])
                    yield _Substitute(base, plain, special, turned)
