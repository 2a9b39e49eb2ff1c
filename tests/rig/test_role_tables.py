"""Roles that the user says, and those of real files."""

from dataclasses import replace

import pytest

from mocapella.errors import FormatError, SkeletonError
from mocapella.files.acclaim.asf import read_asf
from mocapella.files.bvh import read_bvh
from mocapella.rig.names import ROLES
from mocapella.rig.roles import explain_roles, find_roles, read_roles
from tests.rig.role_bodies import FAMILIES, body, named, nonsense


def test_the_user_overrules_names_and_shape():
    skeleton, expected = body(FAMILIES["cmu bvh"])
    given_roles = {"left_hip": "LHipJoint", "left_toe": "", "spine": "Spine"}
    found = named(replace(skeleton, role_names=given_roles))
    assert found == {role: name for role, name in (expected | given_roles).items() if name}


def test_a_guess_that_contradicts_the_user_is_taken_back():
    skeleton, _ = body(FAMILIES["lafan"])
    overruled = replace(skeleton, role_names={"left_knee": "RightLeg"})
    found = named(overruled)
    assert found["left_knee"] == "RightLeg"
    assert not {"right_knee", "left_hip", "left_ankle", "left_toe"} & set(found)
    assert len(explain_roles(overruled)) == 4


def test_roles_given_for_unknown_joints_or_unknown_roles_are_refused():
    skeleton, _ = body(FAMILIES["lafan"])
    with pytest.raises(SkeletonError, match="no joint 'Knee'"):
        find_roles(replace(skeleton, role_names={"left_knee": "Knee"}))
    with pytest.raises(SkeletonError, match="did you mean left_knee"):
        find_roles(replace(skeleton, role_names={"leftknee": "LeftLeg"}))


def test_roles_are_read_from_a_table(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_text('[roles]\nleft_knee = "Bone.004"  # ours\nleft_toe = ""\n', encoding="utf-8-sig")
    assert read_roles(path) == {"left_knee": "Bone.004", "left_toe": ""}


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b'[roles]\n\nleft_kne = "a"\n', 3, "no role 'left_kne'; did you mean left_knee[?] roles are hips, spine"),
        (b"[roles]\nhead = 3\n", 2, "expected a joint name in quotes for head, found 3"),
        (b"[roles]\nhead = \n", 2, "is not TOML"),
        (b"[role]\n", 0, r"expected a table \[roles\], found role"),
        (b"", 0, r"expected a table \[roles\], found nothing"),
        (b"roles = 1\n", 0, r"expected a table \[roles\]"),
        (b'[roles]\nhead = "\xff"\n', 2, "is not UTF-8"),
        (b"[roles]\n" + b"#" * 2**20, 0, "more than 1 MiB"),
    ],
)
def test_a_bad_table_is_refused_with_its_place(tmp_path, content, line, reason):
    path = tmp_path / "roles.toml"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=reason) as caught:
        read_roles(path)
    assert caught.value.line == line


def test_a_missing_table_file_is_refused(tmp_path):
    with pytest.raises(FormatError, match="cannot be read"):
        read_roles(tmp_path / "none.toml")


FULL = set(ROLES)
TOELESS = FULL - {"left_toe", "right_toe"}
FILES = {
    "cmu-bvh/07/07_01.bvh": FULL,
    "cmu-asfamc/07/07.asf": FULL,
    "makehuman/tpose.bvh": FULL,
    "makehuman/walk1.bvh": FULL,
    "three-js/pirouette.bvh": TOELESS,
    "odd-asfamc/endorphin-skeleton.asf": FULL - {"head"},
    "odd-bvh/100style-retarget-Geno_bind.bvh": FULL,
    "odd-bvh/AnimatedDrawings-zombie.bvh": FULL,
    "odd-bvh/BVH.jl-DAZ3D.bvh": FULL,
    "odd-bvh/BVH.jl-Example.bvh": FULL - {"head"},
    "odd-bvh/GPmat-Swagger.bvh": FULL,
    "odd-bvh/bvh-python-test_mocapbank.bvh": TOELESS,
    "odd-bvh/bvh-toolbox-walk01.bvh": TOELESS,
    "odd-bvh/bvh11-131_01-3dsmax.bvh": FULL,
    "odd-bvh/bvhio-example.bvh": TOELESS - {"spine"},
    "odd-bvh/pybvh-bvh_test1.bvh": FULL,
    "odd-bvh/pybvh-bvh_test2.bvh": FULL,
    "odd-bvh/pybvh-bvh_test3.bvh": FULL,
    "odd-bvh/pybvh-rotation_first_root.bvh": {"hips", "spine", "head"},
    "odd-bvh/bvh_anim-test_simple.bvh": set(),
    "odd-bvh/fairmotion-sinusoidal.bvh": set(),
}


def real(path):
    return read_asf(path).skeleton if path.suffix == ".asf" else read_bvh(path).skeleton


@pytest.mark.data
@pytest.mark.parametrize("file", FILES)
def test_real_files_get_the_roles_they_have(file, data_folder):
    assert set(find_roles(real(data_folder / file))) == FILES[file]


@pytest.mark.data
@pytest.mark.parametrize("file", [file for file in FILES if len(FILES[file]) > 15])
def test_real_bodies_without_names_get_the_same_roles_or_none(file, data_folder):
    skeleton = real(data_folder / file)
    by_name = find_roles(skeleton)
    by_shape = find_roles(nonsense(skeleton))
    assert {role: joint for role, joint in by_shape.items() if by_name.get(role) != joint} == {}


@pytest.mark.data
def test_conversions_of_one_capture_agree(data_folder):
    bvh, asf = real(data_folder / "cmu-bvh/07/07_01.bvh"), real(data_folder / "cmu-asfamc/07/07.asf")
    assert find_roles(bvh) == find_roles(asf)
