"""What animates a COLLADA file: channels from keys to a transform of a node, or to one of its numbers.

A channel's target is ``node/transform``, ``node/transform.MEMBER`` or ``node/transform(column)(row)``. From each key to
the next it goes by STEP, LINEAR, BEZIER or HERMITE; handles of curves are pairs of time and value, or values alone,
which then lie at thirds of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.files.dae.dae_document import SIZES, DaeDocument, DaeTransform
from mocapella.files.nodes import decomposed
from mocapella.files.text import quoted
from mocapella.files.xml_tree import XmlElement
from mocapella.geometry import quaternions
from mocapella.geometry.curves import bezier_parameter

_WAYS = ("STEP", "LINEAR", "BEZIER", "HERMITE")
_TARGET = re.compile(r"([^/]+)/(?:.*/)?([^/.()]+)(?:\.(\w+)|\((\d)\)(?:\((\d)\))?)?")
_MEMBERS = {"X": 0, "Y": 1, "Z": 2, "ANGLE": 3}
_THIRD = 1.0 / 3.0  # of the time between keys, where handles lie that state none

Times = Float[np.ndarray, " frames"]
_Values = Float[np.ndarray, "frames numbers"]


@dataclass(frozen=True, eq=False)
class DaeChannel:
    """Keys of some of the numbers of a transform."""

    node: int
    transform: str  # by its name in the node
    member: str | tuple[int, ...]  # "" where all of its numbers are meant
    times: Float[np.ndarray, " keys"]  # seconds, rising
    values: Float[np.ndarray, "keys numbers"]
    ways: list[str]  # from each key to the next
    handles: tuple[Float[np.ndarray, "keys rows"], Float[np.ndarray, "keys rows"]] | None  # into a key, out of it

    def at(self, times: Times) -> _Values:
        """The values at some times; those of the first and the last key outside."""
        if len(self.times) == 1:
            return np.repeat(self.values, len(times), axis=0)
        later = np.clip(np.searchsorted(self.times, times, side="right"), 1, len(self.times) - 1)
        before, after = self.times[later - 1], self.times[later]
        share = np.clip((times - before) / (after - before), 0.0, 1.0)[:, None]
        first, second = self.values[later - 1], self.values[later]
        ways = np.array([_WAYS.index(way) for way in self.ways])[later - 1][:, None]
        if first.shape[1] == SIZES["matrix"]:
            straight = _between_matrices(first, second, share)
        else:
            straight = first + share * (second - first)
        out = np.where(ways == _WAYS.index("STEP"), np.where(share < 1.0, first, second), straight)
        if self.handles is None:
            return out
        for way in ("BEZIER", "HERMITE"):
            curved = self._curved(later, share, way)
            out = np.where(ways == _WAYS.index(way), curved, out)
        return out

    def _curved(self, later: np.ndarray, share: Float[np.ndarray, "frames 1"], way: str) -> _Values:
        """The values between keys by cubic curves of Bézier, or of Hermite as such."""
        into, out_of = (handles.reshape(len(self.times), self.values.shape[1], -1) for handles in self.handles or ())
        start, end = self.times[later - 1][:, None], self.times[later][:, None]
        first, second = self.values[later - 1], self.values[later]
        leaving, arriving = out_of[later - 1, :, -1], into[later, :, -1]
        x1, x2 = np.full(first.shape, _THIRD), np.full(first.shape, 1.0 - _THIRD)
        if into.shape[2] > 1:
            when, until = out_of[later - 1, :, 0], into[later, :, 0]
            if way == "HERMITE":  # tangents, not places
                when, until = start + when / 3.0, end - until / 3.0
            x1, x2 = (np.clip((at - start) / (end - start), 0.0, 1.0) for at in (when, until))
        if way == "HERMITE":
            leaving, arriving = first + leaving / 3.0, second - arriving / 3.0
        s = bezier_parameter(x1, x2, share)
        return np.asarray(
            (1.0 - s) ** 3 * first
            + 3.0 * (1.0 - s) ** 2 * s * leaving
            + 3.0 * (1.0 - s) * s**2 * arriving
            + s**3 * second
        )


def _between_matrices(first: _Values, second: _Values, share: Float[np.ndarray, "frames 1"]) -> _Values:
    """Matrices between others: places and scales between theirs, rotations the shortest way."""
    pairs = [decomposed(matrices.reshape(-1, 4, 4)) for matrices in (first, second)]
    (place, turn, size), (place_after, turn_after, size_after) = pairs
    out = np.tile(np.eye(4), (len(first), 1, 1))
    sizes = size + share * (size_after - size)
    out[:, :3, :3] = quaternions.to_matrix(quaternions.slerp(turn, turn_after, share[:, 0])) * sizes[:, None, :]
    out[:, :3, 3] = place + share * (place_after - place)
    return out.reshape(-1, 16)


def read_channels(document: DaeDocument, animations: Iterable[XmlElement]) -> list[DaeChannel]:
    """The channels of some animations, and of those in them, that move nodes of the scene."""
    out, waiting, seen = [], [*animations], set[int]()
    while waiting:
        animation = waiting.pop()
        if id(animation) in seen:
            continue
        seen.add(id(animation))
        waiting += animation.all("animation")
        out += [channel for element in animation.all("channel") if (channel := _channel(document, element))]
    return out


def _channel(document: DaeDocument, element: XmlElement) -> DaeChannel | None:
    """A channel; None for what moves no node: lights, materials, weights."""
    match = _TARGET.fullmatch(element.attributes.get("target", ""))
    node = None if match is None else document.numbers_of_nodes.get(match.group(1))
    if match is None or node is None:
        return None
    member = match.group(3) or tuple(int(digit) for digit in match.groups()[3:] if digit is not None) or ""
    sampler = document.named(element.attributes.get("source", ""), element, "sampler")
    inputs = document.inputs(sampler)
    if "INPUT" not in inputs or "OUTPUT" not in inputs:
        document.fail(sampler, "expected INPUT and OUTPUT in a sampler")
    times, values = document.numbers(inputs["INPUT"])[:, 0], document.numbers(inputs["OUTPUT"])
    if len(times) == 0 or len(values) != len(times) or (np.diff(times) < 0.0).any():
        document.fail(sampler, f"an animation has {len(values):,} values for {len(times):,} keys, or times that fall")
    rising = np.append(np.diff(times) > 0.0, True)  # of keys at one time the last is taken
    ways = _ways(document, sampler, inputs, len(times))
    into, out_of = (_handles(document, inputs, way, values) for way in ("IN_TANGENT", "OUT_TANGENT"))
    whole = into is not None and out_of is not None and into.shape == out_of.shape
    if not whole:
        ways = ["LINEAR" if way in ("BEZIER", "HERMITE") else way for way in ways]
    return DaeChannel(
        node,
        match.group(2),
        member,
        times[rising],
        values[rising],
        [way for way, kept in zip(ways, rising, strict=True) if kept],
        (into[rising], out_of[rising]) if into is not None and out_of is not None and whole else None,
    )


def _ways(document: DaeDocument, sampler: XmlElement, inputs: dict[str, XmlElement], count: int) -> list[str]:
    """How a sampler goes from each key to the next."""
    words = inputs["INTERPOLATION"].words("Name_array").split() if "INTERPOLATION" in inputs else []
    odd = next((word for word in words if word not in _WAYS), "")
    if odd:
        document.fail(inputs["INTERPOLATION"], f"keys go by {quoted(odd)}; expected {', '.join(_WAYS)}")
    if words and len(words) != count:
        document.fail(sampler, f"an animation has {len(words):,} interpolations for {count:,} keys")
    return words or ["LINEAR"] * count


def _handles(
    document: DaeDocument, inputs: dict[str, XmlElement], semantic: str, values: _Values
) -> Float[np.ndarray, "keys rows"] | None:
    """The handles of curves, one or two numbers for each value; None where there are none."""
    if semantic not in inputs:
        return None
    handles = document.numbers(inputs[semantic])
    width = values.shape[1]
    if handles.shape not in ((len(values), width), (len(values), 2 * width)):
        return None
    return handles


def placed(
    document: DaeDocument, node: int, channels: list[DaeChannel], times: Times
) -> Float[np.ndarray, "one_or_all 4 4"]:
    """The matrix of a node at some times, relative to its parent; one where nothing moves it."""
    out = np.eye(4)[None]
    still = np.eye(4)
    for transform in document.transforms(node):
        moving = [channel for channel in channels if channel.transform == transform.name] if transform.name else []
        if not moving:
            still = still @ _matrix(transform.kind, transform.values[None])[0]
        else:
            out = out @ still @ _matrix(transform.kind, _moved(document, transform, moving, times))
            still = np.eye(4)
    return np.asarray(out @ still)


def _moved(document: DaeDocument, transform: DaeTransform, channels: list[DaeChannel], times: Times) -> _Values:
    """The numbers of a transform at some times."""
    out = np.tile(transform.values, (len(times), 1))
    for channel in channels:
        values = channel.at(times)
        columns = _columns(transform, channel)
        if columns is None or values.shape[1] != len(columns):
            element = document.nodes[channel.node].element
            document.fail(
                element, f"a channel for <{transform.kind}> has {values.shape[1]} numbers for {channel.member!r}"
            )
        out[:, columns] = values
    return out


def _columns(transform: DaeTransform, channel: DaeChannel) -> list[int] | None:
    """Which numbers of a transform a channel is for; None where it has no such."""
    size = SIZES[transform.kind]
    if channel.member == "":
        return list(range(size))
    if isinstance(channel.member, str):
        column = _MEMBERS.get(channel.member, size)
    elif transform.kind == "matrix":
        column = channel.member[0] + 4 * channel.member[-1] if len(channel.member) == 2 else size
    else:
        column = channel.member[0]
    return [column] if column < size else None


def _matrix(kind: str, values: _Values) -> Float[np.ndarray, "frames 4 4"]:
    """The matrices of a transform by its numbers."""
    if kind == "matrix":
        return values.reshape(-1, 4, 4)
    out = np.tile(np.eye(4), (len(values), 1, 1))
    if kind == "translate":
        out[:, :3, 3] = values
    elif kind == "scale":
        out[:, [0, 1, 2], [0, 1, 2]] = values
    else:
        axes = values[:, :3] / np.maximum(np.linalg.norm(values[:, :3], axis=1, keepdims=True), 1e-12)
        out[:, :3, :3] = quaternions.to_matrix(quaternions.from_rotvec(np.radians(values[:, 3:]) * axes))
    return out
