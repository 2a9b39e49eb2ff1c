"""Jobs of worker processes: computations that take too long while a character plays.

A job is one of a few functions with plain values, and its answer is plain, too; large values lie in files. So a worker
can be stopped at any time, and nothing it was given to read can do more than spoil that worker.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

import mocapella
from mocapella.building.build import build
from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import make_folder, replacing
from mocapella.hybrid.arranging import Playable
from mocapella.storage.values import load_network, save
from mocapella.studio.messages.answers import Refusal
from mocapella.studio.messages.fields import Remedy
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import Project
from mocapella.studio.scripted import root_path_lines
from mocapella.studio.views.clip_panel import clip_details
from mocapella.studio.views.library_panel import library_rows, preview
from mocapella.studio.workers.captures import captured_stretch
from mocapella.studio.workers.derivation import Failed, NoneUsableError, Tell, derive, noted
from mocapella.studio.workers.exporting import export
from mocapella.studio.workers.quality_layers import make_map

_AROUND = 2  # lines of a broken file shown before and after the bad one
_LONGEST_LINE = 160  # bytes shown of a line


class ClipSummary(msgspec.Struct, frozen=True):
    """A clip in the list of clips."""

    seconds: float
    frames: int
    frame_rate: float
    doubts: int


class DeriveAnswer(msgspec.Struct, frozen=True):
    """Where the network lies, and what became of the clips."""

    network: str  # path of a .moca file; empty where no clip could be used
    clips: dict[str, ClipSummary]
    refused: dict[str, Refusal]  # by clip
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    origins: dict[str, str]
    message: str = ""  # why there is no network
    travelling: tuple[str, ...] = ()  # new clips that were given the edit that lets a walk in place travel
    animations: dict[str, tuple[tuple[str, str], ...]] = {}  # of new clips whose file has several: names and paths


def stored_answer(project: Project, folder: Folder, cache: Path) -> DeriveAnswer | None:
    """The answer of an earlier job to the same project and files; None where there is none, or its network is gone."""
    try:
        answer = msgspec.json.decode(_answer_file(project, folder, cache).read_bytes(), type=DeriveAnswer)
    except (OSError, msgspec.MsgspecError, MotionError):
        return None
    return answer if Path(answer.network).is_file() else None


def _answer_file(project: Project, folder: Folder, cache: Path) -> Path:
    """Named by all that the network depends on, the state of its files included."""
    part = project.network_part()
    names = [clip.path for clip in part.clips] + [file for file in (part.file,) if file]
    states = [(name, *_state(folder.file(name))) for name in names]
    digest = hashlib.sha256(f"{part.key()} {states!r} {folder.root}".encode()).hexdigest()[:24]
    return cache / f"derived-{digest}.json"


def _state(path: Path) -> tuple[int, int]:
    state = path.stat() if path.is_file() else None
    return (0, 0) if state is None else (state.st_size, state.st_mtime_ns)


def derived_network(project: Project, folder: Folder, cache: Path, tell: Tell) -> DeriveAnswer:
    """The network of a project, made unless an earlier job has stored it. ``tell`` is called at every stage."""
    stored = stored_answer(project, folder, cache)
    if stored is not None:
        return stored
    answer = _derived(project, folder, cache, tell)
    if answer.network:
        for same in (project, project.settled(answer.travelling, answer.animations)):
            with replacing(_answer_file(same, folder, cache)) as file:
                file.write(msgspec.json.encode(answer))
    return answer


def _derived(project: Project, folder: Folder, cache: Path, tell: Tell) -> DeriveAnswer:
    try:
        derived = derive(project, folder, lambda: load_actor(cache), tell)
    except NoneUsableError as error:
        refused = {failed.clip.name: _refusal(failed, folder) for failed in error.failed}
        return DeriveAnswer("", {}, refused, (), (), {}, str(error))
    stem = _answer_file(project, folder, cache).stem.replace("derived", "network")
    path = cache / f"{stem}.moca"
    make_folder(cache)
    save(derived.network, path)
    return DeriveAnswer(
        str(path),
        {
            name: ClipSummary(clip.seconds, clip.n_frames, clip.frame_rate, len(clip.report.warnings))
            for name, clip in derived.clips.items()
        },
        {failed.clip.name: _refusal(failed, folder) for failed in derived.failed},
        tuple(note for note in derived.notes if note.startswith("left out")),
        tuple(note for note in derived.notes if not note.startswith("left out")),
        derived.origins or {},
        travelling=derived.travelling,
        animations=dict(derived.animations),
    )


def _refusal(failed: Failed, folder: Folder) -> Refusal:
    """Why a file was not read, with the lines round the place, and what helps."""
    error, choice = failed.error, failed.clip
    line = error.line if isinstance(error, FormatError) else 0
    message = error.reason if isinstance(error, FormatError) else str(error)
    remedies = [Remedy("Continue without it", "The network is built from the other clips; you can add the file later.")]
    if line:
        remedies.insert(0, Remedy(f"Repair line {line} and drop it again", "The rest of the file may be valid."))
        remedies.insert(0, Remedy("Export the take again", "The file was not written completely or correctly."))
    elif "cycle" in message:
        remedies.insert(0, Remedy("Mark a cycle by hand", "Open the clip and drag a range that covers two steps."))
    return Refusal(
        path=choice.path,
        message=message,
        line=line,
        expected=error.expected,
        got=error.got,
        lines=_lines(folder.file(choice.path), line) if line else [],
        remedies=tuple(remedies),
    )


def _lines(path: Path, line: int) -> list[tuple[int, str]]:
    first = max(1, line - _AROUND)
    try:
        with path.open("rb") as file:
            rows = list(islice(file, first - 1, line + _AROUND))
    except OSError:
        return []
    return [(i, row[:_LONGEST_LINE].decode(errors="replace").rstrip()) for i, row in enumerate(rows, first)]


def cache_folder() -> Path:
    """The cache folder, kept between sessions; one for every version of this package.

    It lies in ``$MOCAPELLA_CACHE``, else in ``$XDG_CACHE_HOME`` or ``~/.cache``.
    """
    asked = os.environ.get("MOCAPELLA_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    sources = sorted(Path(mocapella.__file__).parent.rglob("*.py"))
    states = [(path.stat().st_size, path.stat().st_mtime_ns) for path in sources if "studio" not in path.parts]
    state = hashlib.sha256(repr((mocapella.__version__, states)).encode()).hexdigest()[:12]
    return Path(asked or Path(home) / "mocapella") / f"studio-{state}"


def actor_file(cache: Path) -> Path:
    """The file of the embedded actor's network in the cache, which need not be there yet."""
    return cache / "actor.moca"


def load_actor(cache: Path) -> Playable:
    """The embedded actor's hybrid network: read from the cache, else made and stored there."""
    path = actor_file(cache)
    if path.is_file():
        try:
            network = load_network(path)
            assert isinstance(network, Playable)
            return network
        except FormatError:
            pass  # damaged: made again
    from mocapella.studies.demo import demo_hybrid

    with noted():
        actor = demo_hybrid()
        make_folder(cache)
        save(actor, path)
    return actor


def first_steps() -> Playable:
    """A small walking network of the embedded actor, made quickly and played until the whole one is ready."""
    from mocapella.actor import capture

    names = ("slow walk straight", "fast walk straight", "medium walk left")
    with noted():
        return build([capture(name)[0] for name in names]).network


def store_actor(cache: Path) -> None:
    """Make the embedded actor's network where it is not in the cache yet."""
    load_actor(cache)


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    derived_network, store_actor, clip_details, root_path_lines, make_map, export, captured_stretch, preview,
    library_rows,
)  # fmt: skip
_JOBS = {function.__name__: function for function in _FUNCTIONS}


class Ask(msgspec.Struct, frozen=True):
    """A job with its number: the name of its function, and its arguments by name."""

    number: int
    job: str
    arguments: dict[str, msgspec.Raw]

    @classmethod
    def of(cls, number: int, job: partial[Any]) -> Ask:
        """A job as it travels to a worker."""
        bound = inspect.signature(job.func).bind_partial(*job.args, **job.keywords).arguments
        encoded = {name: msgspec.Raw(msgspec.json.encode(value, enc_hook=os.fspath)) for name, value in bound.items()}
        return cls(number, job.func.__name__, encoded)

    def answer(self, tell: Tell) -> Any:
        """Do the job; a function that has a parameter ``tell`` is given it.

        Raises ``MotionError`` where the job's values cannot be used.
        """
        function = _JOBS[self.job]
        kinds = get_type_hints(function)
        arguments = {
            name: msgspec.json.decode(value, type=kinds[name], dec_hook=lambda kind, text: kind(text))
            for name, value in self.arguments.items()
        }
        with noted():
            return function(**arguments, **({"tell": tell} if "tell" in kinds else {}))
