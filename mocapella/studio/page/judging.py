"""The content of a page of blind judgement: motions in pairs, and the question that is asked of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mocapella.checks import shown
from mocapella.errors import MotionError
from mocapella.files.formats import motions_below
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.studio.page.content import Json, motions_content

QUESTION = "Which one looks more natural?"
_ROUNDS = 4  # of a cycle, which is judged as it repeats


def judging_pairs(first: Path, second: Path) -> list[tuple[Path, Path]]:
    """The pairs of files to compare: the two named, or, of two folders, the files of the same name.

    Raises ``MotionError`` for a file and a folder, and for folders without a name in common.
    """
    if first.is_dir() != second.is_dir():
        raise MotionError(expected="two motion files or two folders to compare", got=f"{first} and {second}")
    if not first.is_dir():
        return [(first, second)]
    sides = [{path.relative_to(side).with_suffix(""): path for path in motions_below(side)} for side in (first, second)]
    common = sorted(sides[0].keys() & sides[1].keys())
    if not common:
        raise MotionError(f"{first} and {second} hold no motion files of the same name to compare")
    return [(sides[0][name], sides[1][name]) for name in common]


def judging_content(
    values: Sequence[Any], names: Sequence[str], question: str, rounds: int, *, frame_rate: float | None = None
) -> Json:
    """The content of a judging page; ``kind`` is ``"judge"``.

    ``values`` are clips or cycles in pairs: first against second, third against fourth. Their ``names`` stand in the
    answers; the page does not show them. Each pair is shown ``rounds`` times, every other time with its sides
    exchanged. At most ``frame_rate`` frames per second are kept; None keeps all.
    """
    clips = []
    for value, name in zip(values, names, strict=True):
        clip = value.to_clip(rounds=_ROUNDS) if isinstance(value, Cycle) else value
        if not isinstance(clip, Clip):
            raise MotionError(
                expected="motions to compare",
                got=f"{shown(value)} in {name}",
                helps="record it with mocapella play and compare the recordings",
            )
        clips.append(_from_the_start(clip).renamed(name))
    pairs = [[i, i + 1] for i in range(0, len(clips), 2)]
    content = motions_content(clips, frame_rate=frame_rate)
    return {**content, "kind": "judge", "pairs": pairs, "question": question, "rounds": rounds}


def _from_the_start(clip: Clip) -> Clip:
    """The clip, begun at the origin and facing +z: light and camera are the same for all."""
    x, _, z = clip.root_positions[0].tolist()
    return clip.moved(-x, -z).turned(-float(clip.headings[0]))
