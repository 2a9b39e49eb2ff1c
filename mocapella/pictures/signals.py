"""Signals over time and phase: foot plants, cycles, harmonics, and the traces of feet in blends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.analysis.cycles.find import find_cycles, with_chosen
from mocapella.analysis.cycles.raw_cycle import RawCycle
from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.fourier import analyse
from mocapella.blending.network import Network
from mocapella.blending.places import Point
from mocapella.errors import MotionError
from mocapella.measure.distortion import FootTrace, Yardstick
from mocapella.measure.traced_points import FootPoint
from mocapella.measure.traces import root_paths, trace_contributions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.kinematics import without_heading
from mocapella.motion.layout import N_ROOT_DOFS, Layout
from mocapella.motion.spectrum import Spectrum, harmonic_ceiling
from mocapella.pictures import canvas

_FOOT_COLOURS = {"left": "#c8322b", "right": "#2c8a3d"}  # of foot traces, as in the thesis

_SIDES = {"left": canvas.LEFT, "right": canvas.RIGHT}
_MOST_CYCLES = 8  # drawn below each other
_MOST_DOFS = 6  # drawn beside each other
_MOST_HARMONICS = 20  # that bars are drawn of
_UPPER = 6  # the first harmonic of the upper band


def draw_plants(clip: Clip | Examined, path: str | PathLike[str]) -> None:
    """Draw heights and speeds of heels and toes over the frames, with the foot plants found as bars."""
    examined = examine(clip).captured
    captured, tracks = examined.clip, examined.feet
    with canvas.page(path, 11.0, 7.0, f"{captured.name}: foot plants") as figure:
        upper, lower, bars = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 1))
        _draw_tracks(upper, captured, 100 * tracks.leg * tracks.heights)
        _draw_tracks(lower, captured, tracks.leg * tracks.speeds)
        _draw_bars(bars, examined.plants, captured.first_row)
        upper.set_ylabel("height above ground, cm")
        upper.legend(ncols=4, loc="upper right")
        lower.set_ylabel("speed, m/s")


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
    """Draw the best cycles as spans, between the heights of the heels and the foot plants.

    ``chosen`` is the cycle that is drawn dark; the best if None. ``turning``, ``speed``, ``turn`` and ``within`` are as
    ``find_cycles`` takes them.
    """
    examined = examine(clip)
    capture = examined.captured
    captured, tracks = capture.clip, capture.feet
    cycles = find_cycles(examined, turning=turning, speed=speed, turn=turn, within=within)[:_MOST_CYCLES]
    taken = cycles[0] if chosen is None else chosen
    with canvas.page(path, 11.0, 6.0, f"{captured.name}: cycles") as figure:
        upper, spans, bars = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 1))
        _draw_tracks(upper, captured, 100 * tracks.leg * tracks.heights, only="heel")
        upper.set_ylabel("heel height, cm")
        for rank, cycle in enumerate(with_chosen(cycles, taken)):
            colour, ink = (canvas.INK, "white") if cycle.is_same(taken) else (canvas.PALE, canvas.INK)
            spans.barh(-rank, cycle.n_frames, left=cycle.start_row, height=0.7, color=colour)
            numbers = f"{cycle.seconds:.2f} s, {cycle.speed:.2f} m/s, {np.degrees(cycle.turn):+.0f}°"
            text = f"{numbers}, closes to {100 * cycle.closing:.1f} cm, unlike by {cycle.unlikeness:.2f}"
            spans.text(cycle.start_row + 2, -rank, text, va="center", fontsize=6, color=ink)
        spans.set_yticks([])
        spans.set_ylabel("cycles, best on top,\ndark what build takes", fontsize=7)
        _draw_bars(bars, capture.plants, captured.first_row)


def draw_closing(raw_cycle: RawCycle, closed: Cycle, path: str | PathLike[str]) -> None:
    """Draw the six dofs that move most over two rounds of a cycle: as captured, and closed."""
    raw = closed.layout.rotation_dofs(without_heading(raw_cycle.cut.rotations_wxyz))
    moving = np.argsort(-np.ptp(closed.dofs[:, :-N_ROOT_DOFS], axis=0))[:6]
    count = closed.n_frames
    title = f"{closed.name}: two rounds of {raw_cycle!r}; red captured, blue closed"
    with canvas.page(path, 11.0, 8.0, title) as figure:
        for axes, dof in zip(figure.subplots(6, 1, sharex=True), moving, strict=True):
            twice = np.concatenate([closed.dofs[:, dof], closed.dofs[:, dof], closed.dofs[:1, dof]])
            axes.plot(np.arange(2 * count + 1), twice, color=canvas.LEFT, linewidth=1.4)
            for start in (0, count):
                axes.plot(np.arange(count + 1) + start, raw[:, dof], color=canvas.RIGHT, linewidth=0.8)
            axes.axvline(count, color=canvas.PALE, linewidth=0.8)
            axes.set_ylabel(closed.layout.rotation_names[dof], fontsize=7, rotation=0, ha="right")


def draw_harmonics(cycle: Cycle, path: str | PathLike[str], harmonics: int = 12) -> None:
    """Draw the magnitude of each harmonic of each joint, in degrees, and how fast they fall off together.

    Fewer than ``harmonics`` are drawn where the cycle has fewer.
    """
    spectrum = analyse(cycle, harmonics=min(harmonics, harmonic_ceiling(cycle.n_frames)))
    per_joint = _degrees_per_joint(spectrum.magnitudes[1:, :-N_ROOT_DOFS], cycle.layout)
    count = len(per_joint)
    with canvas.page(path, 11.0, 7.0, f"{cycle.name}: {spectrum!r}") as figure:
        grid, total = figure.subplots(1, 2, width_ratios=(3, 2))
        grid.grid(False)
        image = grid.imshow(np.log10(np.maximum(per_joint.T, 1e-3)), aspect="auto", cmap="viridis")
        grid.set_xticks(range(count), [f"H{h + 1}" for h in range(count)])
        grid.set_yticks(range(cycle.skeleton.n_joints), cycle.skeleton.names, fontsize=6)
        figure.colorbar(image, ax=grid, label="log₁₀ degrees")
        total.semilogy(range(1, count + 1), np.sqrt((per_joint**2).sum(axis=1)), "o-", color=canvas.INK)
        total.set(xlabel="harmonic", ylabel="all joints, degrees (root sum of squares)")


def draw_phase_angles(
    spectra: Sequence[Spectrum], dofs: Sequence[str], path: str | PathLike[str], *, labels: Sequence[str] | None = None
) -> None:
    """Draw magnitudes and phase angles of dofs of one or two motions (thesis, figures 7.10, D.2).

    Each of up to six ``dofs``, by name, has a column of bars. ``labels`` are used in place of the motions' names.
    """
    colours = (canvas.LEFT, canvas.RIGHT)
    if not 1 <= len(spectra) <= len(colours) or not 1 <= len(dofs) <= _MOST_DOFS:
        raise MotionError(f"expected one or two motions and 1 to {_MOST_DOFS} dofs, got {len(spectra)} and {len(dofs)}")
    names = labels or [spectrum.name or f"motion {i + 1}" for i, spectrum in enumerate(spectra)]
    count = min(*(spectrum.n_harmonics for spectrum in spectra), _MOST_HARMONICS)
    if count < 1:
        raise MotionError("there are no harmonics to draw but the mean")
    at = np.arange(1, count + 1)
    width = 0.76 / len(spectra)
    title = f"{', '.join(dofs)} of {' and '.join(repr(name) for name in names)}"
    with canvas.page(path, 9.0 if len(dofs) == 1 else 5.5 * len(dofs), 6.0, title) as figure:
        plots = figure.subplots(2, len(dofs), sharex=True, squeeze=False)
        for (upper, lower), dof in zip(plots.T, dofs, strict=True):
            for i, (spectrum, name) in enumerate(zip(spectra, names, strict=True)):
                signal, bars = spectrum.only(dof), at + (width + 0.02) * (i - 0.5 * (len(spectra) - 1))
                upper.bar(bars, signal.magnitudes[1 : count + 1, 0], width=width, color=colours[i], label=name)
                lower.bar(bars, signal.phase_angles[1 : count + 1, 0], width=width, color=colours[i])
            upper.set(ylabel="magnitude", title=dof)
            lower.set(ylabel="phase angle, rad", ylim=(-np.pi, np.pi))
            lower.set_yticks([-np.pi, 0.0, np.pi], ["−π", "0", "π"])
            lower.axhline(0.0, color=canvas.PALE, linewidth=0.8)
            lower.set_xticks(at, [f"H{h}" for h in at])
        plots[0, 0].legend()


def draw_contributions(
    network: Network,
    point: Point,
    distortion: Float[np.ndarray, "harmonics points"],
    path: str | PathLike[str],
    *,
    joint: FootPoint = "ankle",
    title: str = "",
) -> None:
    """Draw the contributions of upper harmonics to the foot traces sideways at a point, and to the distortion at many.

    ``distortion`` is that with the first one, two, … harmonics, of ``distortion_by_harmonics`` (thesis, figure 7.5).
    The title is a description of the network if empty.
    """
    finite = distortion[:, np.isfinite(distortion).all(axis=0)]
    with canvas.page(path, 13.0, 4.6, title or repr(network)) as figure:
        *sides, total = figure.subplots(1, 3)
        for axes, (foot, parts) in zip(sides, trace_contributions(network, point, joint=joint).items(), strict=True):
            first = min(_UPPER, len(parts) - 1)
            along = np.linspace(0.0, 100.0, parts.shape[1])
            for harmonic in range(first, len(parts)):
                shade = 0.85 - 0.65 * (harmonic - first) / max(len(parts) - first, 1)
                sideways = 1000 * parts[harmonic, :, 0]
                told = f"H{harmonic}, {np.ptp(sideways):.1f} mm"
                axes.plot(along, sideways, color=(0.1, 0.2, 0.4, shade), label=told)
            axes.set(title=f"{foot} foot: what each harmonic adds to x, mm", xlabel="% of the stance")
            axes.legend(fontsize=6)
        at = np.arange(1, len(distortion) + 1)
        total.plot(at, finite.max(axis=1), "o-", color=canvas.RIGHT, markersize=3, label="largest")
        total.plot(at, finite.mean(axis=1), "o-", color=canvas.LEFT, markersize=3, label="mean")
        total.set_title("distortion with so many harmonics, rad")
        total.set_ylim(bottom=0.0)
        total.legend()


def draw_foot_traces(
    networks: Mapping[str, Network],
    point: Point,
    path: str | PathLike[str],
    *,
    joint: FootPoint = "ankle",
    title: str = "",
) -> None:
    """Draw contact traces at a blending point, a row per network (thesis, figures 7.1, 7.2, 7.20).

    From left to right: both feet under the root, seen from above; each foot beside its reference and the nodes it is
    blended from, sideways enlarged; and how far the root sways off its ideal path.
    """
    where = ", ".join(f"{float(value):.3g}" for value in point)
    heading = f"{title or 'contact traces'} at ({where}); coloured: played, dashed: reference, grey: nodes"
    with canvas.page(path, 13.0, 4.4 * len(networks), heading) as figure:
        grid = figure.subplots(len(networks), 4, squeeze=False)
        for sway in grid[1:, 3]:
            sway.sharey(grid[0, 3])
        for (spot, left, right, sway), (label, network) in zip(grid, networks.items(), strict=True):
            yardstick = Yardstick(network, [point], joint=joint)
            stages, scores = yardstick.traces(0), yardstick.measure().feet[0]
            _draw_under_root(spot, stages)
            spot.set_ylabel(f"{label}\nz under the root, cm")
            for axes, foot, score in zip((left, right), FEET, scores, strict=True):
                _draw_stage(axes, [stage for stage in stages if stage.foot == foot])
                axes.set_title(f"{foot} foot: {score:.4f} rad", color=_FOOT_COLOURS[foot])
            for way in root_paths(network, point, joint=joint):
                told = f"over the {way.foot} foot, {100 * way.sway:.1f} cm"
                sway.plot(way.seconds, 100 * way.deviation[:, 0], color=_FOOT_COLOURS[way.foot], label=told)
            sway.axhline(0.0, color=canvas.PALE, linewidth=0.8)
            sway.set(title="root beside its ideal path, cm (left up)", xlabel="seconds")
            sway.legend()


def _draw_tracks(axes: Any, clip: Clip, values: Float[np.ndarray, "frames points"], only: str = "") -> None:
    """Lines of the foot points over the frames, heels drawn through, toes dashed."""
    frames = np.arange(clip.n_frames) + clip.first_row
    for i, point in enumerate(FOOT_POINTS):
        side, part = point.split("_")
        if part.startswith(only):
            line = "-" if part == "heel" else "--"
            axes.plot(frames, values[:, i], line, color=_SIDES[side], linewidth=1.0, label=f"{side} {part}")


def _draw_bars(axes: Any, contacts: Contacts, first_row: int) -> None:
    """Foot plants over the frames."""
    for i, point in enumerate(FOOT_POINTS):
        for first, last in contacts.point(point):
            left = first + first_row - 0.5
            axes.barh(-i, last - first + 1, left=left, height=0.8, color=_SIDES[point.split("_")[0]])
    axes.set_yticks([-i for i in range(4)], [point.replace("_", " ") for point in FOOT_POINTS])
    axes.set_xlabel("frame")


def _draw_under_root(axes: Any, stages: tuple[FootTrace, ...]) -> None:
    """Both feet under the root, seen from above: x is drawn to the left, the character's left."""
    for stage in stages:
        places = 100 * stage.places
        axes.plot(*places.T, color=_FOOT_COLOURS[stage.foot], linewidth=1.6)
        axes.plot(*places[0], "o", color=_FOOT_COLOURS[stage.foot], markersize=4)
    axes.plot(0.0, 0.0, "+", color=canvas.INK, markersize=8)
    axes.set_aspect("equal", adjustable="datalim")
    axes.invert_xaxis()
    axes.set_title("under the root, from above")


def _draw_stage(axes: Any, stages: list[FootTrace]) -> None:
    """Traces of one foot: nodes, blend and reference."""
    for stage in stages:
        for trace in stage.inputs:
            axes.plot(*100 * trace.T, color=canvas.PALE, linewidth=0.7)
        axes.plot(*100 * stage.blend.T, color=_FOOT_COLOURS[stage.foot], linewidth=1.6)
        axes.plot(*100 * stage.reference.T, "--", color=canvas.INK, linewidth=1.0)
    axes.invert_xaxis()
    axes.set_xlabel("x, cm (enlarged)")


def _degrees_per_joint(
    magnitudes: Float[np.ndarray, "harmonics dofs"], layout: Layout
) -> Float[np.ndarray, "harmonics joints"]:
    """Magnitudes as swings in degrees; a turn by φ moves a quaternion by half of it."""
    joints = (layout.columns(joint) for joint in range(layout.skeleton.n_joints))
    squares = np.stack([(magnitudes[:, columns] ** 2).sum(axis=1) for columns in joints], axis=1)
    factor = 4.0 if layout.kind == "quaternion" else 2.0
    return np.asarray(np.degrees(factor * np.sqrt(squares)))
