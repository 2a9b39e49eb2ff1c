"""What was saved or touched is still there, however the studio ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
import urllib.request
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

import mocapella as mo
from mocapella.studio.project import load_project
from mocapella.studio.saving import network_file, new_folder, opened, recent_projects, sweep_projects
from mocapella.studio.session import Session
from mocapella.studio.workers.pool import Pool

from .test_serving import Served, done, told

DROPPED = ("slow-walk-straight", "fast-walk-straight")


@pytest.fixture
def projects(tmp_path, monkeypatch):
    monkeypatch.setenv("MOCAPELLA_PROJECTS", str(tmp_path / "projects"))
    return tmp_path / "projects"


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def drop(server, captures):
    paths = []
    for name in DROPPED:
        content = (captures / f"{name}.bvh").read_bytes()
        address = f"{server.address}upload?name={name}.bvh&batch=1"
        paths.append(json.load(urllib.request.urlopen(urllib.request.Request(address, content)))["path"])
    return paths


def wait_for(there, seconds=30.0):
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_what_was_saved_without_a_folder_outlives_the_server(captures, projects, how):
    async def work(server):
        async with connect(server.socket, max_size=None) as socket:
            await told(socket, "network")
            await done(socket, type="import", seq=1, paths=drop(server, captures))
            await done(socket, type="save", seq=2)
            await done(socket, type="rename_node", seq=3, node=DROPPED[0], name="stroll")

    with Served("--port", "0") as server:
        asyncio.run(work(server))
        (root,) = projects.iterdir()
        kept = root / ".mocapella" / "studio.json"
        wait_for(lambda: kept.is_file() and b"stroll" in kept.read_bytes(), 3.5)  # though no page asked for it
        before = files_of(root)
        server.process.send_signal(how)
        server.process.wait(30)
    assert root.name.endswith(DROPPED[0])  # the first clip
    after = files_of(root)
    assert {name: after.get(name) for name in before} == before
    assert {f".mocapella/uploads/1/{name}.bvh" for name in DROPPED} <= set(after)
    assert set(mo.load(next(root.glob("*.moca"))).names) >= set(DROPPED)
    assert recent_projects() == (root.name,)

    async def reopen(server):
        async with connect(server.socket, max_size=None) as socket:
            assert (await told(socket, "hello"))["recent"] == [root.name]
            await told(socket, "network")
            await socket.send(json.dumps({"type": "open", "seq": 1, "recent": "../" + root.name}))
            assert "no recent project" in (await told(socket, "refused"))["message"]
            await socket.send(json.dumps({"type": "open", "seq": 2, "recent": root.name}))
            assert (await told(socket, "hello"))["folder"] == root.name
            await done(socket, type="undo", seq=3)

    with Served("--port", "0") as server:  # a later start deletes nothing, and offers it
        offered = server.process.stdout.readline()
        before = files_of(root)
        asyncio.run(reopen(server))
    assert root.name in offered
    assert str(projects) in offered
    assert before == after
    assert list(projects.iterdir()) == [root]  # no other one was begun
    assert opened(root)[1].redoes == f"rename {DROPPED[0]}"


def test_nothing_is_written_where_nothing_was_touched(projects):
    with Served("--port", "0"):
        pass
    assert not projects.exists()


def test_only_empty_folders_of_an_earlier_day_are_swept(projects):
    made = {name: new_folder(name).root for name in ("empty", "hollow", "fresh", "upload", "link")}
    (made["hollow"] / ".mocapella" / "uploads" / "1").mkdir(parents=True)
    (made["upload"] / ".mocapella").mkdir()
    (made["upload"] / ".mocapella" / "walk.bvh").write_text("x")
    (made["link"] / "elsewhere").symlink_to(projects)
    mine = projects / "mine"
    mine.mkdir()
    for folder in (*made.values(), mine):
        if folder != made["fresh"]:
            os.utime(folder, (0, 0))
    sweep_projects()
    assert set(projects.iterdir()) == {made["fresh"], made["upload"], made["link"], mine}


def test_workers_are_handed_the_network_of_this_session_though_another_had_files_by_the_same_names(captures, tmp_path):
    async def written(folder, name):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "walk.bvh").write_bytes((captures / f"{name}.bvh").read_bytes())
        place, history, keep = opened(tmp_path / folder)
        session = Session(place, history, keep=keep, pool=Pool(1))
        session.network, session.network_revision = mo.build_network([tmp_path / folder / "walk.bvh"]), 2
        return mo.load(await network_file(session)).nodes[0].spectrum.duration

    assert asyncio.run(written("a", DROPPED[0])) > asyncio.run(written("b", DROPPED[1])) + 0.2


def test_two_projects_of_a_day_have_two_folders(projects):
    assert new_folder("walk").root != new_folder("walk").root
    assert new_folder("../" * 200 + "\x00\n").root.parent == projects


def test_uploads_whose_first_edit_was_lost_are_opened_again(projects):
    folder = new_folder("walk")
    place = folder.root / ".mocapella" / "uploads" / "1" / "walk.bvh"
    place.parent.mkdir(parents=True)
    place.write_text("x")
    assert opened(folder.root)[1].project.names == ("walk",)
    assert recent_projects() == (folder.root.name,)


def test_a_network_saved_over_itself_is_found_again_with_its_edits(captures, tmp_path):
    mo.save(mo.build_network([captures / f"{name}.bvh" for name in DROPPED]), tmp_path / "n.moca")
    old = DROPPED[0]

    async def edit(server, number):
        async with connect(server.socket, max_size=None) as socket:
            network = await told(socket, "network")
            names = [node["name"] for node in network["blocks"][0]["nodes"]]
            assert ("renamed" in names) == (number > 1)
            if number == 1:
                await done(socket, type="rename_node", seq=1, node=old, name="renamed")
                await done(socket, type="save", seq=2)
                await done(socket, type="rename", seq=3, name="more")

    for number in (1, 2):
        with Served(str(tmp_path / "n.moca"), "--port", "0") as server:
            asyncio.run(edit(server, number))
    history = load_project(tmp_path / ".mocapella" / "n.moca" / "studio.json")
    assert history.project.name == "more"
    original = Path(history.project.file)
    assert old in mo.load(tmp_path / original).names


def test_a_project_that_cannot_be_built_is_set_aside_before_another_takes_its_place(captures, tmp_path):
    (tmp_path / "walk.bvh").write_bytes((captures / "slow-walk-straight.bvh").read_bytes())

    async def rename(server, name):
        async with connect(server.socket, max_size=None) as socket:
            await told(socket, "network")
            await done(socket, type="rename", seq=1, name=name)

    with Served(str(tmp_path), "--port", "0") as server:
        asyncio.run(rename(server, "mine"))
    (tmp_path / "walk.bvh").write_text("no capture")
    with Served(str(tmp_path), "--port", "0") as server:
        asyncio.run(rename(server, "other"))
    (earlier,) = (tmp_path / ".mocapella" / "earlier").iterdir()
    assert load_project(earlier / "studio.json").project.name == "mine"
    assert load_project(tmp_path / ".mocapella" / "studio.json").project.name == "other"
