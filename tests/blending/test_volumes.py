"""Networks in space, of real motion: laid in layers, cut without leaps, stored, played."""

from __future__ import annotations

import functools
import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.volume import Volume, in_step_with, layered
from mocapella.errors import FormatError, MotionError, NetworkError
from mocapella.files.moca import read_moca, write_moca
from mocapella.hybrid.block import Block
from mocapella.measure.footskate import footing
from mocapella.playback.record import record_with_contacts
from mocapella.playback.state import Snapshot
from mocapella.steering.point_script import Script
from mocapella.storage.values import load_network, save
from tests.blending.samples import spectrum

PLACES = ((0.0, 0.8), (0.0, 1.5), (40.0, 1.2), (-40.0, 1.2))  # turn in degrees a second, speed
MOODS = ("sad", "normal", "happy")
GRID = list(itertools.product((0.0, 1.0, 2.0), (0.0, 1.0, 2.0), (0.0, 1.0, 2.0)))


@functools.cache
def walks(style: str) -> mo.Network:
    clips = [
        perform("walk", speed=speed, turn=np.radians(turn), style=style, imperfections=CLEAN)[0]
        for turn, speed in PLACES
    ]
    cycles = mo.synchronise([mo.prepare(clip) for clip in clips])
    nodes = [mo.Node(f"{at[0]:g} {at[1]:g}", at, mo.analyse(c, 10)) for at, c in zip(PLACES, cycles, strict=True)]
    return mo.Network(nodes, [(0, 1, 2), (0, 1, 3)])


@functools.cache
def moods() -> Volume:
    return layered([in_step_with(walks(mood), walks("normal")) for mood in MOODS], (-1, 0, 1), names=MOODS)


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "moods.moca"
    save(moods(), path)
    return path


def made(places, tetrahedra=None):
    return Volume([mo.Node(f"n{i}", at, spectrum(i)) for i, at in enumerate(places)], tetrahedra)


# Cutting space


@given(st.tuples(*[st.floats(0.0, 2.0)] * 3), st.tuples(*[st.floats(-1.0, 1.0)] * 3))
@settings(max_examples=60, deadline=None)
def test_a_blend_never_leaps_in_a_grid_of_nodes(point, way):
    net = _grid()
    apart = 1e-6 * np.array(way)
    one, two = (net.blend(tuple(place)).coefficients for place in (np.array(point), np.clip(point + apart, 0.0, 2.0)))
    np.testing.assert_allclose(one, two, atol=1e-3)


@functools.cache
def _grid() -> Volume:
    return made(GRID)


def test_the_tetrahedra_of_a_grid_fill_it_and_share_their_faces():
    shapes = _grid().points[_grid().corners]
    volumes = np.abs(np.linalg.det(shapes[:, 1:] - shapes[:, :1])) / 6.0
    np.testing.assert_allclose(volumes.sum(), 8.0)
    shells = _grid().points[_grid().mesh.border]
    outside = ((shells == 0.0) | (shells == 2.0)).all(axis=1).any(axis=1)  # every open face lies in a side of the cube
    assert outside.all()


def test_tetrahedra_that_touch_without_sharing_a_face_are_refused():
    peak, foot = (0.5, 0.5, 1.0), (0.5, 0.5, -1.0)
    square = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)]
    alike = [(0, 1, 2, 4), (0, 2, 3, 4), (0, 1, 2, 5), (0, 2, 3, 5)]
    assert len(made([*square, peak, foot], alike).corners) == 4
    crossed = [(0, 1, 2, 4), (0, 2, 3, 4), (0, 1, 3, 5), (1, 2, 3, 5)]
    with pytest.raises(NetworkError, match="touch without sharing a face"):
        made([*square, peak, foot], crossed)


# Layers


@pytest.mark.parametrize("late", [0.7, 2.9, -1.8])
def test_layers_that_were_built_apart_are_brought_into_step(late):
    normal = walks("normal")
    begun = normal.with_spectra({node.name: node.spectrum.starting_at(late) for node in normal.nodes})
    again = in_step_with(begun, normal)
    for one, two in zip(again.nodes, normal.nodes, strict=True):
        np.testing.assert_allclose(one.spectrum.coefficients, two.spectrum.coefficients, atol=1e-9)


def test_a_node_with_its_own_time_is_not_moved_to_be_in_step():
    first, *rest = walks("normal").nodes
    nodes = [mo.Node("idle", first.at, first.spectrum, synchronised=False), *rest]
    net = mo.Network(nodes, walks("normal").corners.tolist())
    assert np.array_equal(
        in_step_with(net, walks("sad")).node("idle").spectrum.coefficients, first.spectrum.coefficients
    )
    with pytest.raises(NetworkError, match="as many nodes"):
        in_step_with(mo.Network(rest), net)


def test_a_block_of_a_hybrid_network_is_a_network_in_the_plane():
    with pytest.raises(NetworkError, match="three axes"):
        Block(moods())


# On disk


def test_a_volume_blends_the_same_bit_by_bit_after_loading(stored):
    again = load_network(stored)
    assert type(again) is Volume
    assert (again.names, again.triangles) == (moods().names, moods().triangles)
    for point in np.random.default_rng(3).uniform((-60.0, 0.5, -2.0), (60.0, 2.0, 2.0), (60, 3)):
        one, two = moods().blend(tuple(point)), again.blend(tuple(point))
        assert one.coefficients.tobytes() == two.coefficients.tobytes()
        assert (one.duration, one.contacts) == (two.duration, two.contacts)


def test_saving_a_loaded_volume_writes_the_same_file(stored, tmp_path):
    save(load_network(stored), tmp_path / "again.moca")
    assert (tmp_path / "again.moca").read_bytes() == stored.read_bytes()


def test_delaunay_in_space_and_single_source_harmonics_are_stored_too(tmp_path):
    net = Volume([mo.Node(n.name, n.at, n.spectrum) for n in moods().nodes]).with_single_source(mo.SingleSource())
    save(net, tmp_path / "a.moca")
    again = load_network(tmp_path / "a.moca")
    assert again.triangles == net.triangles
    point = (5.0, 1.1, 0.3)
    assert again.blend(point).coefficients.tobytes() == net.blend(point).coefficients.tobytes()


def test_a_program_that_knows_no_volumes_refuses_the_file(stored):
    assert read_moca(stored, "network").version == 3


@pytest.mark.parametrize(
    ("header", "arrays", "reason"),
    [
        ({"n_axes": 2}, {}, "expected 2 numbers"),
        ({"n_axes": 4}, {}, "describes no network"),
        ({"n_axes": None}, {}, "describes no network"),
        ({}, {"triangles": np.array([[0, 1, 2]])}, "4 different corners"),
        ({}, {"triangles": np.array([[0, 1, 2, 99]])}, "numbered from 0 to 11"),
        ({}, {"triangles": np.array([[0, 1, 2, 3]])}, "lie in one plane"),
        ({}, {"triangles": np.array([[0, 1, 2, 4], [0, 1, 2, 5]])}, "cross"),
        ({}, {"triangles": np.zeros((100_000, 4), dtype=np.int64)}, "100000 tetrahedra"),
        ({}, {"triangles": np.zeros((0, 4), dtype=np.int64)}, "at least one"),
    ],
)
def test_a_stored_volume_that_makes_none_is_refused(stored, tmp_path, header, arrays, reason):
    contents = read_moca(stored, "network")
    own = {key: value for key, value in json.loads(contents.header).items() if key not in ("format", "version")}
    write_moca(tmp_path / "odd.moca", "network", 3, {**own, **header}, {**contents.arrays, **arrays})
    with pytest.raises(FormatError, match=reason):
        load_network(tmp_path / "odd.moca")


# Played


@pytest.mark.parametrize("point", [(0.0, 1.1, -1.0), (20.0, 1.2, -0.5), (-30.0, 1.15, 0.4), (0.0, 1.4, 0.9)])
def test_feet_stand_between_the_moods(point):
    clip, contacts = record_with_contacts(mo.Player(moods(), point), seconds=3.0, frame_rate=60)
    feet = footing(clip, contacts)
    assert len(feet.slips) > 4
    assert feet.slip_mm_max < 1.0
    assert feet.penetration_mm_max < 5.0


def test_feet_stand_while_the_mood_changes():
    script = Script.of([(0.0, 0.0, 1.2, -1.0), (3.0, 0.0, 1.2, 1.0), (4.0, 30.0, 1.2, 1.0), (6.0, -30.0, 1.1, -1.0)])
    player = mo.Player(moods(), (0.0, 1.2, -1.0))
    clip, contacts = record_with_contacts(player, seconds=6.0, frame_rate=30, script=script)
    feet = footing(clip, contacts)
    assert feet.slip_mm_max < 1.0
    assert feet.penetration_mm_max < 5.0


def test_heads_hang_where_the_mood_is_sad():
    def ahead_of_hips(mood):
        clip = mo.record(mo.Player(moods(), (0.0, 1.2, mood)), seconds=3.0, frame_rate=20)
        seen = clip.positions - clip.positions[:, :1]
        return float(seen[:, clip.skeleton.names.index("Head"), 2].mean())

    sad, saddish, normal, happy = map(ahead_of_hips, (-1.0, -0.5, 0.0, 1.0))
    assert sad > saddish + 0.02 > normal + 0.04
    assert normal > happy + 0.02


def test_a_point_outside_goes_to_the_nearest_place_and_slides_back():
    player = mo.Player(moods(), (0.0, 1.2, 5.0))
    assert moods().place(player.point).point == pytest.approx((0.0, 1.2, 1.0))
    inside = mo.Player(moods(), (0.0, 1.2, 1.0))
    for _ in range(5):
        np.testing.assert_allclose(player.step(1 / 60).rotations_wxyz, inside.step(1 / 60).rotations_wxyz, atol=1e-9)
    with pytest.raises(MotionError, match="3 coordinates"):
        player.point = (0.0, 1.2)
    with pytest.raises(NetworkError, match="3 finite numbers"):
        mo.Player(moods())


def test_a_snapshot_in_the_middle_of_a_change_of_mood_goes_on_bit_for_bit():
    def begun():
        player = mo.Player(moods(), (0.0, 1.2, -1.0))
        player.point = (10.0, 1.3, 1.0)
        for _ in range(9):
            player.step(1 / 60)
        return player

    player, twin = begun(), begun()
    again = mo.Player.resumed(moods(), Snapshot.from_json(player.snapshot().to_json()))
    for _ in range(25):
        poses = [one.step(1 / 60) for one in (player, twin, again)]
        assert len({pose.rotations_wxyz.tobytes() for pose in poses}) == 1
        assert len({pose.root_position.tobytes() for pose in poses}) == 1
