"""Faults of captures: lost, held, frozen and jumping frames; and the sound stretches between them."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.errors import Option
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Interval, intervals_of
from mocapella.motion.report import Finding
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.roles import find_roles


@dataclass(frozen=True)
class _FaultLimits:
    """Limits of what a captured body does: frames beyond them are faults."""

    fastest_turn: float = np.radians(1800.0)  # radians per second: no joint turns faster, so 15° in 1/120 s is a jump
    fastest_travel: float = 15.0  # m/s: above the fastest sprinters
    least_jump: float = np.radians(15.0)  # radians from frame to frame: less is no jump at any frame rate
    least_leap: float = 0.05  # metres from frame to frame, likewise of the root
    tall: float = 2.5  # metres that a person is never tall, arms and hands included
    shortest_freeze: int = 5  # equal frames in a row; a person standing still is never exactly still
    far_from_origin: float = 0.3  # metres a root that stands at exactly 0, 0, 0 jumps away from it
    exact: float = 1e-9  # metres from the origin that rounding makes
    alike: float = np.radians(0.01)  # radians that a joint which is not turned may seem turned


_LIMITS = _FaultLimits()

_BLOCK = 256  # frames compared together: what lies between stays in the cache
CODES = {"root-dropout", "held", "frozen", "jump", "outer-jump", "root-jump"}  # what ``find_faults`` may find


def count_rest_frames(rotations_wxyz: Float[np.ndarray, "frames joints 4"]) -> int:
    """Number of artificial rest poses in front of a capture, 0 or 1.

    Such a frame has an upright root, whichever way it faces, and most joints exactly unturned, and the next one is far
    from it.
    """
    if len(rotations_wxyz) < 3:
        return 0
    root = rotations_wxyz[0, 0]
    tilt = quaternions.angle_between(root, quaternions.about_y(quaternions.yaw(root)))
    turned = quaternions.angle_between(rotations_wxyz[0, 1:], quaternions.IDENTITY)
    step = quaternions.angle_between(rotations_wxyz[0], rotations_wxyz[1])
    unturned = np.append(turned, tilt) < _LIMITS.alike
    return int(tilt < _LIMITS.alike and np.mean(unturned) > 0.5 and step.max() > _LIMITS.least_jump)


def find_faults(clip: Clip, roles: Mapping[str, int] | None = None) -> list[Finding]:
    """Lost, frozen and jumping frames of a clip, one finding for each kind of fault.

    An artificial rest pose in front is not judged. ``roles`` tell hands and toes from the rest; found from the skeleton
    if None. Findings have codes of ``CODES`` and count frames by the source's own rows.
    """
    held, captured = held_frames(clip.captured), without_held(clip.captured)
    lost, frozen = dropouts(captured), _frozen(captured)
    if (frozen | lost).all():
        frozen[:] = False  # a pose that is held throughout is no fault
    unknown = beside(lost)
    frames, joints = jumps(captured.rotations_wxyz, captured.frame_rate)
    frames, joints = frames[~unknown[frames]], joints[~unknown[frames]]
    outer = outer_joints(captured.skeleton, roles)[joints]
    inner_names, outer_names = (names_of(captured.skeleton, np.unique(joints[which])) for which in (~outer, outer))
    leaping = leaps(captured.root_positions, travel_limit(captured)) & ~unknown
    kinds = [
        ("root-dropout", np.flatnonzero(lost), "the root is lost at 0, 0, 0 in"),
        ("held", np.flatnonzero(held), "the frame before is repeated in"),
        ("frozen", np.flatnonzero(frozen & ~lost), "nothing moves at all in"),
        ("jump", np.unique(frames[~outer]), f"{inner_names} jump within one frame at"),
        ("outer-jump", np.unique(frames[outer]), f"{outer_names} jump within one frame at"),
        ("root-jump", np.flatnonzero(leaping), "the root leaps within one frame at"),
    ]
    return [
        Finding(code, f"{words} {listed(rows)}", rows, doubtful=code not in ("held", "outer-jump"))
        for code, frames, words in kinds
        if (rows := rows_of(captured, frames))
    ]


def dropouts(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames whose root stands at exactly 0, 0, 0 although it is well away from there just before or after."""
    at_origin = np.all(np.abs(clip.root_positions) < _LIMITS.exact, axis=1)
    if not at_origin.any() or at_origin.all():
        return np.zeros(clip.n_frames, dtype=bool)
    out = np.zeros(clip.n_frames, dtype=bool)
    for stretch in stretches(np.flatnonzero(at_origin), 1):
        around = [i for i in (stretch[0] - 1, stretch[-1] + 1) if 0 <= i < clip.n_frames]
        if max(float(np.linalg.norm(clip.root_positions[i])) for i in around) > _LIMITS.far_from_origin:
            out[stretch] = True
    return out


def beside(lost: Bool[np.ndarray, " frames"]) -> Bool[np.ndarray, " frames"]:
    """Frames whose move from the frame before is unknown: the first, lost ones and those after them."""
    out = lost | np.roll(lost, 1)
    out[0] = True
    return np.asarray(out)


def _frozen(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames in runs of exactly equal ones."""
    out = np.zeros(clip.n_frames, dtype=bool)
    for first, last in intervals_of(repeats(clip)):
        if last - first + 2 >= _LIMITS.shortest_freeze:
            out[first - 1 : last + 1] = True
    return out


def jumps(
    rotations: Float[np.ndarray, "frames joints 4"], frame_rate: float
) -> tuple[Int[np.ndarray, " jumps"], Int[np.ndarray, " jumps"]]:
    """Frames and joints where a joint has turned further since the frame before than a body can."""
    limit, n_joints = turn_limit(frame_rate), rotations.shape[1]
    if limit >= np.pi:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    # Quaternions that far apart differ by 2 sin(limit / 4), so one of four components by half of that or more. Few do,
    # and to find them is quicker than to multiply all.
    least = (1.0 - 1e-6) * np.sin(0.25 * limit)
    rows = rotations.reshape(len(rotations), -1)
    apart, candidates = np.empty((_BLOCK, rows.shape[1])), [np.zeros(0, dtype=np.int64)]
    for first in range(1, len(rows), _BLOCK):
        after = rows[first : first + _BLOCK]
        steps = np.subtract(after, rows[first - 1 : first - 1 + len(after)], out=apart[: len(after)])
        candidates.append(np.flatnonzero(np.abs(steps, out=steps) > least) // 4 + first * n_joints)
    frames, joints = np.divmod(np.unique(np.concatenate(candidates)), n_joints)
    nearness = np.abs(np.einsum("jc,jc->j", rotations[frames, joints], rotations[frames - 1, joints]))
    jumping = nearness < np.cos(0.5 * limit)
    return frames[jumping], joints[jumping]


def leaps(roots: Float[np.ndarray, "frames 3"], limit: float) -> Bool[np.ndarray, " frames"]:
    """Frames where the root has moved further since the frame before than a limit, metres."""
    out = np.zeros(len(roots), dtype=bool)
    out[1:] = np.linalg.norm(np.diff(roots, axis=0), axis=1) > limit
    return out


def turn_limit(frame_rate: float) -> float:
    """Radians a joint may turn from frame to frame."""
    return max(float(_LIMITS.fastest_turn) / frame_rate, float(_LIMITS.least_jump))


def travel_limit(clip: Clip) -> float:
    """Metres the root may move from frame to frame, in proportion to the body's size for bodies larger than people."""
    larger = max(1.0, float(np.ptp(clip.skeleton.rest_positions, axis=0).max(initial=0.0)) / _LIMITS.tall)
    return larger * max(_LIMITS.fastest_travel / clip.frame_rate, _LIMITS.least_leap)


def outer_joints(skeleton: Skeleton, roles: Mapping[str, int] | None) -> Bool[np.ndarray, " joints"]:
    """Mask of hands, fingers and toes: captured poorly nearly everywhere, and little depends on them."""
    roles = find_roles(skeleton) if roles is None else roles
    out = np.zeros(skeleton.n_joints, dtype=bool)
    out[[joint for role, joint in roles.items() if role.endswith(("wrist", "toe"))]] = True
    for joint in range(1, skeleton.n_joints):
        out[joint] |= out[skeleton.parents[joint]]
    return out


def stretches(frames: Int[np.ndarray, " frames"], gap: int) -> list[Int[np.ndarray, " run"]]:
    """Sorted frames in runs whose members are at most ``gap`` apart."""
    return np.split(frames, np.flatnonzero(np.diff(frames) > gap) + 1) if len(frames) else []


def rows_of(clip: Clip, frames: Int[np.ndarray, " frames"]) -> tuple[int, ...]:
    """Frames of a clip as rows of its source."""
    return tuple((frames + clip.first_row).tolist())


def listed(rows: Sequence[int]) -> str:
    """Rows in words, at most six runs: "frames 1–55, 60"."""
    frames = np.asarray(rows)
    ends = np.flatnonzero(np.diff(frames) > 1)
    runs = zip(frames[[0, *ends[:5] + 1]].tolist(), frames[[*ends[:6], -1]].tolist(), strict=False)
    words = [f"{first}–{last}" if last > first else f"{first}" for first, last in runs]
    return f"frame{'s' if len(rows) > 1 else ''} {', '.join(words)}{', …' if len(ends) > 5 else ''}"


def names_of(skeleton: Skeleton, joints: Sequence[int] | Int[np.ndarray, " joints"]) -> str:
    """Names of joints in words, at most four."""
    names = [skeleton.names[joint] for joint in joints]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


# Held frames: programs that stream a capture repeat its last frame while others fail to arrive, and a file stored at
# twice its frame rate holds every frame twice. The body moved on meanwhile, between the frames around.

LONGEST_BRIDGE = 0.15  # seconds of frames that are bridged: beyond, what lies between would be invented


def repeats(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames that are exactly equal to the frame before, in every number."""
    out = np.zeros(clip.n_frames, dtype=bool)
    out[1:] = np.all(clip.root_positions[1:] == clip.root_positions[:-1], axis=1)
    candidates = np.flatnonzero(out)
    if len(candidates):
        q = clip.rotations_wxyz
        out[candidates] = np.all(q[candidates] == q[candidates - 1], axis=(1, 2))
    return out


def held_frames(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames in short runs that repeat the frame before while the body moves on: 0.15 s at most.

    Runs up to the end of a clip do not count, since nothing tells what came next; nor does a body that waits for
    several frames at its beginning.
    """
    out = repeats(clip)
    longest = max(int(LONGEST_BRIDGE * clip.frame_rate), 1)
    for first, last in intervals_of(out):
        if last - first + 1 > longest or (first == 1 and last > 1) or last == clip.n_frames - 1:
            out[first : last + 1] = False
    return out


def without_held(clip: Clip) -> Clip:
    """The motion with its held frames on the way between those around them; the clip itself where there are none."""
    held = held_frames(clip)
    if not held.any():
        return clip
    roots, slides, rotations = (np.array(part) for part in (clip.root_positions, clip.slides, clip.rotations_wxyz))
    joints = np.arange(clip.skeleton.n_joints)
    for first, last in intervals_of(held):
        bad = np.arange(first, last + 1)
        move_evenly(roots, bad)
        move_evenly(slides, bad)
        turn_evenly(rotations, bad, joints)
    return replace(clip, root_positions=roots, slides=slides, rotations_wxyz=rotations)


def turn_evenly(
    rotations: Float[np.ndarray, "frames joints 4"], bad: Int[np.ndarray, " bad"], joints: Int[np.ndarray, " members"]
) -> None:
    """Turn joints in place, evenly from the good frame before the bad ones to the one after; held at an end."""
    before, after = _good_frames(bad, len(rotations))
    start, goal = (np.broadcast_to(rotations[good, joints], (len(bad), len(joints), 4)) for good in (before, after))
    shares = (bad - before) / (after - before) if after > before else np.zeros(len(bad))
    rotations[np.ix_(bad, joints)] = quaternions.slerp(start, goal, shares[:, None])


def move_evenly(places: Float[np.ndarray, " frames *rest"], bad: Int[np.ndarray, " bad"]) -> None:
    """Move places on straight, in place, from the good frame before the bad ones to the one after; held at an end."""
    before, after = _good_frames(bad, len(places))
    shares = (bad - before) / max(after - before, 1)
    places[bad] = places[before] + np.multiply.outer(shares, places[after] - places[before])


def _good_frames(bad: Int[np.ndarray, " bad"], n_frames: int) -> tuple[int, int]:
    """The frames before and after a bad stretch; the only one there is, twice, at an end of the clip."""
    before, after = int(bad[0]) - 1, int(bad[-1]) + 1
    return (before if before >= 0 else after), (after if after < n_frames else before)


# Sound stretches: the frames between lost frames, leaps of the root and frozen frames.

CLEAN = Option("clean", True)


class _Crumbs(NamedTuple):
    """Stretches that are too short to learn from where there are very many."""

    few: int = 20  # stretches that any clip may have
    frames: int = 10  # of a crumb, at most


_CRUMBS = _Crumbs()


@dataclass(frozen=True, eq=False)
class Soundness:
    """The frames of a clip that can be learned from, and faults in them."""

    stretches: tuple[slice, ...]  # in which the body moves as captured, in order
    frozen: tuple[Interval, ...] = ()  # first and last frames of runs in which nothing moves at all
    jumps: Int[np.ndarray, " jumps"] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # of a joint

    def within_one(self, start: int, stop: int) -> bool:
        """Whether frames ``start`` up to ``stop`` lie in one stretch."""
        number = bisect_right(self.stretches, start, key=lambda stretch: stretch.start) - 1
        return number >= 0 and stop <= self.stretches[number].stop

    @property
    def longest(self) -> slice:
        """The longest stretch; an empty one where there is none."""
        return max(self.stretches, key=lambda stretch: stretch.stop - stretch.start, default=slice(0, 0))


def sound_stretches(clip: Clip, faults: Sequence[Finding]) -> Soundness:
    """The sound stretches of a clip: nothing that is learned from it may reach from one into another.

    Left out are a rest pose in front, frames in which the root is lost at 0, 0, 0, and all but one of frames that are
    exactly equal; a leap of the root ends a stretch, too. Where stretches have fewer than twenty frames on average,
    short ones are left out as well: they are crumbs of noise, and each would be examined on its own.

    ``faults`` are those of ``find_faults``.
    """
    frames = np.arange(clip.n_frames)
    by_code = {fault.code: np.array(fault.frames, dtype=np.int64) - clip.first_row for fault in faults}
    codes, none = ("root-dropout", "root-jump", "frozen", "jump"), np.zeros(0, dtype=np.int64)
    lost, leaps, still, jumps = (by_code.get(code, none) for code in codes)
    frozen = intervals_of(np.isin(frames, still))
    bad = np.isin(frames, lost)
    bad[: clip.n_frames - clip.captured.n_frames] = True
    for first, last in frozen:
        bad[first + (first > 0) : last + (first > 0)] = True
    stretches = []
    leaps = np.sort(leaps)
    for first, last in intervals_of(~bad):
        inside = leaps[np.searchsorted(leaps, first, side="right") : np.searchsorted(leaps, last, side="right")]
        edges = [first, *inside.tolist(), last + 1]
        stretches += [slice(begin, end) for begin, end in itertools.pairwise(edges)]
    if len(stretches) > max(_CRUMBS.few, clip.n_frames / (2 * _CRUMBS.frames)):
        stretches = [stretch for stretch in stretches if stretch.stop - stretch.start > _CRUMBS.frames]
    return Soundness(tuple(stretches), frozen, jumps)
