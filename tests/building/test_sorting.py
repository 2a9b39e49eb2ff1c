"""A folder sorted as a whole: loops, stands, strafes, one answer per source."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, capture, perform
from mocapella.analysis.facing import common_forward, common_up, facing_of, sighting
from mocapella.building.build import build
from mocapella.building.sorting import Sorter
from mocapella.errors import MotionWarning
from mocapella.geometry import quaternions
from mocapella.motion.travel import direction

AS_USUAL = {"turning": None, "method": "symmetric", "layout": "quaternion"}
PACK_GAITS = ("Walking", "Running", "Sneaking", "Crouching")


def sorted_motions(sources):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        return Sorter(AS_USUAL, None, {}, lambda name: None).sort(sources)


def in_place(speed, *, hips=0.0):
    """One round of a walk in place; hips and legs may be turned, while all above faces as before."""
    cycle = mo.prepare(perform("walk", speed=speed, imperfections=CLEAN)[0])
    clip = cycle.to_clip(1)
    rotations = np.array(clip.rotations_wxyz)
    roles = mo.find_roles(clip.skeleton)
    chest = next(joint for joint in clip.skeleton.path(roles["head"])[1:] if joint != roles["hips"])
    rotations[:, 0] = quaternions.multiply(quaternions.about_y(hips), rotations[:, 0])
    above = quaternions.multiply(clip.world[1][:, 0], rotations[:, chest])
    rotations[:, chest] = quaternions.multiply(quaternions.conjugate(rotations[:, 0]), above)
    still = clip.root_positions * [0.0, 1.0, 0.0]
    return replace(clip, root_positions=still, rotations_wxyz=rotations, name=f"{speed} {hips:.1f}")


def test_every_animation_of_an_asset_pack_is_what_its_name_says(data_folder):
    motions = sorted_motions(sorted((data_folder / "game-loops").glob("*.glb")))
    titles = {motion.title.partition("#")[2]: motion for motion in motions}
    assert len(titles) == 34  # of 39; five poses are none
    for title, motion in titles.items():
        wanted = "gait" if title.startswith(PACK_GAITS) else "idle" if title.startswith("Idle") else "action"
        assert motion.kind == wanted, (title, motion.reason)
        assert motion.reason or motion.kind in ("gait", "idle")


def test_an_asset_pack_becomes_one_character(data_folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        built = build(sorted((data_folder / "game-loops").glob("*.glb")))
    ways = {name.partition("#")[2]: direction(built.network.node(name).spectrum) for name in built.network.names}
    assert {"Idle_A", "Walking_A", "Running_A", "Walking_Backwards"} <= set(ways)
    assert abs(ways["Walking_Backwards"]) == pytest.approx(math.pi, abs=1e-6)
    assert 0.7 < ways["Running_Strafe_Left"] < 1.8
    assert -1.8 < ways["Running_Strafe_Right"] < -0.7
    left_out = {motion.title.partition("#")[2]: motion.reason for motion in built.motions if motion.reason}
    assert left_out["Sneaking"].startswith("crouches")
    assert left_out["Idle_B"].startswith("is another stand")


@pytest.mark.parametrize("degrees", [-60.0, 45.0, 85.0])
def test_a_strafe_with_turned_hips_goes_where_its_hips_point(degrees):
    motions = sorted_motions([in_place(0.9), in_place(1.3), in_place(1.7), in_place(1.1, hips=math.radians(degrees))])
    network = build([cycle for motion in motions for cycle in motion.cycles]).network
    assert all(motion.title in network.names for motion in motions)
    (strafe,) = motions[-1].cycles
    angle = next(step.numbers["angle_rad"] for step in strafe.decisions if step.step == "facing")
    assert math.degrees(direction(strafe.facing(angle))) == pytest.approx(degrees, abs=8.0)
    assert all(step.step != "facing" for motion in motions[:3] for step in motion.cycles[0].decisions)


def test_captures_that_go_any_way_have_no_common_forward():
    walks = [perform("walk", speed=1.2, imperfections=CLEAN)[0].turned(angle) for angle in (0.0, 1.5, 3.0, 4.5)]
    assert common_forward([sighting(walk) for walk in walks]) is None
    for walk in walks:
        assert facing_of(sighting(walk)) == (0.0, "")


def test_a_source_agrees_on_what_is_up():
    seen = [sighting(perform("walk", speed=speed)[0]) for speed in (0.9, 1.2)]
    assert common_up(seen) == "y"
    assert common_up([{**seen[0], "up_y": -1.0, "up_x": 0.0, "up_z": 0.0}, seen[1]]) is None


def test_stands_of_any_length_stand_and_the_first_is_the_node():
    stand = capture("stand")[0]
    first, second = stand[:400].renamed("first"), stand[500:600].renamed("second")
    assert [motion.kind for motion in sorted_motions([first, second])] == ["idle", "idle"]
    walk = perform("walk", speed=1.2)[0]
    with pytest.warns(MotionWarning, match="second is another stand beside first"):
        built = build([walk, first, second])
    assert "first" in built.network.names
    assert "second" not in built.network.names


def test_a_short_loop_keeps_its_harmonics_and_others_keep_theirs():
    cycle = mo.prepare(perform("walk", speed=1.0, imperfections=CLEAN)[0])
    brief = cycle.to_clip(1).resampled(13 / cycle.duration)[:13].renamed("brief")
    built = build([brief, perform("walk", speed=1.6)[0]])
    assert built.network.n_harmonics == 10
    sizes = np.abs(built.network.node("brief").spectrum.coefficients).max(axis=1)
    assert sizes[6] > 0.0
    np.testing.assert_array_equal(sizes[7:], 0.0)


def test_straight_walks_go_exactly_ahead_whatever_the_hips_do():
    cycle = mo.prepare(perform("walk", speed=1.2)[0]).facing(math.radians(4.0))
    assert direction(cycle) == pytest.approx(-math.radians(4.0), abs=0.02)
    node = build([cycle, perform("walk", speed=1.6)[0]]).network.nodes[0].spectrum
    assert direction(node) == pytest.approx(0.0, abs=1e-9)
    assert node.speed == pytest.approx(cycle.speed)
