"""Changes of real people by which nothing was chosen: no constant, no rule, no boundary.

The list was written down before any of them was played. It has every capture of the collection that starts, stops,
speeds up, leaps or goes round a corner, but for those of ``captured_changes``; captures that start as well as stop are
cut in half. Each stands in a hybrid network of its own, in which it is either played or refused. Two were known before:
that 104_11 is refused, and where 16_56 begins and ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.captured_changes import SUBJECTS, Change, Subject
from benchmarks.captures import data_folder
from mocapella.errors import MotionError
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.hybrid_network import HybridNetwork

_CORNERS = ("16_19", "16_27", "16_29")
_RUN_CORNERS = ("16_41", "16_43", "16_51", "16_53")


def _halves(file: str) -> list[Change]:
    return [Change(file, "standing", "walking", half=1), Change(file, "walking", "standing", half=2)]


HELD_OUT = (
    Subject(
        ".bvh",
        [
            *(Change(file, "walking", "walking") for file in _CORNERS),
            *(Change(file, "running", "running") for file in _RUN_CORNERS),
            Change("16_56", "walking", "running"),  # speeds up
        ],
        SUBJECTS["16"].blocks,
    ),
    Subject(".bvh", [Change("127_15", "running", "running")], SUBJECTS["127"].blocks),
    Subject(
        ".bvh",
        [Change("104_06", "standing", "jogging"), Change("104_09", "jogging", "standing")],
        {"jogging": ["104_04"]},
    ),
    Subject(
        ".bvh",
        [Change("104_53", "standing", "running"), Change("104_56", "running", "standing")],
        {"running": ["104_37"]},
    ),
    Subject(
        ".bvh",
        [
            Change("104_11", "walking", "walking"),  # spins
            *(Change(file, "walking", "walking") for file in ("69_20", "69_24", "69_28", "69_31")),  # corners
            Change("49_04", "running", "running"),  # leaps
            Change("82_10", "standing", "walking"),
            *(half for n in (16, 20, 24, 29, 42) for half in _halves(f"137_{n}")),
            *_halves("104_22"),
            *_halves("131_01"),
        ],
    ),
)


def held_out_hybrids() -> Iterator[tuple[str, HybridNetwork | str]]:
    """For each change a hybrid network of its own, or why there is none; nothing where there are no captures."""
    folder = data_folder()
    for subject in HELD_OUT if folder is not None else ():
        assert folder is not None
        networks = subject.networks(folder)
        for change in subject.changes:
            try:
                transition = subject.transition(folder, change, networks, None)
                draft = subject.added(HybridBuilder(networks), change, transition)
                yield change.name, draft.finished([draft.mode(change.name, [change.name])])
            except MotionError as error:
                yield change.name, str(error)
