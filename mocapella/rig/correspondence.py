"""Correspondence of two skeletons: for every joint of one, which joints of the other it takes its orientation from.

Joints correspond by role, whatever they are called. The joints between two roles of the trunk or the neck, whose number
differs from rig to rig, correspond by how far along the chain they are. What has no role corresponds by name, where the
joints that it hangs on correspond.

Both zero poses stand and face +z, so that the orientations of trunk, head and clavicles are comparable as they are. The
limbs are not: arms are stretched out in one rig and hang in another, legs are spread or closed. The joints of limbs are
compared in a common reference pose, in which the limbs of one skeleton point where those of the other do.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from jaxtyping import Float, Int

from mocapella.errors import MotionError, Option
from mocapella.geometry import quaternions
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import ARM, LEG, SIDES, Roles
from mocapella.rig.roles import find_roles

NONE = -1  # no counterpart
_NEEDED = ("hips", *(side + part for part in ("hip", "knee", "ankle") for side in SIDES))
_POINTED = (*LEG[:2], *ARM[1:])  # limbs that are compared by where their bones point
_NEXT_PARTS = (*pairwise((*LEG, "")), *pairwise((*ARM, "")))  # part of a limb, and the one that follows it, if any
_NATURAL = np.cos(np.radians(60.0))  # a clavicle at rest that points less to the side is not anatomical
_TWISTED = np.radians(60.0)  # about its own length, on average over a motion; more than a real clavicle can
_SHORT = 1e-3  # of the body's size: a shorter bone has no direction


@dataclass(frozen=True, eq=False)
class Correspondence:
    """For every joint of a target skeleton, what it takes its orientation in the world from.

    In each frame that is the source joint ``lower`` and, for joints of a chain with another number of them, ``upper``,
    mixed by ``shares``; then turned by ``reference_wxyz``, which brings the target's zero pose to the source's.
    """

    source: Skeleton
    target: Skeleton
    lower: Int[np.ndarray, " joints"]  # joint of the source, ``NONE`` where there is no counterpart
    upper: Int[np.ndarray, " joints"]
    shares: Float[np.ndarray, " joints"]  # of ``upper``
    reference_wxyz: Float[np.ndarray, "joints 4"]
    roles: dict[str, tuple[int, int]]  # role → joint of the source, joint of the target

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Joints of the target that nothing moves: they follow the joint they hang on."""
        return tuple(self.target.names[i] for i in np.flatnonzero(self.lower == NONE))

    @property
    def unused(self) -> tuple[str, ...]:
        """Joints of the source whose rotation moves nothing of the target."""
        used = {*self.lower.tolist(), *self.upper[self.shares > 0.0].tolist()}
        return tuple(name for i, name in enumerate(self.source.names) if i not in used)

    def orientations(self, world_wxyz: Float[np.ndarray, "frames joints 4"]) -> Float[np.ndarray, "frames others 4"]:
        """Orientations of the target's joints in the world, from those of the source's."""
        world_wxyz = self._untwisted(world_wxyz)
        out = np.empty((len(world_wxyz), self.target.n_joints, 4))
        for joint in range(self.target.n_joints):
            below, above, share = int(self.lower[joint]), int(self.upper[joint]), float(self.shares[joint])
            if below == NONE:
                out[:, joint] = quaternions.IDENTITY if joint == 0 else out[:, self.target.parents[joint]]
                continue
            carried = world_wxyz[:, below]
            if share > 0.0:
                carried = quaternions.slerp(carried, world_wxyz[:, above], share)
            out[:, joint] = quaternions.multiply(carried, self.reference_wxyz[joint])
        return out

    def _untwisted(self, world_wxyz: Float[np.ndarray, "frames joints 4"]) -> Float[np.ndarray, "frames joints 4"]:
        """World orientations, less the turn of clavicles about their own length where that is large throughout.

        Such a turn moves nothing in its own rig, but carries the shoulder away in one whose clavicle points elsewhere.
        """
        for side in SIDES:
            if side + "clavicle" not in self.roles or side + "shoulder" not in self.roles:
                continue
            joint = self.roles[side + "clavicle"][0]
            bone = _bone(self.source, joint, self.roles[side + "shoulder"][0])
            parent = int(self.source.parents[joint])
            if bone is None or parent < 0:
                continue
            along = bone / np.linalg.norm(bone)
            held = quaternions.mean(quaternions.seen_from(world_wxyz[:, parent], world_wxyz[:, joint]))
            twist = 2.0 * float(np.arctan2(held[1:] @ along, held[0]))
            twist = (twist + np.pi) % (2.0 * np.pi) - np.pi
            if abs(twist) > _TWISTED:
                world_wxyz = np.array(world_wxyz)
                back = quaternions.from_rotvec(-twist * along)
                world_wxyz[:, joint] = quaternions.multiply(world_wxyz[:, joint], back)
        return world_wxyz


def correspondence(source: Skeleton, target: Skeleton) -> Correspondence:
    """The correspondence by which motions of one skeleton are retargeted to another.

    Parameters
    ----------
    source, target
        Two skeletons whose zero poses stand, as ``load`` makes them; both need the roles of hips and legs.

    Returns
    -------
    Correspondence
        Between each joint of the target and the source.

    Raises
    ------
    MotionError
        Where one of them lacks hips, or the hip, knee or ankle of a leg.
    """
    source_roles = _roles_of(source, "the motion's skeleton")
    target_roles = _roles_of(target, "the skeleton to retarget to")
    lower = np.full(target.n_joints, NONE)
    upper, shares = np.zeros(target.n_joints, dtype=np.int64), np.zeros(target.n_joints)
    shared = {role: (source_roles[role], target_roles[role]) for role in target_roles if role in source_roles}
    for source_chain, target_chain in _chains(source, target, source_roles, target_roles):
        _match_chain(source_chain, target_chain, lower, upper, shares)
    for a, b in shared.values():
        lower[b], shares[b] = a, 0.0
    lower[0] = lower[0] if lower[0] != NONE else source_roles["hips"]
    _match_by_name(source, target, lower)
    for side in SIDES:
        if side + "wrist" in shared:
            _match_fingers(source, target, shared[side + "wrist"], lower)
    return Correspondence(source, target, lower, upper, shares, _reference(source, target, shared, lower), shared)


def _roles_of(skeleton: Skeleton, which: str) -> Roles:
    roles = find_roles(skeleton)
    missing = [role for role in _NEEDED if role not in roles]
    if missing:
        given = Option("roles", {missing[0]: "Bone.004"})
        raise MotionError(
            f"{which} has no {', '.join(missing)}, so motions cannot be retargeted",
            helps=f"say which joints they are when the file is loaded: {given}",
            option=given,
        )
    return roles


def _chains(
    source: Skeleton, target: Skeleton, source_roles: Roles, target_roles: Roles
) -> list[tuple[list[int], list[int]]]:
    """Chains of both skeletons that correspond, each with the joint it begins at: trunk, then neck."""
    chains, start = [], "hips"
    for ends in (("chest", "spine"), ("head", "neck")):
        end = next((role for role in ends if role in source_roles and role in target_roles), None)
        if end is None:
            continue
        first = _between(source, source_roles[start], source_roles[end])
        second = _between(target, target_roles[start], target_roles[end])
        if len(first) > 1 and len(second) > 1:
            chains.append((first, second))
        start = end
    return chains


def _between(skeleton: Skeleton, top: int, end: int) -> list[int]:
    """The joints from one down to another, both included; the last alone where it does not hang on the first."""
    way = skeleton.path(end)
    return way[: way.index(top) + 1][::-1] if top in way else [end]


def _match_chain(
    source_chain: list[int],
    target_chain: list[int],
    lower: Int[np.ndarray, " joints"],
    upper: Int[np.ndarray, " joints"],
    shares: Float[np.ndarray, " joints"],
) -> None:
    """Let the joints of the second chain follow those of the first that are as far along it."""
    for step, joint in enumerate(target_chain[1:], start=1):
        at = step * (len(source_chain) - 1) / (len(target_chain) - 1)
        below = min(int(at), len(source_chain) - 2)
        lower[joint], upper[joint], shares[joint] = source_chain[below], source_chain[below + 1], at - below
        if shares[joint] == 1.0:
            lower[joint], shares[joint] = source_chain[below + 1], 0.0


def _match_by_name(source: Skeleton, target: Skeleton, lower: Int[np.ndarray, " joints"]) -> None:
    """Match what has no role (fingers, toes' joints, twist joints) by name, below joints that correspond."""
    by_name = {_plain(name): i for i, name in enumerate(source.names)}
    taken = {int(joint) for joint in lower if joint != NONE}
    for joint in range(1, target.n_joints):
        same = by_name.get(_plain(target.names[joint]))
        if lower[joint] != NONE or same is None or same in taken:
            continue
        above = next((int(lower[carrier]) for carrier in target.path(joint)[1:] if lower[carrier] != NONE), NONE)
        if above != NONE and above in source.path(same)[1:]:
            lower[joint] = same
            taken.add(same)


def _match_fingers(
    source: Skeleton, target: Skeleton, wrists: tuple[int, int], lower: Int[np.ndarray, " joints"]
) -> None:
    """Match the longest chains below two wrists, joint by joint: hands have other names in every rig."""
    taken = {int(joint) for joint in lower}
    chains = _longest_below(source, wrists[0]), _longest_below(target, wrists[1])
    for source_joint, joint in zip(*chains, strict=False):
        if lower[joint] == NONE and source_joint not in taken:
            lower[joint] = source_joint


def _longest_below(skeleton: Skeleton, joint: int) -> list[int]:
    """The longest chain of joints that hangs on a joint, from top to end."""
    ways = [skeleton.path(other) for other in range(skeleton.n_joints) if joint in skeleton.path(other)]
    longest = max(ways, key=len)
    return longest[: longest.index(joint)][::-1]


def _plain(name: str) -> str:
    """A joint's name without the prefix of its rig, case and marks."""
    return "".join(letter for letter in name.rpartition(":")[2].lower() if letter.isalnum())


def _reference(
    source: Skeleton, target: Skeleton, shared: dict[str, tuple[int, int]], lower: Int[np.ndarray, " joints"]
) -> Float[np.ndarray, "joints 4"]:
    """The turn of every joint of the target, from its zero pose, that lets its limbs point as the source's do."""
    turns = np.tile(quaternions.IDENTITY, (target.n_joints, 1))
    turned = {0}
    for side, (part, onward) in product(SIDES, _NEXT_PARTS):
        if side + part not in shared:
            continue
        source_joint, joint = shared[side + part]
        source_next, target_next = shared.get(side + onward, (None, None))
        turned.add(joint)
        source_bone, target_bone = _bone(source, source_joint, source_next), _bone(target, joint, target_next)
        if source_bone is not None and target_bone is not None:
            turns[joint] = _turn_between(source_bone, target_bone, side, part)
        elif part in _POINTED:
            turns[joint] = turns[_nearest_above(target, joint, turned)]
    limbs = {joint for role, (_, joint) in shared.items() if role.partition("_")[2] in _POINTED}
    for joint in range(1, target.n_joints):  # fingers and twist joints turn with the limb that carries them
        if joint not in turned and lower[joint] != NONE:
            above = _nearest_above(target, joint, turned)
            if above in limbs:
                turns[joint] = turns[above]
    return turns


def _nearest_above(skeleton: Skeleton, joint: int, joints: set[int]) -> int:
    """The nearest of some joints that a joint hangs on; the root where there is none."""
    return next((above for above in skeleton.path(joint)[1:] if above in joints), 0)


def _turn_between(
    source_bone: Float[np.ndarray, 3], target_bone: Float[np.ndarray, 3], side: str, part: str
) -> Float[np.ndarray, 4]:
    """The turn of a joint of the target that lets its bone point as the source's does."""
    if part in _POINTED:
        return quaternions.between(target_bone, source_bone)
    if part in LEG:  # feet are flat in both zero poses, so only their direction on the ground is compared
        return quaternions.between(target_bone * [1.0, 0.0, 1.0], source_bone * [1.0, 0.0, 1.0])
    return quaternions.seen_from(_sideways(source_bone, side), _sideways(target_bone, side))


def _sideways(bone: Float[np.ndarray, 3], side: str) -> Float[np.ndarray, 4]:
    """The turn that brings a clavicle to the side where its zero pose does not; most are left as they are.

    Clavicles begin at the chest in one rig and at the neck in another, so that where they point is no measure of how
    they are held.
    """
    aside = np.array([1.0 if side == SIDES[0] else -1.0, 0.0, 0.0])
    if bone @ aside >= _NATURAL * np.linalg.norm(bone):
        return quaternions.IDENTITY
    return quaternions.between(bone, aside)


def _bone(skeleton: Skeleton, joint: int, onward: int | None) -> Float[np.ndarray, 3] | None:
    """From a joint to the next of its limb at rest, else to the farthest point that hangs on it; None if it has none.

    The farthest point of a hand is the tip of its middle finger, that of a foot the tip of its toes.
    """
    rest = skeleton.rest_positions
    if onward is not None and joint in skeleton.path(onward):
        bone = rest[onward] - rest[joint]
    else:
        below = [other for other in range(skeleton.n_joints) if joint in skeleton.path(other)]
        ends = skeleton.rest_end_positions[np.isin(skeleton.end_joints, below)]
        reach = np.concatenate([rest[below], ends]) - rest[joint]
        bone = reach[int(np.argmax(np.linalg.norm(reach, axis=1)))]
    return np.asarray(bone) if np.linalg.norm(bone) > _SHORT * np.ptp(rest, axis=0).max() else None
