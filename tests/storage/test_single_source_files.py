"""Single-source harmonics in files: stored with a network, spelled in a spec."""

import functools
import json

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.single_source.ssh import Override, SingleSource
from mocapella.building.build import build
from mocapella.building.spec.make import build_spec
from mocapella.building.spec.network_spec import read_spec
from mocapella.errors import FormatError
from mocapella.files.moca import read_moca, write_moca
from mocapella.storage.values import load_network, save


@functools.cache
def built():
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(n) for n, v, w in WALKS]
    return build(clips, mirror=False).network


WALKS = (("slow", 0.8, 0.0), ("fast", 1.6, 0.0), ("left", 1.3, 0.6))


def made():
    amounts = np.linspace(0.0, 1.0, 12).reshape(4, 3)
    low, high = built().points.min(axis=0), built().points.max(axis=0)
    return SingleSource(
        first=5,
        last=9,
        winners=(("left", "slow"), ("slow", "fast")),
        abstaining=("fast",),
        override=Override(tuple(low), tuple(high), amounts, "clip"),
        joints=("LeftUpLeg", "LeftLeg"),
        agreement=0.25,
        structure="low last",
        rounding="thesis",
    )


@pytest.mark.parametrize("settings", [SingleSource, made], ids=["plain", "all of it"])
def test_a_stored_network_gives_the_same_motion_bit_by_bit(tmp_path, settings):
    network = built().with_single_source(settings())
    save(network, tmp_path / "a.moca")
    again = load_network(tmp_path / "a.moca")
    for point in np.random.default_rng(5).uniform((-40, 0.7), (40, 1.7), (40, 2)):
        np.testing.assert_array_equal(again.stack(point), network.stack(point))
        np.testing.assert_array_equal(again.blend(point).coefficients, network.blend(point).coefficients)


def test_networks_without_any_are_written_as_before(tmp_path):
    save(built(), tmp_path / "plain.moca")
    save(built().with_single_source(SingleSource()), tmp_path / "single.moca")
    assert read_moca(tmp_path / "plain.moca", "network").version == 1
    assert read_moca(tmp_path / "single.moca", "network").version == 2  # a program that knows of none must not play it


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"first": 40}, "more than the 10 harmonics"),
        ({"winners": [["slow", "nobody"]]}, "no node 'nobody'"),
        ({"structure": "ladder"}, "describes no network"),
        ({"override": {"low": [0.0, 0.0], "high": [1.0, 1.0], "instead": "clip"}}, "holds no array 'override'"),
    ],
)
def test_a_damaged_header_is_refused(tmp_path, change, words):
    save(built().with_single_source(SingleSource()), tmp_path / "a.moca")
    contents = read_moca(tmp_path / "a.moca", "network")
    header = {k: v for k, v in json.loads(contents.header).items() if k not in ("format", "version")}
    header["single_source"].update(change)
    write_moca(tmp_path / "b.moca", "network", 2, header, contents.arrays)
    with pytest.raises(FormatError, match=words):
        load_network(tmp_path / "b.moca")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("walks")
    for name, speed, turn in WALKS:
        mo.save(perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0], place / f"{name}.bvh")
    return place


NODES = "".join(f'[[nodes]]\nname = "{name}"\nfile = "{name}.bvh"\n' for name, _, _ in WALKS)


@pytest.mark.parametrize("first", [True, False])
def test_a_spec_spells_them_in_a_table_wherever_it_stands(folder, first):
    table = '[single_source]\nfirst = 4\nwinners = [["fast", "slow"]]\nabstaining = ["left"]\n'
    (folder / "spec.toml").write_text(table + NODES if first else NODES + table)
    found = build_spec(folder / "spec.toml").network.single_source
    assert (found.first, found.abstaining) == (4, ("left",))
    assert ("fast", "slow") in found.winners


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        ("frist = 4", 11, "did you mean 'first'"),
        ('first = "low"', 11, "first: Expected int"),
        ('structure = "ladder"', 11, "structure: there is no 'ladder'; "),
        ('winners = [["fast", "slwo"]]', 11, "did you mean 'slow'"),
        ('abstaining = ["nobody"]', 11, "no node 'nobody'"),
    ],
)
def test_a_table_at_fault_is_reported_with_its_line(folder, line, number, words):
    (folder / "bad.toml").write_text(f"{NODES}[single_source]\n{line}\n")
    with pytest.raises(FormatError, match=words) as caught:
        read_spec(folder / "bad.toml")
    assert f"bad.toml:{number}:" in str(caught.value)
