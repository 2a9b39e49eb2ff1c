"""A skeleton for measured joints: which hangs on which, how long bones are, and how it stands at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from mocapella.files.nodes import numbered
from mocapella.files.points.centres import Centres
from mocapella.files.points.solve import best_rotation
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import ARM, LEG, SIDES
from mocapella.rig.roles import find_roles

Positions = Float[np.ndarray, "frames joints 3"]
_Places = Float[np.ndarray, "frames 3"]

# Where joints lie from their parents in a T-pose, +y up, facing +z; x is that of the left side.
_DIRECTIONS = {
    "spine": (0.0, 1.0, 0.0),
    "chest": (0.0, 1.0, 0.0),
    "neck": (0.0, 1.0, 0.0),
    "head": (0.0, 1.0, 0.15),
    "hip": (1.0, -0.4, 0.0),
    "knee": (0.0, -1.0, 0.0),
    "ankle": (0.0, -1.0, 0.0),
    "toe": (0.0, -0.45, 1.0),
    "clavicle": (0.5, 0.8, 0.0),
    "shoulder": (1.0, 0.1, 0.0),
    "elbow": (1.0, 0.0, 0.0),
    "wrist": (1.0, 0.0, 0.0),
}
_ROUNDS = 4  # in which the mean shape of several bones settles
_SLOW = 0.25  # leg lengths a second below which a foot rests
_TINY = 1e-9  # in any unit: lengths below it have no direction
_LUMBAR = 0.2  # of the way from the hips to the chest: where the back bends if nothing was measured between them
_LEG = 0.491  # of the height: thigh and shank


@dataclass(frozen=True, eq=False)
class Measured:
    """Joints that were measured, as a tree."""

    names: list[str]
    parents: list[int]
    positions: Positions
    roles: dict[str, str]  # role → joint name, where names alone would not tell
    between: frozenset[str] = frozenset()  # joints that were not measured: they lie half way between others


class _Tree:
    """Joints hung on each other one after another; names are made unlike where two are alike."""

    def __init__(self, centres: Centres) -> None:
        self.centres = centres
        self.names: list[str] = []
        self.parents: list[int] = []
        self.places: list[_Places] = []
        self.roles: dict[str, str] = {}
        self.between: set[str] = set()  # joints that were not measured

    def add(self, name: str, parent: int, place: _Places, role: str = "") -> int:
        """Hang a joint on another; its number."""
        self.names.append(numbered(name, self.names))
        self.parents.append(parent)
        self.places.append(place)
        if role:
            self.roles[role] = self.names[-1]
        return len(self.names) - 1

    def add_role(self, role: str, parent: int) -> int:
        """Hang the joint of a role on another, where it was measured; the number of the lower of the two."""
        if role not in self.centres.roles:
            return parent
        return self.add(self.centres.names.get(role, role), parent, self.centres.roles[role], role)

    def add_between(self, name: str, parent: int, place: _Places) -> int:
        """Hang a joint that was not measured on another."""
        joint = self.add(name, parent, place, name)
        self.between.add(self.names[joint])
        return joint

    def add_hips(self) -> int:
        """The root: the hips, half way between the hip joints where they were not measured."""
        measured = self.centres.roles
        if "hips" in measured:
            return self.add_role("hips", -1)
        return self.add_between("hips", -1, 0.5 * (measured["left_hip"] + measured["right_hip"]))

    def add_trunk(self, root: int) -> int:
        """The joints of the back, from the hips up; the topmost."""
        measured, top = self.centres.roles, root
        for name, place in self._outwards(self.centres.trunk, root):
            top = self.add(name, top, place)
        parts = [side + part for side in SIDES for part in ("shoulder", "clavicle")]
        tops = [measured[part] for part in parts if part in measured]
        upper = measured.get("chest", np.mean(tops, axis=0) if len(tops) >= 2 else None)
        alone = top == root
        if alone and self.centres.lumbar is not None:
            top = self.add("spine", top, self.centres.lumbar, "spine")
        elif alone and upper is not None:
            # The pelvis turns against the back, also where no joint was measured between them.
            top = self.add_between("spine", top, self.places[root] + _LUMBAR * (upper - self.places[root]))
        if alone and "chest" not in measured and upper is not None:
            return self.add_between("chest", top, upper)
        return self.add_role("chest", top)

    def add_head(self, chest: int) -> None:
        """Neck and head, on the topmost joint of the back."""
        end = chest
        for name, place in self._outwards(self.centres.necks, chest):
            end = self.add(name, end, place, "" if "neck" in self.roles else "neck")
        self.add_role("head", self.add_role("neck", end))

    def add_limbs(self, side: str, root: int, chest: int) -> None:
        """The leg and the arm of a side, and its heel."""
        for limb in (LEG, ARM):
            end = root if limb is LEG else chest
            for part in limb:
                end = self.add_role(side + part, end)
                if part == "ankle" and side + part in self.roles and side in self.centres.heels:
                    self.add(f"{side}heel", end, self.centres.heels[side])

    def _outwards(self, joints: list[tuple[str, _Places]], origin: int) -> list[tuple[str, _Places]]:
        """Joints by their median distance from one that is there."""
        start = self.places[origin]
        return sorted(joints, key=lambda joint: float(np.nanmedian(np.linalg.norm(joint[1] - start, axis=1))))


def tree_of(centres: Centres) -> Measured:
    """Joints hung on each other as in a body, the hips first; ``centres`` are at least both legs."""
    tree = _Tree(centres)
    root = tree.add_hips()
    chest = tree.add_trunk(root)
    tree.add_head(chest)
    for side in SIDES:
        tree.add_limbs(side, root, chest)
    return Measured(tree.names, tree.parents, np.stack(tree.places, axis=1), tree.roles, frozenset(tree.between))


def standing_skeleton(measured: Measured, frame_rate: float) -> tuple[Skeleton, Float[np.ndarray, "frames joints"]]:
    """A skeleton in a T-pose on the ground with bones as long as they were measured, and their length in each frame."""
    places, parents = measured.positions, np.array(measured.parents)
    steps = places - places[:, np.maximum(parents, 0)]
    lengths = np.linalg.norm(steps, axis=2)
    long = np.median(lengths, axis=0)
    rough = Skeleton.of(measured.names, parents, np.where((parents >= 0)[:, None], steps[0], 0.0))
    roles = find_roles(rough.with_roles(measured.roles)) if measured.roles else find_roles(rough)
    role_of = {joint: role for role, joint in roles.items()}
    for joint in range(len(parents) - 1, 0, -1):  # a joint between two that are known points to the next
        if joint in role_of and parents[joint] not in role_of:
            role_of[int(parents[joint])] = role_of[joint]
    offsets = np.zeros((len(parents), 3))
    for joint in range(1, len(parents)):
        offsets[joint] = long[joint] * _direction(role_of.get(joint, ""), offsets[parents[joint]])
    slope = _flat_foot(places, roles, frame_rate)
    for side in SIDES:
        toe = roles.get(side + "toe")
        if toe is not None and slope is not None:
            offsets[toe] = long[toe] * np.array([0.0, -np.sin(slope), np.cos(slope)])
    for joint in range(len(parents)):
        children = np.flatnonzero((parents == joint) & (long > _TINY))
        if len(children) > 1:
            offsets[children] = _rigid(offsets[children], steps[:, children], long[children])
    offsets[0, 1] = -float(Skeleton.of(measured.names, parents, offsets).rest_positions[:, 1].min())
    ends = [(measured.names[joint], end) for joint, end in _ends(offsets, roles) if joint not in measured.parents]
    skeleton = Skeleton.of(measured.names, parents, offsets, ends=ends)
    return skeleton.with_roles(measured.roles), lengths


def _ends(offsets: Float[np.ndarray, "joints 3"], roles: Mapping[str, int]) -> list[tuple[int, Float[np.ndarray, 3]]]:
    """End sites of head, hands and feet, which were not measured: shares of the height by Drillis and Contini."""
    legs = [roles[side + part] for side in SIDES for part in ("knee", "ankle") if side + part in roles]
    if len(legs) < 4:
        return []
    height = 0.5 * float(np.linalg.norm(offsets[legs], axis=1).sum()) / _LEG
    reach = {"head": (0.0, 0.09, 0.0), "toe": (0.0, 0.0, 0.04), "wrist": (0.108, 0.0, 0.0)}
    ends = []
    for role, joint in roles.items():
        side, _, part = role.rpartition("_")
        if part in reach:
            ends.append((joint, height * np.array(reach[part]) * [-1.0 if side == "right" else 1.0, 1.0, 1.0]))
    return ends


def _direction(role: str, before: Float[np.ndarray, 3]) -> Float[np.ndarray, 3]:
    """Where a joint lies from its parent at rest; straight on where nothing is known of it."""
    side, _, part = role.rpartition("_")
    if part in _DIRECTIONS:
        way = np.array(_DIRECTIONS[part]) * [-1.0 if side == "right" else 1.0, 1.0, 1.0]
    else:
        way = before if np.linalg.norm(before) > _TINY else np.array([0.0, 1.0, 0.0])
    return np.asarray(way / np.linalg.norm(way))


def _rigid(
    rest: Float[np.ndarray, "points 3"], found: Float[np.ndarray, "frames points 3"], long: Float[np.ndarray, " points"]
) -> Float[np.ndarray, "points 3"]:
    """The shape of what hangs on one joint: the mean over all frames, turned to lie as ``rest`` does."""
    weights = 1.0 / long
    shape = np.array(found[len(found) // 2])
    for _ in range(_ROUNDS):
        turns = best_rotation(shape, found, weights)
        shape = np.einsum("tji,tpj->pi", turns, found) / len(found)
        sizes = np.linalg.norm(shape, axis=1, keepdims=True)
        shape = shape / np.maximum(sizes, _TINY) * long[:, None]
    back = best_rotation(shape, rest[None], weights)[0]
    return np.asarray(shape @ back.T)


def _flat_foot(places: Positions, roles: Mapping[str, int], frame_rate: float) -> float | None:
    """How steeply feet that rest point down from ankle to toe, radians; None where none rests."""
    tops = [roles[role] for role in ("head", "neck", "chest") if role in roles]
    ankles = [roles[side + "ankle"] for side in SIDES if side + "ankle" in roles]
    if not tops or not ankles or len(places) < 3:
        return None
    up = np.median(places[:, tops[0]] - places[:, ankles].mean(axis=1), axis=0)
    axis = np.eye(3)[int(np.argmax(np.abs(up)))] * np.sign(up[int(np.argmax(np.abs(up)))])
    slopes: list[float] = []
    for side in SIDES:
        if f"{side}toe" not in roles or f"{side}knee" not in roles:
            continue
        ankle, toe, knee, hip = (roles[side + part] for part in ("ankle", "toe", "knee", "hip"))
        leg = float(np.median(np.linalg.norm(places[:, hip] - places[:, knee], axis=1))) * 2.0
        pace = np.linalg.norm(np.diff(places[:, [ankle, toe]], axis=0), axis=2).max(axis=1) * frame_rate
        foot = places[1:, toe] - places[1:, ankle]
        rests = pace < _SLOW * leg
        if rests.sum() >= 3:
            drop = np.clip(-(foot[rests] @ axis) / np.maximum(np.linalg.norm(foot[rests], axis=1), _TINY), -1.0, 1.0)
            slopes.append(float(np.median(np.arcsin(drop))))
    return float(np.clip(np.mean(slopes), 0.0, 1.2)) if slopes else None


def order_of(parents: Sequence[int]) -> Int[np.ndarray, " joints"]:
    """An order in which parents come before children; shorter than ``parents`` where these make no tree."""
    order = [joint for joint, parent in enumerate(parents) if parent == -1][:1]
    for joint in order:
        order += [child for child, parent in enumerate(parents) if parent == joint]
    return np.array(order, dtype=np.int64)
