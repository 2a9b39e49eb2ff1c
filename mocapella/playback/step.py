"""One step in time: a function of network, settings, state and seconds that gives the next state and a pose.

A step has phases, in the order of this file: move the blending point, change the blend with it, advance the root, or
begin and end a captured change; then find where the feet are to stand, bend the legs, and give the pose. What follows
from network and state alone, such as the blend, is worked out once and kept in bounded caches.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
from msgspec.structs import replace

from mocapella.arrays import owned
from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.geometry import scalar
from mocapella.hybrid.network import HybridNetwork
from mocapella.motion.layout import HEIGHT
from mocapella.motion.pose import Pose
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.blend import (
    Blend,
    Drawn,
    Playable,
    advanced,
    blend_of,
    change_on_ground,
    changing,
    clocked,
    drawn_pose,
    known_legs,
    offset_motion,
    remembered,
    sway,
    transition_of,
)
from mocapella.playback.changes import follow_arcs, play_change
from mocapella.playback.feet.anchor import anchored
from mocapella.playback.feet.locks import foot_targets, noticed
from mocapella.playback.feet.reach import held, leg_pose
from mocapella.playback.handover import OffsetMotion, RootMotion
from mocapella.playback.motion_on_ground import CycleOnGround, GroundMotion
from mocapella.playback.own_time import own_time_nodes
from mocapella.playback.pointer import Blended, faded_from, move_point, rearranged_in
from mocapella.playback.settings import PlayerSettings
from mocapella.playback.state import PlayerState

_FRAME = 1.0 / 60.0  # seconds in which a body makes way for what changes between two steps


def step(network: Playable, settings: PlayerSettings, state: PlayerState, dt: float) -> tuple[PlayerState, Pose]:
    """A character ``dt`` seconds later.

    Parameters
    ----------
    network
        What is played.
    settings
        How.
    state
        Where the character is in it.
    dt
        Seconds, from 0 on; 0 gives the present pose.

    Returns
    -------
    tuple[PlayerState, Pose]
        The state then, and the pose. The same arguments give the same bits, whatever was asked in between.

    Raises
    ------
    MotionError
        Where the blending point comes to what cannot be blended.
    """
    span, left = dt, dt  # seconds since the last pose, or since another motion took over
    while True:
        state, rest = (play_change if changing(state) else _play_blend)(network, settings, state, left)
        if rest is None:
            return _posed(network, settings, state, span)
        span = left = rest


# Play the blend.


def _play_blend(
    network: Playable, settings: PlayerSettings, state: PlayerState, dt: float
) -> tuple[PlayerState, float | None]:
    """The blend played on; where a change begins within ``dt`` seconds, what is left of them then."""
    blend = before = blend_of(network, settings, state)
    last: Drawn | None = None

    def load(spectrum: Spectrum, place: Place | None) -> float:
        nonlocal last
        last = Drawn.of(before, state) if last is None else last
        return last.load(clocked(spectrum, before.own, place), place, settings, dt)

    here = Blended(state.point, blend.aim, blend.spot, blend.spectrum)
    found = move_point(blend.network, here, settings, dt, state.locks.give(settings), load)
    if found.spectrum is not here.spectrum:
        state, blend = _with_blend(settings, state, before, found, dt)
    elif found is not here:
        state = replace(state, point=found.at)
    if isinstance(network, HybridNetwork):
        state, blend, left = follow_arcs(network, settings, state, blend, dt)
        if left is not None:
            return state, left
    return advanced(settings, state, blend.cycle, blend.own, dt), None


def _with_blend(
    settings: PlayerSettings, state: PlayerState, before: Blend, found: Blended, dt: float
) -> tuple[PlayerState, Blend]:
    """Another motion blended, ``dt`` seconds after the one before, and the root's debt to feet that stand."""
    blend = remembered(before.network, settings, found, instead=state.point)
    root = state.root.laid_over()
    head = root.head
    shift = cmath.exp(1j * head.yaw) * _root_shift(before.cycle, blend.cycle, head.phase, settings, dt)
    root = RootMotion(head, root.owed + shift, root.offset, root.age, root.laid)
    return PlayerState(found.at, root, state.locks, state.hybrid, state.clocks, state.time, state.drawn), blend


def _root_shift(
    before: CycleOnGround, after: CycleOnGround, phase: float, settings: PlayerSettings, dt: float
) -> complex:
    """How the root moves, in its own heading, so that planted feet stay when one cycle gives way to another.

    It never goes faster than ``root_shift_speed`` for that; what is left the legs take until the feet leave the ground.
    """
    bearing = after.bearing(phase)
    total = sum(bearing)
    if total < 1e-6 or dt <= 0.0:
        return 0j
    wanted: complex = 0j
    for share, old, new in zip(bearing, before.feet(phase), after.feet(phase), strict=True):
        wanted += share * (old - new)
    wanted /= max(total, 1.0)
    return wanted / math.hypot(1.0, abs(wanted) / (settings.root_shift_speed * dt))


# The blend exchanged between two steps.


def exchanged(before: Blend, state: PlayerState, found: Blended) -> PlayerState:
    """The state with another blend, of a mode that has been switched to; what was drawn last is kept."""
    drawn = Drawn.of(before, state)
    kept = drawn_pose(drawn.dofs, drawn.over)
    return replace(state, point=found.at, root=state.root.laid_over(), drawn=kept)


def rearranged(network: Network, other: Network, settings: PlayerSettings, state: PlayerState) -> PlayerState:
    """The state in another network of the same motions; weights fade where much would change at once."""
    blend = blend_of(network, settings, state)
    drawn = Drawn.of(blend, state)
    found = rearranged_in(other, state.point, settings)
    own = own_time_nodes(other)
    if drawn.load(clocked(found.spectrum, own, found.place), found.place, settings, _FRAME) > 1.0:
        found = faded_from(other, found.at, blend.place, settings)
    state = replace(state, drawn=drawn_pose(drawn.dofs, drawn.over))
    return _with_blend(settings, state, blend._replace(network=other), found, _FRAME)[0]


# The pose.


def _posed(network: Playable, settings: PlayerSettings, state: PlayerState, dt: float) -> tuple[PlayerState, Pose]:
    """The pose with its feet where they stand, ``dt`` seconds after the last one."""
    blend = blend_of(network, settings, state)
    root, locks = state.root, state.locks
    head, over = root.head, None
    layout, phase = blend.cycle.spectrum.layout, head.phase
    assert layout is not None
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
    legs = None if settings.feet == "velocity" else known_legs(layout.skeleton)
    motion = offset_motion(root, base, legs)
    if isinstance(motion, OffsetMotion):
        rotations, height = motion.displaced((rotations, height), root.age)
    heading = head.yaw if over is None else head.yaw + over.yaw
    aside_x, aside_z = sway(over, head, settings)
    turns = rotations.tolist()
    upright = (math.cos(0.5 * heading), 0.0, math.sin(0.5 * heading), 0.0)
    root_turn = scalar.multiply(upright, tuple(turns[0]))
    rotations[0] = root_turn
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
    return state, Pose.sound(layout.skeleton, owned(np.array(place)), owned(rotations))
