"""Print how walks fare that are blended with others stance by stance: ``python -m benchmarks.quality_stances``.

For every pair of captures of one person, the first in the manner of the second: how far planted feet slide, mean and
most, by the plants that are found in each motion, and again by those of the clip that was changed, since a foot
that slides fast is not found planted; how far the mean heading of two steps strays from that of the clip, in steps amid
the gait, in those out of a stand or into one, and over any time of two steps, whichever frame it begins with, standing
or not; how far a step gets; by how much the ankles are ahead of the hips on average, over whole steps; and how much
angular velocities change in a frame about landings, at worst, in medians of that over the whole motion.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.table import Table

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.analysis.plants.detect import find_plants
from mocapella.cli.printing import out
from mocapella.editing.stances import Stance, course_of, find_stances
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing

PAIRS = (
    ("82_13", "82_10", "normal walk, sad"),
    ("82_13", "82_12", "normal walk, happy"),
    ("16_47", "16_15", "walk, slower"),
    ("16_47", "16_21", "walk, faster"),
    ("07_01", "07_04", "walk, slow"),
    ("08_01", "08_07", "walk, long strides"),
    ("16_35", "16_45", "jog, run"),
    ("137_29", "137_24", "winding walk, graceful lady"),
    ("137_29", "137_42", "winding walk, strong man"),
    ("137_29", "137_20", "winding walk, gangly teen"),
    ("137_29", "137_16", "winding walk, drunk"),
    ("16_17", "16_47", "90° left turn, straight walk"),
    ("16_29", "16_47", "90° right turn, straight walk"),
)
RATIOS = (0.25, 0.5, 1.0)


def main() -> None:
    """All pairs at all ratios, the sources first."""
    folder = data_folder()
    if folder is None:
        sys.exit("no real captures: set MOCAPELLA_DATA to their folder")
    columns = ("clip, manner", "ratio", "slip mm", "most", "as clip", "most", "heading °", "at stands °", "ever °")
    table = Table(*columns, "step m", "ankles cm", "jerk", box=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        for name, manner, words in PAIRS:
            clip, style = (_load(folder, each) for each in (name, manner))
            averaged = mo.average_stances(style)
            rows = {"clip": (clip, clip), "manner": (style, style)}
            rows |= {f"{ratio:g}": (mo.blend_stances(clip, averaged, ratio), clip) for ratio in RATIOS}
            for label, (motion, source) in rows.items():
                table.add_row(words if label == "clip" else "", label, *_figures(motion, source))
    out.print(table)


def _load(folder: Path, name: str) -> mo.Clip:
    return mo.load(folder / "cmu-bvh" / name.split("_")[0] / f"{name}.bvh", clean=True).captured


def _figures(clip: mo.Clip, source: mo.Clip) -> tuple[str, ...]:
    """Of a motion that lands when its source does."""
    plants = find_plants(source, gait=True)
    stances = find_stances(source, plants)
    steps = [stance for stance in stances if stance.complete and not stance.pause]
    inside = slice(steps[0].first, steps[-1].last + 1)
    course, feet = course_of(clip, stances), footing(clip)
    off = clip.headings - source.headings
    passing = {stance for a, b in itertools.pairwise(stances) if a.pause or b.pause for stance in (a, b)}
    amid, ends = 0.0, 0.0
    for a, b in itertools.pairwise(steps):
        strayed = abs(float(np.degrees(off[a.first : b.last + 1].mean())))
        amid, ends = (amid, max(ends, strayed)) if {a, b} & passing else (max(amid, strayed), ends)
    gone = np.mean([np.abs(course.travel[step.first : step.last + 1].sum()) for step in steps])
    jumps = _jumps(clip)
    jerk = max(jumps[max(stance.first - 2, 0) : stance.first + 1].max() for stance in stances[1:]) / np.median(jumps)
    ahead = 100.0 * _ahead(clip)[inside].mean()
    slip = [f"{each:.0f}" for one in (feet, footing(clip, plants)) for each in (one.slip_mm_mean, one.slip_mm_max)]
    return (
        *slip,
        f"{amid:.2f}",
        f"{ends:.2f}",
        f"{_ever(off, stances):.2f}",
        f"{gone:.2f}",
        f"{ahead:+.1f}",
        f"{jerk:.1f}",
    )


def _ever(off: np.ndarray, stances: Sequence[Stance]) -> float:
    """How far headings stray on average over any time of two steps, at worst, degrees; a stand counts by its time."""
    rates = [1.0 / (stance.usual if stance.pause else stance.end - stance.begin) for stance in stances]
    steps = np.concatenate([[0.0], np.cumsum(np.repeat(rates, [stance.n_frames for stance in stances]))])
    frames, summed = np.arange(len(steps)), np.concatenate([[0.0], np.cumsum(off)])
    begins = frames[steps + 2.0 <= steps[-1]]
    ends = np.interp(steps[begins] + 2.0, steps, frames)
    means = (np.interp(ends, frames, summed) - summed[begins]) / (ends - begins)
    return float(np.degrees(np.abs(means).max(initial=0.0)))


def _ahead(clip: mo.Clip) -> np.ndarray:
    roles, yaws = mo.find_roles(clip.skeleton), clip.headings
    forward = np.stack([np.sin(yaws), np.cos(yaws)], axis=1)
    ground = clip.positions[..., ::2]
    legs = [ground[:, roles[f"{side}_ankle"]] - ground[:, roles[f"{side}_hip"]] for side in ("left", "right")]
    return np.mean([np.sum(leg * forward, axis=1) for leg in legs], axis=0)


def _jumps(clip: mo.Clip) -> np.ndarray:
    """How much angular velocities change from frame to frame, mean of the joints."""
    q = clip.rotations_wxyz
    velocities = quaternions.to_rotvec(quaternions.multiply(quaternions.conjugate(q[:-1]), q[1:]))
    return np.linalg.norm(np.diff(velocities, axis=0), axis=-1).mean(axis=1)


if __name__ == "__main__":
    main()
