import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.files.conventions import UNITS, body_height, infer_unit, named_unit, unit_of
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.roles import find_roles

HEIGHT = 1.74  # of the body fixture, metres


@pytest.mark.parametrize("unit", ["m", "cm", "mm", "inch", "ft"])
@pytest.mark.parametrize("size", [0.9, 1.0, 1.1])
def test_the_unit_of_a_person_is_told_from_the_height(body, unit, size):
    skeleton = body.scaled(size / UNITS[unit])
    roles = find_roles(skeleton)
    found = infer_unit(body_height(skeleton, roles), skeleton, roles)
    assert (found.name, found.metres, found.plausible) == (unit, UNITS[unit], True)


@pytest.mark.parametrize("height", [0.9, 0.95, 1.0, 1.1])
@pytest.mark.parametrize("unit", ["m", "cm", "mm"])
def test_a_small_child_is_no_giant_in_inches(body, height, unit):
    skeleton = body.scaled(height / HEIGHT / UNITS[unit])
    roles = find_roles(skeleton)
    assert infer_unit(body_height(skeleton, roles), skeleton, roles).name == unit


def test_the_unit_of_cmu_is_believed_only_of_skeletons_from_there(body):
    """1.74 m in CMU's unit are 30.8; without CMU's joints that is rather a small person in inches or decimetres."""
    skeleton = body.scaled(1 / UNITS["cmu"])
    roles = find_roles(skeleton)
    other = infer_unit(body_height(skeleton, roles), skeleton, roles)
    assert (other.name, other.plausible) != ("cmu", False)
    names = ["Hips", "LHipJoint", "RHipJoint", "LowerBack", *body.names[1:]]
    parents = [-1, 0, 0, 0, *(parent + 3 if parent else 0 for parent in body.parents[1:].tolist())]
    offsets = np.concatenate([skeleton.offsets[:1], np.zeros((3, 3)), skeleton.offsets[1:]])
    cmu = Skeleton.of(names, parents, offsets)
    roles = find_roles(cmu)
    assert infer_unit(body_height(cmu, roles), cmu, roles).name == "cmu"


@pytest.mark.parametrize(("height", "unit"), [(1.4, "mmd"), (1.6, "mmd"), (1.8, "mmd"), (13.0, "cm"), (0.13, "m")])
def test_the_unit_of_mikumikudance_is_believed_only_of_its_models(body, height, unit):
    """20 units tall they are 1.6 m, where decimetres would make 2 m; some are stored in metres or centimetres."""
    skeleton = body.scaled(height / HEIGHT / UNITS["mmd"])
    names = {"Hips": "センター", "Spine": "上半身", "Chest": "下半身"}
    model = Skeleton.of([names.get(name, name) for name in skeleton.names], skeleton.parents, skeleton.offsets)
    height = body_height(model, find_roles(skeleton))
    assert infer_unit(height, model, find_roles(skeleton)).name == unit
    if unit == "mmd":
        assert infer_unit(height, skeleton, find_roles(skeleton)).name == "dm"


@given(st.floats(1e-9, 1e9))
def test_whatever_the_size_the_answer_is_a_known_unit(factor):
    arm = Skeleton.of(["LeftArm", "LeftForeArm"], [-1, 0], [[0, 0, 0], [factor, 0, 0]])
    roles = find_roles(arm)
    unit = infer_unit(body_height(arm, roles), arm, roles)
    assert (unit.name, unit.plausible) == ("cm", False)  # an arm alone tells nothing


@pytest.mark.parametrize(
    ("factor", "name"),
    [(0.45, "m"), (0.01, "100 m"), (300.0, "cm"), (1e4, "0.0001 m"), (1e-300, "cm"), (1e-5, "cm"), (1e11, "cm")],
)
def test_a_body_no_unit_fits_is_doubted_and_taken_in_the_nearest_power_of_ten(body, factor, name):
    """A toddler, a body at a hundredth of its size, a giant, a hundredfold body; centimetres for what is no body."""
    skeleton = body.scaled(factor)
    roles = dict(find_roles(body))
    unit = infer_unit(body_height(skeleton, roles), skeleton, roles)
    assert (unit.name, unit.plausible) == (name, False)


def test_the_height_runs_from_sole_to_crown(body):
    np.testing.assert_allclose(body_height(body, find_roles(body)), HEIGHT, atol=1e-9)


def test_knees_bent_at_rest_do_not_make_a_person_smaller(body):
    offsets = np.array(body.offsets)
    for side in ("Left", "Right"):
        bend = np.radians(40)
        offsets[body.index(f"{side}Leg")] = 0.42 * np.array([0, -np.cos(bend), np.sin(bend)])
        offsets[body.index(f"{side}Foot")] = 0.4 * np.array([0, -np.cos(bend), -np.sin(bend)])
    bent = Skeleton.of(body.names, body.parents, offsets, ends=_ends(body))
    np.testing.assert_allclose(body_height(bent, find_roles(body)), HEIGHT, atol=0.05)


def test_a_body_that_lies_at_rest_has_about_the_height_of_one_that_stands(body):
    lying = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])
    down = Skeleton.of(body.names, body.parents, body.offsets @ lying.T)
    np.testing.assert_allclose(body_height(down, find_roles(body)), HEIGHT, atol=0.35)


def test_without_legs_the_height_is_the_largest_extent():
    rod = Skeleton.of(["a", "b"], [-1, 0], [[0, 0, 0], [3, 4, 0]], ends={"b": [0, 8, 0]})
    assert body_height(rod, {}) == 12.0


def test_units_have_names(body):
    for name, metres in UNITS.items():
        assert named_unit(name).metres == metres
        assert unit_of(metres).name == name
    assert unit_of(0.9144).name == "0.9144 m"
    with pytest.raises(MotionError, match="expected a unit of m, cm, mm, inch, cmu, dm, ft, mmd, got 'feet'"):
        named_unit("feet")


def _ends(skeleton):
    return [(skeleton.names[joint], skeleton.end_offsets[i]) for i, joint in enumerate(skeleton.end_joints.tolist())]


@pytest.mark.parametrize("unit", ["m", "cm", "mm"])
def test_legs_without_a_trunk_are_those_of_a_person(unit):
    names = ["Hips", *(f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot", "ToeBase"))]
    leg = [[0, 0, 0], [0, -0.43, 0], [0, -0.42, 0], [0, -0.06, 0.14]]
    aside = [[[x if i == 0 else a, b, c] for i, (a, b, c) in enumerate(leg)] for x in (0.09, -0.09)]
    legs = Skeleton.of(names, [-1, 0, 1, 2, 3, 0, 5, 6, 7], [[0, 0.93, 0], *aside[0], *aside[1]])
    legs = legs.scaled(1.0 / UNITS[unit])
    found = infer_unit(body_height(legs, find_roles(legs)), legs, find_roles(legs))
    assert (found.name, found.plausible) == (unit, True)
