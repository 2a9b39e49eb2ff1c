"""Jobs of worker processes: computations that take too long while a character plays.

A job is a struct of plain values, its answer too; large values lie in files between them. So a worker can be stopped
at any time, and nothing it was given to read can do more than spoil that worker.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
from mocapella.studio.project import ClipChoice, Project
from mocapella.studio.scripted import root_path_lines
from mocapella.studio.views.clip_panel import clip_details
from mocapella.studio.views.library_panel import library_rows, preview
from mocapella.studio.workers.captures import CaptureJob, captured_stretch
from mocapella.studio.workers.derivation import Derived, Failed, NoneUsableError, Tell, derive, noted
from mocapella.studio.workers.exporting import ExportJob, export
from mocapella.studio.workers.quality_layers import MapJob, make_map

_AROUND = 2  # lines of a broken file shown before and after the bad one
_LONGEST_LINE = 160  # bytes shown of a line


class DeriveJob(msgspec.Struct, frozen=True, tag_field="job", tag="derive"):
    """Make the network of a project."""

    folder: str
    cache: str
    project: Project


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


class ActorJob(msgspec.Struct, frozen=True, tag_field="job", tag="actor"):
    """Make the embedded actor's hybrid network; answered with its path."""

    cache: str


class ClipJob(msgspec.Struct, frozen=True, tag_field="job", tag="clip"):
    """Everything about one clip; answered with ``ClipDetails``."""

    folder: str
    clip: ClipChoice
    python: str


class RootPathJob(msgspec.Struct, frozen=True, tag_field="job", tag="root_path"):
    """Where the root of a clip goes; answered with lines to print."""

    folder: str
    clip: ClipChoice


class PreviewJob(msgspec.Struct, frozen=True, tag_field="job", tag="preview"):
    """A stretch of a capture to look at; answered with ``Preview``."""

    path: str
    start: int
    frames: int


class LikeJob(msgspec.Struct, frozen=True, tag_field="job", tag="like"):
    """Stretches of a library that are like a clip of the folder; answered with ``LibraryRows``."""

    library: str
    query: str
    like: str
    most: int


AnyJob = DeriveJob | ActorJob | ClipJob | RootPathJob | MapJob | ExportJob | CaptureJob | PreviewJob | LikeJob


def run_job(job: AnyJob, tell: Tell) -> Any:
    """Do a job. ``tell`` is called at every stage. Raises ``MotionError`` where the job's values cannot be used."""
    return _JOBS[type(job)](job, tell)


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
    states = [(name, *_state(folder.path(name))) for name in names]
    digest = hashlib.sha256(f"{part.key()} {states!r} {folder.root}".encode()).hexdigest()[:24]
    return cache / f"derived-{digest}.json"


def _state(path: Path) -> tuple[int, int]:
    state = path.stat() if path.is_file() else None
    return (0, 0) if state is None else (state.st_size, state.st_mtime_ns)


def _derive(job: DeriveJob, tell: Tell) -> DeriveAnswer:
    folder, cache = Folder.of(Path(job.folder)), Path(job.cache)
    stored = stored_answer(job.project, folder, cache)
    if stored is not None:
        return stored
    answer = _derived(job, folder, tell)
    if answer.network:
        for project in (job.project, job.project.settled(answer.travelling)):
            with replacing(_answer_file(project, folder, cache)) as file:
                file.write(msgspec.json.encode(answer))
    return answer


def _derived(job: DeriveJob, folder: Folder, tell: Tell) -> DeriveAnswer:
    try:
        derived = derive(job.project, folder, lambda: load_actor(Path(job.cache)), tell)
    except NoneUsableError as error:
        refused = {failed.clip.name: _refusal(failed, folder) for failed in error.failed}
        return DeriveAnswer("", {}, refused, (), (), {}, str(error))
    stem = _answer_file(job.project, folder, Path(job.cache)).stem.replace("derived", "network")
    path = Path(job.cache) / f"{stem}.moca"
    make_folder(path.parent)
    with noted():
        save(derived.network, path)
    return DeriveAnswer(
        str(path),
        _summaries(derived),
        {failed.clip.name: _refusal(failed, folder) for failed in derived.failed},
        tuple(note for note in derived.notes if note.startswith("left out")),
        tuple(note for note in derived.notes if not note.startswith("left out")),
        derived.origins or {},
        travelling=derived.travelling,
    )


def _summaries(derived: Derived) -> dict[str, ClipSummary]:
    return {
        name: ClipSummary(clip.seconds, clip.n_frames, clip.frame_rate, len(clip.report.warnings))
        for name, clip in derived.clips.items()
    }


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
        lines=_lines(folder.path(choice.path), line) if line else [],
        remedies=tuple(remedies),
    )


def _lines(path: Path, line: int) -> list[tuple[int, str]]:
    """The lines of a text file round one of them."""
    out = []
    try:
        with path.open("rb") as file:
            for number, text in enumerate(file, 1):
                if number > line + _AROUND:
                    break
                if number >= line - _AROUND:
                    out.append((number, text[:_LONGEST_LINE].decode(errors="replace").rstrip()))
    except OSError:
        return []
    return out


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


def _actor(job: ActorJob, tell: Tell) -> str:
    tell("place", "the embedded actor", 0, 1)
    load_actor(Path(job.cache))
    return str(actor_file(Path(job.cache)))


def _clip(job: ClipJob, tell: Tell) -> Any:
    tell("read", job.clip.name, 0, 1)
    with noted():
        return clip_details(job.clip, Folder.of(Path(job.folder)), python=job.python)


def _root_path(job: RootPathJob, tell: Tell) -> list[str]:
    with noted():
        return root_path_lines(job.clip, Folder.of(Path(job.folder)))


def _preview(job: PreviewJob, tell: Tell) -> Any:
    tell("read", Path(job.path).name, 0, 1)
    with noted():
        return preview(Path(job.path), job.start, job.frames)


def _like(job: LikeJob, tell: Tell) -> Any:
    with noted():
        return library_rows(Path(job.library), job.query, like=Path(job.like), most=job.most)


_JOBS: dict[type, Callable[[Any, Tell], Any]] = {
    DeriveJob: _derive,
    ActorJob: _actor,
    ClipJob: _clip,
    RootPathJob: _root_path,
    MapJob: make_map,
    ExportJob: export,
    CaptureJob: captured_stretch,
    PreviewJob: _preview,
    LikeJob: _like,
}
