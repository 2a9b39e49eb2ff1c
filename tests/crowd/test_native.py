from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

from mocapella.crowd import native
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.detail import Level
from mocapella.errors import MotionError
from tests.crowd import abi
from tests.crowd.samples import walks, with_fingers

HERE = native.native_library() is not None
REASON = "the native core is not installed: pip install ./native"
if not HERE and os.environ.get("CI"):
    pytest.fail(REASON, pytrace=False)
needs_core = pytest.mark.skipif(not HERE, reason=REASON)


def libraries():
    """Every build that this processor runs, by its instruction set."""
    if not HERE:
        return []
    import mocapella_native

    named = os.environ.get("MOCAPELLA_NATIVE")
    return [("given", named)] if named else [(name, str(path)) for name, path in mocapella_native.builds()]


@needs_core
@pytest.mark.parametrize("n_joints", [23, 24, 31, 67])
@pytest.mark.parametrize("library", libraries(), ids=lambda library: library[0])
def test_every_build_does_what_numpy_does(n_joints, library, monkeypatch):
    name, path = library
    monkeypatch.setattr(native, "native_library", lambda: native._ready(name, ctypes.CDLL(path)))
    network = walks() if n_joints == 23 else with_fingers(n_joints)
    options = {"seed": 3, "noise": 0.05, "detail": (Level(), Level(harmonics=5, joints=0.6))}
    ours, theirs = (Crowd(network, 45, engine=engine, **options) for engine in ("native", "numpy"))
    assert ours.engine == f"native ({name})"
    rng = np.random.default_rng(4)
    apart, same = [], []
    for frame in range(40):
        if frame % 20 == 0:
            goals = rng.uniform((-0.6, 0.9), (0.6, 1.6), (45, 2))
            for crowd in (ours, theirs):
                crowd.points[...] = goals
                crowd.levels[:] = np.arange(45) % 5 == 0
        for crowd in (ours, theirs):
            crowd.step(1 / 30)
        apart.append(np.abs(ours.poses() - theirs.poses()).max(axis=(1, 2, 3)))
        same.append(ours.planted == theirs.planted)
    assert np.quantile(apart, 0.99) < 1e-4
    assert np.median(apart) < 1e-5
    assert np.mean(same) > 0.999


@needs_core
def test_threads_change_nothing():
    crowds = [Crowd(walks(), 500, seed=1, threads=threads, engine="native") for threads in (1, 2, 5)]
    for crowd in crowds:
        for _ in range(5):
            crowd.step(1 / 60)
    for other in crowds[1:]:
        np.testing.assert_array_equal(other.poses(), crowds[0].poses())
        np.testing.assert_array_equal(other._records.view(np.int32), crowds[0]._records.view(np.int32))


@needs_core
def test_the_core_refuses_wrong_arguments_and_touches_nothing_else():
    counts = abi.run(120, walks(), seed=2)
    assert counts["refused"] > 20
    assert counts["done"] > 20


@needs_core
def test_a_skeleton_too_large_for_the_core_runs_in_numpy():
    network = with_fingers(140)
    assert Crowd(network, 2).engine == "numpy"
    with pytest.raises(MotionError, match="128 joints"):
        Crowd(network, 2, engine="native")


def test_without_the_core_there_is_numpy_and_a_remedy(monkeypatch):
    monkeypatch.setattr(native, "native_library", lambda: None)
    monkeypatch.setattr("mocapella.crowd.blocks.part.native_library", lambda: None)
    assert Crowd(walks(), 2).engine == "numpy"
    with pytest.raises(MotionError, match=r"pip install 'mocapella\[fast\]'"):
        Crowd(walks(), 2, engine="native")


def test_a_core_of_another_version_is_not_called():
    class Other:
        @staticmethod
        def crowd_sizes(which):
            return which

    assert native._ready("other", Other()) is None
