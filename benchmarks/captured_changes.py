"""Hybrid networks of real captures: people who start, stop, speed up, and a dancer who turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.captures import data_folder
from mocapella.blending.build import build
from mocapella.blending.draft import Draft
from mocapella.blending.find_transition import find_transition
from mocapella.blending.hybrid import HybridNetwork
from mocapella.files.formats import load


@dataclass(frozen=True)
class Subject:
    """One person's own walks and runs, and the captures in which he or she changes between them."""

    suffix: str
    changes: Mapping[str, tuple[str, str]]  # file → the blocks it leads from and to
    blocks: Mapping[str, Sequence[str]] = field(default_factory=dict)  # others are founded on the changes themselves
    boundaries: Mapping[str, tuple[int, int]] = field(default_factory=dict)


SUBJECTS = {
    "16": Subject(
        ".bvh",
        {
            "16_33": ("walking", "standing"),
            "16_31": ("standing", "walking"),
            "16_57": ("running", "standing"),
            "16_08": ("running", "standing"),
            "16_55": ("walking", "running"),
            "16_17": ("walking", "walking"),  # round a corner
        },
        {
            "walking": [f"16_{n}" for n in (15, 21, 47, 58, 11, 13, 24, 26)],
            "running": [f"16_{n}" for n in (35, 36, 45, 46, 37, 39, 48, 49)],
        },
        {"16_55": (20, 150)},
    ),
    "127": Subject(
        ".bvh",
        {"127_04": ("standing", "running"), "127_05": ("running", "standing"), "127_17": ("running", "running")},
        {"running": ["127_06", "127_10", "127_12"]},
    ),
    # 05_11 begins in the middle of its dance, with no cycle and nobody standing: it takes the dancer's own walk.
    "05": Subject(
        ".amc",
        {"05_02": ("standing", "posing"), "05_11": ("walking", "bowing")},
        {"walking": ["05_01"]},
        {"05_02": (325, 860), "05_11": (50, 450)},
    ),
}


def captured_hybrids() -> Iterator[tuple[str, HybridNetwork]]:
    """Each subject's hybrid network, one mode for every change; nothing where there are no captures."""
    folder = data_folder()
    for name, subject in SUBJECTS.items() if folder is not None else ():
        assert folder is not None
        draft = Draft(
            {
                block: build([_found(folder, stem, subject.suffix) for stem in stems]).network
                for block, stems in subject.blocks.items()
            }
        )
        for stem, (source, target) in subject.changes.items():
            known = {block: one.network for block, one in draft.blocks.items() if block in subject.blocks}
            change = find_transition(
                load(_found(folder, stem, subject.suffix)),
                boundaries=subject.boundaries.get(stem),
                before=known.get(source),
                after=known.get(target),
                name=stem,
            )
            draft = draft.with_transition(
                change,
                source,
                None if source == target else target,
                mirrored=source in subject.blocks,
                at_once=source not in subject.blocks,
            )
        yield f"subject {name}", draft.finished([draft.mode(stem, [stem]) for stem in subject.changes])


def _found(folder: Path, stem: str, suffix: str) -> Path:
    return next(path for path in sorted(folder.rglob(f"{stem}{suffix}")) if path.parent.parent.name.startswith("cmu"))
