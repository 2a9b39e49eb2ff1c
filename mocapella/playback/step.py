"""One step in time: a function of network, settings, state and seconds that gives the next state and a pose.

A step advances the blend or a captured change, and crosses over from one to the other at the frame of an arc: the
blending point moves, the blend changes with it, an open arc is waited for, taken and left again, the root advances;
then the pose is made, with locked feet.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from mocapella.hybrid.hybrid_network import Arc, HybridNetwork
from mocapella.motion.pose import Pose
from mocapella.playback.blend import (
    Blend,
    Playable,
    advanced,
    blend_of,
    change_on_ground,
    changing,
    clocked,
    drawn_pose,
    legs_in,
    move_blend,
    offset_motion,
    posed,
    remembered,
    sway,
    transition_of,
)
from mocapella.playback.capture import ClipOnGround
from mocapella.playback.handover import RootMotion, handed_over, moments, pose_offset
from mocapella.playback.modes import Version, network_of, soonest, triggered_arc, version_of, weight_of
from mocapella.playback.own_time import OwnTimeOffset, WithOwnTime, started
from mocapella.playback.playhead import GroundMotion, Playhead
from mocapella.playback.pointer import blended, put_on_node
from mocapella.playback.settings import PlayerSettings
from mocapella.playback.state import PlayerState


def step(network: Playable, settings: PlayerSettings, state: PlayerState, dt: float) -> tuple[PlayerState, Pose]:
    """The state of a character ``dt`` seconds later, from 0 on, and its pose then.

    The same arguments give the same bits, whatever was called in between. Raises ``MotionError`` where the motion at
    the blending point cannot be blended.
    """
    span, left = dt, dt  # seconds since the last pose or the last crossover
    while True:
        state, rest = (_play_change if changing(state) else _play_blend)(network, settings, state, left)
        if rest is None:
            return posed(network, settings, state, span)
        span = left = rest


def _play_blend(
    network: Playable, settings: PlayerSettings, state: PlayerState, dt: float
) -> tuple[PlayerState, float | None]:
    """Advance the blend; where a change begins within ``dt`` seconds, also the seconds left after that."""
    state, blend = move_blend(network, settings, state, dt)
    if isinstance(network, HybridNetwork):
        state, blend, left = _follow_arcs(network, settings, state, blend, dt)
        if left is not None:
            return state, left
    return advanced(settings, state, blend.cycle, blend.own, dt), None


def _follow_arcs(
    hybrid: HybridNetwork, settings: PlayerSettings, state: PlayerState, blend: Blend, dt: float
) -> tuple[PlayerState, Blend, float | None]:
    """Wait for an arc whose trigger zone is entered, and take it where its start frame comes within ``dt`` seconds.

    Returned with the state are the blend and, where a change begins, the seconds left after that. The node by which the
    block was entered plays its own motion again once the point has left it.
    """
    here = state.here
    arc = triggered_arc(hybrid, here, blend.place) if here.state == "network" else None
    if arc is not None:
        state = wait_for(hybrid, state, arc)
        here = state.here
    if here.state == "waiting" and here.arc is not None:
        arc = version_of(hybrid, here.arc)
        phase, rate = _clock(hybrid, state, blend, arc)
        version, apart = soonest(arc, phase)
        if (wait := apart / rate) <= dt:
            state = advanced(settings, state, blend.cycle, blend.own, wait)
            return _leave(hybrid, settings, state, version, wait), blend, dt - wait
    if here.taken is not None:
        entered = network_of(hybrid, here.block, here.mode, here.taken)
        if weight_of(entered, version_of(hybrid, here.taken).target.node, blend.place) <= 0.0:
            plain = network_of(hybrid, here.block, here.mode)
            reached = blended(plain, state.point, settings)
            blend = remembered(plain, settings, reached)
            here = replace(here, taken=None, open_mode=here.mode)
            state = replace(state, hybrid=here, point=reached.at, root=state.root.laid_over())
    return state, blend, None


def wait_for(hybrid: HybridNetwork, state: PlayerState, arc: Arc) -> PlayerState:
    """The state, waiting for the start frame of an arc; the point goes the rest of its way to the arc's node."""
    here = state.here
    node = network_of(hybrid, here.block, here.mode, here.taken).node(arc.source.node)
    return replace(state, hybrid=here.waiting_for(arc, state.time), point=state.point.sent(node.at))


def _clock(hybrid: HybridNetwork, state: PlayerState, blend: Blend, arc: Arc) -> tuple[float, float]:
    """The clock by which the start of a change is found: the phase of its source, radians, and its rate."""
    here = state.here
    node = network_of(hybrid, here.block, here.mode, here.taken).index(arc.source.node)
    own_clock = None if blend.own is None else blend.own.clock(node, state.clocks)
    return own_clock or (state.root.head.phase, blend.cycle.rate)


def _leave(
    hybrid: HybridNetwork, settings: PlayerSettings, state: PlayerState, version: Version, dt: float
) -> PlayerState:
    """Begin a change with the frame that the cycle reaches within ``dt`` seconds."""
    here, arc, blend = state.here, version_of(hybrid, version), blend_of(hybrid, settings, state)
    network = network_of(hybrid, here.block, here.mode, here.taken)
    near = weight_of(network, arc.source.node, blend.place) >= arc.zone - 1e-6
    seconds = settings.join if near else max(settings.join, settings.far_join)
    base: GroundMotion = blend.cycle
    if blend.own is not None:  # the offset of own-time nodes is part of the crossover
        over, head = blend.own.over(blend.place, state.clocks), state.root.head
        base = WithOwnTime(blend.cycle, blend.own, blend.place, state.clocks, head.phase)
        state = replace(state, root=state.root.laid_over().at(_with_offset(head, over, settings, 1.0)))
    change = arc.transition
    state = _go_over(settings, state, blend, base, change_on_ground(change, settings), float(change.leave), seconds, dt)
    return replace(state, hybrid=here.changing_by(version, state.time))


def _play_change(
    network: Playable, settings: PlayerSettings, state: PlayerState, dt: float
) -> tuple[PlayerState, float | None]:
    """Advance the change; where it ends within ``dt`` seconds, also the seconds left after that."""
    assert isinstance(network, HybridNetwork)
    here, change = state.here, transition_of(network, state)
    motion, blend = change_on_ground(change, settings), blend_of(network, settings, state)
    loop = change.loop if here.times > 1 else None
    end = float(change.arrive if loop is None else loop[1])
    left = max(end - state.root.head.phase, 0.0) / motion.rate
    if dt < left:
        return advanced(settings, state, motion, blend.own, dt), None
    state = advanced(settings, state, motion, blend.own, left)
    state = replace(state, root=state.root.at(state.root.head.at_phase(end)))
    if loop is None:
        return _arrive(network, settings, state, blend, motion, left), dt - left
    state = replace(state, hybrid=replace(here, times=here.times - 1))
    return _go_over(settings, state, blend, motion, motion, float(loop[0]), settings.join, left), dt - left


def _arrive(
    hybrid: HybridNetwork, settings: PlayerSettings, state: PlayerState, old: Blend, motion: ClipOnGround, dt: float
) -> PlayerState:
    """End a change after ``dt`` seconds: the block it leads to takes over, with the point on the arc's target node."""
    assert state.here.arc is not None
    taken = version_of(hybrid, state.here.arc)
    phase = taken.transition.arrive_phase
    here = state.here.arrived(taken, state.time)
    network = network_of(hybrid, here.block, here.mode, here.taken)
    reached = put_on_node(network, taken.target.node, settings)
    blend = remembered(network, settings, reached)
    clocks = started(network, phase)
    base: GroundMotion = blend.cycle
    over = None if blend.own is None else blend.own.over(blend.place, clocks)
    if blend.own is not None:
        base = WithOwnTime(blend.cycle, blend.own, blend.place, clocks, phase)
    state = _go_over(settings, state, old, motion, base, phase, settings.join, dt)
    root = state.root
    if over is not None:
        root = root.at(_with_offset(root.head, over, settings, -1.0)).laid_over()
    drawn = drawn_pose(clocked(blend.spectrum, blend.own, blend.place).at(np.array(phase)), over)
    return PlayerState(reached.at, root, state.locks, here, clocks, state.time, drawn)


def _with_offset(head: Playhead, over: OwnTimeOffset, settings: PlayerSettings, sign: float) -> Playhead:
    """The state with the root offset of own-time nodes added, or removed."""
    yaw, (x, z) = head.yaw + min(sign, 0.0) * over.yaw, head.position
    by_x, by_z = sway(over, Playhead(head.phase, head.position, yaw), settings)
    return Playhead(head.phase, (x + sign * by_x, z + sign * by_z), yaw + max(sign, 0.0) * over.yaw)


def _go_over(
    settings: PlayerSettings,
    state: PlayerState,
    blend: Blend,
    old: GroundMotion,
    new: GroundMotion,
    phase: float,
    seconds: float,
    dt: float,
) -> PlayerState:
    """Let another motion take over at a phase of its own, ``dt`` seconds after the last pose or the last crossover."""
    root, legs = state.root, legs_in(blend, settings)
    motion = offset_motion(root, old, legs)
    offset = pose_offset(motion, root.head.phase, new, phase, seconds, settings) if seconds > 0.0 else None
    after = RootMotion(root.head.at_phase(phase), root.owed, offset, 0.0, (phase, 0.0))
    locks = state.locks
    if legs is not None and settings.feet == "held" and seconds > 0.0:
        before = moments(root, old, motion, legs, settings)
        then = moments(after, new, offset_motion(after, new, legs), legs, settings)
        locks = handed_over(locks, before, then, legs, settings, dt, seconds)
    return replace(state, root=after, locks=locks)
