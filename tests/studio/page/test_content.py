"""What pages embed: the same joints as Python's, for clips, cycles, networks, players."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.errors import MotionError
from mocapella.studio.page.content import content_of, is_steerable, motions_content
from mocapella.studio.page.judging import judging_content, judging_pairs
from tests.studio.page.unpacking import unpacked


@pytest.fixture(scope="module")
def walk() -> mo.Clip:
    return perform("walk", speed=1.3, seconds=3.0)[0]


def rebuilt(content: dict, clip: mo.Clip) -> mo.Clip:
    motion = content["motions"][0]
    return mo.Clip(
        clip.skeleton, unpacked(motion["root"]), unpacked(motion["rotations"]), frame_rate=motion["frameRate"]
    )


def test_joints_of_a_clip_lie_within_ten_micrometres(walk):
    content = content_of(walk)
    np.testing.assert_allclose(rebuilt(content, walk).positions, walk.positions, atol=1e-5)
    assert not is_steerable(content)


@pytest.mark.data
@pytest.mark.parametrize("name", ["cmu-asfamc/07/07_01.amc", "cmu-bvh/02_01.bvh"])
def test_joints_of_real_captures_lie_within_ten_micrometres(data_folder, name):
    path = data_folder / name
    if not path.exists():
        path = sorted((data_folder / name.split("/")[0]).rglob(f"*{path.suffix}"))[0]
    clip = mo.load(path)
    np.testing.assert_allclose(rebuilt(content_of(clip), clip).positions, clip.positions, atol=1e-5)


def test_plants_of_a_clip_are_those_that_are_found(walk):
    planted = unpacked(content_of(walk)["motions"][0]["planted"])
    for first, last in mo.find_plants(walk).point("left_toe"):
        assert planted[first : last + 1, 1].all()


def test_a_skeleton_without_legs_has_a_page_without_plants():
    arm = mo.Skeleton.of(["shoulder", "elbow"], [-1, 0], [[0, 1, 0], [0.3, 0, 0]], ends={"elbow": [0.25, 0, 0]})
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (20, 2, 1))
    clip = mo.Clip(arm, np.tile([0.0, 1.0, 0.0], (20, 1)), rotations, frame_rate=30.0)
    assert not unpacked(content_of(clip)["motions"][0]["planted"]).any()


def test_a_cut_keeps_the_beginning_and_says_so(walk):
    motion = content_of(walk, seconds=1.0, frame_rate=30.0)["motions"][0]
    assert motion["cut"]
    assert motion["frameRate"] == 30
    assert motion["seconds"] == pytest.approx(1.0, abs=0.05)
    assert not content_of(walk, frame_rate=30.0)["motions"][0]["cut"]


def test_slides_of_joints_travel_along(walk):
    joint = 3
    slid = np.broadcast_to(walk.skeleton.offsets[joint], (walk.n_frames, 1, 3)) * 1.1
    clip = replace(walk, sliding_joints=np.array([joint]), slides=slid)
    slides = content_of(clip)["motions"][0]["slides"]
    assert slides["joints"] == [joint]
    np.testing.assert_allclose(unpacked(slides["offsets"]), slid, atol=1e-5)


def test_a_cycle_is_one_loop_with_the_path_of_its_clip(walk):
    cycle = mo.prepare(walk)
    content = content_of(cycle)
    block = content["blocks"][0]
    assert not is_steerable(content)
    assert block["seconds"] == [pytest.approx(cycle.duration)]
    assert block["speeds"][0] == pytest.approx(cycle.speed, rel=0.02)
    left, ahead, yaw = unpacked(block["steps"])[:, 0].T
    headings = np.cumsum([0.0, *yaw[:-1]])
    way = np.cumsum((ahead + 1j * left) * np.exp(1j * headings))
    two = cycle.to_clip(rounds=2)
    np.testing.assert_allclose(way[-1], two.ground_path[cycle.n_frames] - two.ground_path[0], atol=1e-5)


def test_a_player_shows_its_network_at_its_point_and_stays_as_it_is(walk):
    network = mo.build_network([walk])
    network = mo.Network(
        [mo.Node("slow", (0.0, 1.0), network.nodes[0].spectrum), mo.Node("fast", (0.0, 1.4), network.nodes[0].spectrum)]
    )
    player = mo.Player(network, (0.0, 1.1))
    before = player.snapshot()
    content = content_of(player)
    assert is_steerable(content)
    assert content["point"] == pytest.approx(player.point)
    assert player.snapshot() == before


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(MotionError, match="expected a clip, a cycle, a network"):
        content_of("walk.bvh")


def test_motions_of_one_skeleton_share_it(walk):
    content = motions_content([walk, walk[:100]])
    assert len(content["skeletons"]) == 1
    assert [motion["skeleton"] for motion in content["motions"]] == [0, 0]


def test_motions_to_judge_begin_at_one_place_facing_one_way(walk):
    turned = walk.turned(1.0).moved(3.0, 2.0)
    content = judging_content([walk, turned], ["a", "b"], "?", 2)
    first, second = (unpacked(motion["root"]) for motion in content["motions"])
    np.testing.assert_allclose(first, second, atol=2e-5)
    assert content["pairs"] == [[0, 1]]


def test_folders_are_compared_by_names(tmp_path, walk):
    for side, names in (("a", ("one", "two")), ("b", ("two", "three"))):
        (tmp_path / side).mkdir()
        for name in names:
            mo.save(walk[:30], tmp_path / side / f"{name}.bvh")
    pairs = judging_pairs(tmp_path / "a", tmp_path / "b")
    assert [(one.stem, other.stem) for one, other in pairs] == [("two", "two")]
    (tmp_path / "b" / "two.bvh").unlink()
    with pytest.raises(MotionError, match="no motion files of the same name"):
        judging_pairs(tmp_path / "a", tmp_path / "b")
