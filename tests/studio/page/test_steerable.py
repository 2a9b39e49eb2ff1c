"""The content of pages of crowds: what cannot be played is refused before anything is read."""

import pytest

from mocapella.errors import MotionError
from mocapella.studio.page.steerable import crowd_content
from tests.crowd.samples import walks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "1 to 5,000 characters"),
        ({"count": True}, "a number of characters"),
        ({"speed": 0.0}, "a speed above 0"),
        ({"noise": 1.5}, "noise from 0 to 1 radian, got 1.5"),
        ({"noise": float("nan")}, "noise from 0 to 1 radian"),
        ({"changes": -1.0}, "changes per minute"),
        ({"seed": -1}, "a whole number from 0 on for seed"),
    ],
)
def test_numbers_out_of_range_are_named(options, message):
    with pytest.raises(MotionError, match=message):
        crowd_content(walks(), **options)
