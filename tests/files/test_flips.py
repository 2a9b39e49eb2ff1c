import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.files import text
from mocapella.files.bvh import read_bvh
from mocapella.files.conventions import FlipFinder
from mocapella.geometry import euler
from tests.files.bvh_samples import chain

CHANNELS = (
    "Xposition Yposition Zposition Zrotation Yrotation Xrotation",
    "Yrotation Xrotation Zrotation",
)


def spinning(seed, n_frames):
    """Angles in degrees that wander through many turns, each brought back to −180 … 180 as files have them."""
    rng = np.random.default_rng(seed)
    angles = np.cumsum(rng.uniform(-15.0, 19.0, size=(n_frames, 6)), axis=0) + rng.uniform(-180.0, 180.0, size=6)
    return (angles + 180.0) % 360.0 - 180.0


def write(path, angles):
    path.write_text(chain(CHANNELS, [[1.0, 2.0, 3.0, *row] for row in np.round(angles, 4).tolist()]))
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("flips") / "spin.bvh"


# Laws


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_frames=st.integers(1, 60), chunk=st.integers(1, 3000))
def test_signs_run_on_wherever_the_rows_are_cut(place, seed, n_frames, chunk):
    angles = spinning(seed, n_frames)
    before = text._CHUNK
    text._CHUNK = chunk
    try:
        cut = read_bvh(write(place, angles))
    finally:
        text._CHUNK = before
    whole = read_bvh(place)
    q = cut.rotations_wxyz
    assert np.all(np.einsum("fjc,fjc->fj", q[1:], q[:-1]) >= 0.0)
    np.testing.assert_array_equal(q, whole.rotations_wxyz)
    assert cut.findings == whole.findings


@settings(max_examples=200, deadline=None)
@given(
    order=st.sampled_from(euler.ORDERS),
    angles=st.tuples(*[st.floats(-1000.0, 1000.0)] * 3),
    steps=st.tuples(*[st.floats(-20.0, 20.0)] * 3),
)
def test_a_quaternion_keeps_its_sign_unless_an_angle_leaps(order, angles, steps):
    before = np.array([angles])
    q = euler.to_quaternion(np.concatenate([before, before + steps]), order, degrees=True)
    assert q[0] @ q[1] >= np.cos(np.radians(30.0)) - 1e-12


# Examples


def test_an_angle_that_goes_over_its_edge_is_a_flip_and_a_joint_that_turns_is_none():
    angles = np.array([[178.0, 0.0, 0.0], [-179.0, 0.0, 0.0], [-120.0, 0.0, 0.0], [-119.0, 0.0, 0.0]])
    finder = FlipFinder([[0, 1, 2]], ["hips"], 3)
    q = euler.to_quaternion(angles[:, None], "ZXY", degrees=True)
    first = finder.add(angles[:1], q[:1])
    then = finder.add(angles[1:], q)
    assert len(first.frames) == 0
    assert then.frames.tolist() == [1, 2]
    assert then.nearness[0] < 0.0 < then.nearness[1]
    (finding,) = finder.findings()
    assert finding.code == "euler-flip"
    assert finding.frames == (1,)


def test_columns_that_are_no_angles_never_flip():
    rows = np.array([[0.0, 0.0], [500.0, 0.0], [0.0, 0.0]])
    finder = FlipFinder([[1]], ["hips"], 2)
    leaps = finder.add(rows, np.tile([1.0, 0.0, 0.0, 0.0], (3, 1, 1)))
    assert len(leaps.frames) == 0
    assert finder.findings() == []
