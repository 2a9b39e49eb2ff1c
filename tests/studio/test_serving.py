"""The studio as a process: what it prints, how it ends, and what it finds again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from websockets.asyncio.client import connect

from benchmarks.pose_frames import unpack_frame
from mocapella.studio.server import _listening


class Served:
    """``mocapella studio`` in a process of its own."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "mocapella", "studio", *arguments, "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        self.socket = self.address.replace("http", "ws").replace("/?", "/ws?")
        self.socket += "" if "?" in self.socket else "ws"

    def __enter__(self):
        end = time.monotonic() + 60.0
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(self.address.split("?")[0] + "health")
                return self
            except OSError:
                time.sleep(0.05)
        raise AssertionError(self.process.stderr.read())

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.said = self.process.communicate(timeout=30)[1]


async def told(socket, kind):
    """The next answer of a type."""
    async for message in socket:
        if isinstance(message, str) and (answer := json.loads(message))["type"] == kind:
            return answer
    raise AssertionError(f"no {kind} came")


async def done(socket, **command):
    await socket.send(json.dumps(command))
    while (answer := await told(socket, "ack"))["seq"] != command["seq"]:
        pass
    return answer


def test_a_folder_is_opened_and_found_again_as_it_was_left(captures, tmp_path):
    for name in ("slow-walk-straight", "fast-walk-straight"):
        (tmp_path / f"{name}.bvh").write_bytes((captures / f"{name}.bvh").read_bytes())

    async def edit(server):
        async with connect(server.socket, max_size=None) as socket:
            await told(socket, "network")
            await done(socket, type="rename", seq=1, name="mine")
            await done(socket, type="rename_node", seq=2, node="slow-walk-straight", name="stroll")

    async def look(server):
        async with connect(server.socket, max_size=None) as socket:
            project, network = await told(socket, "project"), await told(socket, "network")
            while not any(node["name"] == "stroll" for node in network["blocks"][0]["nodes"]):
                network = await told(socket, "network")  # the actor walks until it is made
            return project, network

    with Served(str(tmp_path), "--port", "0") as server:
        assert server.address.startswith("http://127.0.0.1:")
        asyncio.run(edit(server))
    assert "Traceback" not in server.said
    with Served(str(tmp_path), "--port", "0") as server:
        project, network = asyncio.run(look(server))
    assert (project["name"], project["undo"]) == ("mine", "rename slow-walk-straight")
    assert {node["name"] for node in network["blocks"][0]["nodes"]} == {"stroll", "fast-walk-straight"}


def test_a_page_that_does_not_read_loses_stale_frames_and_is_let_go_of(captures, tmp_path):
    (tmp_path / "walk.bvh").write_bytes((captures / "slow-walk-straight.bvh").read_bytes())

    async def stall(server):
        async with connect(server.socket, max_size=None, max_queue=1) as socket:
            body = await told(socket, "body")
            await asyncio.sleep(3.0)
            numbers = []
            async for message in socket:
                if not isinstance(message, str):
                    numbers.append(unpack_frame(message, {body["id"]: len(body["joints"])})[1])
                    if len(numbers) > 30 and numbers[-1] > 200:
                        break
            return numbers

    with Served(str(tmp_path / "walk.bvh"), "--port", "0") as server:
        numbers = asyncio.run(stall(server))
    assert numbers == sorted(numbers)
    assert "Traceback" not in server.said  # nothing is left running for a page that has gone


def test_elsewhere_than_on_this_machine_a_token_is_needed(tmp_path):
    with Served("--host", "0.0.0.0", "--port", "0") as server:
        base, _, token = server.address.partition("?token=")
        port = base.rstrip("/").rpartition(":")[2]
        assert len(token) > 20
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/")
        assert refused.value.code == 403


def test_a_client_that_leaves_during_an_upload_leaves_nothing_and_no_traceback(tmp_path):
    with Served(str(tmp_path), "--port", "0") as server:
        place = ("127.0.0.1", int(server.address.rstrip("/").rpartition(":")[2]))
        head = f"POST /upload?name=walk.bvh HTTP/1.1\r\nHost: 127.0.0.1:{place[1]}\r\nContent-Length: 9999\r\n\r\nHIER"
        for _ in range(5):
            with socket.create_connection(place) as client:
                client.sendall(head.encode())
                time.sleep(0.1)
        time.sleep(0.5)
    assert server.said == ""
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_poses_are_not_held_back_until_the_page_answers():
    with _listening("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP  # asyncio sends at once over sockets that say so
        assert listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_what_cannot_be_opened_is_one_line_and_status_one(tmp_path):
    (tmp_path / "broken.moca").write_bytes(b"no network")
    for arguments in ([str(tmp_path / "none")], [str(tmp_path / "broken.moca"), "--port", "0"]):
        command = [sys.executable, "-m", "mocapella", "studio", *arguments, "--no-browser"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ)
        assert ended.returncode == 1
        assert ended.stderr.startswith("error: ")
        assert "Traceback" not in ended.stderr
