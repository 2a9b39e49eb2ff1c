"""Hybrid networks on disk: the same after loading, and nothing is believed that a file says."""

import json
from dataclasses import replace

import numpy as np
import pytest
import safetensors.numpy

from mocapella.blending.network import Network
from mocapella.errors import FormatError, MotionError
from mocapella.files.moca import KEY
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.report import Finding, Report
from mocapella.storage.stored_networks import Origin, load_with_origins
from mocapella.storage.values import load_network, save
from tests.hybrid.hybrids import hybrid


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("hybrids") / "hybrid.moca"
    save(hybrid(), path, origins={"walking": {"slow walk left": Origin("slow.bvh", 12)}})
    return path


def test_everything_is_the_same_after_loading_bit_for_bit(stored):
    made, loaded = hybrid(), load_network(stored)
    assert list(loaded.blocks) == list(made.blocks)
    assert loaded.modes == made.modes
    for name, block in made.blocks.items():
        other = loaded.block(name)
        assert (other.buffers, other.plain, other.transition_nodes) == (
            block.buffers,
            block.plain,
            block.transition_nodes,
        )
    for one, two in zip(made.arcs, loaded.arcs, strict=True):
        assert (one.name, one.source, one.target, one.zone, one.key) == (
            two.name,
            two.source,
            two.target,
            two.zone,
            two.key,
        )
        assert len(one.versions) == len(two.versions)
        for arc, other in zip(one.versions, two.versions, strict=True):
            a, b = arc.transition, other.transition
            np.testing.assert_array_equal(a.clip.rotations_wxyz, b.clip.rotations_wxyz)
            np.testing.assert_array_equal(a.clip.root_positions, b.clip.root_positions)
            assert (a.leave, a.arrive, a.loop, a.contacts) == (b.leave, b.arrive, b.loop, b.contacts)
            assert (a.leave_phase, a.arrive_phase, a.decisions) == (b.leave_phase, b.arrive_phase, b.decisions)
            assert a.clip.first_row == b.clip.first_row
            x, y = (
                each.network(arc.target.block, "twirl", taken=taken) for each, taken in ((made, arc), (loaded, other))
            )
            np.testing.assert_array_equal(x.bank.coefficients, y.bank.coefficients)
            assert x.triangles == y.triangles


def test_the_same_network_makes_the_same_file(stored, tmp_path):
    again = tmp_path / "again.moca"
    save(load_network(stored), again, origins={"walking": {"slow walk left": Origin("slow.bvh", 12)}})
    assert again.read_bytes() == stored.read_bytes()


def test_whatever_a_broken_file_names_the_reason_stays_short(stored, tmp_path):
    long = altered(
        stored, tmp_path / "long.moca", lambda header, arrays: header["arcs"][0].update(source=["x" * 5000, ""])
    )
    with pytest.raises(FormatError, match="no block 'xxx") as caught:
        load_network(long)
    assert len(caught.value.reason) < 610


def test_what_was_found_out_about_a_capture_is_kept(tmp_path):
    made = hybrid()
    lost = Finding("root-dropout", "the root is lost in frames 8–9", (8, 9))
    report = Report(0.01, "cm", "z", 0.25, 1.74, 1, (lost, Finding("endless", "goes on", doubtful=False)))
    first = made.arcs[0]
    doubtful = replace(first.transition, clip=replace(first.transition.clip, report=report))
    save(replace(made, arcs=[replace(first, transition=doubtful), *made.arcs[1:]]), tmp_path / "h.moca")
    loaded = load_network(tmp_path / "h.moca")
    assert loaded.arcs[0].transition.clip.report == report
    assert loaded.arcs[0].transition.clip.report.warnings == (lost,)
    assert loaded.arcs[1].transition.clip.report == made.arcs[1].transition.clip.report


def test_a_file_of_an_earlier_program_knows_no_reports(stored, tmp_path):
    def forget(header, arrays):
        for arc in header["arcs"]:
            arc["transition"].pop("report")

    loaded = load_network(altered(stored, tmp_path / "old.moca", forget))
    assert {arc.transition.clip.report for arc in loaded.arcs} == {Report()}


def test_whatever_can_be_played_is_loaded(stored, tmp_path):
    plain = tmp_path / "plain.moca"
    save(hybrid().network("running", "blend").limited_to(hybrid().block("running").plain), plain)
    with pytest.warns(UserWarning, match="out of reach"):
        assert type(load_network(plain)) is Network
    assert isinstance(load_network(stored), HybridNetwork)
    with pytest.raises(FormatError, match="expected a stored network, found a 'hybrid'"):
        load_with_origins(stored)


def test_only_moca_files_hold_hybrid_networks(tmp_path):
    with pytest.raises(MotionError, match=r"is stored as \.moca, got 'hybrid\.bvh'"):
        save(hybrid(), tmp_path / "hybrid.bvh")


def test_a_file_cut_short_is_refused(stored, tmp_path):
    content = stored.read_bytes()
    for size in (0, 5, 100, len(content) // 2, len(content) - 1):
        path = tmp_path / "short.moca"
        path.write_bytes(content[:size])
        with pytest.raises(FormatError):
            load_network(path)


def altered(stored, path, change):
    """The stored file with its header and arrays changed."""
    content = stored.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][KEY])
    arrays = safetensors.numpy.load(content)
    change(header, arrays)
    path.write_bytes(safetensors.numpy.save(arrays, metadata={KEY: json.dumps(header)}))
    return path


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda h, a: h["arcs"][0]["transition"].update(leave=10**9), "leaves at frame 1000000000"),
        (lambda h, a: h["arcs"][0]["transition"].update(loop=[0, 1]), "cannot be repeated"),
        (lambda h, a: h["arcs"][0]["transition"]["contacts"].update(left_heel=[[5, 10**7]]), "plants of left_heel"),
        (lambda h, a: h["arcs"][0]["transition"].update(frame_rate=-1.0), "frame rate above 0"),
        (lambda h, a: h["arcs"][0]["transition"]["before"].update(layout="matrix"), "no dof layout 'matrix'"),
        (lambda h, a: h["arcs"][0].update(source=["nowhere", "x"]), "no block 'nowhere'"),
        (lambda h, a: h["arcs"][0].update(zone=7.0), "expected a weight"),
        (lambda h, a: h["arcs"][0].pop("transition"), "describes no hybrid network"),
        (lambda h, a: h["modes"][1]["triangles"]["walking"].append(["x", "y", "z"]), "not a triangle of block"),
        (lambda h, a: h["modes"][1].update(arcs=["fly"]), "no arc 'fly'"),
        (lambda h, a: h["blocks"][0]["buffers"].append(["x", "y", "z"]), "no node 'x'"),
        (lambda h, a: h["blocks"][0].update(name="running"), "names that differ"),
        (lambda h, a: h.update(blocks=[]), "at least one"),
        (lambda h, a: h.update(modes=h["modes"] * 400), "lists 1200 modes"),
        (lambda h, a: h.update(version=99), "update it"),
        (lambda h, a: a.pop("arc.0.rotations_wxyz"), "lacks the array"),
        (lambda h, a: a.update({"arc.0.rotations_wxyz": a["arc.0.rotations_wxyz"][:5]}), "over the same frames"),
        (lambda h, a: a.update({"arc.0.root_positions": a["arc.0.root_positions"] * np.nan}), "finite numbers"),
        (lambda h, a: a.update({"arc.0.before": a["arc.0.before"][:, :3]}), "columns"),
        (lambda h, a: a.update({"arc.0.before": a["arc.0.before"] * 1e200}), r"beyond 1e\+12 in arc.0.before"),
        (lambda h, a: a.update({"arc.0.slides": a["arc.0.slides"][:5]}), "a place for each sliding joint and frame"),
        (
            lambda h, a: h["arcs"][0]["transition"]["before"]["contacts"].update(left_toe=[[0.1, 0.2]] * 101),
            "lists 101 plants of one foot in a cycle",
        ),
        (lambda h, a: h["arcs"][0]["transition"].update(report={"findings": [{"code": 7}]}), "describes no hybrid"),
        (
            lambda h, a: a.update({"block.0.node.0": a["block.0.node.0"].astype(np.float32)}),
            "expected block.0.node.0 as",
        ),
    ],
)
def test_what_a_file_says_is_looked_through(stored, tmp_path, change, reason):
    with pytest.raises(FormatError, match=reason):
        load_network(altered(stored, tmp_path / "odd.moca", change))
