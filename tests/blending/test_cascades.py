"""Cascades: nodes that are blends themselves, stored, played, their inner points moved."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.cascade import Cascade, in_step_at
from mocapella.blending.network import Network
from mocapella.errors import FormatError, MotionError, NetworkError
from mocapella.files.moca import read_moca, write_moca
from mocapella.measure.footskate import footing
from mocapella.playback.record import record_with_contacts
from mocapella.playback.state import Snapshot
from mocapella.steering.point_script import Script
from mocapella.storage.stored_networks import load_with_origins
from mocapella.storage.values import load_network, save
from tests.blending.samples import network

CORNERS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))


@functools.cache
def made() -> Cascade:
    """Three walks of which the slow one is sad, normal or happy."""
    clips = [perform("walk", speed=0.9, style=mood, imperfections=CLEAN)[0] for mood in ("normal", "sad", "happy")]
    clips += [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0] for v, w in ((1.5, 0.0), (1.2, 0.6))]
    motions = [mo.analyse(cycle, 10) for cycle in mo.synchronise([mo.prepare(clip) for clip in clips])]
    moods = [
        mo.Node(name, at, one) for name, at, one in zip(("normal", "sad", "happy"), CORNERS, motions[:3], strict=True)
    ]
    outer = [mo.Node(n, at, one) for n, at, one in zip(("slow", "fast", "left"), CORNERS, motions[::2], strict=True)]
    return Cascade(mo.Network(outer), {"slow": mo.Network(moods)}, {"slow": (0, 0)})


@pytest.fixture
def stored(tmp_path):
    save(made().moved("slow", (0.2, 0.5)), tmp_path / "cascade.moca")
    return tmp_path / "cascade.moca"


def test_all_points_together_are_the_outer_point_with_the_inner_ones_moved():
    cascade = made()
    assert cascade.axes == ("x", "y", "slow.x", "slow.y")
    moved = cascade.moved("slow", (0.3, 0.4)).network.blend((0.2, 0.1))
    together = cascade.blend((0.2, 0.1, 0.3, 0.4))
    assert together.coefficients.tobytes() == moved.coefficients.tobytes()
    assert (together.duration, together.contacts) == (moved.duration, moved.contacts)
    own = cascade.blend((0.2, 0.1))
    assert own.coefficients.tobytes() == cascade.network.blend((0.2, 0.1)).coefficients.tobytes()
    with pytest.raises(NetworkError, match=r"those of x, y, slow\.x, slow\.y; got 3"):
        cascade.blend((0.2, 0.1, 0.3))


def test_the_same_points_give_the_same_blend_whatever_was_blended_before():
    fresh = Cascade(made().outer, made().inner, {"slow": (0.9, 0.1)})
    for point in ((0.1, 0.1, 0.0, 1.0), (0.5, 0.2, 0.4, 0.2)):
        fresh.blend(point)
    assert fresh.blend((0.3, 0.3, 0.2, 0.2)).coefficients.tobytes() == (
        made().blend((0.3, 0.3, 0.2, 0.2)).coefficients.tobytes()
    )


def test_nothing_inner_is_blended_while_its_point_rests(monkeypatch):
    cascade = Cascade(network(CORNERS), {"n1": network(CORNERS), "n2": network(CORNERS)}, {"n1": (0, 0), "n2": (0, 0)})
    asked: list[Network] = []
    blend = Network.blend
    monkeypatch.setattr(Network, "blend", lambda self, *args: asked.append(self) or blend(self, *args))
    cascade.blend((0.1, 0.2, 0.3, 0.3, 0.1, 0.1))
    asked.clear()
    for x in (0.1, 0.2, 0.3):
        cascade.blend((x, 0.2, 0.3, 0.3, 0.1, 0.1))
    assert cascade.inner["n1"] not in asked
    assert len({id(one) for one in asked}) == 1  # the outer network with its blends, made once
    asked.clear()
    cascade.blend((0.1, 0.2, 0.5, 0.3, 0.1, 0.1))
    assert [one for one in asked if one in cascade.inner.values()] == [cascade.inner["n1"]]


def test_an_inner_network_that_begins_elsewhere_is_brought_into_step():
    moods = made().inner["slow"]
    late = moods.with_spectra({node.name: node.spectrum.starting_at(2.0) for node in moods.nodes})
    again = in_step_at(late, (0.0, 0.0), [moods.blend((0.0, 0.0))])
    np.testing.assert_allclose(again.blend((0.4, 0.4)).coefficients, moods.blend((0.4, 0.4)).coefficients, atol=1e-8)


def test_feet_stand_while_inner_points_move():
    script = Script.of([(0.0, 0.1, 0.1, 0.0, 0.0), (1.0, 0.1, 0.1, 1.0, 0.0), (2.0, 0.4, 0.2, 0.0, 1.0)])
    clip, contacts = record_with_contacts(
        mo.Player(made(), (0.1, 0.1, 0.0, 0.0)), seconds=2.0, frame_rate=20, script=script
    )
    feet = footing(clip, contacts)
    assert len(feet.slips) > 2
    assert feet.slip_mm_max < 1.0
    assert feet.penetration_mm_max < 5.0


def test_a_snapshot_of_moving_points_goes_on_bit_for_bit(stored):
    player = mo.Player(made(), (0.1, 0.1, 0.0, 0.0))
    player.point = (0.4, 0.1, 0.8, 0.1)
    for _ in range(3):
        player.step(1 / 15)
    again = mo.Player.resumed(load_network(stored), Snapshot.from_json(player.snapshot().to_json()))
    for _ in range(6):
        one, two = player.step(1 / 15), again.step(1 / 15)
        assert np.array_equal(one.rotations_wxyz, two.rotations_wxyz)
        assert np.array_equal(one.root_position, two.root_position)


def test_a_cascade_comes_back_bit_for_bit(stored, tmp_path):
    again = load_network(stored)
    assert isinstance(again, Cascade)
    assert dict(again.at) == {"slow": (0.2, 0.5)}
    for point in ((0.2, 0.3), (0.2, 0.3, 0.5, 0.1)):
        whole = made().moved("slow", (0.2, 0.5))
        assert again.blend(point).coefficients.tobytes() == whole.blend(point).coefficients.tobytes()
    save(again, tmp_path / "again.moca")
    assert (tmp_path / "again.moca").read_bytes() == stored.read_bytes()
    with pytest.raises(FormatError, match="expected a stored network, found a 'cascade'"):
        load_with_origins(stored)
    with pytest.raises(MotionError, match=r"stored as \.moca"):
        save(again, tmp_path / "a.json")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"inner": 3}, "describes no cascade"),
        ({"inner": [{}]}, "describes no cascade"),
        (lambda header: header["inner"][0].update(node="nobody"), "no node 'nobody'"),
        (lambda header: header["inner"][0].update(at=[0.0]), "blending point of 2 finite numbers"),
        (lambda header: header["inner"][0].update(at=[1e300, 0.0]), "blending point of 2 finite numbers"),
        (lambda header: header.update(inner=header["inner"] * 2), "two inner networks are for the same node"),
        (lambda header: header.update(inner=header["inner"] * 101), "lists 101 inner networks"),
        (lambda header: header["outer"].update(nodes=[]), "lists 0 nodes"),
        (lambda header: header["inner"][0]["network"].update(rule="magic"), "rule 'magic'"),
    ],
)
def test_a_file_that_makes_no_cascade_is_refused(stored, tmp_path, change, reason):
    contents = read_moca(stored, "cascade")
    header = {key: value for key, value in json.loads(contents.header).items() if key not in ("format", "version")}
    if callable(change):
        change(header)
    else:
        header.update(change)
    write_moca(tmp_path / "odd.moca", "cascade", 1, header, contents.arrays)
    with pytest.raises(FormatError, match=reason):
        load_network(tmp_path / "odd.moca")
    fewer = {name: array for name, array in contents.arrays.items() if name != "inner.0.node.1"}
    write_moca(tmp_path / "odd.moca", "cascade", 1, json.loads(contents.header), fewer)
    with pytest.raises(FormatError, match="lacks the array"):
        load_network(tmp_path / "odd.moca")
