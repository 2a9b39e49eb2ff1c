"""What a person does in the studio, in a real browser against a real server.

One node program (``studio.mjs``, started by ``beside.py``) does everything in one browser; each test here looks at one
scenario. Figures are printed, never asserted: test machines have no GPU and are busy.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from tests.browser.beside import Results


def _went_well(results: Results, name: str) -> dict[str, Any]:
    result = results[name]
    if "skipped" in result:
        if os.environ.get("CI"):
            pytest.fail(result["skipped"])
        pytest.skip(result["skipped"])
    assert not result["error"], result["error"]
    return result["figures"]


def test_the_page_opens_with_a_walking_character_and_says_nothing_on_the_console(results):
    figures = _went_well(results, "opens")
    print({name: value for name, value in figures.items() if name != "joints"})


def test_joints_that_are_drawn_are_those_that_python_computes(results):
    seen = _went_well(results, "opens")["joints"]
    n = len(seen["parents"])
    skeleton = Skeleton.of(seen["names"], seen["parents"], np.reshape(seen["offsets"], (n, 3)))
    rotations = np.reshape(seen["rotations"], (n, 4))
    rotations = rotations / np.linalg.norm(rotations, axis=-1, keepdims=True)
    expected = Pose(skeleton, np.array(seen["root"]), rotations).positions
    np.testing.assert_allclose(np.reshape(seen["drawn"], (n, 3)), expected, atol=1e-5)
    np.testing.assert_allclose(np.reshape(seen["bones"], (n, 3)), expected, atol=1e-5)


def test_dragging_the_point_moves_and_turns_the_character_the_right_way(results):
    _went_well(results, "drags_the_point")


def test_keys_steer_pause_and_step(results):
    _went_well(results, "steers_by_keys")


def test_four_dropped_captures_become_a_character_and_a_broken_one_is_refused(results):
    _went_well(results, "drops_four_captures")


def test_another_cycle_of_a_clip_can_be_marked_and_undone(results):
    _went_well(results, "marks_another_cycle")


def test_a_node_can_be_moved_renamed_added_and_everything_undone(results):
    _went_well(results, "moves_a_node_and_undoes")


def test_a_twirl_is_taken_and_the_walk_comes_back(results):
    _went_well(results, "takes_a_twirl_and_comes_back")


def test_a_path_drawn_on_the_ground_is_walked(results):
    _went_well(results, "walks_along_a_drawn_path")


def test_an_exported_file_is_read_by_another_reader(results):
    figures = _went_well(results, "exports_a_file")
    import pybvh

    motion = pybvh.read_bvh_file(figures["file"])
    assert motion.frame_count >= 60


def test_a_reloaded_page_and_a_second_tab_show_the_same_project(results):
    _went_well(results, "finds_its_state_again")


def test_the_page_says_that_the_server_is_gone_and_comes_back_with_it(results):
    _went_well(results, "comes_back_after_the_server")


def test_poses_keep_coming_while_the_point_moves(results):
    print(_went_well(results, "keeps_pace"))


def test_every_panel_is_drawn_in_both_themes_and_sizes(results):
    _went_well(results, "shows_every_panel")


def test_everything_has_a_name_enough_contrast_and_is_reached_by_keyboard(results):
    _went_well(results, "is_named_for_assistive_technology")


def test_a_thumb_steers_on_a_phone_and_a_finger_drags_points_and_nodes(results):
    _went_well(results, "steers_by_touch")
