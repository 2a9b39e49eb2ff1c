"""The native core plays as NumPy does: the same poses, states and answers to 1e-9, whatever is played."""

from __future__ import annotations

import copy
import ctypes
import os

import numpy as np
import pytest

from mocapella.actor import capture
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.blending.volume import layered
from mocapella.errors import MotionError
from mocapella.playback.native import player_core
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.playback.state import Snapshot
from mocapella.storage.values import load
from tests.playback.native.abi import run as run_abi

AGREE = 1e-9


@pytest.fixture(autouse=True)
def core():
    """The tests need the core; in CI it has to be there."""
    if player_core.player_core() is None:
        reason = "no native core: pip install ./native"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


class Pair:
    """One character on both engines, compared at every step."""

    def __init__(self, network, point=(0.0, 0.0), **options):
        self.numpy = Player(network, point, engine="numpy", **options)
        self.native = Player(network, point, engine="native", **options)
        self.stepped = self.in_core = 0

    def send(self, point):
        self.numpy.point = self.native.point = point

    def step(self, dt):
        own, other = self.native.step(dt), self.numpy.step(dt)
        np.testing.assert_allclose(own.root_position, other.root_position, atol=AGREE)
        np.testing.assert_allclose(own.rotations_wxyz, other.rotations_wxyz, atol=AGREE)
        assert self.native.planted == self.numpy.planted
        self.stepped += 1
        self.in_core += self.native._live is not None

    def compare(self):
        """What is asked of players, besides poses."""
        native, numpy = self.native, self.numpy
        for name in ("point", "goal", "phase", "heading", "position", "centre", "course", "speed", "time"):
            np.testing.assert_allclose(getattr(native, name), getattr(numpy, name), atol=AGREE, err_msg=name)
        own, other = native.spectrum, numpy.spectrum
        np.testing.assert_allclose(own.coefficients, other.coefficients, atol=AGREE)
        assert own.duration == pytest.approx(other.duration, abs=AGREE)
        assert own.name == other.name
        for foot in ("left_heel", "right_toe"):
            np.testing.assert_allclose(own.contacts.point(foot), other.contacts.point(foot), atol=AGREE)
        assert native.skeleton is numpy.skeleton
        close(native.states, numpy.states)
        close(native.snapshot().state, numpy.snapshot().state)

    def wander(self, seconds=3.0, reach=1.0, seed=0, every=45, dt=1 / 60):
        """Steered to random places, some outside."""
        rng = np.random.default_rng(seed)
        points = getattr(self.numpy.network, "points", np.array([[0.0, 0.0], [1.0, 1.0]]))
        middle, half = 0.5 * (points.min(axis=0) + points.max(axis=0)), 0.5 * np.ptp(points, axis=0)
        for i in range(round(seconds / dt)):
            if i % every == 0:
                self.send(middle + reach * half * rng.uniform(-1.0, 1.0, len(middle)))
            self.step(dt)
        self.compare()
        return self


def close(own, other):
    """Two states are the same record of the same numbers."""
    if isinstance(other, float | complex):
        assert own == pytest.approx(other, abs=1e-8)
    elif isinstance(other, tuple):
        assert len(own) == len(other)
        for a, b in zip(own, other, strict=True):
            close(a, b)
    elif hasattr(other, "__struct_fields__"):
        assert type(own) is type(other)
        for name in other.__struct_fields__:
            close(getattr(own, name), getattr(other, name))
    else:
        assert own == other


@pytest.fixture(scope="module")
def idle():
    return analyse(prepare(capture("stand")[0]), harmonics=10)


@pytest.mark.parametrize("feet", ["held", "anchored", "velocity"])
def test_a_steered_character_is_the_same_on_both_engines(network, feet):
    pair = Pair(network, (0.0, 1.2), feet=feet).wander(reach=1.2)
    assert pair.in_core == pair.stepped


def test_a_point_at_rest_plays_on_the_same(network):
    pair = Pair(network, (0.1, 1.1), phase=2.0, position=(3.0, -1.0), heading=1.0)
    for dt in [0.0, *[1 / 60] * 90, 0.3, 1.7, 0.0, 1 / 240]:
        pair.step(dt)
    pair.compare()


def test_single_motions_and_chains_of_them_play_the_same(walk, turning, run):
    Pair(walk).wander(1.0)
    Pair(Network([Node("walk", (0.0, 1.0), walk)])).wander(1.0)
    chain = Network([Node("walk", (0.0, 1.0), walk), Node("turn", (1.0, 2.0), turning)])
    pair = Pair(chain, (0.2, 1.2)).wander(2.0, reach=1.5)
    assert pair.in_core == pair.stepped
    Pair(run).wander(1.0)


def test_a_network_that_extrapolates_plays_the_same(cycles):
    nodes = [Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=10)) for c in cycles]
    pair = Pair(Network(nodes, outside="extrapolate"), (0.0, 1.2)).wander(2.0, reach=1.15)
    assert pair.in_core == pair.stepped


def test_phasors_and_many_harmonics_play_the_same(cycles):
    nodes = [Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=24)) for c in cycles]
    pair = Pair(Network(nodes, rule="phasor"), (0.0, 1.2)).wander(3.0)
    assert pair.in_core == pair.stepped


def test_between_the_points_of_a_star_the_same_side_is_kept(cycles):
    spectra = [analyse(c, harmonics=6) for c in cycles]
    places = [(0.0, 0.0), (1.0, 0.1), (0.1, 1.0), (0.0, 3.0)]
    nodes = [Node(str(i), at, one) for i, (at, one) in enumerate(zip(places, spectra, strict=True))]
    star = Network(nodes, [("0", "1", "2"), ("0", "2", "3")])
    assert not star.mesh.convex
    Pair(star, (0.9, 0.1), ease=0.1).wander(3.0, reach=1.0, seed=2, every=25)


def test_nodes_with_their_own_time_play_the_same(walk, turning, idle):
    nodes = [Node("walk", (0.0, 1.0), walk), Node("turn", (1.0, 1.0), turning), Node("idle", (0.0, 0.0), idle, False)]
    for feet in ("held", "anchored", "velocity"):
        pair = Pair(Network(nodes), (0.0, 0.5), feet=feet).wander(1.5, seed=3, every=30)
        pair.send((0.0, 0.0))  # nothing but the idle
        for _ in range(40):
            pair.step(1 / 60)
        assert pair.in_core == pair.stepped
        pair.compare()


def test_fewer_harmonics_and_other_settings_are_taken_over_in_midst(network):
    pair = Pair(network, (0.0, 1.2), harmonics=7)
    for number, change in enumerate(
        [("harmonics", 3), ("ease", 0.05), ("pace", 0.4), ("harmonics", None), ("join", 0.5)]
    ):
        for player in (pair.native, pair.numpy):
            setattr(player, *change)
        pair.wander(1.2, seed=number)
    assert pair.in_core == pair.stepped


def test_nodes_moved_while_it_plays_fade_the_same(network):
    pair = Pair(network, (0.0, 1.1)).wander(1.0)
    name, (x, y) = network.names[3], network.nodes[3].at
    for player in (pair.native, pair.numpy):
        player.network = network.moved({name: (x + 0.25, y + 0.2)})
    before = pair.in_core
    pair.wander(2.0, seed=4)
    assert pair.in_core - before >= 119  # all but the first, which knows what was drawn last


def test_a_network_in_space_plays_the_same(cycles):
    nodes = [Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=6)) for c in cycles]
    plane = Network(nodes)
    space = layered([plane, plane.starting_at(0.02)], (0.0, 1.0), names=("one", "other"))
    pair = Pair(space, (0.0, 1.1, 0.4)).wander(2.0, reach=0.5)
    assert pair.in_core > 0.5 * pair.stepped


def test_a_hybrid_network_is_blended_by_the_core_and_its_changes_are_the_same(hybrid):
    pair = Pair(hybrid, hybrid.network("walking", "blend").points.mean(axis=0), block="walking", mode="blend")
    for _ in range(40):
        pair.step(1 / 60)
    assert pair.in_core == pair.stepped
    for player in (pair.native, pair.numpy):
        player.mode = "change"
        player.trigger("walk-stand")
    for _ in range(110):
        pair.step(1 / 30)
    pair.compare()
    assert {entry.state for entry in pair.native.states} == {"network", "waiting", "change"}


def test_captured_walks_and_runs_play_the_same(data_folder):
    names = ("15", "17", "19", "21", "35", "37")
    clips = [load(data_folder / "cmu-bvh" / "16" / f"16_{name}.bvh") for name in names]
    cycles = synchronise([prepare(clip) for clip in clips])
    nodes = [Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=10)) for c in cycles]
    pair = Pair(Network(nodes), tuple(np.mean([node.at for node in nodes], axis=0))).wander(5.0, reach=0.8, seed=6)
    assert pair.in_core > 0.95 * pair.stepped


def test_a_snapshot_of_one_engine_goes_on_in_the_other(network):
    pair = Pair(network, (0.0, 1.2)).wander(1.5)
    stored = pair.native.snapshot().to_json()
    same = Player.resumed(network, Snapshot.from_json(stored), engine="native")
    other = Player.resumed(network, Snapshot.from_json(stored), engine="numpy")
    for _ in range(30):
        pose = pair.native.step(1 / 60)
        assert same.step(1 / 60).rotations_wxyz.tobytes() == pose.rotations_wxyz.tobytes()
        np.testing.assert_allclose(other.step(1 / 60).rotations_wxyz, pose.rotations_wxyz, atol=AGREE)
    assert same.snapshot() == pair.native.snapshot()


def test_a_copy_goes_its_own_way(network):
    player = Player(network, (0.0, 1.2), engine="native")
    player.step(0.2)
    for other in (copy.copy(player), copy.deepcopy(player)):
        before = player.position
        other.point = (0.3, 1.0)
        other.step(0.5)
        assert player.position == before
        assert other.position != before


def test_every_build_of_the_core_gives_the_same_bits(network, monkeypatch):
    seen = set()
    native = pytest.importorskip("mocapella_native")
    for shown, path in native.builds():
        core = player_core.prepared(ctypes.CDLL(str(path)))
        if core is None and shown == native.FEW:
            continue
        assert core is not None
        monkeypatch.setattr(player_core, "player_core", lambda core=core: core)
        player = Player(network, (0.0, 1.2), engine="native")
        player.point = (0.4, 1.0)
        seen.add(record(player, seconds=2.0, frame_rate=60).rotations_wxyz.tobytes())
    assert len(seen) == 1


def test_what_the_core_does_not_play_is_played_by_numpy_or_refused_by_name(network, walk, monkeypatch):
    other = network.with_single_source(SingleSource(first=6))
    assert Player(other, (0.0, 1.2)).engine == "numpy"
    assert Player(network, (0.0, 1.2)).engine == (os.environ.get("MOCAPELLA_ENGINE") or "native")
    with pytest.raises(MotionError, match="plays networks of quaternions"):
        Player(other, (0.0, 1.2), engine="native")
    monkeypatch.setenv("MOCAPELLA_ENGINE", "fortran")
    with pytest.raises(MotionError, match="expected an engine, one of native, numpy, got 'fortran'"):
        Player(walk)
    monkeypatch.setenv("MOCAPELLA_ENGINE", "numpy")
    assert Player(network, (0.0, 1.2)).engine == "numpy"
    monkeypatch.setattr(player_core, "player_core", lambda: None)
    with pytest.raises(MotionError, match=r"pip install 'mocapella\[fast\]', or engine='numpy'"):
        Player(network, (0.0, 1.2), engine="native")
    monkeypatch.delenv("MOCAPELLA_ENGINE")
    assert Player(network, (0.0, 1.2)).engine == "numpy"


def test_wrong_sizes_and_random_numbers_are_refused_or_played_and_nothing_else_is_touched(network):
    counts = run_abi(400, network)
    assert min(counts.values()) > 20
