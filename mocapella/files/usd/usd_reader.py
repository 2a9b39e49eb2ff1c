"""USD files read: the largest UsdSkel skeleton in motion, animation after animation.

usd-core composes the file, also from others in its folder. It is a large library and files come from strangers, so it
runs in a process of its own; see ``mocapella.files.apart``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.checks import is_usable
from mocapella.errors import FormatError
from mocapella.files.apart.run import read_apart
from mocapella.files.budget import Budget
from mocapella.files.conventions import NO_ANIMATION, Animation, Parsed, uneven_keys
from mocapella.files.keys import USUAL_RATE, frame_times
from mocapella.files.nodes import MOST_JOINTS, Frames, Places, bound_turns, decomposed, largest_skeleton, posed
from mocapella.files.usd import usd_worker
from mocapella.geometry import quaternions
from mocapella.motion.report import Finding

_PER_ROTATION = 1000  # bytes of memory for each joint at each time, in both processes
_FURTHEST = 1e9  # in any unit
_MATRIX, _PARTS = 16, 10  # numbers of a matrix; of a place, a rotation and a scale


def usd_animations(path: Path, *, frame_rate: float | None = None) -> list[Animation]:
    """The animations of a USD file, that which is bound to the skeleton first.

    ``frame_rate`` is in frames per second; that of the samples if None, 60 where they lie at uneven times. Motions are
    in the file's unit. A file without animations gives its rest pose. Raises ``FormatError`` where it is no USD, holds
    no skeleton, is made of files outside of its folder, or usd-core fails on it.
    """
    options = {"file": str(path.absolute()), "nodes": MOST_JOINTS, "per_rotation": _PER_ROTATION}
    header, numbers = read_apart(path, str(usd_worker.__file__), options, name="USD", library="pxr.UsdSkel")
    n_joints, takes = len(header["names"]), header["takes"]
    counts = [len(take["times"]) * (_MATRIX + _PARTS * len(take["joints"])) for take in takes]
    matrices = _MATRIX * n_joints * (1 + bool(header["bound"]))
    if len(numbers) != matrices + sum(counts) or not is_usable(header["rate"]):
        raise FormatError(path, 0, "usd-core, which reads USD, gave no whole answer for it")
    if not (np.abs(numbers) <= _FURTHEST).all() or not is_usable(header["metres"]):
        raise FormatError(path, 0, "holds places, rotations or a unit that are not numbers")
    parts = np.split(numbers, np.cumsum([matrices, *counts]))
    still = parts[0].reshape(-1, 4, 4).transpose(0, 2, 1)  # USD's vectors stand before matrices
    file = _UsdFile(path, path.stat().st_size, header, still)
    if not takes:
        return [Animation("", 0, partial(file.parsed, None, np.zeros(0), frame_rate))]
    return [
        Animation(str(take["name"]), len(take["times"]), partial(file.parsed, take, part, frame_rate))
        for take, part in zip(takes, parts[1:], strict=False)
    ]


@dataclass(frozen=True, eq=False)
class _UsdFile:
    """A skeleton as the process told it."""

    path: Path
    size: int  # of the file, bytes
    header: dict[str, Any]
    matrices: Float[np.ndarray, "matrices 4 4"]  # of joints at rest, then those bound

    def parsed(self, take: dict[str, Any] | None, values: Float[np.ndarray, " numbers"], rate: float | None) -> Parsed:
        """The motion of an animation; the rest pose if None."""
        header, names = self.header, self.header["names"]
        if take is not None and not take["times"]:
            raise FormatError(self.path, 0, f"its animation has {take['many']:,} samples; that is more than is read")
        try:
            rest = decomposed(self.matrices[: len(names)])
            scene, fps, even = self._scene(take, values, rest, rate)
        except ValueError as error:
            raise FormatError(self.path, 0, f"a joint or what stands above it has {error}") from None
        # Node 0 is what stands above the skeleton.
        parents = [-1, *(parent + 1 for parent in header["parents"])]
        joints, findings = largest_skeleton(range(1, len(parents)), parents, scene.name)
        if len(header["skeletons"]) > 1:
            message = f"of {len(header['skeletons'])} skeletons the largest is read, {header['skeletons'][0]!r}"
            findings.append(Finding("skeletons", message[:300], doubtful=False))
        if take is None:
            findings.append(NO_ANIMATION)
        if not even:
            findings.append(uneven_keys(fps))
        turn = quaternions.to_matrix(scene.rest(0)[1])
        bound = self.matrices[len(names) :]
        parsed, odd = posed(
            scene, joints, parents, bound_turns({i + 1: turn @ one[:3, :3] for i, one in enumerate(bound)})
        )
        return replace(
            parsed,
            frame_rate=fps,
            findings=(*findings, *odd),
            metres_per_unit=header["metres"],
            up_axis=header["up"] if header["up"] in ("y", "z") else "y",
        )

    def _scene(
        self, take: dict[str, Any] | None, values: Float[np.ndarray, " numbers"], rest: _Parts, rate: float | None
    ) -> tuple[_Scene, float, bool]:
        """Nodes at even times, their rate, and whether all samples lie on them."""
        names = ["", *self.header["names"]]
        above = decomposed(np.array(self.header["above"]).reshape(1, 4, 4).transpose(0, 2, 1))
        at_rest = [np.concatenate([top, part]) for top, part in zip(above, rest, strict=True)]
        if take is None:
            return _Scene(names, at_rest, [part[None] for part in at_rest]), rate or USUAL_RATE, True
        samples = np.array(take["times"]) / self.header["rate"]
        times, fps, even = frame_times(self.path, samples, rate)
        Budget(self.path, self.size).take_motion(len(times), len(names))
        n, joints = len(samples), np.array(take["joints"], dtype=np.int64)
        tops, *moved = np.split(values, np.cumsum([_MATRIX * n, 3 * n * len(joints), 4 * n * len(joints)]))
        tops_at = decomposed(tops.reshape(n, 4, 4).transpose(0, 2, 1))
        parts = []
        for part, top, still in zip(moved, tops_at, at_rest, strict=True):
            rows = np.tile(still, (n, 1, 1))
            rows[:, 0], rows[:, joints + 1] = top, part.reshape(n, len(joints), -1)
            parts.append(_between(samples, rows, times))
        return _Scene(names, at_rest, parts), fps, even


_Parts = tuple[Float[np.ndarray, "joints 3"], Float[np.ndarray, "joints 4"], Float[np.ndarray, "joints 3"]]


def _between(
    samples: Float[np.ndarray, " samples"],
    rows: Float[np.ndarray, "samples nodes columns"],
    times: Float[np.ndarray, " frames"],
) -> Float[np.ndarray, "frames nodes columns"]:
    """Samples at other times: rotations the shortest way, others straight."""
    if rows.shape[2] == len(quaternions.IDENTITY):
        rows = quaternions.unroll(quaternions.normalise(rows))
    if len(samples) == 1:
        return np.repeat(rows, len(times), axis=0)
    later = np.clip(np.searchsorted(samples, times, side="right"), 1, len(samples) - 1)
    share = np.clip((times - samples[later - 1]) / (samples[later] - samples[later - 1]), 0.0, 1.0)[:, None]
    if rows.shape[2] == len(quaternions.IDENTITY):
        return quaternions.slerp(rows[later - 1], rows[later], share)
    return np.asarray(rows[later - 1] + share[..., None] * (rows[later] - rows[later - 1]))


@dataclass(frozen=True, eq=False)
class _Scene:
    """Nodes by number, the first that which stands above all joints."""

    names: list[str]
    at_rest: list[np.ndarray]  # places, rotations, scales of nodes
    moved: list[np.ndarray]  # the same of frames

    @property
    def n_frames(self) -> int:
        return len(self.moved[0])

    def name(self, node: int) -> str:
        return self.names[node]

    def rest(self, node: int) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4], Float[np.ndarray, 3]]:
        place, turn, size = (part[node] for part in self.at_rest)
        return place, turn, size

    def local(self, node: int) -> tuple[Places, Frames, Places]:
        place, turn, size = (part[:, node] for part in self.moved)
        return place, turn, size
