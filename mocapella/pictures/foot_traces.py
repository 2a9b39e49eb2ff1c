"""Foot traces on the spot, and what their wriggles do to the root (thesis, figures 7.1, 7.2, 7.20)."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from mocapella.blending.network import Network, Point
from mocapella.measure.contact_trace import FootJoint
from mocapella.measure.distortion import FootTrace, Yardstick
from mocapella.measure.root_path import root_paths
from mocapella.motion.contacts import FEET
from mocapella.pictures import canvas

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
