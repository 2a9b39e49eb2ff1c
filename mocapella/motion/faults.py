"""What captures suffer from: frames that were lost, frozen or knocked out of place, found and, on request, mended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.report import Finding
from mocapella.motion.roles import find_roles
from mocapella.motion.skeleton import Skeleton

FASTEST_TURN = np.radians(1800.0)  # per second: no joint of a person turns faster, so 15° in 1/120 s is a jump
FASTEST_TRAVEL = 15.0  # m/s: above the fastest sprinters
_LEAST_JUMP = np.radians(15.0)
_SHORTEST_FREEZE = 5  # equal frames in a row; a person standing still is never exactly still
_FAR_FROM_ORIGIN = 0.3  # metres a root that stands at exactly 0, 0, 0 jumps away from it
_EXACT = 1e-9
_ALIKE = np.radians(0.01)

_CLUSTER = 6  # frames apart at which two jumps belong together: out of place and back again
_NEAR_END = 5  # frames from an end at which the few before or after a jump are the bad ones
_EASE = 3  # frames to either side over which a lasting jump is spread


def count_rest_frames(rotations_wxyz: Float[np.ndarray, "frames joints 4"]) -> int:
    """1 where the first frame is an artificial rest pose in front of the capture, else 0.

    Such a frame has an upright root and most joints exactly unturned, and the next one is far from it.
    """
    if len(rotations_wxyz) < 3:
        return 0
    turned = quaternions.angle_between(rotations_wxyz[0], quaternions.IDENTITY)
    step = quaternions.angle_between(rotations_wxyz[0], rotations_wxyz[1])
    return int(turned[0] < _ALIKE and np.mean(turned < _ALIKE) > 0.5 and step.max() > _LEAST_JUMP)


def find_faults(clip: Clip) -> list[Finding]:
    """Everything doubtful in a clip's frames; frames are the source's own rows."""
    captured = clip.captured
    lost = _dropouts(captured)
    faults = []
    if lost.any():
        rows = _rows(captured, lost)
        faults.append(Finding("root-dropout", f"the root is lost at 0, 0, 0 in {_listed(rows)}", rows))
    frozen = _frozen(captured) & ~lost
    if frozen.any() and not (frozen | lost).all():
        rows = _rows(captured, frozen)
        faults.append(Finding("frozen", f"nothing moves at all in {_listed(rows)}", rows))
    beside = lost | np.roll(lost, 1)
    beside[0] = True  # there is no step into the first frame
    steps = _jumps(captured) & ~beside[:, None]
    outer = _outer_joints(captured.skeleton)
    for code, joints, doubtful in (("jump", ~outer, True), ("outer-jump", outer, False)):
        jumps = steps & joints
        if jumps.any():
            rows = _rows(captured, jumps.any(axis=1))
            names = _names(captured.skeleton, np.flatnonzero(jumps.any(axis=0)))
            faults.append(Finding(code, f"{names} jump within one frame at {_listed(rows)}", rows, doubtful))
    leaps = _leaps(captured) & ~beside
    if leaps.any():
        rows = _rows(captured, leaps)
        faults.append(Finding("root-jump", f"the root leaps within one frame at {_listed(rows)}", rows))
    return faults


def repaired(clip: Clip) -> Clip:
    """The clip with lost frames and one-frame jumps bridged by interpolation.

    Lost frames take the way between the good ones around them; at the ends of the clip the nearest good pose is held.
    A joint that jumps out of place and back is bridged over that stretch; one that jumps for good is eased over a few
    frames. Every frame touched is listed in the report, under ``repaired-dropout`` and ``repaired-jump``.
    """
    captured = clip.captured
    skip = clip.n_frames - captured.n_frames
    roots, rotations = np.array(captured.root_positions), np.array(captured.rotations_wxyz)
    findings = list(clip.report.findings)
    lost = _dropouts(captured)
    if lost.any() and not lost.all():
        for stretch in _stretches(np.flatnonzero(lost), 1):
            _bridge(roots, rotations, stretch, np.arange(captured.skeleton.n_joints))
            roots[stretch] = _between(roots, stretch)
        rows = _rows(captured, lost)
        findings.append(Finding("repaired-dropout", f"the lost {_listed(rows)} were bridged", rows, doubtful=False))
    mended = np.zeros(len(roots), dtype=bool)
    jumps = _jumps(replace(captured, rotations_wxyz=rotations))
    jumps[0] = False
    names: set[int] = set()
    for joint in np.flatnonzero(jumps.any(axis=0)):
        for stretch in _bad_stretches(np.flatnonzero(jumps[:, joint]), len(roots)):
            _bridge(roots, rotations, stretch, np.array([joint]))
            mended[stretch] = True
            names.add(int(joint))
    if names:
        rows = _rows(captured, mended)
        who = _names(captured.skeleton, sorted(names))
        message = f"jumps of {who} were bridged in {_listed(rows)}"
        findings.append(Finding("repaired-jump", message, rows, doubtful=False))
    gone = {"root-dropout", "jump", "outer-jump"}
    left = tuple(finding for finding in findings if finding.code not in gone)
    return replace(
        clip,
        root_positions=np.concatenate([clip.root_positions[:skip], roots]),
        rotations_wxyz=np.concatenate([clip.rotations_wxyz[:skip], rotations]),
        report=replace(clip.report, findings=left),
    )


def _dropouts(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames whose root stands at exactly 0, 0, 0 although it is well away from there just before or after."""
    at_origin = np.abs(clip.root_positions).max(axis=1) < _EXACT
    if not at_origin.any() or at_origin.all():
        return np.zeros(clip.n_frames, dtype=bool)
    out = np.zeros(clip.n_frames, dtype=bool)
    for stretch in _stretches(np.flatnonzero(at_origin), 1):
        around = [i for i in (stretch[0] - 1, stretch[-1] + 1) if 0 <= i < clip.n_frames]
        if max(float(np.linalg.norm(clip.root_positions[i])) for i in around) > _FAR_FROM_ORIGIN:
            out[stretch] = True
    return out


def _frozen(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames in runs of exactly equal ones."""
    out = np.zeros(clip.n_frames, dtype=bool)
    equal = np.all(clip.root_positions[1:] == clip.root_positions[:-1], axis=1)
    candidates = np.flatnonzero(equal)
    q = clip.rotations_wxyz
    equal[candidates] = np.all(q[candidates + 1] == q[candidates], axis=(1, 2))
    for stretch in _stretches(np.flatnonzero(equal), 1):
        if len(stretch) + 1 >= _SHORTEST_FREEZE:
            out[stretch[0] : stretch[-1] + 2] = True
    return out


def _jumps(clip: Clip) -> Bool[np.ndarray, "frames joints"]:
    """Where a joint has turned further since the frame before than any body can."""
    limit = max(FASTEST_TURN / clip.frame_rate, float(_LEAST_JUMP))
    out = np.zeros(clip.rotations_wxyz.shape[:2], dtype=bool)
    if limit < np.pi:
        q = clip.rotations_wxyz
        out[1:] = np.abs(np.einsum("fjc,fjc->fj", q[1:], q[:-1])) < np.cos(0.5 * limit)
    return out


def _leaps(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Where the root has moved further since the frame before than any body can."""
    out = np.zeros(clip.n_frames, dtype=bool)
    steps = np.linalg.norm(np.diff(clip.root_positions, axis=0), axis=1)
    out[1:] = steps > max(FASTEST_TRAVEL / clip.frame_rate, 0.05)
    return out


def _outer_joints(skeleton: Skeleton) -> Bool[np.ndarray, " joints"]:
    """Hands, fingers and toes: they are captured poorly nearly everywhere, and little depends on them."""
    roles = find_roles(skeleton)
    out = np.zeros(skeleton.n_joints, dtype=bool)
    for role in ("left_wrist", "right_wrist", "left_toe", "right_toe"):
        if role in roles:
            out[roles[role]] = True
    for joint in range(1, skeleton.n_joints):
        out[joint] |= out[skeleton.parents[joint]]
    return out


def _stretches(frames: Int[np.ndarray, " frames"], gap: int) -> list[Int[np.ndarray, " run"]]:
    """Sorted frames in runs whose members are at most ``gap`` apart."""
    return np.split(frames, np.flatnonzero(np.diff(frames) > gap) + 1) if len(frames) else []


def _bad_stretches(jumps: Int[np.ndarray, " jumps"], n_frames: int) -> Iterable[Int[np.ndarray, " bad"]]:
    """The frames to bridge for the jumps of one joint; a jump is named by the frame it leads to."""
    for cluster in _stretches(jumps, _CLUSTER):
        first, last = int(cluster[0]), int(cluster[-1])
        if first <= _NEAR_END:
            yield np.arange(0, last)
        elif last >= n_frames - _NEAR_END:
            yield np.arange(first, n_frames)
        elif first == last:
            yield np.arange(first - _EASE, min(first + _EASE, n_frames - 1))
        else:
            yield np.arange(first, last)


def _bridge(
    roots: Float[np.ndarray, "frames 3"],
    rotations: Float[np.ndarray, "frames joints 4"],
    bad: Int[np.ndarray, " bad"],
    joints: Int[np.ndarray, " members"],
) -> None:
    """Turn ``joints`` evenly over the bad frames, from the good frame before to the one after."""
    before, after = int(bad[0]) - 1, int(bad[-1]) + 1
    if before < 0 or after >= len(rotations):
        nearest = after if before < 0 else before
        rotations[np.ix_(bad, joints)] = rotations[nearest, joints]
        return
    share = ((bad - before) / (after - before))[:, None]
    start = np.broadcast_to(rotations[before, joints], (len(bad), len(joints), 4))
    goal = np.broadcast_to(rotations[after, joints], (len(bad), len(joints), 4))
    rotations[np.ix_(bad, joints)] = quaternions.slerp(start, goal, share)


def _between(roots: Float[np.ndarray, "frames 3"], bad: Int[np.ndarray, " bad"]) -> Float[np.ndarray, "bad 3"]:
    """Root positions on the straight way between the good frames around the bad ones; held at an end."""
    good = [i for i in (int(bad[0]) - 1, int(bad[-1]) + 1) if 0 <= i < len(roots)]
    return np.stack([np.interp(bad, good, roots[good, axis]) for axis in range(3)], axis=1)


def _rows(clip: Clip, frames: Bool[np.ndarray, " frames"]) -> tuple[int, ...]:
    return tuple(int(frame) + clip.first_row for frame in np.flatnonzero(frames))


def _listed(rows: Sequence[int]) -> str:
    """Rows as people write them: "frames 1–55, 60"."""
    runs = _stretches(np.asarray(rows), 1)
    words = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs[:6]]
    return f"frame{'s' if len(rows) > 1 else ''} {', '.join(words)}{', …' if len(runs) > 6 else ''}"


def _names(skeleton: Skeleton, joints: Sequence[int] | Int[np.ndarray, " joints"]) -> str:
    names = [skeleton.names[joint] for joint in joints]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
