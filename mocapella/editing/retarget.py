"""Retargeting to another skeleton, whatever its names, number of joints, size and rest pose.

Every joint keeps its orientation in the world, compared in a common reference pose (``rig.correspondence``). The middle
between the hip joints travels and rises in proportion to the length of the legs, and each leg stretches from hip to
ankle as far, in lengths of that leg, and in the same direction, as that of the source: so no goal is out of reach, and
going back undoes it. Hands, and feet where that is asked for, can be brought to places instead, by importance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, cast

import numpy as np
from jaxtyping import Float

from mocapella.analysis.examined import examine
from mocapella.arrays import owned
from mocapella.checks import explained
from mocapella.editing.feet.lock import lock
from mocapella.editing.feet.lock import lock_feet as hold_feet
from mocapella.editing.parameters import Domain
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.curves import smoothstep
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts, round_cycle
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import forward, local_rotations, without_heading
from mocapella.motion.layout import layout_of
from mocapella.motion.loops import close_loop
from mocapella.motion.report import Finding, Report
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.travel import rates_of_path
from mocapella.rig.correspondence import Correspondence, correspondence
from mocapella.rig.legs import leg_length
from mocapella.rig.limb_ik import LimbJoints, reach_for
from mocapella.rig.names import SIDES, Roles
from mocapella.rig.roles import find_roles
from mocapella.stages import refuse_other_stage

_LIMBS = {"ankle": ("hip", "knee", "ankle"), "wrist": ("shoulder", "elbow", "wrist")}
ENDS = tuple(side + end for end in _LIMBS for side in SIDES)
"""Roles of the ends that can be given importance or pinned."""

_TOUCHING, _FAR = 0.05, 0.5  # metres from a thing at which its place is all that counts, and nothing
_AHEAD = 0.2  # seconds of look-ahead for an end that comes nearer

Weight = float | int | Sequence[float] | np.ndarray
Places = Sequence[Any] | np.ndarray
_Motion = TypeVar("_Motion", Clip, Cycle)


@dataclass(frozen=True)
class Bodies:
    """How two bodies compare: which joints correspond, and how large one is to the other."""

    match: Correspondence
    scale: float  # length of the target's legs, in lengths of the source's
    ankles: tuple[float, float]  # height of the ankles over a flat sole, metres, source and target

    @classmethod
    def of(cls, source: Skeleton, target: Skeleton) -> Bodies:
        """The comparison of two skeletons; ``MotionError`` where hips or legs are not known."""
        match = correspondence(source, target)
        lengths = [leg_length(skeleton, find_roles(skeleton)) for skeleton in (source, target)]
        if min(lengths) <= 0.0:
            raise MotionError("a skeleton whose legs have no length cannot be compared with another")
        return cls(match, lengths[1] / lengths[0], (_ankle_height(source), _ankle_height(target)))

    @property
    def words(self) -> str:
        """What was done, in words."""
        lost = self.match.unmatched
        rest = f"; not moved, for want of a counterpart: {', '.join(lost)}" if lost else ""
        done = f"retargeted to {self.match.target!r} by {len(self.match.roles)} roles"
        return f"{done}, legs {self.scale:.3f} times as long{rest}"


@explained
def retarget(
    motion: _Motion,
    skeleton: Skeleton | Clip,
    *,
    importance: Mapping[str, Weight] = MappingProxyType({}),
    pins: Annotated[Mapping[str, Places], Domain(unit="m")] = MappingProxyType({}),
    objects: Annotated[Mapping[str, Sequence[float | int]], Domain(unit="m")] = MappingProxyType({}),
    lock_feet: bool = False,
) -> _Motion:
    """Retarget a motion to another skeleton.

    Parameters
    ----------
    motion
        A clip, or a cycle, which stays closed.
    skeleton
        A motion that has the skeleton, or an .asf. In Python also the skeleton itself.
    importance
        End → 0 (keep captured angles) to 1 (reach its place), such as left_wrist = 1.0. Ends are
        ``left_ankle``, ``right_ankle``, ``left_wrist`` and ``right_wrist``; one number each, or one per frame.
        The place of an ankle is as far from its hip as in the source, in lengths of leg; that of a wrist is
        where it was in the source, enlarged as the legs are. Ankles have 1, wrists 0 if left out.
    pins
        End → x, y, z in metres. One place or one per frame, instead of that of the source. Importance is then 1
        if left out, and the root moves towards pinned ends by the mean of what they lack.
    objects
        End → x, y, z of an object that it touches in the source (m). The nearer the end is to it, and the
        faster it comes nearer, the more its captured place counts; far from it captured angles do.
    lock_feet
        Hold feet where they rest in the source. Otherwise they slide as far as they did, in proportion, and by
        what feet of another length add.

    Returns
    -------
    Clip or Cycle
        On the other skeleton, with the same frames; what was done, and which joints have no counterpart, is in the
        clip's report or the cycle's decisions.

    Raises
    ------
    MotionError
        Where one of the skeletons lacks hips or legs, or an end, weight or place is none.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> walk = perform("walk", speed=1.2)[0]
    >>> child = walk.skeleton.scaled(0.6)
    >>> there = mo.retarget(walk, child)
    >>> back = mo.retarget(there, walk.skeleton)
    >>> bool(np.allclose(back.positions, walk.positions, atol=1e-6))
    True
    """
    if not isinstance(motion, Cycle):
        refuse_other_stage(motion, "Clip")
    goal = skeleton.skeleton if isinstance(skeleton, Clip) else skeleton
    if not isinstance(goal, Skeleton):
        raise MotionError(
            expected="a skeleton or a clip that has one", got=repr(goal), helps="load(path).skeleton is one"
        )
    bodies = Bodies.of(motion.skeleton, goal)
    if objects:
        importance, pins = _near_objects(motion, objects, importance, pins)
    carry: Any = _carried_cycle if isinstance(motion, Cycle) else partial(_carried_clip, body=skeleton)
    return cast(_Motion, carry(motion, bodies, importance, pins, lock_feet))


def on_body(motion: Clip, skeleton: Skeleton) -> tuple[Clip, tuple[str, ...]]:
    """A second motion on the skeleton of the one that it is to be mixed with.

    Returns the motion itself where the skeletons agree, and what was done, in a sentence; nothing where nothing was.
    """
    if motion.skeleton.same_as(skeleton):
        return motion, ()
    there = retarget(motion, skeleton)
    return there, (f"{motion.name or 'the second motion'} was {there.report.findings[-1].message}",)


def _nearness(
    places: Float[np.ndarray, "frames 3"], thing: Sequence[float | int], frame_rate: float
) -> Float[np.ndarray, " frames"]:
    """The importance, 0 to 1, of an object for an end near it: 1 within 5 cm, 0 beyond half a metre.

    ``places`` of the end and ``thing``, the place of the object, are in metres. An end that comes nearer counts as
    where it is 0.2 s later, an end that leaves as where it is.
    """
    far = np.linalg.norm(places - np.asarray(thing, dtype=np.float64), axis=-1)
    rate = np.gradient(far) * frame_rate if len(far) > 1 else np.zeros(len(far))
    seen = np.maximum(far + _AHEAD * np.minimum(rate, 0.0), 0.0)
    return np.asarray(smoothstep(np.clip((_FAR - seen) / (_FAR - _TOUCHING), 0.0, 1.0)))


def _near_objects(
    motion: Clip | Cycle,
    objects: Mapping[str, Sequence[float | int]],
    importance: Mapping[str, Weight],
    pins: Mapping[str, Places],
) -> tuple[Mapping[str, Weight], Mapping[str, Places]]:
    """Importance and places of ends that touch things, beside those that are given."""
    if not isinstance(motion, Clip):
        raise MotionError("things in the world are touched in a clip, not in a cycle")
    roles = find_roles(motion.skeleton)
    weights, places = dict(importance), dict(pins)
    for end, thing in objects.items():
        if end not in ENDS or end not in roles:
            raise MotionError(expected=f"the role of an end, one of {', '.join(ENDS)}", got=repr(end))
        at = np.asarray(thing, dtype=np.float64)
        if at.shape != (3,) or not np.isfinite(at).all():
            raise MotionError(expected=f"the place of what {end} touches, x, y and z", got=repr(thing)[:80])
        places.setdefault(end, motion.positions[:, roles[end]])
        weights.setdefault(end, _nearness(motion.positions[:, roles[end]], at.tolist(), motion.frame_rate))
    return weights, places


def _carried_clip(
    clip: Clip,
    bodies: Bodies,
    importance: Mapping[str, Weight],
    pins: Mapping[str, Places],
    lock_feet: bool,
    body: Clip | Skeleton,
) -> Clip:
    """The clip on the target's skeleton, with its report."""
    there = _carried(clip, bodies, importance, pins)
    if lock_feet:
        there = lock(there, constraints=examine(clip).plants).clip
    return replace(there, report=_reported(there.report, bodies, body if isinstance(body, Clip) else None))


def _reported(report: Report, bodies: Bodies, body: Clip | None) -> Report:
    """The report of a retargeted clip: what was done, and the unit of the body's own file."""
    done = Finding("retargeted", bodies.words, doubtful=False)
    read = Report() if body is None else body.report
    in_unit = report if body is None else replace(report, unit=read.unit, metres_per_unit=read.metres_per_unit)
    return replace(in_unit, findings=(*report.findings, done), height=read.height)


def _carried(clip: Clip, bodies: Bodies, importance: Mapping[str, Weight], pins: Mapping[str, Places]) -> Clip:
    """The clip on the target's skeleton."""
    match, target = bodies.match, bodies.match.target
    places, world = clip.world
    rotations = local_rotations(target, match.orientations(world))
    own, other = ({role: pair[i] for role, pair in match.roles.items()} for i in (0, 1))
    middle = bodies.scale * _between_hips(places, own)
    middle[:, 1] += bodies.ankles[1] - bodies.scale * bodies.ankles[0]
    posed, _ = forward(target, np.zeros((clip.n_frames, 3)), rotations)
    roots = middle - _between_hips(posed, other)
    goals, weights = _goals(bodies, places, posed + roots[:, None], importance, pins)
    wanted = {end: weight for end, weight in weights.items() if weight.any()}
    if any(end in pins or end.endswith("wrist") for end in wanted):
        roots = roots + _root_offset(posed + roots[:, None], goals, wanted, other)
    for end, weight in wanted.items():
        joints = _limb(end, other)
        ends = forward(target, roots, rotations)[0][:, joints.ankle]
        reach_for(target, roots, rotations, joints, ends + weight[:, None] * (goals[end] - ends), same_side=True)
    return replace(
        clip,
        skeleton=target,
        root_positions=owned(roots),
        rotations_wxyz=rotations,
        sliding_joints=np.zeros(0, dtype=np.int64),
        slides=np.zeros((clip.n_frames, 0, 3)),
    )


def _goals(
    bodies: Bodies,
    places: Float[np.ndarray, "frames joints 3"],
    posed: Float[np.ndarray, "frames others 3"],
    importance: Mapping[str, Weight],
    pins: Mapping[str, Places],
) -> tuple[dict[str, Float[np.ndarray, "frames 3"]], dict[str, Float[np.ndarray, " frames"]]]:
    """Where the ends of the limbs should be, metres, and how much that counts, 0 … 1."""
    for role in (*importance, *pins):
        if role not in ENDS:
            raise MotionError(expected=f"the role of an end, one of {', '.join(ENDS)}", got=repr(role))
    goals, weights = {}, {}
    n_frames, roles = len(places), bodies.match.roles
    for end in ENDS:
        side, part = end[: end.index("_") + 1], end.partition("_")[2]
        if any(side + joint not in roles for joint in _LIMBS[part]):
            if end in importance or end in pins:
                raise MotionError(f"{end} has no counterpart, or its limb has none, so it cannot be brought to a place")
            continue
        (hip, hip_there), (own, _) = roles[side + _LIMBS[part][0]], roles[end]
        if end in pins:
            goals[end] = _per_frame(pins[end], (n_frames, 3), f"a place of {end}, x, y and z")
        elif part == "ankle":
            stretch = _length(bodies.match.target, side, 1, roles) / _length(bodies.match.source, side, 0, roles)
            goals[end] = posed[:, hip_there] + stretch * (places[:, own] - places[:, hip])
        else:
            goals[end] = bodies.scale * places[:, own]
        plain = 1.0 if part == "ankle" or end in pins else 0.0
        weights[end] = _per_frame(importance.get(end, plain), (n_frames,), f"the importance of {end}")
        if weights[end].min() < 0.0 or weights[end].max() > 1.0:
            raise MotionError(expected=f"an importance of {end} from 0 to 1", got=importance[end])
    return goals, weights


def _length(skeleton: Skeleton, side: str, which: int, roles: Mapping[str, tuple[int, int]]) -> float:
    """Thigh and shank of one leg, metres; captured bodies have legs of unlike length."""
    rest = skeleton.rest_positions[[roles[side + part][which] for part in _LIMBS["ankle"]]]
    return float(np.linalg.norm(np.diff(rest, axis=0), axis=1).sum())


def _root_offset(
    posed: Float[np.ndarray, "frames joints 3"],
    goals: Mapping[str, Float[np.ndarray, "frames 3"]],
    weights: Mapping[str, Float[np.ndarray, " frames"]],
    roles: Roles,
) -> Float[np.ndarray, "frames 3"]:
    """How far the root moves so that limbs need not reach: the mean of what the ends lack, by importance."""
    total = np.sum(list(weights.values()), axis=0)
    lacking = np.sum([weights[end][:, None] * (goals[end] - posed[:, roles[end]]) for end in weights], axis=0)
    return np.asarray(lacking / np.maximum(total, 1.0)[:, None])


def _per_frame(values: Weight | Places, shape: tuple[int, ...], what: str) -> Float[np.ndarray, " frames *rest"]:
    """One value for all frames, or one for each, as an array."""
    try:
        array = np.broadcast_to(np.asarray(values, dtype=np.float64), shape)
    except (TypeError, ValueError):
        raise MotionError(
            expected=f"{what}: one, or one for each of {shape[0]} frames", got=repr(values)[:80]
        ) from None
    if not np.isfinite(array).all():
        raise MotionError(expected=f"finite numbers for {what}", got="some that are not")
    return np.array(array)


def _limb(end: str, roles: Roles) -> LimbJoints:
    side, part = end[: end.index("_") + 1], end.partition("_")[2]
    return LimbJoints(*(roles[side + joint] for joint in _LIMBS[part]))


def _between_hips(places: Float[np.ndarray, "frames joints 3"], roles: Roles) -> Float[np.ndarray, "frames 3"]:
    return np.asarray(places[:, [roles[side + "hip"] for side in SIDES]].mean(axis=1))


def _ankle_height(skeleton: Skeleton) -> float:
    """How high the ankles are over the lowest point of their feet at rest, mean of both."""
    roles, heights = find_roles(skeleton), []
    for side in SIDES:
        ankle = roles[side + "ankle"]
        below = [joint for joint in range(skeleton.n_joints) if ankle in skeleton.path(joint)]
        ends = skeleton.rest_end_positions[np.isin(skeleton.end_joints, below), 1]
        lowest = float(np.concatenate([skeleton.rest_positions[below, 1], ends]).min())
        heights.append(float(skeleton.rest_positions[ankle, 1]) - lowest)
    return float(np.mean(heights))


def _carried_cycle(
    cycle: Cycle, bodies: Bodies, importance: Mapping[str, Weight], pins: Mapping[str, Places], lock_feet: bool
) -> Cycle:
    """The cycle on the target's skeleton; its contacts and its duration are what they were."""
    if pins:
        raise MotionError("places in the world pin ends of a clip, not of a cycle; pin them in the clip it is made of")
    closed = cycle.to_clip(2)[: cycle.n_frames + 1]
    weights = {end: _closed_weight(weight, cycle.n_frames) for end, weight in importance.items()}
    there = _carried(closed, bodies, weights, {})
    velocities, yaw_rates = rates_of_path(there.ground_path, there.headings, cycle.frame_rate)
    root = np.stack([there.root_positions[:-1, 1], velocities.real, velocities.imag, yaw_rates], axis=-1)
    layout = layout_of(cycle.layout.kind, bodies.match.target)
    rotations = quaternions.unroll(without_heading(there.rotations_wxyz[:-1]))
    out = replace(cycle, layout=layout, dofs=owned(layout.dofs(rotations, root)))
    if lock_feet and cycle.contacts is not None:
        held = hold_feet(out)
        assert isinstance(held, Cycle)
        out = held
    return out.decided("retarget", bodies.words, scale=bodies.scale, roles=len(bodies.match.roles))


def _closed_weight(weight: Weight, n_frames: int) -> Weight:
    values = np.asarray(weight)
    return np.append(values, values[:1]) if values.shape == (n_frames,) else weight


def carried_to(clip: Clip, skeleton: Skeleton, *, contacts: Contacts | None = None, loop: bool = False) -> Clip:
    """A motion on another skeleton, its feet held where they rest, no bone stretched.

    A loop may have one round or several, with its closing frame or without; it repeats on the other skeleton, too.
    ``contacts`` are the foot plants of the clip; None finds them. Raises ``MotionError`` where one of the skeletons
    lacks hips or legs.
    """
    if loop:
        return _carried_loop(clip, skeleton, contacts)
    plants = examine(clip).plants if contacts is None else contacts
    return lock(retarget(clip, skeleton), constraints=plants, stretch=0.0).clip


def _carried_loop(clip: Clip, skeleton: Skeleton, contacts: Contacts | None) -> Clip:
    """A loop retargeted as a cycle, so that it stays closed."""
    closed = close_loop(clip.captured)
    plants = contacts if contacts is not None and contacts.n_frames == closed.n_frames else examine(closed).plants
    velocities, yaw_rates = rates_of_path(closed.ground_path, closed.headings, closed.frame_rate)
    root = np.stack([closed.root_positions[:-1, 1], velocities.real, velocities.imag, yaw_rates], axis=-1)
    layout = layout_of("quaternion", closed.skeleton)
    dofs = layout.dofs(without_heading(closed.rotations_wxyz[:-1]), root)
    cycle = Cycle(layout, owned(dofs), closed.frame_rate, round_cycle(plants), closed.name, closed.source)
    there = retarget(cycle, skeleton, lock_feet=True).to_clip(2)[: cycle.n_frames + 1]
    return replace(there, source=closed.source, report=closed.report)
