"""A folder of captures, and a studio that has opened it, shared by the tests of one file."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

pytest.importorskip("starlette", reason="the studio needs mocapella[studio]")

import mocapella as mo
from benchmarks.pose_frames import unpack_frame
from mocapella.actor import capture
from mocapella.studio.opened_folder import Folder

NAMES = ("slow walk straight", "medium walk left", "fast walk straight", "fast walk sharp left", "walk-twirl-walk")
PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"
SOCKET = f"ws://127.0.0.1:{PORT}/ws"


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """What is worked out, and projects without a folder, go to folders of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOCAPELLA_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("MOCAPELLA_PROJECTS", str(tmp_path_factory.mktemp("projects")))
        yield


@pytest.fixture(scope="session")
def captures(tmp_path_factory):
    """A folder with five captures of the embedded actor."""
    folder = tmp_path_factory.mktemp("captures")
    for name in NAMES:
        mo.save(capture(name, frame_rate=60.0)[0], folder / f"{name.replace(' ', '-')}.bvh")
    return folder


@pytest.fixture
def folder(captures, tmp_path):
    """A copy of that folder for one test."""
    for path in captures.glob("*.bvh"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return Folder.of(tmp_path)


class Page:
    """What a page does, over the WebSocket of a test client."""

    def __init__(self, socket):
        self.socket, self.seq, self.joints = socket, 0, {}
        self.answers, self.figures, self.acknowledged, self.frame = [], [], 0, 0

    def receive(self):
        message = self.socket.receive()
        if message.get("bytes"):
            self.acknowledged, self.frame, self.figures = unpack_frame(message["bytes"], self.joints)
            return None
        if message["type"] == "websocket.close":
            raise AssertionError(f"the server closed the connection: {message}")
        answer = json.loads(message["text"])
        if answer["type"] == "body":
            self.joints[answer["id"]] = len(answer["joints"])
        self.answers.append(answer)
        return answer

    def until(self, *kinds, seconds=120.0):
        """The next answer of one of these types."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            answer = self.receive()
            if answer is not None and answer["type"] in kinds:
                return answer
        raise AssertionError(f"no {kinds} came")

    def frames(self, count):
        """The figures after some more frames."""
        wanted = self.frame + count
        while self.frame < wanted:
            self.receive()
        return self.figures

    def send(self, kind, **fields):
        self.seq += 1
        self.socket.send_text(json.dumps({"type": kind, "seq": self.seq, **fields}))
        return self.seq

    def do(self, kind, **fields):
        """Send a command and wait until it is done or refused: the last answer."""
        seq, start = self.send(kind, **fields), len(self.answers)
        while True:
            answer = self.until("ack", "refused")
            if answer["seq"] == seq:
                self.since = self.answers[start:]
                return answer

    def ask(self, kind, wanted, **fields):
        """Send a question: the answer of the wanted type."""
        end = self.do(kind, **fields)
        assert end["type"] == "ack", end
        return next(one for one in reversed(self.since) if one["type"] == wanted)

    def last(self, kind):
        return next(one for one in reversed(self.answers) if one["type"] == kind)


def left(client, socket):
    """Close a page's socket, and wait until the server has taken note."""
    before = len(client.session.listeners)
    socket.close()
    end = time.monotonic() + 20.0
    while len(client.session.listeners) >= before and time.monotonic() < end:
        time.sleep(0.01)


@pytest.fixture
def page_of():
    """Opens a page of a test client."""
    with contextlib.ExitStack() as stack:

        def opened(client, **options):
            socket = stack.enter_context(client.websocket_connect(SOCKET, **options))
            stack.callback(left, client, socket)
            page = Page(socket)
            page.until("network")
            return page

        yield opened
