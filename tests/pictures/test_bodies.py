"""Contact sheets show the way over the ground as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CLEAN, perform
from mocapella.motion.clip import Clip
from mocapella.pictures import canvas
from mocapella.pictures.bodies import draw_contact_sheet

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("way", [(0.0, 80.0), (80.0, 0.0), (30.0, 30.0), (0.0, 0.5)])
def test_the_ground_is_as_large_as_the_way(monkeypatch, way):
    clip, _ = perform("walk", speed=1.2, imperfections=CLEAN)
    share = np.linspace(0.0, 1.0, clip.n_frames)
    roots = clip.root_positions * [0.0, 1.0, 0.0] + np.outer(share, [way[0], 0.0, way[1]])
    kept = []
    monkeypatch.setattr(canvas, "save_figure", lambda figure, path: kept.append(figure))
    draw_contact_sheet(Clip(clip.skeleton, roots, clip.rotations_wxyz, frame_rate=clip.frame_rate), "unused.png")
    figure = kept[0]
    figure.canvas.draw()
    axes = figure.axes[2]
    for (low, high), size in ((axes.get_xlim(), way[1]), (axes.get_ylim(), way[0])):
        assert size <= high - low <= size + 3.0 + 0.1 * max(way)
    assert axes.get_aspect() == 1.0
    assert figure.get_figheight() < 16.0


def test_the_first_and_the_last_pose_lie_whole_on_the_sheet(monkeypatch):
    clip, _ = perform("walk", speed=1.2, imperfections=CLEAN)
    ends = np.array(clip.skeleton.end_offsets)
    ends[clip.skeleton.end_joints == clip.skeleton.index("Head")] = [0.0, 0.1, 1.5]  # reaches ahead, but not back
    skeleton = replace(clip.skeleton, end_offsets=ends)
    kept = []
    monkeypatch.setattr(canvas, "save_figure", lambda figure, path: kept.append(figure))
    draw_contact_sheet(replace(clip, skeleton=skeleton), "unused.png")
    axes = kept[0].axes[0]
    drawn = np.concatenate([segment[:, 0] for lines in axes.collections for segment in lines.get_segments()])
    left, right = axes.get_xlim()
    assert left < drawn.min()
    assert drawn.max() < right
