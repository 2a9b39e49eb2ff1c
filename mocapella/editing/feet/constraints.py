"""Constraints: which ends of limbs rest in which frames, and the one place of each rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from mocapella.analysis.examined import Examined
from mocapella.analysis.plants.tracks import foot_places, level
from mocapella.checks import real_or_nan, shown
from mocapella.editing.parameters import EditError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.rig.legs import foot_points, leg_roles
from mocapella.rig.limb_ik import LimbJoints
from mocapella.rig.roles import find_roles

HAND_POINTS = ("left_wrist", "left_hand", "right_wrist", "right_hand")
ENDS = (*FOOT_POINTS, *HAND_POINTS)  # those that can be held: heels and balls of feet, wrists and finger tips
_APART = 0.03  # of the length between two points of an end: places given for both may differ from it by that much
_FARTHEST = 1e4  # metres

Track = Float[np.ndarray, "frames 3"]


@dataclass(frozen=True, eq=False)
class Limb:
    """A leg with heel and ball of its foot, or an arm with wrist and finger tip: the points that can be held."""

    name: str  # "left_leg"
    joints: LimbJoints
    points: tuple[str, str]  # the near one and the far one
    near: Track  # places of both in every frame of the clip, metres
    far: Track
    resting_heights: tuple[float, float] | None  # of both over the ground that was found; None for an arm
    sole_heights: tuple[float, float] | None  # of both over a flat sole

    @property
    def is_leg(self) -> bool:
        """Whether the root has to stay within its reach."""
        return self.resting_heights is not None


@dataclass(frozen=True, eq=False)
class Hold:
    """One rest: a point of a limb in one place from its first frame to its last."""

    far: bool  # which of the limb's points
    first: int
    last: int
    place: Float[np.ndarray, 3]  # metres
    given: bool = False  # the place was asked for

    @property
    def n_frames(self) -> int:
        """How long it lasts."""
        return self.last - self.first + 1

    def overlap(self, other: Hold) -> slice:
        """Frames of both; empty where there are none."""
        return slice(max(self.first, other.first), min(self.last, other.last) + 1)

    def rests_with(self, other: Hold) -> bool:
        """Whether the other is of the limb's other point, and both rest at some time."""
        return self.far != other.far and max(self.first, other.first) <= min(self.last, other.last)


def limbs_of(examined: Examined, *, arms: bool) -> list[Limb]:
    """The legs of a clip and, with ``arms``, its arms, with the points that can be held.

    Raises ``MotionError`` where the skeleton has no such limbs.
    """
    clip = examined.clip
    roles = leg_roles(clip.skeleton)
    places, heights = foot_places(clip, roles), foot_points(clip.skeleton, roles)[2]
    tracks = examined.feet
    # A skeleton's sole is a guess: points at rest lie a little over or under it, each as usual in this capture.
    usual = (tracks.places[..., 1] - tracks.level(tracks.places) - tracks.leg * tracks.heights).mean(axis=0)
    limbs = []
    for i, side in enumerate(FEET):
        joints = LimbJoints(*(roles[f"{side}_{part}"] for part in ("hip", "knee", "ankle")))
        pair = slice(2 * i, 2 * i + 2)
        near, far = places[:, pair].swapaxes(0, 1)
        points = (f"{side}_heel", f"{side}_toe")
        (heel, toe), (low, high) = heights[pair].tolist(), usual[pair].tolist()
        limbs.append(Limb(f"{side}_leg", joints, points, near, far, (low, high), (heel, toe)))
    return limbs + [_arm(clip, side) for side in FEET] if arms else limbs


def _arm(clip: Clip, side: str) -> Limb:
    """An arm, from shoulder to wrist; the finger tip is the furthest end site of the hand."""
    roles, skeleton = find_roles(clip.skeleton), clip.skeleton
    wanted = [f"{side}_{part}" for part in ("shoulder", "elbow", "wrist")]
    missing = [role for role in wanted if role not in roles]
    if missing:
        raise EditError(f"the skeleton has no {', '.join(missing)}, so its hands cannot be held")
    joints = LimbJoints(*(roles[role] for role in wanted))
    positions, world = clip.world
    below = [joint for joint in range(skeleton.n_joints) if joints.ankle in skeleton.path(joint)]
    tips = np.flatnonzero(np.isin(skeleton.end_joints, below))
    wrist = positions[:, joints.ankle]
    tip = wrist
    if len(tips):
        away = np.linalg.norm(skeleton.rest_end_positions[tips] - skeleton.rest_positions[joints.ankle], axis=-1)
        end = tips[int(np.argmax(away))]
        at = skeleton.end_joints[end]
        tip = positions[:, at] + quaternions.rotate(world[:, at], skeleton.end_offsets[end])
    return Limb(f"{side}_arm", joints, (f"{side}_wrist", f"{side}_hand"), wrist, tip, None, None)


def holds_of(limb: Limb, examined: Examined, wanted: Mapping[str, Sequence[Hold]], *, level_ground: bool) -> list[Hold]:
    """The rests of one limb, each with its one place, by first frame.

    Where both points rest at the same time, their places are as far apart as they are on the body, so that the foot
    lies flat. Otherwise a place is the mean over its frames, moved vertically to the height at which that point rests.

    ``wanted`` are rests by point, of this limb and of others; their places count only where they are given. With
    ``level_ground`` feet rest at height 0, otherwise on the ground that was found under them.
    """
    tracks = (limb.near, limb.far)
    placed = []
    for i, point in enumerate(limb.points):
        for hold in wanted.get(point, ()):
            if not hold.given:
                place = tracks[i][hold.first : hold.last + 1].mean(axis=0)
                hold = replace(hold, place=_on_ground(place, limb, examined, i, level_ground=level_ground))
            placed.append(replace(hold, far=bool(i)))
    if not placed:
        return []
    placed.sort(key=lambda hold: (hold.first, hold.far))
    # Rests of heel and toe at the same time are connected, through others, too.
    together = np.array([[hold.rests_with(other) for other in placed] for hold in placed])
    n_groups, labels = scipy.sparse.csgraph.connected_components(together)
    groups = [[placed[i] for i in np.flatnonzero(labels == label)] for label in range(n_groups)]
    fitted = [hold for group in groups for hold in _fitted(group, limb, examined, level_ground=level_ground)]
    return sorted(fitted, key=lambda hold: (hold.first, hold.far))


def _fitted(group: list[Hold], limb: Limb, examined: Examined, *, level_ground: bool) -> list[Hold]:
    """Connected rests, brought to the distances that the body has, then moved back as a whole."""
    if len(group) == 1:
        return group
    order = [max(range(len(group)), key=lambda i: (group[i].given, group[i].n_frames))]
    places = {order[0]: group[order[0]].place}
    for i in order:  # grows during the loop
        hold = group[i]
        for j, other in enumerate(group):
            if not hold.rests_with(other):
                continue
            span = hold.overlap(other)
            if j not in places:
                places[j] = other.place if other.given else _beside(places[i], hold, limb, examined, span, level_ground)
                order.append(j)
            if other.given and hold.given:
                _refuse_contradiction(hold, other, limb, span)
    shift = np.zeros(3)
    if not any(hold.given for hold in group):
        lengths = np.array([hold.n_frames for hold in group], dtype=np.float64)
        off = np.stack([hold.place - places[i] for i, hold in enumerate(group)])
        shift = (lengths[:, None] * off).sum(axis=0) / lengths.sum() * np.array([1.0, 0.0, 1.0])
    return [replace(hold, place=places[i] + shift) for i, hold in enumerate(group)]


def _beside(
    anchor: Float[np.ndarray, 3], hold: Hold, limb: Limb, examined: Examined, span: slice, level_ground: bool
) -> Float[np.ndarray, 3]:
    """Where the other point of a limb rests beside one whose place is known."""
    apart = limb.far[span] - limb.near[span]
    length = float(np.linalg.norm(apart, axis=-1).mean())
    mean = apart.mean(axis=0) * (-1.0 if hold.far else 1.0)
    if not limb.is_leg:
        return np.asarray(anchor + mean * (length / max(float(np.linalg.norm(mean)), 1e-12)))
    ahead = mean * np.array([1.0, 0.0, 1.0])
    size = float(np.linalg.norm(ahead))
    ahead = ahead / size if size > 1e-9 else np.zeros(3)
    other = 0 if hold.far else 1
    place = anchor + ahead * length
    for _ in range(3):  # the ground may tilt, and a foot on it is a little shorter seen from above
        place = _on_ground(place, limb, examined, other, level_ground=level_ground)
        flat = np.sqrt(max(length**2 - float(place[1] - anchor[1]) ** 2, 0.0))
        place = np.array([anchor[0] + flat * ahead[0], place[1], anchor[2] + flat * ahead[2]])
    return place


def _on_ground(
    place: Float[np.ndarray, 3], limb: Limb, examined: Examined, point: int, *, level_ground: bool
) -> Float[np.ndarray, 3]:
    """A place moved up or down to where that point of the limb rests on the ground."""
    if limb.resting_heights is None or limb.sole_heights is None:
        return place
    if level_ground:
        return np.array([place[0], limb.sole_heights[point], place[2]])
    return np.array([place[0], float(level(examined.feet.ground, place)) + limb.resting_heights[point], place[2]])


def _refuse_contradiction(hold: Hold, other: Hold, limb: Limb, span: slice) -> None:
    length = float(np.linalg.norm(limb.far[span] - limb.near[span], axis=-1).mean())
    apart = float(np.linalg.norm(hold.place - other.place))
    if abs(apart - length) > _APART * max(length, 1e-3):
        points = " and ".join(limb.points)
        raise EditError(
            f"{points} are to rest {apart:.3f} m apart in frames {span.start} to {span.stop - 1}, "
            f"but lie {length:.3f} m apart on the body",
            helps="give a place for one of them, or other frames",
        )


def found_holds(contacts: Contacts) -> dict[str, list[Hold]]:
    """Foot plants as rests without places."""
    return {
        point: [Hold(point.endswith("toe"), first, last, np.zeros(3)) for first, last in contacts.point(point)]
        for point in FOOT_POINTS
    }


def read_holds(table: Mapping[str, Any], n_frames: int, first_row: int) -> dict[str, list[Hold]]:
    """Read constraints: an end → rows of first and last frame and, if wanted, a place.

    For example ``{"left_toe": [[10, 40], [60, 90, 0.1, 0.0, 0.7]]}``; frames are rows of the source, places are in
    metres. Raises ``EditError`` for an end that does not exist, frames beyond the clip or out of order, or a place that
    is not three numbers.
    """
    out: dict[str, list[Hold]] = {}
    for end, rows in table.items():
        if end not in ENDS:
            raise EditError(f"there is no end {str(end)[:40]!r} to hold", helps=f"there are {', '.join(ENDS)}")
        holds: list[Hold] = []
        for row in rows if isinstance(rows, list | tuple) else [rows]:
            hold = _read_hold(end, row, first_row)
            if not 0 <= hold.first <= hold.last < n_frames or (holds and hold.first <= holds[-1].last):
                rows_there = f"{first_row} to {first_row + n_frames - 1}"
                raise EditError(expected=f"frames for {end} in order and apart, among {rows_there}", got=shown(row))
            if np.abs(hold.place).max() > _FARTHEST:
                raise EditError(expected=f"a place for {end} within {_FARTHEST:g} m", got=shown(row))
            holds.append(hold)
        out[str(end)] = holds
    return out


def _read_hold(end: str, row: object, first_row: int) -> Hold:
    """One row of a constraint: two frames, and three coordinates if a place is asked for."""
    numbers = [real_or_nan(cell) for cell in row] if isinstance(row, list | tuple) else []
    if len(numbers) not in (2, 5) or not all(abs(number) < _FARTHEST * 1e4 for number in numbers):
        raise EditError(expected=f"[first, last] or [first, last, x, y, z] for {end}", got=shown(row))
    first, last = (round(number) - first_row for number in numbers[:2])
    given = len(numbers) == 5
    return Hold(False, first, last, np.array(numbers[2:]) if given else np.zeros(3), given=given)


def part_of_holds(wanted: Mapping[str, Sequence[Hold]], first: int, n_frames: int) -> dict[str, list[Hold]]:
    """The rests within a part of a clip, in its own frames; those that reach over its ends are cut there."""
    cut = {
        end: [
            replace(hold, first=max(hold.first - first, 0), last=min(hold.last - first, n_frames - 1)) for hold in holds
        ]
        for end, holds in wanted.items()
    }
    return {end: [hold for hold in holds if hold.first <= hold.last] for end, holds in cut.items()}
