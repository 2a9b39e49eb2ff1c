"""COLLADA files: joints where the specification puts them, curves, clips, skins, and what is refused."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.interpolate import BPoly

import mocapella as mo
from mocapella.cli import main
from mocapella.errors import FormatError
from tests.files.dae.dae_samples import written
from tests.files.fbx.fbx_samples import Bone, person, places

N = 40


@pytest.fixture
def file(tmp_path):
    def write(*arguments, change=None, **options):
        content = arguments[0] if isinstance(arguments[0], bytes) else written(*arguments, **options)
        (tmp_path / "a.dae").write_bytes(content if change is None else content.replace(*change))
        return tmp_path / "a.dae"

    return write


def turned(count=N):
    bones = person(count)
    for bone in bones[1:]:
        bone.pre = (20.0, -70.0, 45.0)
    return bones


def off(clip, bones, unit=0.01):
    found = clip.positions[:, [clip.skeleton.index(bone.name) for bone in bones]]
    return float(np.abs(found - unit * places(bones, clip.n_frames)).max())


@pytest.mark.parametrize("style", ["angles", "matrix"])
@pytest.mark.parametrize("skin", [True, False])
def test_joints_are_where_the_transforms_of_their_nodes_put_them(file, style, skin):
    bones = turned()
    clip = mo.load(file(bones, style=style, skin=skin))
    assert off(clip, bones) < 1e-7
    assert (clip.frame_rate, clip.n_frames, clip.report.unit) == (30.0, N, "cm")
    assert len(mo.find_roles(clip.skeleton)) == 21
    assert not clip.report.warnings


def test_unit_and_axis_are_those_of_the_file(file):
    bones = turned()
    clip = mo.load(file(bones, unit=0.0115))
    assert off(clip, bones, unit=0.0115) < 1e-7
    above = '<rotate sid="r">1 0 0 90</rotate>\n<scale sid="s">1.1 1.1 1.1</scale>'
    upright = mo.load(file(bones, up="Z_UP", above=above))
    assert upright.report.up_axis == "z"
    assert off(upright, bones, unit=0.011) < 1e-7  # what stands above the joints turns and scales them


def test_the_pose_in_which_a_mesh_was_bound_is_the_rest_pose(file):
    bones = person(N)
    bound = mo.load(file(bones)).skeleton
    assert bound.binding is None
    offsets = bound.offsets[[bound.index(bone.name) for bone in bones[1:]]]
    np.testing.assert_allclose(offsets, 0.01 * np.array([bone.place for bone in bones[1:]]), atol=1e-9)


def test_nodes_that_are_not_called_joints_are_taken_where_they_move(file):
    bones = turned()
    assert off(mo.load(file(bones, skin=False, joints=False)), bones) < 1e-7


def test_angles_between_keys_follow_curves_of_bezier(file):
    keys = np.array([[0.0, 10.0], [1.0, 50.0], [2.0, -20.0]])  # seconds, degrees
    into = np.array([[-0.3, 10.0], [0.6, 60.0], [1.8, 0.0]])
    out_of = np.array([[0.2, 0.0], [1.5, 40.0], [2.3, -20.0]])
    thigh = np.stack([keys[:, 1], 0 * keys[:, 1], 0 * keys[:, 1]], axis=1)
    bones = [
        Bone("Hips", -1, np.zeros(3), np.zeros((3, 3))),
        Bone("LeftUpLeg", 0, np.array([0.0, -10.0, 0.0]), thigh),
        Bone("LeftLeg", 1, np.array([0.0, -40.0, 0.0]), np.zeros((3, 3))),
    ]
    clip = mo.load(file(bones, curves={"times": keys[:, 0], "into": into, "out_of": out_of}), unit="cm", up="y")
    assert clip.frame_rate == 60.0
    shank = clip.positions[:, 2] - clip.positions[:, 1]
    angles = np.degrees(np.arctan2(-shank[:, 2], -shank[:, 1]))
    for first in (0, 1):
        handles = np.stack([keys[first], out_of[first], into[first + 1], keys[first + 1]])
        curve = BPoly(handles[:, None], [0.0, 1.0])(np.linspace(0.0, 1.0, 20_001))
        rows = np.arange(60 * first, 60 * first + 61)
        np.testing.assert_allclose(angles[rows], np.interp(rows / 60.0, curve[:, 0], curve[:, 1]), atol=1e-3)


def test_each_clip_of_a_file_is_an_animation_with_its_name(file, tmp_path):
    bones = turned()
    path = file(bones, clips=[("Walk", 0.0, 0.5), ("Run", 0.5, 1.3)])
    walk, run = mo.load(f"{path}#Walk"), mo.load(path, animation="Run")
    assert (walk.n_frames, run.n_frames) == (16, 25)
    truth = 0.01 * places(bones, N)
    for clip, first in ((walk, 0), (run, 15)):
        found = clip.positions[:, [clip.skeleton.index(bone.name) for bone in bones]]
        np.testing.assert_allclose(found, truth[first : first + clip.n_frames], atol=1e-7)
    info = CliRunner().invoke(main, ["info", str(path), "--json"], catch_exceptions=False)
    assert [entry["path"].rpartition("#")[2] for entry in json.loads(info.stdout)["files"]] == ["Walk", "Run"]


def test_the_commands_take_it(file, tmp_path):
    path = file(turned())
    for words in (["info", str(path)], ["convert", str(path), str(tmp_path / "a.bvh")]):
        done = CliRunner().invoke(main, [*words, "--json"], catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
    assert mo.load(tmp_path / "a.bvh").n_frames == N


def test_numbers_of_matrices_may_be_animated_alone(file):
    bones = turned()[:1]
    bones[0].place, bones[0].angles = np.array([0.0, 90.0, 0.0]), np.zeros((N, 3))
    content = written(bones, style="matrix").decode()
    start, end = (
        content.index("<float_array", content.index("a0-OUTPUT")),
        content.index("</source>", content.index("a0-OUTPUT")),
    )
    column = " ".join(f"{value:.6f}" for value in np.linspace(0.0, 30.0, N))
    array = f'<float_array id="x" count="{N}">{column}</float_array>'
    content = content[:start] + array + content[end:]
    content = content.replace('target="b0/transform"', 'target="b0/transform(3)(2)"')
    clip = mo.load(file(content.encode()), unit="cm", up="y")
    np.testing.assert_allclose(clip.root_positions[:, 2], 0.01 * np.linspace(0.0, 30.0, N), atol=1e-6)


def test_a_file_without_animations_gives_its_rest_pose(file):
    content = written(person(1)).decode()
    start, end = content.index("<library_animations>"), content.index("</library_animations>")
    clip = mo.load(file((content[:start] + "<library_animations>" + content[end:]).encode()))
    assert clip.n_frames == 1
    assert "no-animation" in {finding.code for finding in clip.report.findings}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"<COLLADA", b"<KOLLADA", "is not XML: mismatched tag"),
        (b'meter="0.01"', b'meter="x"', r"a.dae:3: expected a unit in metres, found 'x'"),
        (b'#a0-sampler"', b'#none"', r"a.dae:\d+: names a <sampler> that is not there: '#none'"),
        (b'source="#a0-INPUT"', b'source="#none"', r"a.dae:\d+: names a <source> that is not there"),
        (b'semantic="OUTPUT"', b'semantic="OTHER"', r"a.dae:\d+: expected INPUT and OUTPUT in a sampler"),
        (b"LINEAR LINEAR", b"LINEAR WILD", r"a.dae:\d+: keys go by 'WILD'; expected STEP, LINEAR, BEZIER, HERMITE"),
        (b'stride="3"', b'stride="7"', r"a.dae:\d+: 120 numbers do not make rows of 7"),
        (b'stride="3"', b'stride="0"', r"a.dae:\d+: 120 numbers do not make rows of 0"),
        (b"0.0333333333", b"-1", r"a.dae:\d+: an animation has 40 values for 40 keys, or times that fall"),
        (b"0.0333333333", b"inf", r"a.dae:\d+: expected a number in <float_array>, found 'inf'"),
        (b'sid="scale">1 1 1', b'sid="scale">1 1', r"a.dae:\d+: expected 3 numbers in <scale>, found 2"),
        (
            b'sid="scale">1 1 1',
            b'sid="scale">1 0 1',
            r"a.dae:\d+: node 'mixamorig:Hips' has a matrix that is not a place",
        ),
        (b"<scale", b"<skew>1</skew><scale", r"a.dae:\d+: a joint is placed by <skew>"),
        (b"<visual_scene ", b"<other ", "is not XML"),
        (b"visual_scene", b"other", r"a.dae:2: holds no scene"),
    ],
)
def test_what_is_no_motion_is_refused_with_its_line(file, old, new, reason):
    with pytest.raises(FormatError, match=reason):
        mo.load(file(turned(), change=(old, new)))


def test_a_document_type_is_refused(file):
    with pytest.raises(FormatError, match=r"a.dae:2: has a document type"):
        mo.load(file(turned(), prolog='<!DOCTYPE COLLADA [<!ENTITY a "b">]>\n'))
