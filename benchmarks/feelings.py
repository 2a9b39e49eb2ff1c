"""How near feelings come that were learnt elsewhere: gestures and gaits of the actor that were left out, and captures.

    python -m benchmarks.feelings [SECTION…] [FOLDER]

Sections are gestures, gaits, captures, requests; all of them if none is named. FOLDER holds the captures,
``../shared/data`` or ``$MOCAPELLA_DATA`` if left out; gestures and gaits need none.

*plain* is the motion without the feeling, *made* the one that the feeling of another action was given to, *true* the
performance with the feeling itself. Errors are means of all performances.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from benchmarks.quality_knees import knees
from mocapella.actor import CAPTURED, CLEAN, perform
from mocapella.editing.feelings.gait_quality import transfer_quality
from mocapella.editing.feelings.matching import matched
from mocapella.editing.feelings.periods import basic_periods, end_path
from mocapella.editing.feelings.usual import usual_gaits
from mocapella.geometry import quaternions
from mocapella.library.ingest import add_captures
from mocapella.library.store import Library
from mocapella.measure.footskate import footing
from mocapella.rig.roles import find_roles

GAIT_STYLES = ("angry", "brisk", "drunk", "happy", "relaxed", "sad", "tired")
PERFORMANCES = [(CLEAN, 0), (CAPTURED, 0), (CAPTURED, 1), (CAPTURED, 2)]
# A plain and a moody capture of one performer, and the feeling of the actor that stands for the mood.
MOODS = [
    ("cmu-bvh/82/82_13.bvh", "cmu-bvh/82/82_10.bvh", "sad"),
    ("cmu-bvh/82/82_13.bvh", "cmu-bvh/82/82_12.bvh", "happy"),
    ("cmu-bvh/137/137_29.bvh", "cmu-bvh/137/137_16.bvh", "drunk"),
]
LIBRARY = ("cmu-bvh/16", "cmu-bvh/07", "cmu-bvh/82")


def tilt(clip, upper, lower):
    """How far a joint is ahead of another below it, degrees from upright, in each frame."""
    roles = find_roles(clip.skeleton)
    apart = clip.positions[:, roles[upper]] - clip.positions[:, roles[lower]]
    seen = quaternions.rotate(quaternions.about_y(-clip.headings), apart)
    return np.degrees(np.arctan2(seen[:, 2], seen[:, 1]))


def hands(clip, sides):
    """The greatest speed of a hand seen from the hips, m/s, and how far ahead of them it gets, m."""
    paths = [end_path(clip, f"{side}_wrist") for side in sides]
    speeds = [np.linalg.norm(np.diff(path, axis=0), axis=1).max() * clip.frame_rate for path in paths]
    return max(speeds), max(path[:, 2].max() for path in paths)


def gesture_figures(clip, seconds=None):
    frames = basic_periods(clip, end="right_wrist").frames
    acting = slice(frames[0], frames[-1])
    lasting = (frames[-1] - frames[0]) / clip.frame_rate if seconds is None else seconds
    posture = (tilt(clip, *pair)[acting].mean() for pair in (("neck", "hips"), ("head", "neck")))
    return np.array([lasting, *hands(clip, ["right"]), *posture])


def gait_figures(cycle):
    clip = cycle.to_clip(2)
    posture = (tilt(clip, *pair).mean() for pair in (("neck", "hips"), ("head", "neck")))
    return np.array([cycle.duration, *hands(clip, ["left", "right"]), *posture, cycle.speed])


def print_head(*more):
    print(f"  {'':34} {'seconds':>8} {'hand m/s':>8} {'reach m':>8} {'lean °':>8} {'head °':>8}"
          + "".join(f" {word:>8}" for word in more))  # fmt: skip


def print_row(name, values):
    print(f"  {name:34} " + " ".join(f"{value:8.2f}" for value in values))


def print_errors(rows):
    """Mean errors of plain and made motions against the true ones: rows of (plain, made, true)."""
    rows = np.array(rows)
    for name, at in (("error of plain", 0), ("error of made", 1)):
        print_row(name, np.abs(rows[:, at] - rows[:, 2]).mean(axis=0))


def print_gestures(_folder):
    """Anger learnt from one gesture of the actor and given to the other.

    The true angry knock has five blows, the neutral one three: seconds are those of as many periods.
    """
    for learnt, given in (("drink", "knock"), ("knock", "drink")):
        print(f"anger of {learnt}s given to {given}s, {len(PERFORMANCES)} performances")
        print_head()
        rows, by_time = [], []
        for imperfections, seed in PERFORMANCES:
            clips = {
                (action, style): perform(action, style=style, imperfections=imperfections, seed=seed)[0]
                for action in (learnt, given)
                for style in ("normal", "angry")
            }
            profile = mo.learn_profile(clips[learnt, "normal"], clips[learnt, "angry"])
            plain, true = clips[given, "normal"], clips[given, "angry"]
            periods = basic_periods(plain), basic_periods(true)
            pairs = matched(*(x for clip, p in zip((plain, true), periods, strict=True)
                              for x in (end_path(clip, periods[0].end), p.frames)))  # fmt: skip
            seconds = sum(pair.emotional[1] - pair.emotional[0] for pair in pairs) / true.frame_rate
            hasty = replace(profile, posture=0.0 * profile.posture, ranges=np.ones(profile.n_periods), peak=1.0)
            figures = [gesture_figures(mo.apply_profile(plain, each)) for each in (profile, hasty)]
            rows.append((gesture_figures(plain), figures[0], gesture_figures(true, seconds)))
            by_time.append((figures[1], figures[0], rows[-1][2]))
        for name, values in zip(("plain", "made", "true"), np.mean(rows, axis=0), strict=True):
            print_row(name, values)
        print_errors(rows)
        print_row(
            "error without range and posture", np.abs(np.array(by_time)[:, 0] - np.array(by_time)[:, 2]).mean(axis=0)
        )


def print_gaits(_folder):
    """Feelings of the actor's walks given to its runs, and the other way round."""
    for learnt, given in (("walk", "run"), ("run", "walk")):
        print(f"{len(GAIT_STYLES)} feelings of a {learnt} given to a {given}")
        print_head("m/s")
        rows, slips = [], []
        for style in GAIT_STYLES:
            plain, true = usual_gaits(given, style)
            made = transfer_quality(plain, plain=usual_gaits(learnt, style)[0], special=usual_gaits(learnt, style)[1])
            rows.append([gait_figures(cycle) for cycle in (plain, made, true)])
            slips.append(held(made) + held(true))
        print_errors(rows)
        slip, knee, _, true_knee = np.max(slips, axis=0)
        print(f"  feet held: they slide by {slip:.2f} mm at most; knees change by {knee:.1f} °/frame² at most, "
              f"in the true ones by {true_knee:.1f}")  # fmt: skip


def held(cycle):
    """Slip, mm, and the most that the bend of a knee changes from frame to frame, of a cycle with held feet."""
    clip = mo.edit(cycle, mo.Edit("lock_feet")).result.to_clip(3).resampled(60.0)
    return footing(clip).slip_mm_max, jolt(clip)


def jolt(clip):
    return float(np.abs(np.diff(knees(clip), 2, axis=0)).max())


def print_captures(folder):
    """Feelings of the actor given to plain walks of captured people, beside what these do themselves."""
    for plain_file, true_file, feeling in MOODS:
        plain, true = (mo.prepare(mo.load(folder / name)) for name in (plain_file, true_file))
        pair = [mo.retarget(cycle, plain.skeleton) for cycle in usual_gaits("walk", feeling)]
        made = transfer_quality(plain, plain=pair[0], special=pair[1])
        print(f"{feeling}: {Path(plain_file).stem} with the actor's feeling, beside {Path(true_file).stem}")
        print_head("m/s")
        for name, cycle in (("plain", plain), ("made", made), ("true", true)):
            print_row(name, gait_figures(cycle))


def print_requests(folder):
    """Requests in every mood to a library of captures: speeds, feet and knees, at 60 frames a second."""
    with tempfile.TemporaryDirectory() as place, Library.at(Path(place) / "library", create=True) as library:
        add_captures(library, [folder / name for name in LIBRARY], workers=0)
        print("  requests to a library of captures       m/s  slip mm  knee °/frame²  whose mood")
        for kind in ("walk", "run"):
            for mood in ("", *GAIT_STYLES):
                answer = library.request(kind=kind, mood={mood: 1.0} if mood else None)
                whose = "" if not mood else "the actor's" if answer.notes else "captured"
                print(f"  {mood + ' ' + kind:34} {answer.had['speed']:8.2f} {footing(answer.clip).slip_mm_max:8.2f} "
                      f"{jolt(answer.clip):14.1f}  {whose}")  # fmt: skip


SECTIONS = {"gestures": print_gestures, "gaits": print_gaits, "captures": print_captures, "requests": print_requests}


def main(arguments):
    named = [word for word in arguments if word in SECTIONS] or list(SECTIONS)
    folder = next((Path(word) for word in arguments if word not in SECTIONS), data_folder())
    if folder is None and {"captures", "requests"} & set(named):
        raise SystemExit("captures and requests need real captures: name their folder, or set MOCAPELLA_DATA")
    warnings.simplefilter("ignore")
    for name in named:
        SECTIONS[name](folder)
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
