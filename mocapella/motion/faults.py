"""What captures suffer from: frames that were lost, frozen or knocked out of place, found and, on request, mended."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.report import Finding
from mocapella.motion.roles import find_roles
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spikes import without_spikes

FASTEST_TURN = np.radians(1800.0)  # per second: no joint of a person turns faster, so 15° in 1/120 s is a jump
FASTEST_TRAVEL = 15.0  # m/s: above the fastest sprinters
_LEAST_JUMP = np.radians(15.0)
_LEAST_LEAP = 0.05  # metres
_SHORTEST_FREEZE = 5  # equal frames in a row; a person standing still is never exactly still
_FAR_FROM_ORIGIN = 0.3  # metres a root that stands at exactly 0, 0, 0 jumps away from it
_EXACT = 1e-9
_ALIKE = np.radians(0.01)
LONGEST_BRIDGE = 0.15  # seconds of lost frames that are bridged: beyond, what lies between would be invented
_LEAST_SPIKE = np.radians(4.0)  # at 120 Hz, more where frames are further apart: a joint out of place in one frame
_LEAST_ROOT_SPIKE = 0.01  # metres, the same
_LONGEST_EASE = 0.3  # seconds over which a single joint may be bridged
_BLOCK = 256  # frames compared together: what lies between stays in the cache

_ROUNDS = 4
_CLUSTER = 6  # frames apart at which two jumps belong together: out of place and back again
_NEAR_END = 5  # frames from an end at which the few before or after a jump are the bad ones
_EASE = 3  # frames to either side over which a lasting jump is spread, more where it is a large one
_CODES = {"root-dropout", "frozen", "jump", "outer-jump", "root-jump"}  # what ``find_faults`` may find


def count_rest_frames(rotations_wxyz: Float[np.ndarray, "frames joints 4"]) -> int:
    """1 where the first frame is an artificial rest pose in front of the capture, else 0.

    Such a frame has an upright root and most joints exactly unturned, and the next one is far from it.
    """
    if len(rotations_wxyz) < 3:
        return 0
    turned = quaternions.angle_between(rotations_wxyz[0], quaternions.IDENTITY)
    step = quaternions.angle_between(rotations_wxyz[0], rotations_wxyz[1])
    return int(turned[0] < _ALIKE and np.mean(turned < _ALIKE) > 0.5 and step.max() > _LEAST_JUMP)


def find_faults(clip: Clip, roles: Mapping[str, int] | None = None) -> list[Finding]:
    """Everything doubtful in a clip's frames; frames are the source's own rows."""
    captured = clip.captured
    lost = _dropouts(captured)
    faults = []
    if lost.any():
        rows = _rows(captured, np.flatnonzero(lost))
        faults.append(Finding("root-dropout", f"the root is lost at 0, 0, 0 in {_listed(rows)}", rows))
    frozen = _frozen(captured) & ~lost
    if frozen.any() and not (frozen | lost).all():
        rows = _rows(captured, np.flatnonzero(frozen))
        faults.append(Finding("frozen", f"nothing moves at all in {_listed(rows)}", rows))
    beside = _beside(lost)
    frames, joints = _jumps(captured.rotations_wxyz, captured.frame_rate)
    frames, joints = frames[~beside[frames]], joints[~beside[frames]]
    outer = _outer_joints(captured.skeleton, roles)[joints]
    for code, which, doubtful in (("jump", ~outer, True), ("outer-jump", outer, False)):
        if which.any():
            rows = _rows(captured, np.unique(frames[which]))
            names = _names(captured.skeleton, np.unique(joints[which]))
            faults.append(Finding(code, f"{names} jump within one frame at {_listed(rows)}", rows, doubtful))
    leaps = _leaps(captured.root_positions, captured.frame_rate) & ~beside
    if leaps.any():
        rows = _rows(captured, np.flatnonzero(leaps))
        faults.append(Finding("root-jump", f"the root leaps within one frame at {_listed(rows)}", rows))
    return faults


def repaired(clip: Clip) -> Clip:
    """The clip with short gaps of lost frames and one-frame jumps bridged by interpolation.

    Lost frames take the way between the good ones around them, where they last no longer than 0.15 s; a longer gap
    stays lost, since nobody knows what was done in it. At the ends of the clip the nearest good pose is held. A joint
    or root that jumps out of place and back is bridged over that stretch; a joint that jumps for good is eased over a
    few frames, or, near an end of the clip, held still up to there. A root that leaps for good stays as it is. Single
    frames that lie off the way of a joint or of the root are put back on it, however small the step, where they stand
    out from the motion around them. Every frame touched is listed in the report, under ``repaired-dropout``,
    ``repaired-jump``, ``repaired-outer-jump`` (hands and toes), ``repaired-root-jump``, ``repaired-spike``,
    ``repaired-outer-spike`` and ``repaired-root-spike``, and whatever is still doubtful afterwards stands there too.
    """
    captured = clip.captured
    skip = clip.n_frames - captured.n_frames
    roots, slides = np.array(captured.root_positions), np.array(captured.slides)
    rotations = np.array(captured.rotations_wxyz)
    done = []
    lost = _dropouts(captured)
    bridged = _bridgeable(lost, captured.frame_rate)
    for bad in _stretches(np.flatnonzero(bridged), 1):
        _move_evenly(roots, bad)
        _move_evenly(slides, bad)
        _turn_evenly(rotations, bad, np.arange(captured.skeleton.n_joints))
    if bridged.any():
        rows = _rows(captured, np.flatnonzero(bridged))
        done.append(Finding("repaired-dropout", f"the lost {_listed(rows)} were bridged", rows, doubtful=False))
    out_of_reach = _beside(lost & ~bridged)
    turned = _mend_jumps(rotations, captured.frame_rate, out_of_reach)
    outer = _outer_joints(captured.skeleton, None)
    for code, which in (("repaired-jump", turned & ~outer), ("repaired-outer-jump", turned & outer)):
        if which.any():
            rows = _rows(captured, np.flatnonzero(which.any(axis=1)))
            who = _names(captured.skeleton, np.flatnonzero(which.any(axis=0)))
            done.append(Finding(code, f"jumps of {who} were bridged in {_listed(rows)}", rows, doubtful=False))
    moved = _mend_leaps(roots, captured.frame_rate, out_of_reach)
    if moved.any():
        rows = _rows(captured, np.flatnonzero(moved))
        done.append(Finding("repaired-root-jump", f"the root was bridged in {_listed(rows)}", rows, doubtful=False))
    bridged_before = np.isin(np.arange(captured.n_frames), [row - captured.first_row for row in _mended_rows(clip)])
    gone = lost | bridged_before
    rotations, turned, roots, moved = _mend_spikes(
        rotations, roots, captured.frame_rate, turned | gone[:, None], moved | gone
    )
    for code, which in (("repaired-spike", turned & ~outer), ("repaired-outer-spike", turned & outer)):
        if which.any():
            rows = _rows(captured, np.flatnonzero(which.any(axis=1)))
            who = _names(captured.skeleton, np.flatnonzero(which.any(axis=0)))
            done.append(Finding(code, f"spikes of {who} were taken out of {_listed(rows)}", rows, doubtful=False))
    if moved.any():
        rows = _rows(captured, np.flatnonzero(moved))
        done.append(
            Finding("repaired-root-spike", f"spikes of the root were taken out of {_listed(rows)}", rows, False)
        )
    mended = replace(
        clip,
        root_positions=np.concatenate([clip.root_positions[:skip], roots]),
        rotations_wxyz=np.concatenate([clip.rotations_wxyz[:skip], rotations]),
        slides=np.concatenate([clip.slides[:skip], slides]),
    )
    kept = (finding for finding in clip.report.findings if finding.code not in _CODES)
    return replace(mended, report=replace(clip.report, findings=(*kept, *done, *find_faults(mended))))


def _dropouts(clip: Clip) -> Bool[np.ndarray, " frames"]:
    """Frames whose root stands at exactly 0, 0, 0 although it is well away from there just before or after."""
    at_origin = np.all(np.abs(clip.root_positions) < _EXACT, axis=1)
    if not at_origin.any() or at_origin.all():
        return np.zeros(clip.n_frames, dtype=bool)
    out = np.zeros(clip.n_frames, dtype=bool)
    for stretch in _stretches(np.flatnonzero(at_origin), 1):
        around = [i for i in (stretch[0] - 1, stretch[-1] + 1) if 0 <= i < clip.n_frames]
        if max(float(np.linalg.norm(clip.root_positions[i])) for i in around) > _FAR_FROM_ORIGIN:
            out[stretch] = True
    return out


def _beside(lost: Bool[np.ndarray, " frames"]) -> Bool[np.ndarray, " frames"]:
    """Frames that no step leads to: the first, lost ones and those after them."""
    out = lost | np.roll(lost, 1)
    out[0] = True
    return np.asarray(out)


def _bridgeable(lost: Bool[np.ndarray, " frames"], frame_rate: float) -> Bool[np.ndarray, " frames"]:
    """The lost frames in gaps short enough to bridge, and those at the ends, where a pose is held.

    Gaps with only a few good frames between them count as one.
    """
    longest = max(int(LONGEST_BRIDGE * frame_rate), 1)
    out = np.array(lost)
    for gap in _stretches(np.flatnonzero(lost), _CLUSTER):
        if len(gap) > longest:
            out[gap] = False
    for end in _stretches(np.flatnonzero(lost), 1):
        if end[0] == 0 or end[-1] == len(lost) - 1:
            out[end] = True
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


def _jumps(
    rotations: Float[np.ndarray, "frames joints 4"], frame_rate: float
) -> tuple[Int[np.ndarray, " jumps"], Int[np.ndarray, " jumps"]]:
    """The frames and joints where a joint has turned further since the frame before than any body can."""
    limit, n_joints = _turn_limit(frame_rate), rotations.shape[1]
    if limit >= np.pi:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    # Quaternions that far apart differ by 2 sin(limit / 4), so one of four components by half of that or more. Few do,
    # and to find them is quicker than to multiply all.
    least = (1.0 - 1e-6) * np.sin(0.25 * limit)
    rows = rotations.reshape(len(rotations), -1)
    apart, found = np.empty((_BLOCK, rows.shape[1])), [np.zeros(0, dtype=np.int64)]
    for first in range(1, len(rows), _BLOCK):
        after = rows[first : first + _BLOCK]
        steps = np.subtract(after, rows[first - 1 : first - 1 + len(after)], out=apart[: len(after)])
        found.append(np.flatnonzero(np.abs(steps, out=steps) > least) // 4 + first * n_joints)
    frames, joints = np.divmod(np.unique(np.concatenate(found)), n_joints)
    nearness = np.abs(np.einsum("jc,jc->j", rotations[frames, joints], rotations[frames - 1, joints]))
    jumping = nearness < np.cos(0.5 * limit)
    return frames[jumping], joints[jumping]


def _leaps(roots: Float[np.ndarray, "frames 3"], frame_rate: float) -> Bool[np.ndarray, " frames"]:
    """Where the root has moved further since the frame before than any body can."""
    out = np.zeros(len(roots), dtype=bool)
    out[1:] = np.linalg.norm(np.diff(roots, axis=0), axis=1) > _travel_limit(frame_rate)
    return out


def _turn_limit(frame_rate: float) -> float:
    """Radians a joint may turn from frame to frame."""
    return max(float(FASTEST_TURN) / frame_rate, float(_LEAST_JUMP))


def _travel_limit(frame_rate: float) -> float:
    """Metres the root may move from frame to frame."""
    return max(FASTEST_TRAVEL / frame_rate, _LEAST_LEAP)


def _outer_joints(skeleton: Skeleton, roles: Mapping[str, int] | None) -> Bool[np.ndarray, " joints"]:
    """Hands, fingers and toes: they are captured poorly nearly everywhere, and little depends on them."""
    roles = find_roles(skeleton) if roles is None else roles
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


def _mend_jumps(
    rotations: Float[np.ndarray, "frames joints 4"], frame_rate: float, out_of_reach: Bool[np.ndarray, " frames"]
) -> Bool[np.ndarray, "frames joints"]:
    """Bridge the jumps of all joints in place, but for steps ``out_of_reach``; where something was changed."""
    limit = _turn_limit(frame_rate)
    frames, joints = _jumps(rotations, frame_rate)
    frames, joints = frames[~out_of_reach[frames]], joints[~out_of_reach[frames]]
    changed = np.zeros(rotations.shape[:2], dtype=bool)
    for joint in np.unique(joints):
        for cluster in _stretches(frames[joints == joint], _CLUSTER):
            first, last = int(cluster[0]), int(cluster[-1])
            steps = float(quaternions.angle_between(rotations[first - 1, joint], rotations[last, joint])) / limit
            bad = _bad_frames(first, last, steps, len(rotations))
            if not len(bad):
                ease = max(_EASE, math.ceil(0.5 * steps))
                bad = np.arange(max(first - ease, 1), min(last + ease, len(rotations) - 1))
            if len(bad) > max(_LONGEST_EASE * frame_rate, 2 * _CLUSTER):
                continue  # a joint that flickers on and on is not mended by one long turn
            _turn_evenly(rotations, bad, np.array([joint]))
            changed[bad, joint] = True
    return changed


def _mend_leaps(
    roots: Float[np.ndarray, "frames 3"], frame_rate: float, out_of_reach: Bool[np.ndarray, " frames"]
) -> Bool[np.ndarray, " frames"]:
    """Bridge in place where the root leaps away and back; where something was changed."""
    limit = _travel_limit(frame_rate)
    changed = np.zeros(len(roots), dtype=bool)
    for cluster in _stretches(np.flatnonzero(_leaps(roots, frame_rate) & ~out_of_reach), _CLUSTER):
        first, last = int(cluster[0]), int(cluster[-1])
        steps = float(np.linalg.norm(roots[last] - roots[first - 1])) / limit
        bad = _bad_frames(first, last, steps, len(roots))
        if 0 < len(bad) <= max(LONGEST_BRIDGE * frame_rate, _CLUSTER):
            _move_evenly(roots, bad)
            changed[bad] = True
    return changed


def _mend_spikes(
    rotations: Float[np.ndarray, "frames joints 4"],
    roots: Float[np.ndarray, "frames 3"],
    frame_rate: float,
    turned_already: Bool[np.ndarray, "frames joints"],
    moved_already: Bool[np.ndarray, " frames"],
) -> tuple[np.ndarray, Bool[np.ndarray, "frames joints"], np.ndarray, Bool[np.ndarray, " frames"]]:
    """Rotations and root places without single frames out of place, each with where something was changed."""
    coarser = max(120.0 / frame_rate, 1.0)
    least = 0.5 * float(_LEAST_SPIKE) * coarser  # quaternions are half as far apart as what they turn by
    turned, moved = np.zeros(rotations.shape[:2], dtype=bool), np.zeros((len(roots), 1), dtype=bool)
    joints, places = np.arange(rotations.shape[1]), roots[:, None]
    for _ in range(_ROUNDS):  # what hid behind a larger spike of a joint comes out in the next
        straight, turning = without_spikes(rotations[:, joints], frame_rate, least, turned_already[:, joints])
        straight[turning] = quaternions.normalise(straight[turning])
        rotations[:, joints] = straight
        turned[:, joints] |= turning
        joints = joints[turning.any(axis=0)]
        places, moving = without_spikes(places, frame_rate, _LEAST_ROOT_SPIKE * coarser, moved_already[:, None])
        moved |= moving
        if len(joints) == 0 and not moving.any():
            break
    return rotations, turned, places[:, 0], moved[:, 0]


def _mended_rows(clip: Clip) -> list[int]:
    """Rows that were mended before: what was put there by hand says nothing of the way."""
    return [row for finding in clip.report.findings if finding.code.startswith("repaired-") for row in finding.frames]


def _bad_frames(first: int, last: int, steps: float, n_frames: int) -> Int[np.ndarray, " bad"]:
    """The frames out of place between a first and a last jump, each named by the frame it leads to; none if it lasts.

    ``steps`` is how many frames a body needs from the frame before the first jump to the one after the last.
    """
    if steps <= last - first + 1:
        return np.arange(first, last)
    if first <= _NEAR_END:
        return np.arange(0, last)
    if last >= n_frames - _NEAR_END:
        return np.arange(first, n_frames)
    return np.arange(0)


def _turn_evenly(
    rotations: Float[np.ndarray, "frames joints 4"], bad: Int[np.ndarray, " bad"], joints: Int[np.ndarray, " members"]
) -> None:
    """Turn ``joints`` evenly over the bad frames, from the good frame before to the one after; held at an end."""
    before, after = _good_frames(bad, len(rotations))
    start, goal = (np.broadcast_to(rotations[good, joints], (len(bad), len(joints), 4)) for good in (before, after))
    shares = (bad - before) / (after - before) if after > before else np.zeros(len(bad))
    rotations[np.ix_(bad, joints)] = quaternions.slerp(start, goal, shares[:, None])


def _move_evenly(places: Float[np.ndarray, " frames *rest"], bad: Int[np.ndarray, " bad"]) -> None:
    """Move straight on over the bad frames, from the good frame before to the one after; held at an end."""
    before, after = _good_frames(bad, len(places))
    shares = (bad - before) / max(after - before, 1)
    places[bad] = places[before] + np.multiply.outer(shares, places[after] - places[before])


def _good_frames(bad: Int[np.ndarray, " bad"], n_frames: int) -> tuple[int, int]:
    """The frames before and after a bad stretch; the only one there is, twice, at an end of the clip."""
    before, after = int(bad[0]) - 1, int(bad[-1]) + 1
    return (before if before >= 0 else after), (after if after < n_frames else before)


def _rows(clip: Clip, frames: Int[np.ndarray, " frames"]) -> tuple[int, ...]:
    return tuple((frames + clip.first_row).tolist())


def _listed(rows: Sequence[int]) -> str:
    """Rows as people write them: "frames 1–55, 60"."""
    frames = np.asarray(rows)
    ends = np.flatnonzero(np.diff(frames) > 1)
    runs = zip(frames[[0, *ends[:5] + 1]].tolist(), frames[[*ends[:6], -1]].tolist(), strict=False)
    words = [f"{first}–{last}" if last > first else f"{first}" for first, last in runs]
    return f"frame{'s' if len(rows) > 1 else ''} {', '.join(words)}{', …' if len(ends) > 5 else ''}"


def _names(skeleton: Skeleton, joints: Sequence[int] | Int[np.ndarray, " joints"]) -> str:
    names = [skeleton.names[joint] for joint in joints]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
