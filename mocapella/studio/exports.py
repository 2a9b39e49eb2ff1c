"""Exports: the list of files an export would write, and the files themselves."""

from __future__ import annotations

import asyncio
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mocapella.exporting.embedding import EMBEDDED, NETWORK
from mocapella.exporting.targets import CHARACTER, TABLE, TARGETS
from mocapella.hybrid.arranging import Playable
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.quoting import python_call, python_literal
from mocapella.storage.values import save
from mocapella.studio.messages import answers as a
from mocapella.studio.messages import commands as c
from mocapella.studio.messages.fields import Answer
from mocapella.studio.opened_folder import EXPORTS
from mocapella.studio.saving import file_stem, network_file
from mocapella.studio.workers import exporting
from mocapella.studio.workers.derivation import noted
from mocapella.studio.workers.destinations import NETWORKS, destination_of, format_of, saving_options
from mocapella.studio.workers.pool import telling

if TYPE_CHECKING:
    from mocapella.studio.connection import Connection


async def export_plan(here: Connection, command: c.AskExport) -> Answer:
    """The files that an export would write."""
    destination = destination_of(command.destination)
    suffix = format_of(destination, command.format)
    name = file_stem(here.session.project.name)
    grid = command.what == "nodes" and destination.grid and suffix == "glb"
    if suffix in ("moca", "html"):
        files = [(f"{name}.{suffix}", "the network" if suffix == "moca" else "for any browser")]
    elif suffix == "mocar":
        players = [(f"{name}/{file}", "what plays it") for file in EMBEDDED[destination.name]]
        files = [(f"{name}/{NETWORK}", "the network"), *players]
    elif grid:
        extra = [(f"{name}/{file}", "script") for file in TARGETS[destination.name].scripts]
        files = [(f"{name}/{CHARACTER}", "all loops"), (f"{name}/{TABLE}", "places"), *extra]
    else:
        about = {"nodes": "a loop of every node", "blend": "one cycle", "recording": "the recording"}
        files = [(f"{name}.{suffix}", about[command.what])]
    names = destination.names if grid else command.names or destination.names
    return a.ExportPlan(
        destination=destination.name,
        files=files,
        joints=[] if command.onto or suffix in NETWORKS else exporting.written_joints(here.session.network, names),
        notes=(),
        place=f"{here.session.folder.root.name}/{EXPORTS}/{destination.name}",
        python=_line(command, destination, name, suffix),
    )


def _line(command: c.Export | c.AskExport, destination: a.Destination, name: str, suffix: str) -> str:
    """The line of API, or the command, that writes the same."""
    if suffix == "moca":
        return python_call("mo.save", "network", python_literal(f"{name}.moca"))
    if suffix == "html":
        makes = ["crowd"] if destination.name == "crowd" else ["page", "--steerable"]
        return shlex.join(["mocapella", *makes, f"{name}.moca", "-o", f"{name}.html"])
    onto = Path(command.onto).name
    if suffix == "mocar" or (command.what == "nodes" and destination.grid and suffix == "glb"):
        words = ["mocapella", "export", f"{name}.moca", "-o", name, "--for", destination.name]
        return shlex.join([*words, *(["--onto", onto] if onto else [])])
    rate, seconds = getattr(command, "frame_rate", 60.0), getattr(command, "seconds", 10.0)
    length = f"{seconds:g}" if command.what == "recording" else "player.spectrum.duration"
    options = saving_options(destination, suffix, command, onto=onto)
    save = python_call("mo.save", "clip", python_literal(f"{name}.{suffix}"), **options)
    return f"clip = mo.record(player, seconds={length}, frame_rate={rate:g})\n{save}"


async def export(here: Connection, command: c.Export) -> Answer:
    """Write files for a destination; of a character, what it does on the page that asks."""
    session = here.session
    destination = destination_of(command.destination)
    suffix = format_of(destination, command.format)
    onto = str(session.folder.path(command.onto)) if command.onto else ""
    place = session.folder.path(command.path) if command.path else None
    out = session.home().path(EXPORTS) / destination.name if place is None else place.parent
    name = file_stem(session.project.name) if place is None else place.stem
    if command.what == "recording" and here.recorded is not None and suffix not in NETWORKS:
        options = saving_options(destination, suffix, command, onto=onto)
        paths = await asyncio.to_thread(_save_recording, here.recorded, out / f"{name}.{suffix}", command, options)
    else:
        player = here.stage.character(command.character).player
        assert isinstance(player.network, Playable)
        job = exporting.ExportJob(
            command=command,
            network=await network_file(session),
            block=player.block if isinstance(session.network, HybridNetwork) else "",
            out=str(out),
            name=name,
            format=suffix,
            onto=onto,
            snapshot=player.snapshot().to_json().decode(),
        )
        number = session.pool.next_number()
        with telling(session.broadcast, number, "export") as told:
            written = await session.pool.run(partial(exporting.export, job), progress=told, number=number)
        paths = [Path(path) for path in written]
    rows = tuple(session.folder.row(path) for path in paths)
    return a.Written(files=rows, place=str(out), python=_line(command, destination, name, suffix))


def _save_recording(clip: Any, path: Path, command: c.Export, options: dict[str, Any]) -> list[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    resampled = clip if clip.frame_rate == command.frame_rate else clip.resampled(command.frame_rate)
    with noted():
        save(resampled.renamed(path.stem), path, **options)
    return [path, path.with_suffix(".asf")] if path.suffix == ".amc" else [path]
