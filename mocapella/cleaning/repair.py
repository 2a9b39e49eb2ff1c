"""Repair of captures: lost frames and jumps are bridged, spikes taken out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy
from jaxtyping import Bool, Float, Int

from mocapella.cleaning import faults
from mocapella.cleaning.faults import find_faults
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.report import Finding

# Spikes: single frames in which a signal leaves its way and comes straight back to it.

_WAY = np.array([-1.0, 4.0, 4.0, -1.0]) / 6.0  # the cubic through two frames before and two after, in the middle


@dataclass(frozen=True)
class _SpikeTest:
    """Limits beyond which a frame is a spike."""

    times_usual: float = 3.0  # as far off its way as a signal at its most restless within a stride is no spike
    stride: float = 1.0  # seconds, about a cycle of a gait
    about: float = 5.0  # seconds to either side whose strides count
    times_nearby: float = 2.0  # the same, of the most restless frame nearby
    nearby: int = 8  # frames to either side that are looked at, the spike and what it disturbs aside
    least: float = np.radians(4.0)  # radians at 120 Hz, more where frames are further apart
    least_of_root: float = 0.01  # metres at 120 Hz, the same
    rounds: int = 4  # passes: a spike can hide behind a larger one of its joint


_SPIKES = _SpikeTest()


Signals = Float[np.ndarray, "frames signals axes"]


def without_spikes(
    signals: Signals, frame_rate: float, least: float, untouchable: Bool[np.ndarray, "frames signals"]
) -> tuple[Signals, Bool[np.ndarray, "frames signals"]]:
    """Signals with their spikes put back on the way, and where that was done.

    A signal's way through a frame is the cubic through the two frames before and the two after. A frame is a spike
    where it lies off it by more than ``least``, much further than frames nearby and those of most strides lie off
    theirs, and further than the motion around changes its place or velocity by: so a step, a sudden start or stop is
    none, nor is what happens at every stride. No other frame is moved.

    Each signal has the axes in which it moves: four for quaternions of continuous sign.
    """
    out = np.array(signals)
    changed = np.zeros(signals.shape[:2], dtype=bool)
    if len(signals) < 5:
        return out, changed
    before, last, middle, first, after = (signals[k : len(signals) - 4 + k] for k in range(5))
    ways = _WAY[0] * before + _WAY[1] * last + _WAY[2] * first + _WAY[3] * after
    off = np.zeros(signals.shape[:2])
    off[2:-2] = np.linalg.norm(middle - ways, axis=-1)
    frames, which = np.nonzero((off > least) & ~scipy.ndimage.maximum_filter1d(untouchable, 5, axis=0))
    for frame, signal in zip(frames.tolist(), which.tolist(), strict=True):
        change = _change(signals[[frame - 2, frame - 1, frame + 1, frame + 2], signal])
        if off[frame, signal] > change and _stands_out(off[:, signal], frame, frame_rate):
            out[frame, signal] = ways[frame - 2, signal]
            changed[frame, signal] = True
    return out, changed


def _change(around: Float[np.ndarray, "4 axes"]) -> float:
    """How much the motion changes at a frame, in velocity or in place, by two frames before it and two after."""
    before, last, first, after = around
    coming, going = last - before, after - first
    return float(max(np.linalg.norm(going - coming), np.linalg.norm(first - last - coming - going)))


def _stands_out(off: Float[np.ndarray, " frames"], frame: int, frame_rate: float) -> bool:
    """Whether a frame stands out: much further off its way than all other frames nearby."""
    reach = int(_SPIKES.about * frame_rate)
    start = max(frame - reach, 0)
    others, at = np.array(off[start : frame + reach + 1]), frame - start
    begin, after = max(at - 2, 0), at + 3
    if off[frame] < others[begin:after].max():
        return False
    others[begin:after] = 0.0
    if off[frame] <= _SPIKES.times_nearby * others[max(begin - _SPIKES.nearby, 0) : after + _SPIKES.nearby].max():
        return False
    restless = scipy.ndimage.maximum_filter1d(others, 2 * int(0.5 * _SPIKES.stride * frame_rate) + 1, mode="nearest")
    return bool(off[frame] > _SPIKES.times_usual * np.median(restless))


# Repair of all faults, with a list of every frame touched.

_LONGEST_EASE = 0.3  # seconds over which a single joint may be bridged
_CLUSTER = 6  # frames apart at which two jumps belong together: out of place and back again
_NEAR_END = 5  # frames from an end at which the few before or after a jump are the bad ones
_EASE = 3  # frames to either side over which a lasting jump is spread, more where it is a large one


def repaired(clip: Clip) -> Clip:
    """Bridge short gaps of lost or held frames and one-frame jumps by interpolation.

    Lost frames take the way between the good ones around them, where they last no longer than 0.15 s; a longer gap
    stays lost, since its motion is unknown. At the ends of the clip the nearest good pose is held. A joint or root that
    jumps out of place and back is bridged over that stretch; a joint that jumps for good is eased over a few frames,
    or, near an end of the clip, held still up to there. A root that leaps for good stays as it is. Single frames that
    lie off the way of a joint or of the root are put back on it, however small the step, where they stand out from the
    motion around them.

    Returns the mended clip. Its report lists every frame touched, under ``repaired-held``, ``repaired-dropout``,
    ``repaired-jump``, ``repaired-outer-jump`` (hands and toes), ``repaired-root-jump``, ``repaired-spike``,
    ``repaired-outer-spike`` and ``repaired-root-spike``, and whatever is still doubtful afterwards.
    """
    skip = clip.n_frames - clip.captured.n_frames
    held, captured = faults.held_frames(clip.captured), faults.without_held(clip.captured)
    roots, slides = np.array(captured.root_positions), np.array(captured.slides)
    rotations = np.array(captured.rotations_wxyz)
    lost = faults.dropouts(captured)
    bridged = _bridgeable(lost, captured.frame_rate)
    for bad in faults.stretches(np.flatnonzero(bridged), 1):
        faults.move_evenly(roots, bad)
        faults.move_evenly(slides, bad)
        faults.turn_evenly(rotations, bad, np.arange(captured.skeleton.n_joints))
    out_of_reach = faults.beside(lost & ~bridged)
    turned = _mend_jumps(rotations, captured.frame_rate, out_of_reach)
    moved = _mend_leaps(roots, captured.frame_rate, faults.travel_limit(captured), out_of_reach)
    before = [finding for finding in clip.report.findings if finding.code.startswith("repaired-")]
    mended_rows = np.array([row for finding in before for row in finding.frames], dtype=np.int64)
    # What was bridged, now or before, is no evidence.
    gone = lost | held | np.isin(np.arange(captured.n_frames), mended_rows - captured.first_row)
    rotations, turned_spikes, roots, moved_spikes = _mend_spikes(
        rotations, roots, captured.frame_rate, turned | gone[:, None], moved | gone
    )
    outer = faults.outer_joints(captured.skeleton, None)
    done = [
        *_told(captured, "held", held[:, None], "the held {rows} were bridged"),
        *_told(captured, "dropout", bridged[:, None], "the lost {rows} were bridged"),
        *_told(captured, "jump", turned & ~outer, "jumps of {joints} were bridged in {rows}"),
        *_told(captured, "outer-jump", turned & outer, "jumps of {joints} were bridged in {rows}"),
        *_told(captured, "root-jump", moved[:, None], "the root was bridged in {rows}"),
        *_told(captured, "spike", turned_spikes & ~outer, "spikes of {joints} were taken out of {rows}"),
        *_told(captured, "outer-spike", turned_spikes & outer, "spikes of {joints} were taken out of {rows}"),
        *_told(captured, "root-spike", moved_spikes[:, None], "spikes of the root were taken out of {rows}"),
    ]
    mended = replace(
        clip,
        root_positions=np.concatenate([clip.root_positions[:skip], roots]),
        rotations_wxyz=np.concatenate([clip.rotations_wxyz[:skip], rotations]),
        slides=np.concatenate([clip.slides[:skip], slides]),
    )
    others = (finding for finding in clip.report.findings if finding.code not in faults.CODES)
    return replace(mended, report=replace(clip.report, findings=(*others, *done, *find_faults(mended))))


def _told(clip: Clip, code: str, which: Bool[np.ndarray, "frames joints"], text: str) -> list[Finding]:
    """The finding that says what was changed in which frames; none where nothing was."""
    if not which.any():
        return []
    rows = faults.rows_of(clip, np.flatnonzero(which.any(axis=1)))
    joints = faults.names_of(clip.skeleton, np.flatnonzero(which.any(axis=0)))
    return [Finding(f"repaired-{code}", text.format(rows=faults.listed(rows), joints=joints), rows, doubtful=False)]


def _bridgeable(lost: Bool[np.ndarray, " frames"], frame_rate: float) -> Bool[np.ndarray, " frames"]:
    """The lost frames in gaps short enough to bridge, and those at the ends, where a pose is held.

    Gaps with only a few good frames between them count as one.
    """
    longest = max(int(faults.LONGEST_BRIDGE * frame_rate), 1)
    out = np.array(lost)
    for gap in faults.stretches(np.flatnonzero(lost), _CLUSTER):
        if len(gap) > longest:
            out[gap] = False
    for end in faults.stretches(np.flatnonzero(lost), 1):
        if end[0] == 0 or end[-1] == len(lost) - 1:
            out[end] = True
    return out


def _mend_jumps(
    rotations: Float[np.ndarray, "frames joints 4"], frame_rate: float, out_of_reach: Bool[np.ndarray, " frames"]
) -> Bool[np.ndarray, "frames joints"]:
    """Bridge the jumps of all joints in place; returns where something was changed.

    Steps ``out_of_reach`` stay as they are.
    """
    limit = faults.turn_limit(frame_rate)
    frames, joints = faults.jumps(rotations, frame_rate)
    frames, joints = frames[~out_of_reach[frames]], joints[~out_of_reach[frames]]
    changed = np.zeros(rotations.shape[:2], dtype=bool)
    for joint in np.unique(joints):
        for cluster in faults.stretches(frames[joints == joint], _CLUSTER):
            first, last = int(cluster[0]), int(cluster[-1])
            steps = float(quaternions.angle_between(rotations[first - 1, joint], rotations[last, joint])) / limit
            bad = _bad_frames(first, last, steps, len(rotations))
            if not len(bad):
                ease = max(_EASE, math.ceil(0.5 * steps))
                bad = np.arange(max(first - ease, 1), min(last + ease, len(rotations) - 1))
            if len(bad) > max(_LONGEST_EASE * frame_rate, 2 * _CLUSTER):
                continue  # a joint that keeps flickering is not repaired by one long turn
            faults.turn_evenly(rotations, bad, np.array([joint]))
            changed[bad, joint] = True
    return changed


def _mend_leaps(
    roots: Float[np.ndarray, "frames 3"], frame_rate: float, limit: float, out_of_reach: Bool[np.ndarray, " frames"]
) -> Bool[np.ndarray, " frames"]:
    """Bridge in place where the root leaps away and back; where something was changed."""
    changed = np.zeros(len(roots), dtype=bool)
    for cluster in faults.stretches(np.flatnonzero(faults.leaps(roots, limit) & ~out_of_reach), _CLUSTER):
        first, last = int(cluster[0]), int(cluster[-1])
        bad = _bad_frames(first, last, float(np.linalg.norm(roots[last] - roots[first - 1])) / limit, len(roots))
        if 0 < len(bad) <= max(faults.LONGEST_BRIDGE * frame_rate, _CLUSTER):
            faults.move_evenly(roots, bad)
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
    least = 0.5 * float(_SPIKES.least) * coarser  # quaternions are half as far apart as what they turn by
    turned, moved = np.zeros(rotations.shape[:2], dtype=bool), np.zeros((len(roots), 1), dtype=bool)
    joints, places = np.arange(rotations.shape[1]), roots[:, None]
    for _ in range(_SPIKES.rounds):  # what hid behind a larger spike of a joint comes out in the next
        straight, turning = without_spikes(rotations[:, joints], frame_rate, least, turned_already[:, joints])
        straight[turning] = quaternions.normalise(straight[turning])
        rotations[:, joints] = straight
        turned[:, joints] |= turning
        joints = joints[turning.any(axis=0)]
        places, moving = without_spikes(places, frame_rate, _SPIKES.least_of_root * coarser, moved_already[:, None])
        moved |= moving
        if len(joints) == 0 and not moving.any():
            break
    return rotations, turned, places[:, 0], moved[:, 0]


def _bad_frames(first: int, last: int, steps: float, n_frames: int) -> Int[np.ndarray, " bad"]:
    """The frames out of place between a first and a last jump; none where the jump lasts.

    A jump is named by the frame it leads to.

    A body needs ``steps`` frames from the frame before the first jump to the one after the last.
    """
    if steps <= last - first + 1:
        return np.arange(first, last)
    if first <= _NEAR_END:
        return np.arange(0, last)
    if last >= n_frames - _NEAR_END:
        return np.arange(first, n_frames)
    return np.arange(0)
