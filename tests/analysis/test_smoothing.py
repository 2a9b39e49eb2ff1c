"""Cycles smoothed by leaving out what is small."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.analysis.closing.cyclify import cyclify
from mocapella.analysis.cycles.find import find_cycle
from mocapella.analysis.fourier import smoothed
from mocapella.analysis.prepare import prepare

KINDS = ("quaternion", "euler")


@pytest.fixture(scope="module")
def clip():
    return perform("walk", imperfections=CAPTURED, seed=3)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_out_is_small_and_what_stays_is_untouched(clip, kind):
    cycle = cyclify(find_cycle(clip), layout=kind)
    calm = smoothed(cycle, 0.1)
    before, after = (np.abs(np.fft.rfft(one.dofs, axis=0, norm="forward")) for one in (cycle, calm))
    gone = (after < 1e-12) & (before > 1e-9)
    assert gone.any()
    assert np.all(before[gone] < 0.1 * np.linalg.norm(before[1:], axis=1).max())
    np.testing.assert_allclose(after[~gone], before[~gone], atol=1e-9)
    np.testing.assert_allclose(calm.dofs.mean(axis=0), cycle.dofs.mean(axis=0), atol=1e-12)
    np.testing.assert_array_equal(smoothed(cycle, 0.0).dofs.round(12), cycle.dofs.round(12))


def test_jitter_goes_and_the_walk_stays(clip):
    rough, calm = (prepare(clip, smooth=share) for share in (0.0, 0.1))
    jitter = [np.abs(np.diff(one.dofs[:, :-4], n=3, axis=0)).mean() for one in (rough, calm)]
    assert jitter[1] < 0.5 * jitter[0]
    apart = np.linalg.norm(rough.to_clip().positions - calm.to_clip().positions, axis=-1)
    assert apart.mean() < 0.02
    assert [d.numbers["share"] for d in calm.decisions if d.step == "smooth"] == [0.1]
    assert calm.turn == pytest.approx(rough.turn)


def test_a_share_of_everything_is_refused(clip):
    with pytest.raises(mo.MotionError, match="less than 1"):
        prepare(clip, smooth=1.0)
