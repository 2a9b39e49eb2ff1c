"""Signals drawn: traces of joints and feet, harmonics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.analysis.cycles.find import RawCycle, find_cycles, with_chosen
from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.fourier import analyse
from mocapella.blending.network import Network
from mocapella.blending.places import Point
from mocapella.errors import MotionError
from mocapella.measure.distortion import FootJoint, FootTrace, Yardstick
from mocapella.measure.traces import root_paths, trace_contributions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import without_heading
from mocapella.motion.layout import N_ROOT_DOFS, Layout
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling
from mocapella.pictures import canvas

# What analysis found in a clip, drawn over time: foot plants, cycles, closing, harmonics.

_MOST_CYCLES = 8
_COLOURS = {"left": canvas.LEFT, "right": canvas.RIGHT}


def draw_plants(clip: Clip | Examined, path: str | PathLike[str]) -> None:
    """Heights and speeds of heels and toes over the frames, with the plants that were found as bars."""
    known = examine(clip).captured
    captured, tracks, contacts = known.clip, known.feet, known.plants
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
    figure.suptitle(f"{captured.name}: foot plants", fontsize=10, x=0.01, ha="left")
    canvas.save_figure(figure, path)


def draw_cycles(
    clip: Clip | Examined,
    path: str | PathLike[str],
    *,
    chosen: RawCycle | None = None,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
) -> None:
    """The best cycles as spans, between the heights of the heels and the foot plants; the ``chosen`` one is dark."""
    whole = examine(clip)
    known = whole.captured
    captured, tracks = known.clip, known.feet
    found = find_cycles(whole, turning=turning, speed=speed, turn=turn, within=within)[:_MOST_CYCLES]
    taken = found[0] if chosen is None else chosen
    found = with_chosen(found, taken)
    frames = np.arange(captured.n_frames) + captured.first_row
    figure = canvas.figure(11.0, 6.0)
    upper, spans, bars = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 1))
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
    _draw_bars(bars, known.plants, captured.first_row)
    bars.set_xlabel("frame")
    figure.suptitle(f"{captured.name}: cycles", fontsize=10, x=0.01, ha="left")
    canvas.save_figure(figure, path)


def draw_closing(found: RawCycle, closed: Cycle, path: str | PathLike[str]) -> None:
    """The dofs that move most, two rounds of a cycle: as it lies in its clip, and closed."""
    raw = closed.layout.rotation_dofs(without_heading(found.cut.rotations_wxyz))
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


def _degrees_per_joint(
    magnitudes: Float[np.ndarray, "harmonics dofs"], layout: Layout
) -> Float[np.ndarray, "harmonics joints"]:
    """Magnitudes as swings in degrees; a turn by φ moves a quaternion by half of it."""
    joints = (layout.columns(joint) for joint in range(layout.skeleton.n_joints))
    squares = np.stack([(magnitudes[:, columns] ** 2).sum(axis=1) for columns in joints], axis=1)
    factor = 4.0 if layout.kind == "quaternion" else 2.0
    return np.asarray(np.degrees(factor * np.sqrt(squares)))


# Harmonics side by side: magnitudes and phase angles of two motions, and what each harmonic does to a blend.

MOST = 20  # harmonics that bars are drawn of
_UPPER = 6  # the first harmonic of the upper band
_MOST_DOFS = 6
_HARMONICS_COLOURS = (canvas.LEFT, canvas.RIGHT)


def draw_phase_angles(
    spectra: Sequence[Spectrum],
    dofs: Sequence[str],
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
) -> None:
    """Draw magnitudes and phase angles of some dofs of one or two motions as bars (thesis, figures 7.10, D.2)."""
    if not 1 <= len(spectra) <= len(_HARMONICS_COLOURS) or not 1 <= len(dofs) <= _MOST_DOFS:
        raise MotionError(
            f"one or two motions and up to {_MOST_DOFS} dofs are drawn side by side, got {len(spectra)} and {len(dofs)}"
        )
    names = labels or [spectrum.name or f"motion {i + 1}" for i, spectrum in enumerate(spectra)]
    count = min(*(spectrum.n_harmonics for spectrum in spectra), MOST)
    if count < 1:
        raise MotionError("there are no harmonics to draw but the mean")
    figure = canvas.figure(9.0 if len(dofs) == 1 else 5.5 * len(dofs), 6.0)
    plots = figure.subplots(2, len(dofs), sharex=True, squeeze=False)
    at = np.arange(1, count + 1)
    width = 0.76 / len(spectra)
    for (upper, lower), dof in zip(plots.T, dofs, strict=True):
        for i, (spectrum, label) in enumerate(zip(spectra, names, strict=True)):
            own, alone = spectrum.only(dof), at + (width + 0.02) * (i - 0.5 * (len(spectra) - 1))
            upper.bar(alone, own.magnitudes[1 : count + 1, 0], width=width, color=_HARMONICS_COLOURS[i], label=label)
            lower.bar(alone, own.phase_angles[1 : count + 1, 0], width=width, color=_HARMONICS_COLOURS[i])
        upper.set_ylabel("magnitude", fontsize=8)
        upper.set_title(dof, fontsize=8)
        lower.set_ylabel("phase angle, rad", fontsize=8)
        lower.set_ylim(-np.pi, np.pi)
        lower.set_yticks([-np.pi, 0.0, np.pi], ["−π", "0", "π"])
        lower.axhline(0.0, color=canvas.PALE, linewidth=0.8)
        lower.set_xticks(at, [f"H{h}" for h in at], fontsize=7)
        _finish(upper, lower)
    plots[0, 0].legend(fontsize=8, frameon=False)
    title = f"{', '.join(dofs)} of {' and '.join(repr(name) for name in names)}"
    figure.suptitle(title, fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def draw_contributions(
    network: Network,
    point: Point,
    distortion: Float[np.ndarray, "harmonics points"],
    path: str | PathLike[str],
    *,
    joint: FootJoint = "ankle",
    title: str = "",
) -> None:
    """Draw what upper harmonics add to the foot traces sideways at a point, and to the distortion at many.

    ``distortion`` is what ``distortion_by_harmonics`` gives: mean and largest with so many harmonics (figure 7.5).
    """
    figure = canvas.figure(13.0, 4.6)
    left, right, total = figure.subplots(1, 3)
    for axes, (foot, parts) in zip(
        (left, right), trace_contributions(network, point, joint=joint).items(), strict=True
    ):
        first = min(_UPPER, len(parts) - 1)
        for harmonic in range(first, len(parts)):
            shade = 0.85 - 0.65 * (harmonic - first) / max(len(parts) - first, 1)
            along = np.linspace(0.0, 100.0, parts.shape[1])
            sideways = 1000 * parts[harmonic, :, 0]
            told = f"H{harmonic}, {np.ptp(sideways):.1f} mm"
            axes.plot(along, sideways, color=(0.1, 0.2, 0.4, shade), linewidth=1.2, label=told)
        axes.set_title(f"{foot} foot: what each harmonic adds to x, mm", fontsize=8)
        axes.set_xlabel("% of the stance", fontsize=7)
        axes.legend(fontsize=6, frameon=False)
    known = distortion[:, np.isfinite(distortion).all(axis=0)]
    at = np.arange(1, len(distortion) + 1)
    total.plot(at, known.max(axis=1), "o-", color=canvas.RIGHT, markersize=3, label="largest")
    total.plot(at, known.mean(axis=1), "o-", color=canvas.LEFT, markersize=3, label="mean")
    total.set_title("distortion with so many harmonics, rad", fontsize=8)
    total.set_ylim(bottom=0.0)
    total.legend(fontsize=7, frameon=False)
    _finish(left, right, total)
    figure.suptitle(title or f"{network!r}", fontsize=9, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def _finish(*plots: Any) -> None:
    for axes in plots:
        axes.grid(color="#eef0f4")
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=7)


# Foot traces on the spot, and what their wriggles do to the root (thesis, figures 7.1, 7.2, 7.20).

FOOT_COLOURS = {"left": "#c8322b", "right": "#2c8a3d"}  # as the thesis has them


def draw_foot_traces(
    networks: Mapping[str, Network],
    point: Point,
    path: str | PathLike[str],
    *,
    joint: FootJoint = "ankle",
    title: str = "",
) -> None:
    """Draw the contact traces at a blending point, a row for each network by its label.

    From left to right: both feet as they go under the root, seen from above; each foot beside its reference and the
    nodes it is blended from, sideways enlarged; and how far the root sways off its ideal way.
    """
    figure = canvas.figure(13.0, 4.4 * len(networks))
    grid = figure.subplots(len(networks), 4, squeeze=False)
    for sway in grid[1:, 3]:
        sway.sharey(grid[0, 3])
    for (spot, left, right, sway), (label, network) in zip(grid, networks.items(), strict=True):
        yardstick = Yardstick(network, [point], joint=joint)
        stages, scores = yardstick.traces(0), yardstick.measure().feet[0]
        _draw_spot(spot, stages)
        spot.set_ylabel(f"{label}\nz under the root, cm", fontsize=8)
        for axes, foot, score in zip((left, right), FEET, scores, strict=True):
            _draw_stage(axes, [stage for stage in stages if stage.foot == foot])
            axes.set_title(f"{foot} foot: {score:.4f} rad", fontsize=8, color=FOOT_COLOURS[foot])
        for way in root_paths(network, point, joint=joint):
            colour = FOOT_COLOURS[way.foot]
            told = f"over the {way.foot} foot, {100 * way.sway:.1f} cm"
            sway.plot(way.seconds, 100 * way.deviation[:, 0], color=colour, linewidth=1.2, label=told)
        sway.axhline(0.0, color=canvas.PALE, linewidth=0.8)
        sway.set_title("root beside its ideal way, cm (left up)", fontsize=8)
        sway.set_xlabel("seconds", fontsize=7)
        sway.legend(fontsize=7, frameon=False)
    for axes in grid.ravel():
        axes.tick_params(labelsize=6)
    where = ", ".join(f"{float(value):.3g}" for value in point)
    legend = "coloured: played, dashed: reference, grey: nodes"
    figure.suptitle(
        f"{title or 'contact traces'} at ({where}); {legend}", fontsize=9, color=canvas.INK, ha="left", x=0.01
    )
    canvas.save_figure(figure, path)


def _draw_spot(axes: Any, stages: tuple[FootTrace, ...]) -> None:
    """Both feet under the root, seen from above: x is drawn to the left, for that is the character's left."""
    for stage in stages:
        places = 100 * stage.places
        axes.plot(places[:, 0], places[:, 1], color=FOOT_COLOURS[stage.foot], linewidth=1.6)
        axes.plot(*places[0], "o", color=FOOT_COLOURS[stage.foot], markersize=4)
    axes.plot(0.0, 0.0, "+", color=canvas.INK, markersize=8)
    axes.set_aspect("equal", adjustable="datalim")
    axes.invert_xaxis()
    axes.set_title("under the root, from above", fontsize=8)


def _draw_stage(axes: Any, stages: list[FootTrace]) -> None:
    for stage in stages:
        for own in stage.inputs:
            axes.plot(100 * own[:, 0], 100 * own[:, 1], color=canvas.PALE, linewidth=0.7)
        axes.plot(100 * stage.blend[:, 0], 100 * stage.blend[:, 1], color=FOOT_COLOURS[stage.foot], linewidth=1.6)
        reference = 100 * stage.reference
        axes.plot(reference[:, 0], reference[:, 1], "--", color=canvas.INK, linewidth=1.0)
    axes.invert_xaxis()
    axes.set_xlabel("x, cm (enlarged)", fontsize=7)
