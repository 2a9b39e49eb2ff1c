"""Two published figures of edited motions: an emotional elbow (survey, figure 11) and a duck-under (figure 4.17)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from rich.table import Table

from mocapella.actor import CAPTURED, perform
from mocapella.analysis.examined import examine
from mocapella.editing.basic import restyle
from mocapella.editing.feelings.profile import feel
from mocapella.editing.filters.posing import pose
from mocapella.editing.filters.shapes import displace
from mocapella.editing.paths import bend_path, path_handles
from mocapella.errors import MotionError
from mocapella.files.disk import make_folder
from mocapella.measure.footskate import footing
from mocapella.measure.ground_path import distance
from mocapella.motion.clip import Clip
from mocapella.pictures.canvas import GREEN, INK, LEFT, PALE, page
from mocapella.rig.roles import find_roles
from mocapella.studies.paper_tables import Sources
from mocapella.studies.printed import table_of

_PERFORMANCES = 5  # of every gesture, each with its own flaws; figures are means over them
_TAUGHT = 100  # seeds from here on are those of the gestures that a feeling is learnt from
_SAMPLES = 200  # of a gesture, from its beginning to its end

_SHOWN = 235  # the frame of the duck-under that figure 4.17 shows
_LOWERED = 0.3  # metres by which the hips go down in it
_BENT = {"spine.x": 30.0, "Spine1.x": 15.0, "chest.x": 15.0, "neck.x": -20.0}  # degrees that the back has in it
_SPAN = 1.0  # seconds before and after it
_ASIDE = 0.03  # metres to the left that the second handle is dragged by, the third four times as far, and so on


def made(sources: Sources) -> dict[str, Any]:
    """Both figures, always of the actor.

    Returns ``elbow``: rows of ``motion seconds lowest_deg highest_deg fastest_deg_s off_deg``, the last the RMS
    distance from the captured angry knock, both stretched to the same length; and ``duck_under``: rows of ``motion
    head_lowest_m end_moved_m path_m slip_mm penetration_mm``.
    """
    sources.tell("feelings of a knock")
    elbow, curves = _elbows()
    sources.tell("a duck-under on another path")
    files = []
    if sources.pictures is not None:
        make_folder(sources.pictures)
        with suppress(MotionError):  # matplotlib is an extra
            files.append(_draw_elbows(curves, sources.pictures / "elbow.png"))
    return {"elbow": elbow, "duck_under": _duck_unders(), "files": files}


def printed(found: dict[str, Any]) -> list[Table | str]:
    """Both tables for the terminal."""
    elbow = [
        (row["motion"], f"{row['seconds']:.2f}", f"{row['lowest_deg']:.0f} to {row['highest_deg']:.0f}",
         f"{row['fastest_deg_s']:.0f}", f"{row['off_deg']:.1f}")
        for row in found["elbow"]
    ]  # fmt: skip
    duck = [
        (row["motion"], f"{row['head_lowest_m']:.2f}", f"{row['path_m']:.2f}", f"{row['end_moved_m']:.2f}",
         f"{row['slip_mm']:.1f}", f"{row['penetration_mm']:.1f}")
        for row in found["duck_under"]
    ]  # fmt: skip
    return [
        table_of(
            "survey, figure 11: bend of the right elbow in a knock",
            ("", "seconds", "degrees", "fastest, °/s", "RMS from the captured angry one, °"),
            elbow,
        ),
        f"means of {_PERFORMANCES} performances, feelings learnt from others; the figure prints curves without numbers",
        table_of(
            "thesis on re-using motion capture, figure 4.17: a duck-under on another path, and in another style",
            ("", "head, lowest, m", "path, m", "end moved, m", "slip, mm", "penetration, mm"),
            duck,
        ),
        "a walk of the actor, hips lowered and back bent by edits; the figure, of a skateboarder, prints no numbers",
    ]


def _elbows() -> tuple[list[dict[str, Any]], dict[str, Float[np.ndarray, " samples"]]]:
    """Figures of the elbow by motion, means over performances, and the curves of the first performance."""
    figures: dict[str, list[list[float]]] = {}
    curves: dict[str, Float[np.ndarray, " samples"]] = {}
    for seed in range(_PERFORMANCES):
        neutral, angry = (_gesture("knock", style, seed) for style in ("normal", "angry"))
        ways = {"neutral, captured": neutral}
        for action in ("drink", "knock"):
            taught = [_gesture(action, style, _TAUGHT + seed) for style in ("normal", "angry")]
            ways[f"angry, generated, learnt from a {action}"] = feel(neutral, neutral=taught[0], emotional=taught[1])
        ways["angry, captured"] = angry
        goal = _stretched(elbow_bend(angry))
        for name, clip in ways.items():
            bend = elbow_bend(clip)
            fastest = np.abs(np.gradient(bend)).max() * clip.frame_rate
            off = np.sqrt(np.mean((_stretched(bend) - goal) ** 2))
            figures.setdefault(name, []).append([clip.seconds, bend.min(), bend.max(), fastest, off])
            curves.setdefault(name, bend)
    keys = ("seconds", "lowest_deg", "highest_deg", "fastest_deg_s", "off_deg")
    rows = [
        {"motion": name} | dict(zip(keys, np.mean(all_, axis=0).tolist(), strict=True))
        for name, all_ in figures.items()
    ]
    return rows, curves


def elbow_bend(clip: Clip) -> Float[np.ndarray, " frames"]:
    """How far the right forearm is turned from the line of the upper arm, degrees."""
    roles = find_roles(clip.skeleton)
    shoulder, elbow, wrist = (clip.positions[:, roles[f"right_{part}"]] for part in ("shoulder", "elbow", "wrist"))
    upper, lower = elbow - shoulder, wrist - elbow
    sines = np.linalg.norm(np.cross(upper, lower), axis=-1)
    return np.degrees(np.arctan2(sines, np.einsum("fi,fi->f", upper, lower)))


def _gesture(action: str, style: str, seed: int) -> Clip:
    return perform(action, style=style, imperfections=CAPTURED, seed=seed)[0]


def _stretched(bend: Float[np.ndarray, " frames"]) -> Float[np.ndarray, " samples"]:
    return np.interp(np.linspace(0.0, 1.0, _SAMPLES), np.linspace(0.0, 1.0, len(bend)), bend)


def _draw_elbows(curves: dict[str, Float[np.ndarray, " frames"]], path: Path) -> str:
    with page(path, 7.0, 3.2, "bend of the right elbow in a knock, degrees") as figure:
        axes = figure.subplots()
        for (name, bend), colour in zip(curves.items(), (PALE, GREEN, LEFT, INK), strict=True):
            axes.plot(np.arange(len(bend)), bend, color=colour, label=name)
        axes.set(xlabel="frame")
        axes.legend()
    return str(path)


def duck_under() -> Clip:
    """A walk of the actor that goes under something: hips lowered over planted feet, the back bent."""
    walk = perform("walk", speed=1.0, seconds=4.5, imperfections=CAPTURED)[0]
    x, y, z = walk.root_positions[_SHOWN].tolist()
    low = pose(walk, joint="hips", frame=_SHOWN, place=(x, y - _LOWERED, z), span=_SPAN)
    ducked = displace(low, keys={dof: [[_SHOWN, angle]] for dof, angle in _BENT.items()}, span=_SPAN)
    assert isinstance(ducked, Clip)
    return ducked


def _duck_unders() -> list[dict[str, Any]]:
    duck = duck_under()
    marching = perform("walk", style="marching", seconds=4.5, imperfections=CAPTURED)[0]
    moves = [(handle, _ASIDE * handle * handle, 0.0) for handle in range(len(path_handles(duck)))]
    ways = {
        "the duck-under": duck,
        "its path bent, feet as they come": bend_path(duck, moves=moves, lock_feet=False),
        "its path bent, feet locked": bend_path(duck, moves=moves),
        "its stances blended half with marching": restyle(duck, style=marching, ratio=0.5),
    }
    head = find_roles(duck.skeleton)["head"]
    plants = examine(duck).plants  # the edits change no time
    rows = []
    for name, clip in ways.items():
        assert isinstance(clip, Clip)
        feet = footing(clip, plants)
        rows.append(
            {
                "motion": name,
                "head_lowest_m": float(clip.positions[:, head, 1].min()),
                "path_m": distance(clip),
                "end_moved_m": float(np.linalg.norm((clip.root_positions[-1] - duck.root_positions[-1])[[0, 2]])),
                "slip_mm": feet.slip_mm_max,
                "penetration_mm": feet.penetration_mm_max,
            }
        )
    return rows
