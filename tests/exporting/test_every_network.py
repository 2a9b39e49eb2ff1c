"""Any network is played alike by players, both engines of crowds and the C library, or refused when it is made."""

from __future__ import annotations

import ctypes
import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import perform
from mocapella.blending.rules import RULES
from mocapella.errors import NetworkError
from mocapella.exporting.mocar import mocar_bytes
from tests.crowd.samples import with_fingers
from tests.exporting.library import ALL, OK

GAITS = ((0.0, 0.8), (0.0, 1.2), (0.0, 1.6), (0.5, 1.2), (-0.5, 1.2))  # turn rate, speed
NEAR = 0.05  # metres of any joint between a player and a crowd, most with one harmonic, whose feet slide far


@cache
def cycles(layout):
    clips = [perform("walk", speed=speed, turn=turn)[0] for turn, speed in GAITS] + [perform("stand")[0]]
    return mo.synchronise([mo.prepare(clip, layout=layout) for clip in clips])


@st.composite
def networks(draw):
    """A network of random nodes: where they lie, how many harmonics, which rule, interpolant and sources."""
    harmonics = draw(st.integers(1, 20))
    shape = draw(st.sampled_from(["plane", "plane", "line", "volume"]))
    n = draw(st.sampled_from([1, 2, 3, 5, 12, 60]))
    motions = [
        mo.analyse(cycle, harmonics=harmonics) for cycle in cycles(draw(st.sampled_from(["quaternion", "euler"])))
    ]
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    places = rng.uniform(-1.0, 1.0, size=(n, 3 if shape == "volume" else 2))
    if shape == "line":
        places = np.outer(np.arange(n), [0.3, 0.1])
    nodes = [
        mo.Node(
            f"node {i}", tuple(map(float, at)), motions[rng.integers(len(motions))], synchronised=rng.random() < 0.9
        )
        for i, at in enumerate(places)
    ]
    options = {"rule": RULES[draw(st.sampled_from(sorted(RULES)))]}
    if draw(st.booleans()) and harmonics > 2:
        options["single_source"] = mo.SingleSource(first=draw(st.integers(2, harmonics)))
    elif draw(st.booleans()):
        options["interpolant"] = draw(st.sampled_from(["natural", "radial", "nearest-4"]))
    return (mo.Volume if shape == "volume" else mo.Network), nodes, options


def few_harmonics(n, rule="lively"):
    motions = [mo.analyse(cycle, harmonics=n) for cycle in cycles("quaternion")[:3]]
    places = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    return (
        mo.Network,
        [mo.Node(str(i), *pair) for i, pair in enumerate(zip(places, motions, strict=True))],
        {"rule": RULES[rule]},
    )


@example(few_harmonics(1))
@example(few_harmonics(4))
@given(networks())
@settings(max_examples=12)
def test_every_network_is_played_alike_everywhere_or_refused_when_it_is_made(library, made):
    kind, nodes, options = made
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            network = kind(nodes, **options)
        except NetworkError:
            return  # no such network: three nodes span no volume, an interpolant has no single sources
        player = mo.Player(network, point=nodes[0].at)
        poses = [player.step(1 / 60).positions for _ in range(6)]
        assert np.isfinite(poses).all()
        if kind is mo.Volume:
            for refused in (lambda: mo.Crowd(network, 2), lambda: mocar_bytes(network)):
                with pytest.raises(mo.MotionError, match="plane"):
                    refused()
            return
        begun = {"points": [nodes[0].at], "phases": [0.0], "positions": [(0.0, 0.0)], "headings": [0.0]}
        try:
            crowds = [mo.Crowd(network, 1, engine=engine, **begun) for engine in ("native", "numpy")]
        except NetworkError:
            if "interpolant" not in options:  # whose weights may be negative within the network
                raise
            return
        tracks = [[(crowd.step(1 / 60), crowd.poses()[0, :, :, 3].copy())[1] for _ in range(6)] for crowd in crowds]
        np.testing.assert_allclose(tracks[0], tracks[1], atol=1e-4)
        if all(node.synchronised for node in nodes):  # others keep a time of their own, which crowds do not have
            np.testing.assert_allclose(facing_alike(tracks[0][-1]), facing_alike(poses[-1]), atol=NEAR)
        played = by_library(library, mocar_bytes(network), nodes[0].at, len(network.layout.skeleton.names))
    np.testing.assert_allclose(played, tracks[0], atol=1e-4)


def facing_alike(joints):
    """Joints as seen from the first, turned about the vertical to where their distances from the others lead."""
    seen = joints - joints[0]
    ground = seen[:, 0] + 1j * seen[:, 2]
    turn = np.angle(np.sum(ground * np.arange(len(ground))))  # any sum that turns with the body
    ground = ground * np.exp(-1j * turn)
    return np.stack([ground.real, joints[:, 1], ground.imag], axis=1)


def by_library(library, data, at, n_joints):
    """Positions of six steps of one character in the C library."""
    status, network = library.parse(data)
    assert status == OK, library.error
    try:
        status, characters = library.create(network, 1)
        assert status == OK, library.error
        assert library.begin(characters, 0, 0.0, 0.0, 0.0, 0.0, *at) == OK
        out = []
        for _ in range(6):
            assert library.step(characters, 1 / 60) == OK
            out.append(library.read("positions", characters, ALL, 3 * n_joints).reshape(n_joints, 3))
        library.core.mocapella_free(characters)
        return np.array(out)
    finally:
        library.core.mocapella_network_free(ctypes.c_void_p(network.value))


@pytest.mark.parametrize("joints", [24, 120])
def test_bodies_of_many_joints_are_played_alike(library, joints):
    network = with_fingers(joints)
    crowd = mo.Crowd(network, 1, points=[network.nodes[0].at], phases=[0.0], positions=[(0.0, 0.0)], headings=[0.0])
    tracks = [(crowd.step(1 / 60), crowd.poses()[0, :, :, 3].copy())[1] for _ in range(6)]
    played = by_library(library, mocar_bytes(network), network.nodes[0].at, joints)
    np.testing.assert_allclose(played, tracks, atol=1e-4)
