"""``mocapella demo --library``: everything between a curved walk and its mirror image from a single capture.

The demonstration of the layered animation database: one clockwise walk, its mirror image in phase, all curves between
them, and what becomes of a root's path where two turns are blended frame by frame and by increments.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.actor import CAPTURED, perform
from mocapella.analysis.examined import examine
from mocapella.analysis.prepare import prepare, turning_of
from mocapella.editing.synced import sync_mirror
from mocapella.editing.trajectory import blend_trajectories
from mocapella.errors import MotionError, MotionWarning
from mocapella.files.disk import make_folder, replacing
from mocapella.geometry.angles import TURN, wrap
from mocapella.library.ingest import add_captures
from mocapella.library.storage import storage_report
from mocapella.library.store import Library
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.motion.cycle import Cycle
from mocapella.pictures import canvas
from mocapella.pictures.edited import draw_beside
from mocapella.quoting import markdown_text
from mocapella.rig.roles import find_roles
from mocapella.rig.symmetry import mirrored
from mocapella.storage.values import load, save

_SHARES = (-1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0)  # of the capture's own curvature
_WITHIN = 0.98  # the ends themselves are the captured ones
_SECONDS = 6.0  # of each curve that is asked for
_TURNED = 270.0  # degrees to either side of the turns whose paths are blended
_LENGTH = 4.95  # metres: as long as the published ones

_Path = Float[np.ndarray, "frames 2"]


@dataclass(frozen=True)
class _Made:
    """A clip on the way from one side to the other."""

    name: str
    asked: float  # 1/m
    had: float  # 1/m
    speed: float  # m/s
    made_of: str
    clip: Clip


def run_layered(
    folder: Path,
    *,
    capture: Path | None = None,
    seed: int = 0,
    progress: Callable[[str, int], None] = lambda name, steps: None,
) -> dict[str, Any]:
    """Write a capture, the curves that a library makes of it, pictures and a report.

    ``capture`` is a turning walk; one of the embedded actor if None. Returns ``clip``, its ``curvature``;
    ``key_events`` in frames; ``curves`` with what was asked and had; ``flip``, the lengths of blended paths;
    ``storage``; ``files``. Raises ``MotionError`` where the capture does not turn, or holds no cycle.
    """
    make_folder(folder)
    source = folder / "clockwise.bvh"
    save(_clockwise(seed) if capture is None else load(capture), source)
    progress("one clip", len(_SHARES) + 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        clip = load(source)
        cycle = prepare(clip, turning=turning_of(clip))
        own = cycle.turn / (cycle.speed * cycle.duration)
        if abs(cycle.turn) < math.radians(10.0):
            raise MotionError(
                f"{capture or source} turns by {math.degrees(cycle.turn):+.0f}° a cycle", helps="give one that turns"
            )
        images = {"original": cycle, "mirror": mirrored(cycle), "sync_mirror": sync_mirror(cycle)}
        events = {name: _key_events(one) for name, one in images.items()}
        progress("key events", 0)
        made, storage = _curves(folder, source, own, progress)
    flip = _flip()
    for name, image in images.items():
        save(image.to_clip(3), folder / f"{name}.bvh")
    for one in made:
        save(one.clip, folder / f"{one.name}.bvh")
    _draw_events(images, folder / "key_events.png")
    _draw_curves(made, folder / "curves.png")
    _draw_flip(flip, folder / "root_flip.png")
    rounds = [images[name].to_clip(1) for name in images]
    titles = ["the capture", "mirrored: it starts on the other foot", "SyncMirror: in phase with the capture"]
    draw_beside(rounds, folder / "poses.png", titles=titles, title="one cycle, at the same times")
    progress("pictures", 0)
    answer = {
        "clip": str(capture or source),
        "curvature": own,
        "key_events": {
            name: {event: round(phase * cycle.n_frames / TURN, 2) for event, phase in phases.items()}
            for name, phases in events.items()
        },
        "apart": {name: _apart(events["original"], events[name], cycle.n_frames) for name in ("mirror", "sync_mirror")},
        "curves": [
            {"name": one.name, "asked": one.asked, "had": one.had, "speed": one.speed, "made_of": one.made_of}
            for one in made
        ],
        "flip": {name: _length(path) for name, path in flip.items()},
        "storage": storage,
        "files": sorted(path.name for path in folder.iterdir() if path.is_file()),
    }
    with replacing(folder / "report.md") as file:
        file.write(layered_report(answer).encode())
    return answer


def layered_report(answer: dict[str, Any]) -> str:
    """The figures of the demonstration. ``answer`` is what ``run_layered`` returns."""
    lines = [
        "# All curves from one clip",
        "",
        f"{markdown_text(answer['clip'])} goes round {answer['curvature']:+.3f} 1/m. At its key events its mirror "
        f"image is off by {answer['apart']['mirror']:.1f} frames, SyncMirror by "
        f"{answer['apart']['sync_mirror']:.2f}.",
        "",
        "| virtual clip | curvature asked, 1/m | measured | speed, m/s | made of |",
        "|---|--:|--:|--:|---|",
    ]
    for row in answer["curves"]:
        lines.append(
            f"| {row['name']} | {row['asked']:+.3f} | {row['had']:+.3f} | {row['speed']:.2f} | "
            f"{markdown_text(row['made_of'])} |"
        )
    flip, size = answer["flip"], answer["storage"]["bytes"]
    lines += [
        "",
        f"Two turns of {_TURNED:g}° to opposite sides, {flip['left']:.2f} m each, blended half and half: "
        f"{flip['ordinary']:.2f} m where places are blended, {flip['incremental']:.2f} m where increments are.",
        "",
        f"On disk: {size['real clips']:,} bytes and {size['recipes']} of recipes; storing every clip takes "
        f"{size['all clips stored']:,}.",
        "",
    ]
    return "\n".join(lines)


def _clockwise(seed: int) -> Clip:
    return perform("walk", speed=1.1, turn=-0.6, cycles=5.0, imperfections=CAPTURED, seed=abs(seed))[0]


def _curves(
    folder: Path, source: Path, own: float, progress: Callable[[str, int], None]
) -> tuple[list[_Made], dict[str, Any]]:
    """Clips from one side to the other out of a library that holds the one capture, and its bytes."""
    made = []
    with Library.at(folder / "library", create=True) as library:
        add_captures(library, [source], workers=0)
        (name,) = (one.name for one in library.captures("f.path = ?", [str(source.absolute())]))
        library.define("other side", name, [{"modifier": "sync_mirror"}])
        for share in _SHARES:
            asked = share * _WITHIN * abs(own)
            answer = library.request(kind=library.captures()[0].cycles[0].kind, curvature=asked, seconds=_SECONDS)
            label = f"curve_{'straight' if not share else f'{asked:+.2f}'}"
            library.define(label, "other side", [
                {"modifier": "to_curvature", "parameters": {"curvature": asked}, "inputs": [name]}
            ])  # fmt: skip
            parts = " and ".join(
                f"{100 * part.weight:.0f} % {' '.join((part.clip, *part.modifiers))}" for part in answer.made_of
            )
            figures = answer.had["curvature"], answer.had["speed"]
            made.append(_Made(label, asked, *figures, parts, answer.clip))
            progress(label, 0)
        return made, storage_report(library).plain()


def _key_events(cycle: Cycle) -> dict[str, float]:
    """The phases at which feet are set down and lifted."""
    out: dict[str, float] = {}
    for side in FEET:
        for start, length in cycle.contacts.foot(side) if cycle.contacts is not None else ():
            out |= {f"{side} down": start % TURN, f"{side} up": (start + length) % TURN}
    return out


def _apart(one: dict[str, float], other: dict[str, float], n_frames: int) -> float:
    """Frames between the key events of two cycles, the most."""
    return max(abs(float(wrap(np.asarray(one[name] - other[name])))) for name in one) * n_frames / TURN


def _flip() -> dict[str, _Path]:
    """Turns to opposite sides, and both ways to blend their paths half and half."""
    angles = np.radians(_TURNED) * np.linspace(0.0, 1.0, 181)
    radius = _LENGTH / angles[-1]
    left = np.stack([radius * (1.0 - np.cos(angles)), radius * np.sin(angles)], axis=1)
    right = left * [-1.0, 1.0]
    steps = 0.5 * (np.diff(left, axis=0) + np.diff(right, axis=0))
    ordinary = np.concatenate([[[0.0, 0.0]], np.cumsum(steps, axis=0)])
    return {"left": left, "right": right, "ordinary": ordinary, "incremental": blend_trajectories(left, right, 0.5)}


def _length(path: _Path) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def _draw_flip(paths: dict[str, _Path], path: Path) -> None:
    colours = {"left": canvas.LEFT, "right": canvas.RIGHT, "ordinary": canvas.GOLD, "incremental": canvas.GREEN}
    names = {"ordinary": "blended by places: it turns back", "incremental": "blended by increments"}
    with canvas.page(path, 8.0, 5.0, f"turns of {_TURNED:g}° to opposite sides, and half of each") as figure:
        axes = figure.add_subplot()
        for name, way in paths.items():
            text = f"{names.get(name, f'turn to the {name}')}, {_length(way):.2f} m"
            wide = 7.0 if name == "ordinary" else 2.0  # it goes out and back on the line of the other
            axes.plot(way[:, 1], way[:, 0], color=colours[name], linewidth=wide, label=text, solid_capstyle="round")
            axes.plot(way[-1, 1], way[-1, 0], "o", color=colours[name], markersize=6)
        axes.legend(loc="lower right")
        _from_above(axes)


def _draw_curves(made: Sequence[_Made], path: Path) -> None:
    from matplotlib import colormaps

    shades = colormaps["coolwarm"](np.linspace(0.0, 1.0, len(made)))
    with canvas.page(path, 8.0, 6.0, "one capture, its mirror image in phase, and all between") as figure:
        axes = figure.add_subplot()
        for one, colour in zip(made, shades, strict=True):
            x, _, z = one.clip.root_positions.T
            axes.plot(z, x, color=colour, linewidth=1.8)
            canvas.label(axes, f"{round(one.had, 2) + 0.0:+.2f} 1/m", (z[-1], x[-1]), (4, 0), fontsize=7)
            plants = examine(one.clip).plants
            for side, tint in (("left", canvas.LEFT), ("right", canvas.RIGHT)):
                toes = one.clip.positions[:, _toe(one.clip, side)]
                for first, last in plants.point(f"{side}_toe"):
                    where = toes[(first + last) // 2]
                    axes.plot(where[2], where[0], ".", color=tint, markersize=4)
        _from_above(axes)


def _toe(clip: Clip, side: str) -> int:
    roles = find_roles(clip.skeleton)
    return roles.get(f"{side}_toe", roles[f"{side}_ankle"])


def _draw_events(images: dict[str, Cycle], path: Path) -> None:
    titles = {"original": "the capture", "mirror": "mirrored", "sync_mirror": "SyncMirror"}
    with canvas.page(path, 8.0, 3.2, "when feet rest, two cycles") as figure:
        axes = figure.add_subplot()
        for row, (name, cycle) in enumerate(images.items()):
            for line, (side, colour) in enumerate((("left", canvas.LEFT), ("right", canvas.RIGHT))):
                height = -(row + 0.32 * line)
                for start, length in cycle.contacts.foot(side) if cycle.contacts is not None else ():
                    for turn in (-1, 0, 1):
                        first = (start / TURN + turn) * cycle.n_frames
                        axes.barh(height, length / TURN * cycle.n_frames, 0.26, first, color=colour)
            axes.text(-4, -(row + 0.16), titles[name], ha="right", va="center", fontsize=8)
        n = next(iter(images.values())).n_frames
        axes.set(xlim=(0, 2 * n), yticks=[], xlabel="frame; blue left foot, red right foot")
        axes.spines["left"].set_visible(False)


def _from_above(axes: Any) -> None:
    axes.set_aspect("equal")
    axes.set(xlabel="z, m", ylabel="x, m (left turns go up)")
