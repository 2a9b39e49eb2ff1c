"""What analysis found in a clip, drawn over time: foot plants, cycles, closing, harmonics."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.analysis.cycles import find_cycles, with_chosen
from mocapella.analysis.feet import track_feet
from mocapella.analysis.fourier import analyse
from mocapella.analysis.plants import find_plants
from mocapella.analysis.raw_cycle import RawCycle
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import N_ROOT_DOFS, Layout
from mocapella.motion.spectrum import harmonic_ceiling
from mocapella.pictures import canvas

_MOST_CYCLES = 8
_COLOURS = {"left": canvas.LEFT, "right": canvas.RIGHT}


def draw_plants(clip: Clip, path: str | PathLike[str]) -> None:
    """Heights and speeds of heels and toes over the frames, with the plants that were found as bars."""
    captured = clip.captured
    tracks, contacts = track_feet(captured), find_plants(captured)
    frames = np.arange(captured.n_frames) + captured.first_row
    figure = canvas.figure(11.0, 7.0)
    upper, lower, bars = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 1))
    for i, point in enumerate(FOOT_POINTS):
        colour, line = _COLOURS[point.split("_")[0]], "-" if point.endswith("heel") else "--"
        upper.plot(
            frames,
            100 * tracks.leg * tracks.heights[:, i],
            line,
            color=colour,
            linewidth=1.0,
            label=point.replace("_", " "),
        )
        lower.plot(frames, tracks.leg * tracks.speeds[:, i], line, color=colour, linewidth=1.0)
    _draw_bars(bars, contacts, captured.first_row)
    upper.set_ylabel("height above ground, cm")
    upper.legend(fontsize=7, ncols=4, frameon=False, loc="upper right")
    lower.set_ylabel("speed, m/s")
    bars.set_xlabel("frame")
    figure.suptitle(f"{clip.name}: foot plants", fontsize=10, x=0.01, ha="left")
    canvas.save_figure(figure, path)


def draw_cycles(
    clip: Clip,
    path: str | PathLike[str],
    *,
    chosen: RawCycle | None = None,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
) -> None:
    """The best cycles as spans, between the heights of the heels and the foot plants; the ``chosen`` one is dark."""
    captured = clip.captured
    found = find_cycles(clip, turning=turning, speed=speed, turn=turn, within=within)[:_MOST_CYCLES]
    taken = found[0] if chosen is None else chosen
    found = with_chosen(found, taken)
    contacts = find_plants(captured)
    frames = np.arange(captured.n_frames) + captured.first_row
    figure = canvas.figure(11.0, 6.0)
    upper, spans, bars = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 1))
    tracks = track_feet(captured)
    for i, point in enumerate(FOOT_POINTS):
        if point.endswith("heel"):
            upper.plot(
                frames, 100 * tracks.leg * tracks.heights[:, i], color=_COLOURS[point.split("_")[0]], linewidth=1.0
            )
    upper.set_ylabel("heel height, cm")
    for rank, cycle in enumerate(found):
        colour, ink = (canvas.INK, "white") if cycle.is_same(taken) else (canvas.PALE, canvas.INK)
        spans.barh(-rank, cycle.n_frames, left=cycle.start_row, height=0.7, color=colour)
        numbers = f"{cycle.seconds:.2f} s, {cycle.speed:.2f} m/s, {np.degrees(cycle.turn):+.0f}°"
        text = f"{numbers}, closes to {100 * cycle.closing:.1f} cm, unlike by {cycle.unlikeness:.2f}"
        spans.text(cycle.start_row + 2, -rank, text, va="center", fontsize=6, color=ink)
    spans.set_yticks([])
    spans.set_ylabel("cycles, best on top,\ndark what build takes", fontsize=7)
    _draw_bars(bars, contacts, captured.first_row)
    bars.set_xlabel("frame")
    figure.suptitle(f"{clip.name}: cycles", fontsize=10, x=0.01, ha="left")
    canvas.save_figure(figure, path)


def draw_closing(found: RawCycle, closed: Cycle, path: str | PathLike[str]) -> None:
    """The dofs that move most, two rounds of a cycle: as it lies in its clip, and closed."""
    raw = closed.layout.rotation_dofs(_without_heading(found.cut))
    names = closed.layout.rotation_names
    moving = np.argsort(-np.ptp(closed.dofs[:, :-N_ROOT_DOFS], axis=0))[:6]
    figure = canvas.figure(11.0, 8.0)
    count = closed.n_frames
    for axes, dof in zip(figure.subplots(6, 1, sharex=True), moving, strict=True):
        twice = np.concatenate([closed.dofs[:, dof], closed.dofs[:, dof], closed.dofs[:1, dof]])
        axes.plot(np.arange(2 * count + 1), twice, color=canvas.LEFT, linewidth=1.4, label="closed")
        for start in (0, count):
            axes.plot(np.arange(count + 1) + start, raw[:, dof], color=canvas.RIGHT, linewidth=0.8, label="captured")
        axes.axvline(count, color=canvas.PALE, linewidth=0.8)
        axes.set_ylabel(names[dof], fontsize=7, rotation=0, ha="right")
        axes.tick_params(labelsize=6)
    title = f"{closed.name}: two rounds of {found!r}; red captured, blue closed"
    figure.suptitle(title, fontsize=8, x=0.01, ha="left")
    canvas.save_figure(figure, path)


def draw_harmonics(cycle: Cycle, path: str | PathLike[str], harmonics: int = 12) -> None:
    """How large each harmonic of each joint is, in degrees, and how fast they fall off all together."""
    spectrum = analyse(cycle, harmonics=min(harmonics, harmonic_ceiling(cycle.n_frames)))
    skeleton = cycle.skeleton
    per_joint = _degrees_per_joint(spectrum.magnitudes[1:, :-N_ROOT_DOFS], cycle.layout)
    figure = canvas.figure(11.0, 7.0)
    grid, total = figure.subplots(1, 2, width_ratios=(3, 2))
    image = grid.imshow(np.log10(np.maximum(per_joint.T, 1e-3)), aspect="auto", cmap="viridis")
    grid.set_xticks(range(len(per_joint)), [f"H{h + 1}" for h in range(len(per_joint))], fontsize=7)
    grid.set_yticks(range(skeleton.n_joints), skeleton.names, fontsize=6)
    figure.colorbar(image, ax=grid, label="log₁₀ degrees")
    total.semilogy(range(1, len(per_joint) + 1), np.sqrt((per_joint**2).sum(axis=1)), "o-", color=canvas.INK)
    total.set_xlabel("harmonic")
    total.set_ylabel("all joints, degrees (root sum of squares)")
    figure.suptitle(f"{cycle.name}: {spectrum!r}", fontsize=9, x=0.01, ha="left")
    canvas.save_figure(figure, path)


def _draw_bars(axes: Any, contacts: Contacts, first_row: int) -> None:
    for i, point in enumerate(FOOT_POINTS):
        for first, last in contacts.point(point):
            colour = _COLOURS[point.split("_")[0]]
            axes.barh(-i, last - first + 1, left=first + first_row - 0.5, height=0.8, color=colour)
    axes.set_yticks([-i for i in range(4)], [point.replace("_", " ") for point in FOOT_POINTS], fontsize=7)


def _without_heading(clip: Clip) -> Float[np.ndarray, "frames joints 4"]:
    rotations = np.array(clip.rotations_wxyz)
    back = quaternions.about_y(-quaternions.yaw(rotations[:, 0]))
    rotations[:, 0] = quaternions.multiply(back, rotations[:, 0])
    return rotations


def _degrees_per_joint(
    magnitudes: Float[np.ndarray, "harmonics dofs"], layout: Layout
) -> Float[np.ndarray, "harmonics joints"]:
    """Magnitudes as swings in degrees; a turn by φ moves a quaternion by half of it."""
    joints = (layout.columns(joint) for joint in range(layout.skeleton.n_joints))
    squares = np.stack([(magnitudes[:, columns] ** 2).sum(axis=1) for columns in joints], axis=1)
    factor = 4.0 if layout.kind == "quaternion" else 2.0
    return np.asarray(np.degrees(factor * np.sqrt(squares)))
