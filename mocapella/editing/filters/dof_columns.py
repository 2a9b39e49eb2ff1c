"""Signals: the dofs of a clip or a cycle as columns of numbers, and a motion made of changed columns."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.editing.parameters import EditError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import without_heading
from mocapella.motion.layout import N_ROOT_DOFS, EulerLayout, layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.parts import PARTS, joints_of
from mocapella.rig.roles import find_roles
from mocapella.stages import refuse_no_motion

Motion = Clip | Cycle
Values = Float[np.ndarray, "frames columns"]

_OF_CLIPS = ("height", "heading", "x", "z")  # signals of the root of a clip; metres and radians
_OF_CYCLES = ("height", "ahead", "left", "yaw_rate")  # of a cycle


@dataclass(frozen=True, eq=False)
class Signals:
    """Columns of a motion that an edit works on.

    A joint that is named as a whole has three columns: its rotation from its mean as a rotation vector, which has no
    singular angles and can be scaled. One that is named with an axis, ``"LeftUpLeg.x"``, has the angle about that axis
    in the order and frame of its file.
    """

    motion: Motion
    names: tuple[str, ...]  # one a column: "LeftUpLeg.1" for a rotation vector, "LeftUpLeg.x" for an angle
    values: Values  # radians, metres
    whole: tuple[int, ...]  # joints by rotation vector, in order of their columns
    angles: tuple[int, ...]  # columns of the Euler layout that follow
    root: tuple[str, ...]  # signals of the root that come last
    means: Float[np.ndarray, "whole 4"]  # rotations that rotation vectors start from

    @property
    def periodic(self) -> bool:
        """Whether the last frame is followed by the first."""
        return isinstance(self.motion, Cycle)

    @property
    def rotations(self) -> int:
        """How many columns turn joints; the rest are the root's."""
        return len(self.names) - len(self.root)

    def with_values(self, values: Values) -> Motion:
        """The motion with these columns; joints whose columns are the same keep every bit.

        Raises ``EditError`` where a value is no finite number.
        """
        if not np.isfinite(values).all():
            raise EditError("the edit makes values that are not finite numbers", helps="use smaller gains")
        changed = (values != self.values).any(axis=0)
        if not changed.any():
            return self.motion
        rotations, headings = _upright(self.motion)
        touched = self._turn(rotations, values, changed)
        split = self.rotations
        root = {name: values[:, split + i] for i, name in enumerate(self.root) if changed[split + i]}
        if isinstance(self.motion, Clip):
            return _clip_with(self.motion, rotations, headings, touched, root)
        return _cycle_with(self.motion, rotations, touched, root)

    def _turn(self, rotations: Float[np.ndarray, "frames joints 4"], values: Values, changed: np.ndarray) -> set[int]:
        """Write changed columns into rotations; returns the joints that were turned."""
        touched: set[int] = set()
        for i, joint in enumerate(self.whole):
            columns = slice(3 * i, 3 * i + 3)
            if changed[columns].any():
                rotations[:, joint] = quaternions.multiply(self.means[i], quaternions.from_rotvec(values[:, columns]))
                touched.add(joint)
        start = 3 * len(self.whole)
        if changed[start : start + len(self.angles)].any():
            layout = _euler(self.motion.skeleton)
            dofs = layout.dofs(rotations, np.zeros((len(rotations), N_ROOT_DOFS)))
            for i, column in enumerate(self.angles):
                if changed[start + i]:
                    dofs[:, column] = values[:, start + i]
                    touched.add(_joint_of(layout, column))
            made = layout.rotations(dofs)
            for joint in touched:
                if joint not in self.whole:
                    rotations[:, joint] = made[:, joint]
        return touched


def signals_of(motion: Motion, dofs: Sequence[str] = (), *, root: Sequence[str] = ("height",)) -> Signals:
    """The signals of a motion with these names.

    Joints, roles (``left_knee``) and parts of the body (``upper``) are rotation vectors; joints and roles with an axis
    (``LeftUpLeg.x``, ``left_knee.x``) are angles. The root has ``height``, in clips ``heading``, ``x`` and ``z``, in
    cycles ``ahead``, ``left`` and ``yaw_rate``. Without names: all joints, and the signals ``root`` of the root. Raises
    ``EditError`` where there is no such joint, role, part or signal.
    """
    refuse_no_motion(motion)
    skeleton = motion.skeleton
    known_root = _OF_CLIPS if isinstance(motion, Clip) else _OF_CYCLES
    whole, angles, of_root = _chosen(skeleton, tuple(dofs), known_root, tuple(root))
    rotations, headings = _upright(motion)
    names, columns = [], []
    means = np.zeros((len(whole), 4))
    for i, joint in enumerate(whole):
        means[i] = quaternions.mean(rotations[:, joint])
        columns.append(quaternions.to_rotvec(quaternions.seen_from(means[i], rotations[:, joint])))
        names += [f"{skeleton.names[joint]}.{part}" for part in (1, 2, 3)]
    if angles:
        layout = _euler(skeleton)
        columns.append(layout.rotation_dofs(rotations)[:, list(angles)])
        names += [layout.names[column] for column in angles]
    for name in of_root:
        columns.append(_root_signal(motion, name, headings)[:, None])
        names.append(name)
    values = np.concatenate(columns, axis=1)
    return Signals(motion, tuple(names), owned(values), tuple(whole), tuple(angles), tuple(of_root), means)


def joint_named(skeleton: Skeleton, name: str) -> int:
    """The joint with a name or a role: ``"LeftUpLeg"``, ``"left_hip"``.

    Raises ``EditError`` where there is none; the message names joints that are spelled alike.
    """
    if name in skeleton.names:
        return skeleton.index(name)
    roles = find_roles(skeleton)
    if name in roles:
        return roles[name]
    known = [*skeleton.names, *roles]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or list(skeleton.names[:3])
    raise EditError(f"there is no joint or role {name[:40]!r}", helps=f"did you mean {', '.join(near)}?")


def _chosen(
    skeleton: Skeleton, dofs: tuple[str, ...], known_root: tuple[str, ...], root: tuple[str, ...]
) -> tuple[list[int], list[int], list[str]]:
    """Whole joints, columns of angles, and signals of the root that names stand for."""
    if not dofs:
        return list(range(skeleton.n_joints)), [], [name for name in root if name in known_root]
    whole: list[int] = []
    angles: list[int] = []
    of_root: list[str] = []
    for name in dofs:
        if name in known_root:
            of_root.append(name)
        elif name in PARTS and name not in skeleton.names:
            whole += np.flatnonzero(joints_of(skeleton, name)).tolist()
        elif "." in name and name not in skeleton.names:
            angles.append(_angle(skeleton, name))
        else:
            whole.append(joint_named(skeleton, name))
    both = sorted({_joint_of(_euler(skeleton), column) for column in angles} & set(whole))
    if both:
        raise EditError(f"{skeleton.names[both[0]]} is named as a whole and by an axis", helps="name it once")
    return sorted(set(whole)), sorted(set(angles)), list(dict.fromkeys(of_root))


def _angle(skeleton: Skeleton, name: str) -> int:
    """The column of an angle such as ``LeftUpLeg.x`` or ``left_hip.x``."""
    joint, _, axis = name.rpartition(".")
    layout = _euler(skeleton)
    wanted = f"{skeleton.names[joint_named(skeleton, joint)]}.{axis.lower()}"
    if wanted not in layout.rotation_names:
        own = [known for known in layout.rotation_names if known.startswith(wanted.rpartition(".")[0] + ".")]
        raise EditError(f"there is no angle {name[:40]!r}", helps=f"there are {', '.join(own) or 'none'}")
    return layout.rotation_names.index(wanted)


def _euler(skeleton: Skeleton) -> EulerLayout:
    layout = layout_of("euler", skeleton)
    assert isinstance(layout, EulerLayout)
    return layout


def _joint_of(layout: EulerLayout, column: int) -> int:
    return (column + 1) // 3  # the root has two angles, every other joint three


def _upright(motion: Motion) -> tuple[Float[np.ndarray, "frames joints 4"], Float[np.ndarray, " frames"]]:
    """Local rotations, the root's without heading, in a new array; and the headings."""
    if isinstance(motion, Clip):
        return without_heading(motion.rotations_wxyz, motion.headings), np.array(motion.headings)
    return np.array(motion.rotations_wxyz), np.zeros(motion.n_frames)


def _root_signal(motion: Motion, name: str, headings: Float[np.ndarray, " frames"]) -> Float[np.ndarray, " frames"]:
    if isinstance(motion, Cycle):
        return np.array(motion.dofs[:, motion.layout.index(name)])
    return np.array(headings if name == "heading" else motion.root_positions[:, {"x": 0, "height": 1, "z": 2}[name]])


def _clip_with(
    clip: Clip,
    rotations: Float[np.ndarray, "frames joints 4"],
    headings: Float[np.ndarray, " frames"],
    touched: set[int],
    root: dict[str, Float[np.ndarray, " frames"]],
) -> Clip:
    roots = np.array(clip.root_positions)
    for axis, name in enumerate(("x", "height", "z")):
        if name in root:
            roots[:, axis] = root[name]
    out = np.array(clip.rotations_wxyz)
    joints = sorted(touched)
    out[:, joints] = rotations[:, joints]
    if 0 in touched or "heading" in root:
        out[:, 0] = quaternions.multiply(quaternions.about_y(root.get("heading", headings)), rotations[:, 0])
    return replace(clip, root_positions=roots, rotations_wxyz=out)


def _cycle_with(
    cycle: Cycle,
    rotations: Float[np.ndarray, "frames joints 4"],
    touched: set[int],
    root: dict[str, Float[np.ndarray, " frames"]],
) -> Cycle:
    if 0 in touched:  # a tilt has no heading
        rotations[:, 0] = quaternions.multiply(quaternions.about_y(-quaternions.yaw(rotations[:, 0])), rotations[:, 0])
    dofs = np.array(cycle.dofs)
    made = cycle.layout.matched(cycle.layout.dofs(rotations, cycle.dofs[:, -N_ROOT_DOFS:]), cycle.dofs.mean(axis=0))
    for joint in touched:
        columns = cycle.layout.columns(joint)
        dofs[:, columns] = made[:, columns]
    for name, values in root.items():
        dofs[:, cycle.layout.index(name)] = values
    return replace(cycle, dofs=owned(dofs))
