"""How well clean-up finds what is out of place, and what limp correction leaves.

    python -m benchmarks.quality_cleaning

The captures are those of ``../shared/data`` or ``$MOCAPELLA_DATA``.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.actor import CAPTURED, CLEAN, captures
from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.closing.planted import without_limp
from mocapella.analysis.cycles.find import find_cycle
from mocapella.cleaning.repair import repaired
from mocapella.geometry import quaternions
from mocapella.rig.roles import find_roles

# What the notes of the captures call clean: no turn of more than 15 degrees within a frame, hands and toes aside.
SAID_TO_BE_CLEAN = {
    "07": "01 04",
    "08": "01 04 11",
    "09": "06",
    "16": "08 11 13 21 24 26 31 33 35 36 37 39 45 46 47 48 49 50 53 55 56 57 58",
    "35": "02 07 12 17 18 21 24 29 33",
    "69": "20",
    "82": "10 13",
    "127": "04 05 06 10 12 15 17",
    "137": "20 24 42",
}
JOINTS = ("Spine", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightArm", "Head")
LIMPS = ("16_47", "07_04", "16_35", "16_29", "16_56", "08_07", "127_04", "104_53")


def loaded(folder, name):
    return mo.load(folder / "cmu-bvh" / name.split("_")[0] / f"{name}.bvh")


def print_touched(folder):
    names = [f"{subject}_{take}" for subject, takes in SAID_TO_BE_CLEAN.items() for take in takes.split()]
    counts = {"repaired-spike": [], "repaired-outer-spike": [], "repaired-root-spike": []}
    for name in names:
        report = repaired(loaded(folder, name)).report
        for code, frames in counts.items():
            frames.append(len(report.frames(code)))
    print(f"frames touched in {len(names)} captures said to be clean, in all and at most in one")
    for code, frames in counts.items():
        print(f"  {code:22}{sum(frames):4d}{max(frames):4d}")
    for words, flaws in (("clean", CLEAN), ("captured", CAPTURED)):
        clips = [clip for _, clip, _ in captures(imperfections=flaws)]
        reports = [repaired(clip.resampled(rate)).report for clip in clips for rate in (120.0, 60.0, 30.0)]
        touched = sum(len(finding.frames) for report in reports for finding in report.findings)
        print(f"  the actor, {words}, at 120, 60 and 30 Hz: {touched} in {len(reports)} clips")
    print()


def print_spikes(folder, name="16_47", n=40):
    print(f"spikes of one frame planted in {name}, {n} each: how many are taken out (less than a fifth is left)")
    rng = np.random.default_rng(1)
    for rate in (120.0, 60.0, 30.0):
        clip = loaded(folder, name).captured
        clip = repaired(clip if rate == clip.frame_rate else clip.resampled(rate))
        row = []
        for degrees in (3, 5, 10, 14, 20, 45):
            gone = 0
            for _ in range(n):
                joint = clip.skeleton.index(JOINTS[rng.integers(len(JOINTS))])
                frame, axis = int(rng.integers(10, clip.n_frames - 10)), rng.standard_normal(3)
                turn = quaternions.from_rotvec(np.radians(degrees) * axis / np.linalg.norm(axis))
                rotations = np.array(clip.rotations_wxyz)
                rotations[frame, joint] = quaternions.multiply(rotations[frame, joint], turn)
                mended = repaired(replace(clip, rotations_wxyz=rotations, report=type(clip.report)()))
                left = quaternions.angle_between(mended.rotations_wxyz[frame, joint], clip.rotations_wxyz[frame, joint])
                gone += bool(left < 0.2 * np.radians(degrees))
            row.append(f"{degrees}°: {gone}")
        print(f"  {rate:5.0f} Hz  {', '.join(row)}")
    print()


def print_limps(folder):
    print("pelvis over standing ankles, largest error in mm: closed, then corrected; half of what the ends differ by")
    for name in LIMPS:
        found = find_cycle(loaded(folder, name))
        cycle = cyclify(found)
        roles = find_roles(cycle.skeleton)
        ankles = [roles[f"{foot}_ankle"] for foot in ("left", "right")]
        below = [
            1000.0 * (clip.root_positions[:, 1, None] - clip.positions[:, ankles, 1])
            for clip in (found.cut, cycle.to_clip(), without_limp(cycle, found).to_clip())
        ]
        words = []
        for i, foot in enumerate(("left", "right")):
            stands = found.contacts.planted(foot)
            errors = [np.abs(one[:, i] - below[0][:-1, i])[stands[:-1]].max() for one in below[1:]]
            seam = "at the seam" if stands[:6].any() and stands[-6:].any() else ""
            half = 0.5 * abs(below[0][-1, i] - below[0][0, i])
            words.append(f"{foot} {errors[0]:5.1f} {errors[1]:5.1f} {half:5.1f} {seam:11}")
        print(f"  {name:7}{'   '.join(words)}")


def main():
    folder = data_folder()
    if folder is None:
        raise SystemExit("no captures: set MOCAPELLA_DATA to their folder")
    warnings.simplefilter("ignore", mo.MotionWarning)
    print_touched(folder)
    print_spikes(folder)
    print_limps(folder)


if __name__ == "__main__":
    main()
