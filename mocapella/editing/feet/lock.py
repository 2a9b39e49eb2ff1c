"""Foot locks: a clip whose planted feet and hands stay in one place each time they rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from jaxtyping import Float

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.tracks import foot_places
from mocapella.checks import explained
from mocapella.editing.edits import UNREACHABLE, with_findings
from mocapella.editing.feet.constraints import (
    HAND_POINTS,
    Hold,
    Limb,
    found_holds,
    holds_of,
    limbs_of,
    part_of_holds,
    read_holds,
)
from mocapella.editing.feet.goals import STRAIGHTEST, Goals, faded, goals_of, limb_reach
from mocapella.editing.feet.root import Reach, within_reach
from mocapella.editing.parameters import SPAN, Domain, EditError, Seconds
from mocapella.editing.rounds import contacts_of_rounds, through_rounds
from mocapella.errors import MotionError, warn
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts, Interval, intervals_of
from mocapella.motion.cycle import Cycle
from mocapella.motion.report import Finding
from mocapella.rig.legs import foot_points, leg_roles
from mocapella.rig.limb_ik import reach_for
from mocapella.stages import refuse_no_motion


class _LockSettings(NamedTuple):
    """Defaults of a foot lock, and what it takes for reached."""

    zone: float = 0.25  # seconds before and after a rest over which a limb leaves and regains its captured way
    smoothing: float = 0.08  # seconds: standard deviation of the Gaussian that smooths the root
    stretch: float = 0.03  # of a limb's length by which it may grow where it is too short
    bent: float = 0.996  # of a leg's length: a held leg is straightened no further unless it was captured straighter
    missed: float = 1e-3  # metres by which an end may miss its place before it is reported
    still: float = 1e-12  # metres and radians: smaller changes are none


_LOCK = _LockSettings()
_GROWTH = Domain(0.0, 0.5)  # of a limb's length: how much of ``stretch`` may be asked for

Signal = Float[np.ndarray, " frames"]


@dataclass(frozen=True, eq=False)
class FootLock:
    """A clip with locked feet, and what it took."""

    clip: Clip
    holds: Mapping[str, tuple[Hold, ...]]  # by limb, in frames of the clip
    root_shift: Float[np.ndarray, "frames 3"]  # metres
    stretch: Float[np.ndarray, "frames limbs"]  # of each limb's length, 0 … the most allowed
    missed: Float[np.ndarray, "frames limbs"]  # metres by which a held end misses its place all the same

    @property
    def unreachable(self) -> tuple[int, ...]:
        """Frames in which a held end misses its place by more than a millimetre."""
        return tuple(np.flatnonzero((self.missed > _LOCK.missed).any(axis=1)).tolist())


@explained
def lock_feet(
    clip: Clip | Cycle,
    *,
    constraints: Mapping[str, Any] | Contacts | None = None,
    zone: Seconds = _LOCK.zone,
    smoothing: Seconds = _LOCK.smoothing,
    stretch: Annotated[float | int, _GROWTH] = _LOCK.stretch,
    level: bool = False,
) -> Clip | Cycle:
    """The motion with its feet locked where they rest.

    Parameters
    ----------
    clip
        A clip, whose artificial rest pose in front stays as it is, or a cycle with foot plants.
    constraints
        Ends to hold → [first, last] or [first, last, x, y, z]; found if left out. Frames are rows of the
        source, places are in metres. Ends are ``left_heel``, ``left_toe``, ``left_wrist``, ``left_hand`` and
        those of the right. Foot plants serve, too.
    zone
        Fade of the correction before and after each rest (s). Over it a limb leaves and regains its captured
        way.
    smoothing
        Width over which the shift of the root is smoothed (s). It is the standard deviation of a Gaussian.
    stretch
        Share by which a limb that is too short may grow.
    level
        Put feet on level ground at height 0. The whole motion is lowered or lifted for it; otherwise feet rest
        on the ground that was found under them.

    Returns
    -------
    Clip or Cycle
        As given. A clip has a finding in its report for frames in which an end is still out of reach. Joints of limbs
        that were stretched slide. A motion in which nothing rests is returned unchanged, with a ``MotionWarning``.

    Raises
    ------
    EditError
        Where constraints contradict each other or name no end or frame of the clip.
    MotionError
        Where the skeleton has no legs.

    Examples
    --------
    >>> from mocapella.actor import CAPTURED, perform
    >>> walk, _ = perform("walk", imperfections=CAPTURED)
    >>> lock_feet(walk).n_frames == walk.n_frames
    True
    """
    refuse_no_motion(clip)
    if isinstance(clip, Clip):
        done = lock(clip, constraints=constraints, zone=zone, smoothing=smoothing, stretch=stretch, level_ground=level)
        _warn_if_nothing(clip, any(done.holds.values()))
        return done.clip
    if constraints is not None:
        raise EditError("frames of constraints have no meaning for a cycle", helps="its own foot plants are held")
    plants = contacts_of_rounds(clip)
    _warn_if_nothing(clip, any(plants.point(point) for point in FOOT_POINTS))

    def change(rounds: Clip) -> Clip:
        return lock(rounds, constraints=plants, zone=zone, smoothing=smoothing, stretch=0.0, level_ground=level).clip

    return through_rounds(clip, change)


def _warn_if_nothing(motion: Clip | Cycle, held: bool) -> None:
    if not held:
        warn(f"{motion.name or 'the motion'}: no foot or hand rests in any frame, so nothing was locked")


def lock(
    clip: Clip | Examined,
    *,
    constraints: Mapping[str, Any] | Contacts | None = None,
    zone: float = _LOCK.zone,
    smoothing: float = _LOCK.smoothing,
    stretch: float = _LOCK.stretch,
    level_ground: bool = False,
) -> FootLock:
    """``lock_feet`` with a record of root shift, stretch and misses of every frame.

    ``clip``, ``constraints``, ``zone``, ``smoothing``, ``stretch`` and ``level_ground``, its ``level``, are as there.
    """
    examined = examine(clip)
    for name, value, domain in (("zone", zone, SPAN), ("smoothing", smoothing, SPAN), ("stretch", stretch, _GROWTH)):
        if not domain.least <= value <= domain.most:
            raise EditError(expected=f"a number from 0 to {domain.most:g} for {name}", got=value)
    rate = examined.clip.frame_rate
    width, frames = max(smoothing * rate, 0.5), max(round(zone * rate), 1)
    asked = examined.plants if constraints is None else constraints
    if level_ground:
        examined = _on_ground(examined, asked if isinstance(asked, Contacts) else examined.plants)
    n_frames = examined.clip.n_frames
    untouched = np.zeros((n_frames, 3)), np.zeros((n_frames, 0)), np.zeros((n_frames, 0))
    parts = [FootLock(examined.clip, {}, *untouched)]
    for first, last in _runs(examined):
        part = examined.part(first, last + 1)
        wanted = _wanted(part, asked, first, n_frames)
        limbs = limbs_of(part, arms=any(wanted.get(point) for point in HAND_POINTS))
        holds = [holds_of(limb, part, wanted, level_ground=level_ground) for limb in limbs]
        done = _solved(part.clip, limbs, holds, frames, width=width, stretch=stretch)
        named = {limb.name: tuple(limb_holds) for limb, limb_holds in zip(limbs, holds, strict=True)}
        parts.append(_in_place(examined.clip, replace(done, holds=named), first))
    return parts[-1] if len(parts) == 2 else _together(parts)


def _on_ground(examined: Examined, plants: Contacts) -> Examined:
    """The whole motion lowered or lifted until its plants are at height 0 in the median; a rest pose in front stays.

    Otherwise legs would be stretched by as much as a capture stands above or below 0, and swinging feet stay there.
    """
    clip, roles = examined.clip, leg_roles(examined.clip.skeleton)
    heights = foot_places(clip, roles)[..., 1] - foot_points(clip.skeleton, roles)[2]
    rests = np.stack([plants.planted(point) for point in FOOT_POINTS], axis=1)
    if not rests.any():
        return examined
    roots = np.array(clip.root_positions)
    roots[clip.n_frames - clip.captured.n_frames :, 1] -= np.median(heights[rests])
    return examine(replace(clip, root_positions=roots))


def _runs(examined: Examined) -> tuple[Interval, ...]:
    """Runs of frames in which the body is where it was captured; nothing may reach over lost ones."""
    sound = np.zeros(examined.clip.n_frames, dtype=bool)
    for stretch in examined.sound.stretches:
        sound[stretch] = True
    for first, last in examined.sound.frozen:
        sound[first : last + 1] = True
    return intervals_of(sound)


def _wanted(
    part: Examined, constraints: Mapping[str, Any] | Contacts, first: int, n_frames: int
) -> dict[str, list[Hold]]:
    """The rests to hold in a part of a clip that begins at a frame."""
    if isinstance(constraints, Contacts):
        if constraints.n_frames != n_frames:
            raise MotionError(f"contacts of {constraints.n_frames} frames do not belong to a clip of {n_frames}")
        return found_holds(constraints[first : first + part.clip.n_frames])
    row = part.clip.first_row - first
    return part_of_holds(read_holds(constraints, n_frames, row), first, part.clip.n_frames)


def _solved(
    clip: Clip, limbs: Sequence[Limb], holds: Sequence[Sequence[Hold]], zone: int, *, width: float, stretch: float
) -> FootLock:
    """Move the root within reach of all held feet, then bend every limb to its goals, all frames at once."""
    goals = [goals_of(limb, clip, limb_holds, zone) for limb, limb_holds in zip(limbs, holds, strict=True)]
    spheres = [_sphere(clip, limb, limb_goals) for limb, limb_goals in zip(limbs, goals, strict=True) if limb.is_leg]
    shift = within_reach(clip.root_positions, spheres, width)
    rotations = np.array(clip.rotations_wxyz)
    stretched = np.zeros((clip.n_frames, len(limbs)))
    missed = np.zeros((clip.n_frames, len(limbs)))
    for i, (limb, limb_goals) in enumerate(zip(limbs, goals, strict=True)):
        if limb_goals.held.any():
            bent, reach, short = _bent(clip, limb, limb_goals, shift)
            changes = _changes(clip, limb, bent, limb_goals, zone)
            active = np.abs(changes).max(axis=(1, 2)) > _LOCK.still
            joints = np.ix_(active, list(limb.joints))
            rotations[joints] = quaternions.multiply(rotations[joints], quaternions.from_rotvec(changes[active]))
            stretched[:, i] = np.minimum(short / np.maximum(reach, 1e-9), stretch)
            missed[:, i] = short - stretched[:, i] * reach
    sliding, slides = _stretched_offsets(clip, limbs, stretched)
    roots = clip.root_positions + shift
    moved = replace(clip, root_positions=roots, rotations_wxyz=rotations, sliding_joints=sliding, slides=slides)
    lock = FootLock(moved, {}, shift, stretched, missed)
    return replace(lock, clip=_reported(moved, lock))


def _bent(
    clip: Clip, limb: Limb, goals: Goals, shift: Float[np.ndarray, "frames 3"]
) -> tuple[Float[np.ndarray, "frames joints 4"], Signal, Signal]:
    """Rotations with a limb bent to its goals, how far it then reaches, and by how much it is too short."""
    positions, world = clip.world
    end = limb.joints.ankle
    offsets = clip.offsets_of(np.arange(clip.skeleton.n_joints)) if len(clip.sliding_joints) else None
    rotations = np.array(clip.rotations_wxyz)
    goal = positions[:, end] + np.where(goals.held[:, None], goals.shifts, shift)
    feet = quaternions.multiply(quaternions.from_rotvec(goals.turns), world[:, end])
    roots = clip.root_positions + shift
    short = reach_for(clip.skeleton, roots, rotations, limb.joints, goal, feet, offsets=offsets)
    reach = np.linalg.norm(goal - positions[:, limb.joints.hip] - shift, axis=-1)
    short = np.where(goals.held & (short > _LOCK.still), short, 0.0)
    return rotations, reach - short, short


def _changes(
    clip: Clip, limb: Limb, bent: Float[np.ndarray, "frames joints 4"], goals: Goals, zone: int
) -> Float[np.ndarray, "frames 3 3"]:
    """Rotation vectors by which the joints of a limb turn further, in their own frames.

    They are exact while the end is held, and fade before and after: a limb that is turned a little less from frame to
    frame is within its reach at any time, while the way of its end might not be.
    """
    joints = list(limb.joints)
    turns = quaternions.seen_from(clip.rotations_wxyz[:, joints], bent[:, joints])
    return faded(quaternions.to_rotvec(turns), goals.held, zone)


def _sphere(clip: Clip, limb: Limb, goals: Goals) -> Reach:
    """Where the root may be for a leg to reach its goals; the root's rotation stays as it is."""
    hip, ankle = (clip.positions[:, joint] for joint in (limb.joints.hip, limb.joints.ankle))
    now, length = limb_reach(limb, clip)
    centres = ankle + goals.shifts - (hip - clip.root_positions)
    return Reach(centres, np.clip(now, _LOCK.bent * length, STRAIGHTEST * length), goals.held)


def _stretched_offsets(
    clip: Clip, limbs: Sequence[Limb], stretched: Float[np.ndarray, "frames limbs"]
) -> tuple[np.ndarray, np.ndarray]:
    """The sliding joints and their offsets: those of the clip, and those of limbs that grow."""
    factors: dict[int, np.ndarray] = {}
    for limb, shares in zip(limbs, stretched.T, strict=True):
        if shares.any():
            path = clip.skeleton.path(limb.joints.ankle)
            for joint in path[: path.index(limb.joints.hip)]:
                factors[joint] = 1.0 + shares
    if not factors:
        return clip.sliding_joints, clip.slides
    joints = np.unique(np.concatenate([clip.sliding_joints, np.array(list(factors), dtype=np.int64)]))
    slides = clip.offsets_of(joints)
    for joint, factor in factors.items():
        slides[:, np.searchsorted(joints, joint)] *= factor[:, None]
    return joints, slides


def _reported(clip: Clip, lock: FootLock) -> Clip:
    """The clip with findings for frames in which ends are out of reach or limbs are stretched."""
    findings = []
    if lock.unreachable:
        rows = tuple(frame + clip.first_row for frame in lock.unreachable)
        worst = 1000.0 * float(lock.missed.max())
        findings.append(Finding(UNREACHABLE, f"held ends are out of reach by up to {worst:.0f} mm", rows))
    longer = (lock.stretch > 0.0).any(axis=1)
    if longer.any():
        rows = tuple((np.flatnonzero(longer) + clip.first_row).tolist())
        text = f"limbs are stretched by up to {100.0 * float(lock.stretch.max()):.1f} %"
        findings.append(Finding("stretched", text, rows, doubtful=False))
    return with_findings(clip, *findings) if findings else clip


def _in_place(clip: Clip, lock: FootLock, first: int) -> FootLock:
    """The account of a part in frames of the whole clip, the frames round it as they were."""
    part, n = lock.clip, clip.n_frames
    if part.n_frames == n:
        return lock
    frames = slice(first, first + part.n_frames)
    roots, rotations = np.array(clip.root_positions), np.array(clip.rotations_wxyz)
    slides = clip.offsets_of(part.sliding_joints)
    roots[frames], rotations[frames], slides[frames] = part.root_positions, part.rotations_wxyz, part.slides
    clip = replace(
        clip,
        root_positions=roots,
        rotations_wxyz=rotations,
        sliding_joints=part.sliding_joints,
        slides=slides,
        report=part.report,
    )

    def spread(values: Float[np.ndarray, "frames _"]) -> Float[np.ndarray, "all _"]:
        out = np.zeros((n, values.shape[1]))
        out[frames] = values
        return out

    holds = {
        name: tuple(replace(hold, first=hold.first + first, last=hold.last + first) for hold in limb_holds)
        for name, limb_holds in lock.holds.items()
    }
    return FootLock(clip, holds, spread(lock.root_shift), spread(lock.stretch), spread(lock.missed))


def _together(parts: Sequence[FootLock]) -> FootLock:
    """The accounts of several parts as one; the first is the clip untouched."""
    clip = parts[0].clip
    sliding = np.unique(np.concatenate([part.clip.sliding_joints for part in parts]))
    roots, rotations = np.array(clip.root_positions), np.array(clip.rotations_wxyz)
    slides, findings = clip.offsets_of(sliding), list(clip.report.findings)
    width = max(part.stretch.shape[1] for part in parts)
    account = [np.zeros((clip.n_frames, columns)) for columns in (3, width, width)]
    holds: dict[str, tuple[Hold, ...]] = {}
    for part in parts[1:]:
        changed = (part.clip.rotations_wxyz != clip.rotations_wxyz).any(axis=(1, 2)) | part.root_shift.any(axis=1)
        roots[changed], rotations[changed] = part.clip.root_positions[changed], part.clip.rotations_wxyz[changed]
        slides[changed] = part.clip.offsets_of(sliding)[changed]
        findings += [finding for finding in part.clip.report.findings if finding not in findings]
        for name, limb_holds in part.holds.items():
            holds[name] = holds.get(name, ()) + limb_holds
        for total, values in zip(account, (part.root_shift, part.stretch, part.missed), strict=True):
            total[:, : values.shape[1]] += values
    moved = replace(
        clip,
        root_positions=roots,
        rotations_wxyz=rotations,
        sliding_joints=sliding,
        slides=slides,
        report=replace(clip.report, findings=tuple(findings)),
    )
    return FootLock(moved, holds, *account)
