"""Motions and networks written for a destination."""

from __future__ import annotations

from pathlib import Path

import msgspec

from mocapella.errors import MotionError
from mocapella.files.disk import make_folder
from mocapella.hybrid.arranging import Playable
from mocapella.motion.clip import Clip
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.playback.state import Snapshot
from mocapella.rig.roles import find_roles
from mocapella.storage.values import load_network, save
from mocapella.studio.messages.answers import Destination
from mocapella.studio.views.network import networks_of, skeleton_of
from mocapella.studio.workers.deriving import Tell, noted

_GLB, _ALL = ("glb", "gltf"), ("blend", "nodes", "recording")
DESTINATIONS = (
    Destination("blender", "Blender", "GLB, one action per clip", _GLB, _ALL),
    Destination("three", "three.js", "GLB, clips by name", _GLB, _ALL),
    Destination("godot", "Godot", "GLB, an animation library", _GLB, _ALL),
    Destination("unity", "Unity", "GLB", _GLB, _ALL),
    Destination("unreal", "Unreal", "GLB", _GLB, _ALL),
    Destination("plain", "Plain file", "BVH, Acclaim, GLB", ("bvh", "amc", *_GLB), _ALL),
    Destination("mocapella", "mocapella", "the network as .moca", ("moca",), ("nodes",)),
)
_SETTLING = 2.0  # seconds that a blend is played before it is written, so that its feet stand


class ExportJob(msgspec.Struct, frozen=True, tag_field="job", tag="export"):
    """Write files; answered with ``ExportAnswer``."""

    network: str  # path of a .moca file
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
    recording: str = ""  # a BVH of what was recorded; empty: record now


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
        clips = _clips(job, playable)
        files = []
        for i, (name, clip) in enumerate(clips.items()):
            tell("export", name, i, len(clips))
            path = out / f"{name}.{job.format}"
            looped = job.loop and job.what != "recording" and job.format in _GLB
            save(
                clip.renamed(name),
                path,
                unit=job.unit if job.format == "bvh" else None,
                loop=looped,
                in_place=job.in_place if job.format in _GLB else False,
            )
            files.append(str(path))
            if job.format == "amc":
                files.append(str(path.with_suffix(".asf")))
    return ExportAnswer(tuple(files))


def _clips(job: ExportJob, playable: Playable) -> dict[str, Clip]:
    """What is written, by name of the file."""
    if job.what == "recording":
        player = _player(job, playable)
        return {job.name: record(player, seconds=job.seconds, frame_rate=job.frame_rate)}
    if job.what == "blend":
        return {job.name: _one_cycle(_player(job, playable), job.frame_rate)}
    clips = {}
    for block, network in networks_of(playable).items():
        for node in network.nodes:
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


def written_joints(playable: Playable) -> list[tuple[str, str]]:
    """Roles and the joints that stand for them in the files that are written.

    Parameters
    ----------
    playable
        A network.

    Returns
    -------
    list of tuple
        Role and joint.
    """
    skeleton = skeleton_of(playable)
    return [(role, skeleton.names[joint]) for role, joint in find_roles(skeleton).items()]
