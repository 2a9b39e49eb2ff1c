"""``mocapella play``: points, scripts and paths become motion files."""

import json
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.steering.follow import follow

KEYS = {
    "frames",
    "seconds",
    "distance",
    "turn",
    "slip_mm_max",
    "penetration_mm_max",
    "floating_mm_max",
    "approach_m_s_max",
    "states",
}
NO_TURNS = "the network has no triangles, so only the turns along it are walked"
WALKS = ((0.9, 0.0), (1.6, 0.0), (0.9, 0.7), (1.6, 0.7))


@pytest.fixture(scope="module")
def network(tmp_path_factory) -> Path:
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(f"{v:g} {w:g}") for v, w in WALKS]
    path = tmp_path_factory.mktemp("net") / "walks.moca"
    mo.save(mo.build_network(clips), path)
    return path


@pytest.mark.parametrize("suffix", ["bvh", "glb"])
def test_a_point_is_played_into_a_file(answer, network, tmp_path, suffix):
    out = tmp_path / f"walk.{suffix}"
    found = answer("play", network, "-o", out, "--point", 0, 1.3, "--seconds", 3, "--rate", 30)
    assert set(found) >= KEYS
    assert (found["frames"], found["seconds"]) == (90, 3.0)
    assert [(one["time"], one["state"]) for one in found["states"]] == [(0.0, "network")]
    assert found["distance"] == pytest.approx(3.9, rel=0.1)
    assert abs(found["turn"]) < 10.0
    assert out.stat().st_size > 1000


def test_what_was_played_can_be_read_again(answer, network, tmp_path):
    found = answer("play", network, "-o", tmp_path / "walk.bvh", "--point", 30, 1.3, "--seconds", 4)
    clip = mo.load(tmp_path / "walk.bvh")
    assert clip.n_frames == found["frames"] == 240
    assert clip.frame_rate == pytest.approx(60.0)
    assert found["turn"] == pytest.approx(120.0, abs=15.0)  # hips swing as they walk
    assert found["slip_mm_max"] <= 1.0
    assert found["penetration_mm_max"] <= 5.0


def test_a_script_moves_the_point(answer, network, table, tmp_path):
    script = table("time,x,y\n# straight, then left\n0,0,1.0\n1,0,1.4\n\n1,35,1.4\n3,35,1.4\n")
    found = answer("play", network, "-o", tmp_path / "walk.bvh", "--script", script, "--rate", 30)
    assert found["seconds"] == 3.0
    assert 45.0 < found["turn"] < 95.0


def test_the_way_is_drawn_and_so_is_the_path_that_it_followed(answer, network, table, tmp_path):
    pytest.importorskip("matplotlib")
    path, drawn = table("x,z\n0,0\n0,2\n"), tmp_path / "way.svg"
    words = ("play", network, "-o", tmp_path / "w.bvh", "--rate", 30, "--picture", drawn)
    assert answer(*words, "--path", path)["picture"] == str(drawn)
    along = drawn.read_text()
    answer(*words, "--point", 0, 1.2, "--seconds", 1)
    assert "<!-- path -->" in along  # the legend of the path to follow
    assert "<!-- path -->" not in drawn.read_text()


def test_a_script_lasts_as_long_as_asked(answer, network, table, tmp_path):
    script = table("0,0,1.0\n1,0,1.4\n")
    assert answer("play", network, "-o", tmp_path / "w.bvh", "--script", script, "--seconds", 2)["seconds"] == 2.0


@pytest.mark.parametrize("words", [("--mode", "blend"), ("--block", "walking"), ("--trigger", "twirl")])
def test_a_plain_network_has_no_modes_blocks_and_arcs(run, network, tmp_path, words):
    point = () if "--trigger" in words else ("--point", 0, 1)
    result = run("play", network, "-o", tmp_path / "w.bvh", *point, *words)
    assert result.exit_code == 1
    assert "is a plain network; only a hybrid one has blocks, modes and arcs" in result.stderr


def test_a_plain_player_is_stored_and_gone_on_with(answer, network, tmp_path):
    def play(name, *words):
        answer("play", network, "-o", tmp_path / f"{name}.bvh", *words, "--rate", 30)
        return mo.load(tmp_path / f"{name}.bvh").rotations_wxyz

    whole = play("whole", "--point", 20, 1.2, "--seconds", 2)
    first = play("first", "--point", 20, 1.2, "--seconds", 1, "--save-state", tmp_path / "s.json")
    second = play("second", "--resume", tmp_path / "s.json", "--seconds", 1)
    assert np.array_equal(np.concatenate([first, second]), whole)


@pytest.mark.parametrize(
    ("option", "text", "line", "reason"),
    [
        ("--script", "time,x,y\n0,0,1\n1,zero,1\n", 3, "expected a number for x, found 'zero'"),
        ("--script", "time,x,y\n0,0,1\n1,0\n", 3, "expected a number for y, found ''"),
        ("--script", "time,x,y\n0,0,nan\n", 2, "expected a number for y"),
        ("--script", "time,x,y\n0,0,1e300\n", 2, "expected y up to 1,000,000 either way, found '1e300'"),
        ("--script", "time;x;y\n0;0;1\n", 1, "expected commas between cells, as in time,x,y, found semicolons"),
        ("--path", "x\tz\n0\t0\n", 1, "expected commas between cells, as in x,z, found tabs"),
        ("--script", "time,x,y\n1,0,1\n0.5,0,1\n", 3, "time runs forward"),
        ("--script", "time,x,y\n-1,0,1\n1,0,1\n", 2, "begins at 0 s, found -1 s"),
        ("--script", "time,x,y\n0,0,1,2,3\n", 2, "has 5 cells"),
        ("--script", "time,x,spede\n0,0,1\n", 1, "no column 'spede'"),
        ("--script", "time,x\n0,0\n", 1, "expected the columns time,x,y"),
        ("--script", "time,x,y\n", 0, "has 0 rows"),
        ("--script", "time,x,y\n0,0,1\n", 2, "say how long with --seconds"),
        ("--script", "# nothing\n", 0, "expected a line time,x,y"),
        ("--script", "time,x,y,key\n0,0,1,\n1,0,1,run\n", 3, "the key 'run' does nothing here; this network has none"),
        ("--path", "x,z,speed\n0,0,1\n0,4,\n", 3, "a speed of 0.001 m/s or more in every row"),
        ("--path", "x,z,speed\n0,0,-1\n0,4,1\n", 2, "a speed of 0.001 m/s or more"),
        ("--path", "x,z,speed\n0,0,1\n0,4,1e-320\n", 3, "a speed of 0.001 m/s or more"),
        ("--path", "x,z\n0,0\n", 0, "has 1 rows; expected 2"),
        ("--path", "x,z\n0,0\n0,far\n", 3, "expected a number for z"),
        ("--path", "x,z\n0,0\n0,5\n0,5000\n", 4, "at most 2000 m are walked"),
    ],
)
def test_a_table_at_fault_is_reported_with_its_line(run, network, table, tmp_path, option, text, line, reason):
    path = table(text)
    result = run("play", network, "-o", tmp_path / "w.bvh", option, path)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {path}:{line}: " if line else f"error: {path}: ")
    assert reason in result.stderr
    assert not (tmp_path / "w.bvh").exists()


def test_wrong_usage_is_status_2(run, network, table, tmp_path):
    script = table("0,0,1\n1,0,1\n")
    assert run("play", network, "-o", tmp_path / "w.bvh", "--point", 0, 1, "--script", script).exit_code == 2
    assert run("play", network, "-o", tmp_path / "w.bvh", "--point", 0, 1, "--seconds", 0).exit_code == 2


def test_another_format_is_refused(run, network, tmp_path):
    result = run("play", network, "-o", tmp_path / "w.doc", "--point", 0, 1)
    assert result.exit_code == 1
    assert "expected a suffix of .bvh" in result.stderr


def test_a_file_that_is_no_network_is_refused(run, bvh, tmp_path):
    result = run("play", bvh, "-o", tmp_path / "w.bvh", "--point", 0, 1)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {bvh}: ")


def test_a_point_that_is_no_number_is_refused(run, network, tmp_path):
    result = run("play", network, "-o", tmp_path / "w.bvh", "--point", "nan", 1)
    assert result.exit_code == 1
    assert "finite" in result.stderr or "number" in result.stderr


def test_people_read_one_line(run, network, tmp_path):
    result = run("play", network, "-o", tmp_path / "w.bvh", "--point", 0, 1.2, "--seconds", 2)
    assert result.stdout.count("\n") == 1
    assert "120 frames, 2.0 s" in result.stdout


def test_a_path_is_followed_to_its_end(answer, network, table, tmp_path):
    path = table("x,z,speed\n0,0,1.2\n0,2,1.3\n0.7,4,1.3\n")
    found = answer("play", network, "-o", tmp_path / "walk.bvh", "--path", path, "--rate", 30)
    clip = mo.load(tmp_path / "walk.bvh")
    assert found["distance"] == pytest.approx(4.15, abs=0.35)
    assert clip.root_positions[-1, [0, 2]] == pytest.approx((0.7, 4.0), abs=0.3)
    assert found["slip_mm_max"] <= 1.0


def test_a_path_without_speeds_is_walked_at_the_networks_own(answer, network, table, tmp_path):
    found = answer("play", network, "-o", tmp_path / "w.bvh", "--path", table("0,0\n0,4\n"), "--seconds", 1)
    assert found["seconds"] == 1.0
    assert 0.9 < found["distance"] < 1.6


def test_a_walk_along_a_path_tells_how_much_of_it_is_done(network):
    told: list[float] = []
    walked = follow(mo.load_network(network), [(0.0, 0.0), (0.0, 3.0)], frame_rate=30.0, progress=told.append)
    assert len(told) >= walked.clip.n_frames
    assert told == sorted(told)
    assert told[0] < 0.1
    assert 0.9 < told[-1] <= 1.0
    told.clear()
    with pytest.warns(mo.MotionWarning, match="ended after"):
        follow(mo.load_network(network), [(0.0, 0.0), (0.0, 50.0)], seconds=1.0, frame_rate=30.0, progress=told.append)
    assert 0.9 < told[-1] <= 1.0  # of the seconds that were asked for


def test_play_along_a_path_shows_a_bar(run, network, table, tmp_path, monkeypatch):
    shown: list[float] = []

    @contextmanager
    def bar(what):
        yield lambda share: shown.append(share)

    monkeypatch.setattr("mocapella.cli.commands.play.shares", bar)
    run("play", network, "-o", tmp_path / "w.bvh", "--path", table("0,0\n0,2\n"), "--rate", 30)
    assert shown[-1] > 0.9


def test_a_path_that_cannot_be_walked_is_given_up(network):
    loaded = mo.load_network(network)
    with pytest.warns(mo.MotionWarning, match="gave up after"):
        followed = follow(loaded, [(0.0, 0.0), (0.0, 1.0), (0.3, 1.0), (0.3, 0.0)], frame_rate=15.0, patience=0.2)
    assert followed.clip.n_frames == len(followed.points) == len(followed.speeds)


@pytest.mark.parametrize("count", [1, 2])
def test_a_network_that_cannot_turn_walks_as_far_as_the_path_is_long(run, network, table, tmp_path, count):
    straight = mo.load_network(network).nodes[:count]
    mo.save(mo.Network(straight), tmp_path / "chain.moca")
    path = table("x,z,speed\n0,0,1.0\n0,3,1.5\n")
    result = run("play", tmp_path / "chain.moca", "-o", tmp_path / "w.bvh", "--path", path, "--rate", 30)
    assert result.exit_code == 0
    assert NO_TURNS in result.stderr
    assert mo.load(tmp_path / "w.bvh").root_positions[-1, [0, 2]] == pytest.approx((0.0, 3.0), abs=0.3)


def test_who_only_comes_abreast_of_the_end_of_a_path_has_not_finished_it(run, network, table, tmp_path):
    mo.save(mo.Network(mo.load_network(network).nodes[:2]), tmp_path / "chain.moca")
    words = ("play", tmp_path / "chain.moca", "-o", tmp_path / "w.bvh", "--rate", 20, "--json")
    result = run(*words, "--path", table("x,z\n0,0\n0,3\n2.5,6\n"))
    assert result.exit_code == 0
    assert json.loads(result.stdout)["path"]["finished"] is False
    assert "came abreast of the end of the path, 3.2 m beside it" in result.stderr
    result = run(*words, "--path", table("x,z\n0,0\n0,3\n"))
    assert json.loads(result.stdout)["path"]["finished"] is True
    assert "abreast" not in result.stderr


def test_a_point_moves_as_gently_and_as_slowly_as_asked(answer, network, table, tmp_path):
    path = table("time,x,y\n0,0,1.0\n0.5,0,1.5\n")
    words = ("play", network, "-o", tmp_path / "w.bvh", "--script", path, "--seconds", 2, "--rate", 20)
    gone = [answer(*words, *more)["distance"] for more in (("--ease", 0), (), ("--ease", 4), ("--pace", 0.02))]
    assert gone == sorted(gone, reverse=True)
    assert gone[0] - gone[1] > 0.01
    assert gone[1] - gone[2] > 0.1
    assert gone[2] - gone[3] > 0.1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--point", "0", "1", "--ease", "1"), "--ease and --pace need --script or --trigger"),
        (("--path", "p.csv", "--pace", "1"), "--ease and --pace need --script or --trigger"),
        (
            ("--script", "s.csv", "--resume", "end.json", "--ease", "1"),
            "keeps the ease and pace it was stored with",
        ),
        (("--script", "s.csv", "--ease", "-1"), "-1.0 is not in the range"),
        (("--script", "s.csv", "--pace", "0"), "0.0 is not in the range"),
    ],
)
def test_how_a_point_moves_is_refused_where_none_does(run, network, tmp_path, words, reason):
    result = run("play", network, "-o", tmp_path / "w.bvh", *words)
    assert result.exit_code == 2
    assert reason in result.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [(("--ease", "nan"), "nan is not in the range 0.0<=x<=60.0"), (("--pace", "nan"), "nan is not in the range x>0.0")],
)
def test_a_point_does_not_move_as_fast_as_no_number(run, network, table, tmp_path, words, reason):
    result = run("play", network, "-o", tmp_path / "w.bvh", "--script", table("time,x,y\n0,0,1.0\n1,0,1.2\n"), *words)
    assert result.exit_code == 2
    assert reason in result.stderr


def test_a_chain_takes_the_speeds_of_the_path(network):
    chain = mo.Network(mo.load_network(network).nodes[:2])
    with pytest.warns(mo.MotionWarning, match=NO_TURNS):
        followed = follow(chain, [(0.0, 0.0, 1.0), (0.0, 4.0, 1.5)], frame_rate=30.0)
    assert abs(followed.speeds / followed.wanted - 1.0).mean() < 0.1
    assert followed.speeds[-1] > followed.speeds[0] + 0.3


def test_who_stands_follows_no_path():
    idle = mo.build_network([perform("stand", imperfections=CLEAN)[0]])
    with pytest.raises(mo.MotionError, match="a path is followed by walking"):
        follow(idle, [(0.0, 0.0), (0.0, 1.0)])


def test_a_closed_square_is_walked_round(run, network, table, tmp_path):
    path = table("x,z,speed\n0,0,1.2\n0,4,1.2\n4,4,1.2\n4,0,1.2\n0,0,1.2\n")
    result = run("play", network, "-o", tmp_path / "w.bvh", "--path", path, "--rate", 20, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["path"]["finished"] is True
    assert found["path"]["length"] == pytest.approx(16.0)
    assert found["path"]["walked"] == pytest.approx(16.0, abs=0.1)
    assert found["path"]["error_mean"] < 0.3
    assert found["distance"] > 13.0


def test_a_path_that_is_not_finished_says_how_much_was_walked(run, network, table, tmp_path):
    path = table("0,0\n0,8\n")
    result = run("play", network, "-o", tmp_path / "w.bvh", "--path", path, "--rate", 20, "--seconds", 2, "--json")
    found = json.loads(result.stdout)["path"]
    assert found["finished"] is False
    assert 1.5 < found["walked"] < 4.0
    assert f"ended after 2 s, {8.0 - found['walked']:.1f} m before the end of the path" in result.stderr


def test_corners_are_straight_lines_unless_the_path_is_to_be_smooth(answer, network, table, tmp_path):
    path = table("0,0\n0,4\n4,4\n")
    lengths = []
    for words in ((), ("--radius", 2), ("--smooth",)):
        found = answer(
            "play", network, "-o", tmp_path / "w.bvh", "--path", path, "--rate", 10, "--seconds", 0.5, *words
        )
        lengths.append(found["path"]["length"])
    assert lengths[0] == lengths[1] == pytest.approx(8.0)
    assert lengths[2] > 8.1


@pytest.mark.parametrize("words", [("--smooth",), ("--radius", 1)])
def test_how_to_round_is_about_paths(run, network, tmp_path, words):
    assert run("play", network, "-o", tmp_path / "w.bvh", "--point", 0, 1, *words).exit_code == 2


@pytest.mark.parametrize("option", ["--point", "--script"])
def test_a_point_outside_is_said_with_what_is_played_instead(run, network, table, tmp_path, option):
    words = (500, 1) if option == "--point" else (table("0,0,1.2\n0.3,500,1\n0.5,600,1\n"),)
    result = run("play", network, "-o", tmp_path / "w.bvh", option, *words, "--seconds", 0.5)
    assert result.exit_code == 0
    assert result.stderr.count("doubtful:") == 1
    assert "the point (500, 1) lies outside the network" in result.stderr
    assert "is played" in result.stderr
    assert ("as 2 points of 3 do" in result.stderr) == (option == "--script")
    inside = run("play", network, "-o", tmp_path / "w.bvh", "--point", 0, 1.2, "--seconds", 0.5)
    assert inside.stderr == ""


def test_a_speed_that_the_network_has_not_is_said(run, network, table, tmp_path):
    path = table("x,z,speed\n0,0,9\n0,3,9\n")
    result = run("play", network, "-o", tmp_path / "w.bvh", "--path", path, "--rate", 20)
    assert result.exit_code == 0
    assert result.stderr.count("the path asks for 9.00 m/s; the network goes") == 1


def test_distance_and_turn_of_some_seconds_do_not_depend_on_the_rate(answer, network, tmp_path):
    words = ("play", network, "-o", tmp_path / "a.bvh", "--point", 20, 1.2, "--seconds", 4)
    told = [answer(*words, "--rate", rate) for rate in (100, 50, 25)]
    assert [one["seconds"] for one in told] == [4.0] * 3
    for key in ("distance", "turn"):
        np.testing.assert_allclose([one[key] for one in told], told[0][key], rtol=5e-3)
