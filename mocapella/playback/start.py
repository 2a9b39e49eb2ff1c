"""The first state of a player, and whether a stored one belongs to a network."""

from __future__ import annotations

import math

from msgspec.structs import replace

from mocapella.blending.network import Network
from mocapella.errors import MotionError, warn
from mocapella.gait.cycle_on_ground import CycleOnGround
from mocapella.geometry.curves import smoothstep
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.blend import (
    Playable,
    blend_of,
    change_on_ground,
    known_legs,
    open_network,
    own_offset,
    remembered,
    sway,
)
from mocapella.playback.handover import RootMotion
from mocapella.playback.modes import HybridState, network_of, version_of
from mocapella.playback.own_time import started
from mocapella.playback.playhead import Playhead
from mocapella.playback.pointer import Blender, Coordinates, PointState, start_at
from mocapella.playback.settings import PlayerSettings
from mocapella.playback.state import PlayerState
from mocapella.rig.legs import leg_dofs

_ROUNDING = 1e-6  # by which the sum of weights may differ from 1


def first_block(network: object, block: str | None, mode: str | None) -> HybridState | None:
    """Where a player of a hybrid network begins; None elsewhere."""
    if not isinstance(network, HybridNetwork):
        if block is not None or mode is not None:
            raise MotionError("only a hybrid network has blocks and modes to begin in")
        return None
    first = next(iter(network.blocks)) if block is None else block
    network.block(first)
    return HybridState.start(first, network.modes[0].name if mode is None else network.mode(mode).name)


def start_state(
    network: Playable, settings: PlayerSettings, point: Coordinates, head: Playhead, here: HybridState | None
) -> PlayerState:
    """The first state of a character; tables that later steps need are computed now, so that no step is slow."""
    if isinstance(network, HybridNetwork):
        assert here is not None
        inner: Blender | Spectrum = network_of(network, here.block, here.mode)
    else:
        inner = network
    start = start_at(inner, point, settings)
    layout = start.spectrum.layout
    if layout is None:
        raise MotionError("these harmonics have no layout, so they make no pose")
    footed = settings.feet != "velocity"
    if footed:
        known_legs(layout.skeleton)
        if start.spectrum.contacts is None:
            warn("this motion knows no foot plants, so nothing keeps its feet from sliding")
    blend = remembered(inner, settings, start)
    head = Playhead(head.phase, head.position, head.yaw + _facing(blend.cycle, head.phase))
    state = PlayerState(start.at, RootMotion(head), hybrid=here, clocks=started(inner, head.phase))
    over = own_offset(blend, state)
    if over is not None:
        x, z = sway(over, head, settings)
        moved = Playhead(head.phase, (head.position[0] - x, head.position[1] - z), head.yaw)
        state = replace(state, root=RootMotion(moved))
    if isinstance(network, HybridNetwork):
        for block in network.made_ready().networks:
            if footed and (block_layout := block.blend(block.nodes[0].at).layout) is not None:
                leg_dofs(block_layout)
        for arc in network.arcs:
            for version in arc.versions:
                change_on_ground(version.transition, settings)
    return state


def _facing(cycle: CycleOnGround, phase: float) -> float:
    """Which way hips face at a cycle phase of a motion that goes straight ahead, radians.

    They swing with every step, and many captures go a few degrees aside of where their hips face on average. A motion
    that goes far aside, a side step or a walk backwards, faces ahead on average.
    """
    least, most = math.radians(15.0), math.radians(45.0)  # from the hips: a motion that goes further is a side step
    share = (most - abs(cycle.drift)) / (most - least)
    return cycle.sway(phase)[0] - cycle.drift * smoothstep(min(max(share, 0.0), 1.0))


def refuse_other_network(network: Playable, settings: PlayerSettings, state: PlayerState) -> None:
    """Raise ``MotionError`` where a state does not belong to this network."""
    if isinstance(network, HybridNetwork) and state.hybrid is not None:
        _refuse_other_arcs(network, state.hybrid)
    inner = open_network(network, state)
    _refuse_other_point(inner, state.point)
    clocks, expected = len(state.clocks), len(started(inner, 0.0))
    if clocks != expected:
        raise MotionError(f"this is the snapshot of {clocks} nodes with their own time, not of {expected}")
    layout, offset = blend_of(network, settings, state).cycle.layout, state.root.offset
    for turns in () if offset is None else (offset.turns, offset.spins):
        if len(turns) != layout.skeleton.n_joints:
            raise MotionError(f"this is the snapshot of {len(turns)} joints, not of {layout.skeleton!r}")
    drawn = state.drawn
    if drawn is not None and (len(drawn.dofs) != layout.n_dofs or len(drawn.own_dofs) not in (0, layout.n_dofs)):
        raise MotionError(f"this is the snapshot of {len(drawn.dofs)} dofs, not of {layout!r}")


def _refuse_other_arcs(network: HybridNetwork, here: HybridState) -> None:
    for version in (here.arc, here.taken, None if here.wanted is None else (here.wanted, 0)):
        if version is not None:
            version_of(network, version)
    network.mode(here.open_mode)
    if (here.arc is None) != (here.state == "network"):
        raise MotionError(f"this snapshot is damaged: in the state {here.state!r} it names the arc {here.arc!r}")


def _refuse_other_point(network: Blender | Spectrum, point: PointState) -> None:
    """Raise where a blending point is damaged, or its nodes are not those of a network."""
    aimed = point.point if point.aim is None else point.aim.point
    if not len(point.point) == len(point.goal) == len(point.velocity) == len(aimed):
        raise MotionError("this snapshot is damaged: its blending point, goal and velocity have unlike numbers of axes")
    if not isinstance(network, Network):
        return
    places = [place for place in (point.aim, point.fade) if place is not None]
    nodes = [node for place in places for node in place.nodes]
    inside = point.aim is not None and 0 <= point.aim.triangle < len(network.corners)
    if not inside or not all(0 <= node < len(network.nodes) for node in nodes):
        raise MotionError(f"this is the snapshot of another network, not of {network!r}")
    for place in places:
        if not len(place.nodes) == len(place.weights) > 0:
            counts = f"{len(place.weights)} weights for {len(place.nodes)} nodes"
            raise MotionError(f"this snapshot is damaged: it has {counts}")
        if abs(sum(place.weights) - 1.0) > _ROUNDING or (
            network.outside == "clamp" and min(place.weights) < -_ROUNDING
        ):
            weights = ", ".join(f"{weight:g}" for weight in place.weights[:4])
            raise MotionError(f"this snapshot is damaged: expected weights from 0 on with the sum 1, found {weights}")
