"""The network of a project, from its clips: read, cut into cycles, built, and changed by hand."""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.prepare import prepare, turning_of
from mocapella.analysis.treadmill import walks_in_place
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.building.build import build
from mocapella.errors import MotionError, MotionWarning, NetworkError, warn
from mocapella.files.formats import used_motions
from mocapella.gait.root_motion import played_rates
from mocapella.hybrid import arranging
from mocapella.hybrid.arranging import Playable
from mocapella.hybrid.transition import Transition
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.cycle import Cycle
from mocapella.rig.binding import faced
from mocapella.rig.symmetry import mirrored_clip
from mocapella.storage.values import load, load_network
from mocapella.studio import project as p
from mocapella.studio.network_changes import Added, Joined
from mocapella.studio.opened_folder import Folder
from mocapella.studio.toolbox import applied

Tell = Callable[[str, str, int, int], None]  # stage, what it is at, how many are done, of how many


@dataclass(frozen=True)
class Failed:
    """A clip that could not be used."""

    clip: p.ClipChoice
    error: MotionError


@dataclass(frozen=True, eq=False)
class _Derived:
    """The network of a project, and what became of its clips."""

    network: Playable
    clips: dict[str, Clip]  # that were read
    failed: tuple[Failed, ...] = ()
    notes: tuple[str, ...] = ()  # warnings on the way
    origins: dict[str, str] | None = None  # node → where it came from
    travelling: tuple[str, ...] = ()  # clips that were given the edit that lets a walk in place travel
    animations: p.Animations = field(default_factory=dict)  # of new clips whose file has several


@contextmanager
def noted() -> Iterator[list[str]]:
    """Warnings of doubtful motions as sentences, each once, instead of on standard error."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MotionWarning)
        yield notes
    notes += dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, MotionWarning))


# One clip.


def examined_clip(choice: p.ClipChoice, folder: Folder) -> Examined:
    """A clip of a project with what was found out about it; kept while its file and choices are the same.

    The result is as it was read and corrected, mirrored and edited, under the name that the project has for it. Plants
    and roles are worked out once. Raises ``MotionError`` where the file cannot be read, or a choice does not fit it.
    """
    try:
        state = folder.file(choice.path).stat()
    except OSError:
        raise MotionError(f"{choice.path}: there is no such file in the opened folder") from None
    plants = choice.plants if choice.edits else None  # edits go by the plants, which come after them otherwise
    names = ("name", "path", "unit", "up", "facing", "roles", "frame_rate", "mirrored", "edits")
    reading = p.ClipChoice(**{name: getattr(choice, name) for name in names}, plants=plants)
    words = msgspec.json.encode(reading, order="deterministic")
    return _read(choice.name, words, folder, (state.st_mtime_ns, state.st_size))


def animations_of(project: p.Project, folder: Folder) -> p.Animations:
    """The animations of new clips whose file has several; a ``MotionWarning`` names those that are left out."""
    taken = set(project.names)
    animations: dict[str, tuple[tuple[str, str], ...]] = {}
    for clip in project.clips:
        motions = used_motions(folder.path(clip.path)) if clip.new and not clip.apart else []
        if len(motions) > 1:
            paths = [folder.name(motion.path) for motion in motions]
            names = [p.free_name(p.clip_name(path), taken) for path in paths]
            taken.update(names)
            animations[clip.name] = tuple(zip(names, paths, strict=True))
    return animations


def let_travel(choice: p.ClipChoice, folder: Folder) -> p.ClipChoice:
    """The choices for a clip that was just taken in: a walk in place gets the edit that lets it travel.

    A clip that is not new stays as the user has it.
    """
    if not choice.new:
        return choice
    settled = msgspec.structs.replace(choice, new=False)
    with suppress(MotionError):  # a file that cannot be read, or a body without legs
        if not settled.edits and walks_in_place(examined_clip(settled, folder).clip):
            return msgspec.structs.replace(settled, edits=(p.EditChoice(p.TRAVEL),))
    return settled


@lru_cache(maxsize=24)
def _read(name: str, words: bytes, folder: Folder, state: tuple[int, int]) -> Examined:
    choice = msgspec.json.decode(words, type=p.ClipChoice)
    place = folder.path(choice.path)
    clip = load(place, unit=choice.unit, up=choice.up, roles=choice.roles, frame_rate=choice.frame_rate)
    if not isinstance(clip, Clip):
        raise MotionError(f"{place.name} holds no clip but a {type(clip).__name__.lower()}; open it instead")
    clip = clip.renamed(name)
    if choice.facing is not None:
        clip = faced(clip, choice.facing)
    if choice.mirrored:
        clip = mirrored_clip(clip)
    for edit in choice.edits:
        clip = applied(clip, edit, folder, plants_of(choice, clip))
    return examine(clip)


def plants_of(choice: p.ClipChoice, clip: Clip) -> Contacts | None:
    """The foot plants that the user set (in rows of the file), other foot points as found; None where none were set."""
    if choice.plants is None:
        return None
    row, last = clip.first_row, clip.n_frames - 1
    given = {
        point: tuple((max(a - row, 0), min(b - row, last)) for a, b in rows if a - row <= last and b >= row)
        for point, rows in choice.plants.items()
    }
    return replace(examine(clip).plants, **given)  # type: ignore[arg-type]


def choices_of(choice: p.ClipChoice, examined: Examined) -> dict[str, Any]:
    """The options of ``prepare`` that the user decided, or that a network needs."""
    row = examined.clip.first_row
    options: dict[str, Any] = {}
    if choice.frames is not None:
        options["frames"] = (choice.frames[0] - row, choice.frames[1] - row)
    else:
        options["turning"] = turning_of(examined, choice.turning)
    if choice.plants is not None:
        options["contacts"] = plants_of(choice, examined.clip)
    if choice.method != "symmetric":
        options["method"] = choice.method
    return {name: value for name, value in options.items() if value is not None}


class ReadClips(NamedTuple):
    """The clips of a project as changes of its network use them."""

    project: p.Project
    folder: Folder

    def cycle(self, clip: str) -> Cycle:
        """The closed cycle of a clip."""
        choice = self.project.clip(clip)
        examined = examined_clip(choice, self.folder)
        return prepare(examined, **choices_of(choice, examined))

    def transition(self, clip: str, name: str) -> Transition:
        """The transition that a clip shows."""
        return find_transition(examined_clip(self.project.clip(clip), self.folder), name=name)


# The network.


def derive(project: p.Project, folder: Folder, actor: Callable[[], Playable], tell: Tell) -> _Derived:
    """The network of a project from the beginning. ``tell`` is called at every stage.

    Raises ``MotionError`` where no network can be made, or a change does not fit it.
    """
    with noted() as notes:
        animations = animations_of(project, folder)
        project = msgspec.structs.replace(project, clips=tuple(project.parted(animations)))
        derived = replace(_base(project, folder, actor, tell), animations=animations)
        alone = [clip.name for clip in project.clips if clip.apart and clip.new and let_travel(clip, folder).edits]
        derived = replace(derived, travelling=(*derived.travelling, *alone))
        for name in derived.travelling:
            warn(f"{name} walks in place, as on a treadmill: it was given the edit {p.TRAVEL}, and travels")
        project, network = project.settled(derived.travelling), derived.network
        for change in project.changes:
            network = change.apply(network, ReadClips(project, folder))
            if isinstance(change, Added | Joined) and change.clip:  # read a moment ago, and kept
                derived.clips[change.clip] = examined_clip(project.clip(change.clip), folder).clip
        network = with_settings(network, project)
    return replace(derived, network=network, notes=tuple(notes))


def _base(project: p.Project, folder: Folder, actor: Callable[[], Playable], tell: Tell) -> _Derived:
    if project.source == "actor":
        tell("place", "the embedded actor", 0, 1)
        return _Derived(actor(), {})
    if project.source == "file":
        network = load_network(folder.path(project.file))
        if not isinstance(network, Playable):
            raise NetworkError(f"{project.file} holds a cascade; the studio plays networks and hybrid networks")
        return _Derived(network, {})
    choices = [clip for clip in project.clips if not clip.apart]
    clips, failed, sources, travelling = {}, [], [], []
    motions: dict[bytes, str] = {}  # what each clip shows → its name
    for i, given in enumerate(choices):
        tell("read", given.name, i, len(choices))
        choice = let_travel(given, folder)
        travelling += [choice.name] if choice.edits != given.edits else []
        try:
            examined = examined_clip(choice, folder)
            twin = motions.setdefault(_shown(examined.clip), choice.name)
            if twin != choice.name:  # two nodes in one place are no network
                raise MotionError(f"it shows the very same motion as {twin!r}; one of them is enough")
            clips[choice.name] = examined.clip
            with suppress(MotionError):  # a body without legs
                if walks_in_place(examined.clip):
                    warn(f"{choice.name} walks in place, as on a treadmill; the edit {p.TRAVEL} lets it travel")
            tell("cut", choice.name, i, len(choices))
            sources.append(prepare(examined, **choices_of(choice, examined)))
        except MotionError as error:
            failed.append(Failed(choice, error))
    if not sources:
        reason = f": {failed[0].error}" if failed else "; drop captures to begin"
        raise NoneUsableError(f"none of {len(choices)} clips gives a cycle{reason}", tuple(failed))
    tell("step", f"{len(sources)} cycles", len(choices), len(choices))
    began = time.perf_counter()
    built = build(sources, measure=played_rates)
    tell("place", f"{len(built.network.nodes)} nodes, {time.perf_counter() - began:.1f} s", len(choices), len(choices))
    return _Derived(
        built.network,
        clips,
        tuple(failed),
        origins={name: origin.source for name, origin in built.origins.items()},
        travelling=tuple(travelling),
    )


def _shown(clip: Clip) -> bytes:
    """A digest of the motion of a clip, independent of its file name."""
    return hashlib.sha256(clip.rotations_wxyz.tobytes() + clip.root_positions.tobytes()).digest()


class NoneUsableError(NetworkError):
    """No clip gives a cycle."""

    def __init__(self, text: str, failed: Sequence[Failed]) -> None:
        super().__init__(text)
        self.failed = tuple(failed)


def with_settings(network: Playable, project: p.Project) -> Playable:
    """A network with the rule and the single-source harmonics of a project."""
    if project.rule is not None:
        network = arranging.with_rule(network, project.rule)
    if project.single_source is not None:
        first = project.single_source
        network = arranging.with_single_source(network, SingleSource(first=first) if first else None)
    return network
