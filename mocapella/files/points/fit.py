"""Positions of joints made a clip: a skeleton with constant bones, and rotations that bring its joints there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, NoReturn

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from mocapella.arrays import owned
from mocapella.checks import MOST_FRAMES, explained, refuse_no_rate
from mocapella.errors import MotionError, Option, warn
from mocapella.files.conventions import Parsed, body_height
from mocapella.files.points.calibration import carried_markers
from mocapella.files.points.centres import Centres, joint_centres
from mocapella.files.points.measured_skeleton import Measured, order_of, standing_skeleton, tree_of
from mocapella.files.points.solve import first_rotations, refined
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import intervals_of
from mocapella.motion.report import Finding, Report
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.roles import find_roles


class _FitSettings(NamedTuple):
    """How points become a body."""

    furthest: float = 1e7  # in any unit: no position is further away
    most: int = 20_000_000  # positions
    between_weight: float = 0.05  # of joints that were not measured, and of gaps: they count where nothing else does
    stretch: float = 0.1  # of a bone's length: how much it may vary before that is doubtful
    off: float = 0.03  # of a leg: how far joints may be from their positions in the mean before that is doubtful
    short_gap: float = 0.15  # seconds over which positions are interpolated without a doubt, as ``clean`` does
    pace_window: float = 0.1  # seconds over which the pace of a foot is taken
    slow: float = 0.1  # leg lengths a second below which a foot rests


_FIT = _FitSettings()
# Weights of the joints of the legs: the back bends where no joint was measured, which must not displace the legs.
_LEGS = {"hip": 4.0, "knee": 4.0, "ankle": 8.0, "toe": 8.0}

Positions = Float[np.ndarray, "frames joints 3"]
_Seen = Bool[np.ndarray, "frames joints"]


@explained
def fit_positions(
    positions: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    frame_rate: float | int,
    parents: Sequence[int] | None = None,
    skeleton: Skeleton | None = None,
    name: str = "",
) -> Clip:
    """A clip whose joints are where they were measured, as nearly as bones of constant length can be.

    Parameters
    ----------
    positions
        Of joints, metres, y up, ``(frames, joints, 3)``; NaN where one was not seen.
    names
        Of the joints. By them they are hung on each other (``left_hip``, ``RKnee``, ``LHJC``), unless ``parents`` or a
        skeleton says how; those of the skeleton if None.
    frame_rate
        Frames per second.
    parents
        Index of each joint's parent, −1 for the root.
    skeleton
        To be moved as it is; if None one is made, standing, with bones as long as they were in the median.
    name
        Of the clip.

    Returns
    -------
    Clip
        Its report says how far joints are from their positions (``fit``), which bones change their length
        (``bone-length``), how much resting feet slide (``feet``), and what was not seen (``gaps``).

    Raises
    ------
    MotionError
        Where shapes do not fit, a joint was never seen, or names make no body.

    Warns
    -----
    MotionWarning
        Where the fit is doubtful.

    Examples
    --------
    >>> import mocapella as mo
    >>> walk = mo.example("walk", frame_rate=60.0)
    >>> fitted = mo.fit_positions(walk.positions, walk.skeleton.names, frame_rate=60.0)
    >>> float(np.abs(fitted.positions[:, 0] - walk.positions[:, 0]).max()) < 0.001
    True
    >>> [finding.code for finding in fitted.report.findings if finding.code == "fit"]
    ['fit']
    """
    refuse_no_rate(frame_rate)
    labels = list(names) if names is not None else list(skeleton.names) if skeleton is not None else None
    if labels is None:
        raise MotionError(expected="names of joints, or a skeleton", got="neither")
    places = _checked(positions, labels)
    rate = float(frame_rate)
    if skeleton is not None:
        parsed = _onto(skeleton, labels, places, rate)
    elif parents is not None:
        parsed = _fit_tree(_tree(labels, parents, places), rate, metre=1.0)
    else:
        parsed = fit_points(labels, places, rate, metre=1.0)
    height = body_height(parsed.skeleton, find_roles(parsed.skeleton))
    report = Report(height=height, findings=parsed.findings)
    clip = Clip(parsed.skeleton, parsed.root_positions, parsed.rotations_wxyz, rate, name=name, report=report)
    if clip.report.warnings:
        warn("; ".join(finding.message for finding in clip.report.warnings))
    return clip


def fit_points(
    names: Sequence[str],
    positions: Positions,
    frame_rate: float,
    *,
    metre: float,
    static: Mapping[str, Float[np.ndarray, 3]] | None = None,
) -> Parsed:
    """The motion of measured points that are joints by their names, or markers of a set that tells joints.

    ``positions`` are in any unit and with any axis up; NaN where a point was not seen. ``static`` are places of the
    same person's markers in a trial without motion, in the same unit.
    """
    names, positions, findings = _one_subject(names, positions)
    bridged, gaps = _bridged(positions, names)
    seen = [name for i, name in enumerate(names) if not gaps[:, i].all()]
    points = {name: bridged[:, i] for i, name in enumerate(names) if not gaps[:, i].all()}
    carried = carried_markers(points, static or {}, metre)
    centres = joint_centres([*seen, *carried], points | carried, metre)
    if centres.missing:
        _refuse_missing(centres, names)
    parsed = _fit_tree(tree_of(centres), frame_rate, metre=metre)
    column = {name: i for i, name in enumerate(names)}
    used = [column[name] for name in centres.used if name in column]
    told = _told(centres, names, [name for name in carried if name in centres.used])
    return replace(parsed, findings=(*findings, *told, *_gap_findings(gaps[:, used], frame_rate), *parsed.findings))


def _one_subject(
    names: Sequence[str], positions: Positions
) -> tuple[list[str], Float[np.ndarray, "frames points 3"], list[Finding]]:
    """The points of the subject that has most, where several have labels such as ``Mary:LASI``; others are told."""
    subject_of = [re.split(r"[:|]", name)[0] if re.search(r"[:|]", name) else "" for name in names]
    subjects = Counter(subject for subject in subject_of if subject)
    if len(subjects) < 2:
        return list(names), positions, []
    chosen = subjects.most_common(1)[0][0]
    rest = ", ".join(subject[:40] for subject in list(subjects)[:6] if subject != chosen)
    finding = Finding(
        "skeletons", f"of {len(subjects)} subjects {chosen[:40]!r} is read; others are {rest}", doubtful=False
    )
    kept_points = [i for i, subject in enumerate(subject_of) if subject in ("", chosen)]
    return [names[i] for i in kept_points], positions[:, kept_points], [finding]


def _refuse_missing(centres: Centres, names: Sequence[str]) -> NoReturn:
    """Say of which joints points tell nothing, and what would."""
    static = Option("skeleton", "FILE")
    shown = ", ".join(map(str, names[:24]))
    if "left_hip" in centres.roles and "right_hip" in centres.roles:
        lacking = ", ".join(role.replace("_", " ") for role in centres.missing)
        reason = f"no {lacking} is known by these points: {shown}; markers that were worn in a static trial alone are"
        raise MotionError(f"{reason} taken from it: {static} names it", option=static)
    raise MotionError(
        f"no body is known by these points: {shown}; expected joints of both legs by "
        "name, or the markers of a pelvis, knees and ankles; parents or a skeleton would tell as well"
    )


def _fit_tree(measured: Measured, frame_rate: float, *, metre: float) -> Parsed:
    """The motion of measured joints of which it is known what hangs on what."""
    bridged, gaps = _bridged(measured.positions, measured.names)
    measured = replace(measured, positions=bridged)
    skeleton, lengths = standing_skeleton(measured, frame_rate)
    findings = [*_gap_findings(gaps, frame_rate), *_length_findings(skeleton, lengths)]
    seen = ~gaps & np.array([name not in measured.between for name in skeleton.names])
    parsed = _solved(skeleton, bridged, seen, np.ones(skeleton.n_joints), frame_rate, metre)
    return replace(parsed, findings=(*findings, *parsed.findings))


def _onto(skeleton: Skeleton, names: Sequence[str], positions: Positions, frame_rate: float) -> Parsed:
    """The motion of a skeleton that is there already; joints without positions follow."""
    joints = [skeleton.index(name) for name in names]
    bridged, gaps = _bridged(positions, names)
    places = np.zeros((len(positions), skeleton.n_joints, 3))
    seen = np.zeros((len(positions), skeleton.n_joints), dtype=bool)
    places[:, joints], seen[:, joints] = bridged, ~gaps
    sure = np.zeros(skeleton.n_joints)
    sure[joints] = 1.0
    if not sure[0]:
        places[:, 0] = bridged.mean(axis=1)  # to begin with; least squares put it right
    parsed = _solved(skeleton, places, seen, sure, frame_rate, 1.0)
    return replace(parsed, findings=(*_gap_findings(gaps, frame_rate), *parsed.findings))


def _solved(
    skeleton: Skeleton, positions: Positions, seen: _Seen, sure: Float[np.ndarray, " joints"], rate: float, metre: float
) -> Parsed:
    """Rotations by directions, then by least squares, and how well they fit."""
    roles = find_roles(skeleton)
    known_roles = {role: joint for role, joint in roles.items() if sure[joint] > 0.0}
    world = first_rotations(skeleton, positions, (sure > 0.0).tolist(), known_roles)
    local = kinematics.local_rotations(skeleton, world)
    weights = np.array(sure)
    for role, joint in roles.items():
        weights[joint] *= _LEGS.get(role.rpartition("_")[2], 1.0)
    shares = weights * np.where(seen, 1.0, _FIT.between_weight)
    roots, rotations = refined(skeleton, positions[:, 0], local, positions, shares)
    parsed = Parsed(skeleton, owned(roots), owned(quaternions.unroll(rotations)), rate)
    return replace(parsed, findings=tuple(_fit_findings(parsed, positions, seen, roles, metre)))


# What is given


def _checked(positions: ArrayLike, names: Sequence[str]) -> Positions:
    try:
        places = np.array(positions, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise MotionError(f"expected positions as an array of numbers, got others: {error}") from None
    if places.ndim != 3 or places.shape[2] != 3 or not 0 < len(places) <= MOST_FRAMES or places.size > 3 * _FIT.most:
        raise MotionError(expected="positions of shape (frames, joints, 3)", got=places.shape)
    if len(names) != places.shape[1] or len(set(names)) != len(names):
        raise MotionError(expected=f"{places.shape[1]} names that differ, one for each joint", got=f"{len(names)}")
    if not (np.isnan(places) | (np.abs(places) <= _FIT.furthest)).all():
        raise MotionError("positions must be finite numbers of metres, or NaN where nothing was seen")
    return places


def _tree(names: Sequence[str], parents: Sequence[int], places: Positions) -> Measured:
    order = order_of(parents)
    if len(parents) != len(names) or len(order) != len(names):
        raise MotionError(
            expected=f"parents of {len(names)} joints that make one tree, the root's −1", got=list(parents)
        )
    place = {int(joint): i for i, joint in enumerate(order)}
    tree = [place.get(int(parents[joint]), -1) for joint in order.tolist()]
    return Measured([names[joint] for joint in order.tolist()], tree, places[:, order], {})


def _bridged(positions: Positions, names: Sequence[str]) -> tuple[Positions, _Seen]:
    """Positions with gaps interpolated, and where they were."""
    gaps = np.isnan(positions).any(axis=2)
    if not gaps.any():
        return positions, gaps
    if gaps.all():
        raise MotionError(f"no joint was seen in any frame: {', '.join(map(str, names[:8]))}")
    out, rows = np.array(positions), np.arange(len(positions))
    for point in np.flatnonzero(gaps.any(axis=0)).tolist():
        there = ~gaps[:, point]
        if there.any():
            for axis in range(3):
                out[:, point, axis] = np.interp(rows, rows[there], positions[there, point, axis])
        else:
            out[:, point] = 0.0
    return out, gaps


# What is said


def _told(centres: Centres, names: Sequence[str], carried: Sequence[str]) -> list[Finding]:
    """Where joints come from, and which points are left out."""
    out = []
    if carried:
        message = f"markers of the static trial are carried by others: {', '.join(carried[:12])}"
        out.append(Finding("static-trial", message, doubtful=False))
    if centres.estimated:
        message = (
            f"joints are worked out from markers on the skin, some centimetres off: {', '.join(centres.estimated)}"
        )
        out.append(Finding("marker-set", message, doubtful=False))
    rest = [str(name) for name in names if name not in centres.used]
    if rest:
        shown = ", ".join(rest[:12]) + (f" and {len(rest) - 12} more" if len(rest) > 12 else "")
        out.append(
            Finding("points-unused", f"points that are no joints known here are left out: {shown}", doubtful=False)
        )
    return out


def _gap_findings(gaps: Bool[np.ndarray, "frames points"], frame_rate: float) -> list[Finding]:
    rows = np.flatnonzero(gaps.any(axis=1))
    if not len(rows):
        return []
    longest = max(last + 1 - first for column in gaps.T for first, last in intervals_of(column))
    seconds = longest / frame_rate
    message = f"points were not seen in {len(rows)} frames, for {seconds:.2f} s at most, and are interpolated"
    return [Finding("gaps", message, tuple(rows.tolist()), doubtful=seconds > _FIT.short_gap)]


def _length_findings(skeleton: Skeleton, lengths: Float[np.ndarray, "frames joints"]) -> list[Finding]:
    low, middle, high = np.percentile(lengths[:, 1:], [5.0, 50.0, 95.0], axis=0)
    size = float(np.median(middle)) if middle.size else 1.0
    vary = (high - low) / np.maximum(middle, size + 1e-12)  # noise is as large on short ones as on long ones
    odd = np.flatnonzero(vary > _FIT.stretch)
    if not len(odd):
        return []
    shown = ", ".join(f"{skeleton.names[int(i) + 1]} by {100 * vary[i]:.0f} %" for i in odd[np.argsort(-vary[odd])][:6])
    return [Finding("bone-length", f"bones change their length, which is held at the median: {shown}")]


def _fit_findings(
    parsed: Parsed, positions: Positions, seen: _Seen, roles: Mapping[str, int], metre: float
) -> list[Finding]:
    """How far joints are from where they were measured, and how much feet slide that rest."""
    skeleton = parsed.skeleton
    places = kinematics.forward(skeleton, parsed.root_positions, parsed.rotations_wxyz)[0]
    off = np.where(seen, np.linalg.norm(places - positions, axis=2), 0.0)
    mean, most = float(off.sum() / max(int(seen.sum()), 1)), float(off.max())
    frame, joint = (int(i) for i in np.unravel_index(int(np.argmax(off)), off.shape))
    leg = _leg(skeleton, roles)
    there = f"{skeleton.names[joint]} in frame {frame}"
    message = f"joints are {_mm(mean, metre)} from their positions in the mean, {_mm(most, metre)} at most ({there})"
    out: list[Finding] = [Finding("fit", message, doubtful=leg > 0.0 and mean > _FIT.off * leg)]
    feet = [joint for role, joint in roles.items() if role.endswith(("ankle", "toe")) and seen[:, joint].any()]
    if feet and leg > 0.0 and len(places) > 1:
        before, after = (_paces(p[:, feet], parsed.frame_rate) for p in (positions, places))
        rests = before < _FIT.slow * leg
        if rests.any():
            seen_pace, pace = float(before[rests].mean()), float(after[rests].mean())
            message = f"feet that rest move by {_mm(pace, metre)} a second, in the positions by {_mm(seen_pace, metre)}"
            out.append(Finding("feet", message, doubtful=pace > seen_pace + 0.5 * _FIT.slow * leg))
    return out


def _paces(places: Positions, frame_rate: float) -> Float[np.ndarray, "steps joints"]:
    """How fast joints move, from one stretch of ``_FIT.pace_window`` to the next: noise is no movement."""
    long = max(1, min(round(_FIT.pace_window * frame_rate), len(places) // 2))
    sums = np.concatenate([np.zeros((1, *places.shape[1:])), np.cumsum(places, axis=0)])
    means = (sums[long:] - sums[:-long]) / long
    return np.asarray(np.linalg.norm(means[long:] - means[:-long], axis=2) * frame_rate / long)


def _leg(skeleton: Skeleton, roles: Mapping[str, int]) -> float:
    """Length of a leg, 0 where there is none."""
    bones = [roles[role] for role in ("left_knee", "left_ankle") if role in roles]
    return float(np.linalg.norm(skeleton.offsets[bones], axis=1).sum()) if len(bones) == 2 else 0.0


def _mm(length: float, metre: float) -> str:
    return f"{1000.0 * length / metre:.1f} mm"
