"""Requests to a library that has captures on slopes: the ground that is asked for is the ground that is used."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.editing.feet.incline import incline
from mocapella.library.ingest import add_captures
from mocapella.library.store import Library
from mocapella.measure.mechanics import mechanics

ASKED = {
    "slow_walk": {"speed": 0.8},
    "normal_walk": {"speed": 1.25},
    "fast_walk": {"speed": 1.7},
    "downhill_walk": {"speed": 1.1, "slope": -0.12},
    "uphill_walk": {"speed": 1.1, "slope": 0.12},
    "tired_walk": {"style": "tired", "speed": 0.93},
}
SLOPES = {"downhill_walk", "uphill_walk"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("takes")
    for name, asked in ASKED.items():
        mo.save(mo.example("walk", frame_rate=60.0, **asked), made / f"{name}.bvh")
    return made


@pytest.fixture(scope="module")
def library(folder, tmp_path_factory):
    with Library.at(tmp_path_factory.mktemp("library"), create=True) as opened:
        add_captures(opened, [folder], workers=0)
        yield opened


@pytest.fixture(scope="module")
def steep(folder, tmp_path_factory):
    """A library of nothing but slopes."""
    with Library.at(tmp_path_factory.mktemp("steep"), create=True) as opened:
        add_captures(opened, [folder / f"{name}.bvh" for name in sorted(SLOPES)], workers=0)
        yield opened


def test_a_level_walk_is_made_of_level_captures_and_never_flies(library):
    answer = library.request(seconds=4.0, kind="walk", speed=1.1)
    assert answer.feasible
    assert not {part.clip for part in answer.made_of} & SLOPES
    assert len(mechanics(answer.clip).flights) == 0
    assert [text.split()[0] for text in answer.left_out] == sorted(SLOPES)
    assert answer.left_out[0].startswith("downhill_walk (-6.")


@pytest.mark.parametrize(("slope", "capture"), [(-5.0, "downhill_walk"), (9.0, "uphill_walk")])
def test_a_walk_on_a_slope_is_made_of_captures_of_about_that_slope(library, slope, capture):
    answer = library.request(seconds=3.0, kind="walk", speed=1.15, slope=slope)
    assert answer.feasible
    assert [part.clip for part in answer.made_of] == [capture]
    np.testing.assert_allclose(answer.had["slope"], slope, rtol=0.03)
    assert [word.split("=")[0] for word in answer.made_of[0].modifiers if word.startswith("incline")] == [
        "incline slope"
    ]
    led = float(answer.made_of[0].modifiers[-1].split("=")[1])
    np.testing.assert_allclose(led, slope - 6.9 * np.sign(slope), atol=0.5)  # what its own slope lacks, not all of it
    level = mo.record(mo.Player(answer.network, point=answer.point), seconds=3, frame_rate=60)
    assert len(mechanics(level).flights) == 0
    assert answer.left_out == ()


def test_a_capture_asked_for_on_its_own_slope_keeps_its_posture(library, folder):
    """Levelled and led down again, its knees bend more like its own than like those of a level walk led down."""
    made = library.request(seconds=3.0, kind="walk", slope=-6.9).clip
    captured = mo.load(folder / "downhill_walk.bvh")
    led = incline(mo.load(folder / "normal_walk.bvh"), slope=-6.9)
    knee = mo.find_roles(captured.skeleton)["left_knee"]
    own, led_down, bent = (
        np.degrees(2.0 * np.arccos(np.abs(clip.rotations_wxyz[:, knee, 0]))).mean() for clip in (captured, led, made)
    )
    assert abs(bent - own) < 0.4 * abs(led_down - own)


def test_a_slope_that_no_capture_has_is_made_of_level_ones(library):
    answer = library.request(seconds=3.0, kind="walk", speed=0.55, slope=-5.0)
    assert not {part.clip for part in answer.made_of} & SLOPES


def test_where_all_captures_are_on_slopes_they_are_levelled(steep):
    answer = steep.request(seconds=4.0, kind="walk")
    assert answer.feasible
    assert all(part.modifiers[0].startswith("incline slope=") for part in answer.made_of)
    assert len(mechanics(answer.clip).flights) == 0
    assert answer.left_out == ()


def test_a_mood_keeps_the_slowness_that_is_part_of_it(library):
    """A plain walk at the speed of the tired one would take it out again."""
    answer = library.request(seconds=3.0, kind="walk", mood={"tired": 1.0})
    plain = next(part.clip for part in answer.made_of if "quality tired, plain" in part.modifiers)
    assert plain == "normal_walk"
    np.testing.assert_allclose(answer.had["speed"], 0.93, rtol=0.05)
