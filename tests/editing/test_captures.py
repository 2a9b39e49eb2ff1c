"""Real walks in the manner of other real walks of the same person."""

import itertools
import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.analysis.plants import find_plants
from mocapella.analysis.root import headings
from mocapella.editing.course import course_of
from mocapella.editing.stances import find_stances, steady
from mocapella.geometry import quaternions
from mocapella.measure.slip import footing

pytestmark = pytest.mark.data
PAIRS = {"sad": ("82/82_13", "82/82_10"), "slower": ("16/16_47", "16/16_15"), "strong": ("137/137_29", "137/137_42")}


@pytest.fixture(scope="module", params=PAIRS)
def pair(request, data_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        clip, style = (mo.load(data_folder / "cmu-bvh" / f"{name}.bvh", clean=True) for name in PAIRS[request.param])
    return clip.captured, mo.average_stances(style), style.captured


def test_the_heading_stays_that_of_the_path(pair):
    clip, averaged, _ = pair
    stances = find_stances(clip, find_plants(clip, gait=True))
    steps = [one for foot in ("left", "right") for one in steady(stances, foot)]
    steps.sort(key=lambda stance: stance.first)
    for ratio in (0.5, 1.0):
        off = headings(mo.blend_stances(clip, averaged, ratio)) - headings(clip)
        strayed = [
            off[a.first : b.last + 1].mean() for a, b in itertools.pairwise(steps)
        ]  # sway cancels over two steps
        assert np.degrees(np.abs(strayed).max()) < 1.0


def test_steps_at_one_get_as_far_as_the_averaged_ones(pair):
    clip, averaged, _ = pair
    stances = find_stances(clip, find_plants(clip, gait=True))
    travel = course_of(mo.blend_stances(clip, averaged, 1.0), stances).travel
    for stance in stances[3:-3]:
        step = np.abs(travel[stance.first : stance.last + 1].sum())
        assert step == pytest.approx(np.hypot(*averaged.stances[stance.foot].step), rel=0.02)


def test_feet_of_a_half_blend_slip_little_more_than_those_of_its_sources(pair):
    clip, averaged, style = pair
    sources = max(footing(clip).slip_mm_mean, footing(style).slip_mm_mean)
    assert footing(mo.blend_stances(clip, averaged, 0.5)).slip_mm_mean < 1.5 * sources


def test_nothing_jerks_where_stances_change(pair):
    clip, averaged, _ = pair
    landings = [stance.first for stance in find_stances(clip, find_plants(clip, gait=True))[1:]]
    q = mo.blend_stances(clip, averaged, 1.0).rotations_wxyz
    velocities = quaternions.to_rotvec(quaternions.multiply(quaternions.conjugate(q[:-1]), q[1:]))
    jumps = np.linalg.norm(np.diff(velocities, axis=0), axis=-1).mean(axis=1)
    assert max(jumps[frame - 2 : frame + 1].max() for frame in landings) < 2.0 * np.median(jumps)
