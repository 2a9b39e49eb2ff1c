"""Motions and networks written for a destination."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from mocapella.errors import MotionError
from mocapella.exporting.embedding import export_embedded
from mocapella.exporting.grid import blend_grid, carried_grid
from mocapella.exporting.targets import TARGETS, export_grid
from mocapella.files.disk import make_folder
from mocapella.files.format_table import FORMATS
from mocapella.files.gltf.skinned_character import read_character
from mocapella.hybrid.arranging import Playable, network_in
from mocapella.motion.clip import Clip
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.playback.state import Snapshot
from mocapella.rig.naming import NAMINGS, names_by_joint
from mocapella.rig.roles import find_roles
from mocapella.storage.values import load_network, save
from mocapella.studio.messages.commands import Export
from mocapella.studio.page.document import write_document
from mocapella.studio.page.steerable import crowd_content, steered_content
from mocapella.studio.views.network_panel import networks_of, skeleton_of
from mocapella.studio.workers.derivation import Tell
from mocapella.studio.workers.destinations import destination_of, saving_options

_SETTLING = 2.0  # seconds that a blend is played before it is written, so that its feet stand


class ExportJob(msgspec.Struct, frozen=True):
    """Files to write."""

    command: Export
    network: str  # path of a .moca file
    block: str  # of a hybrid network: the block whose loops are written
    out: str  # folder to write to
    name: str  # of the file, without suffix
    format: str  # suffix without its dot
    onto: str  # path of a character; empty: a plain body
    snapshot: str  # of the player, as JSON


def export(job: ExportJob, tell: Tell) -> list[str]:
    """Write the files of a job. ``tell`` is called with every file. Returns their paths."""
    playable = load_network(job.network)
    if not isinstance(playable, Playable):
        raise MotionError("networks and hybrid networks are written, this is neither")
    make_folder(Path(job.out))
    write = _NETWORKS.get(job.format, _motions_written)
    if job.command.what == "nodes" and job.command.destination in TARGETS and job.format == "glb":
        write = _grid_written
    return list(map(str, write(job, playable, tell)))


def _moca_written(job: ExportJob, playable: Playable, tell: Tell) -> list[Path]:
    path = Path(job.out) / f"{job.name}.moca"
    save(playable, path)
    return [path]


def _page_written(job: ExportJob, playable: Playable, tell: Tell) -> list[Path]:
    path = Path(job.out) / f"{job.name}.html"
    content = crowd_content(playable) if job.command.destination == "crowd" else steered_content(playable)
    write_document(content, path, title=job.name)
    return [path]


def _embedded_written(job: ExportJob, playable: Playable, tell: Tell) -> list[str]:
    return [file["path"] for file in export_embedded(playable, Path(job.out) / job.name, job.command.destination)]


_Write = Callable[[ExportJob, Playable, Tell], Sequence[str | Path]]
_NETWORKS: dict[str, _Write] = {"moca": _moca_written, "html": _page_written, "mocar": _embedded_written}


def _motions_written(job: ExportJob, playable: Playable, tell: Tell) -> list[Path]:
    """Clips in one file where the format holds several, else in a file each."""
    clips = [clip.renamed(name) for name, clip in _clips(job, playable, tell).items()]
    options = saving_options(destination_of(job.command.destination), job.format, job.command, onto=job.onto)
    out = Path(job.out)
    even = len({clip.frame_rate for clip in clips}) == 1  # what one USD file has to be; loops last as they last
    if FORMATS[f".{job.format}"].several and (even or not job.format.startswith("usd")):
        path = out / f"{job.name}.{job.format}"
        save(clips, path, **options)
        return [path]
    files: list[Path] = []
    for clip in clips:
        path = out / f"{clip.name}.{job.format}"
        save(clip, path, **options)
        files += [path, path.with_suffix(".asf")] if job.format == "amc" else [path]
    return files


def _grid_written(job: ExportJob, playable: Playable, tell: Tell) -> list[str]:
    """A folder for a program: loops of all nodes and between them, with what puts them to use."""
    uniform = TARGETS[job.command.destination].uniform
    network = network_in(playable, job.block)
    grid = blend_grid(network, frame_rate=job.command.frame_rate, uniform=uniform, progress=_told(tell))
    folder = Path(job.out) / job.name
    character = read_character(job.onto) if job.onto else None
    carried = grid if character is None else carried_grid(grid, character.skeleton)
    return [file["path"] for file in export_grid(carried, folder, job.command.destination, character=character)]


def _told(tell: Tell) -> Callable[[Sequence[tuple[float, float]]], Iterator[tuple[float, float]]]:
    def through(points: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
        for i, point in enumerate(points):
            tell("export", f"{point[0]:+.1f}, {point[1]:.2f}", i, len(points))
            yield point

    return through


def _clips(job: ExportJob, playable: Playable, tell: Tell) -> dict[str, Clip]:
    rate = job.command.frame_rate
    if job.command.what != "nodes":
        player = Player.resumed(playable, Snapshot.from_json(job.snapshot))
        if job.command.what == "blend":
            return {job.name: _one_cycle(player, rate)}
        return {job.name: record(player, seconds=job.command.seconds, frame_rate=rate)}
    clips = {}
    for block, network in networks_of(playable).items():
        for i, node in enumerate(network.nodes):
            tell("export", node.name, i, len(network.nodes))
            stem = "-".join(part for part in (job.name, block, node.name) if part)
            clips[_file_name(stem)] = _one_cycle(Player(node.spectrum), rate)
    return clips


def _one_cycle(player: Player, rate: float) -> Clip:
    """One cycle of what a player plays, after its feet have settled, in a whole number of frames."""
    record(player, seconds=_SETTLING, frame_rate=60.0)
    duration = player.spectrum.duration
    frames = max(4, round(duration * rate))
    return record(player, seconds=duration, frame_rate=frames / duration)


def _file_name(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_. " else "_" for letter in text).strip().replace(" ", "-")


def written_joints(playable: Playable, names: str) -> list[tuple[str, str]]:
    """Joints with a role: their names in the network and in files."""
    skeleton = skeleton_of(playable)
    named = names_by_joint(skeleton, names) if names in NAMINGS else {}
    return [(skeleton.names[joint], named.get(joint, skeleton.names[joint])) for joint in find_roles(skeleton).values()]
