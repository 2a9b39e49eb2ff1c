"""The command that writes one motion in the manner of another."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walks")
    for name, wishes in {"walk": {"speed": 1.3}, "sad": {"style": "sad"}, "happy": {"style": "happy"}}.items():
        mo.save(perform("walk", cycles=4.3, **wishes)[0], folder / f"{name}.bvh")
    child = perform("walk", height=1.5)[0]
    mo.save(child, folder / "child.bvh")
    mo.save(mo.average_stances(child), folder / "child.moca")
    return folder


def test_restyle_writes_what_the_library_blends(files, tmp_path, answer):
    told = answer(
        "restyle",
        files / "walk.bvh",
        files / "sad.bvh",
        "-o",
        tmp_path / "out.bvh",
        "--ratio",
        0.7,
        "--part",
        "LOWER",
        "--no-lock-feet",
    )
    clip, sad = (mo.load(files / f"{name}.bvh") for name in ("walk", "sad"))
    wanted = mo.blend_stances(clip, mo.average_stances(sad), 0.7, part="lower")
    written = mo.load(tmp_path / "out.bvh")
    np.testing.assert_allclose(written.positions, wanted.positions, atol=1e-4)
    assert (told["frames"], told["ratio"], told["part"]) == (clip.n_frames, 0.7, "lower")
    assert told["distance"] < told["original"]["distance"]
    assert told["style"]["left"]["stances"] >= 2
    assert told["slip_mm_mean"] > 0.0


def test_a_stored_style_is_as_good_as_its_file_and_styles_blend_first(files, tmp_path, answer):
    mixing = ("--with", files / "happy.bvh", 0.4)
    walk, out = files / "walk.bvh", tmp_path / "out.bvh"
    direct = answer("restyle", walk, files / "sad.bvh", "-o", out, *mixing, "--save-style", tmp_path / "mood.moca")
    stored = answer("restyle", walk, tmp_path / "mood.moca", "-o", tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_bytes() == out.read_bytes()
    assert stored["distance"] == direct["distance"]
    sad, happy = (mo.average_stances(mo.load(files / f"{name}.bvh")) for name in ("sad", "happy"))
    mixed = sad.blended(happy, 0.4)
    assert direct["style"]["right"]["seconds"] == pytest.approx(mixed.right.seconds)


def test_plants_can_be_told(files, tmp_path, answer):
    points = {"left_heel": "", "left_toe": "", "right_heel": "40-60,160-180,300-320"}
    marks = [word for point, frames in points.items() for word in ("--plants", f"{point}:{frames}")]
    walk, sad = files / "walk.bvh", files / "sad.bvh"
    usual = answer("restyle", walk, sad, "-o", tmp_path / "a.bvh")
    told = answer("restyle", walk, sad, "-o", tmp_path / "b.bvh", *marks)
    assert told["distance"] != usual["distance"]


def test_what_was_done_is_told_in_words(files, tmp_path, run):
    result = run("restyle", files / "walk.bvh", files / "sad.bvh", "-o", tmp_path / "out.bvh", "--part", "head")
    assert result.exit_code == 0
    assert "head 0.5 of sad" in result.stdout
    assert "planted feet slip" in result.stdout


def test_a_style_of_another_body_is_retargeted_first(files, tmp_path, answer, run):
    words = ("restyle", files / "walk.bvh", files / "child.bvh", "-o", tmp_path / "out.bvh")
    told = answer(*words)
    clip, child = (mo.load(files / f"{name}.bvh") for name in ("walk", "child"))
    assert mo.load(tmp_path / "out.bvh").skeleton.same_as(clip.skeleton)
    assert len(told["retargeted"]) == 1
    assert told["retargeted"][0] in " ".join(run(*words).stdout.split())
    steps = mo.average_stances(mo.retarget(child, clip.skeleton)).stances
    assert told["style"]["left"]["seconds"] == pytest.approx(steps["left"].seconds)


@pytest.mark.parametrize(
    ("words", "reason"),
    [(("child.moca",), "only motions of one skeleton mix"), (("sad.bvh", "--ratio", "nan"), "expected a ratio")],
)
def test_what_does_not_fit_is_one_line_of_error(files, tmp_path, run, words, reason):
    result = run("restyle", files / "walk.bvh", files / words[0], *words[1:], "-o", tmp_path / "out.bvh")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert reason in result.stderr
    assert not (tmp_path / "out.bvh").exists()
