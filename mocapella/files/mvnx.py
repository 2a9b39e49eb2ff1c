"""MVNX files of Xsens suits read: segments of a body, how each is turned in the room and where it begins.

MVN's open export is XML: segments with points on them, joints that connect a point of one with a point of another, and
frames with four numbers of rotation (w, x, y, z) and three of place (metres, z up) for each segment. A segment begins
at the joint that connects it with the one above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float

from mocapella.checks import MOST_FRAMES, is_usable
from mocapella.errors import FormatError
from mocapella.files.budget import Budget
from mocapella.files.conventions import Parsed
from mocapella.files.nodes import MOST_JOINTS, Frames, Places, posed
from mocapella.files.text import quoted
from mocapella.files.xml_tree import XmlElement, number_rows, read_xml
from mocapella.geometry import quaternions
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import NO_PARENT, Skeleton, in_order

_CAPTURED = ("normal", "")  # types of frames that are no calibration poses


def read_mvnx(path: Path, *, frame_rate: float | None = None) -> Parsed:
    """The motion of an ``.mvnx`` file; of its first subject where there are several.

    ``frame_rate`` is in frames per second; the file's if None. The result is in metres. Raises ``FormatError`` with its
    line where it is no MVNX, or lacks rotations or places of segments.
    """
    root, budget = read_xml(path)
    subjects = root.all("subject")
    if root.tag != "mvnx" or not subjects:
        raise FormatError(path, root.line, f"expected <mvnx> with a <subject>, found <{root.tag[:40]}>")
    subject = subjects[0]
    rate = frame_rate if frame_rate is not None else _rate(path, subject)
    scene, order = _segments(path, subject, budget)
    parsed, odd = posed(scene, order, scene.parents, {})
    findings = [*odd]
    if len(subjects) > 1:
        others = ", ".join(other.attributes.get("label", "unnamed")[:40] for other in subjects[1:6])
        label = subject.attributes.get("label", "")[:40]
        message = f"of {len(subjects)} subjects the first is read, {label!r}; others are {others}"
        findings.append(Finding("skeletons", message, doubtful=False))
    skeleton = _with_ends(path, parsed.skeleton, subject.all("segments", "segment"))
    return replace(parsed, skeleton=skeleton, frame_rate=rate, findings=tuple(findings), up_axis="z")


@dataclass(frozen=True, eq=False)
class _Segments:
    """Segments by number, as they are turned and placed in the room."""

    names: list[str]
    parents: list[int]
    turns: Float[np.ndarray, "frames segments 4"]
    places: Float[np.ndarray, "frames segments 3"]

    @property
    def n_frames(self) -> int:
        return len(self.turns)

    def name(self, node: int) -> str:
        return self.names[node]

    def local(self, node: int) -> tuple[Places, Frames, Places]:
        above, sizes = self.parents[node], np.ones((self.n_frames, 3))
        if above == NO_PARENT:
            return self.places[:, node], self.turns[:, node], sizes
        back = quaternions.conjugate(self.turns[:, above])
        away = quaternions.rotate(back, self.places[:, node] - self.places[:, above])
        return away, quaternions.multiply(back, self.turns[:, node]), sizes

    def rest(self, node: int) -> tuple[Float[np.ndarray, 3], Float[np.ndarray, 4], Float[np.ndarray, 3]]:
        return self.local(node)[0][0], quaternions.IDENTITY, np.ones(3)


def _rate(path: Path, subject: XmlElement) -> float:
    word = subject.attributes.get("frameRate", "")
    try:
        rate = float(word)
    except ValueError:
        rate = 0.0
    if not is_usable(rate):
        raise FormatError(path, subject.line, f"expected a frameRate above 0, found {quoted(word)}")
    return rate


def _segments(path: Path, subject: XmlElement, budget: Budget) -> tuple[_Segments, list[int]]:
    """The segments of a subject in motion, and an order in which those above come first."""
    names = [segment.attributes.get("label", "") for segment in subject.all("segments", "segment")]
    if not 0 < len(names) <= MOST_JOINTS or len(set(names)) < len(names):
        raise FormatError(path, subject.line, f"expected segments with labels that differ, found {len(names):,}")
    parents = _parents(path, subject, names)
    children: list[list[int]] = [[] for _ in names]
    for segment, above in enumerate(parents):
        if above != NO_PARENT:
            children[above].append(segment)
    order = in_order(parents.index(NO_PARENT), set(range(len(names))), children) if NO_PARENT in parents else []
    if len(order) < len(names):
        raise FormatError(path, subject.line, "its joints do not make one tree of the segments")
    frames = [
        frame for frame in subject.all("frames", "frame") if frame.attributes.get("type", "").lower() in _CAPTURED
    ]
    if not 0 < len(frames) <= MOST_FRAMES:
        raise FormatError(
            path, subject.line, f"holds {len(frames):,} captured frames; at most {MOST_FRAMES:,} are read"
        )
    budget.take_motion(len(frames), len(names))
    turns = _values(path, frames, "orientation", 4 * len(names)).reshape(len(frames), len(names), 4)
    places = _values(path, frames, "position", 3 * len(names)).reshape(len(frames), len(names), 3)
    return _Segments(names, parents, quaternions.normalise(turns), places), order


def _parents(path: Path, subject: XmlElement, names: list[str]) -> list[int]:
    """The segment above each, by joints: ``<connector1>Pelvis/jL5S1</connector1><connector2>L5/jL5S1</connector2>``."""
    number = {name: i for i, name in enumerate(names)}
    parents = [NO_PARENT] * len(names)
    for joint in subject.all("joints", "joint"):
        above, below = (joint.words(f"connector{end}").partition("/")[0] for end in (1, 2))
        if above not in number or below not in number or parents[number[below]] != NO_PARENT:
            pair = f"{quoted(above)} with {quoted(below)}"
            raise FormatError(path, joint.line, f"a joint connects {pair}, which are no segments, or are connected")
        parents[number[below]] = number[above]
    return parents


def _values(path: Path, frames: Sequence[XmlElement], tag: str, count: int) -> Float[np.ndarray, "frames columns"]:
    """The numbers of all frames under a tag."""
    elements = []
    for frame in frames:
        element = frame.first(tag)
        if element is None:
            raise FormatError(path, frame.line, f"a frame has no <{tag}>: export the file with it")
        elements.append(element)
    return number_rows(path, elements, count)


def _with_ends(path: Path, skeleton: Skeleton, segments: Sequence[XmlElement]) -> Skeleton:
    """The skeleton with end sites: the furthest points of head, hands and toes."""
    carriers = {skeleton.names[joint] for joint in skeleton.parents if joint != NO_PARENT}
    ends = []
    for segment in segments:
        points = segment.all("points", "point", "pos_b")
        label = segment.attributes.get("label", "")
        if points and label not in carriers:
            away = number_rows(path, points, 3)
            ends.append((label, away[int(np.argmax(np.linalg.norm(away, axis=1)))]))
    return Skeleton.of(skeleton.names, skeleton.parents, skeleton.offsets, ends=ends)
