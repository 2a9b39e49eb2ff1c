"""The roles there are."""

from __future__ import annotations

import difflib

LEFT, RIGHT = "left_", "right_"
SIDES = (LEFT, RIGHT)
LEG = ("hip", "knee", "ankle", "toe")
ARM = ("clavicle", "shoulder", "elbow", "wrist")
MIDDLE = ("hips", "spine", "chest", "neck", "head")
ROLES = MIDDLE + tuple(side + part for limb in (LEG, ARM) for side in SIDES for part in limb)

Roles = dict[str, int]  # role → joint


def unknown_role(role: str) -> str:
    """What to say of a role that does not exist."""
    near = difflib.get_close_matches(role, ROLES, n=1, cutoff=0.5)
    meant = f"; did you mean {near[0]}?" if near else ";"
    return f"there is no role {role!r}{meant} roles are {', '.join(ROLES)}"
