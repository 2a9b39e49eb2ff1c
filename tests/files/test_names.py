"""Names of joints and motions in files: they come back, or change as the writer says, and add nothing to the file."""

import json
import re
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mocapella.errors import MotionError
from mocapella.files.formats import read_motion, write_motion
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import Skeleton
from tests.test_quoting import NASTY, names

SEVERAL = [text for text in NASTY if text]  # a file names what has no name
any_name = given(st.one_of(st.sampled_from(SEVERAL), names.filter(bool)), st.sampled_from([0, 1]))
often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def whole(name):
    return re.sub("[\ud800-\udfff]", "\ufffd", name)


def arm(name, joint=1):
    """A clip under a name, which one of its joints has, too."""
    joints = [name if i == joint else other for i, other in enumerate(("shoulder", "elbow", "wrist"))]
    skeleton = Skeleton.of(joints, [-1, 0, 1], [[0, 0, 0], [0, 0, 0.3], [0, 0, 0.3]], ends=[(joints[2], [0, 0, 0.1])])
    turns = np.linspace(0.1, 0.5, 4)[:, None, None] * np.ones((3, 3))
    return Clip(skeleton, np.tile([0.0, 1.0, 0.0], (4, 1)), quaternions.from_rotvec(turns), 30.0, name=name)


@often
@any_name
def test_a_name_in_bvh_comes_back_or_is_refused(tmp_path, name, joint):
    clip, path = arm(name, joint), tmp_path / "a.bvh"
    if re.search("[{}\r\n\ud800-\udfff]", name) or name.strip(" \t\v\f") != name:
        with pytest.raises(MotionError, match=r"^BVH cannot name a joint .{1,60}: no braces, line breaks or outer"):
            write_motion(clip, path)
        return
    write_motion(clip, path)
    head, _, _ = path.read_bytes().partition(b"\nMOTION\n")
    words = [line.strip().split(b" ", 1)[0] for line in head.split(b"\n")]
    assert words.count(b"JOINT") + words.count(b"ROOT") == 3
    assert read_motion(path).skeleton.names == clip.skeleton.names


def test_a_name_that_bvh_would_not_read_is_not_written(tmp_path):
    with pytest.raises(MotionError, match="BVH names joints in at most 10,000 letters"):
        write_motion(arm("x" * 10_001), tmp_path / "a.bvh")


@often
@any_name
def test_a_name_in_acclaim_is_one_word_of_its_letters(tmp_path, name, joint):
    clip, path = arm(name, joint), tmp_path / "a.amc"
    write_motion(clip, path)
    read = read_motion(path).skeleton.names
    word = re.sub("[(),#]", "_", "_".join(whole(name).split()))
    assert len(read) == len({*read}) == 4  # and one that carries an offset
    assert "root" in read
    assert joint == 0 or {word, f"_{word}", f"{word}_2"} & {*read}


@often
@any_name
def test_a_name_in_gltf_comes_back(tmp_path, name, joint):
    clip, path = arm(name, joint), tmp_path / "a.glb"
    write_motion(clip, path)
    content = path.read_bytes()
    (length,) = struct.unpack_from("<I", content, 12)
    document = json.loads(content[20 : 20 + length])
    assert [node["name"] for node in document["nodes"]][:3] == [*map(whole, clip.skeleton.names)]
    assert [animation["name"] for animation in document["animations"]] == [whole(name)]
    assert whole(name) in read_motion(path).skeleton.names


@pytest.mark.parametrize("suffix", ["usda", "usdc"])
def test_a_name_in_usd_comes_back_and_adds_no_prim(tmp_path, suffix):
    usd = pytest.importorskip("pxr.Usd", reason="needs usd-core: pip install 'mocapella[usd]'")
    skeletons = pytest.importorskip("pxr.UsdSkel")
    for i, name in enumerate(SEVERAL):
        path = tmp_path / f"{i}.{suffix}"
        write_motion(arm(name), path)
        stage = usd.Stage.Open(str(path))
        prims = list(stage.Traverse())
        assert len(prims) == 4
        held = whole(name).replace("\0", "\ufffd")
        skeleton = skeletons.Skeleton(stage.GetPrimAtPath("/Character/Skeleton"))
        assert skeleton.GetJointNamesAttr().Get()[1] == held
        assert prims[2].GetCustomDataByKey("name") == held


def test_a_file_whose_name_is_not_utf8_is_read_and_written_in_every_format(tmp_path):
    path = tmp_path / "caf\udce9.bvh"
    write_motion(arm("walk"), path)
    clip = read_motion(path)
    assert clip.name == "caf\ufffd"
    for suffix in ("bvh", "amc", "glb", "gltf"):
        write_motion(clip, tmp_path / f"again.{suffix}")
        assert read_motion(tmp_path / f"again.{suffix}").n_frames == clip.n_frames


def test_a_skeletons_file_name_adds_no_line_to_a_motion(tmp_path):
    path = tmp_path / "a\nroot 1 2 3 4 5 6\n.amc"
    write_motion(arm("walk"), path)
    assert b"\nroot 1 2 3 4 5 6\n" not in path.read_bytes()
