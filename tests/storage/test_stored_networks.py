"""Networks on disk: the same motion at every point, or refused with a reason."""

import contextlib
import functools
import json
import struct

import numpy as np
import pytest
import safetensors.numpy

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.interpolants import natural_neighbours, nearest_neighbours, radial_basis
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import RULES, between_blend
from mocapella.building.build import build
from mocapella.errors import FormatError, MotionError, NetworkError
from mocapella.files import moca
from mocapella.files.moca import read_moca, write_moca
from mocapella.motion.spectrum import Spectrum
from mocapella.storage import stored_networks
from mocapella.storage.stored_networks import Origin, load_with_origins, network_record
from mocapella.storage.values import load_network, save

WALKS = ((0.8, 0.0), (1.6, 0.0), (1.3, 0.6))


@functools.cache
def built(layout="quaternion"):
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(f"walk {v:g} {w:g}") for v, w in WALKS]
    return build(clips, layout=layout)


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "walks.moca"
    save(built().network, path, origins=built().origins)
    return path


def same_everywhere(one, two, count=100):
    for point in np.random.default_rng(5).uniform((-60, 0.5), (60, 2.0), (count, 2)):
        a, b = one.blend(point), two.blend(point)
        assert a.coefficients.tobytes() == b.coefficients.tobytes()
        assert (a.duration, a.contacts) == (b.duration, b.contacts)


@pytest.mark.parametrize("layout", ["quaternion", "euler"])
def test_a_hundred_points_blend_the_same_bit_by_bit_after_loading(tmp_path, layout):
    network = built(layout).network
    save(network, tmp_path / "a.moca")
    again = load_network(tmp_path / "a.moca")
    assert (again.names, again.triangles) == (network.names, network.triangles)
    np.testing.assert_array_equal(again.points, network.points)
    same_everywhere(network, again)


@pytest.mark.parametrize("rule", list(RULES))
def test_every_rule_with_a_name_is_kept(tmp_path, rule):
    network = Network(built().network.nodes, rule=RULES[rule], harmonics=6, outside="extrapolate")
    save(network, tmp_path / "a.moca")
    again = load_network(tmp_path / "a.moca")
    assert (again.rule, again.harmonics, again.outside) == (RULES[rule], 6, "extrapolate")
    same_everywhere(network, again, 10)


@pytest.mark.parametrize("count", [1, 2])
def test_a_point_and_a_segment_are_stored_too(tmp_path, count):
    network = Network(built().network.nodes[:count])
    save(network, tmp_path / "a.moca")
    same_everywhere(network, load_network(tmp_path / "a.moca"), 10)


def test_nodes_with_different_numbers_of_harmonics_keep_them(tmp_path):
    first, *rest = built().network.nodes
    network = Network([Node(first.name, first.at, first.spectrum.truncated(4), synchronised=False), *rest])
    save(network, tmp_path / "a.moca")
    again = load_network(tmp_path / "a.moca")
    assert [node.spectrum.n_harmonics for node in again.nodes] == [4, 10, 10, 10]
    assert [node.synchronised for node in again.nodes] == [False, True, True, True]


def test_saving_what_was_loaded_writes_the_same_file(stored, tmp_path):
    network, origins = load_with_origins(stored)
    save(network, tmp_path / "again.moca", origins=origins)
    assert (tmp_path / "again.moca").read_bytes() == stored.read_bytes()


def test_origins_come_back(stored):
    assert load_with_origins(stored)[1] == dict(built().origins)


def test_the_header_is_json_under_our_key_with_format_and_version(stored):
    with safetensors.safe_open(stored, "numpy") as file:
        header = json.loads(file.metadata()["mocapella"])
    assert (header["format"], header["version"]) == ("network", 1)
    assert [node["name"] for node in header["nodes"]] == list(built().network.names)


def test_a_rule_without_a_name_is_not_stored(tmp_path):
    with pytest.raises(NetworkError, match="made by hand"):
        save(Network(built().network.nodes, rule=between_blend(0.5)), tmp_path / "a.moca")
    with pytest.raises(NetworkError, match="interpolant made by hand"):
        save(Network(built().network.nodes, interpolant=lambda points: radial_basis(points)), tmp_path / "a.moca")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("interpolant", [natural_neighbours, nearest_neighbours(3), radial_basis])
def test_interpolants_with_a_name_are_kept_in_a_file_older_programs_refuse(tmp_path, interpolant):
    network = Network(built().network.nodes, interpolant=interpolant)
    save(network, tmp_path / "a.moca")
    found = load_network(tmp_path / "a.moca")
    assert found.interpolant == interpolant
    same_everywhere(network, found, 20)
    assert read_moca(tmp_path / "a.moca", "network").version == 4


def test_what_is_too_large_to_be_read_is_not_written(tmp_path, monkeypatch):
    network, path = built().network, tmp_path / "a.moca"
    for home, limit, value, reason in (
        (stored_networks, "MOST_NODES", 3, "4 nodes is not stored; at most 3"),
        (moca, "MOST_ARRAYS", 7, "at most 7"),
        (moca, "LARGEST", moca.LARGEST_HEADER + 1000, "a .moca holds at most"),
        (moca, "LARGEST_HEADER", 1000, "a header of"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(home, limit, value)
            with pytest.raises(MotionError, match=reason):
                save(network, path)
    assert list(tmp_path.iterdir()) == []


def test_as_many_arrays_are_read_as_the_largest_network_has():
    record, arrays = network_record(built().network)
    assert len(arrays) - len(record.nodes) + stored_networks.MOST_NODES <= moca.MOST_ARRAYS


def test_motions_that_make_no_pose_are_not_stored(tmp_path):
    network = Network([Node("a", (0.0, 0.0), Spectrum(np.ones((2, 1), dtype=complex), 1.0))])
    with pytest.raises(NetworkError, match="no layout"):
        save(network, tmp_path / "a.moca")


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(MotionError, match=r"stored as \.moca"):
        save(built().network, tmp_path / "net.json", origins={"x": Origin("y")})


def test_a_cycle_is_no_network(tmp_path):
    mo.save(mo.prepare(perform("walk", imperfections=CLEAN)[0]), tmp_path / "a.moca")
    with pytest.raises(FormatError, match="expected a stored network, cascade or hybrid, found a 'cycle'"):
        load_network(tmp_path / "a.moca")


def test_a_file_from_the_future_asks_for_an_update(stored, tmp_path):
    contents = read_moca(stored, "network")
    header = {k: v for k, v in json.loads(contents.header).items() if k not in ("format", "version")}
    write_moca(tmp_path / "new.moca", "network", stored_networks.NETWORK.version + 1, header, contents.arrays)
    with pytest.raises(FormatError, match=rf"new\.moca: was written as version {stored_networks.NETWORK.version + 1}"):
        load_network(tmp_path / "new.moca")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.999])
def test_a_file_cut_short_is_refused(stored, tmp_path, share):
    raw = stored.read_bytes()
    cut = tmp_path / "cut.moca"
    cut.write_bytes(raw[: int(share * len(raw))])
    with pytest.raises(FormatError):
        load_network(cut)


def rewritten(stored, path, change=lambda header: None, arrays=lambda arrays: None):
    """The stored file with its header and arrays changed."""
    contents = read_moca(stored, "network")
    header, own = json.loads(contents.header), dict(contents.arrays)
    header.pop("format")
    header.pop("version")
    change(header)
    arrays(own)
    write_moca(path, "network", 1, header, own)


def _set(*keys, value):
    def change(header):
        *path, last = keys
        for key in path:
            header = header[key]
        header[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_set("nodes", value=[]), "lists 0 nodes"),
        (_set("nodes", 0, "name", value=7), "describes no network"),
        (_set("nodes", 0, "at", value=[0.0]), "expected 2 numbers"),
        (_set("nodes", 0, "at", value=[0.0, 1e300]), r"finite numbers up to 1e\+09"),
        (_set("nodes", 0, "duration", value=-1.0), "lasts -1 s"),
        (_set("nodes", 0, "duration", value=1e-300), "lasts 1e-300 s; expected 1e-06 to"),
        (_set("nodes", 0, "duration", value=1e308), r"lasts 1e\+308 s; expected 1e-06 to 1e\+06 s"),
        (_set("nodes", 0, "contacts", value={"left_toe": [[0.0, 99.0]]}), "a plant lasts"),
        (_set("nodes", 1, "name", value="walk 0.8 0"), "two nodes are called"),
        (_set("rule", value="magic"), "rule 'magic' that is not known"),
        (_set("interpolant", value="nearest-0"), "no interpolant 'nearest-0'; did you mean 'nearest-4'"),
        (_set("interpolant", value="bilinear"), "need a full grid"),
        (_set("layout", value="octonion"), "no dof layout"),
        (_set("harmonics", value=-3), "harmonics from 0 on"),
        (_set("outside", value="explode"), "describes no network"),
        (_set("skeleton", "names", value=["a"]), "shape"),
    ],
)
def test_a_header_that_makes_no_network_is_refused(stored, tmp_path, change, reason):
    rewritten(stored, tmp_path / "odd.moca", change)
    with pytest.raises(FormatError, match=reason):
        load_network(tmp_path / "odd.moca")


@pytest.mark.parametrize(
    ("name", "array", "reason"),
    [
        ("node.0", None, "lacks the array"),
        ("node.0", np.zeros((11, 3, 2)), "of shape"),
        ("node.0", np.zeros((0, 96, 2)), "of shape"),
        ("node.0", np.zeros((11, 96, 2), dtype=np.float32), "expected node.0 as float64"),
        ("node.0", np.full((11, 96, 2), np.nan), "finite"),
        ("node.0", np.full((11, 96, 2), 1e200), r"beyond 1e\+12 in node.0"),
        ("node.0", np.zeros((11, 96, 2)), "no rotation for joint"),
        ("skeleton.axes_wxyz", np.full((23, 4), np.nan), "axes of length 1"),
        ("skeleton.axes_wxyz", np.zeros((23, 4)), "axes of length 1"),
        ("skeleton.limits", np.full((23, 3, 2), np.nan), "limits"),
        ("skeleton.offsets", np.full((23, 3), 1e-300), "smaller than 1e-09 m"),
        ("triangles", np.zeros((1, 3)), "expected triangles as int64"),
        ("triangles", np.array([[0, 1, 99]]), "numbered from 0 to 3"),
        ("triangles", np.array([[0, 1, -1]]), "numbered from 0 to 3"),
        ("triangles", np.zeros((1, 3), dtype=np.int64), "different corners"),
        ("triangles", np.zeros((0, 3), dtype=np.int64), "at least one triangle"),
        ("triangles", np.zeros((100_000, 3), dtype=np.int64), "more than 4 nodes can have"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(stored, tmp_path, name, array, reason):
    def change(arrays):
        arrays.pop(name)
        if array is not None:
            arrays[name] = array

    rewritten(stored, tmp_path / "odd.moca", arrays=change)
    with pytest.raises(FormatError, match=reason):
        load_network(tmp_path / "odd.moca")


def test_brackets_without_end_are_refused(tmp_path):
    text = json.dumps({"__metadata__": {"mocapella": "[" * 100_000}}).encode()
    (tmp_path / "deep.moca").write_bytes(struct.pack("<Q", len(text)) + text)
    with pytest.raises(FormatError, match="nested deeper"):
        load_network(tmp_path / "deep.moca")


def test_flipped_bytes_are_refused_or_harmless(stored, tmp_path):
    raw = bytearray(stored.read_bytes())
    rng = np.random.default_rng(11)
    for _ in range(60):
        broken = bytearray(raw)
        for place in rng.integers(0, min(len(raw), 6000), 3):
            broken[place] = int(rng.integers(0, 256))
        (tmp_path / "broken.moca").write_bytes(broken)
        with contextlib.suppress(FormatError):
            load_network(tmp_path / "broken.moca")
