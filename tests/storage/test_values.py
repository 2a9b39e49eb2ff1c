"""One verb each way: what was saved is loaded, whatever it is."""

import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.averaged import AveragedMotion
from tests.hybrid.hybrids import hybrid


@pytest.fixture(scope="module")
def values():
    """One value of each kind that is stored."""
    clips = [
        perform("walk", speed=speed, turn=turn, imperfections=CLEAN, frame_rate=60.0)[0].renamed(f"{speed} {turn}")
        for speed, turn in ((0.9, 0.0), (1.5, 0.0), (1.2, 0.5))
    ]
    network = mo.build_network(clips, harmonics=4)
    return {
        mo.Cycle: mo.prepare(clips[0]),
        mo.Network: network,
        mo.Volume: mo.layered([network, network], (0, 1)),
        mo.Cascade: mo.Cascade(network, {network.names[0]: network}, {network.names[0]: network.nodes[1].at}),
        mo.HybridNetwork: hybrid(),
        AveragedMotion: mo.average_stances(perform("walk", cycles=6.0, imperfections=CLEAN)[0]),
    }


@pytest.mark.parametrize(
    "kind",
    [mo.Cycle, mo.Network, mo.Volume, mo.Cascade, mo.HybridNetwork, AveragedMotion],
    ids=lambda kind: kind.__name__,
)
def test_every_value_is_loaded_as_what_it_was_saved_as(values, kind, tmp_path):
    mo.save(values[kind], tmp_path / "value.moca")
    again = mo.load(tmp_path / "value.moca")
    assert type(again) is kind
    mo.save(again, tmp_path / "again.moca")
    if kind not in (mo.Cycle,):  # a stored cycle says where its files lie
        assert (tmp_path / "again.moca").read_bytes() == (tmp_path / "value.moca").read_bytes()
    else:
        np.testing.assert_array_equal(again.dofs, values[kind].dofs)
    if kind in (mo.Network, mo.Volume, mo.Cascade, mo.HybridNetwork):
        assert type(mo.load_network(tmp_path / "value.moca")) is kind
    else:
        with pytest.raises(mo.FormatError, match="expected a stored network, cascade or hybrid, found a"):
            mo.load_network(tmp_path / "value.moca")


def test_a_clip_is_a_motion_file_and_other_values_are_moca(values, tmp_path):
    clip = values[mo.Cycle].to_clip()
    with pytest.raises(mo.MotionError, match=r"expected a suffix of .bvh, .amc, .glb, .gltf"):
        mo.save(clip, tmp_path / "walk.moca")
    with pytest.raises(mo.MotionError, match=r"this network is stored as \.moca, got 'walk.bvh'"):
        mo.save(values[mo.Network], tmp_path / "walk.bvh")
    with pytest.raises(mo.MotionError, match=r"expected a clip, a cycle, a network .* got 3"):
        mo.save(3, tmp_path / "three.moca")
    assert list(tmp_path.iterdir()) == []


def test_options_that_a_value_has_no_use_for_are_refused(values, tmp_path):
    with pytest.raises(mo.MotionError, match="unit and loop are for motion files only"):
        mo.save(values[mo.Network], tmp_path / "net.moca", unit="cm", loop=True)
    with pytest.raises(mo.MotionError, match="origins is for networks only"):
        mo.save(values[mo.Cycle], tmp_path / "cycle.moca", origins={"a": "b"})
    mo.save(values[mo.Network], tmp_path / "net.moca")
    with pytest.raises(mo.MotionError, match="unit and clean are for motion files only"):
        mo.load(tmp_path / "net.moca", unit="cm", clean=True)


def test_a_doubtful_motion_is_warned_of_at_the_line_that_loads_it(data_folder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mo.load(data_folder / "cmu-bvh" / "16" / "16_15.bvh")
    assert [issubclass(one.category, mo.MotionWarning) for one in caught] == [True]
