"""Hybrid networks of real captures: people who start, stop, speed up, and a dancer who turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.captures import data_folder
from mocapella.blending.network import Network
from mocapella.building.build import build
from mocapella.errors import MotionError
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.transition import Transition
from mocapella.hybrid.transition_search import find_transition
from mocapella.motion.clip import Clip
from mocapella.motion.travel import stands
from mocapella.storage.values import load

Rows = tuple[int, int]


@dataclass(frozen=True)
class Change:
    """One capture, or one half of it, and the blocks it leads from and to."""

    file: str
    source: str
    target: str
    boundaries: Rows | None = None  # by hand; found where None
    half: int | None = None  # 1 or 2

    @property
    def name(self) -> str:
        """What to call it."""
        return self.file if self.half is None else f"{self.file} half {self.half}"


@dataclass(frozen=True)
class Subject:
    """One person's own walks and runs, and the captures in which he or she changes between them."""

    suffix: str
    changes: Sequence[Change]
    blocks: Mapping[str, Sequence[str]] = field(default_factory=dict)  # others are founded on the changes themselves

    def networks(self, folder: Path) -> dict[str, Network]:
        """The blocks that are there before any change."""
        return {
            block: build([_found(folder, stem, self.suffix) for stem in stems]).network
            for block, stems in self.blocks.items()
        }

    def clip(self, folder: Path, change: Change) -> Clip:
        """The capture of a change, or its half."""
        whole = load(_found(folder, change.file, self.suffix))
        middle = whole.n_frames // 2
        return {None: whole, 1: whole[:middle], 2: whole[middle:]}[change.half]

    def transition(
        self, folder: Path, change: Change, networks: Mapping[str, Network], boundaries: Rows | None
    ) -> Transition:
        """A change as found between the blocks that are there."""
        return find_transition(
            self.clip(folder, change),
            boundaries=boundaries,
            before=networks.get(change.source),
            after=networks.get(change.target),
            name=change.name,
        )

    def added(self, draft: HybridBuilder, change: Change, transition: Transition) -> HybridBuilder:
        """The draft with one more change: at once where it begins from standing, else mirrored too."""
        stood = stands(transition.before)
        target = None if change.source == change.target else change.target
        return draft.with_transition(transition, change.source, target, mirrored=not stood, at_once=stood)


SUBJECTS = {
    "16": Subject(
        ".bvh",
        [
            Change("16_33", "walking", "standing"),
            Change("16_31", "standing", "walking"),
            Change("16_57", "running", "standing"),
            Change("16_08", "running", "standing"),
            Change("16_55", "walking", "running", boundaries=(20, 150)),
            Change("16_17", "walking", "walking"),  # round a corner
        ],
        {
            "walking": [f"16_{n}" for n in (15, 21, 47, 58, 11, 13, 24, 26)],
            "running": [f"16_{n}" for n in (35, 36, 45, 46, 37, 39, 48, 49)],
        },
    ),
    "127": Subject(
        ".bvh",
        [
            Change("127_04", "standing", "running"),
            Change("127_05", "running", "standing"),
            Change("127_17", "running", "running"),
        ],
        {"running": ["127_06", "127_10", "127_12"]},
    ),
    # 05_11 begins in the middle of its dance, with neither a cycle nor a stand: it takes the dancer's own walk.
    "05": Subject(
        ".amc",
        [
            Change("05_02", "standing", "posing", boundaries=(325, 860)),
            Change("05_11", "walking", "bowing", boundaries=(50, 450)),
        ],
        {"walking": ["05_01"]},
    ),
}


def captured_hybrids() -> Iterator[tuple[str, HybridNetwork]]:
    """Each subject's hybrid network, one mode for every change; nothing where there are no captures."""
    folder = data_folder()
    for name, subject in SUBJECTS.items() if folder is not None else ():
        assert folder is not None
        networks = subject.networks(folder)
        draft = HybridBuilder(networks)
        for change in subject.changes:
            draft = subject.added(draft, change, subject.transition(folder, change, networks, change.boundaries))
        modes = [draft.mode(change.name, [change.name]) for change in subject.changes]
        yield f"subject {name}", draft.finished(modes)


def found_rows() -> dict[str, Rows | str]:
    """For each change the rows at which it is found to begin and end, or why it has none."""
    folder = data_folder()
    found: dict[str, Rows | str] = {}
    for subject in SUBJECTS.values() if folder is not None else ():
        assert folder is not None
        networks = subject.networks(folder)
        for change in subject.changes:
            try:
                found[change.name] = rows(subject.transition(folder, change, networks, None))
            except MotionError as error:
                found[change.name] = str(error)
    return found


def rows(transition: Transition) -> Rows:
    """Where a change is left and arrived at, in rows of its file."""
    first = transition.clip.first_row
    return transition.leave + first, transition.arrive + first


def _found(folder: Path, stem: str, suffix: str) -> Path:
    return next(path for path in sorted(folder.rglob(f"{stem}{suffix}")) if path.parent.parent.name.startswith("cmu"))
