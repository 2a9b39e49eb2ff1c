"""Networks from captures: prepared, synchronised, placed by turn and speed, and joined by triangles."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, ParamSpec

from mocapella.analysis.closing.cyclify import closing_method
from mocapella.blending.interpolants import Interpolant
from mocapella.blending.network import Network
from mocapella.blending.places import Outside
from mocapella.blending.rules import BlendRule, lively_blend
from mocapella.building.layout.as_played import Measure
from mocapella.building.layout.placement import AXES, Axes
from mocapella.building.layout.steps import Built, LayoutOptions, lay_out
from mocapella.building.sorting import SortedMotion, Source
from mocapella.building.sources import Gathered, gather
from mocapella.checks import explained, refuse_other
from mocapella.errors import NetworkError
from mocapella.gait.root_motion import played_rates
from mocapella.motion.skeleton import Skeleton
from mocapella.storage.stored_cycles import CycleCache

P = ParamSpec("P")

HARMONICS = 10  # kept of each motion


@explained
def build(
    sources: Sequence[Source],
    *,
    harmonics: int | None = HARMONICS,
    mirror: bool = True,
    substitute: bool = False,
    thin: bool = True,
    merge: bool | None = None,
    even: bool = False,
    turning: bool | None = None,
    axes: Axes | None = None,
    method: str = "symmetric",
    layout: str = "quaternion",
    rule: BlendRule | str = lively_blend,
    outside: Outside = "clamp",
    interpolant: Interpolant | str | None = None,
    measure: Measure | None = None,
    cache: str | PathLike[str] | None = None,
    reading: Mapping[str, Any] = MappingProxyType({}),
    progress: Callable[[str], None] = lambda name: None,
    strict: bool = False,
    skeleton: Skeleton | None = None,
) -> Built:
    """A network of captures, laid out automatically in the steps of ``mocapella.building.layout.steps.lay_out``.

    Every motion is placed at its turn rate (x, degrees per second, left positive) and speed (y, m/s), or as ``axes``
    says; straight motions of which some go backwards or to a side are placed at their velocity to the left (x) and
    ahead (y). Where all motions go straight, x is 0, and their accidental turn is removed. Motions that all stay on the
    spot are placed evenly round the origin, in the order given. A standing motion among walks keeps its own time.

    Parameters
    ----------
    sources
        Motion files, stored cycles (``.moca``), clips or cycles. Those of another skeleton than most are retargeted to
        it, those without a cycle left out; a warning names them.
    harmonics
        How many to keep of each.
    mirror
        Add the mirror image of turns that have no counterpart to the other side.
    substitute
        Add turns for speeds that were captured straight only, by ``C + (B − A)``.
    thin
        Make one node of several takes of nearly the same motion; a warning names them. Takes in different folders count
        as different motions.
    merge
        Use the mean of such takes (True) or the one that closes best (False); None uses the mean where it predicts
        held-out takes of the same kind better, see ``mocapella.building.layout.merging``.
    even
        Smooth out accidental differences between takes of one folder, see ``mocapella.building.layout.evening``; best
        with all takes kept.
    turning
        Look for turns (True) or straight stretches (False); None decides by whether a clip changes its heading, and
        looks for straight stretches where ``axes`` has no turns.
    axes
        How motions are placed: ``TURN_AND_SPEED``; for straight motions ``STRIDE_AND_SPEED``, so that speed and stride
        length are chosen independently, or ``LEFT_AND_AHEAD``, by velocity; all are in
        ``mocapella.building.layout.placement``. None takes velocities where straight motions go in different
        directions, else turn and speed; among motions that turn, those that go in another direction than most are left
        out, and a warning names them.
    method
        How cycles are closed, by name; with ``"feet_kept"`` sharp turns are played as fast as they were captured.
    layout, rule, outside, interpolant
        How rotations are written, how harmonics are mixed, what points outside of the network give, and other weights
        than those of triangles.
    measure
        Turn rate (rad/s) and speed (m/s) at which a motion is played: nodes are placed by it where they can be, see
        ``mocapella.building.layout.as_played``. None places them by their captured roots.
    cache
        A folder in which prepared cycles are kept, so that files that have not changed are not prepared again.
    reading, progress
        Options of ``load`` for all files; a function that is called with the name of each source.
    strict
        Raise an error where one source cannot be used or has another skeleton, instead of leaving it out or retargeting
        it.
    skeleton
        The skeleton that all motions are retargeted to; the one that most of them have if None.

    Returns
    -------
    Built
        The network with the origins of its nodes; ``mo.build_network`` gives the network alone.

    Raises
    ------
    NetworkError
        Where no motion gives a cycle, where one does not or has another skeleton and ``strict`` is asked for, or turns
        are wanted that the axes have no place for.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> clips = [perform("walk", speed=speed, turn=turn)[0] for speed, turn in ((0.8, 0.0), (1.6, 0.0), (1.4, 0.6))]
    >>> mo.build_network(clips, harmonics=8)
    Network(4 nodes, 2 triangles, 8 harmonics)
    """
    if axes is not None:
        refuse_other(axes, Axes, f"axes such as mocapella.building.layout.placement.AXES has ({', '.join(AXES)})")
        if substitute and not axes.turns:
            raise NetworkError(f"a network by {axes.name} has no place for turns to substitute")
        if turning is None and not axes.turns:
            turning = False
    closing_method(method)  # raises for an unknown method before any work
    gathered = gather(
        sources,
        turning=turning,
        method=method,
        layout=layout,
        cache=None if cache is None else CycleCache(Path(cache)),
        reading=reading,
        progress=progress,
        strict=strict,
        skeleton=skeleton,
    )
    if not gathered.cycles:
        raise NetworkError("a network needs at least one motion")
    options = LayoutOptions(
        harmonics=harmonics,
        mirror=mirror,
        substitute=substitute,
        thin=thin,
        merge=merge,
        even=even,
        axes=axes,
        rule=rule,
        outside=outside,
        interpolant=interpolant,
        measure=measure,
    )
    built = lay_out(gathered.cycles, options)
    return replace(built, motions=tuple(_with_outcome(motion, gathered, built) for motion in gathered.motions))


def _with_outcome(motion: SortedMotion, gathered: Gathered, built: Built) -> SortedMotion:
    """A motion with the reason why none of its cycles is a node, where it was not left out before."""
    named = [cycle.name for cycle in gathered.cycles if any(cycle.source == own.source for own in motion.cycles)]
    merged = {name for origin in built.origins.values() for name in origin.merged}
    if motion.reason or not named or any(name in built.origins or name in merged for name in named):
        return motion
    return replace(motion, reason="another take of nearly the same is the node, or the others go another way")


def _network_only(make: Callable[P, Built]) -> Callable[P, Network]:
    """The same function with the same documentation; it returns the network alone, and places nodes by played speed."""

    def build_network(*args: P.args, **kwargs: P.kwargs) -> Network:
        kwargs.setdefault("measure", played_rates)
        return make(*args, **kwargs).network

    build_network.__doc__ = make.__doc__
    build_network.__qualname__ = "build_network"
    signature = inspect.signature(make)
    options = [
        option.replace(default=played_rates) if option.name == "measure" else option
        for option in signature.parameters.values()
    ]
    build_network.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=options, return_annotation="Network"
    )
    return build_network


build_network = _network_only(build)
