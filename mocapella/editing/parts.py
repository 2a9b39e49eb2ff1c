"""Parts of a body that can be edited on their own, told by the roles of its joints."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool

from mocapella.errors import MotionError
from mocapella.motion.rolelist import ARM, LEFT, LEG, RIGHT, Roles
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
    limbs["spine"] = ~np.any([*limbs.values()], axis=0)
    limbs["spine"][0] = False
    out = np.any([limbs[name] for name in _GROUPS.get(known, (known,))], axis=0)
    if not out.any():
        raise MotionError(
            f"the roles of the skeleton tell of no joints of its part {known!r}; "
            "say which joints they are: load(path, roles={'left_knee': 'Bone.004', ...})"
        )
    out[0] = moves_root(known)
    return np.asarray(out)


def moves_root(part: str) -> bool:
    """Whether a part takes the root along: both legs do, since who changes how both go changes how far they get."""
    return part.lower() in ("lower", "all")


def _limb(skeleton: Skeleton, roles: Roles, name: str) -> Bool[np.ndarray, " joints"]:
    """All that hangs on the highest joint that carries this limb and no role of another part."""
    own = [roles[role] for role in _LIMBS[name] if role in roles]
    others = [joint for role, joint in roles.items() if role not in _LIMBS[name]]
    shared = {0, *(joint for other in others for joint in skeleton.path(other))}
    chain = min((skeleton.path(joint) for joint in own), key=len, default=[])
    free = [joint for joint in chain if joint not in shared]
    mask = np.zeros(skeleton.n_joints, dtype=bool)
    if free:
        mask[[joint for joint in range(skeleton.n_joints) if free[-1] in skeleton.path(joint)]] = True
    return mask
