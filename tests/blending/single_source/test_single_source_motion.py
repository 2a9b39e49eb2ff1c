"""Single-source harmonics in motion: nothing pops when the point moves, and turns keep their radius."""

import functools

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.rules import phasor_blend, streamlined_blend
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.motion import kinematics

RATE = 60  # frames a second
WALKS = ((0.8, 0.0), (1.6, 0.0), (1.2, 0.7))
ways = pytest.mark.parametrize("layout", ["quaternion", "euler"])
mixes = pytest.mark.parametrize("rule", [phasor_blend, streamlined_blend])


@functools.cache
def acted(layout):
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(f"walk {v:g} {w:g}") for v, w in WALKS]
    return mo.build_network(clips, layout=layout)


@functools.cache
def captured(folder, layout):
    return mo.build_network([folder / f"cmu-bvh/16/16_{i}.bvh" for i in (15, 17, 21, 24, 29)], layout=layout)


def mixed_by(network, rule):
    return mo.Network(network.nodes, network.triangles, rule=rule)


def swept(network, seconds):
    """The largest step of any joint in a frame, while the point goes from corner to corner and the motion plays."""
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    frames, phase, rows = round(seconds * RATE), 0.0, []
    for t in np.linspace(0.0, 1.0, frames):
        spectrum = network.blend((1.0 - t) * low + t * high)
        rows.append(spectrum.at(np.array(phase)))
        phase += 2.0 * np.pi / (RATE * spectrum.duration)
    rotations = network.layout.rotations(np.array(rows))
    places, _ = kinematics.forward(network.layout.skeleton, np.zeros((frames, 3)), rotations)
    return float(np.linalg.norm(np.diff(places, axis=0), axis=-1).max())


def widest_radius(spectrum):
    """How far the root gets from the middle of the circle it walks, as it was blended."""
    steps = 400
    phases = 2.0 * np.pi * np.arange(3 * steps) / steps
    rows, layout = spectrum.at(phases), spectrum.layout
    yaw = spectrum.integral_at(phases)[:, layout.index("yaw_rate")]
    speed = rows[:, layout.index("ahead")] - 1j * rows[:, layout.index("left")]  # seen from above: z + ix
    way = np.cumsum(speed * np.exp(1j * yaw)) * spectrum.duration / steps
    turn = np.exp(1j * spectrum.turn)
    centre = (way[steps] - turn * way[0]) / (1.0 - turn)  # what a cycle leaves where it is
    return float(np.abs(way - centre).max())


@ways
@mixes
@pytest.mark.parametrize("seconds", [1.0, 2.5])
def test_a_sweep_shows_no_pops(layout, rule, seconds):
    network = mixed_by(acted(layout), rule)
    assert swept(network.with_single_source(SingleSource()), seconds) <= 1.3 * swept(network, seconds)


@ways
@mixes
def test_turns_keep_their_radius(layout, rule):
    network = mixed_by(acted(layout), rule)
    switched = network.with_single_source(SingleSource())
    turns = [centre for centre in network.points[network.corners].mean(axis=1) if abs(centre[0]) > 10.0]
    assert turns
    for point in turns:
        np.testing.assert_allclose(widest_radius(switched.blend(point)), widest_radius(network.blend(point)), rtol=0.01)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
@ways
@mixes
def test_captured_walks_neither_pop_nor_leave_their_circles(data_folder, layout, rule):
    network = mixed_by(captured(data_folder, layout), rule)
    switched = network.with_single_source(SingleSource())
    assert swept(switched, 2.0) <= 1.3 * swept(network, 2.0)
    middles = network.points[network.corners].mean(axis=1)
    tightest = middles[np.argmax(np.abs(middles[:, 0]))]
    assert abs(tightest[0]) > 30.0  # degrees per second
    np.testing.assert_allclose(
        widest_radius(switched.blend(tightest)), widest_radius(network.blend(tightest)), rtol=0.01
    )
