"""Answers to questions of the page; slow ones are computed by worker processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from mocapella.errors import MotionError
from mocapella.hybrid.arranging import network_in
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.footskate import footing
from mocapella.quoting import python_call, python_literal
from mocapella.studio.comparing import CapturedBeside, ClosedBeside, source_of
from mocapella.studio.console import Outcome, run_line
from mocapella.studio.editing import Edited
from mocapella.studio.exports import export, export_plan
from mocapella.studio.messages import answers as a
from mocapella.studio.messages import commands as c
from mocapella.studio.messages import library_messages as lib
from mocapella.studio.messages import steering_commands as s
from mocapella.studio.messages.details import Map
from mocapella.studio.messages.fields import Answer, Command
from mocapella.studio.project import Project
from mocapella.studio.saving import network_file, save_session
from mocapella.studio.script import Standing, clip_line, cycle_line, script
from mocapella.studio.scripted import root_path_lines
from mocapella.studio.views import signals_panel as signals
from mocapella.studio.views.clip_panel import clip_details
from mocapella.studio.views.library_panel import library_rows, listed_file, preview
from mocapella.studio.views.network_panel import arc_details
from mocapella.studio.workers.captures import CaptureJob, captured_stretch
from mocapella.studio.workers.derivation import noted
from mocapella.studio.workers.pool import telling
from mocapella.studio.workers.quality_layers import make_map

if TYPE_CHECKING:
    from mocapella.studio.connection import Connection


def _block(here: Connection, asked: str) -> str:
    """The block of a question; where none is named, the one in which the first character is."""
    if asked or not isinstance(here.session.network, HybridNetwork):
        return asked
    return here.stage.characters[0].player.block


def _point(here: Connection, asked: tuple[float, float] | None) -> tuple[float, ...]:
    return here.stage.characters[0].player.point if asked is None else asked


async def _files(here: Connection, command: c.Files) -> Answer:
    return a.Folder(path=command.path, files=tuple(here.session.folder.listed(command.path)))


async def _save(here: Connection, command: c.Save) -> Answer:
    files = await save_session(here.session, command.path)
    rows = tuple(here.session.folder.row(path) for path in files)
    return a.Written(
        files=rows, place=str(files[0].parent), python=python_call("mo.save", "network", python_literal(rows[0].path))
    )


async def _library(here: Connection, command: lib.AskLibrary) -> Answer:
    session = here.session
    if command.like and session.library is not None:
        example = session.folder.path(session.project.clip(command.like).path)
        job = partial(library_rows, session.library, command.query, like=example, most=command.most)
        return await session.pool.run(job)
    return await asyncio.to_thread(library_rows, session.library, command.query, like=None, most=command.most)


async def _preview(here: Connection, command: lib.AskPreview) -> Answer:
    session = here.session
    file = await asyncio.to_thread(listed_file, session.library, command.path)
    return await session.pool.run(partial(preview, file, command.start, command.frames))


async def _script(here: Connection, command: c.Script) -> Answer:
    players = [character.player for character in here.stage.characters]
    standing = [Standing(player.goal, player.block, player.mode) for player in players]
    return a.ScriptText(text=script(here.session.project, standing))


async def _clip(here: Connection, command: c.AskClip) -> Answer:
    session = here.session
    choice = session.project.clip(command.clip)
    line = f"clip = {clip_line(choice)}\ncycle = {cycle_line(choice)}"
    return await session.pool.run(partial(clip_details, choice, session.folder, python=line))


async def _sync(here: Connection, command: c.AskSync) -> Answer:
    block = _block(here, command.block)
    offset = here.session.project.offset(command.block, command.second)
    network = network_in(here.session.network, block)
    options = {"offset": float(offset), "tried": float(command.degrees)}
    ask = partial(signals.sync_strip, network, command.first, command.second, **options, block=command.block)
    return await asyncio.to_thread(ask)


async def _map(here: Connection, command: c.AskMap) -> Answer:
    session = here.session
    block = _block(here, command.block)
    key = (session.project.network_part().key(), command.layer, block)
    maps: dict[Any, Map] = session.__dict__.setdefault("maps", {})
    if key not in maps:
        number, revision = session.pool.next_number(), session.network_revision
        job = partial(make_map, await network_file(session), command.layer, block, revision)
        with telling(session.broadcast, number, f"map of {command.layer}") as told:
            maps[key] = await session.pool.run(job, progress=told, number=number)
        while len(maps) > 24:
            maps.pop(next(iter(maps)))
    return maps[key]


async def _compare(here: Connection, command: s.Compare) -> Answer:
    session, stage = here.session, here.stage
    stage.compared = None
    if not command.node:
        return a.Compared(node="")
    block, project = _block(here, command.block), session.project
    network_in(session.network, block).index(command.node)
    clip, called = source_of(project, block, command.node)
    origin = (clip, called, project.source == "actor", project.file)
    job = CaptureJob(session.folder, await network_file(session), block, command.node, *origin)
    before = session.network
    try:
        stretch = await session.pool.run(partial(captured_stretch, job))
    except MotionError as error:
        stage.compared = ClosedBeside(command.node, block, stage.body, beside=command.beside)
        return a.Compared(node=command.node, kind="cycle", text=f"{error}; its closed cycle is shown")
    if session.network is not before:  # changed meanwhile: the page asks again
        return a.Compared(node="")
    body = session.body(stretch.skeleton())
    here.tell_body(body)
    stage.compared = CapturedBeside(stretch, body.id, beside=command.beside)
    last = stretch.first_row + stretch.frames
    text = f"{stretch.source}, frames {stretch.first_row} to {last} as captured"
    return a.Compared(node=command.node, kind="capture", text=text)


async def _spectra(here: Connection, command: c.AskSpectra) -> Answer:
    block = _block(here, command.block)
    network = network_in(here.session.network, block)
    harmonics = command.harmonics or here.session.project.harmonics
    point = _point(here, command.point)
    ask = partial(signals.spectra, network, command.dof, command.sources, point, harmonics=harmonics, block=block)
    return await asyncio.to_thread(ask)


async def _traces(here: Connection, command: c.AskTraces) -> Answer:
    block = _block(here, command.block)
    network = network_in(here.session.network, block)
    return await asyncio.to_thread(signals.traces, network, _point(here, command.point), block=block)


async def _arc(here: Connection, command: s.AskArc) -> Answer:
    network = here.session.network
    if not isinstance(network, HybridNetwork):
        raise MotionError("this network has no arcs; a captured change makes one")
    return await asyncio.to_thread(arc_details, network, command.arc)


async def _record(here: Connection, command: c.Record) -> Answer:
    stage = here.stage
    if command.recording:
        stage.begin_recording()
        return a.Recording(recording=True, seconds=0.0)
    clip, contacts = stage.end_recording(here.session.project.name)
    here.recorded = clip
    with noted():
        slip = (await asyncio.to_thread(footing, clip, contacts)).slip_mm_max
    return a.Recording(recording=False, seconds=clip.seconds, slip_mm_max=slip)


async def _console(here: Connection, command: c.Console) -> Answer:
    """Lines one after the other, as if they were typed; the first that fails ends it."""
    session, told = here.session, []
    for line in command.text.splitlines():
        outcomes: list[Outcome] = []

        def make(project: Project, line: str = line, outcomes: list[Outcome] = outcomes) -> Edited | None:
            outcomes.append(run_line(project, line))
            return outcomes[0].edited

        try:
            await session.change(make, msgspec.json.encode({"type": "console", "seq": 0, "text": line}))
            if outcomes[0].root_path is not None:
                told += await session.pool.run(partial(root_path_lines, outcomes[0].root_path, session.folder))
            told += outcomes[0].lines
        except MotionError as error:
            told.append("error: " + " ".join(str(error).split()))
            return a.ConsoleText(lines=told, failed=True)
    return a.ConsoleText(lines=told, failed=False)


ANSWERS: dict[type[Command], Callable[[Any, Any], Awaitable[Answer]]] = {
    c.Files: _files,
    c.Save: _save,
    c.Script: _script,
    lib.AskLibrary: _library,
    lib.AskPreview: _preview,
    c.AskClip: _clip,
    c.AskSync: _sync,
    c.AskMap: _map,
    c.AskSpectra: _spectra,
    c.AskTraces: _traces,
    s.Compare: _compare,
    s.AskArc: _arc,
    c.Record: _record,
    c.AskExport: export_plan,
    c.Export: export,
    c.Console: _console,
}
