"""A cache gives what preparing gives, prepares nothing twice, and notices whatever would make a difference."""

import os

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.building import sorting
from mocapella.building.build import build
from mocapella.building.spec.make import build_spec
from mocapella.cli import main
from mocapella.errors import MotionError
from mocapella.files import formats
from mocapella.storage import stored_cycles as cache


@pytest.fixture
def folder(tmp_path):
    for name, speed in (("slow", 0.9), ("fast", 1.6)):
        clip = perform("walk", speed=speed, imperfections=CLEAN, cycles=3.0, frame_rate=60.0)[0]
        mo.save(clip, tmp_path / f"{name}.bvh")
    return tmp_path


@pytest.fixture
def loads(monkeypatch):
    """The names of the files that are read and prepared."""
    seen = []

    def counted(path, **options):
        seen.append(path.name)
        return mo.load(path, **options)

    for module in (sorting, formats):
        monkeypatch.setattr(module, "read_motion", counted)
    return seen


def files(folder):
    return [folder / "slow.bvh", folder / "fast.bvh"]


def coefficients(built):
    return [node.spectrum.coefficients.tobytes() for node in built.network.nodes]


def test_a_second_build_reads_the_cache_and_is_bit_equal(folder, loads):
    plain = build(files(folder))
    first = build(files(folder), cache=folder / "kept")
    del loads[:]
    second = build(files(folder), cache=folder / "kept")
    assert loads == []
    assert coefficients(first) == coefficients(second) == coefficients(plain)
    assert second.origins == first.origins == plain.origins


def test_cycles_closed_in_another_way_are_others(folder):
    plain = build(files(folder), cache=folder / "kept")
    kept = build(files(folder), method="feet_kept", cache=folder / "kept")
    assert coefficients(plain) != coefficients(kept) == coefficients(build(files(folder), method="feet_kept"))


def test_only_what_has_changed_is_prepared_again(folder, loads):
    build(files(folder), cache=folder / "kept")
    mo.save(perform("walk", speed=1.4, imperfections=CLEAN, cycles=3.0, frame_rate=60.0)[0], folder / "fast.bvh")
    del loads[:]
    built = build(files(folder), cache=folder / "kept")
    assert loads == ["fast.bvh"]
    assert coefficients(built) == coefficients(build(files(folder)))


@pytest.mark.parametrize("other", [{"turning": False}, {"layout": "euler"}, {"reading": {"clean": True}}])
def test_other_options_are_other_cycles(folder, loads, other):
    build(files(folder), cache=folder / "kept")
    build(files(folder), cache=folder / "kept", **other)
    assert len(loads) == 4
    build(files(folder), cache=folder / "kept")
    build(files(folder), cache=folder / "kept", **other)
    assert len(loads) == 4  # both are kept


def test_another_way_of_preparing_makes_all_stale(folder, loads, monkeypatch):
    build(files(folder), cache=folder / "kept")
    monkeypatch.setattr(cache, "PREPARATION", cache.PREPARATION + 1)
    build(files(folder), cache=folder / "kept")
    assert len(loads) == 4


def test_a_damaged_entry_is_made_again(folder, loads):
    build(files(folder), cache=folder / "kept")
    for entry in (folder / "kept").iterdir():
        entry.write_bytes(entry.read_bytes()[:-100])
    build(files(folder), cache=folder / "kept")
    assert len(loads) == 4


def test_an_acclaim_motion_with_a_skeleton_elsewhere_goes_by_that_skeleton(folder, loads):
    clip = mo.load(folder / "slow.bvh")
    (folder / "acclaim").mkdir()
    mo.save(clip, folder / "acclaim" / "walk.amc", skeleton=folder / "acclaim" / "walk.asf")
    skeleton = (folder / "acclaim" / "walk.asf").rename(folder / "tall.asf")
    motion, reading = folder / "acclaim" / "walk.amc", {"skeleton": skeleton, "frame_rate": 60.0}
    for _ in range(2):
        build([motion], cache=folder / "kept", reading=reading)
    assert loads == ["walk.amc"]
    skeleton.write_text(skeleton.read_text() + "# touched\n")
    build([motion], cache=folder / "kept", reading=reading)
    assert loads == ["walk.amc", "walk.amc"]


def test_nodes_of_a_spec_are_kept_by_all_they_say(folder):
    spec = folder / "net.toml"

    def built(words):
        spec.write_text(f'[[nodes]]\nname = "a"\nfile = "slow.bvh"\n{words}\n')
        return build_spec(spec, cache=folder / "kept")

    variants = ["", "frames = [10, 150]", 'method = "smooth"', "frames = [10, 80]\nexact = true", "limp = true"]
    fresh = [coefficients(built(words)) for words in variants]
    assert len(list((folder / "kept").iterdir())) == len(variants)
    assert [coefficients(built(words)) for words in variants] == fresh
    assert len({tuple(one) for one in fresh}) == len(variants)


def test_the_command_line_keeps_cycles_too(folder, loads):
    from click.testing import CliRunner

    words = ["build", *map(str, files(folder)), "-o", str(folder / "net.moca"), "--cache", str(folder / "kept")]
    for _ in range(2):
        assert CliRunner().invoke(main, words).exit_code == 0
    assert loads == ["slow.bvh", "fast.bvh"]


@pytest.mark.skipif(os.name == "nt", reason="a file is not a folder there either, but says so otherwise")
def test_a_cache_that_is_no_folder_is_refused(folder):
    (folder / "kept").write_text("no folder")
    with pytest.raises(MotionError, match="cannot make the folder"):
        build(files(folder), cache=folder / "kept")


def test_cached_dofs_are_those_that_were_prepared(folder):
    made = mo.prepare(mo.load(folder / "slow.bvh"))
    build(files(folder), cache=folder / "kept")
    (entry,) = (folder / "kept").glob("slow-*.moca")
    np.testing.assert_array_equal(mo.load_cycle(entry).dofs, made.dofs)
