"""Edges between blend spaces by computed blends."""

import numpy as np
import pytest

from mocapella.actor import capture
from mocapella.building.build import build
from mocapella.errors import MotionError
from mocapella.graphs.blend_spaces import change_space, space_edge
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.computed import computed_transition
from mocapella.playback.player import Player


@pytest.fixture(scope="module")
def blocks():
    names = ("slow {} straight", "fast {} straight", "medium {} left")
    return tuple(build([capture(name.format(gait))[0] for name in names]).network for gait in ("walk", "run"))


def test_a_space_reaches_itself_everywhere(blocks):
    walks, _ = blocks
    edge = space_edge(walks, walks, samples=8)
    assert np.isfinite(edge.lows).all()
    for point in edge.points:
        low, high = edge.box(tuple(point.tolist()))
        assert (low <= high).all()


def test_a_stricter_threshold_reaches_no_more(blocks):
    reached = [np.isfinite(space_edge(*blocks, samples=8, threshold=most).lows[:, 0]) for most in (0.05, 0.12, 0.3)]
    assert not (reached[0] & ~reached[1]).any()
    assert not (reached[1] & ~reached[2]).any()
    assert reached[2].any()


def test_a_change_stays_in_the_box_and_joins_where_motions_are_alike(blocks):
    edge = space_edge(*blocks, samples=8, threshold=0.3)
    point = edge.points[np.flatnonzero(np.isfinite(edge.lows[:, 0]))[0]]
    box = edge.box(tuple(point.tolist()))
    change = change_space(edge, tuple(point.tolist()), (99.0, 99.0))
    if box is None:
        assert change is None
        return
    assert (np.array(change.given) <= box[1] + 1e-9).all()
    steps = np.linalg.norm(np.diff(change.clip.positions, axis=0), axis=-1).max(axis=1)
    first, last = change.blended
    assert steps[first - 1 : last + 1].max() < 1.5 * max(steps[: first - 1].max(), steps[last + 1 :].max())


def test_where_no_capture_shows_a_change_a_computed_one_is_played(blocks):
    walks, runs = blocks
    arc = computed_transition(walks, runs, threshold=0.3, samples=8)
    hybrid = HybridBuilder({"walking": walks, "running": runs}).with_transition(arc, "walking", "running").finished()
    player = Player(hybrid)
    player.mode = "armed"
    player.trigger("computed", anywhere=True)
    for _ in range(360):
        player.step(1 / 60)
    assert (player.block, player.state) == ("running", "network")


def test_blocks_that_are_too_unlike_are_refused(blocks):
    with pytest.raises(MotionError, match="within 1 cm"):
        computed_transition(*blocks, threshold=0.01, samples=4)
