"""One page: its WebSocket, its stage, and what its commands do."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from mocapella import __version__
from mocapella.analysis.closing.cyclify import CLOSING_METHODS
from mocapella.blending.rules import RULES
from mocapella.errors import MotionError
from mocapella.files.conventions import UNITS
from mocapella.files.format_table import READABLE
from mocapella.rig.names import ROLES
from mocapella.studio.asking import ANSWERS
from mocapella.studio.console import COMMANDS
from mocapella.studio.editing import is_edit
from mocapella.studio.messages import commands as c
from mocapella.studio.messages.answers import Ack, Body, Hello, Notice, Refused
from mocapella.studio.messages.details import StateLog
from mocapella.studio.messages.fields import Answer, Command, copied
from mocapella.studio.messages.frames import PLACES, pack_frame
from mocapella.studio.messages.library_messages import TakeFromLibrary
from mocapella.studio.messages.unions import AnyCommand
from mocapella.studio.opened_folder import LARGEST_UPLOAD
from mocapella.studio.saving import recent_projects
from mocapella.studio.session import Session
from mocapella.studio.stage import RATE, Stage
from mocapella.studio.steering import AT_ONCE, STEERING, make_follower
from mocapella.studio.toolbox import edit_kinds
from mocapella.studio.views.library_panel import listed_file, taken_in
from mocapella.studio.views.network_panel import networks_of
from mocapella.studio.workers.destinations import DESTINATIONS, FORMAT_ROWS, NAMES

LARGEST_MESSAGE = 1 << 20  # bytes of a command
_LOG = logging.getLogger(__name__)
_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyCommand)


class _Pace(NamedTuple):
    """How fast a page is told of poses, and how much may wait."""

    most_answers: int = 400  # waiting to be sent: then no more commands are read
    most_asked: int = 32  # questions that are answered at once
    soonest: float = 0.006  # seconds between two frames, where a command asks for one out of turn
    rest: float = 0.7  # of the time that a frame takes: the pause after it
    late: float = 0.25  # seconds: a longer delay is skipped


_PACE = _Pace()


class _Seq(msgspec.Struct):
    seq: int = 0


class Connection:
    """A page that is connected."""

    def __init__(self, socket: WebSocket, session: Session) -> None:
        self.socket, self.session = socket, session
        self.stage = Stage(session.network, session.project, session.body().id)
        self.recorded: Any = None  # clip and contacts of the last recording
        self.acknowledged = 0
        self._frame = 0
        self._latest: bytes | None = None
        self._outbox: deque[bytes] = deque()
        self._news = asyncio.Event()  # something is to be sent
        self._room = asyncio.Event()  # answers were sent
        self._soon = asyncio.Event()  # a command wants its pose
        self._edits: deque[tuple[Command, bytes]] = deque()
        self._edited = asyncio.Event()
        self._asked: set[asyncio.Task[None]] = set()
        self._told_network: tuple[int, int | None] = -1, None
        self._gone = False
        self._told_poses: Any = None
        self._told_bodies: set[int] = set()
        self._told_states = 0

    async def run(self) -> None:
        """Talk to the page until it leaves."""
        self.send(_hello(self.session))
        self.session.listeners.add(self)
        self.follow_session()
        workers = [asyncio.create_task(work()) for work in (self._send_all, self._play, self._edit_all)]
        try:
            await self._read_all()
        except WebSocketDisconnect:
            pass
        finally:
            self._gone = True
            self.session.listeners.discard(self)
            for task in (*workers, *self._asked):
                task.cancel()
            await asyncio.gather(*workers, *self._asked, return_exceptions=True)

    async def close(self) -> None:
        """Tell the page that the server stops; the page tries to connect again."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self.socket.close(1012)

    # Out.

    def send(self, answer: Answer) -> None:
        """Put a message into the outbox."""
        self._outbox.append(msgspec.json.encode(answer))
        self._news.set()

    def follow_session(self) -> None:
        """Tell the page of the present project, and go on with its network."""
        session = self.session
        body = session.body()
        self.tell_body(body)
        try:
            self.stage.adopt(session.network, session.project, body.id)
        except MotionError as error:
            self.send(Notice(level="error", text=str(error)))
        self.send(session.state())
        told = session.network_revision, session.project.harmonics  # how many are used is told with the network
        if told != self._told_network:
            self._told_network = told
            self.send(session.network_message())
            shown = _shown_nodes(session)
            if shown != self._told_poses:
                self._told_poses = shown
                for message in session.pose_messages():
                    self.send(message)
            self._told_states = 0
        for number, character in enumerate(session.project.characters):
            self._follow_path(number, character.path)

    def _follow_path(self, number: int, path: tuple[Any, ...]) -> None:
        staged = self.stage.characters[number]
        wanted = (path, self.session.network_revision) if path else ()
        if staged.planned == wanted:
            return
        staged.planned = wanted
        staged.follower = None
        if path:
            self._later(self._plan(number, path))

    async def _plan(self, number: int, path: tuple[Any, ...]) -> None:
        staged = self.stage.character(number)
        try:
            follower, notes = await asyncio.to_thread(make_follower, staged.network, path)
        except MotionError as error:
            self.send(Notice(level="error", text=str(error), about="path"))
            return
        for note in notes:
            self.send(Notice(level="doubt", text=note, about="path"))
        if staged.planned and staged.planned[0] == path:
            staged.follower = follower

    async def _send_all(self) -> None:
        """Send answers in order, and of poses the latest only: a slow page loses the stale ones."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._news.wait()
                self._news.clear()
                while self._outbox:
                    await self.socket.send_text(self._outbox.popleft().decode())
                    self._room.set()
                frame, self._latest = self._latest, None
                if frame is not None:
                    await self.socket.send_bytes(frame)

    def tell_body(self, body: Body) -> None:
        """Tell the page of a skeleton, once, before a pose refers to it."""
        if body.id not in self._told_bodies:
            self._told_bodies.add(body.id)
            self.send(body)

    def tell_states(self) -> None:
        """Send the log of states with the next frame."""
        self._told_states = 0

    # Time.

    async def _play(self) -> None:
        """Frames at an even pace, and one at once where a command asks for it."""
        last = due = time.perf_counter()
        while not self._gone:
            due += 1.0 / RATE
            wait = due - time.perf_counter()
            if wait > 0.0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._soon.wait()
            else:
                await asyncio.sleep(0)
            if self._soon.is_set():
                self._soon.clear()
                early = last + _PACE.soonest - time.perf_counter()
                if early > 0.0:
                    await asyncio.sleep(early)
                due = time.perf_counter()  # the pace goes on from here
            now = time.perf_counter()
            if now - due > _PACE.late:
                due = now
            if self.stage.recording is None:
                passed, last = min(now - last, _PACE.late), now
            else:
                ticks = min(int((now - last) * RATE + 0.5), int(_PACE.late * RATE))
                passed, last = ticks / RATE, last + ticks / RATE
            self._show(passed)
            # Where figures take long, as many characters do, there are fewer frames and still time for commands.
            done = time.perf_counter()
            due = max(due, done + _PACE.rest * (done - now) - 1.0 / RATE)

    def _show(self, passed: float) -> None:
        acknowledged = self.acknowledged
        try:
            self.stage.advance(passed)
            figures = self.stage.figures()
        except Exception as error:  # the page is told, and the character stands still
            self.stage.playing = False
            self.send(Notice(level="error", text=_words(error)))
            return
        self._frame += 1
        self._latest = pack_frame(figures, acknowledged=acknowledged, frame=self._frame)
        self._news.set()
        player = self.stage.characters[0].player
        if len(player.states) != self._told_states:
            self._told_states = len(player.states)
            entries = [(entry.time, str(entry.state), entry.arc) for entry in player.states[-200:]]
            self.send(StateLog(entries=entries, block=player.block, mode=player.mode))

    # In.

    async def _read_all(self) -> None:
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            raw = message.get("text")
            raw = message.get("bytes") or b"" if raw is None else raw.encode()
            self._take(raw)
            while len(self._outbox) > _PACE.most_answers or len(self._edits) > _PACE.most_answers:
                self._room.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1.0):
                        await self._room.wait()

    def _take(self, raw: bytes) -> None:
        """Do a command, or put it where it will be done in its turn."""
        try:
            command: Command = _DECODER.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self.send(Refused(seq=_seq_of(raw), message=f"this is not a command: {error}"[:400]))
            return
        steer = STEERING.get(type(command))
        if steer is not None:
            try:
                python = steer(self, command)
            except Exception as error:
                self.send(_refused(command, error))
                return
            self.acknowledged = command.seq
            self.send(Ack(seq=command.seq, python=python, revision=self.session.revision))
            if type(command) in AT_ONCE:
                self._soon.set()
        elif type(command) in ANSWERS:
            if len(self._asked) >= _PACE.most_asked:
                self.send(Refused(seq=command.seq, message="too many questions at once; wait for the answers"))
                return
            self._later(self._answer(command, ANSWERS[type(command)]))
        else:
            self._edits.append((command, raw))
            self._edited.set()

    def _later(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._asked.add(task)
        task.add_done_callback(self._asked.discard)

    async def _answer(self, command: Command, answer: Callable[..., Awaitable[Answer]]) -> None:
        try:
            message = await answer(self, command)
        except Exception as error:
            self.send(_refused(command, error))
            return
        self.send(message)
        self.send(Ack(seq=command.seq, python=getattr(message, "python", ""), revision=self.session.revision))

    async def _edit_all(self) -> None:
        """Edits one after the other; of the moves of one drag that wait, the last."""
        while True:
            await self._edited.wait()
            self._edited.clear()
            while self._edits:
                command, raw = self._edits.popleft()
                self._room.set()
                drag = getattr(command, "drag", 0)
                if drag and self._edits and getattr(self._edits[0][0], "drag", 0) == drag:
                    self.send(Ack(seq=command.seq, revision=self.session.revision))
                    continue
                await self._edit(command, raw)

    async def _edit(self, command: Command, raw: bytes) -> None:
        session = self.session
        python, stopped_at = "", None
        try:
            match command:
                case c.Undo():
                    await session.undo()
                case c.Redo():
                    await session.undo(redo=True)
                case c.Open() if command.recent:
                    await session.reopen(command.recent)
                    session.broadcast(_hello(session))
                case c.Open():
                    python = await session.open(command.path, raw)
                case c.ImportFiles():
                    python = (await session.take_in(command.paths, command.at, raw)).python
                case TakeFromLibrary():
                    listed = [await asyncio.to_thread(listed_file, session.library, path) for path in command.paths]
                    names = await asyncio.to_thread(taken_in, listed, session.home(listed[0].stem))
                    python = (await session.take_in(tuple(names), None, raw)).python
                case _ if is_edit(command):
                    edited = await session.edit(command, raw)
                    assert edited is not None
                    python, stopped_at = edited.python, edited.kept
        except Exception as error:
            self.send(_refused(command, error))
            return
        self.acknowledged = command.seq
        if stopped_at is not None:
            text = "a triangle would fold or lie over another beyond this place"
            self.send(Refused(seq=command.seq, message=text, helps="flip an edge first", kept=stopped_at))
        else:
            self.send(Ack(seq=command.seq, python=python, revision=session.revision))


def _hello(session: Session) -> Hello:
    """The first message to a page: what this server can do."""
    return Hello(
        version=__version__,
        folder=session.folder.root.name,
        recent=recent_projects(),
        rate=RATE,
        rules=tuple(RULES),
        closings=tuple(CLOSING_METHODS),
        units=tuple(UNITS),
        roles=tuple(ROLES),
        suffixes=tuple(sorted({*READABLE, ".asf", ".moca"})),
        upload_limit=LARGEST_UPLOAD,
        destinations=DESTINATIONS,
        library="" if session.library is None else session.library.name,
        formats=FORMAT_ROWS,
        namings=NAMES,
        edits=edit_kinds(),
        commands=tuple(COMMANDS),
        frame=dict(PLACES),
    )


def _shown_nodes(session: Session) -> list[tuple[str, str, int]]:
    """The nodes and motions that small skeletons depend on, regardless of place."""
    return [
        (block, node.name, id(node.spectrum))
        for block, network in networks_of(session.network).items()
        for node in network.nodes
    ]


def _words(error: Exception) -> str:
    """The text of an error for the page: the reason, or that it is a fault of this program, which is then logged."""
    if isinstance(error, MotionError):
        return str(error)
    _LOG.error("a fault of this program", exc_info=error)
    return f"a fault of this program: {type(error).__name__}: {error}"[:300]


def _refused(command: Command, error: Exception) -> Refused:
    if not isinstance(error, MotionError):
        return Refused(seq=command.seq, message=_words(error))
    return copied(Refused, error, seq=command.seq, message=str(error))


def _seq_of(raw: bytes) -> int:
    """The sequence number of a message that is no command; 0 where it has none."""
    try:
        return msgspec.json.decode(raw, type=_Seq).seq
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return 0
