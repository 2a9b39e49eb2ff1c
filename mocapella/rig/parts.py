"""Parts of a body by roles, such as ``left_arm``, and parts of a skeleton as skeletons of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from mocapella.arrays import owned
from mocapella.errors import MotionError, Option
from mocapella.geometry import quaternions
from mocapella.motion.kinematics import forward
from mocapella.motion.layout import N_ROOT_DOFS, Layout, layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import ARM, LEG, SIDES, Roles
from mocapella.rig.roles import find_roles


@dataclass(frozen=True, eq=False)
class Part:
    """Joints with the chains they hang on, as a skeleton and layout of their own.

    A foot takes five joints of thirty, so forward kinematics of feet alone costs a fraction of whole poses.
    """

    joints: tuple[int, ...]  # in the whole skeleton, those that hang on fewer first
    columns: Int[np.ndarray, " some"]  # the dofs of the whole layout that are this part's
    layout: Layout

    @classmethod
    def of(cls, layout: Layout, ends: Iterable[int]) -> Part:
        """The part of a layout that carries these joints."""
        full = layout.skeleton
        members = {0, *(joint for end in ends for joint in full.path(end))}
        joints = tuple(sorted(members, key=lambda joint: (len(full.path(joint)), joint)))
        at = {joint: i for i, joint in enumerate(joints)}
        rows = list(joints)
        skeleton = Skeleton.of(
            [full.names[joint] for joint in joints],
            [-1 if joint == 0 else at[int(full.parents[joint])] for joint in joints],
            full.offsets[rows],
            rotation_orders=[full.rotation_orders[joint] for joint in joints],
            axes_wxyz=full.axes_wxyz[rows],
        )
        columns = [np.arange(layout.n_dofs)[layout.columns(joint)] for joint in joints]
        root = np.arange(layout.n_dofs - N_ROOT_DOFS, layout.n_dofs)
        return cls(joints, owned(np.concatenate([*columns, root])), layout_of(layout.kind, skeleton))

    def index(self, joint: int) -> int:
        """The index within the part of a joint of the whole skeleton."""
        return self.joints.index(joint)

    def places(
        self, dofs: Float[np.ndarray, "*batch some"], joint: int, offset: Float[np.ndarray, " 3"]
    ) -> Float[np.ndarray, "*batch 3"]:
        """Positions of what is at an offset from a joint, relative to the root, in metres.

        The axes turn with the heading but do not tilt.
        """
        rotations = self.layout.rotations(dofs)
        positions, turns = forward(self.layout.skeleton, np.zeros((*rotations.shape[:-2], 3)), rotations)
        index = self.index(joint)
        at = positions[..., index, :]
        return np.asarray(at + quaternions.rotate(turns[..., index, :], offset) if offset.any() else at)


_LIMBS = {side + limb: tuple(side + r for r in parts) for limb, parts in (("leg", LEG), ("arm", ARM)) for side in SIDES}
_LIMBS["head"] = ("neck", "head")
_SINGLE = (*_LIMBS, "spine")
_GROUPS = {
    "lower": ("left_leg", "right_leg"),  # and the root, see ``moves_root``
    "upper": ("left_arm", "right_arm", "spine", "head"),
    "all": _SINGLE,
}
PARTS = (*_GROUPS, *_SINGLE)


def joints_of(skeleton: Skeleton, part: str) -> Bool[np.ndarray, " joints"]:
    """The joints of a part of the body; the root goes with ``lower`` and ``all``.

    A limb has every joint that moves nothing else, whether it has a role or not: fingers, and joints without length
    between the root and a hip. The spine is what is left of the body when limbs and head are taken off.

    ``part`` is one of ``PARTS``, in capitals or not. Raises ``MotionError`` where there is no such part, or the
    skeleton's roles do not tell it.
    """
    name = part.lower()
    if name not in PARTS:
        raise MotionError(f"there is no part {part!r} of a body; there are {', '.join(PARTS)}")
    roles = find_roles(skeleton)
    limbs = {limb: _limb(skeleton, roles, limb) for limb in _LIMBS}
    limbs["spine"] = ~np.any([*limbs.values()], axis=0)
    limbs["spine"][0] = False
    out = np.any([limbs[limb] for limb in _GROUPS.get(name, (name,))], axis=0)
    if not out.any():
        roles_given = Option("roles", {"left_knee": "Bone.004"})
        raise MotionError(
            f"the roles of the skeleton tell of no joints of its part {name!r}",
            helps=f"say which joints they are when the file is loaded: {roles_given}",
            option=roles_given,
        )
    out[0] = moves_root(name)
    return np.asarray(out)


def moves_root(part: str) -> bool:
    """Whether one of ``PARTS`` includes the root: ``lower`` and ``all`` do, since both legs decide the travel."""
    return part.lower() in ("lower", "all")


def _limb(skeleton: Skeleton, roles: Roles, name: str) -> Bool[np.ndarray, " joints"]:
    """All that hangs on the highest joint that carries this limb and no role of another part."""
    members = [roles[role] for role in _LIMBS[name] if role in roles]
    others = [joint for role, joint in roles.items() if role not in _LIMBS[name]]
    shared = {0, *(joint for other in others for joint in skeleton.path(other))}
    chain = min((skeleton.path(joint) for joint in members), key=len, default=[])
    free = [joint for joint in chain if joint not in shared]
    mask = np.zeros(skeleton.n_joints, dtype=bool)
    if free:
        mask[[joint for joint in range(skeleton.n_joints) if free[-1] in skeleton.path(joint)]] = True
    return mask
