"""Real walks in the manner of other real walks of the same person."""

import itertools
import warnings

import numpy as np
import pytest

import mocapella as mo
from mocapella.analysis.plants.detect import find_plants
from mocapella.editing.stances import course_of, find_stances
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing

pytestmark = pytest.mark.data
PAIRS = {
    "lady": ("137/137_29", "137/137_24"),
    "sad": ("82/82_13", "82/82_10"),
    "slower": ("16/16_47", "16/16_15"),
    "strong": ("137/137_29", "137/137_42"),
}


@pytest.fixture(scope="module", params=PAIRS)
def pair(request, data_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mo.MotionWarning)
        clip, style = (mo.load(data_folder / "cmu-bvh" / f"{name}.bvh", clean=True) for name in PAIRS[request.param])
    return clip.captured, mo.average_stances(style), style.captured


def test_the_heading_stays_that_of_the_path_amid_the_gait_and_beside_stands(pair):
    clip, averaged, _ = pair
    stances = find_stances(clip, find_plants(clip, gait=True))
    spans = [(a.first, b.last + 1) for a, b in itertools.pairwise(stances) if a.complete and b.complete]
    usual = int(stances[1].usual)
    spans += [(a.first, a.last + 1 + usual) for a, b in itertools.pairwise(stances) if b.pause]  # and into a stand
    spans += [(b.first - usual, b.last + 1) for a, b in itertools.pairwise(stances) if a.pause]  # out of one
    for ratio in (0.5, 1.0):
        off = mo.blend_stances(clip, averaged, ratio).headings - clip.headings
        strayed = [off[a:b].mean() for a, b in spans]  # sway cancels over two steps
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


@pytest.mark.parametrize("ratio", [0.5, 1.0])
def test_nothing_jerks_where_stances_change(pair, ratio):
    clip, averaged, _ = pair
    landings = [stance.first for stance in find_stances(clip, find_plants(clip, gait=True))[1:]]
    own, changed = (_jerk(each, landings) for each in (clip, mo.blend_stances(clip, averaged, ratio)))
    assert changed < (2.0 if ratio == 1.0 else max(2.0, own))


def _jerk(clip, landings):
    """How much angular velocities change in a frame about landings, at worst, in medians of the whole clip."""
    q = clip.rotations_wxyz
    velocities = quaternions.to_rotvec(quaternions.multiply(quaternions.conjugate(q[:-1]), q[1:]))
    jumps = np.linalg.norm(np.diff(velocities, axis=0), axis=-1).mean(axis=1)
    return max(jumps[frame - 2 : frame + 1].max() for frame in landings) / np.median(jumps)
