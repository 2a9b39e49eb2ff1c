"""A hybrid network proposed from a motion graph: blocks of its cycles, arcs of its captures and walks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations

from mocapella.analysis.cycles.search import MEETS, POOR
from mocapella.analysis.fourier import analyse
from mocapella.building.build import HARMONICS, build
from mocapella.building.kinds import Kind, Stretch, kinds_of, nearest_cycle, stretches_of
from mocapella.building.level_ground import why_not_level
from mocapella.building.takes import cycles_in, motion_of, named_by_kind
from mocapella.checks import counted, refuse_other
from mocapella.errors import MotionError, MotionWarning
from mocapella.graphs.graph import MotionGraph
from mocapella.graphs.passages import passage
from mocapella.graphs.traversal import walk_clip
from mocapella.hybrid.buffer_places import Measure
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.transition import Transition
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle

_ENOUGH = 1.5  # cycles of a motion before and after a change that are looked for in a walk
_ROUNDS = 2.5  # cycles that are taken, where the clip has as many
_MOST_REASONS = 6  # in an error

# Candidates cause no warnings: the report says how unlike the ends of the chosen ones are.
_quiet = partial(warnings.catch_warnings, action="ignore", category=MotionWarning)


@dataclass(frozen=True)
class _ProposedArc:
    """An arc that is proposed, and what it is made of."""

    name: str
    source: str
    target: str
    clips: tuple[str, ...]  # captures that it plays, one after another
    joins: int  # from one capture to another; 0 for a change that was captured
    seconds: float  # that it is played for
    unlikeness: float  # of its worse end, where 1 is how far any two poses of the motion there are apart


@dataclass(frozen=True)
class _LeftOut:
    """A clip or change that is not in the network, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class _Proposal:
    """A hybrid network, and a report of how it came about."""

    network: HybridNetwork
    kinds: tuple[Kind, ...]  # one for each block
    arcs: tuple[_ProposedArc, ...]
    left_out: tuple[_LeftOut, ...]


@dataclass(frozen=True, eq=False)
class _Takes:
    """The captures of a graph, and which kinds they show when."""

    graph: MotionGraph
    kinds: Sequence[Kind]
    shown: Sequence[Sequence[Stretch]]  # of each clip

    @property
    def least(self) -> list[float]:
        """Frames of half a cycle of each kind."""
        return [0.5 * kind.longest * self.graph.clips[0].frame_rate for kind in self.kinds]


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A change that was found, not yet in a network."""

    transition: Transition
    clips: tuple[str, ...]
    joins: int

    @property
    def unlikeness(self) -> float:
        ends = (decision for decision in self.transition.decisions if decision.step in ("before", "after"))
        return max(decision.numbers["unlikeness"] for decision in ends)


@dataclass(frozen=True, eq=False)
class _Draft:
    """The proposal so far."""

    builder: HybridBuilder
    arcs: tuple[_ProposedArc, ...] = ()
    left_out: tuple[_LeftOut, ...] = ()

    def without(self, name: str, reason: str) -> _Draft:
        return replace(self, left_out=(*self.left_out, _LeftOut(name, reason)))

    def with_arc(self, candidate: _Candidate, source: str, target: str) -> _Draft:
        """With one more arc, unless the network cannot take it."""
        change = candidate.transition
        try:
            with _quiet():
                builder = self.builder.with_transition(change, source, None if source == target else target)
                builder.finished()
        except MotionError as error:
            return self.without(change.name, _why(error))
        clips, joins, unlikeness = candidate.clips, candidate.joins, candidate.unlikeness
        arc = _ProposedArc(change.name, source, target, clips, joins, change.seconds, unlikeness)
        return replace(self, builder=builder, arcs=(*self.arcs, arc))


def propose_hybrid(
    graph: MotionGraph, *, measure: Measure | None = None, progress: Callable[[Sequence[Clip]], Iterator[Clip]] = iter
) -> _Proposal:
    """Propose a hybrid network from the captures of a graph.

    The cycles of its clips, grouped by kind, become blocks. For every ordered pair of blocks the best change becomes an
    arc: a capture that shows one kind and then the other, or, where there is none or its ends do not repeat well, the
    walk through the graph with the fewest joins. Actions, in which a capture leaves a kind and comes back to it, become
    arcs within a block.

    Parameters
    ----------
    graph
        As ``build_graph`` gives it.
    measure
        Turn rate (rad/s) and speed (m/s) at which a motion is played, by which nodes are placed; None places them by
        their captured roots.
    progress
        Goes through the clips, and may show how far it is.

    Returns
    -------
    _Proposal
        The network in two modes, ``"blend"`` and ``"armed"``; what it is made of; what was left out and why.

    Raises
    ------
    MotionError
        Where no clip has a cycle, all cycles are of one kind, or no change leads from any kind to another.

    Examples
    --------
    >>> from mocapella.actor import capture
    >>> from mocapella.graphs.graph import build_graph
    >>> names = ("slow walk straight", "slow run straight", "walk-run", "run-walk")
    >>> proposal = propose_hybrid(build_graph([capture(name, frame_rate=60.0)[0] for name in names]))
    >>> [arc.name for arc in proposal.arcs]
    ['walking to running', 'running to walking']
    """
    refuse_other(graph, MotionGraph, "a motion graph, such as build_graph gives")
    cycles, left_out = _cycles(graph, progress)
    if not cycles:
        raise MotionError(
            f"no capture of the graph has a cycle: {_listed(left_out)}", helps="add walks or runs of two steps and more"
        )
    kinds = kinds_of(cycles)
    if len(kinds) == 1:
        raise MotionError(
            f"{counted(len(cycles), 'cycle')} of the graph {'is' if len(cycles) == 1 else 'are all'} {kinds[0].name}, "
            "and a hybrid network leads from one kind of motion to another"
            + (f" (left out: {_listed(left_out)})" if left_out else ""),
            helps="add captures of another kind; mocapella build makes a network of one",
        )
    with _quiet():
        blocks = {kind.name: build(kind.cycles, measure=measure).network for kind in kinds}
    takes = _Takes(graph, kinds, [stretches_of(clip, kinds) for clip in graph.clips])
    draft = _Draft(HybridBuilder(blocks, measure=measure), left_out=tuple(left_out))
    for source, target in permutations(range(len(kinds)), 2):
        draft = _with_best_change(draft, takes, source, target)
    if not draft.arcs:
        reasons = draft.left_out[len(left_out) :]
        raise MotionError(
            f"nothing leads from one kind of motion to another: {_listed(reasons)}",
            helps="add a capture of each change, or raise the threshold of the graph",
        )
    for number in range(len(kinds)):
        draft = _with_actions(draft, takes, number)
    return _finished(draft, kinds)


def _cycles(
    graph: MotionGraph, progress: Callable[[Sequence[Clip]], Iterator[Clip]]
) -> tuple[list[Cycle], list[_LeftOut]]:
    """The cycles of all clips that walk, run or stand, and why others give none."""
    cycles: list[Cycle] = []
    left_out: list[_LeftOut] = []
    for clip in progress(graph.clips):
        try:
            with _quiet():
                in_clip = cycles_in(clip, turning=None, method="symmetric", layout="quaternion")
        except MotionError as error:
            left_out.append(_LeftOut(clip.name, f"gives no cycle: {_why(error)}"))
            continue
        for cycle in in_clip:
            kind, reason = motion_of(cycle)
            if kind in ("gait", "idle"):
                reason = _why_unsteady(cycle)
            if reason:
                left_out.append(_LeftOut(clip.name, f"gives no cycle: {reason}"))
            else:
                cycles.append(named_by_kind(cycle))
    pairs = list(zip(cycles, why_not_level(cycles), strict=True))
    left_out += [_LeftOut(cycle.name, f"gives no cycle: it {reason}") for cycle, reason in pairs if reason]
    return [cycle for cycle, reason in pairs if not reason], left_out


def _why_unsteady(cycle: Cycle) -> str:
    """Why a cycle is not steady: it was found in a change, or round a corner."""
    searches = (decision for decision in cycle.decisions if decision.step == "find")
    unlikeness = max((search.numbers.get("unlikeness", 0.0) for search in searches), default=0.0)
    if unlikeness <= POOR:
        return ""
    return f"it closes poorly, its ends {unlikeness:.2f} of the distance between any two of its poses apart"


def _with_best_change(draft: _Draft, takes: _Takes, source: int, target: int) -> _Draft:
    """The draft with the best change from one kind to another, or with the reasons why there is none."""
    old, new = takes.kinds[source], takes.kinds[target]
    name = f"{old.name} to {new.name}"
    candidates: list[_Candidate] = []
    reasons: list[str] = []

    def captured(*, brief: bool) -> None:
        for clip, stretches in zip(takes.graph.clips, takes.shown, strict=True):
            for first, last in _showing(stretches, source, target, takes.least, brief=brief):
                try:
                    candidates.append(_Candidate(_change(draft, clip[first:last], old, new, name), (clip.name,), 0))
                except MotionError as error:
                    reasons.append(f"{clip.name}: {_why(error, name)}")

    def walked() -> None:
        try:
            candidates.append(_walked(draft, takes, source, target))
        except MotionError as error:
            reasons.append(_why(error, name))

    for look in (partial(captured, brief=False), walked, partial(captured, brief=True)):
        look()
        if min((candidate.unlikeness for candidate in candidates), default=1.0) <= MEETS:
            break
    if not candidates:
        return draft.without(name, "; ".join(dict.fromkeys(reasons)))
    tried = draft
    for candidate in sorted(candidates, key=lambda candidate: candidate.unlikeness):
        tried = tried.with_arc(candidate, old.name, new.name)
        if len(tried.arcs) > len(draft.arcs):
            return replace(tried, left_out=draft.left_out)
    return tried


def _with_actions(draft: _Draft, takes: _Takes, number: int) -> _Draft:
    """The draft with what captures do between two stretches of one kind, the best of each capture."""
    kind = takes.kinds[number]
    for clip, stretches in zip(takes.graph.clips, takes.shown, strict=True):
        candidates: list[_Candidate] = []
        reasons: list[str] = []
        for first, last in _showing(stretches, number, number, takes.least, brief=False):
            try:
                change = _change(draft, clip[first:last], kind, kind, clip.name or "action")
                candidates.append(_Candidate(change, (clip.name,), 0))
            except MotionError as error:
                reasons.append(_why(error, clip.name))
        if candidates:
            draft = draft.with_arc(min(candidates, key=lambda change: change.unlikeness), kind.name, kind.name)
        elif reasons:
            draft = draft.without(f"{clip.name}, {kind.name}", reasons[0])
    return draft


def _showing(
    stretches: Sequence[Stretch], source: int, target: int, least: Sequence[float], *, brief: bool
) -> Iterator[tuple[int, int]]:
    """Frames of a clip that show one kind, then perhaps none, then the other.

    Brief ones show less than half a cycle of one of them, or begin or end with what is like none.
    """
    last = len(stretches) - 1
    unlike_any = {i for i, stretch in enumerate(stretches) if stretch.kind == -1}
    open_ends = unlike_any & {0, last} if brief else set()
    for i in range(last):
        j = i + 2 if i + 1 in unlike_any - {last} else i + 1
        shown = {i: source, j: target}
        is_brief = any(
            stretches[k].kind != kind or stretches[k].last - stretches[k].first < least[kind]
            for k, kind in shown.items()
        )
        if is_brief is brief and all(stretches[k].kind == kind or k in open_ends for k, kind in shown.items()):
            start, end = i - (i - 1 in unlike_any), j + (j + 1 in unlike_any)
            yield stretches[start].first, stretches[end].last


def _walked(draft: _Draft, takes: _Takes, source: int, target: int) -> _Candidate:
    """The change that the walk with the fewest joins from one kind to the other shows."""
    old, new = takes.kinds[source], takes.kinds[target]
    sources, targets = _ends(takes, source, after=False), _ends(takes, target, after=True)
    if not sources or not targets:
        bare = [kind.name for kind, nodes in ((old, sources), (new, targets)) if not nodes]
        raise MotionError(f"no node of the graph shows enough of {' or of '.join(bare)}")
    try:
        walk = passage(takes.graph, sources, targets)
    except MotionError:
        raise MotionError(f"no walk through the graph leads from {old.name} to {new.name}") from None
    name = f"{old.name} to {new.name}"
    clip, contacts = walk_clip(takes.graph, walk, name=name)
    with _quiet():
        networks = draft.builder.blocks
        change = find_transition(
            clip, before=networks[old.name].network, after=networks[new.name].network, contacts=contacts, name=name
        )
    names = [takes.graph.clips[edge.clip].name for edge in walk.edges]
    clips = tuple(name for i, name in enumerate(names) if i == 0 or name != names[i - 1])
    return _Candidate(change, clips, sum(edge.join is not None for edge in walk.edges))


def _ends(takes: _Takes, number: int, *, after: bool) -> dict[int, int]:
    """Nodes beside more than a cycle of a kind, with the frames of it that are taken."""
    graph = takes.graph
    cycle = takes.kinds[number].longest * graph.clips[0].frame_rate
    out = {}
    for node, (clip, frame) in enumerate(graph.nodes.tolist()):
        for stretch in takes.shown[clip]:
            if stretch.kind == number and stretch.first <= frame <= stretch.last:
                room = stretch.last - frame if after else frame - stretch.first
                if room >= _ENOUGH * cycle:
                    out[node] = min(room, round(_ROUNDS * cycle))
    return out


def _change(draft: _Draft, clip: Clip, old: Kind, new: Kind, name: str) -> Transition:
    """The change of a clip between two blocks, or, where their motions do not fit, between the cycles most like it."""
    networks = draft.builder.blocks
    with _quiet():
        try:
            return find_transition(clip, before=networks[old.name].network, after=networks[new.name].network, name=name)
        except MotionError:
            third = max(clip.n_frames // 3, 1)
            before, after = nearest_cycle(clip, slice(0, third), old), nearest_cycle(clip, slice(-third, None), new)
            return find_transition(clip, before=analyse(before, HARMONICS), after=analyse(after, HARMONICS), name=name)


def _finished(draft: _Draft, kinds: Sequence[Kind]) -> _Proposal:
    """The network without blocks that no arc leads to or from."""
    joined = {name for arc in draft.arcs for name in (arc.source, arc.target)}
    for kind in kinds:
        if kind.name not in joined:
            draft = draft.without(kind.name, "no arc leads to it or from it")
    builder = draft.builder
    blocks = {name: block for name, block in builder.blocks.items() if name in joined}
    with _quiet():
        network = HybridBuilder(blocks, builder.arcs, measure=builder.measure).finished()
    return _Proposal(network, tuple(kind for kind in kinds if kind.name in joined), draft.arcs, draft.left_out)


def _why(error: MotionError, name: str = "") -> str:
    """The reason in an error, without the name at its beginning and the advice for a single clip at its end."""
    text = str(error).removesuffix(f"; {error.helps}") if error.helps else str(error)
    return text.removeprefix(f"{name}: ")


def _listed(left_out: Sequence[_LeftOut]) -> str:
    more = f"; and {len(left_out) - _MOST_REASONS} more" if len(left_out) > _MOST_REASONS else ""
    return "; ".join(f"{item.name}: {item.reason}" for item in left_out[:_MOST_REASONS]) + more
