"""The blend of a player's state and the pose made from it: move point, change cycle, place feet, bend legs.

Values that follow from network, settings and state alone, such as the blended cycle, are cached. Caches are bounded and
keyed by all that a value depends on, so that a result is the same whether it was cached or not.
"""

from __future__ import annotations

import cmath
import math
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from jaxtyping import Float
from msgspec.structs import replace

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.errors import MotionError
from mocapella.gait.cycle_on_ground import CycleOnGround, dofs_at
from mocapella.gait.root_motion import cycle_by_feet, cycle_by_root
from mocapella.geometry import scalar
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.transition import Transition
from mocapella.motion.layout import HEIGHT, N_ROOT_DOFS
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.capture import ClipOnGround, clip_on_ground
from mocapella.playback.feet.anchor import anchored
from mocapella.playback.feet.leg_ik import held, leg_pose
from mocapella.playback.feet.locks import foot_targets, noticed
from mocapella.playback.handover import OffsetMotion, RootMotion, advance_root
from mocapella.playback.harmonic_count import limited, limited_swings, played_count
from mocapella.playback.modes import network_of, version_of
from mocapella.playback.own_time import OwnTimeNodes, OwnTimeOffset, own_time_nodes
from mocapella.playback.playhead import GroundMotion, Playhead
from mocapella.playback.pointer import Blended, Blender, PointState, WeightFade, blended, move_point, rearranged_in
from mocapella.playback.settings import PlayerSettings
from mocapella.playback.state import DrawnPose, PlayerState
from mocapella.rig.legs import Leg, leg_dofs, legs_of

Playable = Blender | Spectrum | HybridNetwork
_REMEMBERED = 1024  # blends, of some 40 kB each: every character needs its last one
_FRAME = 1.0 / 60.0  # seconds over which a change between two steps is judged
_JOINS_REMEMBERED = 64  # motions with an offset laid over them

_Value = TypeVar("_Value")


def changing(state: PlayerState) -> bool:
    """Whether a captured change is being played."""
    return state.hybrid is not None and state.hybrid.state == "change"


class Blend(NamedTuple):
    """The blend at the point of a state."""

    network: Blender | Spectrum
    aim: Place | None  # where the point is, or has slid to along the outline; None in what is no network
    spot: Place | None  # what is blended: the same, unless old weights fade
    spectrum: Spectrum
    own: OwnTimeNodes | None
    cycle: CycleOnGround  # of what is on the common clock

    @property
    def place(self) -> Place:
        """Where the point lies in a network of triangles."""
        assert self.spot is not None
        return self.spot


class _Recent(dict[tuple[object, ...], tuple[_Value, object]], Generic[_Value]):
    """A bounded cache; objects whose ids are in a key are kept with the value, so that the ids are not used again."""

    def keep(self, key: tuple[object, ...], value: _Value, owners: object, most: int) -> _Value:
        """Keep a value, and drop the oldest beyond a limit."""
        if len(self) >= most:
            del self[next(iter(self))]
        self[key] = value, owners
        return value


_blends: _Recent[Blend] = _Recent()
_offset_motions: _Recent[OffsetMotion] = _Recent()


def blend_of(network: Playable, settings: PlayerSettings, state: PlayerState) -> Blend:
    """The blend of a state, cached."""
    inner, at = open_network(network, state), state.point
    if cached := _blends.get(_key(inner, settings, at)):
        return cached[0]
    if at.aim is None:
        return remembered(inner, settings, blended(inner, at, settings))
    assert isinstance(inner, Network)
    aim = at.aim.place
    place = aim if at.fade is None else at.fade.towards(aim, inner, settings.fade)
    spectrum = limited(inner.blend(place), played_count(at.harmonics, settings))
    return remembered(inner, settings, Blended(at, aim, place, spectrum))


def remembered(
    network: Blender | Spectrum, settings: PlayerSettings, point: Blended, instead: PointState | None = None
) -> Blend:
    """The blend at a point, cached; the cached blend of the point ``instead`` is dropped."""
    if instead is not None:
        _blends.pop(_key(network, settings, instead), None)
    own_time = limited_swings(own_time_nodes(network), played_count(point.at.harmonics, settings))
    spectrum = clocked(point.spectrum, own_time, point.place)
    layout = spectrum.layout  # of a block that may be written in other dofs than the last
    if settings.feet == "velocity" or layout is None:
        cycle = cycle_by_root(spectrum, settings)
    else:
        cycle = cycle_by_feet(spectrum, leg_dofs(layout), settings)
    blend = Blend(network, point.aim, point.place, point.spectrum, own_time, cycle)
    return _blends.keep(_key(network, settings, point.at), blend, settings, _REMEMBERED)


def _key(network: Blender | Spectrum, settings: PlayerSettings, at: PointState) -> tuple[object, ...]:
    return id(network), id(settings), at.point if at.aim is None else at.aim, at.fade, at.harmonics


def open_network(network: Playable, state: PlayerState) -> Blender | Spectrum:
    """The network in which the blending point moves; of a hybrid network, the open triangles of the present block."""
    if not isinstance(network, HybridNetwork):
        return network
    return network_of(network, state.here.block, state.here.open_mode, state.here.taken)


def base_motion(network: Playable, settings: PlayerSettings, state: PlayerState) -> GroundMotion:
    """The motion being played: the cycle of the blend, or the clip of a captured change."""
    if not changing(state):
        return blend_of(network, settings, state).cycle
    return change_on_ground(transition_of(network, state), settings)


def change_on_ground(change: Transition, settings: PlayerSettings) -> ClipOnGround:
    """A captured change over the ground; its tremor is smoothed out where feet are locked."""
    footed = settings.feet != "velocity"
    return clip_on_ground(change.steady if footed else change.clip, change.contacts, footed, settings)


def own_offset(blend: Blend, state: PlayerState) -> OwnTimeOffset | None:
    """The offset that nodes with their own time add to the last pose; None where there are no such nodes."""
    if state.drawn is not None:
        drawn = state.drawn
        return OwnTimeOffset(np.array(drawn.own_dofs), drawn.own_path, drawn.own_yaw) if drawn.own_dofs else None
    return None if blend.own is None else blend.own.over(blend.place, state.clocks)


def sway(over: OwnTimeOffset | None, head: Playhead, settings: PlayerSettings) -> tuple[float, float]:
    """The root displacement (x, z; metres) by nodes with their own time; zero with an anchored foot."""
    return (0.0, 0.0) if over is None or settings.feet == "anchored" else over.place(head.yaw)


@lru_cache(maxsize=64)
def known_legs(skeleton: Skeleton) -> tuple[Leg, Leg]:
    """The legs of a skeleton; an error says how to play one without."""
    try:
        return legs_of(skeleton)
    except MotionError as error:
        text = f"{error}; or let the blended root lead: feet='velocity'"
        raise MotionError(text, option=error.option) from None


def legs_in(blend: Blend, settings: PlayerSettings) -> tuple[Leg, Leg] | None:
    """The left and the right leg of the blended motion; None where feet are not locked."""
    return None if settings.feet == "velocity" else known_legs(blend.cycle.layout.skeleton)


def offset_motion(root: RootMotion, base: GroundMotion, legs: tuple[Leg, Leg] | None) -> GroundMotion:
    """A motion with the fading offset of the motion before it (inertialisation)."""
    offset = root.offset
    if offset is None:
        return base
    key = id(base), id(offset), root.laid, id(legs)
    if cached := _offset_motions.get(key):
        return cached[0]
    return _offset_motions.keep(key, OffsetMotion(base, offset, *root.laid, legs), legs, _JOINS_REMEMBERED)


def transition_of(network: Playable, state: PlayerState) -> Transition:
    """The transition that is waited for or played."""
    assert isinstance(network, HybridNetwork)
    assert state.here.arc is not None
    return version_of(network, state.here.arc).transition


def clocked(spectrum: Spectrum, own: OwnTimeNodes | None, place: Place | None) -> Spectrum:
    """The part of a blend that runs on the common clock."""
    return spectrum if own is None or place is None else own.without(spectrum, place)


class _Drawn(NamedTuple):
    """The dofs of the last pose."""

    dofs: Float[np.ndarray, " dofs"]
    own: OwnTimeNodes | None
    over: OwnTimeOffset | None
    state: PlayerState

    @classmethod
    def of(cls, blend: Blend, state: PlayerState) -> _Drawn:
        """The dofs of the last pose of a state."""
        drawn = state.drawn
        dofs = blend.cycle.dofs(state.root.head.phase) if drawn is None else np.array(drawn.dofs)
        return cls(dofs, blend.own, own_offset(blend, state), state)

    def load(self, spectrum: Spectrum, place: Place | None, settings: PlayerSettings, dt: float) -> float:
        """How fast a change of motion is within ``dt`` seconds, as a multiple of what the settings allow."""
        apart = dofs_at(spectrum, self.state.root.head.phase) - self.dofs
        if self.over is not None and self.own is not None and place is not None:
            apart += self.own.over(place, self.state.clocks).dofs - self.over.dofs
        turned = 2.0 * float(np.maximum.reduce(np.abs(apart[:-N_ROOT_DOFS])))
        return max(turned / settings.agility, abs(float(apart[HEIGHT])) / settings.rise) / max(dt, 1e-9)


def drawn_pose(dofs: Float[np.ndarray, " dofs"], over: OwnTimeOffset | None) -> DrawnPose:
    """The dofs of a pose as plain numbers."""
    if over is None:
        return DrawnPose(tuple(dofs.tolist()))
    return DrawnPose(tuple(dofs.tolist()), tuple(over.dofs.tolist()), over.path, over.yaw)


def advanced(
    settings: PlayerSettings, state: PlayerState, motion: GroundMotion, own: OwnTimeNodes | None, dt: float
) -> PlayerState:
    """The state ``dt`` seconds later within the same motion."""
    root = advance_root(state.root, motion, settings, dt)
    clocks = state.clocks if own is None else own.advanced(state.clocks, dt)
    return PlayerState(state.point, root, state.locks, state.hybrid, clocks, state.time + dt, state.drawn)


# The blending point moves.


def move_blend(network: Playable, settings: PlayerSettings, state: PlayerState, dt: float) -> tuple[PlayerState, Blend]:
    """The state with its blending point ``dt`` seconds later, and what is blended there."""
    blend = before = blend_of(network, settings, state)
    last: _Drawn | None = None

    def load(spectrum: Spectrum, place: Place | None) -> float:
        nonlocal last
        last = _Drawn.of(before, state) if last is None else last
        return last.load(clocked(spectrum, before.own, place), place, settings, dt)

    here = Blended(state.point, blend.aim, blend.spot, blend.spectrum)
    moved = move_point(blend.network, here, settings, dt, state.locks.give(settings), load)
    if moved.spectrum is not here.spectrum:
        state, blend = _with_blend(settings, state, before, moved, dt)
    elif moved is not here:
        state = replace(state, point=moved.at)
    return state, blend


def _with_blend(
    settings: PlayerSettings, state: PlayerState, before: Blend, moved: Blended, dt: float
) -> tuple[PlayerState, Blend]:
    """The state with another blend, ``dt`` seconds after the one before, and the root shift that planted feet need."""
    blend = remembered(before.network, settings, moved, instead=state.point)
    root = state.root.laid_over()
    head = root.head
    shift = cmath.exp(1j * head.yaw) * _root_shift(before.cycle, blend.cycle, head.phase, settings, dt)
    root = RootMotion(head, root.owed + shift, root.offset, root.age, root.laid)
    return PlayerState(moved.at, root, state.locks, state.hybrid, state.clocks, state.time, state.drawn), blend


def _root_shift(
    before: CycleOnGround, after: CycleOnGround, phase: float, settings: PlayerSettings, dt: float
) -> complex:
    """The root displacement, in its own heading, that keeps planted feet in place when the blended cycle changes.

    It is limited to ``root_shift_speed``; the legs make up for the rest until the feet leave the ground.
    """
    bearing = after.bearing(phase)
    total = sum(bearing)
    if total < 1e-6 or dt <= 0.0:
        return 0j
    feet = zip(bearing, before.feet(phase), after.feet(phase), strict=True)
    wanted = sum((share * (old - new) for share, old, new in feet), 0j) / max(total, 1.0)
    return wanted / math.hypot(1.0, abs(wanted) / (settings.root_shift_speed * dt))


# The blend exchanged between two steps.


def exchanged(before: Blend, state: PlayerState, opened: Blended) -> PlayerState:
    """The state with another blend, of a mode that has been switched to; what was drawn last is kept."""
    drawn = _Drawn.of(before, state)
    last_pose = drawn_pose(drawn.dofs, drawn.over)
    return replace(state, point=opened.at, root=state.root.laid_over(), drawn=last_pose)


def rearranged(network: Network, other: Network, settings: PlayerSettings, state: PlayerState) -> PlayerState:
    """The state in another network of the same motions; weights fade where much would change at once."""
    blend = blend_of(network, settings, state)
    drawn = _Drawn.of(blend, state)
    moved = rearranged_in(other, state.point, settings)
    if drawn.load(clocked(moved.spectrum, own_time_nodes(other), moved.place), moved.place, settings, _FRAME) > 1.0:
        moved = blended(other, replace(moved.at, fade=WeightFade.of(blend.place)), settings)
    state = replace(state, drawn=drawn_pose(drawn.dofs, drawn.over))
    return _with_blend(settings, state, blend._replace(network=other), moved, _FRAME)[0]


# The pose.


def posed(network: Playable, settings: PlayerSettings, state: PlayerState, dt: float) -> tuple[PlayerState, Pose]:
    """The pose with its feet where they stand, ``dt`` seconds after the last one."""
    blend = blend_of(network, settings, state)
    root, locks = state.root, state.locks
    head, over = root.head, None
    layout, phase, legs = blend.cycle.layout, head.phase, legs_in(blend, settings)
    if changing(state):
        base: GroundMotion = change_on_ground(transition_of(network, state), settings)
        rotations, height = base.posture(phase)
    else:
        base = blend.cycle
        dofs = blend.cycle.dofs(phase)
        if blend.own is not None:
            over = blend.own.over(blend.place, state.clocks)
            dofs = dofs + over.dofs
        rotations, height = layout.rotations(dofs), float(dofs[HEIGHT]) + blend.cycle.lift(phase)
    motion = offset_motion(root, base, legs)
    if isinstance(motion, OffsetMotion):
        rotations, height = motion.displaced((rotations, height), root.age)
    heading = head.yaw if over is None else head.yaw + over.yaw
    aside_x, aside_z = sway(over, head, settings)
    turns = rotations.tolist()
    root_turn = rotations[0] = scalar.multiply(scalar.about((0.0, 1.0, 0.0), heading), tuple(turns[0]))
    if legs is not None and settings.feet == "anchored":
        locks, head = anchored(locks, motion, head, legs, root_turn, turns)
        root = root.at(head)
    x, z = head.position
    place = (x + aside_x, height, z + aside_z)
    if legs is not None and settings.feet == "held":
        poses = leg_pose(legs[0], place, root_turn, turns), leg_pose(legs[1], place, root_turn, turns)
        targets, locks, bearings = foot_targets(locks, motion, head, legs, poses, settings, dt)
        heights = []
        for leg, pose, target in zip(legs, poses, targets, strict=True):
            toes = scalar.NO_TURN if leg.toe_joint is None else tuple(turns[leg.toe_joint])
            bent, high = held(leg, pose, target, toes)
            heights.append(high)
            for joint, turn in bent.items():
                rotations[joint] = turn  # one by one: a list of joints would take twice as long
        locks = noticed(locks, bearings, (heights[0], heights[1]), settings)
    state = PlayerState(state.point, root, locks, state.hybrid, state.clocks, state.time)
    return state, Pose.unchecked(layout.skeleton, owned(np.array(place)), owned(rotations))
