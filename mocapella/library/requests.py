"""Motions by numbers: such as a walk at 1.1 m/s, curving left, a little tired, of a person 1.60 m tall.

Captures of the kind are looked up, those of one performer become a network by turn and speed, in the requested size and
mood, and the point of the network is searched that meets the request. The answer is measured on its own frames, and
says how far each number is from the request.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mocapella.blending.network import Network
from mocapella.errors import MotionError, MotionWarning
from mocapella.library.entries import Capture
from mocapella.library.gait_modifiers import climbed, gait_figures, played
from mocapella.library.place_search import RequestedPlace, find_place
from mocapella.library.spaces import ACTOR, Part, Space, height_of, is_level, performers
from mocapella.library.store import Library
from mocapella.library.wishes import LEAST, WITHIN, Wish, checked_wish, positive
from mocapella.motion.clip import Clip

_PERFORMERS, _CHANGED = 3, 2  # tried, most promising first; and with captures bent and stretched to reach the request


@dataclass(frozen=True, eq=False)
class Response:
    """The answer of a library to a request."""

    clip: Clip = field(repr=False)
    network: Network = field(repr=False)  # playable: the same motion on level ground, and all blends of its captures
    point: tuple[float, ...]  # where the clip lies in the network
    asked: Mapping[str, Any]
    had: Mapping[str, Any]  # measured on the frames of the clip; a mood as the amount that was added
    off: Mapping[str, float]  # share by which each number misses what was asked
    made_of: tuple[Part, ...]
    feasible: bool  # whether all numbers are met within 3 %
    reason: str = ""  # the number that is out of reach, and the nearest value within reach
    left_out: tuple[str, ...] = ()  # captures of the kind on slopes, for which nobody asked, with their slopes
    notes: tuple[str, ...] = ()  # moods that come from the embedded actor, in words


def request(
    library: Library,
    *,
    kind: str = "walk",
    speed: float | None = None,
    curvature: float | None = None,
    turn: float | None = None,
    mood: Mapping[str, float] | None = None,
    height: float | None = None,
    slope: float | None = None,
    step: float | None = None,
    words: Sequence[str] = (),
    seconds: float = 4.0,
    frame_rate: float = 60.0,
) -> Response:
    """A gait by its figures: speed, curvature, slope, step length, mood, body height.

    Arguments are those of ``Library.request``. Returns the nearest there is; ``feasible`` says whether that is what was
    asked for, ``reason`` what is out of reach. Raises ``MotionError`` where the request contradicts itself or the
    library has nothing of the kind.

    Examples
    --------
    >>> import tempfile
    >>> with Library.at(tempfile.mkdtemp(), create=True) as empty:
    ...     request(empty, kind="walk", speed=1.1)
    Traceback (most recent call last):
    ...
    mocapella.errors.MotionError: the library has no walk with a cycle; add captures of it
    """
    wish = checked_wish(kind, speed, curvature, turn, mood, height, words, slope, step)
    seconds, frame_rate = positive(seconds, "seconds"), positive(frame_rate, "frame_rate")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        best: RequestedPlace | None = None
        reasons: list[MotionError] = []
        candidates = performers(library, wish)
        for captures, changed in _tries(candidates.grounds):
            try:
                place = find_place(library, captures, wish, changed=changed)
            except MotionError as error:
                reasons.append(error)
                continue
            if best is None or place.miss < best.miss:
                best, chosen = place, (captures, changed)
            if not best.gave_way:
                break
        if best is None:
            raise reasons[0]
        answer = replace(_response(best, wish, seconds, frame_rate), left_out=candidates.left_out)
        if wish.slope and any(not is_level(cycle) for capture in chosen[0] for cycle in capture.cycles):
            level = find_place(library, chosen[0], replace(wish, slope=None), changed=chosen[1])
            answer = replace(answer, network=level.space.network, point=level.answer.point)
        return answer


def _tries(grounds: Sequence[Sequence[Sequence[Capture]]]) -> Iterator[tuple[Sequence[Capture], bool]]:
    """Captures, and whether they are changed; on another ground only after all that can be done on the first."""
    for ground in grounds:
        yield from ((captures, False) for captures in ground[:_PERFORMERS])
        yield from ((captures, True) for captures in ground[:_CHANGED])


def _response(place: RequestedPlace, wish: Wish, seconds: float, frame_rate: float) -> Response:
    """The clip at a place of a network, measured, and how it was made."""
    network, point = place.space.network, place.answer.point
    duration = network.blend(point).duration
    lasting = max(seconds, 1.5 * duration)
    steepest = wish.slope or 0.0
    if steepest:
        clip, steepest = climbed(network, point, lasting, frame_rate, slope=steepest)
    else:
        clip = played(network, point, lasting, frame_rate)
    if not place.gave_way and wish.slope is not None and steepest != wish.slope:
        place = replace(place, gave_way="slope", nearest=steepest)
    figures = gait_figures(clip, duration)
    names = ("kind", "speed", "curvature", "height", "slope", "step")
    asked = {name: value for name in names if (value := getattr(wish, name)) is not None}
    had: dict[str, Any] = {"kind": wish.kind, "speed": figures.speed, "curvature": figures.curvature}
    had |= {"turn": figures.turn, "height": height_of(clip), "slope": figures.slope, "step": figures.step}
    if wish.mood:
        asked["mood"] = had["mood"] = dict(wish.mood)
    off = {
        key: abs(had[key] - asked[key]) / max(abs(asked[key]), least) for key, least in LEAST.items() if key in asked
    }
    feasible = not place.gave_way and all(share <= WITHIN for share in off.values())
    return Response(
        clip=clip.renamed(" ".join([*wish.mood, wish.kind, f"{figures.speed:.2f} m/s {figures.curvature:+.2f} per m"])),
        network=network,
        point=point,
        asked=asked,
        had=had,
        off=off,
        made_of=(*_parts(place.space, point, steepest), *place.space.moods),
        feasible=feasible,
        reason="" if feasible else _reason(place, wish, off),
        notes=_notes(place.space, wish),
    )


def _notes(space: Space, wish: Wish) -> tuple[str, ...]:
    """Which moods are not those of captures, and whose they are."""
    words = {mood: f"quality {mood}" for mood in wish.mood}
    own = [
        mood for mood, word in words.items() if any(not part.path and word in part.modifiers for part in space.moods)
    ]
    return tuple(f"no {wish.kind} in the library shows {mood!r} beside a plain one: it is {ACTOR}'s" for mood in own)


def _reason(place: RequestedPlace, wish: Wish, off: Mapping[str, float]) -> str:
    """The number that is out of reach, and the nearest value within reach, in words."""
    low, high = place.calibration.speeds
    sharpest = math.degrees(max(map(abs, place.calibration.turns)))
    ranges = f"captures reach {low:.2f} to {high:.2f} m/s and turns of up to {sharpest:.0f} °/s"
    if place.gave_way == "slope":
        return f"slope {wish.slope:g}° is out of reach of this body's legs; the nearest is {place.nearest:.1f}°"
    if place.gave_way == "step":
        at = "" if wish.speed is None else f" at {wish.speed:g} m/s"
        return f"steps of {wish.step:g} m are out of reach{at}; the nearest are {place.nearest:.2f} m ({ranges})"
    speed, bend = f"speed {place.speed:.3g} m/s", f"curvature {wish.curvature:g} 1/m"
    if place.gave_way == "speed":
        return f"{speed} is out of reach with {bend}; the nearest is {place.nearest:.2f} m/s ({ranges})"
    if place.gave_way == "curvature":
        return f"{bend} is out of reach at {speed}; the nearest is {place.nearest:.3f} 1/m ({ranges})"
    if place.gave_way:
        return f"{speed} and {bend} are out of reach together ({ranges})"
    worst = max(off, key=lambda key: off[key])
    return f"{worst} is met only to {100 * off[worst]:.1f} %"


def _parts(space: Space, point: Sequence[float], slope: float) -> tuple[Part, ...]:
    """The real clips at a place of the network that is led up a slope, with their shares, the largest first."""
    place = space.network.place(tuple(point))
    shares: dict[Part, float] = {}
    for node, weight in zip(place.nodes.tolist(), place.weights.tolist(), strict=True):
        for part, share in _ends(space, space.network.names[node]).items():
            shares[part] = shares.get(part, 0.0) + share * weight
    out = [
        replace(part, weight=share, modifiers=(*part.modifiers, *_led(slope, part.slope)))
        for part, share in shares.items()
        if share > 1e-9
    ]
    return tuple(sorted(out, key=lambda part: -part.weight))


def _led(slope: float, captured: float) -> tuple[str, ...]:
    """The modifier that leads a motion from the slope it was captured on to another one, degrees."""
    rise = math.tan(math.radians(slope)) - math.tan(math.radians(captured))
    return (f"incline slope={math.degrees(math.atan(rise)):.3g}",) if abs(rise) > 1e-9 else ()


def _ends(space: Space, name: str) -> dict[Part, float]:
    """A node by the captures it is made of: nodes that part an edge are named after its ends and lie between them."""
    if name in space.nodes:
        takes = space.nodes[name]
        return {part: 1.0 / len(takes) for part in takes}
    nodes = {node.name: node for node in space.network.nodes}
    words = name.split(" to ")
    for cut in range(1, len(words)):
        first, second = " to ".join(words[:cut]), " to ".join(words[cut:])
        if first in nodes and second in nodes:
            span = nodes[second].at[0] - nodes[first].at[0]
            share = (nodes[name].at[0] - nodes[first].at[0]) / span if abs(span) > 1e-9 else 0.5
            out: dict[Part, float] = {}
            for end, weight in ((first, 1.0 - share), (second, share)):
                for part, part_share in _ends(space, end).items():
                    out[part] = out.get(part, 0.0) + part_share * weight
            return out
    return {}
