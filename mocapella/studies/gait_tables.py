"""Published tables about gaits, made again: foot plants and periods of the thesis on re-using motion capture.

Its captures of a relaxed and a marching walk are not to be had: the embedded actor performs such walks, and what it
did stands where the thesis has what people marked by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float
from rich.table import Table

from mocapella.actor import capture
from mocapella.analysis.period import autocorrelation, best_lag, find_period, leg_angles
from mocapella.analysis.plants.detect import find_plants
from mocapella.files.formats import read_motion
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.rig.names import SIDES
from mocapella.rig.roles import find_roles
from mocapella.studies.printed import table_of

if TYPE_CHECKING:
    from mocapella.studies.paper_tables import Sources

_Rows = tuple[tuple[tuple[int, int], ...], ...]  # plants of each of FOOT_POINTS, first and last frame

# Table → frames, what was found automatically, what people marked.
_PLANTS: Mapping[str, tuple[int, _Rows, _Rows]] = {
    "4.2, 07_01": (
        316,
        (((61, 110), (192, 243)), ((71, 135), (202, 263)), ((2, 46), (127, 165), (257, 310)),
         ((7, 57), (138, 189), (262, 312))),
        (((63, 113), (197, 243)), ((71, 138), (201, 263)), ((0, 47), (131, 167), (259, 310)),
         ((7, 68), (136, 195), (265, 315))),
    ),
    "4.3, relaxed": (
        671,
        (((129, 177), (313, 354), (484, 558)), ((134, 203), (317, 397), (498, 567)),
         ((3, 98), (201, 286), (385, 466), (563, 661)), ((20, 108), (229, 305), (413, 485), (592, 669))),
        (((102, 176), (293, 369), (473, 546)), ((1, 21), (113, 215), (313, 397), (485, 580)),
         ((0, 97), (206, 276), (385, 464), (566, 645)), ((23, 118), (215, 310), (394, 487), (585, 670))),
    ),
    "4.4, marching": (
        414,
        (((48, 57), (149, 206), (250, 259), (286, 309), (352, 361), (390, 412)), ((183, 207), (286, 309), (400, 412)),
         ((6, 58), (107, 155), (209, 256), (310, 357)), ((8, 57), (108, 156), (209, 256))),
        (((52, 87), (156, 176), (258, 276), (360, 410)), ((1, 7), (50, 103), (153, 204), (254, 302), (355, 413)),
         ((6, 40), (107, 135), (207, 226), (306, 331)), ((0, 54), (102, 154), (204, 255), (303, 356))),
    ),
    "4.5, marching by velocity": (
        414,
        (((52, 108), (156, 209), (256, 300), (389, 412)), ((82, 108), (181, 206), (285, 311), (389, 412)),
         ((7, 46), (107, 148), (209, 249), (310, 350), (412, 412)), ((9, 52), (108, 155), (209, 254), (412, 412))),
        (((52, 87), (156, 176), (258, 276), (360, 410)), ((1, 7), (50, 103), (153, 204), (254, 302), (355, 413)),
         ((6, 40), (107, 135), (207, 226), (306, 331)), ((0, 54), (102, 154), (204, 255), (303, 356))),
    ),
}  # fmt: skip
_ACTED = {
    "4.3, relaxed": "relaxed walk",
    "4.4, marching": "marching walk",
    "4.5, marching by velocity": "marching walk",
}
_METHODS = {"ours": None, "displacement": "displacement", "velocity": "velocity"}

# Joint → fundamental bin and period of autocorrelation, frames: tables 4.6 and 4.7 (316 frames), 4.8 and 4.9 (413
# frames, marching), 4.10 and 4.11 (189 frames, rushed). 0 is none.
_PERIODS = {
    "left_hip": ((4, 126), (5, 101), (3, 74)),
    "right_hip": ((4, 125), (5, 101), (3, 71)),
    "left_knee": ((4, 129), (5, 101), (3, 73)),
    "right_knee": ((0, 195), (5, 101), (0, 41)),
    "left_ankle": ((8, 129), (5, 101), (4, 73)),
    "right_ankle": ((4, 130), (5, 201), (3, 73)),
    "left_elbow": ((4, 123), (0, 0), (0, 0)),
    "right_elbow": ((0, 0), (0, 0), (0, 0)),
    "left_shoulder": ((4, 119), (0, 0), (0, 0)),
    "right_shoulder": ((4, 127), (0, 0), (0, 0)),
}
_WALKS = (("4.6, 4.7", 316, "128"), ("4.8, 4.9", 413, "101"), ("4.10, 4.11", 189, "72"))
_STILL = np.radians(1.5)  # rms: an angle that moves less has no period
_SHORTEST = 0.35  # seconds


def plants(sources: Sources) -> dict[str, Any]:
    """Tables 4.2 to 4.5: plants found beside those that are known, and how well they agree.

    Returns ``tables``: each with its motion, plants by method and point, and the mean overlap (intersection over union,
    0 to 1) with what is known; the published one beside ours.
    """
    tables = []
    for title, (n_frames, automatic, manual) in _PLANTS.items():
        published = Contacts(n_frames, *automatic), Contacts(n_frames, *manual)
        files = sources.found(["07_01.amc"]) if title not in _ACTED else None
        if files is not None:
            clip, name = read_motion(files[0]), "07_01.amc"
            truth = Contacts(clip.n_frames, *(_within(rows, clip.n_frames) for rows in manual))
        else:
            name = _ACTED.get(title, "medium walk straight")
            clip, performed = capture(name)
            truth = Contacts.from_masks({point: performed.planted(point) for point in FOOT_POINTS})
        detected = {way: find_plants(clip, method=method) for way, method in _METHODS.items()}
        shown = detected | {"known": truth, "published": published[0]}
        tables.append(
            {
                "table": title,
                "motion": name,
                "frames": clip.n_frames,
                "same_capture": files is not None,
                "known": "marked by hand" if files is not None else "what the actor did",
                "points": {
                    point: {way: [list(span) for span in plants.point(point)] for way, plants in shown.items()}
                    for point in FOOT_POINTS
                },
                "overlap": {way: _overlap(plants, truth) for way, plants in detected.items()}
                | {"published": _overlap(*published)},
            }
        )
    return {"tables": tables}


def _within(rows: Sequence[tuple[int, int]], n_frames: int) -> tuple[tuple[int, int], ...]:
    return tuple((first, min(last, n_frames - 1)) for first, last in rows if first < n_frames)


def _overlap(first: Contacts, second: Contacts) -> float:
    """Frames in which both are planted, as a share of those in which either is; mean of the four points."""
    pairs = [(first.planted(point), second.planted(point)) for point in FOOT_POINTS]
    return float(np.mean([(a & b).sum() / max(int((a | b).sum()), 1) for a, b in pairs]))


def print_plants(answer: dict[str, Any]) -> list[Table | str]:
    """Tables 4.2 to 4.5 for the terminal."""
    out: list[Table | str] = []
    for table in answer["tables"]:
        heads = ("", "ours", "known", "published" if table["same_capture"] else "published, of another capture")
        rows = [
            (point, *(_spans(ways[way]) for way in ("ours", "known", "published")))
            for point, ways in table["points"].items()
        ]
        title = f"table {table['table']}: {table['motion']}, {table['frames']} frames; known is {table['known']}"
        overlaps = ", ".join(f"{way} {value:.2f}" for way, value in table["overlap"].items())
        out += [
            table_of(title, heads, rows, left=heads),
            f"overlap with what is known, mean of four points: {overlaps}",
        ]
    return out


def _spans(rows: Sequence[Sequence[int]]) -> str:
    return ", ".join(f"{first}-{last}" for first, last in rows) or "none"


def periods(sources: Sources) -> dict[str, Any]:
    """Tables 4.6 to 4.11: the fundamental bin and the period of each joint, beside the true period.

    Returns ``tables``: each with its motion, the true period where it is known, that of all joints together, and a row
    a joint.
    """
    files = sources.found(["07_01.amc"])
    clips: list[tuple[str, Clip, float | None]] = []
    for i, name in enumerate(("medium walk straight", "marching walk", "brisk walk")):
        if i == 0 and files is not None:
            clips.append(("07_01.amc", read_motion(files[0]), None))
            continue
        clip, truth = capture(name)
        clips.append((name, clip, None if truth.period is None else truth.period * clip.frame_rate))
    tables = []
    for i, (name, clip, true) in enumerate(clips):
        rows = []
        for joint, signal in _angles(clip).items():
            bin_, period = _bin_and_period(signal, clip.frame_rate)
            rows.append({"joint": joint, "bin": bin_, "period": period, "published": list(_PERIODS[joint][i])})
        table, frames, actual = _WALKS[i]
        tables.append(
            {
                "table": table,
                "motion": name,
                "frames": clip.n_frames,
                "true": true,
                "all_joints": find_period(clip).frames,
                "published_frames": frames,
                "published_true": actual,
                "rows": rows,
            }
        )
    return {"tables": tables}


def _angles(clip: Clip) -> dict[str, Float[np.ndarray, " frames"]]:
    """Swing of thighs and upper arms, bend of knees, ankles and elbows, radians."""
    names, legs = leg_angles(clip)
    out = dict(zip(names, legs.T, strict=True))
    roles = find_roles(clip.skeleton)
    ahead = np.stack([np.sin(clip.headings), np.cos(clip.headings)], axis=-1)
    for side in SIDES:
        shoulder, elbow, wrist = (clip.positions[:, roles[side + part]] for part in ("shoulder", "elbow", "wrist"))
        upper, lower = elbow - shoulder, wrist - elbow
        forward = np.einsum("fi,fi->f", upper[:, [0, 2]], ahead)
        out[side + "shoulder"] = np.unwrap(np.arctan2(forward, -upper[:, 1]))
        sine = np.linalg.norm(np.cross(upper, lower), axis=-1)
        out[side + "elbow"] = np.arctan2(sine, np.einsum("fi,fi->f", upper, lower))
    return {joint: out[joint] for joint in _PERIODS}


def _bin_and_period(signal: Float[np.ndarray, " frames"], frame_rate: float) -> tuple[int, float]:
    """The bin of the highest magnitude in a window of 2ⁿ frames, and the period of autocorrelation; 0 is none."""
    centred = signal - signal.mean()
    if float(np.sqrt(np.mean(centred**2))) < _STILL:
        return 0, 0.0
    window = 1 << int(np.ceil(np.log2(len(signal))))
    magnitudes = np.abs(np.fft.rfft(centred, window))
    lag = best_lag(
        autocorrelation(signal[:, None], len(signal) // 2 + len(signal) // 4)[:, 0], int(_SHORTEST * frame_rate)
    )
    return int(np.argmax(magnitudes[1:])) + 1, lag or 0.0


def print_periods(answer: dict[str, Any]) -> list[Table | str]:
    """Tables 4.6 to 4.11 for the terminal."""
    out: list[Table | str] = []
    for table in answer["tables"]:
        rows = [
            (row["joint"], f"{row['bin']}", f"{row['published'][0]}", f"{row['period']:.1f}", f"{row['published'][1]}")
            for row in table["rows"]
        ]
        title = (
            f"tables {table['table']}: {table['motion']}, {table['frames']} frames; "
            f"theirs had {table['published_frames']}, actual period about {table['published_true']}"
        )
        true = "" if table["true"] is None else f", true {table['true']:.1f}"
        out += [
            table_of(title, ("", "bin", "published", "period, frames", "published "), rows),
            f"all joints together: {table['all_joints']:.1f} frames{true}",
        ]
    return out
