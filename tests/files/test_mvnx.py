"""MVNX files: segments where the file puts them, calibration left out, and what is refused."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.cli import main
from mocapella.errors import FormatError
from tests.files.mvnx_samples import TO_MVN, performed, rows, written

TO_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # a room with z up laid down


@pytest.fixture(scope="module")
def body():
    return performed(mo.example("walk", frame_rate=60.0))


@pytest.fixture
def file(tmp_path):
    def write(content):
        (tmp_path / "a.mvnx").write_bytes(content)
        return tmp_path / "a.mvnx"

    return write


def test_segments_begin_where_the_file_puts_them(body, file):
    clip = mo.load(file(written(body)))
    truth = body.positions @ TO_MVN.T @ TO_Y.T
    found = clip.positions[:, [clip.skeleton.index(row[0]) for row in rows()]]
    assert np.abs(found - truth).max() < 1e-5
    assert (clip.frame_rate, clip.n_frames, clip.report.up_axis, clip.report.unit) == (60.0, 306, "z", "m")
    assert clip.report.height == pytest.approx(1.69, abs=0.01)
    assert not clip.report.warnings
    assert not len(clip.sliding_joints)


def test_its_segments_have_all_roles(body, file):
    skeleton = mo.load(file(written(body[:20]))).skeleton
    roles = {role: skeleton.names[joint] for role, joint in mo.find_roles(skeleton).items()}
    assert len(roles) == 21
    expected = {role: name for name, _, _, role in rows() if role not in ("", "spine", "chest")}
    assert roles.items() >= expected.items()


def test_segments_that_slide_are_where_they_were(body, file):
    moved = written(body[:30]).decode()
    lines = moved.split("\n")
    at = [i for i, line in enumerate(lines) if line.startswith("<position>")]
    words = lines[at[-1]].removeprefix("<position>").removesuffix("</position>").split()
    words[3 * 10] = str(float(words[3 * 10]) + 0.02)  # the right hand, by 2 cm in the last frame
    lines[at[-1]] = f"<position>{' '.join(words)}</position>"
    clip = mo.load(file("\n".join(lines).encode()))
    hand = clip.positions[-1, clip.skeleton.index("RightHand")]
    np.testing.assert_allclose(hand[0], float(words[3 * 10]), atol=1e-5)
    assert len(clip.sliding_joints) == 1


def test_the_commands_take_it(body, file, tmp_path):
    path = file(written(body))

    def run(*words):
        done = CliRunner().invoke(main, [*map(str, words), "--json"], catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)

    assert run("info", path)["files"][0]["format"] == "mvnx"
    cycle = run("cycles", path)["cycles"][0]
    assert cycle["steps"] == 2
    assert cycle["speed"] == pytest.approx(1.23, abs=0.03)
    assert run("plants", path)["left_toe"]
    assert run("convert", path, tmp_path / "a.bvh")["frames"] == 306
    again = mo.load(tmp_path / "a.bvh")
    assert again.report.height == pytest.approx(mo.load(path).report.height, abs=0.01)


def test_of_several_subjects_the_first_is_read_and_named(body, file):
    clip = mo.load(file(written(body[:10], subjects=2)))
    assert "of 2 subjects the first is read, 'Sample'" in {f.code: f.message for f in clip.report.findings}["skeletons"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("<mvnx ", "<mvn ", r"a.mvnx:\d+: is not XML: mismatched tag"),
        ('frameRate="60"', 'frameRate="0"', r"a.mvnx:5: expected a frameRate above 0, found '0'"),
        ('frameRate="60"', "", r"a.mvnx:5: expected a frameRate above 0, found the end"),
        ('label="L5"', 'label="L3"', r"a.mvnx:5: expected segments with labels that differ"),
        ("<connector1>Pelvis/jL5S1", "<connector1>L5/jL5S1", r"a.mvnx:5: its joints do not make one tree"),
        ("<connector1>Pelvis/jL5S1", "<connector1>Moon/jL5S1", r"a.mvnx:\d+: a joint connects 'Moon' with 'L5'"),
        ('type="normal"', 'type="tpose"', r"a.mvnx:5: holds 0 captured frames"),
        ("<position>", "<place>", r"a.mvnx:\d+: is not XML"),
    ],
)
def test_what_is_no_motion_is_refused_with_its_line(body, file, old, new, reason):
    with pytest.raises(FormatError, match=reason):
        mo.load(file(written(body[:3]).decode().replace(old, new).encode()))


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("x", "expected a number in <orientation>, found 'x'"),
        ("nan", "expected a number in <orientation>, found 'nan'"),
        ("1e99", "expected a number in <orientation>, found '1e99'"),
        ("1 1", "expected 92 numbers in <orientation>, found 93"),
    ],
)
def test_a_frame_that_does_not_hold_its_numbers_is_refused_with_its_line(body, file, word, reason):
    lines = written(body[:3]).decode().split("\n")
    at = [i for i, line in enumerate(lines) if line.startswith("<orientation>")][4]
    lines[at] = f"<orientation>{word} " + lines[at].partition(" ")[2]
    with pytest.raises(FormatError, match=f"a.mvnx:{at + 1}: {reason}"):
        mo.load(file("\n".join(lines).encode()))


def test_a_frame_without_places_is_refused_with_what_helps(body, file):
    text = written(body[:3]).decode()
    first = text.index("<position>", text.index('type="normal"'))
    text = text[:first] + text[text.index("</position>", first) + len("</position>") :]
    with pytest.raises(FormatError, match=r"a frame has no <position>: export the file with it"):
        mo.load(file(text.encode()))
