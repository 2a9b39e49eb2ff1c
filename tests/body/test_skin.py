"""Bodies: closed surfaces that move with the joints and look like people where the joints are a person's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.body.skin import body_mesh, sole_thickness
from mocapella.body.tubes import volume
from mocapella.geometry import quaternions
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.binding import bound
from mocapella.rig.roles import find_roles

SIDE_OFFSETS = {
    "clavicle": ("chest", (0.03, 0.10, 0.0)),
    "shoulder": ("clavicle", (0.15, 0.0, 0.0)),
    "elbow": ("shoulder", (0.29, 0.0, 0.0)),
    "wrist": ("elbow", (0.25, 0.0, 0.0)),
    "hip": ("hips", (0.09, -0.05, 0.0)),
    "knee": ("hip", (0.0, -0.43, 0.0)),
    "ankle": ("knee", (0.0, -0.42, 0.0)),
    "toe": ("ankle", (0.0, -0.05, 0.14)),
}


def person(turn=quaternions.IDENTITY, stand=False):
    """A hand-made person in a T-pose looking at +z, or as ``turn`` turns that; ``stand`` puts a root on the floor."""
    names, parents, offsets = ["hips"], [-1], [(0.0, 0.95, 0.0)]
    if stand:
        names, parents, offsets = ["floor", "hips"], [-1, 0], [(0.0, 0.0, 0.0), (0.0, 0.95, 0.0)]
    for name, offset in (
        ("spine", (0, 0.12, 0)),
        ("chest", (0, 0.2, 0)),
        ("neck", (0, 0.17, 0)),
        ("head", (0, 0.1, 0)),
    ):
        parents.append(len(names) - 1)
        names.append(name)
        offsets.append(offset)
    for side, sign in (("left_", 1.0), ("right_", -1.0)):
        for role, (above, (x, y, z)) in SIDE_OFFSETS.items():
            parents.append(names.index(above if above in names else side + above))
            names.append(side + role)
            offsets.append((sign * x, y, z))
    ends = {"head": (0, 0.18, 0), "left_toe": (0, 0, 0.07), "right_toe": (0, 0, 0.07)}
    turned = {name: quaternions.rotate(turn, np.array(end, dtype=float)) for name, end in ends.items()}
    skeleton = Skeleton.of(names, parents, quaternions.rotate(turn, np.array(offsets, dtype=float)), ends=turned)
    return skeleton, {name: i for i, name in enumerate(names) if name != "floor"}


@st.composite
def trees(draw):
    """What a skeleton is made from."""
    n = draw(st.integers(1, 9))
    number = st.floats(-1.0, 1.0, width=32)
    offset = st.tuples(number, number, number).map(np.array)
    parents = [-1] + [draw(st.integers(0, joint - 1)) for joint in range(1, n)]
    ends = [(f"j{draw(st.integers(0, n - 1))}", draw(offset)) for _ in range(n // 2)]
    return [f"j{i}" for i in range(n)], parents, np.array([draw(offset) for _ in range(n)]), ends


def planted(tree):
    names, parents, offsets, ends = tree
    return Skeleton.of(names, parents, offsets, ends=ends)


def pieces(body):
    """The faces of each connected surface."""
    owner = np.arange(len(body.vertices))
    while True:
        least = owner[body.faces].min(axis=1)
        before = owner.copy()
        for corner in range(3):
            np.minimum.at(owner, body.faces[:, corner], least)
        if np.array_equal(before, owner):
            break
    first = owner[body.faces[:, 0]]
    return [body.faces[first == label] for label in np.unique(first)]


def assert_sound(body):
    n_joints = body.skeleton.n_joints
    assert len(body.faces) > 0
    for values in (body.vertices, body.normals, body.weights):
        assert np.isfinite(values).all()
    np.testing.assert_allclose(np.linalg.norm(body.normals, axis=-1), 1.0, atol=1e-9)
    np.testing.assert_allclose(body.weights.sum(axis=-1), 1.0, atol=1e-9)
    assert body.weights.min() >= 0.0
    assert body.joints.min() >= 0
    assert body.joints.max() < n_joints
    assert (body.joints[body.weights == 0.0] == 0).all()
    for row, weights in zip(body.joints, body.weights, strict=True):
        used = row[weights > 0.0]
        assert len(set(used.tolist())) == len(used)
    for faces in pieces(body):
        edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()  # closed: every edge has two sides
        assert volume(body.vertices, faces) > 0.0  # and its faces look outwards


@settings(max_examples=30, deadline=None)
@given(trees())
def test_any_tree_has_a_sound_body(tree):
    assert_sound(body_mesh(planted(tree), {}))


@settings(max_examples=15, deadline=None)
@given(trees())
def test_at_rest_a_posed_body_is_the_body(tree):
    skeleton = planted(tree)
    body = body_mesh(skeleton, {})
    still = np.tile(quaternions.IDENTITY, (skeleton.n_joints, 1))
    np.testing.assert_allclose(body.posed(skeleton.rest_positions, still), body.vertices, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_roles_in_disorder_still_make_a_sound_body(data):
    skeleton, roles = person()
    joints = st.integers(0, skeleton.n_joints - 1)
    muddled = {role: data.draw(joints) for role in roles if data.draw(st.booleans())}
    assert_sound(body_mesh(skeleton, muddled))


@pytest.mark.parametrize("missing", [None, "head", "neck", "chest", "left_knee", "left_toe", "right_wrist", "hips"])
def test_a_person_without_one_role_still_has_a_sound_body(missing):
    skeleton, roles = person()
    assert_sound(body_mesh(skeleton, {role: joint for role, joint in roles.items() if role != missing}))


def test_a_person_measures_like_one():
    skeleton, roles = person()
    body = body_mesh(skeleton, roles)
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    assert 1.6 < high[1] - low[1] < 1.85
    chest = body.vertices[np.isin(body.joints[:, 0], [roles["spine"], roles["chest"]])]
    width, _, depth = np.ptp(chest, axis=0)
    assert width > 1.4 * depth  # wider than deep
    feet = body.vertices[body.vertices[:, 1] < low[1] + 0.02]
    assert feet[:, 2].max() > 0.1  # toes ahead
    assert -0.1 < feet[:, 2].min() < -0.03  # heels behind the ankle
    assert len(body.faces) < 3000


def test_a_body_is_the_same_on_both_sides():
    body = body_mesh(*person())
    mirrored = body.vertices * [-1.0, 1.0, 1.0]
    apart = np.linalg.norm(mirrored[:, None] - body.vertices[None], axis=-1).min(axis=1)
    np.testing.assert_allclose(apart, 0.0, atol=1e-9)


def test_a_person_who_rests_facing_elsewhere_has_the_same_body_turned():
    turn = quaternions.about_y(0.5 * np.pi)
    plain, turned = body_mesh(*person()), body_mesh(*person(turn))
    np.testing.assert_allclose(turned.vertices, quaternions.rotate(turn, plain.vertices), atol=1e-9)


def test_what_leads_from_the_floor_to_the_hips_is_no_part_of_the_body():
    plain, standing = body_mesh(*person()), body_mesh(*person(stand=True))
    np.testing.assert_allclose(standing.vertices, plain.vertices, atol=1e-12)


def test_soles_lie_on_the_ground_also_where_legs_are_spread_at_rest():
    walk = mo.example("walk", frame_rate=30.0)
    roles = find_roles(walk.skeleton)
    axes = np.tile(quaternions.IDENTITY, (walk.skeleton.n_joints, 1))
    for side, angle in (("left", 0.35), ("right", -0.35)):
        legs = [j for j in range(len(axes)) if roles[f"{side}_hip"] in walk.skeleton.path(j)]
        axes[legs] = quaternions.from_rotvec(np.array([0.0, 0.0, angle]))
    spread = bound(walk, np.arange(len(axes)), axes)
    np.testing.assert_allclose(spread.positions, walk.positions, atol=1e-9)
    for clip in (walk, spread):
        lowest = body_mesh(clip.skeleton).posed(*clip.world)[..., 1].min(axis=1)
        assert np.abs(lowest).max() < 0.003
        assert sole_thickness([clip]) < 1e-3


def test_bending_a_knee_moves_the_shin_and_leaves_the_hip():
    skeleton, roles = person()
    body = body_mesh(skeleton, roles)
    knee = roles["left_knee"]
    below = [joint for joint in range(skeleton.n_joints) if knee in skeleton.path(joint)]
    world = np.tile(quaternions.IDENTITY, (skeleton.n_joints, 1))
    world[below] = quaternions.from_rotvec(np.array([0.5 * np.pi, 0.0, 0.0]))
    positions = np.array(skeleton.rest_positions)
    positions[below] = positions[knee] + quaternions.rotate(world[knee], positions[below] - positions[knee])
    moved = np.linalg.norm(body.posed(positions, world) - body.vertices, axis=-1)
    on_shin = np.isin(body.joints[:, 0], below) & (body.weights[:, 0] == 1.0)
    carried = np.isin(body.joints, below) & (body.weights > 0.0)
    assert moved[on_shin].max() > 0.4
    np.testing.assert_allclose(moved[~carried.any(axis=1)], 0.0, atol=1e-12)


def test_joints_in_one_point_are_a_small_ball():
    body = body_mesh(Skeleton.of(["a", "b"], [-1, 0], np.zeros((2, 3))), {})
    assert_sound(body)
    np.testing.assert_allclose(np.ptp(body.vertices, axis=0)[1], 0.1, atol=1e-9)
