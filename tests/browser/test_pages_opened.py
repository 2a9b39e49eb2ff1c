"""Self-contained pages, opened from disk in a real browser: the same joints as Python's, and nothing said."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import capture, perform
from mocapella.building.build import build
from mocapella.crowd.native import native_library
from mocapella.exporting.embedding import RUNTIME, WASM
from mocapella.exporting.played_changes import PlayedChange, played_changes
from mocapella.geometry import quaternions
from mocapella.hybrid.rejoining import with_change
from mocapella.motion.pose import Pose
from mocapella.studio.page import content
from mocapella.studio.page.document import write_document, write_page
from mocapella.studio.page.judging import judging_content
from mocapella.studio.page.loop_grid import LoopGrid, loop_grid, played_loop
from mocapella.studio.page.steerable import crowd_content
from tests.browser.beside import LIMIT, chromium, missing
from tests.crowd.samples import walks

HERE = Path(__file__).resolve().parent


def _missing() -> str:
    return missing() or ("" if (RUNTIME / WASM).is_file() else "mocapella.wasm is not built: make runtime")


@pytest.fixture(scope="module")
def walk() -> mo.Clip:
    return perform("walk", speed=1.3, seconds=2.0, frame_rate=60.0)[0].renamed("a walk")


@pytest.fixture(scope="module")
def network() -> mo.Network:
    takes = {"slow": (0.9, 0.0), "fast": (1.6, 0.0), "left": (1.2, 0.5)}
    clips = [perform("walk", speed=speed, turn=turn)[0].renamed(name) for name, (speed, turn) in takes.items()]
    cycles = mo.synchronise([mo.prepare(clip) for clip in clips])
    places = [(0.0, 0.9), (0.0, 1.6), (28.6, 1.2)]
    return mo.Network([mo.Node(c.name, at, mo.analyse(c, harmonics=8)) for c, at in zip(cycles, places, strict=True)])


@pytest.fixture(scope="module")
def grid(network) -> LoopGrid:
    return loop_grid(network, parts=2)


@pytest.fixture(scope="module")
def hybrid() -> mo.HybridNetwork:
    names = ("slow walk straight", "fast walk straight", "medium walk left")
    walks = build([capture(name)[0] for name in names]).network
    return with_change(walks, mo.find_transition(capture("walk-twirl-walk")[0], name="twirl"))


@pytest.fixture(scope="module")
def seen(tmp_path_factory, walk, network, grid, hybrid) -> dict[str, Any]:
    if reason := _missing():
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    kept = os.environ.get("MOCAPELLA_SCREENS")
    folder = Path(kept).resolve() / "pages" if kept else tmp_path_factory.mktemp("pages")
    folder.mkdir(parents=True, exist_ok=True)
    write_page(walk, folder / "clip.html", title="A walk & more")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "loop_grid", lambda _: grid)  # it is made once
        write_page(network, folder / "network.html", title="three walks")
    write_page(hybrid, folder / "hybrid.html", title="walks and a twirl")
    write_page(hybrid, folder / "hybrid-steered.html", title="walks and a twirl", steerable=True)
    write_page(network, folder / "steered.html", title="three walks", steerable=True)
    blocks = mo.HybridNetwork(
        {"walk": network, "run": mo.Network(network.nodes[:2])}
    )  # no change leads from one to another
    write_page(blocks, folder / "blocks.html", title="two blocks", steerable=True)
    write_document(crowd_content(walks(), 24, speed=1.2), folder / "crowd.html", title="two dozen")
    limp = walk.resampled(50.0)
    judged = judging_content([walk, limp], ["ours.bvh", "theirs.bvh"], "Which one is lighter?", 2)
    write_document(judged, folder / "judge.html", title="a test of lightness")
    (folder / "notebook.html").write_text(f"<!doctype html><p>In [1]: walk</p>{walk._repr_html_()}", encoding="utf-8")
    environment = {**os.environ, "CHROMIUM": str(chromium())}
    words = ["node", str(HERE / "pages.mjs"), str(folder)]
    run = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=LIMIT)
    assert (folder / "seen.json").is_file(), run.stderr[-2000:]
    return json.loads((folder / "seen.json").read_text())


def _page(seen: dict[str, Any], name: str) -> dict[str, Any]:
    page = seen[name]
    assert "failed" not in page, page.get("failed")
    assert page["said"] == []
    return page


def test_joints_of_a_clip_are_drawn_where_python_has_them(seen, walk):
    page = _page(seen, "clip")
    for frame, joints in page["joints"].items():
        pose = walk.pose(int(frame))
        expected = np.concatenate([pose.positions, pose.end_positions])
        np.testing.assert_allclose(np.reshape(joints, (-1, 3)), expected, atol=1e-5)


def test_keys_step_through_a_clip_and_show_its_skeleton(seen):
    page = _page(seen, "clip")
    assert page["text"].endswith("frame 41")
    assert page["skeleton"] == "true"
    assert page["title"] == "A walk & more"


def test_at_a_loop_its_joints_are_drawn_within_a_tenth_of_a_millimetre(seen, grid):
    shown = _page(seen, "network")["joints"]
    assert len(shown) == 3 * len(grid.loops)
    for one in shown:
        loop, sample = grid.loops[one["loop"]], one["sample"]
        pose = Pose(grid.skeleton, np.array([0.0, loop.heights[sample], 0.0]), loop.rotations_wxyz[sample])
        expected = np.concatenate([pose.positions, pose.end_positions])
        np.testing.assert_allclose(np.reshape(one["joints"], (-1, 3)), expected, atol=1e-4)


def test_root_motion_of_a_cycle_adds_up_however_pictures_come(seen, grid):
    page = _page(seen, "network")
    x, z, yaw, phase = page["way"]
    steps = grid.loops[2].steps
    yaws = np.cumsum([0.0, *steps[:, 2]])
    way = np.sum((steps[:, 1] + 1j * steps[:, 0]) * np.exp(1j * yaws[:-1]))
    np.testing.assert_allclose([x, z, yaw], [way.imag, way.real, yaws[-1]], atol=1e-3)
    assert phase in (pytest.approx(0.0, abs=1e-6), pytest.approx(2 * np.pi, abs=1e-6))
    np.testing.assert_allclose(page["uneven"], [x, z, yaw], atol=1e-3)


@pytest.mark.parametrize("name", ["hybrid", "hybrid-steered"])
def test_a_captured_change_is_played_in_a_page_as_the_engine_plays_it(seen, hybrid, name):
    page = _page(seen, name)
    cycle = hybrid.arc("twirl").transition.before.duration
    assert page["waited"] < 60 * (cycle + 1.5)  # the point goes to its place, and the moment comes
    found = [
        _apart(page, change) for change in played_changes(hybrid) if name == "hybrid-steered" or not change.mirrored
    ]
    joints, turned = min(found)  # the steered page plays the twirl or its mirror image, whichever comes first
    assert joints < 2e-4
    assert abs((turned + np.pi) % (2 * np.pi) - np.pi) < 0.03  # after it, at most one picture later
    turns = 2.0 * np.degrees(np.arccos(np.clip(1.0 - np.array(page["steps"]), -1.0, 1.0)))
    assert turns.max() < 20.0  # degrees of any joint from one picture to the next: nothing jumps, seams included
    assert max(page["ways"]) < 0.06  # metres


def _apart(page: dict[str, Any], change: PlayedChange) -> tuple[float, float]:
    """How far joints in the middle of a change, and the heading at its end, are from where they were recorded."""
    start, middle, end = page["before"], page["middle"], page["after"]
    (left, ahead, _, yaw, *_), (*way, height, turn), rotations = (
        _between(change, start["seconds"])[0],
        _between(change, middle["seconds"])[0],
        _between(change, middle["seconds"])[1],
    )
    begun = start["yaw"] - yaw
    rotations[0] = quaternions.multiply(quaternions.about_y(np.array(begun + turn)), rotations[0])
    place = complex(way[1] - ahead, way[0] - left) * np.exp(1j * begun) + complex(start["z"], start["x"])
    pose = Pose(change.arc.transition.clip.skeleton, np.array([place.imag, height, place.real]), rotations)
    expected = np.concatenate([pose.positions, pose.end_positions])
    apart = np.abs(np.reshape(middle["joints"], (-1, 3)) - expected).max()
    return float(apart), end["yaw"] - begun - change.yaws[-1]


def _between(change: PlayedChange, seconds: float) -> tuple[list[float], np.ndarray]:
    """Left, ahead, height and heading, and local rotations: a cubic through the frames around a moment."""
    rows = np.column_stack(
        [change.places, change.heights, change.yaws, change.rotations_wxyz.reshape(len(change.yaws), -1)]
    )
    rows = np.concatenate([[2 * rows[0] - rows[1]], rows, [2 * rows[-1] - rows[-2]]])
    low = min(int(seconds * change.frame_rate), len(change.yaws) - 2)
    u = seconds * change.frame_rate - low
    shares = [((2 - u) * u - 1) * u, (3 * u - 5) * u * u + 2, ((4 - 3 * u) * u + 1) * u, (u - 1) * u * u]
    mixed = 0.5 * np.array(shares) @ rows[low : low + 4]
    return mixed[:4].tolist(), quaternions.normalise(mixed[4:].reshape(-1, 4))


def test_dragging_the_point_to_the_left_turns_left_and_the_outline_holds_it(seen, network):
    page = _page(seen, "network")
    assert page["goal"][0] > 1.0
    assert page["turned"] > 0.01
    np.testing.assert_allclose(network.place(tuple(page["outside"])).point, page["outside"], atol=1e-6)
    assert page["after"][1] < page["outside"][1] or page["after"] != page["outside"]


def test_the_engine_in_a_page_draws_joints_where_python_has_them(seen, network):
    found = np.array(_page(seen, "steered")["joints"])
    first, last = network.nodes[0].at, network.nodes[-1].at
    skeleton = network.layout.skeleton
    for engine in ("numpy", "native"):
        if engine == "native" and native_library() is None:
            continue
        start = {"points": [first], "phases": [0.0], "positions": [(0.0, 0.0)], "headings": [0.0]}
        crowd = mo.Crowd(network, 1, engine=engine, **start)
        for frame, joints in enumerate(found):
            if frame == 30:
                crowd.points[0] = last
            crowd.step(1 / 60)
            poses = crowd.poses()[0].astype(float)
            ends = np.einsum("eij,ej->ei", poses[skeleton.end_joints, :, :3], skeleton.end_offsets)
            expected = np.concatenate([poses[:, :, 3], poses[skeleton.end_joints, :, 3] + ends])
            np.testing.assert_allclose(joints.reshape(-1, 3), expected, atol=1e-4)


def test_the_engine_in_a_page_is_steered_by_map_and_keys(seen, network):
    page = _page(seen, "steered")
    assert page["dragged"][0] > 1.0
    assert page["turned"] > 0.01
    np.testing.assert_allclose(network.place(tuple(page["outside"])).point, page["outside"], atol=1e-5)
    assert page["after"][1] < page["outside"][1]
    assert page["planted"] > 0


def _places(walkers: list[dict[str, Any]]) -> np.ndarray:
    return np.array([(one["x"], one["z"]) for one in walkers])


def test_a_crowd_in_a_page_walks_on_its_rings_and_is_drawn_where_it_is(seen):
    page = _page(seen, "crowd")
    before, after = _places(page["started"]), _places(page["rings"])
    assert np.linalg.norm(after - before, axis=1).min() > 3.0  # they went
    np.testing.assert_allclose(*(np.linalg.norm(one, axis=1) for one in (after, before)), atol=1.0)
    np.testing.assert_allclose(page["roots"], after, atol=1e-5)


def test_characters_of_a_page_avoid_each_other_as_those_of_python_do(seen):
    i = np.arange(40)
    places, velocities = np.stack([i * 0.731 % 5, i * 1.417 % 7], -1), np.stack([np.sin(3 * i), np.cos(5 * i)], -1)
    found = np.reshape(_page(seen, "crowd")["pushed"], (-1, 2))
    np.testing.assert_allclose(found, mo.Avoidance().forces(places, velocities), atol=1e-8)


def test_a_crowd_in_a_page_wanders_gathers_where_one_clicks_and_grows(seen):
    page = _page(seen, "crowd")
    assert np.ptp([one["point"][0] for one in page["wandered"]]) > 0.2  # each turns its own way
    assert page["way"] == "gather"
    place = [page["place"]["x"], page["place"]["z"]]
    before, after = (np.linalg.norm(_places(page[name]) - place, axis=1).mean() for name in ("wandered", "gathered"))
    assert after < min(6.0, 0.7 * before)
    assert page["count"] > 24
    assert page["shown"] == str(page["count"])


def test_a_character_goes_over_from_block_to_block_where_it_is_and_a_finger_steers_it(seen):
    page = _page(seen, "blocks")
    before, after = page["before"], page["after"]
    assert (before["block"], after["block"]) == ("walk", "run")
    np.testing.assert_allclose([after["x"], after["z"]], [before["x"], before["z"]], atol=1e-3)
    assert page["touched"][1] > page["first"][1]


def test_judging_hides_names_and_saves_balanced_answers(seen):
    page = _page(seen, "judge")
    assert "Which one is lighter?" in page["words"]
    assert "ours" not in page["words"]
    assert page["name"] == "a-test-of-lightness-answers.csv"
    rows = list(csv.DictReader(io.StringIO(page["csv"])))
    assert [row["trial"] for row in rows] == ["1", "2"]
    assert {(row["left"], row["right"]) for row in rows} == {("ours.bvh", "theirs.bvh"), ("theirs.bvh", "ours.bvh")}
    for row, side in zip(rows, ("left", "right"), strict=True):
        assert row["judge"] == 'Ada, the "first"'
        assert row["preferred"] == row[side]
        assert (row["reasons"], row["comment"]) == ("feet slide", "because")


def test_a_notebook_shows_a_clip_in_a_frame_that_cannot_reach_out(seen):
    page = _page(seen, "notebook")
    assert "a walk" in page["text"]
    assert page["reaches"] is False


def test_a_page_between_loops_stays_close_to_the_player(network, grid):
    """What the page mixes, worked out here, against the engine: printed, and within a centimetre."""
    point = tuple(np.mean([grid.loops[i].at for i in grid.corners[1]], axis=0))
    spectrum = network.blend(point)
    exact = played_loop(spectrum, point)
    corners = [grid.loops[i] for i in grid.corners[1]]
    worst = 0.0
    for sample in range(0, 64, 4):
        mixed = sum(loop.rotations_wxyz[sample] * np.sign(_dots(loop, corners[0], sample)) for loop in corners)
        rotations = quaternions.normalise(mixed)
        root = np.array([0.0, np.mean([loop.heights[sample] for loop in corners]), 0.0])
        here = Pose(grid.skeleton, root, rotations).positions
        there = Pose(grid.skeleton, np.array([0.0, exact.heights[sample], 0.0]), exact.rotations_wxyz[sample]).positions
        worst = max(worst, float(np.linalg.norm(here - there, axis=-1).max()))
    print(f"joints between loops: at most {1000 * worst:.1f} mm from the player's")
    assert worst < 0.01


def _dots(loop, other, sample):
    return np.sum(loop.rotations_wxyz[sample] * other.rotations_wxyz[sample], axis=-1, keepdims=True)
