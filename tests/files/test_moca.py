"""Prepared cycles on disk: back bit by bit, or refused with a reason."""

import contextlib
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.errors import FormatError, MotionError
from mocapella.files.moca import read_moca, write_moca
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import layout_of
from mocapella.motion.skeleton import Skeleton
from mocapella.storage.stored_cycles import CYCLE, is_fresh
from mocapella.storage.values import load_cycle, save


def prepared(kind: str = "quaternion", source: str = "") -> Cycle:
    body = Skeleton.of(
        ["hips", "Lärm 膝"],
        [-1, 0],
        [[0, 1, 0], [0.1, 0, 0]],
        ends={"Lärm 膝": [0.0, -0.4, 0.0]},
        rotation_orders=["ZXY", "X"],
        limits=np.array([[[-np.inf, np.inf]] * 3, [[-0.5, 2.0]] * 3]),
    ).with_roles({"left_knee": "Lärm 膝"})
    layout = layout_of(kind, body)
    dofs = np.random.default_rng(3).normal(size=(21, layout.n_dofs))
    contacts = CycleContacts(left_heel=((0.1, 1.0 / 3.0),), right_toe=((1.0, 0.5), (4.0, 0.2)))
    cycle = Cycle(layout, dofs, 29.97, contacts, "stroll", source, 17, 1.0 / 3.0)
    return cycle.decided("select", "rows 17 to 38", start=17, frames=21)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "stroll.moca"
    save(prepared(), path)
    return path


@pytest.mark.parametrize("kind", ["quaternion", "euler"])
def test_a_cycle_comes_back_bit_by_bit(tmp_path, kind):
    cycle = prepared(kind)
    save(cycle, tmp_path / "a.moca")
    again = load_cycle(tmp_path / "a.moca")
    assert again.dofs.tobytes() == cycle.dofs.tobytes()
    for name in ("frame_rate", "contacts", "name", "source", "start_row", "offset", "decisions"):
        assert getattr(again, name) == getattr(cycle, name), name
    assert again.layout.kind == kind
    for name in ("parents", "offsets", "end_joints", "end_offsets", "axes_wxyz", "limits"):
        np.testing.assert_array_equal(getattr(again.skeleton, name), getattr(cycle.skeleton, name))
    assert again.skeleton.names == cycle.skeleton.names
    assert again.skeleton.rotation_orders == cycle.skeleton.rotation_orders
    assert again.skeleton.role_names == cycle.skeleton.role_names


def test_saving_what_was_loaded_writes_the_same_file(stored, tmp_path):
    save(load_cycle(stored), tmp_path / "again.moca")
    assert (tmp_path / "again.moca").read_bytes() == stored.read_bytes()


def test_the_header_is_json_under_our_key_with_format_and_version(stored):
    with safetensors.safe_open(stored, "numpy") as file:
        header = json.loads(file.metadata()["mocapella"])
    assert (header["format"], header["version"], header["name"]) == ("cycle", 1, "stroll")


def test_a_cycle_without_contacts_comes_back_without(tmp_path):
    cycle = prepared()
    bare = Cycle(cycle.layout, cycle.dofs, cycle.frame_rate)
    save(bare, tmp_path / "bare.moca")
    assert load_cycle(tmp_path / "bare.moca").contacts is None


def test_a_changed_source_makes_a_stored_cycle_stale(tmp_path):
    source = tmp_path / "walk.bvh"
    source.write_text("HIERARCHY")
    save(prepared(source=str(source)), tmp_path / "a.moca")
    assert is_fresh(tmp_path / "a.moca")
    moved = source.rename(tmp_path / "moved.bvh")
    assert not is_fresh(tmp_path / "a.moca")
    assert is_fresh(tmp_path / "a.moca", moved)
    moved.write_text("HIERARCHY ")
    assert not is_fresh(tmp_path / "a.moca", moved)


def test_the_skeleton_that_was_really_used_makes_an_acclaim_cycle_stale(tmp_path):
    for folder in ("motion", "elsewhere", "stored"):
        (tmp_path / folder).mkdir()
    motion, beside, used = (tmp_path / place for place in ("motion/07_01.amc", "motion/07.asf", "elsewhere/tall.asf"))
    for file in (motion, beside, used):
        file.write_text(file.name)
    cycle = replace(prepared(source=str(motion)), files=(str(motion), str(used)))
    goal = tmp_path / "stored" / "a.moca"
    save(cycle, goal)
    beside.write_text("another")
    assert is_fresh(goal)
    used.write_text("another")
    assert not is_fresh(goal)


def test_a_relative_source_is_found_from_any_working_directory(tmp_path, monkeypatch):
    for folder in ("in", "out", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "in" / "walk.bvh").write_text("HIERARCHY")
    monkeypatch.chdir(tmp_path / "in")
    save(prepared(source="walk.bvh"), "../out/a.moca")
    monkeypatch.chdir(tmp_path / "other")
    assert is_fresh("../out/a.moca")
    assert load_cycle("../out/a.moca").files == ("walk.bvh",)
    (tmp_path / "other" / "walk.bvh").write_text("another of the same name")
    assert is_fresh(tmp_path / "out" / "a.moca")
    moved = tmp_path.rename(tmp_path.with_name("moved together"))
    assert is_fresh(moved / "out" / "a.moca")


def test_other_wishes_make_a_stored_cycle_stale(tmp_path):
    source = tmp_path / "walk.bvh"
    source.write_text("HIERARCHY")
    CYCLE.write(prepared(source=str(source)), tmp_path / "a.moca", asked="turning True")
    assert is_fresh(tmp_path / "a.moca", asked="turning True")
    assert not is_fresh(tmp_path / "a.moca", asked="turning False")


def test_what_is_not_there_is_not_fresh(tmp_path, stored):
    assert not is_fresh(tmp_path / "none.moca")
    assert not is_fresh(stored)  # it has no source


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(MotionError, match=r"cannot write a\.xyz: expected a suffix"):
        save(prepared(), tmp_path / "a.xyz")


# Files that are not what they should be


def rewritten(stored: Path, change) -> Path:
    """The stored file with its header changed."""
    raw = stored.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    table = json.loads(raw[8 : 8 + length])
    header = json.loads(table["__metadata__"]["mocapella"])
    change(table, header)
    table["__metadata__"]["mocapella"] = json.dumps(header)
    text = json.dumps(table).encode()
    stored.write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + length :])
    return stored


def refused(path: Path, match: str) -> None:
    with pytest.raises(FormatError, match=match) as caught:
        load_cycle(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_missing_file_is_refused(tmp_path):
    refused(tmp_path / "none.moca", "no such file")


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "a.moca"
    path.write_text("HIERARCHY\nROOT Hips\n{\n")
    refused(path, "not a .moca file")


def test_somebody_elses_safetensors_are_refused(tmp_path):
    path = tmp_path / "a.moca"
    path.write_bytes(safetensors.numpy.save({"weights": np.zeros(3)}))
    refused(path, "not ours")


def test_another_thing_of_ours_is_refused_by_name(tmp_path):
    write_moca(tmp_path / "a.moca", "network", 1, {}, {"x": np.zeros(2)})
    refused(tmp_path / "a.moca", "expected a stored cycle, found a 'network'")


def test_a_newer_version_is_refused_with_advice(stored):
    refused(rewritten(stored, lambda table, header: header.update(version=2)), "version 2; this program reads up to 1")


def test_wrong_types_and_shapes_are_refused(stored, tmp_path):
    cycle = prepared()
    for change, match in (
        ({"dofs": cycle.dofs.astype(np.float32)}, "expected dofs as float64 with 2 axes, found float32"),
        ({"dofs": cycle.dofs[:, 1:].copy()}, "needs 12 columns, got 11"),
        ({"dofs": np.full_like(cycle.dofs, np.nan)}, "finite"),
        ({"skeleton.parents": np.array([-1, 7])}, "parents come before"),
        ({"skeleton.offsets": np.zeros((2, 2))}, "expected skeleton.offsets of shape"),
        ({"skeleton.end_joints": np.array([9])}, "joints that do not exist"),
    ):
        contents = read_moca(stored, "cycle")
        path = tmp_path / "changed.moca"
        header = {k: v for k, v in json.loads(contents.header).items() if k not in ("format", "version")}
        write_moca(path, "cycle", 1, header, {**contents.arrays, **change})
        refused(path, match)


def test_a_missing_array_is_named(stored, tmp_path):
    contents = read_moca(stored, "cycle")
    arrays = {name: array for name, array in contents.arrays.items() if name != "dofs"}
    header = {k: v for k, v in json.loads(contents.header).items() if k not in ("format", "version")}
    write_moca(tmp_path / "a.moca", "cycle", 1, header, arrays)
    refused(tmp_path / "a.moca", "lacks the array 'dofs'")


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("layout", "matrix", "no dof layout 'matrix'"),
        ("frame_rate", -1.0, "frame rate above 0"),
        ("frame_rate", "fast", "describes no cycle"),
        ("contacts", {"left_heel": [[0.0, 99.0]]}, "between 0 and 2π"),
        ("decisions", [[[[]]]], "describes no cycle"),
        ("skeleton", None, "describes no cycle"),
    ],
)
def test_a_header_that_makes_no_sense_is_refused(stored, key, value, match):
    refused(rewritten(stored, lambda table, header: header.update({key: value})), match)


def test_arrays_larger_than_the_file_are_refused_before_they_are_made(stored):
    def grow(table, header):
        table["dofs"]["shape"] = [10**6, 12]
        table["dofs"]["data_offsets"][1] = table["dofs"]["data_offsets"][0] + 96 * 10**6

    refused(rewritten(stored, grow), "does not fit in the file")


def test_a_header_nested_too_deep_is_refused(tmp_path):
    path = tmp_path / "a.moca"
    text = b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    refused(path, "nested deeper")


def test_a_header_that_claims_to_be_huge_is_refused(tmp_path):
    path = tmp_path / "a.moca"
    path.write_bytes(struct.pack("<Q", 2**60) + b"{}")
    refused(path, "does not begin with a header")


@given(cut=st.integers(0, 2**16), at=st.integers(0, 2**16), byte=st.integers(0, 255))
@settings(max_examples=150, deadline=None)
def test_a_damaged_file_is_read_or_refused_and_never_crashes(tmp_path_factory, cut, at, byte):
    folder = tmp_path_factory.getbasetemp()
    path = folder / "damaged.moca"
    if not (folder / "whole.moca").exists():
        save(prepared(), folder / "whole.moca")
    raw = bytearray((folder / "whole.moca").read_bytes())
    raw[at % len(raw)] = byte
    path.write_bytes(bytes(raw[: len(raw) - cut % len(raw)] if cut % 3 else raw))
    with contextlib.suppress(FormatError):
        load_cycle(path)


def test_half_a_surrogate_pair_in_the_header_is_refused(tmp_path):
    table = b'{"__metadata__": {"mocapella": "\\ud800"}}'
    (tmp_path / "a.moca").write_bytes(struct.pack("<Q", len(table)) + table)
    with pytest.raises(FormatError, match="half of a surrogate pair"):
        read_moca(tmp_path / "a.moca", "cycle")
