"""Keys of glTF animations: times, values, and what lies between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from mocapella.checks import MOST_FRAMES
from mocapella.files.gltf.gltf_document import GltfAnimation, GltfDocument
from mocapella.geometry import quaternions

_KINDS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_OFF_GRID = 0.02  # of a frame: keys no further from even times lie on them
_CLOSEST = 1e-5  # seconds between two keys that are not the same
_USUAL_RATE = 60.0  # frames per second at which keys at uneven times are read

Times = Float[np.ndarray, " keys"]
Values = Float[np.ndarray, "keys columns"]


@dataclass(frozen=True, eq=False)
class Track:
    """One channel: values at times, and the interpolation between them."""

    times: Times  # seconds, rising
    values: Values
    tangents: tuple[Values, Values] | None = None  # in and out, of cubic splines
    step: bool = False
    turns: bool = False  # whether the values are rotations, x, y, z, w

    def at(self, times: Float[np.ndarray, " frames"]) -> Float[np.ndarray, "frames columns"]:
        """The values at some times; those of the first and the last key outside."""
        if len(self.times) == 1:
            return np.repeat(self.values, len(times), axis=0)
        # Keys are stored with seven digits: a step that is due at this very time is taken.
        slack = _OFF_GRID * float(np.diff(self.times).min()) if self.step else 0.0
        later = np.clip(np.searchsorted(self.times, times + slack, side="right"), 1, len(self.times) - 1)
        before, after = self.times[later - 1], self.times[later]
        share = np.clip((times - before) / (after - before), 0.0, 1.0)[:, None]
        first, second = self.values[later - 1], self.values[later]
        if self.step:
            return np.where((times + slack >= self.times[-1])[:, None], self.values[-1], first)
        if self.tangents is not None:
            span = (after - before)[:, None]
            leaving, arriving = span * self.tangents[1][later - 1], span * self.tangents[0][later]
            mixed = (
                (2.0 * share**3 - 3.0 * share**2 + 1.0) * first
                + (share**3 - 2.0 * share**2 + share) * leaving
                + (3.0 * share**2 - 2.0 * share**3) * second
                + (share**3 - share**2) * arriving
            )
            return _unit(mixed) if self.turns else mixed
        if self.turns:
            start, end = (values[:, [3, 0, 1, 2]] for values in (first, second))
            return np.asarray(quaternions.slerp(start, end, share[:, 0])[:, [1, 2, 3, 0]])
        return np.asarray(first + share * (second - first))


def _unit(values: Values) -> Values:
    sizes = np.linalg.norm(values, axis=1, keepdims=True)
    return np.where(sizes > 1e-9, values / np.maximum(sizes, 1e-9), [0.0, 0.0, 0.0, 1.0])


def read_tracks(document: GltfDocument, animation: GltfAnimation) -> dict[tuple[int, str], Track]:
    """The tracks of an animation, by node and by what moves: ``translation``, ``rotation`` or ``scale``.

    Weights of meshes are left out. Raises ``FormatError`` where times do not rise, or there are more or fewer values
    than keys.
    """
    tracks: dict[tuple[int, str], Track] = {}
    for channel in animation.channels:
        path, node = channel.target.path, channel.target.node
        if node is None or path not in _KINDS:
            continue
        if not channel.sampler < len(animation.samplers) or not node < len(document.json.nodes):
            document.fail("an animation names a sampler or a node that is not there")
        sampler = animation.samplers[channel.sampler]
        times = document.numbers(sampler.input, "SCALAR")[:, 0]
        values = document.numbers(sampler.output, _KINDS[path])
        cubic = sampler.interpolation == "CUBICSPLINE"
        if sampler.interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
            document.fail(f"keys go by {sampler.interpolation[:20]!r}; expected STEP, LINEAR or CUBICSPLINE")
        if len(times) == 0 or len(values) != len(times) * (3 if cubic else 1):
            document.fail(f"an animation has {len(values):,} values for {len(times):,} keys")
        if (np.diff(times) <= 0.0).any():
            document.fail("the times of an animation's keys do not rise")
        tangents = (values[0::3], values[2::3]) if cubic else None
        points = values[1::3] if cubic else values
        turns = path == "rotation"
        if turns:
            points = _unit(points)
        tracks[node, path] = Track(times, points, tangents, sampler.interpolation == "STEP", turns)
    return tracks


def frame_times(
    document: GltfDocument, tracks: list[Track], frame_rate: float | None
) -> tuple[Float[np.ndarray, " frames"], float, bool]:
    """Even times at which the tracks are read: those of their keys, where they are even.

    ``tracks`` are at least one. ``frame_rate`` is in frames per second; that of the keys if None, 60 where they lie at
    uneven times. Returns ``times``, ``frame_rate`` and ``even``: seconds; frames per second; whether every key lies on
    one of the times.
    """
    keys = np.unique(np.concatenate([track.times for track in tracks]))
    keys = keys[np.concatenate([[True], np.diff(keys) > _CLOSEST])]
    span = float(keys[-1] - keys[0])
    if span <= 0.0:
        return keys[:1], frame_rate or _USUAL_RATE, True
    if frame_rate is None:
        shortest = float(np.diff(keys).min())
        if span / shortest < MOST_FRAMES:
            count = round(span / shortest)
            off = (keys - keys[0]) * count / span
            if np.abs(off - np.round(off)).max() <= _OFF_GRID:
                return keys[0] + span * np.arange(count + 1) / count, _tidy(count / span), True
    rate = frame_rate or _USUAL_RATE
    if span * rate > MOST_FRAMES:
        document.fail(f"its animation lasts {span:,.0f} s; at most {MOST_FRAMES:,} frames are read")
    return keys[0] + np.arange(int(span * rate + 1e-6) + 1) / rate, rate, False


def _tidy(rate: float) -> float:
    """A frame rate without the rounding of its keys, which are kept to seven digits."""
    nearest = round(rate)
    return float(nearest) if nearest and abs(rate / nearest - 1.0) < 1e-4 else rate
