"""COLLADA files read: the joints of a scene in motion, animation after animation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from jaxtyping import Float

from mocapella.files.conventions import NO_ANIMATION, Animation, Parsed, uneven_keys
from mocapella.files.dae.dae_channels import DaeChannel, Times, placed, read_channels
from mocapella.files.dae.dae_document import DaeDocument, read_dae
from mocapella.files.keys import USUAL_RATE, frame_times
from mocapella.files.nodes import MOST_ROTATIONS, Frames, Places, decomposed, largest_skeleton, nodes_above, posed
from mocapella.files.xml_tree import XmlElement
from mocapella.motion.report import Finding

_NEAR = 1e-4  # seconds by which keys may be outside of the clip that they belong to


def dae_animations(path: Path, *, frame_rate: float | None = None) -> list[Animation]:
    """The animations of a ``.dae`` file: its clips, or all that it animates where it has none.

    ``frame_rate`` is in frames per second; that of the keys if None, 60 where they lie at uneven times. Motions are in
    the file's unit. A file without animations gives its rest pose. Raises ``FormatError`` with its line where it is no
    COLLADA; reading a motion does where it holds no joints.
    """
    file = _DaeFile(read_dae(path))
    if not file.channels:
        return [Animation("", 0, partial(file.parsed, None, frame_rate))]
    return [
        Animation(
            take.name, sum(len(channel.times) for channel in file.of(take)), partial(file.parsed, take, frame_rate)
        )
        for take in file.takes
    ]


@dataclass(frozen=True, eq=False)
class _Take:
    """A part of what a file animates."""

    name: str
    start: float = -np.inf  # seconds
    end: float = np.inf
    elements: frozenset[int] | None = None  # ids of its <animation>, all if None


@dataclass(frozen=True, eq=False)
class _DaeFile:
    """A file from which animations are read."""

    document: DaeDocument

    @cached_property
    def channels(self) -> list[tuple[int, DaeChannel]]:
        """All channels, each with the id of the outermost <animation> that it is in."""
        animations = self.document.root.all("library_animations", "animation")
        return [(id(one), channel) for one in animations for channel in read_channels(self.document, [one])]

    @cached_property
    def takes(self) -> list[_Take]:
        """The clips of the file; all as one where there are none."""
        clips = self.document.root.all("library_animation_clips", "animation_clip")
        animations = {
            element.attributes.get("id", ""): id(element)
            for element in self.document.root.all("library_animations", "animation")
        }
        takes = []
        for clip in clips:
            words = [one.attributes.get("url", "").removeprefix("#") for one in clip.all("instance_animation")]
            elements = frozenset(animations[word] for word in words if word in animations)
            name = clip.attributes.get("name") or clip.attributes.get("id", "")
            start, end = self._seconds(clip, "start", -np.inf), self._seconds(clip, "end", np.inf)
            takes.append(_Take(name, start, max(start, end), elements or None))
        return takes or [_Take("")]

    def _seconds(self, clip: XmlElement, word: str, otherwise: float) -> float:
        try:
            return float(clip.attributes.get(word, otherwise))
        except ValueError:
            self.document.fail(clip, f"expected the {word} of a clip in seconds, found {clip.attributes[word][:40]!r}")

    def of(self, take: _Take) -> list[DaeChannel]:
        """The channels of a take."""
        return [channel for owner, channel in self.channels if take.elements is None or owner in take.elements]

    def parsed(self, take: _Take | None, frame_rate: float | None) -> Parsed:
        """The motion of a take; the rest pose if None."""
        document = self.document
        joints, findings = self._joints()
        parents = [node.parent for node in document.nodes]
        body = {*joints, *nodes_above(joints[0], parents)}
        used = [channel for channel in self.of(take) if channel.node in body] if take is not None else []
        times, rate, even = self._times(take, used, frame_rate)
        if len(times) * len(joints) > MOST_ROTATIONS:
            document.fail(
                document.root, f"has {len(times):,} frames of {len(joints):,} joints; that is more than is read"
            )
        document.budget.take_motion(len(times), len(body) + len(used))
        if not used:
            findings.append(NO_ANIMATION)
        if not even:
            findings.append(uneven_keys(rate))
        parsed, odd = posed(_Moved(document, used, times), joints, parents, document.bound(set(joints)))
        return replace(
            parsed,
            frame_rate=rate,
            findings=(*findings, *odd),
            metres_per_unit=document.metres_per_unit,
            up_axis=document.up_axis,
        )

    def _times(
        self, take: _Take | None, used: Sequence[DaeChannel], frame_rate: float | None
    ) -> tuple[Times, float, bool]:
        """Even times at which channels are read."""
        if take is None or not used:
            return np.zeros(1), frame_rate or USUAL_RATE, True
        keys = np.unique(np.concatenate([channel.times for channel in used]))
        inside = keys[(keys >= take.start - _NEAR) & (keys <= take.end + _NEAR)]
        if len(inside) <= 1:  # a part of a curve between keys
            inside = np.unique(np.clip([take.start, take.end], keys[0], keys[-1]))
        return frame_times(
            self.document.path, inside, frame_rate, curved=any(channel.handles is not None for channel in used)
        )

    def _joints(self) -> tuple[list[int], list[Finding]]:
        """The joints of the largest skeleton: nodes that are called so, those of skins, else all that are turned."""
        document = self.document
        bones = {number for number, node in enumerate(document.nodes) if node.is_joint}
        bones.update(joint for skin in document.skins for joint in skin)
        bones = bones or {channel.node for _, channel in self.channels}
        if not bones:
            document.fail(document.root, "holds no joints, and no animation that moves any node")
        parents = [node.parent for node in document.nodes]
        return largest_skeleton(bones, parents, lambda number: document.nodes[number].name)


@dataclass(frozen=True, eq=False)
class _Moved:
    """Nodes at some times: places, turns and scales relative to their parents."""

    document: DaeDocument
    channels: Sequence[DaeChannel]
    times: Times

    @property
    def n_frames(self) -> int:
        return len(self.times)

    @cached_property
    def _of(self) -> dict[int, list[DaeChannel]]:
        out: dict[int, list[DaeChannel]] = {}
        for channel in self.channels:
            out.setdefault(channel.node, []).append(channel)
        return out

    def name(self, node: int) -> str:
        return self.document.nodes[node].name

    def rest(self, node: int) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4], Float[np.ndarray, 3]]:
        place, turn, size = self._parts(node, [])
        return place[0], turn[0], size[0]

    def local(self, node: int) -> tuple[Places, Frames, Places]:
        parts = self._parts(node, self._of.get(node, []))
        place, turn, size = (np.broadcast_to(part, (self.n_frames, part.shape[1])) for part in parts)
        return place, turn, size

    def _parts(
        self, node: int, channels: list[DaeChannel]
    ) -> tuple[Float[np.ndarray, "one_or_all 3"], Float[np.ndarray, "one_or_all 4"], Float[np.ndarray, "one_or_all 3"]]:
        """Places, rotations (w, x, y, z) and scales; of one frame where nothing moves it."""
        try:
            return decomposed(placed(self.document, node, channels, self.times))
        except ValueError as error:
            element = self.document.nodes[node].element
            self.document.fail(element, f"node {self.name(node)[:40]!r} has {error}")
