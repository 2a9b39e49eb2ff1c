"""Networks by stride and speed: both can be chosen apart, and what has no place in them is said."""

import functools
import math

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.building.build import build
from mocapella.building.layout.placement import STRIDE_AND_SPEED, TURN_AND_SPEED, stride_and_speed
from mocapella.errors import MotionWarning, NetworkError
from mocapella.motion.layout import AHEAD, LEFT
from mocapella.pictures.canvas import axis_titles
from mocapella.steering.calibration import Calibration
from mocapella.steering.follow import follow


@functools.cache
def walk(speed, style="normal", turn=0.0):
    made, _ = perform("walk", speed=speed, style=style, turn=turn, imperfections=CLEAN)
    return made.renamed(f"{style} {speed:g} {turn:g}")


@functools.cache
def strides():
    """Short and long strides, each slow and fast."""
    return build(
        [walk(speed, style) for speed in (0.9, 1.5) for style in ("marching", "tired")], axes=STRIDE_AND_SPEED
    ).network


def test_a_stride_is_how_far_a_cycle_goes():
    for node in strides().nodes:
        at_phases = node.spectrum.at(2.0 * np.pi * np.arange(64) / 64)
        way = math.hypot(*(node.spectrum.duration * at_phases[:, i].mean() for i in (AHEAD, LEFT)))
        np.testing.assert_allclose(stride_and_speed(node.spectrum)[0], way, rtol=1e-6)


def test_straight_walks_lie_at_stride_and_speed():
    network = strides()
    assert len(network.nodes) == 4
    assert len(network.triangles) == 2
    for node in network.nodes:
        assert node.at == stride_and_speed(node.spectrum)


def test_a_point_is_walked_with_its_stride_at_its_speed():
    network = strides()
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    middle = network.points.mean(axis=0)
    assert (low < middle).all()
    assert (middle < high).all()
    blend = network.blend(middle.tolist())
    np.testing.assert_allclose(blend.speed, middle[1], rtol=1e-3)
    # Speed and duration are blended evenly, so their product lies a little above a straight line.
    np.testing.assert_allclose(stride_and_speed(blend)[0], middle[0], rtol=0.06)


def test_at_one_speed_takes_with_unlike_strides_are_all_kept():
    clips = [walk(1.2, style) for style in ("marching", "normal", "tired")]
    assert len(build(clips, axes=STRIDE_AND_SPEED).network.nodes) == 3
    with pytest.warns(MotionWarning, match="left out"):
        assert len(build(clips).network.nodes) == 1


def test_who_goes_straight_everywhere_answers_to_speed_with_the_usual_stride():
    found = Calibration(strides())
    assert found.along_line
    asked = np.linspace(*found.speeds, 9)
    answers = [found.request(0.0, float(speed)) for speed in asked]
    np.testing.assert_allclose([answer.speed for answer in answers], asked, atol=0.01)
    low, high = strides().points[:, 0].min(), strides().points[:, 0].max()
    widths = [answer.point[0] for answer in answers]
    assert low + 0.02 < min(widths)
    assert max(widths) < high - 0.02


def test_a_path_is_gone_at_its_speeds_though_nothing_turns():
    with pytest.warns(MotionWarning, match="goes straight everywhere"):
        done = follow(strides(), [(0.0, 0.0, 1.0), (0.0, 8.0, 1.4)])
    assert done.walked > 7.5
    np.testing.assert_allclose(done.speeds[60:-60].mean(), done.wanted[60:-60].mean(), rtol=0.05)


def test_turns_are_named_where_a_place_does_not_tell_them():
    clips = [walk(0.9), walk(1.5), walk(1.2, turn=0.6)]
    with pytest.warns(MotionWarning, match="turn by chance: normal 1.2 0.6"):
        network = build(clips, axes=STRIDE_AND_SPEED).network
    assert len(network.nodes) == 3  # nothing is mirrored: the mirror image would lie on the same place


def test_turns_are_not_substituted_where_they_have_no_place():
    with pytest.raises(NetworkError, match="no place for turns"):
        build([walk(0.9), walk(1.5)], axes=STRIDE_AND_SPEED, substitute=True)


def test_pictures_say_what_the_axes_are():
    assert axis_titles(strides().nodes) == (*STRIDE_AND_SPEED.titles, False)
    turning = mo.build_network([walk(0.9), walk(1.5), walk(1.2, turn=0.6)])
    assert axis_titles(turning.nodes) == (*TURN_AND_SPEED.titles, True)
    line = mo.build_network([walk(0.9), walk(1.5)])
    assert axis_titles(line.nodes).y == "speed, m/s"
    moved = [mo.Node(node.name, (node.at[1], -node.at[0]), node.spectrum) for node in turning.nodes]
    assert axis_titles(moved) == ("", "", False)
