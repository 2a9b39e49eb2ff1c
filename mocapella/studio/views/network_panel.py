"""The messages about the network being played: its plane, its body, and small skeletons of its nodes."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import RULES
from mocapella.body.skin import body_mesh
from mocapella.building.layout.placement import LEFT_AND_AHEAD, TURN_AND_SPEED, Axes, axes_for
from mocapella.hybrid.arranging import Playable
from mocapella.hybrid.hybrid_network import Arc, ArcEnd, HybridNetwork
from mocapella.hybrid.seams import Seam, SeamPoses, arc_seam_poses, arc_seams
from mocapella.measure.measures import ARC, figures
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.travel import turn_and_speed
from mocapella.quoting import python_call, python_literal
from mocapella.rig.roles import find_roles
from mocapella.studio.messages.answers import ArcRow, Block, Body, ModeRow, NetworkView, NodePoses, NodeView
from mocapella.studio.messages.details import ArcDetails, SeamView
from mocapella.studio.messages.fields import copied
from mocapella.studio.project import Project
from mocapella.studio.views import pose_packing as packing

_STRIP = 15  # poses of an arc
_UNITS = {("turn", "speed"): ("°/s", "m/s"), ("left", "ahead"): ("m/s", "m/s")}
_NEAR = 0.5  # of the least spread of a network: as far a node may lie from its turn and speed
_BESIDE = 0.5  # seconds before and after a change that its strip shows


def skeleton_of(playable: Playable) -> Skeleton:
    """The skeleton that a network moves."""
    if isinstance(playable, HybridNetwork):
        return playable.skeleton
    assert playable.layout is not None
    return playable.layout.skeleton


def networks_of(playable: Playable) -> dict[str, Network]:
    """The networks of a hybrid network by block; a plain one under an empty name."""
    if isinstance(playable, HybridNetwork):
        return {name: block.network for name, block in playable.blocks.items()}
    return {"": playable}


def body_view(skeleton: Skeleton, number: int) -> Body:
    """The skeleton and its body."""
    roles = find_roles(skeleton)
    mesh = body_mesh(skeleton, roles)
    heights = np.concatenate([mesh.vertices[:, 1], skeleton.rest_positions[:, 1]])
    return Body(
        id=number,
        **packing.joint_tree(skeleton),
        offsets=_triples(skeleton.offsets),
        end_offsets=_triples(skeleton.end_offsets),
        sides=packing.sides(skeleton),
        roles=dict(roles),
        height=float(heights.max() - heights.min()),
        n_vertices=len(mesh.vertices),
        vertices=packing.packed(mesh.vertices, "<f4"),
        normals=packing.packed(mesh.normals, "<f4"),
        faces=packing.packed(mesh.faces, "<u4"),
        skin_joints=packing.packed(mesh.joints, "<u2"),
        skin_weights=packing.packed(mesh.weights, "<f4"),
    )


def _triples(rows: np.ndarray) -> list[tuple[float, float, float]]:
    return [(float(x), float(y), float(z)) for x, y, z in rows]


def network_view(
    playable: Playable, project: Project, origins: Mapping[str, str], *, revision: int, body: int
) -> NetworkView:
    """The network as the editor draws it. ``origins`` says where each node came from, in words."""
    networks = networks_of(playable)
    first = next(iter(networks.values()))
    hybrid = playable if isinstance(playable, HybridNetwork) else None
    blocks = []
    for name, network in networks.items():
        transitions, buffers = _changes_of(hybrid, name)
        nodes = tuple(
            _node_view(node, project, origins, project.offset(name, node.name), transitions) for node in network.nodes
        )
        rows = tuple(tuple(row) for row in network.corners.tolist())
        blocks.append(Block(name, nodes, rows, network.outline, buffers))
    single = first.single_source
    axes = ("turn", "speed") if placed_by_turn(first) else ("left", "ahead") if _by_velocity(first) else ("x", "y")
    return NetworkView(
        revision=revision,
        body=body,
        hybrid=hybrid is not None,
        blocks=tuple(blocks),
        arcs=tuple(_arc_row(arc) for arc in hybrid.arcs) if hybrid else (),
        modes=_mode_rows(hybrid) if hybrid else (),
        rule=next((name for name, rule in RULES.items() if rule is first.rule), "by hand"),
        harmonics=project.harmonics or first.n_harmonics,
        most_harmonics=first.n_harmonics,
        single_source=None if single is None else single.first,
        axes=axes,
        units=_UNITS.get(axes, ("", "")),
        dofs=() if first.layout is None else first.layout.names,
    )


def _changes_of(hybrid: HybridNetwork | None, name: str) -> tuple[Collection[str], tuple[tuple[int, ...], ...]]:
    """The nodes of a block that lead into changes, and its buffer triangles; a plain network has none."""
    if hybrid is None:
        return frozenset(), ()
    block = hybrid.blocks[name]
    return block.transition_nodes, tuple(_numbers(block.network, names) for names in block.buffers)


def _node_view(
    node: Node, project: Project, origins: Mapping[str, str], offset: float, transitions: Collection[str]
) -> NodeView:
    motion = node.spectrum
    turn, speed = turn_and_speed(motion)
    return NodeView(
        name=node.name,
        at=(float(node.at[0]), float(node.at[1])),
        period=motion.duration,
        speed=speed,
        turn=turn,
        plants=packing.phase_plants(motion.contacts),
        clip=node.name if node.name in project.names else "",
        source=origins.get(node.name, ""),
        transition=node.name in transitions,
        synchronised=node.synchronised,
        offset=offset,
    )


def _numbers(network: Network, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(network.index(name) for name in names)


def _arc_row(arc: Arc) -> ArcRow:
    ends = {name: (end.block, end.node) for name, end in (("source", arc.source), ("target", arc.target))}
    return copied(ArcRow, arc, **ends, seconds=arc.transition.seconds, mirrored=arc.mirrored is not None)


def _mode_rows(hybrid: HybridNetwork) -> tuple[ModeRow, ...]:
    rows = []
    for mode in hybrid.modes:
        triangles = {
            name: tuple(_numbers(block.network, names) for names in mode.triangles.get(name, block.plain))
            for name, block in hybrid.blocks.items()
        }
        rows.append(ModeRow(mode.name, mode.key, tuple(sorted(mode.arcs)), triangles))
    return tuple(rows)


def node_poses(playable: Playable, revision: int) -> list[NodePoses]:
    """Small skeletons of all nodes in phase, one message per block."""
    out = []
    for name, network in networks_of(playable).items():
        points = np.stack([packing.spectrum_points(node.spectrum) for node in network.nodes])
        shape = {"phases": packing.PHASES, "n_points": points.shape[2]}
        out.append(NodePoses(revision=revision, block=name, nodes=network.names, **shape, poses=packing.small(points)))
    return out


def arc_details(hybrid: HybridNetwork, name: str) -> ArcDetails:
    """Everything about one arc; seams as ``mocapella measure`` has them, after ``leave_`` and ``arrive_``."""
    arc = hybrid.arc(name)
    change = arc.transition
    clip: Clip = change.clip
    beside = round(_BESIDE * clip.frame_rate)
    first, last = max(0, change.leave - beside), min(clip.n_frames - 1, change.arrive + beside)
    frames = np.linspace(first, last, min(_STRIP, last - first + 1)).round().astype(int).tolist()
    points = packing.clip_points(clip, frames)
    measured = arc_seams(hybrid, arc)
    meet = arc_seam_poses(hybrid, arc)
    seams = {
        f"{end}_{key}": float(value)
        for end, seam in zip(("leave", "arrive"), measured, strict=True)
        for key, value in figures(ARC, seam).items()
        if isinstance(value, int | float) and math.isfinite(value)
    }
    return ArcDetails(
        name=arc.name,
        seconds=change.seconds,
        leave=change.leave + clip.first_row,
        arrive=change.arrive + clip.first_row,
        frames=clip.n_frames,
        zone=arc.zone,
        mirrored=arc.mirrored is not None,
        seams=seams,
        decisions=[(decision.step, decision.text) for decision in change.decisions],
        pose_frames=[frame + clip.first_row for frame in frames],
        n_points=points.shape[1],
        poses=packing.small(points),
        meets=(
            _seam_view(arc.source, change.leave + clip.first_row, measured[0], meet[0]),
            _seam_view(arc.target, change.arrive + clip.first_row, measured[1], meet[1]),
        ),
        python=python_call("player.trigger", python_literal(arc.name)),
    )


def _seam_view(end: ArcEnd, frame: int, seam: Seam, meet: SeamPoses) -> SeamView:
    names = meet.cycle.skeleton.names
    far, turned = int(np.argmax(meet.apart)), int(np.argmax(meet.turned))
    both = (meet.cycle, meet.clip)
    return SeamView(
        block=end.block,
        node=end.node,
        frame=frame,
        mean_mm=1000.0 * seam.pose,
        most_mm=1000.0 * float(meet.apart[far]),
        most_joint=names[far],
        angle=math.degrees(seam.turn),
        angle_joint=names[turned],
        velocity=math.degrees(seam.velocity),
        roots=_triples(np.array([pose.root_position for pose in both])),
        rotations=packing.packed(np.array([pose.rotations_wxyz for pose in both]), "<f4"),
    )


def placed_by_turn(network: Network) -> bool:
    """Whether most nodes of a network lie at their turn and speed, so that its coordinates can be said in words."""
    return _placed_by(network, TURN_AND_SPEED) and not _by_velocity(network)


def _by_velocity(network: Network) -> bool:
    """Whether nodes go different ways and lie at their velocities."""
    ways_differ = axes_for([node.spectrum for node in network.nodes]) is LEFT_AND_AHEAD
    return ways_differ and _placed_by(network, LEFT_AND_AHEAD)


def _placed_by(network: Network, axes: Axes) -> bool:
    places = np.array([axes.measure(node.spectrum) for node in network.nodes])
    near = np.abs(network.points - places) <= np.array(axes.least) * _NEAR
    return bool(near.all(axis=1).mean() > 0.5)
