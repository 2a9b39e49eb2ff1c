"""The session: the one project that all connections share, its network, and its background jobs."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from mocapella.errors import MotionError
from mocapella.files.disk import make_folder
from mocapella.hybrid.arranging import Playable
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.skeleton import Skeleton
from mocapella.quoting import python_literal
from mocapella.storage.values import load_network
from mocapella.studio import project as p
from mocapella.studio.editing import Edited, edited, imported
from mocapella.studio.messages.answers import Body, ImportReport, NetworkView, NodePoses, Notice, ProjectState
from mocapella.studio.messages.fields import Answer, Command, copied
from mocapella.studio.opened_folder import KEPT_IN, Folder
from mocapella.studio.saving import new_folder, opened, projects_folder, recent_projects, set_aside
from mocapella.studio.views.library_panel import library_of
from mocapella.studio.views.network_panel import body_view, network_view, node_poses, skeleton_of
from mocapella.studio.views.project_panel import ClipStates, project_state
from mocapella.studio.workers import jobs
from mocapella.studio.workers.derivation import ReadClips, noted, with_settings
from mocapella.studio.workers.pool import Pool, telling

_KEPT = 24  # networks that undo finds ready
_AUTOSAVE = 0.5  # seconds after the last edit
_AUTOSAVE_AT_LAST = 3.0  # seconds after the first edit that is not saved, while edits keep coming
_PER_CLIP = 5.0  # seconds that building may take for every clip, beyond what every job may

Send = Callable[[Answer], None]


class _Derived(NamedTuple):
    """A network, the origins of its nodes, and the state of its clips."""

    network: Playable
    origins: dict[str, str]
    clips: ClipStates


class Session:
    """The project with its history, and its network; connections are told of every change.

    The project is written to ``keep``, relative to the folder, soon after every edit; where that is empty, a new folder
    is made when something is first written. ``library`` is a folder with a library of captures; the one in the opened
    folder if None.
    """

    def __init__(
        self, folder: Folder, history: p.History, *, keep: str, pool: Pool, library: Path | None = None
    ) -> None:
        self.folder, self.history, self.pool = folder, history, pool
        self.keep, self.new = keep or KEPT_IN, not keep
        self.library = library_of(folder.root, library)
        self.cache, self.mark = jobs.cache_folder(), secrets.token_hex(6)
        self.lock = asyncio.Lock()
        self.listeners: set[Any] = set()  # connections
        self.saved_at: p.Project | None = history.project
        self.path = ""
        self.revision, self.network_revision = 1, 1
        self.network: Playable
        self.origins: dict[str, str] = {}
        self.clips = ClipStates({}, {}, frozenset())
        self._networks: OrderedDict[str, _Derived] = OrderedDict()
        self._bodies: list[tuple[Skeleton, Body]] = []
        self._poses: tuple[Playable, list[NodePoses]] | None = None
        self._autosave: asyncio.TimerHandle | None = None
        self._unsaved_since: float | None = None  # seconds of the loop's clock
        self._told_fault = ""
        self._first: asyncio.Task[None] | None = None

    @property
    def project(self) -> p.Project:
        """The present project."""
        return self.history.project

    async def begin(self) -> None:
        """Make or read the first network."""
        project = self.project
        is_actor = project.source == "actor" and project.network_part() == p.Project()
        answer = jobs.stored_answer(project, self.folder, self.cache)
        if project.source == "file" or answer is not None:
            self._set(await _ready(self._settled(*await self._derived(project))))
            return
        is_stored = jobs.actor_file(self.cache).is_file()
        make = partial(jobs.load_actor, self.cache) if is_stored else jobs.first_steps
        network = await asyncio.to_thread(make)
        self._set(await _ready(_Derived(network, {}, self.clips)))
        if not is_actor or not is_stored:  # the actor walks while the network is made
            await self.lock.acquire()
            self._first = asyncio.create_task(self._make_first(is_actor))

    async def _make_first(self, whole_actor: bool) -> None:
        """The first network, made while the actor walks; edits wait for it."""
        try:
            if whole_actor:
                await self.pool.run(partial(jobs.store_actor, self.cache))
                derived = _Derived(await asyncio.to_thread(jobs.load_actor, self.cache), {}, self.clips)
            else:
                derived = self._settled(*await self._derived(self.project))
            self._networks.clear()
            self._set(await _ready(derived))
        except MotionError as error:
            self.broadcast(Notice(level="error", text=str(error)))
            if not whole_actor:  # nothing can be built: what walks is the actor
                set_aside(self.folder.path(self.keep))
                self.history = p.History.of(replace(p.Project(), name=self.project.name))
        finally:
            self.lock.release()
            self.revision += 1
            self.tell_all()

    def _settled(self, derived: _Derived, project: p.Project) -> _Derived:
        """The first network, once the project is as its new clips were read."""
        self.saved_at = project if self.saved_at == self.project else self.saved_at
        self.history = self.history.with_project(project)
        return derived

    def _set(self, derived: _Derived) -> None:
        self.network, self.origins, self.clips = derived
        self.network_revision += 1
        key = self.project.network_part().key()
        self._networks[key] = derived
        self._networks.move_to_end(key)
        while len(self._networks) > _KEPT:
            self._networks.popitem(last=False)

    # Edits.

    async def edit(self, command: Command, raw: bytes) -> Edited | None:
        """Do a command that changes the project; None where it changes nothing.

        Raises ``MotionError`` where it cannot be done; the project stays as it was.
        """
        return await self.change(lambda project: edited(project, command, self.network), raw)

    async def change(self, make: Callable[[p.Project], Edited | None], raw: bytes) -> Edited | None:
        """Do an edit that a function makes of the present project.

        ``make`` gives the new project, or None to leave it.
        """
        async with self.lock:
            edit = await asyncio.to_thread(_quietly, make, self.project)
            if edit is not None:
                await self._commit(edit, raw)
            return edit

    async def take_in(self, paths: tuple[str, ...], at: tuple[float, float] | None, raw: bytes) -> Edited:
        """Take captures in, and build."""
        files = self.folder.motions(paths)
        if not files:
            raise MotionError("there is no motion file among these")
        async with self.lock:
            edit = imported(self.project, files, at)
            await self._commit(edit, raw)
            return edit

    async def open(self, path: str, raw: bytes) -> str:
        """Open a network, a project, a capture or a folder; the embedded actor for an empty path."""
        place = self.folder.path(path)
        if place.name == p.FILE_NAME and place.is_file():
            history = await asyncio.to_thread(p.load_project, place)
            async with self.lock:
                self.autosave()
                await self._adopt(history)
                if place != self.folder.path(self.keep):
                    set_aside(self.folder.path(self.keep))
                self.saved_at = history.project
                self.tell_all()
            return ""
        if path and place.suffix.lower() != ".moca":
            return (await self.take_in((path,), None, raw)).python
        async with self.lock:
            if path:
                after = p.Project(name=place.stem, source="file", file=path)
                edit = Edited(after, f"open {place.name}", f"network = mo.load({python_literal(path)})")
            else:
                edit = Edited(p.Project(), "open the actor", "network = demo_hybrid()")
            await self._commit(edit, raw)
        return edit.python

    async def reopen(self, name: str) -> None:
        """Open the folder of a recent project, and leave this one as it is."""
        if name not in recent_projects():
            raise MotionError(f"there is no recent project {name[:80]!r}")
        async with self.lock:
            self.autosave()
            folder, history, keep = opened(projects_folder() / name)
            derived, project = await self._derived(history.project, folder)
            ready = await _ready(derived)
            self.folder, self.keep, self.new = folder, keep, False
            self.history, self.saved_at, self.path = history.with_project(project), project, ""
            self._networks.clear()  # of files by the same names
            self.__dict__.pop("maps", None)
            self._set(ready)
            self.revision += 1
            self.tell_all()

    async def undo(self, *, redo: bool = False) -> None:
        """Take the last edit back, or do it again."""
        async with self.lock:
            await self._adopt(self.history.on() if redo else self.history.back())
            self.tell_all()

    async def _commit(self, edit: Edited, raw: bytes) -> None:
        step = p.Step(edit.project, edit.label, edit.python, edit.drag, msgspec.Raw(raw))
        await self._adopt(self.history.then(step), edit.network)
        self.tell_all()

    async def _adopt(self, history: p.History, network: Playable | None = None) -> None:
        """Make another project the present one, once its network is there."""
        before, after = self.project, history.project
        old, new = before.network_part(), after.network_part()
        if old != new:
            derived = None if network is None else _Derived(network, self.origins, self.clips)
            derived = derived or self._networks.get(new.key()) or await self._quick(old, new)
            if derived is None:
                derived, after = await self._derived(after)
                history = history.with_project(after)
            ready = await _ready(derived)
            self.history = history
            self._set(ready)
        self.history = history
        self.revision += 1
        self._save_soon()

    async def _quick(self, old: p.Project, new: p.Project) -> _Derived | None:
        """The network where a small change of the present one gives it."""
        same = replace(new, changes=old.changes, rule=old.rule, single_source=old.single_source) == old
        n = len(old.changes)
        added = new.changes[n:]
        if not same or new.changes[:n] != old.changes or len(added) > 1 or not all(change.quick for change in added):
            return None
        if (new.rule is None and old.rule is not None) or (new.single_source is None and old.single_source is not None):
            return None

        def make() -> Playable:
            with noted():
                network = self.network
                for change in added:
                    network = change.apply(network, ReadClips(new, self.folder))
                same_settings = (old.rule, old.single_source) == (new.rule, new.single_source)
                return network if same_settings else with_settings(network, new)

        return _Derived(await asyncio.to_thread(make), self.origins, self.clips)

    async def _derived(self, project: p.Project, folder: Folder | None = None) -> tuple[_Derived, p.Project]:
        """The network from the beginning, made by a worker, which tells how far it is; the project as it was read."""
        number, folder = self.pool.next_number(), folder or self.folder
        read = self.clips.read
        reading = frozenset(clip.name for clip in project.clips if clip.name not in read)
        self.clips = self.clips._replace(reading=reading)
        if self.listeners:
            self.broadcast(self.state())

        try:
            with telling(self.broadcast, number, "building the network") as told:
                answer = jobs.stored_answer(project, folder, self.cache)
                if answer is None:
                    job = partial(jobs.derived_network, project, folder, self.cache)
                    more = _PER_CLIP * len(project.clips)
                    answer = await self.pool.run(job, progress=told, number=number, seconds=more)
                self._report(number, project, answer)
                if not answer.network:
                    raise MotionError(answer.message)
                network = await asyncio.to_thread(load_network, answer.network)
        finally:
            self.clips = self.clips._replace(reading=frozenset())
        assert isinstance(network, Playable)
        derived = _Derived(network, answer.origins, ClipStates(answer.clips, answer.refused, frozenset()))
        return derived, project.settled(answer.travelling, answer.animations)

    def _report(self, number: int, project: p.Project, answer: jobs.DeriveAnswer) -> None:
        if project.source == "clips":
            read = tuple(name for name in answer.clips if name not in answer.refused)
            self.broadcast(copied(ImportReport, answer, job=number, read=read, refused=tuple(answer.refused.values())))
        else:
            for note in answer.notes:
                self.broadcast(Notice(level="doubt", text=note))

    # Files.

    def home(self, first: str = "") -> Folder:
        """The folder to write into. A project without one is given a new one that stays, named by ``first``."""
        if self.new:
            self.folder = new_folder(first or next(iter(self.project.names), self.project.name))
            self.new = False
            self.broadcast(Notice(level="info", text=f"This project is kept in {self.folder.root}"))
        return self.folder

    def _save_soon(self) -> None:
        if self._autosave is not None:
            self._autosave.cancel()
        loop = asyncio.get_running_loop()
        self._unsaved_since = loop.time() if self._unsaved_since is None else self._unsaved_since
        due = min(loop.time() + _AUTOSAVE, self._unsaved_since + _AUTOSAVE_AT_LAST)
        self._autosave = loop.call_at(due, self.autosave)

    def autosave(self) -> None:
        """Write the project with its history into the folder, where it has unsaved edits.

        A full disk is reported to the pages, once, and not raised.
        """
        if self._unsaved_since is None:
            return
        try:
            place = self.home().path(self.keep)
            make_folder(place.parent)
            p.save_project(self.history, place)
        except MotionError as error:
            if str(error) != self._told_fault:
                self._told_fault = str(error)
                self.broadcast(Notice(level="error", text=str(error)))
        else:
            self._unsaved_since = None

    # What connections are told.

    def broadcast(self, answer: Answer) -> None:
        """Tell all connections something."""
        for connection in list(self.listeners):
            connection.send(answer)

    def tell_all(self) -> None:
        """Tell all connections of the present project, and of its network where that is another one."""
        for connection in list(self.listeners):
            connection.follow_session()

    def body(self, skeleton: Skeleton | None = None) -> Body:
        """A skeleton with its body, the present one if None; the same skeleton keeps its number."""
        skeleton = skeleton or skeleton_of(self.network)
        for earlier, body in self._bodies:
            if earlier is skeleton or (earlier.same_as(skeleton) and earlier.names == skeleton.names):
                return body
        body = body_view(skeleton, len(self._bodies) + 1)
        self._bodies.append((skeleton, body))
        return body

    def network_message(self) -> NetworkView:
        """The present network as the page draws it."""
        return network_view(
            self.network, self.project, self.origins, revision=self.network_revision, body=self.body().id
        )

    def pose_messages(self) -> list[NodePoses]:
        """Small skeletons of all nodes; worked out once per network."""
        if self._poses is None or self._poses[0] is not self.network:
            self._poses = (self.network, node_poses(self.network, self.network_revision))
        return self._poses[1]

    def state(self) -> ProjectState:
        """The present project as the page lists it."""
        saved = self.project == self.saved_at
        return project_state(
            self.history, self.network, self.clips, revision=self.revision, path=self.path, saved=saved
        )

    async def close(self) -> None:
        """Write the project, and end the workers."""
        if self._first is not None:
            self._first.cancel()
        if self._autosave is not None:
            self._autosave.cancel()
        self.autosave()
        await self.pool.close()
        for file in self.cache.glob(f"played-{self.mark}-*"):
            file.unlink(missing_ok=True)


def _quietly(make: Callable[[p.Project], Edited | None], project: p.Project) -> Edited | None:
    with noted():
        return make(project)


async def _ready(derived: _Derived) -> _Derived:
    """The network with everything computed that a player needs."""
    if isinstance(derived.network, HybridNetwork):
        await asyncio.to_thread(derived.network.made_ready)
    return derived
