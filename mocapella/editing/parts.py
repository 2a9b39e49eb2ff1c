"""Parts of a body that can be edited on their own, told by the roles of its joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

from mocapella.errors import MotionError
from mocapella.motion.rolelist import ARM, LEG, LEFT, RIGHT, Roles
from mocapella.motion.roles import find_roles
from mocapella.motion.skeleton import Skeleton

_LIMBS = {
    "left_leg": tuple(LEFT + role for role in LEG),
    "right_leg": tuple(RIGHT + role for role in LEG),
    "left_arm": tuple(LEFT + role for role in ARM),
    "right_arm": tuple(RIGHT + role for role in ARM),
    "head": ("neck", "head"),
}
_SINGLE = (*_LIMBS, "spine")
_GROUPS = {
    "lower": ("left_leg", "right_leg"),  # and the root, see ``moves_root``
    "upper": ("left_arm", "right_arm", "spine", "head"),
    "all": _SINGLE,
}
PARTS = (*_GROUPS, *_SINGLE)


def joints_of(skeleton: Skeleton, part: str) -> Bool[np.ndarray, " joints"]:
    """Which joints a part of the body has; the root goes with ``lower`` and ``all``.

    A limb has every joint that moves nothing else, whether it has a role or not: fingers, and joints without length
    between the root and a hip. The spine is what is left of the body when limbs and head are taken off.

    Raises
    ------
    MotionError
        Where there is no such part, or the skeleton's roles do not tell it.
    """
    known = part.lower()
    if known not in PARTS:
        raise MotionError(f"there is no part {part!r} of a body; there are {', '.join(PARTS)}")
    roles = find_roles(skeleton)
    limbs = {name: _limb(skeleton, roles, name) for name in _LIMBS}
    wanted = _GROUPS.get(known, (known,))
    missing = [name for name in wanted if name in limbs and not limbs[name].any()]
    if missing and len(missing) == len([name for name in wanted if name in limbs]):
        raise MotionError(
            f"the skeleton has no {' and no '.join(missing)} that its roles would tell; "
            "say which joints they are: load(path, roles={'left_knee': 'Bone.004', ...})"
        )
    limbs["spine"] = ~np.any([*limbs.values()], axis=0)
    limbs["spine"][0] = False
    out = np.any([limbs[name] for name in wanted], axis=0)
    out[0] = moves_root(known)
    return np.asarray(out)


def moves_root(part: str) -> bool:
    """Whether a part takes the root along: both legs do, since who changes how both go changes how far they get."""
    return part.lower() in ("lower", "all")


def _limb(skeleton: Skeleton, roles: Roles, name: str) -> Bool[np.ndarray, " joints"]:
    """All that hangs on the highest joint that carries this limb and no role of another part."""
    own = [roles[role] for role in _LIMBS[name] if role in roles]
    mask = np.zeros(skeleton.n_joints, dtype=bool)
    if not own:
        return mask
    others = {joint for role, joint in roles.items() if role not in _LIMBS[name]}
    carrying = {joint for other in others for joint in skeleton.path(other)} | {0}
    free = [joint for joint in _upwards(skeleton, own) if joint not in carrying]
    if free:
        mask[[joint for joint in range(skeleton.n_joints) if free[-1] in skeleton.path(joint)]] = True
    return mask


def _upwards(skeleton: Skeleton, joints: Sequence[int]) -> list[int]:
    """From the lowest of the limb's joints that all others of it carry, up to the root."""
    shortest = min(joints, key=lambda joint: len(skeleton.path(joint)))
    return skeleton.path(shortest)
