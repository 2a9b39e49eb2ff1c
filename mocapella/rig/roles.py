"""Roles: which joint is the left knee, the chest, the head; found in a skeleton or given in a file.

Names are read first and checked against the tree and the rest pose; where they give no roles, or none of the legs,
roles are found by the shape of the rest pose. A role that fails its check is left out, since a wrong knee does more
harm than a missing one. Roles given by the user take precedence.

Roles go by place, so that all conversions of one capture agree: ``spine`` is the lowest joint of the back above the
hips, ``chest`` the highest that carries both arms (a joint called just Chest, as in VRM, beats one called UpperChest),
``neck`` the lowest of the neck. ``ankle``, ``wrist`` and ``head`` are the joints that turn foot, hand and head.
"""

from __future__ import annotations

import itertools
import re
from os import PathLike
from pathlib import Path

import numpy as np

from mocapella.checks import explained
from mocapella.errors import FormatError, SkeletonError
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import ARM, LEG, ROLES, SIDES, JointTree, Roles, read_names, roles_by_name, unknown_role
from mocapella.rig.shape import drop_what_does_not_fit, roles_by_shape
from mocapella.toml import LARGEST, read_toml

_REMEMBERED = 64  # skeletons; the captures of a studio share a handful
_answers: dict[tuple[object, ...], tuple[Roles, list[str]]] = {}


@explained
def find_roles(skeleton: Skeleton) -> Roles:
    """The joint of each role; roles that are uncertain are missing.

    Parameters
    ----------
    skeleton
        Its ``role_names`` overrule every guess; a role named ``""`` there is missing for good.

    Returns
    -------
    dict
        Role, such as ``"left_knee"``, → joint.

    Raises
    ------
    SkeletonError
        Where ``role_names`` names a role or a joint that does not exist.

    Examples
    --------
    >>> leg = Skeleton.of(["LeftUpLeg", "LeftLeg", "LeftFoot"], [-1, 0, 1], [[0, 1, 0], [0, -0.5, 0], [0, -0.4, 0]])
    >>> find_roles(leg)
    {'left_hip': 0, 'left_knee': 1, 'left_ankle': 2}
    """
    return dict(_decided(skeleton)[0])


def explain_roles(skeleton: Skeleton) -> list[str]:
    """Sentences on why roles are missing or how they were found; none where the names told all that was found."""
    return list(_decided(skeleton)[1])


def _decided(skeleton: Skeleton) -> tuple[Roles, list[str]]:
    """Roles and notes of a skeleton; cached, since all captures of a person share them and analysis asks often."""
    size = float(np.abs(np.concatenate([skeleton.offsets, skeleton.end_offsets])).max()) or 1.0
    shape = (np.round(offsets / size, 9) + 0.0 for offsets in (skeleton.offsets, skeleton.end_offsets))  # no -0.0
    arrays = (skeleton.parents, skeleton.end_joints, *shape)
    key = (skeleton.names, tuple(skeleton.role_names.items()), *(array.tobytes() for array in arrays))
    if key not in _answers:
        while len(_answers) >= _REMEMBERED:
            _answers.pop(next(iter(_answers)), None)
        _answers[key] = _decide(skeleton)
    return _answers[key]


def _decide(skeleton: Skeleton) -> tuple[Roles, list[str]]:
    """The roles, and what should be said about them."""
    tree = JointTree(skeleton)
    names = read_names(skeleton.names)
    notes: list[str] = []
    if any(name.fits or name.kind for name in names):
        roles = roles_by_name(tree, names, notes)
        drop_what_does_not_fit(tree, roles, notes)
        if not any(side + part in roles for side in SIDES for part in ("knee", "ankle")):
            roles = _completed(roles, roles_by_shape(tree, names, notes))
    else:
        roles = roles_by_shape(tree, names, notes)
    _overrule(tree, roles, notes)
    return {role: roles[role] for role in ROLES if role in roles}, notes


def _completed(named: Roles, seen: Roles) -> Roles:
    """Roles by shape, where names in another language tell some joints and no leg; with what only the names tell."""
    if not seen:
        return named
    legs = {side + part for side in SIDES for part in LEG}
    more = {role: joint for role, joint in named.items() if role not in legs and joint not in seen.values()}
    return more | seen


def _overrule(tree: JointTree, roles: Roles, notes: list[str]) -> None:
    """Put the user's roles in place, and remove guesses that contradict them."""
    said = tree.skeleton.role_names
    for role in said:
        if role not in ROLES:
            raise SkeletonError(unknown_role(role))
    given = {role: tree.skeleton.index(name) for role, name in said.items() if name}
    for role, joint in list(roles.items()):
        if role not in said and joint in given.values():
            notes.append(f"{tree.names[joint]} is not {role}: it was given another role")
            del roles[role]
    for role in said:
        roles.pop(role, None)
    _drop_contradicted(tree, roles, given, notes)
    roles |= given


def _drop_contradicted(tree: JointTree, roles: Roles, given: Roles, notes: list[str]) -> None:
    """Remove guesses that are not above or below the given joints of their limb, as the limb has it."""
    for side, limb in itertools.product(SIDES, (LEG, ARM)):
        for a, b in itertools.combinations([side + part for part in limb], 2):
            for guess, upper, lower in ((b, given.get(a), roles.get(b)), (a, roles.get(a), given.get(b))):
                if upper is not None and lower is not None and not tree.above(upper, lower):
                    notes.append(f"{tree.names[roles[guess]]} is not {guess}: that contradicts the roles given")
                    del roles[guess]


def read_roles(path: str | PathLike[str]) -> dict[str, str]:
    """Roles given in a TOML file.

    The file has one table::

        [roles]
        left_knee = "Bone.004"
        left_toe = ""

    The result maps each role to its joint name, ``""`` where there is no such joint. Raises ``FormatError`` where the
    file cannot be read, is not TOML, has no such table, or names a role that does not exist.
    """
    text, tables = read_toml(path, _read(path))
    roles = tables.get("roles")
    if not isinstance(roles, dict):
        raise FormatError(path, 0, f"expected a table [roles], found {', '.join(tables) or 'nothing'}")
    for role, name in roles.items():
        if role not in ROLES:
            raise FormatError(path, _line_of(role, text), unknown_role(role))
        if not isinstance(name, str):
            raise FormatError(path, _line_of(role, text), f"expected a joint name in quotes for {role}, found {name!r}")
    return roles


def _line_of(key: str, text: str) -> int:
    """The line on which a key is set, 0 where it is not found: TOML can spell a key in many ways."""
    setting = re.compile(rf"\s*(roles\s*\.\s*)?[\"']?{re.escape(key)}[\"']?\s*=")
    return next((number for number, line in enumerate(text.splitlines(), start=1) if setting.match(line)), 0)


def _read(path: str | PathLike[str]) -> bytes:
    """The content of a short file; what is longer than ``read_toml`` takes is cut."""
    place = Path(path)
    try:
        if place.exists() and not place.is_file():
            raise FormatError(path, 0, "expected a regular file")
        with place.open("rb") as file:
            return file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(path, 0, f"cannot be read: {reason}") from None
