"""Where in its stances a clip is, frame by frame."""

import numpy as np

from mocapella.editing.stances import pace_of
from mocapella.geometry.curves import ease


def test_steps_of_one_length_pass_evenly(gait):
    pace = pace_of(gait(60, 60, 60))
    np.testing.assert_allclose(pace.shares, np.tile(np.arange(60) / 60, 3), atol=1e-12)
    np.testing.assert_allclose(pace.onward, np.tile(np.arange(1, 61) / 60, 3), atol=1e-12)


def test_between_steps_of_unlike_length_the_pace_does_not_change_at_once(gait):
    stances = gait(70, 40, 55, 75)
    pace = pace_of(stances)
    rates = pace.onward - pace.shares
    assert np.all(rates > 0.0)
    for stance in stances:
        assert pace.shares[stance.first] == 0.0
        assert pace.onward[stance.last] == 1.0
    landings = [stance.first for stance in stances[1:]]
    assert np.abs(np.diff(rates)[[frame - 1 for frame in landings]]).max() < 1e-3  # at even speeds 1/40 − 1/70 = 0.011


def test_who_stands_about_has_no_pace(gait):
    pace = pace_of(gait(200, 60, 60, 200, stands=(0, 3)))
    np.testing.assert_array_equal(pace.shares[:200], 0.0)
    np.testing.assert_allclose(pace.shares[200:260], np.arange(60) / 60, atol=1e-12)


def test_easing_neither_starts_nor_stops_nor_pushes():
    x = np.linspace(0.0, 1.0, 1001)
    y = ease(x)
    np.testing.assert_allclose(y + y[::-1], 1.0, atol=1e-12)
    for derivative in (np.gradient(y, x), np.gradient(np.gradient(y, x), x)):
        np.testing.assert_allclose(derivative[[0, -1]], 0.0, atol=0.1)
