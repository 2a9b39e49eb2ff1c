"""A unit that a file states is a claim: heights that no person has are doubted, and slips of programs undone."""

from dataclasses import replace

import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.files.conventions import stated_unit

LEGS = {f"{side}_{part}": i for i, part in enumerate(("hip", "knee", "ankle")) for side in ("left", "right")}


@pytest.mark.parametrize("slip", [10.0, 0.1, 100.0, 0.01, 1000.0, 2.54, 1 / 2.54, 39.37, 1 / 39.37])
@pytest.mark.parametrize("height", [1.1, 1.5, 1.75, 1.95])
def test_a_slip_of_a_program_is_undone_and_told(height, slip):
    unit = stated_unit(1.0, height * slip, LEGS)
    assert height * slip * unit.metres == pytest.approx(height, rel=0.02)
    assert not unit.plausible
    assert f"{height * slip:.3g} m tall" in unit.doubt


def test_a_unit_that_makes_a_person_is_believed():
    for height in (0.95, 1.7, 2.4):
        assert stated_unit(0.01, 100.0 * height, LEGS).plausible


def test_a_height_that_no_slip_explains_stays_as_stated_and_is_doubted():
    unit = stated_unit(1.0, 5.8, LEGS)
    assert (unit.metres, unit.plausible) == (1.0, False)
    assert unit.doubt.endswith("it is taken as stated")


def test_a_file_in_a_wrong_unit_is_read_at_a_persons_height_with_a_warning(tmp_path):
    clip = perform("walk", speed=1.2)[0][:40]
    small = replace(clip, skeleton=clip.skeleton.scaled(0.1), root_positions=0.1 * clip.root_positions)
    mo.save(clip, tmp_path / "right.glb")
    mo.save(small, tmp_path / "small.glb")
    right = mo.load(tmp_path / "right.glb").report.height
    with pytest.warns(mo.MotionWarning, match="m tall; .* m is taken"):
        assert mo.load(tmp_path / "small.glb").report.height == pytest.approx(right, rel=0.01)
    assert mo.load(tmp_path / "small.glb", unit="m").report.height == pytest.approx(0.1 * right, rel=0.01)
