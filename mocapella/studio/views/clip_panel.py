"""The message of the clip panel: how a clip was read, its plants, its cycles and how one was closed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mocapella.analysis.cycles.find import find_cycles
from mocapella.analysis.cycles.raw_cycle import RawCycle
from mocapella.analysis.examined import Examined
from mocapella.analysis.plants.tracks import foot_places
from mocapella.analysis.prepare import prepare, select
from mocapella.errors import MotionError
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.motion.cycle import Cycle
from mocapella.motion.travel import turn_and_speed
from mocapella.rig.legs import leg_roles
from mocapella.rig.names import ROLES
from mocapella.rig.roles import find_roles
from mocapella.studio.messages.details import Candidate, ClipDetails, Closing, FindingRow
from mocapella.studio.messages.fields import copied
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import ClipChoice
from mocapella.studio.views.pose_packing import clip_points, flexion, joint_tree, joints_by_role, row_plants, small
from mocapella.studio.workers.derivation import choices_of, examined_clip, plants_of

_POSES = 60  # small skeletons along a clip at most
_CURVE = 400  # numbers of a curve at most
_CANDIDATES = 24  # cycles listed of a clip
_CLOSING_ROLES = ("left_knee", "right_knee", "left_hip", "right_hip")


def clip_details(choice: ClipChoice, folder: Folder, *, python: str = "") -> ClipDetails:
    """Everything about one clip; where it gives no cycle, ``message`` says why."""
    examined = examined_clip(choice, folder)
    clip, report = examined.clip, examined.clip.report
    row, n = clip.first_row, clip.n_frames
    roles = joints_by_role(clip.skeleton)
    given = plants_of(choice, clip)
    step = max(1, math.ceil(n / _CURVE))
    heights, speed = _curves(examined, step)
    taken, automatic, closed, message = _cycles(choice, examined)
    candidates = _candidates(examined, taken)
    frames = np.unique(np.linspace(0, n - 1, min(_POSES, n)).round().astype(int)).tolist()
    return copied(
        ClipDetails,
        clip,
        report,
        choice,
        format=folder.file(choice.path).suffix.lstrip(".").lower(),
        frames=n,
        n_joints=clip.skeleton.n_joints,
        **joint_tree(clip.skeleton),
        facing=math.degrees(report.facing) if choice.facing is None else choice.facing,
        noise=examined.noise_words,
        rest_frames=report.n_rest_frames,
        findings=_findings(examined),
        roles=roles,
        missing_roles=tuple(role for role in ROLES if role not in roles),
        plants=row_plants(examined.plants if given is None else given, row),
        plants_found=row_plants(examined.plants, row),
        heights=heights,
        height_step=step,
        speed=speed,
        candidates=tuple(map(_candidate, candidates)),
        taken=None if taken is None else _candidate(taken),
        automatic=automatic,
        closing=() if taken is None or closed is None else _closing(taken, closed),
        decisions=[] if closed is None else [(decision.step, decision.text) for decision in closed.decisions],
        node=choice.name,
        at=None if closed is None else turn_and_speed(closed),
        pose_frames=[frame + row for frame in frames],
        poses=small(clip_points(clip, frames)),
        python=python,
        message=message,
    )


def _findings(examined: Examined) -> tuple[FindingRow, ...]:
    """Findings of reading, and faults found since; each once."""
    told = (*examined.clip.report.findings, *examined.faults)
    once = {(finding.code, finding.message): finding for finding in told}
    return tuple(copied(FindingRow, finding, frames=list(finding.frames)) for finding in once.values())


def _curves(examined: Examined, step: int) -> tuple[dict[str, list[float]], list[float]]:
    """Heights of the four foot points (cm) and speed of the root over the ground (m/s), every some frames."""
    clip = examined.clip
    speed = np.abs(np.gradient(clip.ground_path)) * clip.frame_rate if clip.n_frames > 1 else np.zeros(1)
    try:
        places = foot_places(clip, leg_roles(clip.skeleton))
    except MotionError:
        return {}, np.round(speed[::step], 3).tolist()
    rows = {point: np.round(100.0 * places[::step, i, 1], 2).tolist() for i, point in enumerate(FOOT_POINTS)}
    return rows, np.round(speed[::step], 3).tolist()


def _cycles(
    choice: ClipChoice, examined: Examined
) -> tuple[RawCycle | None, tuple[int, int] | None, Cycle | None, str]:
    """The chosen cycle, the automatic choice, the closed cycle, and why there is none."""
    options = choices_of(choice, examined)
    method = options.pop("method", "symmetric")
    message, taken, closed, automatic = "", None, None, None
    try:
        taken = select(examined, **options).cycle
        closed = prepare(examined, **options, method=method)
    except MotionError as error:
        message = str(error)
    plain = choices_of(ClipChoice(choice.name, choice.path), examined)
    try:
        alone = taken if taken is not None and plain == options else select(examined, **plain).cycle
        automatic = (alone.start_row, alone.n_frames)
    except MotionError:
        pass
    return taken, automatic, closed, message


def _candidates(examined: Examined, taken: RawCycle | None) -> list[RawCycle]:
    try:
        listed = find_cycles(examined)[:_CANDIDATES]
    except MotionError:
        listed = []
    if taken is not None and not any(taken.is_same(cycle) for cycle in listed):
        listed = [*listed, taken]
    return listed


def _candidate(cycle: RawCycle) -> Candidate:
    counts = {"start": cycle.start_row, "frames": cycle.n_frames, "steps": cycle.n_steps}
    return copied(Candidate, cycle, **counts, turn=math.degrees(cycle.turn), closing_cm=100.0 * cycle.closing)


def _closing(taken: RawCycle, closed: Cycle) -> tuple[Closing, ...]:
    """Knees and hips, or the first joints, before and after closing."""
    skeleton = taken.clip.skeleton
    roles = find_roles(skeleton)
    joints: Sequence[int] = [roles[role] for role in _CLOSING_ROLES if role in roles] or range(1, skeleton.n_joints)[:4]
    before, after = taken.cut.rotations_wxyz, closed.rotations_wxyz

    def bent(rotations_wxyz: np.ndarray) -> list[float]:
        degrees: list[float] = np.round(np.unwrap(flexion(rotations_wxyz), period=360.0), 2).tolist()
        return degrees

    return tuple(Closing(skeleton.names[joint], bent(before[:, joint]), bent(after[:, joint])) for joint in joints)
