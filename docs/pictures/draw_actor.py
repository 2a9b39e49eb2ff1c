"""Draw the pictures of docs/actor.md: contact sheets of the actor, and its leg curves beside those of captured people.

Run from the repository root: ``python docs/pictures/draw_actor.py [FOLDER OF REAL CAPTURES]``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import mocapella as mo
from mocapella.actor import CLEAN, capture, perform
from mocapella.geometry import quaternions

HERE = Path(__file__).resolve().parent
COMPARED = [("07/07_01", "walk", 1.36), ("16/16_15", "walk", 1.10), ("16/16_35", "run", 2.81)]
# All captures outside the fit that were looked at; 16_45 is another take of a person whose takes were in it.
OUTSIDE = [
    ("35/35_02", "walk", 1.25), ("35/35_33", "walk", 1.29), ("82/82_13", "walk", 1.34), ("08/08_01", "walk", 1.60),
    ("35/35_17", "run", 3.16), ("127/127_06", "run", 3.88), ("16/16_45", "run", 3.97),
]  # fmt: skip
SHEETS = [
    "medium walk straight",
    "medium run straight",
    "medium walk sharp left",
    "walk-twirl-walk",
    "marching walk",
    "turn left",
]


def colour(name: str) -> str:
    """Red for the left, blue for the right."""
    return "tab:red" if name.startswith("Left") else "tab:blue" if name.startswith("Right") else "black"


def sheet(name: str, count: int = 12) -> None:
    """The actor from his right side and from the front, at even times through a cycle or a change."""
    clip, truth = capture(name, imperfections=CLEAN)
    span = truth.boundaries[1] if len(truth.boundaries) else (0, round(truth.period * clip.frame_rate))
    frames = np.linspace(span[0], span[1], count, endpoint=len(truth.boundaries) > 0).astype(int)
    fig, axes = plt.subplots(2, count, figsize=(1.25 * count, 4.6))
    for column, frame in zip(axes.T, frames, strict=True):
        turn = quaternions.about_y(-float(quaternions.yaw(clip.rotations_wxyz[frame, 0])))
        origin = clip.root_positions[frame] * [1.0, 0.0, 1.0]
        joints = quaternions.rotate(turn, clip.positions[frame] - origin)
        ends = quaternions.rotate(turn, clip.end_positions[frame] - origin)
        skeleton = clip.skeleton
        rods = [(skeleton.names[j], joints[skeleton.parents[j]], joints[j]) for j in range(1, skeleton.n_joints)]
        rods += [(skeleton.names[j], joints[j], end) for j, end in zip(skeleton.end_joints, ends, strict=True)]
        for axis, across in zip(column, (2, 0), strict=True):
            for joint, a, b in rods:
                axis.plot([a[across], b[across]], [a[1], b[1]], color=colour(joint), lw=2.2, solid_capstyle="round")
            axis.axhline(0.0, color="0.7", lw=0.8)
            axis.set(xlim=(-0.62, 0.62), ylim=(-0.05, 1.9), aspect="equal")
            axis.axis("off")
    fig.suptitle(f"{name}: side and front, left limbs red", fontsize=9)
    fig.tight_layout(pad=0.2)
    fig.savefig(HERE / f"actor_{name.replace(' ', '_').replace('-', '_')}.png", dpi=60)
    plt.close(fig)


def leg_angles(clip: mo.Clip, side: str) -> np.ndarray:
    """Hip, knee and ankle flexion in degrees, ``(3, frames)``."""
    positions, world = clip.world
    hip, knee, ankle, toe = (positions[:, clip.skeleton.index(side + n)] for n in ("UpLeg", "Leg", "Foot", "ToeBase"))
    seen = quaternions.rotate(quaternions.conjugate(world[:, 0]), knee - hip)

    def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        cosines = (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
        return np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))

    flexion = np.degrees(np.arctan2(seen[:, 2], -seen[:, 1]))
    return np.stack([flexion, between(knee - hip, ankle - knee), 90.0 - between(knee - ankle, toe - ankle)])


def one_cycle(angles: np.ndarray) -> np.ndarray:
    """The stretch that closes best, bent until its ends meet, at 128 even phases."""
    n, sizes = angles.shape[1], np.ptp(angles[:2], axis=1)[:, None]
    shifts = np.arange(60, min(200, n - 25))
    errors = np.array([(np.abs(angles[:2, s:] - angles[:2, :-s]) / sizes).mean() for s in shifts])
    length = int(shifts[np.flatnonzero(errors < 1.1 * errors.min())[0]])
    start = int((np.abs(angles[:2, length:] - angles[:2, :-length]) / sizes).sum(axis=0).argmin())
    piece = angles[:, start : start + length + 1]
    piece = piece - np.linspace(0.0, 1.0, length + 1) * (piece[:, -1:] - piece[:, :1])
    return np.stack([np.interp(np.arange(128) * length / 128, np.arange(length + 1), row) for row in piece])


def best_cycle(clip: mo.Clip, side: str) -> np.ndarray:
    """The cycle that ``find_cycle`` gives, bent until its ends meet, at 128 even phases."""
    found = mo.find_cycle(clip)
    angles, n = leg_angles(found.cut, side), found.n_frames
    angles = angles - np.linspace(0.0, 1.0, n + 1) * (angles[:, -1:] - angles[:, :1])
    return np.stack([np.interp(np.arange(128) * n / 128, np.arange(n + 1), row) for row in angles])


def in_step(person: np.ndarray, actor: np.ndarray) -> np.ndarray:
    """The person's curves begun where hip and knee agree best with the actor's."""
    scores = [
        sum(np.corrcoef(np.roll(p, o), a)[0, 1] for p, a in zip(person[:2], actor[:2], strict=True)) for o in range(128)
    ]
    return np.roll(person, int(np.argmax(scores)), axis=1)


def outside(folder: Path) -> None:
    """Print the correlations with every capture that nothing was fitted to."""
    print("outside the fit")
    for name, action, speed in OUTSIDE:
        actor = best_cycle(perform(action, speed=speed)[0], "Left")
        clip = mo.load(folder / "cmu-bvh" / f"{name}.bvh").captured
        for side in ("Left", "Right"):
            person = in_step(best_cycle(clip, side), actor)
            alike = [np.corrcoef(p, a)[0, 1] for p, a in zip(person, actor, strict=True)]
            print(f"  {name} {side:5}  correlation hip {alike[0]:.3f} knee {alike[1]:.3f} ankle {alike[2]:.3f}")


def beside(folder: Path) -> None:
    """Hip, knee and ankle over the cycle and their harmonics, the actor's and two legs of a captured person."""
    fig, axes = plt.subplots(4, 3, figsize=(12, 11))
    for column, (name, action, speed) in zip(axes.T, COMPARED, strict=True):
        actor = one_cycle(leg_angles(perform(action, speed=speed)[0], "Left"))
        clip = mo.load(folder / "cmu-bvh" / f"{name}.bvh").captured
        print(f"{name} {action} {speed} m/s")
        for side in ("Left", "Right"):
            person = in_step(one_cycle(leg_angles(clip, side)), actor)
            alike = [np.corrcoef(p, a)[0, 1] for p, a in zip(person, actor, strict=True)]
            print(
                f"  {side:5}  correlation hip {alike[0]:.3f} knee {alike[1]:.3f} ankle {alike[2]:.3f}"
                f"  range person {np.ptp(person, axis=1).round()} actor {np.ptp(actor, axis=1).round()}"
            )
            for axis, curve in zip(column, person, strict=False):
                axis.plot(np.linspace(0, 1, 128), curve, color="tab:red", alpha=0.7)
            column[3].semilogy(
                np.arange(1, 11),
                np.abs(np.fft.rfft(person, norm="forward"))[:, 1:11].mean(0),
                "o-",
                color="tab:red",
                alpha=0.7,
            )
        for axis, curve, joint in zip(column, actor, ("hip", "knee", "ankle"), strict=False):
            axis.plot(np.linspace(0, 1, 128), curve, color="tab:blue", lw=2)
            axis.set(title=f"{joint}: {name.split('/')[1]} red, actor blue", ylabel="degrees")
            axis.grid(alpha=0.4)
        column[3].semilogy(
            np.arange(1, 11), np.abs(np.fft.rfft(actor, norm="forward"))[:, 1:11].mean(0), "s-", color="tab:blue"
        )
        column[3].set(title="mean magnitude of the three joints", xlabel="harmonic", ylabel="degrees")
        column[3].grid(alpha=0.4)
    fig.tight_layout()
    fig.savefig(HERE / "actor_beside_people.png", dpi=60)
    plt.close(fig)


if __name__ == "__main__":
    for wanted in SHEETS:
        sheet(wanted)
    if len(sys.argv) > 1:
        beside(Path(sys.argv[1]))
        outside(Path(sys.argv[1]))
