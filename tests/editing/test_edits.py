"""Edits as records: applied in order, stored, taken off again."""

import subprocess
import sys
from inspect import signature

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.analysis.examined import examine
from mocapella.editing.edit_files import load_edits, save_edits
from mocapella.editing.edits import Edit, digest_of, edit
from mocapella.editing.parameters import EditError, Source
from mocapella.editing.registry import EDITS
from mocapella.measure.footskate import footing


@pytest.fixture(scope="module")
def clip():
    return perform("walk", cycles=3.0, frame_rate=30.0)[0]


def test_no_edits_leave_the_motion_itself(clip):
    assert edit(clip, []).result is clip


def test_undoing_every_edit_gives_the_original_bit_for_bit(clip):
    before = digest_of(clip)
    done = edit(clip, [Edit("turn", angle=40), Edit("mirror"), Edit("resample", rate=60)])
    assert done.undone(3).result is clip
    assert digest_of(clip) == before
    assert done.undone().result is done.steps[1]


def test_an_edit_in_the_middle_is_taken_off_and_the_later_ones_applied_again(clip):
    done = edit(clip, [Edit("turn", angle=40), Edit("mirror"), Edit("turn", angle=20)])
    direct = edit(clip, [Edit("turn", angle=40), Edit("turn", angle=20)])
    assert digest_of(done.without(1).result) == digest_of(direct.result)


def test_the_same_edits_give_the_same_bits(clip):
    edits = [Edit("turn", angle=40), Edit("resample", rate=24)]
    assert digest_of(edit(clip, edits).result) == digest_of(edit(clip, edits).result)


def test_records_say_what_they_were_applied_to(clip):
    first, second = edit(clip, [Edit("turn", angle=40), Edit("mirror")]).edits
    assert first.input == digest_of(clip)
    assert second.input == digest_of(edit(clip, Edit("turn", angle=40)).result)


def test_turning_there_and_back_is_the_identity(clip):
    back = edit(clip, [Edit("turn", angle=70), Edit("turn", angle=-70)]).result
    np.testing.assert_allclose(back.positions, clip.positions, atol=1e-12)


def test_mirroring_twice_is_the_identity(clip):
    twice = edit(clip, [Edit("mirror"), Edit("mirror")]).result
    np.testing.assert_array_equal(twice.root_positions, clip.root_positions)


def test_a_cycle_is_mirrored_and_refused_where_an_edit_has_no_meaning_for_it():
    cycle = mo.prepare(perform("walk", turn=0.4)[0])
    assert edit(cycle, Edit("mirror")).result.turn == pytest.approx(-cycle.turn)
    with pytest.raises(EditError, match=r"edit 1, turn: this edit is for clips.*to_clip"):
        edit(cycle, Edit("turn", angle=10))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Edit("trun"), "no edit 'trun'; did you mean turn"),
        (lambda: Edit("turn"), "needs angle"),
        (lambda: Edit("turn", angle="left"), "a number from -3600 to 3600 for angle"),
        (lambda: Edit("turn", angle=float("nan")), "got nan"),
        (lambda: Edit("turn", angle=True), "got True"),
        (lambda: Edit("band_blend", other="a.bvh", weights=[[1e300]]), r"a number for weights.* got 1e\+300"),
        (lambda: Edit("displace", keys={"Spine.x": [[0, 1e300]]}), "a table of finite numbers"),
        (lambda: Edit("cut", first=10**30), "a whole number of 0 or more for first.* got 1000"),
        (lambda: Edit("turn", angel=3), "no parameter 'angel'; there are angle"),
        (lambda: Edit("resample", rate=0), "from 1 to 10000"),
        (lambda: Edit("cut", first=1.5), "a whole number"),
        (lambda: Edit("restyle", style="a.bvh", part="tail"), "one of .*lower"),
        (lambda: Edit("restyle", style=3), "a clip or the path of a motion file"),
    ],
)
def test_what_an_edit_cannot_take_is_refused_when_it_is_made(make, says):
    with pytest.raises(EditError, match=says):
        make()


def test_an_edit_that_does_not_fit_is_named_with_its_place(clip):
    with pytest.raises(EditError, match="edit 2, cut: expected a first and a last frame"):
        edit(clip, [Edit("mirror"), Edit("cut", first=10, last=3)])


def test_a_list_of_edits_is_read_back_as_it_was_written(clip, tmp_path):
    style = perform("walk", style="sad", cycles=4.0, frame_rate=30.0)[0]
    mo.save(style, tmp_path / "sad.bvh")
    own = mo.load(tmp_path / "sad.bvh")
    walk = mo.Clip(own.skeleton, clip.root_positions, clip.rotations_wxyz, clip.frame_rate, name="walk")
    done = edit(walk, [Edit("restyle", style=str(tmp_path / "sad.bvh"), ratio=0.25), Edit("turn", angle=0.1)])
    save_edits(done.edits, tmp_path / "edits.toml")
    again = load_edits(tmp_path / "edits.toml")
    assert [(one.name, one.input) for one in again] == [(one.name, one.input) for one in done.edits]
    assert again[0].parameters["style"].digest == digest_of(own)
    assert digest_of(edit(walk, again).result) == digest_of(done.result)
    (tmp_path / "moved").mkdir()
    for name in ("edits.toml", "sad.bvh"):
        (tmp_path / name).rename(tmp_path / "moved" / name)
    assert digest_of(edit(walk, load_edits(tmp_path / "moved" / "edits.toml")).result) == digest_of(done.result)


def test_a_second_motion_that_changed_since_is_refused(clip, tmp_path):
    mo.save(perform("walk", style="sad", frame_rate=30.0)[0], tmp_path / "sad.bvh")
    changed = Edit("restyle", style=Source(str(tmp_path / "sad.bvh"), "sha256:0"))
    with pytest.raises(EditError, match="holds another motion than when the edit was recorded"):
        edit(clip, changed)


@given(st.floats(-3600, 3600), st.integers(0, 10**9), st.text(st.characters(codec="utf-8"), max_size=30))
def test_parameters_are_stored_bit_for_bit(tmp_path_factory, angle, first, path):
    file = tmp_path_factory.mktemp("edits") / "edits.toml"
    source = f"/{path.replace('/', '')}x"
    edits = [Edit("turn", angle=angle), Edit("cut", first=first), Edit("restyle", style=source)]
    save_edits(edits, file)
    turned, cut, styled = load_edits(file)
    assert turned.parameters["angle"] == angle
    assert cut.parameters["first"] == first
    assert styled.parameters["style"].path == source


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[edit]]\nname = 'trun'\n", r"edits.toml:1: edit 1: there is no edit"),
        ("x = 3\n", r"expected tables \[\[edit\]\], found x"),
        ("[[edit]]\nname = 'mirror'\n\n[[edit]]\nname = 'turn'\n", r":4: edit 2: the edit turn needs angle"),
        ("version = 9\n", "newer version"),
        ("format = 'recipe'\n", "expected format"),
        ("[[edit]]\nname = 'mirror'\ncolour = 1\n", "expected name, parameters, input and skeleton"),
        ("[[edit]]\nname = 'turn'\nparameters = 3\n", "a table of parameters"),
    ],
)
def test_a_file_that_is_no_list_of_edits_is_refused_with_its_place(tmp_path, text, says):
    (tmp_path / "edits.toml").write_text(text)
    with pytest.raises(mo.FormatError, match=says):
        load_edits(tmp_path / "edits.toml")


def test_a_word_that_is_no_text_is_refused(tmp_path):
    with pytest.raises(EditError, match="cannot be written as text"):
        save_edits([Edit("restyle", style="\ud800.bvh")], tmp_path / "edits.toml")
    assert not list(tmp_path.iterdir())


def test_every_edit_has_a_function_that_takes_its_parameters():
    for name, editor in EDITS.items():
        assert set(editor.parameters) <= set(signature(editor.function).parameters), name
        assert not editor.main or editor.main in editor.parameters, name


def test_every_parameter_of_an_edit_has_a_kind_and_help_from_its_function():
    for name, editor in EDITS.items():
        for key, parameter in editor.parameters.items():
            assert parameter.about, (name, key)
            assert not parameter.about.endswith("."), (name, key)
    zone, align = EDITS["lock_feet"].parameters["zone"], EDITS["blend"].parameters["align"]
    assert (zone.kind, zone.default, zone.least, zone.most, zone.unit) == ("number", 0.25, 0.0, 5.0, "s")
    assert (align.kind, align.choices[-1], align.required) == ("word", "frames", False)
    assert "contacts" not in EDITS["join"].parameters  # no file of edits could hold them


def test_edits_are_listed_before_any_of_their_modules_is_imported():
    code = "import sys, mocapella.editing.registry as r; list(r.EDITS); print(*(m for m in sys.modules if 'feet' in m))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not told.stdout.strip()


def test_defaults_of_parameters_are_those_of_the_functions():
    for name, editor in EDITS.items():
        own = signature(editor.function).parameters
        for key, one in editor.parameters.items():
            default = own[key].default
            same = default == one.default or one.default == (default,) or not (default or one.default)
            assert one.required or same, (name, key)


def test_feet_are_locked_where_they_rested_before_edits_that_keep_time():
    walk = perform("walk", cycles=3.0, imperfections=CAPTURED, seed=2)[0]
    done = edit(walk, [Edit("exaggerate", gain=1.4), Edit("lock_feet")])
    assert footing(done.result, examine(walk).plants).slip_mm_max < 1.0
    anew = edit(walk, [Edit("speed", factor=0.8), Edit("lock_feet")])
    assert footing(anew.result, examine(anew.steps[0]).plants).slip_mm_max < 1.0


@pytest.mark.parametrize(
    "change",
    [
        lambda other: Edit("blend", second=other),
        lambda other: Edit("join", second=other),
        lambda other: Edit("restyle", style=other),
        lambda other: Edit("interpolate", other=other),
        lambda other: Edit("quality", plain=other, special=other),
        lambda other: Edit("band_blend", other=other, weights=[[0.5]]),
    ],
)
def test_a_second_motion_of_another_body_is_retargeted_and_the_record_says_so(clip, change):
    child = mo.retarget(clip.renamed("child"), clip.skeleton.scaled(0.6))
    done = edit(clip, [change(child), Edit("turn", angle=10)])
    own = edit(clip, [change(mo.retarget(child, clip.skeleton)), Edit("turn", angle=10)])
    np.testing.assert_array_equal(done.result.positions, own.result.positions)
    assert len(done.retargeted) == 1
    assert done.retargeted[0].startswith("child was retargeted to")
    assert "legs 1.667 times as long" in done.retargeted[0]
    assert own.retargeted == ()


def test_a_cycle_says_so_in_its_decisions(clip):
    child = mo.retarget(clip.renamed("child"), clip.skeleton.scaled(0.6))
    done = edit(mo.prepare(clip), Edit("interpolate", other=child))
    assert [text.split(" to ")[0] for text in done.retargeted] == ["child was retargeted"]


def test_a_feeling_is_learnt_from_two_bodies():
    neutral, angry = (perform("drink", style=style)[0] for style in ("normal", "angry"))
    small = mo.retarget(angry, angry.skeleton.scaled(0.6))
    knock = perform("knock")[0]
    made, own = (edit(knock, Edit("feel", neutral=neutral, emotional=one)) for one in (small, angry))
    assert made.result.seconds == pytest.approx(own.result.seconds, rel=0.02)
    assert len(made.retargeted) == 1


def test_a_few_words_of_a_strangers_edits_make_no_motion_out_of_proportion(clip):
    with pytest.raises(EditError, match=r"edit 1, resample: expected at most [\d,]+ frames of a motion of [\d,]+, got"):
        edit(clip, Edit("resample", rate=10_000.0))
    with pytest.raises(EditError, match="edit 2, speed: expected at most"):
        edit(clip, [Edit("speed", factor=0.05)] * 2)
    assert edit(clip, Edit("resample", rate=480.0)).result.frame_rate == 480.0
