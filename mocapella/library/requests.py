"""Motions by numbers: the walk at 1.1 m/s, curving left, a little tired, of a person 1.60 m tall, from what is there.

Captures of the kind are looked up, those of one performer are laid out as a network by how they go and turn, in the
size and the mood asked for, and the place of the network is searched where a character goes as asked. The answer is
measured on its own frames, and says how far each number is from what was asked.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mocapella.blending.network import Network
from mocapella.errors import MotionError, MotionWarning
from mocapella.library.gaits import gait_figures, played
from mocapella.library.spaces import Part, Space, height_of, performers, space_of
from mocapella.library.store import Library
from mocapella.library.wishes import WITHIN, Wish, checked_wish, positive
from mocapella.motion.clip import Clip
from mocapella.playback.gaits import played_rates
from mocapella.steering.calibration import Answer, Calibration

_LEAST = {"speed": 0.5, "curvature": 0.2, "height": 1.0}  # what shares are of, where less than this was asked for
_PERFORMERS = 3  # tried, the most promising first
_TRIES = 24  # places looked at on the way from what was asked to what can be had
_EXACT = 0.01  # share by which the place of a network may miss a number
_ROUNDS = 8  # towards the speed that goes with a curvature, where no speed is asked for


@dataclass(frozen=True, eq=False)
class Response:
    """What a library has for a request."""

    clip: Clip = field(repr=False)
    network: Network = field(repr=False)  # playable: the same, and all between its captures
    point: tuple[float, ...]  # where the clip lies in the network
    asked: Mapping[str, Any]
    had: Mapping[str, Any]  # measured on the frames of the clip; a mood as the amount that was added
    off: Mapping[str, float]  # share by which each number misses what was asked
    made_of: tuple[Part, ...]
    feasible: bool  # whether all numbers are met within 3 %
    reason: str = ""  # what is out of reach, and the nearest that is not


def request(
    library: Library,
    *,
    kind: str = "walk",
    speed: float | None = None,
    curvature: float | None = None,
    turn: float | None = None,
    mood: Mapping[str, float] | None = None,
    height: float | None = None,
    words: Sequence[str] = (),
    seconds: float = 4.0,
    frame_rate: float = 60.0,
) -> Response:
    """A gait by what it should do.

    Parameters
    ----------
    library
        Open.
    kind
        ``"walk"`` or ``"run"``.
    speed
        m/s along its way; as most captures of the performer go where it is left out.
    curvature
        Of the way, 1/m, left positive; straight where neither it nor ``turn`` is given.
    turn
        Degrees per second, left positive, instead of a curvature.
    mood
        How much of a mood, ``{"tired": 0.3}``: 0 none, 1 as captured. The library must have a capture of the kind with
        that word, and a plain one of the same performer.
    height
        Of the body, metres. It moves as a body of that size does: √(height) times as slowly for the same steps.
    words
        That the captures must have, a performer's folder say.
    seconds, frame_rate
        Of the clip.

    Returns
    -------
    Response
        The nearest there is; ``feasible`` says whether that is what was asked for, ``reason`` what is out of reach.

    Raises
    ------
    MotionError
        Where the request contradicts itself or the library has nothing of the kind.

    Examples
    --------
    >>> import tempfile
    >>> with Library.at(tempfile.mkdtemp(), create=True) as empty:
    ...     request(empty, kind="walk", speed=1.1)
    Traceback (most recent call last):
    ...
    mocapella.errors.MotionError: the library has no walk with a cycle; add captures of it
    """
    wish = checked_wish(kind, speed, curvature, turn, mood, height, words)
    seconds, frame_rate = positive(seconds, "seconds"), positive(frame_rate, "frame_rate")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        best: _Found | None = None
        reasons: list[MotionError] = []
        for captures in performers(library, wish)[:_PERFORMERS]:
            try:
                found = _found(space_of(library, captures, wish), wish)
            except MotionError as error:
                reasons.append(error)
                continue
            if best is None or found.miss < best.miss:
                best = found
            if not best.gave_way:
                break
        if best is None:
            raise reasons[0]
        return _response(best, wish, seconds, frame_rate)


@dataclass(frozen=True, eq=False)
class _Found:
    """The place of a network that answers a wish, or comes nearest."""

    space: Space
    calibration: Calibration
    answer: Answer
    speed: float  # asked for, or chosen
    curvature: float
    gave_way: str = ""  # which number cannot be met
    nearest: float = 0.0  # what that number would have to be

    @property
    def miss(self) -> float:
        """How much has to give way, as a share."""
        if not self.gave_way:
            return 0.0
        bent = self.answer.turn_rate / max(self.answer.speed, 1e-6)
        lost = abs(bent - self.curvature) / max(abs(self.curvature), _LEAST["curvature"])
        return 1e-6 + lost + abs(self.answer.speed - self.speed) / self.speed


def _found(space: Space, wish: Wish) -> _Found:
    """The place that goes as asked; where there is none, the nearest for which one number alone has to give way."""
    calibration = Calibration(space.network, measure=played_rates)
    low, high = calibration.speeds
    bend = wish.curvature
    if wish.speed is None:
        pace = float(np.clip(space.usual, low, high))
        for _ in range(_ROUNDS):  # along a chain the speed goes with the turn
            answer = calibration.request(bend * pace, pace)
            pace = answer.speed
        if _meets(answer, None, bend):
            return _Found(space, calibration, answer, pace, bend)
    else:
        pace = wish.speed
        answer = calibration.request(bend * pace, pace)
        if _meets(answer, pace, bend):
            return _Found(space, calibration, answer, pace, bend)
    tries: list[tuple[float, _Found]] = []
    if wish.speed is not None:
        for other in np.linspace(low, high, _TRIES).tolist():
            one = calibration.request(bend * other, other)
            if _meets(one, other, bend):
                tries.append((abs(other - pace) / pace, _Found(space, calibration, one, pace, bend, "speed", other)))
    for share in np.linspace(0.0, 1.0, _TRIES)[:-1].tolist() if bend else ():
        one = calibration.request(share * bend * pace, pace)
        if _meets(one, wish.speed, share * bend):
            tries.append((1.0 - share, _Found(space, calibration, one, pace, bend, "curvature", share * bend)))
    if tries:
        return min(tries, key=lambda row: row[0])[1]
    return _Found(space, calibration, answer, pace, bend, "speed and curvature")


def _meets(answer: Answer, speed: float | None, curvature: float) -> bool:
    """Whether an answer goes as asked."""
    off = 0.0 if speed is None else abs(answer.speed - speed) / max(speed, _LEAST["speed"])
    bent = answer.turn_rate / max(answer.speed, 1e-6)
    return max(off, abs(bent - curvature) / max(abs(curvature), _LEAST["curvature"])) < _EXACT


def _response(found: _Found, wish: Wish, seconds: float, frame_rate: float) -> Response:
    """The clip at the place that answers, measured, and how it was made."""
    network, point = found.space.network, found.answer.point
    duration = network.blend(point).duration
    clip = played(network, point, max(seconds, 1.5 * duration), frame_rate)
    figures = gait_figures(clip, duration)
    asked: dict[str, Any] = {"kind": wish.kind, "speed": wish.speed, "curvature": wish.curvature, "height": wish.height}
    asked = {key: value for key, value in asked.items() if value is not None}
    had: dict[str, Any] = {"kind": wish.kind, "speed": figures.speed, "curvature": figures.curvature}
    had |= {"turn": figures.turn, "height": height_of(clip)}
    if wish.mood:
        asked["mood"] = had["mood"] = dict(wish.mood)
    off = {
        key: abs(had[key] - asked[key]) / max(abs(asked[key]), least) for key, least in _LEAST.items() if key in asked
    }
    feasible = not found.gave_way and all(share <= WITHIN for share in off.values())
    return Response(
        clip=clip.renamed(" ".join([*wish.mood, wish.kind, f"{figures.speed:.2f} m/s {figures.curvature:+.2f} per m"])),
        network=network,
        point=point,
        asked=asked,
        had=had,
        off=off,
        made_of=(*_parts(found.space, point), *found.space.moods),
        feasible=feasible,
        reason="" if feasible else _reason(found, wish, off),
    )


def _reason(found: _Found, wish: Wish, off: Mapping[str, float]) -> str:
    """What is out of reach, and the nearest that is not."""
    low, high = found.calibration.speeds
    sharpest = math.degrees(max(map(abs, found.calibration.turns)))
    ranges = f"captures reach {low:.2f} to {high:.2f} m/s and turns of up to {sharpest:.0f} °/s"
    speed, bend = f"speed {found.speed:.3g} m/s", f"curvature {wish.curvature:g} 1/m"
    if found.gave_way == "speed":
        return f"{speed} is out of reach with {bend}; the nearest is {found.nearest:.2f} m/s ({ranges})"
    if found.gave_way == "curvature":
        return f"{bend} is out of reach at {speed}; the nearest is {found.nearest:.3f} 1/m ({ranges})"
    if found.gave_way:
        return f"{speed} and {bend} are out of reach together ({ranges})"
    worst = max(off, key=lambda key: off[key])
    return f"{worst} is met only to {100 * off[worst]:.1f} %"


def _parts(space: Space, point: Sequence[float]) -> tuple[Part, ...]:
    """The real clips at a place of the network, with their shares, the largest first."""
    place = space.network.place(tuple(point))
    shares: dict[Part, float] = {}
    for node, weight in zip(place.nodes.tolist(), place.weights.tolist(), strict=True):
        for part, share in _ends(space, space.network.names[node]).items():
            shares[part] = shares.get(part, 0.0) + share * weight
    out = [Part(part.clip, part.path, share, part.modifiers) for part, share in shares.items() if share > 1e-9]
    return tuple(sorted(out, key=lambda part: -part.weight))


def _ends(space: Space, name: str) -> dict[Part, float]:
    """A node by the captures it is made of: nodes that part an edge are named after its ends and lie between them."""
    if name in space.nodes:
        own = space.nodes[name]
        return {part: 1.0 / len(own) for part in own}
    nodes = {node.name: node for node in space.network.nodes}
    words = name.split(" to ")
    for cut in range(1, len(words)):
        first, second = " to ".join(words[:cut]), " to ".join(words[cut:])
        if first in nodes and second in nodes:
            span = nodes[second].at[0] - nodes[first].at[0]
            share = (nodes[name].at[0] - nodes[first].at[0]) / span if abs(span) > 1e-9 else 0.5
            out: dict[Part, float] = {}
            for end, weight in ((first, 1.0 - share), (second, share)):
                for part, own_share in _ends(space, end).items():
                    out[part] = out.get(part, 0.0) + own_share * weight
            return out
    return {}
