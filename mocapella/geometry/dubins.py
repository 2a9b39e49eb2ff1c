"""Dubins paths: the shortest way from one heading to another with a least radius of turn."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from mocapella.geometry.angles import TURN

Pose = tuple[float, float, float]  # x, z, and the heading: radians, 0 towards +z, left positive
_Word = tuple[str, tuple[float, float, float]]  # left, straight or right, three times; how far, in radii


def shortest_turns(start: Pose, end: Pose, radius: float, *, spacing: float = 0.02) -> Float[np.ndarray, "places 2"]:
    """Places (x, z) along the shortest path between two poses made of arcs of one radius and straight lines, in metres.

    Dubins' result: it is one of six words, an arc, a line or an arc, an arc. Both ends are among the places; neighbours
    are at most ``spacing`` metres apart along the path.

    ``start`` and ``end`` are ``(x, z, heading)``: metres and radians, 0 towards +z, left positive.

    Examples
    --------
    >>> places = shortest_turns((0.0, 0.0, 0.0), (2.0, 0.0, math.pi), 1.0)
    >>> bool(abs(places[:, 1].max() - 1.0) < 1e-3)
    True
    """
    word, parts = min(_words(start, end, radius), key=lambda track: sum(track[1]))
    place, heading = complex(start[1], start[0]), start[2]
    places = [place]
    for letter, part in zip(word, parts, strict=True):
        side = {"l": 1.0, "s": 0.0, "r": -1.0}[letter]
        gone = part * np.linspace(0.0, 1.0, max(2, math.ceil(part * radius / spacing) + 1))[1:]
        if side == 0.0:
            ahead = radius * gone * np.exp(1j * heading)
        else:
            ahead = side * radius * 1j * (np.exp(1j * heading) - np.exp(1j * (heading + side * gone)))
        if part > 0.0:
            places.extend(place + ahead)
            place, heading = places[-1], heading + side * part
    track = np.array(places)
    track[-1] = complex(end[1], end[0])  # rounding adds up over arcs
    return np.stack([track.imag, track.real], axis=1)


def _words(start: Pose, end: Pose, radius: float) -> list[_Word]:
    """All paths there are, each with the lengths of its three parts in radii."""
    apart = complex(end[1] - start[1], end[0] - start[0]) / radius
    d, towards = abs(apart), math.atan2(apart.imag, apart.real)
    a, b = start[2] - towards, end[2] - towards
    words = []
    for word in ("lsl", "rsr", "lsr", "rsl", "lrl", "rlr"):
        # A word that begins to the right is the mirror image of the one that begins to the left.
        flip = 1.0 if word[0] == "l" else -1.0
        parts = _parts(word if flip > 0.0 else word.translate(str.maketrans("lr", "rl")), d, flip * a, flip * b)
        if parts is not None:
            words.append((word, parts))
    return words


def _parts(word: str, d: float, a: float, b: float) -> tuple[float, float, float] | None:
    """Lengths of the parts of ``lsl``, ``lsr`` or ``lrl`` from heading a at 0 to heading b at d; None if there is none.

    Circles of radius 1 touch the first pose and the last; what lies between their centres decides.
    """
    first = 1j * np.exp(1j * a)
    last = d + (1j if word[-1] == "l" else -1j) * np.exp(1j * b)
    across = last - first
    length, direction = abs(across), math.atan2(across.imag, across.real)
    if word == "lsl":
        if length < 1e-9:
            return _once(b - a), 0.0, 0.0  # one circle, and no line between two to take a direction from
        return _once(direction - a), length, _once(b - direction)
    if word == "lsr":
        if length < 2.0:
            return None
        heading = direction + math.asin(2.0 / length)
        return _once(heading - a), math.sqrt(length**2 - 4.0), _once(heading - b)
    if length > 4.0 or length == 0.0:
        return None
    parts = []
    for bent in (math.acos(length / 4.0), -math.acos(length / 4.0)):  # the middle circle lies on either side
        before, after = direction + bent + 0.5 * math.pi, direction - bent + 1.5 * math.pi
        parts.append((_once(before - a), _once(before - after), _once(b - after)))
    return min(parts, key=sum)


def _once(angle: float) -> float:
    """An angle in 0 … 2π; one that rounding has left just short of a whole turn is 0."""
    angle %= TURN
    return 0.0 if angle > TURN - 1e-9 else angle
