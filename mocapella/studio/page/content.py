"""The content of a page: skeletons with their bodies, motions frame by frame, networks as loops.

Keys are spelled as in the viewer's TypeScript. Rotations and places are rounded to steps so small that joints of a
person lie within 1e-5 m of Python's (see ``_Steps``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool

from mocapella.analysis.examined import examine
from mocapella.blending.network import Network
from mocapella.body.skin import body_mesh
from mocapella.checks import shown
from mocapella.errors import MotionError
from mocapella.exporting.played_changes import played_changes
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, YAW_RATE
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import path_of_rates
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.rig.roles import find_roles
from mocapella.studio.page.loop_grid import Loop, LoopGrid, loop_grid, played_loop, root_steps
from mocapella.studio.page.packed import packed

Json = dict[str, Any]


class _Steps(NamedTuple):
    """Steps to which the numbers of a page are rounded, and limits of its motions."""

    rotation: float = 2.0**-20  # of quaternion components; a chain of ten joints is off by some micrometres
    loop: float = 2.0**-16  # of quaternion components of loops, which are mixed anyway; joints within 1e-4 m
    place: float = 2.0**-18  # metres; four micrometres
    body: float = 2.0**-14  # metres; the surface of the body, 0.06 mm
    weight: float = 2.0**-10  # of skin weights, a tenth of a per cent
    most_frames: int = 400_000  # of a motion; 200 MB of page for 30 joints
    played_seconds: float = 10.0  # of what a player does, where it cannot be steered in the page


_STEPS = _Steps()


def content_of(value: Any, *, seconds: float | None = None, frame_rate: float | None = None) -> Json:
    """The JSON object that the viewer shows; its ``kind`` is ``"motion"`` or ``"loops"``.

    ``value`` is a clip or a recording, a cycle, a spectrum, a network or a hybrid network, or a player, of which the
    network is shown, at its point; the player stays as it is. Of a motion at most ``seconds`` and ``frame_rate`` frames
    per second are kept; None keeps all. Raises ``MotionError`` for other values, networks with more than two axes, and
    motions of too many frames.
    """
    if isinstance(value, Player):
        return _player_content(value, seconds, frame_rate)
    if isinstance(value, Clip):
        return motions_content([value], seconds=seconds, frame_rate=frame_rate)
    if isinstance(value, Cycle):
        return _single(_loop_of(value), value.skeleton, value.name)
    if isinstance(value, Spectrum):
        return _spectrum_content(value)
    if isinstance(value, Network):
        middle = value.place(tuple(value.points.mean(axis=0).tolist())).point
        return _loops_content({"": loop_grid(value)}, "", tuple(middle))
    if isinstance(value, HybridNetwork):
        first = next(iter(value.blocks))
        plain = {name: plain_block(value, name) for name in value.blocks}
        middle = plain[first].place(tuple(plain[first].points.mean(axis=0).tolist())).point
        return _hybrid_content(value, plain, first, tuple(middle))
    raise MotionError(
        expected="a clip, a cycle, a network in the plane, a hybrid network or a player to make a page of",
        got=shown(value),
        helps="record what a player does with it, and make a page of the recording",
    )


def motions_content(clips: Sequence[Clip], *, seconds: float | None = None, frame_rate: float | None = None) -> Json:
    """Clips with the skeletons they need, each skeleton once: ``kind``, ``skeletons`` and ``motions``.

    Of each at most ``seconds`` and ``frame_rate`` frames per second are kept; None keeps all. Raises ``MotionError``
    for a motion of too many frames.
    """
    skeletons: list[Skeleton] = []
    motions = []
    for clip in clips:
        number = next((i for i, skeleton in enumerate(skeletons) if skeleton.same_as(clip.skeleton)), len(skeletons))
        skeletons += [clip.skeleton] if number == len(skeletons) else []
        motions.append({"skeleton": number, **_motion(clip, seconds, frame_rate)})
    return {"kind": "motion", "skeletons": [skeleton_content(skeleton) for skeleton in skeletons], "motions": motions}


def skeleton_content(skeleton: Skeleton) -> Json:
    """A skeleton and its body.

    The result is as ``Skeleton`` and ``Body`` of the viewer's stage have it; large arrays packed.
    """
    roles = find_roles(skeleton)
    body = body_mesh(skeleton, roles)
    return {
        "names": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "offsets": skeleton.offsets.ravel().tolist(),
        "endJoints": skeleton.end_joints.tolist(),
        "endOffsets": skeleton.end_offsets.ravel().tolist(),
        "roles": dict(roles),
        "body": {
            "vertices": packed(body.vertices, _STEPS.body),
            "faces": packed(body.faces, 1.0),
            "joints": packed(body.joints, 1.0),
            "weights": packed(body.weights, _STEPS.weight),
        },
    }


def _motion(captured: Clip, seconds: float | None, frame_rate: float | None) -> Json:
    clip = captured
    if seconds is not None and clip.seconds > seconds:
        clip = clip[: max(2, round(seconds * clip.frame_rate))]
    if frame_rate is not None and clip.frame_rate > frame_rate:
        clip = clip.resampled(frame_rate)
    if clip.n_frames > _STEPS.most_frames:
        raise MotionError(
            expected=f"at most {_STEPS.most_frames} frames in a page",
            got=f"{clip.n_frames} of {clip.name or 'the clip'}",
            helps="cut it, or keep fewer frames per second",
        )
    path = np.abs(np.diff(clip.ground_path)).sum() if clip.n_frames > 1 else 0.0
    return {
        "name": clip.name,
        "seconds": clip.seconds,
        "frameRate": clip.frame_rate,
        "root": packed(clip.root_positions, _STEPS.place),
        "rotations": packed(clip.rotations_wxyz, _STEPS.rotation),
        "planted": packed(_planted(clip).astype(np.int64), 1.0),
        "metres": float(path),
        "cut": clip.seconds < captured.seconds - 1.0 / clip.frame_rate,
        **_slides(clip),
    }


def _slides(clip: Clip) -> Json:
    """Offsets of joints that do not keep their length."""
    if not len(clip.sliding_joints):
        return {}
    return {"slides": {"joints": clip.sliding_joints.tolist(), "offsets": packed(clip.slides, _STEPS.place)}}


def _planted(clip: Clip) -> Bool[np.ndarray, "frames 4"]:
    """Where heels and toes rest; nowhere where no feet were found."""
    masks = np.zeros((clip.n_frames, len(FOOT_POINTS)), dtype=bool)
    try:
        plants = examine(clip).plants
    except MotionError:  # no legs, or too short a clip: there is nothing to mark
        return masks
    for column, point in enumerate(FOOT_POINTS):
        for first, last in plants.point(point):
            masks[first : last + 1, column] = True
    return masks


def _loop_of(cycle: Cycle) -> Loop:
    """A cycle as captured and closed; its feet are not touched."""
    velocities = cycle.dofs[:, AHEAD] + 1j * cycle.dofs[:, LEFT]
    places, yaws = path_of_rates(velocities, cycle.dofs[:, YAW_RATE], cycle.frame_rate)
    planted = np.zeros((cycle.n_frames, len(FOOT_POINTS)), dtype=bool)
    if cycle.contacts is not None:
        for column, point in enumerate(FOOT_POINTS):
            planted[:, column] = cycle.contacts.planted(point, cycle.phases)
    steps = root_steps(places, yaws)
    return Loop((0.0, 0.0), cycle.duration, cycle.rotations_wxyz, cycle.dofs[:, HEIGHT].copy(), steps, planted)


def _single(loop: Loop, skeleton: Skeleton, name: str) -> Json:
    grid = LoopGrid(skeleton, (loop,), np.zeros((1, 1), dtype=np.int64), (name,), np.zeros((1, 1), dtype=np.int64))
    return _loops_content({"": grid}, "", (0.0, 0.0), _STEPS.rotation)


def _spectrum_content(spectrum: Spectrum) -> Json:
    if spectrum.layout is None:
        raise MotionError(f"{shown(spectrum)} has no layout: nothing says which of its dofs turn which joint")
    return _single(played_loop(spectrum, (0.0, 0.0)), spectrum.layout.skeleton, spectrum.name)


def _player_content(player: Player, seconds: float | None, frame_rate: float | None) -> Json:
    network = player.network
    if isinstance(network, HybridNetwork):
        plain = {name: plain_block(network, name) for name in network.blocks}
        return _hybrid_content(network, plain, player.block, player.point)
    if isinstance(network, Network) and network.n_axes == 2:
        return _loops_content({"": loop_grid(network)}, "", player.point)
    if isinstance(network, Spectrum):
        return _spectrum_content(network)
    copy = Player.resumed(network, player.snapshot())
    clip, _ = record_with_contacts(copy, seconds=seconds or _STEPS.played_seconds, frame_rate=frame_rate or 60.0)
    return motions_content([clip])


def _hybrid_content(hybrid: HybridNetwork, plain: dict[str, Network], block: str, point: Sequence[float]) -> Json:
    """The loops of all blocks, and the captured changes between them."""
    content = _loops_content({name: loop_grid(network) for name, network in plain.items()}, block, point)
    content["changes"] = _changes_content(hybrid)
    return content


def _changes_content(hybrid: HybridNetwork) -> list[Json]:
    """The captured changes of a hybrid network, each as a ``PackedChange`` of the viewer."""
    return [
        {
            "name": change.arc.name,
            "key": change.arc.key,
            "source": change.arc.source.block,
            "at": list(change.at),
            "phase": change.phase,
            "target": change.block,
            "to": list(change.to),
            "arrive": change.arrive,
            "frameRate": change.frame_rate,
            "places": packed(change.places, _STEPS.place),
            "yaws": packed(change.yaws, _STEPS.place),
            "heights": packed(change.heights, _STEPS.place),
            "rotations": packed(change.rotations_wxyz, _STEPS.loop),
            "planted": packed(change.planted.astype(np.int64), 1.0),
        }
        for change in played_changes(hybrid)
        if not change.mirrored
    ]


def plain_block(network: HybridNetwork, block: str) -> Network:
    """A block without its buffer triangles, as it is steered while no change is near."""
    whole_block = network.block(block)
    return whole_block.limited_to(whole_block.plain) if whole_block.plain else whole_block.network


def _loops_content(grids: dict[str, LoopGrid], block: str, point: Sequence[float], step: float = _STEPS.loop) -> Json:
    """Networks as loops, by block; all share the skeleton of the first."""
    skeleton = next(iter(grids.values())).skeleton
    blocks = []
    for name, grid in grids.items():
        loops = grid.loops
        blocks.append(
            {
                "name": name,
                "nodes": list(grid.names),
                "at": [list(loop.at) for loop in loops],
                "seconds": [loop.duration for loop in loops],
                "speeds": [loop.speed for loop in loops],
                "turns": [loop.turn_rate for loop in loops],
                "corners": grid.corners.tolist(),
                "triangles": grid.triangles.tolist(),
                # (samples, loops, …): the first axis is the one along which values are smooth.
                "rotations": packed(np.stack([loop.rotations_wxyz for loop in loops], axis=1), step),
                "heights": packed(np.stack([loop.heights for loop in loops], axis=1), _STEPS.place),
                "steps": packed(np.stack([loop.steps for loop in loops], axis=1), _STEPS.place / 16.0),
                "planted": packed(np.stack([loop.planted for loop in loops], axis=1).astype(np.int64), 1.0),
            }
        )
    return {
        "kind": "loops",
        "skeletons": [skeleton_content(skeleton)],
        "blocks": blocks,
        "block": block,
        "point": [float(value) for value in point],
    }


def is_steerable(content: Json) -> bool:
    """Whether a page, as ``content_of`` gives it, has a point to move."""
    if content["kind"] == "steered":
        return any(nodes > 1 for nodes in content["nodes"])
    return content["kind"] == "loops" and any(len(block["at"]) > 1 for block in content["blocks"])
