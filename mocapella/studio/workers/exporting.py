"""Motions and networks written for a destination."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from mocapella.errors import MotionError
from mocapella.exporting.grid import blend_grid
from mocapella.exporting.targets import TARGETS, export_grid
from mocapella.files.disk import make_folder
from mocapella.hybrid.arranging import Playable, network_in
from mocapella.motion.clip import Clip
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.playback.state import Snapshot
from mocapella.rig.naming import NAMINGS
from mocapella.rig.roles import find_roles
from mocapella.storage.values import load_network, save
from mocapella.studio.messages.answers import Destination
from mocapella.studio.views.network import networks_of, skeleton_of
from mocapella.studio.workers.deriving import Tell, noted

_GLB, _ALL = ("glb", "gltf"), ("blend", "nodes", "recording")
DESTINATIONS = (
    Destination("blender", "Blender", "GLB, actions, and a script that takes them in", _GLB, _ALL),
    Destination("unreal", "Unreal", "GLB, root motion, and a script that makes a blend space", _GLB, _ALL),
    Destination("unity", "Unity", "GLB, and an importer for a blend tree", _GLB, _ALL),
    Destination("godot", "Godot", "GLB, and a scene with a blend space", _GLB, _ALL),
    Destination("three", "three.js", "GLB, clips, and a blend space in JavaScript", _GLB, _ALL),
    Destination("vrm", "VRM names", "GLB with the bone names of VRM 1.0", _GLB, _ALL),
    Destination("plain", "Plain file", "BVH, Acclaim, GLB", ("bvh", "amc", *_GLB), _ALL),
    Destination("mocapella", "mocapella", "the network as .moca", ("moca",), ("nodes",)),
)
_SETTLING = 2.0  # seconds that a blend is played before it is written, so that its feet stand


class ExportJob(msgspec.Struct, frozen=True, tag_field="job", tag="export"):
    """Write files; answered with ``ExportAnswer``."""

    network: str  # path of a .moca file
    destination: str
    block: str  # of a hybrid network, whose loops are written
    out: str  # folder to write to
    name: str  # of the file, without suffix
    what: str
    format: str
    in_place: bool
    loop: bool
    frame_rate: float
    seconds: float
    unit: str | None
    snapshot: str  # of the player, as JSON; empty: a new one at ``point``
    point: tuple[float, ...]


class ExportAnswer(msgspec.Struct, frozen=True):
    """Files that were written."""

    files: tuple[str, ...]


def export(job: ExportJob, tell: Tell) -> ExportAnswer:
    """Write what a job asks for.

    Parameters
    ----------
    job
        What, how and where.
    tell
        Told of every file.

    Returns
    -------
    ExportAnswer
        Their paths.

    Raises
    ------
    MotionError
        Where it cannot be written so.
    """
    playable = load_network(job.network)
    if not isinstance(playable, Playable):
        raise MotionError("networks and hybrid networks are written, this is neither")
    out = Path(job.out)
    make_folder(out)
    with noted():
        if job.format == "moca":
            path = out / f"{job.name}.moca"
            save(playable, path)
            return ExportAnswer((str(path),))
        if job.what == "nodes" and job.destination in TARGETS and job.format == "glb":
            grid = blend_grid(network_in(playable, job.block), frame_rate=job.frame_rate, progress=_told(tell))
            return ExportAnswer(tuple(one["path"] for one in export_grid(grid, out / job.name, job.destination)))
        clips = [clip.renamed(name) for name, clip in _clips(job, playable, tell).items()]
        if job.format in _GLB:
            path = out / f"{job.name}.{job.format}"
            repeats = job.loop and job.what != "recording"
            save(clips, path, loop=repeats, in_place=job.in_place, **gltf_options(job.destination))
            return ExportAnswer((str(path),))
        files = []
        for clip in clips:
            path = out / f"{clip.name}.{job.format}"
            if job.format == "bvh":
                save(clip, path, unit=job.unit, in_place=job.in_place)
            else:
                save(clip, path)
                files.append(str(path.with_suffix(".asf")))
            files.append(str(path))
    return ExportAnswer(tuple(files))


def gltf_options(destination: str) -> dict[str, Any]:
    """Options of ``save`` by which a program takes a glTF file in.

    Parameters
    ----------
    destination
        One of ``DESTINATIONS``.

    Returns
    -------
    dict
        Bone names, and which bone travels.
    """
    options: dict[str, Any] = {"names": _names(destination)}
    if destination in TARGETS:
        options["root_motion"] = "root"
    return options


def _names(destination: str) -> str:
    return TARGETS[destination].names if destination in TARGETS else "vrm" if destination == "vrm" else "as-captured"


def _told(tell: Tell) -> Callable[[Sequence[tuple[float, float]]], Iterator[tuple[float, float]]]:
    def through(points: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
        for i, point in enumerate(points):
            tell("export", f"{point[0]:+.1f}, {point[1]:.2f}", i, len(points))
            yield point

    return through


def _clips(job: ExportJob, playable: Playable, tell: Tell) -> dict[str, Clip]:
    """What is written, by name of the file."""
    if job.what == "recording":
        player = _player(job, playable)
        return {job.name: record(player, seconds=job.seconds, frame_rate=job.frame_rate)}
    if job.what == "blend":
        return {job.name: _one_cycle(_player(job, playable), job.frame_rate)}
    clips = {}
    for block, network in networks_of(playable).items():
        for i, node in enumerate(network.nodes):
            tell("export", node.name, i, len(network.nodes))
            player = Player(node.spectrum)
            stem = "-".join(part for part in (job.name, block, node.name) if part)
            clips[_file_name(stem)] = _one_cycle(player, job.frame_rate)
    return clips


def _player(job: ExportJob, playable: Playable) -> Player:
    if job.snapshot:
        return Player.resumed(playable, Snapshot.from_json(job.snapshot))
    return Player(playable, job.point)


def _one_cycle(player: Player, rate: float) -> Clip:
    """One cycle of what a player plays, after its feet have settled, in a whole number of frames."""
    record(player, seconds=_SETTLING, frame_rate=60.0)
    duration = player.spectrum.duration
    frames = max(4, round(duration * rate))
    return record(player, seconds=duration, frame_rate=frames / duration)


def _file_name(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_. " else "_" for letter in text).strip().replace(" ", "-")


def written_joints(playable: Playable, destination: str) -> list[tuple[str, str]]:
    """Joints and what they are called in the files for a destination.

    Parameters
    ----------
    playable
        A network.
    destination
        One of ``DESTINATIONS``.

    Returns
    -------
    list of tuple
        Joint of the network and joint of the file, for those with a role.
    """
    skeleton, names = skeleton_of(playable), NAMINGS.get(_names(destination), {})
    return [
        (skeleton.names[joint], names.get(role, skeleton.names[joint])) for role, joint in find_roles(skeleton).items()
    ]
