"""Roles told by the shape of a body whose names mean nothing."""

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import LEG, ROLES
from mocapella.rig.roles import explain_roles, find_roles
from mocapella.rig.standing import TO_Y
from tests.rig.role_bodies import FAMILIES, body, nonsense, renamed, turned


@given(yaw=st.floats(-4, 4), size=st.sampled_from([0.01, 1.0, 39.37]))
@settings(max_examples=15, deadline=None)
def test_the_shape_alone_tells_the_roles_wherever_it_looks(yaw, size):
    skeleton, expected = body()
    found = find_roles(nonsense(turned(skeleton, yaw).scaled(size)))
    assert {role: skeleton.names[joint] for role, joint in found.items()} == expected


@pytest.mark.parametrize("axis", TO_Y)
def test_the_shape_alone_tells_the_roles_whichever_axis_is_up(axis):
    skeleton, expected = body()
    spun = turned(skeleton, 0.4)
    lying = replace(spun, offsets=spun.offsets @ TO_Y[axis], end_offsets=spun.end_offsets @ TO_Y[axis])
    found = find_roles(nonsense(lying))
    assert {role: skeleton.names[joint] for role, joint in found.items()} == expected
    assert explain_roles(nonsense(lying)) == explain_roles(nonsense(skeleton))


def test_mirroring_a_nameless_body_swaps_left_and_right():
    skeleton, _ = body()
    flipped, _ = body(flip=-1.0)
    swapped = {"left": "right_", "right": "left_"}
    expected = {
        swapped[role.split("_")[0]] + role.split("_")[1] if "_" in role else role: joint
        for role, joint in find_roles(nonsense(skeleton)).items()
    }
    assert find_roles(nonsense(flipped)) == expected


def test_names_that_tell_hands_and_no_leg_leave_the_legs_to_the_shape():
    skeleton, expected = body()
    foreign = renamed(skeleton, lambda i, role: role.replace("wrist", "hand") if "wrist" in role else f"Teil{i}")
    found = find_roles(foreign)
    assert {role: skeleton.names[joint] for role, joint in found.items()} == expected
    assert "do not tell the legs" in explain_roles(foreign)[-1]


def test_names_on_the_wrong_sides_of_a_standing_body_are_not_believed():
    flipped, _ = body(FAMILIES["lafan"], flip=-1.0)
    assert set(find_roles(flipped)) == {"hips", "spine", "chest", "neck", "head"}
    assert "wrong sides" in explain_roles(flipped)[0]


@pytest.mark.parametrize("angle", [0, 30, 60, 80])
def test_the_shape_is_told_with_arms_out_or_down(angle):
    skeleton, expected = body()
    offsets = np.array(skeleton.offsets)
    for side, sign in (("left_", 1), ("right_", -1)):
        for part in ("elbow", "wrist"):
            joint, length = skeleton.index(side + part), np.linalg.norm(skeleton.offsets[skeleton.index(side + part)])
            offsets[joint] = length * np.array([sign * np.cos(np.radians(angle)), -np.sin(np.radians(angle)), 0])
    found = find_roles(nonsense(replace(skeleton, offsets=offsets)))
    assert {role: skeleton.names[joint] for role, joint in found.items()} == expected


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_a_nameless_body_out_of_shape_never_gets_a_wrong_side(data):
    skeleton, _ = body()
    noise = data.draw(st.lists(st.floats(-0.12, 0.12), min_size=63, max_size=63))
    offsets = skeleton.offsets + np.reshape(noise, (21, 3))
    for role, joint in find_roles(nonsense(replace(skeleton, offsets=offsets))).items():
        if "_" in role:
            assert skeleton.names[joint].split("_")[0] == role.split("_")[0]


def test_a_nameless_body_without_feet_gets_no_roles():
    skeleton, _ = body()
    keep = [name for name in skeleton.names if "toe" not in name]
    old = [skeleton.index(name) for name in keep]
    parents = [old.index(int(skeleton.parents[j])) if j else -1 for j in old]
    blunt = Skeleton.of(keep, parents, skeleton.offsets[old])
    assert find_roles(nonsense(blunt)) == {}
    assert "not which is the left" in explain_roles(nonsense(blunt))[0]


def test_a_nameless_arm_in_three_like_parts_gets_no_roles():
    skeleton, _ = body()
    offsets, end_offsets = np.array(skeleton.offsets), np.array(skeleton.end_offsets)
    for part, length in (("shoulder", 0.28), ("elbow", 0.28), ("wrist", 0.2)):
        for side, sign in (("left_", 1), ("right_", -1)):
            offsets[skeleton.index(side + part)] = [sign * length, 0, 0]
    end_offsets[np.abs(end_offsets[:, 0]) > 0] *= 0.3
    found = find_roles(nonsense(replace(skeleton, offsets=offsets, end_offsets=end_offsets)))
    assert {role for role in found if "_" in role} == {f"{side}_{part}" for side in ("left", "right") for part in LEG}


def test_shape_and_side_marks_in_the_names_must_agree():
    skeleton, _ = body()
    marks = {"left": "Os.L.", "right": "Os.R."}
    marked = renamed(skeleton, lambda i, name: marks.get(name.split("_")[0], "Os.") + f"q{i}")
    assert len(find_roles(marked)) == len(ROLES)
    marks = {"left": "Os.R.", "right": "Os.L."}
    assert find_roles(renamed(skeleton, lambda i, name: marks.get(name.split("_")[0], "Os.") + f"q{i}")) == {}


def test_a_horse_gets_no_roles_by_its_shape():
    rows = [("a", -1, (0, 1.2, 0)), ("b", 0, (0, 0, 0.7)), ("c", 1, (0, 0.3, 0.3)), ("d", 2, (0, 0.2, 0.1))]
    for top in (0, 1):
        for sign in (-1, 1):
            at = len(rows)
            rows += [(f"l{at}", top, (sign * 0.2, -0.1, 0)), (f"m{at}", at, (0, -0.5, 0))]
            rows += [(f"n{at}", at + 1, (0, -0.5, 0)), (f"o{at}", at + 2, (0, -0.1, 0.1))]
    names, parents, offsets = zip(*rows, strict=True)
    assert find_roles(nonsense(Skeleton.of(names, list(parents), np.array(offsets)))) == {}


@pytest.mark.parametrize("shape", ["chain", "caterpillar", "same names"])
def test_eight_times_the_joints_take_about_eight_times_as_long(shape):
    def seconds(n: int) -> float:
        parents = {
            "chain": range(-1, n - 1),
            "caterpillar": [-1, *((i - 1) // 2 * 2 for i in range(1, n))],
            "same names": [-1] + [i // 3 for i in range(1, n)],
        }[shape]
        parts = ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe", "Head", "Spine", "LeftArm", "Hips"]
        names = [f"{parts[i % 8]}{i}" if shape == "same names" else f"q{i}" for i in range(n)]
        skeleton = Skeleton.of(names, parents, np.random.default_rng(1).normal(size=(n, 3)))
        _ = skeleton.rest_positions
        start = time.process_time()
        find_roles(skeleton)
        return time.process_time() - start

    few, many = (min(seconds(n) for _ in range(3)) for n in (1_000, 8_000))
    assert many < 50 * max(few, 1e-3)  # in step with the joints, not with their square


def test_a_body_of_no_height_with_bones_of_no_length_has_no_roles_by_shape():
    lengths = (1.0, 1.0, 0.0, 1.0, 0.5)
    names = ["root", *(f"{side}{i}" for side in "ab" for i in range(5))]
    offsets = [(0.0, 0.0, 0.0), *((sign * length, 0.0, 0.0) for sign in (1.0, -1.0) for length in lengths)]
    assert find_roles(Skeleton.of(names, [-1, 0, 1, 2, 3, 4, 0, 6, 7, 8, 9], offsets)) == {}
