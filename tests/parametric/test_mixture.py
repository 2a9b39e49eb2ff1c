"""Motions described as mixtures: those that were mixed, played, written and read again are told by their shares."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.parametric.mixing import examples_of, in_step
from mocapella.parametric.mixture import mixture_of

pytestmark = pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
SETS = {
    "one performer": ("16/16_15", "16/16_21", "16/16_47"),
    "three speeds": ("07/07_01", "07/07_04", "07/07_12"),
    "three performers": ("16/16_58", "82/82_12", "08/08_04"),
}


@pytest.fixture(scope="module")
def cycles(data_folder):
    return {
        name: [prepare(mo.load(data_folder / "cmu-bvh" / f"{file}.bvh")) for file in files]
        for name, files in SETS.items()
    }


@pytest.mark.data
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("shares", [(0.38, 0.46, 0.16), (0.5, 0.5, 0.0)])
def test_shares_of_a_mixture_are_found_in_the_file_that_it_was_played_into(cycles, tmp_path, name, shares):
    """As ``between`` writes it and ``reduce mixture`` reads it: with held feet, on ground at height 0."""
    own = cycles[name]
    mixed = examples_of([analyse(cycle) for cycle in in_step(own)]).mix(np.array(shares))
    mo.save(mo.record(mo.Player(mixed), seconds=5), tmp_path / "mixed.bvh")
    motion, *examples = (analyse(cycle) for cycle in in_step([prepare(mo.load(tmp_path / "mixed.bvh")), *own]))
    found = mixture_of(motion, examples, {"first": [1, 0, 0]})
    np.testing.assert_allclose(found.weights, shares, atol=0.05)
    assert found.labels["first"] == found.weights[0]
    assert found.unlike < 0.4


@pytest.mark.data
def test_a_motion_that_is_no_mixture_is_as_far_from_all_of_them_as_they_are_apart(cycles, data_folder):
    drunk = prepare(mo.load(data_folder / "cmu-bvh" / "137" / "137_16.bvh"))
    own, *examples = (analyse(cycle) for cycle in in_step([drunk, *cycles["one performer"]]))
    assert mixture_of(own, examples).unlike > 1.0


def test_shares_of_gestures_are_found_again():
    targets = [(-0.25, -0.05, 0.25), (0.0, 0.25, 0.25), (0.0, -0.05, 0.38)]
    clips = [perform("reach", target=target, frame_rate=30.0)[0] for target in targets]
    made = examples_of(clips).mix(np.array([0.2, 0.5, 0.3]))
    found = mixture_of(made, clips)
    np.testing.assert_allclose(found.weights, [0.2, 0.5, 0.3], atol=0.05)
    assert found.unlike < 0.2


def test_examples_that_do_not_differ_explain_themselves_and_nothing_else():
    walk, run = (analyse(prepare(perform(action)[0]), harmonics=8) for action in ("walk", "run"))
    assert mixture_of(walk, [walk]).unlike == 0.0
    assert mixture_of(run, [walk]).unlike == 1.0
