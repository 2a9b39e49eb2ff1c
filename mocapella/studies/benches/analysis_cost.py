"""Cost of finding, closing and analysing a cycle."""

from __future__ import annotations

from functools import partial

from mocapella.actor import capture
from mocapella.analysis.fourier import analyse
from mocapella.analysis.plants.detect import find_plants
from mocapella.analysis.prepare import prepare
from mocapella.studies.benches.measuring import Row, fastest

MARK = 400.0  # µs a frame: a clip of 500 frames in a fifth of a second
_CLIPS = ("medium walk straight", "medium run straight", "medium walk sharp left")


def rows(*, quick: bool = False) -> list[Row]:
    """Plants alone, a clip made a closed cycle, and its harmonics."""
    found = []
    for name in _CLIPS[:1] if quick else _CLIPS:
        clip, _ = capture(name)
        cycle = prepare(clip)
        best = fastest(
            {
                "find foot plants": partial(find_plants, clip),
                "find and close a cycle": partial(prepare, clip),
                "take it apart": partial(analyse, cycle, 10),
            },
            2 if quick else 7,
        )
        for what, seconds in best.items():
            mark = MARK if what == "find and close a cycle" else None
            title = f"{what}, {name}, {clip.n_frames} frames"
            found.append(Row(title, 1e6 * seconds / clip.n_frames, "µs a frame of the clip", mark=mark))
    return found
