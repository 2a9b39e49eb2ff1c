"""AMC of real captures, beside the textbook formula written out plainly and beside the BVH of the same captures."""

import numpy as np
import pytest

from mocapella.errors import FormatError
from mocapella.files.bvh import read_bvh
from mocapella.geometry import quaternions
from mocapella.motion import kinematics
from tests.files.acclaim.asf_samples import CMU, LEGS, load_amc

pytestmark = pytest.mark.data


def rotation_matrix(letter, degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[letter.lower()]
    out = np.eye(3)
    out[i, i], out[i, j], out[j, i], out[j, j] = c, -s, s, c
    return out


def plain_skeleton(path):
    """An ASF file by split() and dicts, for files known to be well formed."""
    sections = path.read_text().replace("\r", "").split(":bonedata")[1].split(":hierarchy")
    bones = {}
    for block in sections[0].split("begin")[1:]:
        lines = [line.split() for line in block.splitlines() if line.split()]
        keys = {words[0]: words[1:] for words in lines}
        *angles, order = keys["axis"]
        turn = np.eye(3)
        for letter, angle in zip("xyz", angles, strict=True):
            turn = rotation_matrix(letter, float(angle)) @ turn
        assert order == "XYZ"
        reach = float(keys["length"][0]) * np.array([float(word) for word in keys["direction"]])
        bones[keys["name"][0]] = (reach, turn, [dof[1] for dof in keys.get("dof", [])])
    parents = {}
    for line in sections[1].splitlines():
        words = line.split()
        if len(words) > 1:
            parents |= dict.fromkeys(words[1:], words[0])
    return bones, parents


def plain_motion(path):
    """The frames of an AMC file, each a dict of name to values."""
    frames = []
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) == 1 and words[0].isdigit():
            frames.append({})
        elif frames and words:
            frames[-1][words[0]] = [float(word) for word in words[1:]]
    return frames


def bone_ends(bones, parents, values):
    """World places of all bones' ends: R = B·C·M·C⁻¹, P = K + R·(length·direction)."""
    x, y, z, *angles = values["root"]
    turns, ends = {"root": np.eye(3)}, {"root": np.array([x, y, z])}
    for letter, angle in zip("xyz", angles, strict=True):
        turns["root"] = rotation_matrix(letter, angle) @ turns["root"]
    for name, parent in parents.items():
        reach, turn, dofs = bones[name]
        motion = np.eye(3)
        for letter, angle in zip(dofs, values.get(name, []), strict=True):
            motion = rotation_matrix(letter, angle) @ motion
        turns[name] = turns[parent] @ turn @ motion @ turn.T
        ends[name] = ends[parent] + turns[name] @ reach
    return ends


def world(parsed):
    return kinematics.forward(parsed.skeleton, parsed.root_positions, parsed.rotations_wxyz)


@pytest.mark.parametrize("trial", ["07_01", "16_15", "60_10"])
def test_a_capture_stands_where_the_textbook_formula_puts_it(data_folder, trial):
    folder = data_folder / "cmu-asfamc" / trial[:2]
    parsed = load_amc(folder / f"{trial}.amc", folder / f"{trial[:2]}.asf")
    bones, parents = plain_skeleton(folder / f"{trial[:2]}.asf")
    frames = plain_motion(folder / f"{trial}.amc")
    assert len(frames) == len(parsed.root_positions)
    positions, world_wxyz = world(parsed)
    ends = kinematics.end_positions(parsed.skeleton, positions, world_wxyz)
    leaves = [parsed.skeleton.names[joint] for joint in parsed.skeleton.end_joints]
    for row in range(0, len(frames), 50):
        expected = bone_ends(bones, parents, frames[row])
        starts = [expected[parents[name]] for name in parsed.skeleton.names[1:]]
        np.testing.assert_allclose(positions[row, 1:], starts, atol=1e-10)
        np.testing.assert_allclose(ends[row], [expected[name] for name in leaves], atol=1e-10)


SPINE = {"root": "Hips", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1"}
ABOVE = {"lowerneck": "Neck", "upperneck": "Neck1", "head": "Head", "lhumerus": "LeftArm", "rradius": "RightForeArm"}


@pytest.mark.parametrize("trial", ["07_01", "16_15", "60_10"])
def test_legs_agree_with_the_bvh_of_the_same_capture(data_folder, trial):
    folder = data_folder / "cmu-asfamc" / trial[:2]
    ours = load_amc(folder / f"{trial}.amc", folder / f"{trial[:2]}.asf")
    theirs = read_bvh(data_folder / "cmu-bvh" / trial[:2] / f"{trial}.bvh")
    positions, _ = world(ours)
    others = world(theirs)[0][1:]  # the first frame is a made-up T-pose
    for name, bvh_name in {**LEGS, **SPINE}.items():
        apart = positions[:, ours.skeleton.index(name)] - others[:, theirs.skeleton.index(bvh_name)]
        assert np.linalg.norm(apart, axis=-1).max() * CMU < 1e-4, name


def test_neck_head_and_arms_are_apart_from_the_bvh_by_the_thorax_bone_it_leaves_out(data_folder):
    folder = data_folder / "cmu-asfamc" / "07"
    ours = load_amc(folder / "07_01.amc", folder / "07.asf")
    theirs = read_bvh(data_folder / "cmu-bvh" / "07" / "07_01.bvh")
    positions, world_wxyz = world(ours)
    others = world(theirs)[0][1:]
    neck, thorax = ours.skeleton.index("lowerneck"), ours.skeleton.index("thorax")
    left_out = quaternions.rotate(world_wxyz[:, thorax], ours.skeleton.offsets[neck])
    assert 0.10 < np.linalg.norm(ours.skeleton.offsets[neck]) * CMU < 0.14
    for name, bvh_name in ABOVE.items():
        apart = positions[:, ours.skeleton.index(name)] - others[:, theirs.skeleton.index(bvh_name)]
        np.testing.assert_allclose(apart * CMU, left_out * CMU, atol=1e-4, err_msg=name)


def test_a_motion_with_three_angles_for_every_bone_is_refused(data_folder):
    with pytest.raises(FormatError, match=r"3dof.amc:5: expected 0 values for 'lhipjoint'.* found 3"):
        load_amc(data_folder / "odd-asfamc" / "16_11-all-3dof.amc", data_folder / "cmu-asfamc" / "16" / "16.asf")


def test_of_a_motion_that_stops_within_its_last_frame_the_whole_ones_can_be_had(data_folder):
    motion, skeleton = data_folder / "odd-asfamc" / "07_12-truncated.amc", data_folder / "cmu-asfamc" / "07" / "07.asf"
    with pytest.raises(FormatError, match="the file ends within frame 245"):
        load_amc(motion, skeleton)
    parsed = load_amc(motion, skeleton, partial=True)
    assert len(parsed.root_positions) == 244
    finding = parsed.findings[0]
    assert (finding.code, finding.frames, finding.doubtful) == ("truncated", (244,), True)
    assert "frame 245" in finding.message


def test_a_motion_by_endorphin_is_read_at_the_height_of_a_person(data_folder):
    folder = data_folder / "odd-asfamc"
    parsed = load_amc(folder / "endorphin-walking.amc", folder / "endorphin-skeleton.asf")
    assert parsed.rotations_wxyz.shape == (1741, 34, 4)
    positions, _ = world(parsed)
    assert 1.5 < np.ptp(positions[0, :, 1]) < 1.8  # metres, whatever its length unit says
    zeros = load_amc(folder / "zeros.amc", data_folder / "cmu-asfamc" / "07" / "07.asf")
    np.testing.assert_allclose(zeros.rotations_wxyz, np.broadcast_to(quaternions.IDENTITY, (7, 31, 4)), atol=1e-15)
