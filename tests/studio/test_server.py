"""The server as a page sees it: everything over HTTP and the one WebSocket."""

from __future__ import annotations

import base64
import dataclasses
import time

import numpy as np
import pytest
from msgspec.structs import replace
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import mocapella as mo
from mocapella import __version__
from mocapella.motion.pose import Pose
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import History
from mocapella.studio.server import Guard, make_app, opened
from mocapella.studio.session import Session
from mocapella.studio.views.network_panel import skeleton_of
from mocapella.studio.workers.pool import Pool
from tests.exporting.library import needed

from .conftest import ADDRESS, PORT, SOCKET


@pytest.fixture(scope="module")
def studio(captures, tmp_path_factory):
    """A studio that has opened a folder of four captures; the twirl is in a folder beside them."""
    root = tmp_path_factory.mktemp("studio")
    for path in captures.glob("*.bvh"):
        place = root / ("changes" if "twirl" in path.name else "walks")
        place.mkdir(exist_ok=True)
        (place / path.name).write_bytes(path.read_bytes())
    folder, history, keep = opened(root)
    walks = tuple(clip for clip in history.project.clips if "twirl" not in clip.name)
    session = Session(folder, History.of(replace(history.project, clips=walks)), keep=keep, pool=Pool(1))
    with TestClient(make_app(session, Guard(PORT)), base_url=ADDRESS) as client:
        client.portal.call(session.begin)
        while session.lock.locked():  # the actor walks meanwhile
            time.sleep(0.02)
        client.session = session
        yield client


def test_health_says_the_version(studio):
    assert studio.get("/health").json() == {"ok": True, "version": __version__}


def test_a_page_is_told_everything_and_the_character_walks(studio, page_of):
    page = page_of(studio)
    kinds = [one["type"] for one in page.answers]
    assert kinds[:4] == ["hello", "body", "project", "network"]
    network = page.last("network")
    assert {node["name"] for node in network["blocks"][0]["nodes"]} >= {"slow-walk-straight", "fast-walk-straight"}
    before = page.frames(2)[0][1]
    after = page.frames(40)[0][1]
    assert np.linalg.norm((after - before)[[0, 2]]) > 0.2


def test_joints_seen_by_the_page_are_pythons(studio, page_of):
    page = page_of(studio)
    page.frames(3)
    page.do("play", playing=False)
    _, root, rotations = page.frames(4)[0]
    connection = next(iter(studio.session.listeners))
    pose = connection.stage.characters[0].pose
    seen = Pose(skeleton_of(studio.session.network), root, rotations)
    np.testing.assert_allclose(seen.positions, pose.positions, atol=1e-5)


def test_the_point_goes_where_it_is_sent_and_stays_on_the_outline_outside(studio, page_of):
    page = page_of(studio)
    nodes = page.last("network")["blocks"][0]["nodes"]
    goal = np.mean([node["at"] for node in nodes], axis=0).tolist()
    ack = page.do("point", at=goal)
    assert ack["python"].startswith("player.point = (")
    fields = page.frames(60)[0][0]
    np.testing.assert_allclose((fields["point_x"], fields["point_y"]), goal, atol=0.05)
    assert page.acknowledged == page.seq
    page.do("point", at=[500.0, 9.0])
    fields = page.frames(2)[0][0]
    assert abs(fields["goal_x"]) < 100.0
    weights = sum(fields[f"weight_{letter}"] for letter in "abcd")
    np.testing.assert_allclose(weights, 1.0, atol=1e-5)


def test_a_point_to_the_left_turns_the_character_left(studio, page_of):
    page = page_of(studio)
    left = max(page.last("network")["blocks"][0]["nodes"], key=lambda node: node["at"][0])
    page.do("point", at=left["at"])
    before = page.frames(30)[0][0]["heading"]
    assert page.frames(60)[0][0]["heading"] > before + 0.1


def test_a_node_is_moved_and_the_move_taken_back_and_done_again(studio, page_of):
    page, other = page_of(studio), page_of(studio)
    node = next(one for one in page.last("network")["blocks"][0]["nodes"] if one["name"] == "slow-walk-straight")
    at = [node["at"][0] + 1.0, node["at"][1] - 0.02]
    ack = page.do("move_node", node=node["name"], at=at, drag=5)
    assert ack["type"] == "ack"
    assert "arranging.moved" in ack["python"]
    page.do("move_node", node=node["name"], at=[at[0] + 0.5, at[1]], drag=5)

    def place(one):
        return next(n["at"] for n in one.last("network")["blocks"][0]["nodes"] if n["name"] == node["name"])

    np.testing.assert_allclose(place(page), [at[0] + 0.5, at[1]])
    assert page.last("project")["undo"] == f"move {node['name']}"
    page.do("undo")
    np.testing.assert_allclose(place(page), node["at"])  # one step of undo for one drag
    page.do("redo")
    np.testing.assert_allclose(place(page), [at[0] + 0.5, at[1]])
    page.do("undo")
    other.do("ping")
    np.testing.assert_allclose(place(other), node["at"])  # the other page was told


def test_a_move_that_would_fold_a_triangle_stops_at_the_last_sound_place(studio, page_of):
    page = page_of(studio)
    nodes = page.last("network")["blocks"][0]["nodes"]
    answer = page.do("move_node", node="fast-walk-straight", at=[nodes[0]["at"][0], -5.0])
    assert answer["type"] == "refused"
    assert "fold" in answer["message"]
    after = next(n["at"] for n in page.last("network")["blocks"][0]["nodes"] if n["name"] == "fast-walk-straight")
    np.testing.assert_allclose(after, answer["kept"])
    studio.session.network.place(tuple(after))  # the network is sound
    page.do("undo")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("rename_node", {"node": "slow-walk-straight", "name": "stroll"}),
        ("remove_node", {"node": "medium-walk-left"}),
        ("add_node", {"at": [3.0, 1.2], "name": "middle"}),
        ("set_rule", {"rule": "phasor"}),
        ("set_harmonics", {"harmonics": 3}),
        ("set_single_source", {"first": 4}),
        ("set_offset", {"node": "slow-walk-straight", "degrees": 12.0}),
        ("feet", {"feet": "anchored"}),
        ("add_character", {"at": [2.0, 0.0]}),
        ("follow", {"path": [[0, 0, 1.2], [0, 4, 1.2], [2, 8, 1.0]]}),
        ("rename", {"name": "another"}),
        ("correct", {"clip": "slow-walk-straight", "unit": "cm", "up": "y"}),
        ("choose_cycle", {"clip": "slow-walk-straight", "frames": [60, 130]}),
        ("mirror", {"clip": "medium-walk-left", "mirrored": True}),
        ("choose_closing", {"clip": "medium-walk-left", "method": "smooth"}),
    ],
)
def test_every_edit_is_taken_back_to_the_project_before(studio, page_of, kind, fields):
    page = page_of(studio)
    before = studio.session.project
    network = page.last("network")["blocks"]
    answer = page.do(kind, **fields)
    assert answer["type"] == "ack", answer
    assert studio.session.project != before
    page.frames(3)  # it plays on
    assert page.do("undo")["type"] == "ack"
    assert studio.session.project == before
    assert page.last("network")["blocks"] == network
    page.frames(2)


def test_what_cannot_be_done_is_refused_with_a_reason_and_changes_nothing(studio, page_of):
    page = page_of(studio)
    before = studio.session.history
    for kind, fields in (
        ("remove_node", {"node": "nobody"}),
        ("set_rule", {"rule": "none"}),
        ("choose_closing", {"clip": "slow-walk-straight", "method": "glue"}),
        ("trigger", {"arc": "twirl"}),
        ("import", {"paths": ["../elsewhere"]}),
        ("open", {"path": "/etc/passwd"}),
        ("ask_clip", {"clip": "nobody"}),
        ("ask_arc", {"arc": "twirl"}),
        ("export", {"destination": "moon"}),
    ):
        answer = page.do(kind, **fields)
        assert answer["type"] == "refused", (kind, answer)
        assert answer["message"]
    assert studio.session.history == before


def test_malformed_messages_are_answered_and_the_connection_stays(studio, page_of):
    page = page_of(studio)
    for text in ("", "{", "[1]", '{"type":"point"}', '{"type":"point","seq":7,"at":[1]}', "\x00", "[" * 9000):
        page.socket.send_text(text)
        assert "not a command" in page.until("refused")["message"]
    page.socket.send_bytes(b"\xff\xfe")
    assert page.until("refused")["seq"] == 0
    assert page.do("ping")["type"] == "ack"


def test_everything_about_a_clip(studio, page_of):
    page = page_of(studio)
    clip = page.ask("ask_clip", "clip", clip="medium-walk-left")
    assert clip["unit"] == "cm"
    assert clip["roles"]["left_knee"] == "LeftLeg"
    assert clip["taken"]["frames"] > 20
    assert clip["automatic"] == [clip["taken"]["start"], clip["taken"]["frames"]]
    assert clip["plants"]["left_heel"]
    assert len(clip["closing"][0]["before"]) == len(clip["closing"][0]["after"]) + 1


def test_an_axis_that_does_not_point_up_lays_the_body_down_and_is_taken_back(studio, page_of):
    page = page_of(studio)
    stood = page.ask("ask_clip", "clip", clip="slow-walk-straight")
    assert page.do("correct", clip="slow-walk-straight", up="z")["type"] == "ack"
    lying = page.ask("ask_clip", "clip", clip="slow-walk-straight")
    assert (stood["up_axis"], lying["up_axis"]) == ("y", "z")

    def tall(clip):
        points = np.frombuffer(base64.b64decode(clip["poses"]), "<i2").reshape(len(clip["pose_frames"]), -1, 3)
        return float(np.ptp(points[..., 1], axis=1).mean())

    assert tall(lying) < 0.6 * tall(stood)
    assert page.do("correct", clip="slow-walk-straight", up="-y")["type"] == "ack"
    assert page.ask("ask_clip", "clip", clip="slow-walk-straight")["up_axis"] == "-y"
    page.do("correct", clip="slow-walk-straight", guess=["up"])
    assert page.ask("ask_clip", "clip", clip="slow-walk-straight")["up_axis"] == "y"
    page.do("undo")
    page.do("undo")
    page.do("undo")


def test_signals_traces_steps_and_layers(studio, page_of):
    page = page_of(studio)
    spectra = page.ask("ask_spectra", "spectra", dof="LeftLeg", sources=["", "slow-walk-straight"])
    assert [one["name"] for one in spectra["motions"]] == ["blend", "slow-walk-straight"]
    assert max(spectra["motions"][0]["curve"]) - min(spectra["motions"][0]["curve"]) > 20.0  # a knee bends
    traces = page.ask("ask_traces", "traces")
    assert {one["foot"] for one in traces["feet"]} == {"left", "right"}
    sync = page.ask("ask_sync", "sync", first="slow-walk-straight", second="fast-walk-straight", degrees=30.0)
    assert abs(sync["best"]) < 15.0  # they are in step already
    assert sync["agreement"][0] > 0.9
    layer = page.ask("ask_map", "map", layer="distortion")
    assert layer["most"] >= layer["mean"] > 0.0
    assert len(layer["values"]) == layer["rows"] * layer["columns"]
    assert layer["remedies"][0]["command"]["type"] == "point"


def test_a_dropped_file_becomes_a_node_where_it_was_dropped(studio, page_of, captures):
    page = page_of(studio)
    content = (captures / "fast-walk-sharp-left.bvh").read_bytes()
    stored = studio.post("/upload?name=odd/../new.bvh&batch=7", content=content).json()
    assert stored["path"].endswith("uploads/7/odd/new.bvh")
    answer = page.do("import", paths=[stored["path"]], at=[20.0, 1.5])
    assert answer["type"] == "ack", answer
    nodes = {node["name"]: node for node in page.last("network")["blocks"][0]["nodes"]}
    assert nodes["new"]["at"] == [20.0, 1.5]
    row = next(one for one in page.last("project")["clips"] if one["name"] == "new")
    assert row["seconds"] == pytest.approx(mo.load(captures / "fast-walk-sharp-left.bvh").seconds)
    page.do("undo")
    assert "new" not in {node["name"] for node in page.last("network")["blocks"][0]["nodes"]}


def test_a_walk_in_place_is_taken_in_with_an_edit_that_can_be_taken_off(studio, page_of, captures, tmp_path):
    page = page_of(studio)
    walk = mo.load(captures / "slow-walk-straight.bvh")
    mo.save(dataclasses.replace(walk, root_positions=walk.root_positions * [0.0, 1.0, 0.0]), tmp_path / "held.bvh")
    stored = studio.post("/upload?name=held.bvh&batch=11", content=(tmp_path / "held.bvh").read_bytes()).json()
    assert page.do("import", paths=[stored["path"]], at=[15.0, 1.2])["type"] == "ack"
    assert [(one["clip"], one["name"]) for one in page.last("project")["edits"]] == [("held", "treadmill")]
    clip = page.ask("ask_clip", "clip", clip="held")
    assert clip["taken"]["speed"] > 0.5
    assert page.do("remove_edit", clip="held", index=0)["type"] == "ack"
    assert page.last("project")["edits"] == []
    assert page.ask("ask_clip", "clip", clip="held")["taken"]["speed"] < 0.05
    page.do("undo")
    assert len(page.last("project")["edits"]) == 1
    page.do("undo")
    assert "held" not in {one["name"] for one in page.last("project")["clips"]}


def test_motions_of_every_format_are_read_by_a_worker_and_damage_is_reported(studio, page_of, captures, tmp_path):
    from tests.files.points import doubles as points
    from tests.files.smpl import doubles as smpl

    page = page_of(studio)
    clip = mo.load(captures / "fast-walk-sharp-left.bvh").captured
    np.savez(tmp_path / "smpl.npz", **smpl.arrays(smpl.performed(clip)))
    points.trc(tmp_path / "joints.trc", points.joints(clip), clip.frame_rate)
    (tmp_path / "broken.fbx").write_bytes(b"Kaydara FBX Binary  \x00\x1a\x00" + bytes(range(200)))
    stored = [
        studio.post(f"/upload?name={path.name}&batch=9", content=path.read_bytes()).json()["path"]
        for path in sorted(tmp_path.iterdir())
    ]
    assert page.do("import", paths=stored)["type"] == "ack"
    rows = {one["name"]: one for one in page.last("project")["clips"]}
    assert rows["smpl"]["seconds"] == pytest.approx(clip.seconds)
    assert rows["joints"]["seconds"] == pytest.approx(clip.seconds)
    assert (rows["broken"]["state"], "refused" in {rows[name]["state"] for name in ("smpl", "joints")}) == (
        "refused",
        False,
    )
    page.do("undo")


def test_every_animation_of_a_dropped_file_is_a_clip_of_its_own(studio, page_of, tmp_path):
    page = page_of(studio)
    walks = [
        mo.example("walk", speed=speed, frame_rate=60.0).renamed(name) for name, speed in (("slow", 0.6), ("fast", 2.0))
    ]
    still = {name: getattr(walks[0], name)[[0, 0]] for name in ("root_positions", "rotations_wxyz")}
    mo.save([*walks, dataclasses.replace(walks[0], **still, name="T-Pose")], tmp_path / "pack.glb")
    content = (tmp_path / "pack.glb").read_bytes()
    stored = studio.post("/upload?name=pack.glb&batch=12", content=content).json()["path"]
    answer = page.do("import", paths=[stored])
    assert answer["type"] == "ack", answer
    report = next(one for one in page.since if one["type"] == "import_report")
    assert {"pack#slow", "pack#fast"} <= set(report["read"])
    assert any("T-Pose is a pose: nothing moves in it" in note for note in report["notes"])
    rows = {one["name"]: one["path"] for one in page.last("project")["clips"]}
    assert [rows[f"pack#{name}"] for name in ("slow", "fast")] == [f"{stored}#slow", f"{stored}#fast"]
    assert "pack" not in rows
    assert page.ask("ask_clip", "clip", clip="pack#fast")["format"] == "glb"
    page.do("undo")
    assert not any(one["name"].startswith("pack") for one in page.last("project")["clips"])


def test_a_file_that_cannot_be_read_is_reported_with_its_line_and_the_others_stay(studio, page_of):
    page = page_of(studio)
    stored = studio.post("/upload?name=broken.bvh&batch=8", content=b"HIERARCHY\nRUUT Hips\n").json()
    assert page.do("import", paths=[stored["path"]])["type"] == "ack"
    report = next(one for one in page.since if one["type"] == "import_report")
    (refused,) = report["refused"]
    assert (refused["line"], refused["lines"][1]) == (2, [2, "RUUT Hips"])
    assert refused["remedies"]
    row = next(one for one in page.last("project")["clips"] if one["name"] == "broken")
    assert row["state"] == "refused"
    page.frames(3)
    page.do("undo")


def test_a_clip_that_was_read_but_has_no_cycle_counts_as_refused_alone(studio, page_of, captures, tmp_path):
    page = page_of(studio)
    clip = mo.load(captures / "fast-walk-sharp-left.bvh").captured
    mo.save(clip[:20], tmp_path / "too-short.bvh")
    stored = studio.post("/upload?name=too-short.bvh&batch=7", content=(tmp_path / "too-short.bvh").read_bytes()).json()
    assert page.do("import", paths=[stored["path"]])["type"] == "ack"
    report = next(one for one in page.since if one["type"] == "import_report")
    assert [one["path"] for one in report["refused"]] == [stored["path"]]
    assert "too-short" not in report["read"]
    rows = {one["name"]: one for one in page.last("project")["clips"]}
    assert rows["too-short"]["seconds"] > 0.0  # it was read
    assert set(report["read"]) == {name for name, row in rows.items() if row["state"] == "ready"}
    page.do("undo")


def test_a_captured_change_makes_the_network_hybrid_and_is_triggered(studio, page_of):
    page = page_of(studio)
    assert page.do("import", paths=["changes/walk-twirl-walk.bvh"])["type"] in ("ack", "refused")
    assert page.do("find_transition", clip="walk-twirl-walk", name="twirl", key="t")["type"] == "ack"
    network = page.last("network")
    assert network["hybrid"]
    assert [arc["name"] for arc in network["arcs"]] == ["twirl"]
    details = page.ask("ask_arc", "arc", arc="twirl")
    assert details["seconds"] > 1.0
    leaving, arriving = details["meets"]
    assert leaving["mean_mm"] == pytest.approx(10.0 * details["seams"]["leave_pose_cm"])
    assert arriving["most_mm"] >= arriving["mean_mm"] > 0.0
    assert {leaving["most_joint"], leaving["angle_joint"]} <= set(page.last("body")["joints"])
    page.do("mode", mode="twirl")
    assert page.do("trigger", arc="twirl")["python"] == "player.trigger('twirl')"
    seen = set()
    while "change" not in seen:
        seen |= {entry[1] for entry in page.until("states")["entries"]}
    while page.last("project")["undo"]:
        page.do("undo")
    assert not page.last("network")["hybrid"]


def test_what_is_recorded_and_exported_is_read_back(studio, page_of):
    page = page_of(studio)
    page.ask("record", "recording", recording=True)
    page.frames(40)
    recording = page.ask("record", "recording", recording=False)
    assert recording["seconds"] > 0.5
    assert recording["slip_mm_max"] < 5.0
    written = page.ask("export", "written", destination="plain", format="bvh", what="recording")
    path = written["files"][0]["path"]
    content = studio.get(f"/files/{path}").content
    place = Folder.of(studio.session.folder.root).path(path)
    assert content == place.read_bytes()
    assert mo.load(place).seconds == pytest.approx(recording["seconds"], abs=0.02)
    looped = page.ask("export", "written", destination="three", format="glb", what="blend")
    assert looped["files"][0]["bytes"] > 10_000
    assert looped["files"][0]["path"].startswith("exports/three/")
    assert looped["place"] == str(studio.session.folder.root / "exports" / "three")
    job = [one for one in page.since if one["type"] == "progress" and one["title"] == "export"]
    assert job[-1]["stage"] == "done"
    names = dict(page.ask("ask_export", "export_plan", destination="unreal")["joints"])
    assert names["LeftUpLeg"] == "thigh_l"
    engine = page.ask("export", "written", destination="godot", format="glb", what="nodes", frame_rate=15.0)
    assert {"character.glb", "grid.json"} <= {one["path"].rpartition("/")[2] for one in engine["files"]}
    plan = page.ask("ask_export", "export_plan", destination="mocapella")
    assert plan["files"][0][0].endswith(".moca")
    saved = page.ask("save", "written", path="out/net.moca")
    assert mo.load(studio.session.folder.path(saved["files"][0]["path"])).names == studio.session.network.names


def test_names_travel_and_body_of_an_export_are_those_asked_for(studio, page_of):
    page = page_of(studio)

    def written(**choices):
        made = page.ask("export", "written", what="blend", format="glb", frame_rate=30.0, **choices)
        path = made["files"][0]["path"]
        return path, mo.load(studio.session.folder.path(path))

    def went(clip):
        return float(np.linalg.norm((clip.root_positions[-1] - clip.root_positions[0])[[0, 2]]))

    path, walk = written(destination="plain", path="out/walk.glb")
    _, still = written(destination="plain", names="mixamo", travel="place")
    assert "mixamorig:LeftUpLeg" in still.skeleton.names
    assert went(walk) > 0.5 > 0.05 > went(still)
    _, own = written(destination="vrm", onto=path)  # onto the character of the first file
    assert own.skeleton.names == walk.skeleton.names
    assert went(own) == pytest.approx(went(walk), rel=0.05)
    made = page.ask("export", "written", destination="vrm", format="vrma", what="blend", frame_rate=30.0)
    assert mo.load(studio.session.folder.path(made["files"][0]["path"])).seconds == pytest.approx(walk.seconds, abs=0.1)
    hello = page.last("hello")
    offered = {name for one in hello["destinations"] for name in one["formats"]}
    assert {"bvh", "amc", "glb", "gltf", "vrma", "moca"} <= offered
    if "usda" in offered:
        scenes = page.ask("export", "written", destination="usd", format="usda", what="nodes", frame_rate=30.0)
        assert len(scenes["files"]) == len(studio.session.network.names)  # loops last as they last: a file for each
    plan = page.ask("ask_export", "export_plan", destination="three", what="blend", names="godot", travel="hips")
    assert "LeftUpperLeg" in dict(plan["joints"]).values()
    assert "names='godot'" in plan["python"]
    refused = page.do("export", destination="plain", format="bvh", travel="root")
    assert (refused["type"], "root" in refused["message"]) == ("refused", True)


@pytest.mark.parametrize(("destination", "kind"), [("page", "steered"), ("crowd", "crowd")])
def test_the_network_is_exported_as_a_page_that_plays_it(studio, page_of, destination, kind):
    page = page_of(studio)
    needed(destination in {one["name"] for one in page.last("hello")["destinations"]}, "not built: make web runtime")
    asked = {"destination": destination, "format": "html", "what": "nodes"}
    plan = page.ask("ask_export", "export_plan", **asked)
    ((name, _),) = plan["files"]
    assert plan["python"].endswith(f"-o {name}")
    (made,) = page.ask("export", "written", **asked)["files"]
    assert made["path"].endswith(name)
    assert f'"kind":"{kind}"' in studio.session.folder.path(made["path"]).read_text()


def test_the_console_changes_the_project_as_typing_does(studio, page_of):
    page = page_of(studio)
    before = studio.session.project
    told = page.ask("console", "console", text="left_heel_strikes slow-walk-straight.bvh 20 60\nmotions")
    assert not told["failed"]
    assert any("slow-walk-straight" in line for line in told["lines"])
    row = next(one for one in page.last("project")["clips"] if one["name"] == "slow-walk-straight")
    assert row["corrected"]
    told = page.ask("console", "console", text="root_path fast-walk-straight.bvh\ndance")
    assert told["failed"]
    assert told["lines"][-1].startswith("error: no command")
    assert " m in " in told["lines"][0]
    page.do("undo")
    assert studio.session.project == before


def test_an_edit_of_the_toolbox_is_put_on_and_taken_off(studio, page_of):
    page = page_of(studio)
    before = page.last("network")["blocks"]
    assert page.do("add_edit", clip="medium-walk-left", name="turn", parameters={"angle": 40.0})["type"] == "ack"
    assert page.last("project")["edits"] == [
        {"clip": "medium-walk-left", "index": 0, "name": "turn", "parameters": {"angle": 40.0}}
    ]
    assert page.do("change_edit", clip="medium-walk-left", index=0, parameters={"angle": "x"})["type"] == "refused"
    assert page.do("remove_edit", clip="medium-walk-left", index=0)["type"] == "ack"
    assert page.last("network")["blocks"] == before
    page.do("undo")
    page.do("undo")


def test_time_stands_still_steps_back_and_is_scrubbed(studio, page_of):
    page = page_of(studio)
    page.frames(40)
    page.do("play", playing=False)
    here = page.frames(3)[0][1]
    np.testing.assert_array_equal(page.frames(5)[0][1], here)
    page.do("step", frames=-20)
    back = page.frames(2)[0][1]
    page.do("step", frames=20)
    assert np.linalg.norm(back - here) > 0.05
    page.do("scrub", phase=90.0)
    assert page.frames(2)[0][0]["phase"] == pytest.approx(np.pi / 2, abs=1e-5)
    page.do("onion", ghosts=2)
    compared = page.ask("compare", "compared", node="slow-walk-straight")
    assert (compared["kind"], compared["text"].split(",")[0]) == ("capture", "walks/slow-walk-straight.bvh")
    kinds = [int(fields["figure"]) for fields, _, _ in page.frames(2)]
    assert kinds.count(1) == 1
    assert kinds.count(2) >= 2
    assert page.ask("compare", "compared", node="medium-walk-left mirrored")["kind"] == "capture"
    assert page.ask("compare", "compared", node="")["kind"] == ""


def test_a_foreign_page_or_a_name_that_was_rebound_is_refused(studio):
    assert studio.get("/", headers={"host": "evil.example:8765"}).status_code == 403
    assert studio.get("/health", headers={"origin": "http://evil.example"}).status_code == 403
    assert studio.post("/upload?name=a.bvh", content=b"x", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        studio.websocket_connect(SOCKET, headers={"origin": "http://evil.example"}),
    ):
        pass


def test_no_inline_script_is_allowed_and_nothing_is_sniffed(studio):
    headers = studio.get("/health").headers
    policy = headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_files_outside_of_the_folder_are_not_served(studio, tmp_path):
    (tmp_path / "secret").write_text("secret")
    link = studio.session.folder.root / "link"
    link.symlink_to(tmp_path / "secret")
    for name in ("../secret", "..%2fsecret", "%2fetc%2fpasswd", "link", "walks/../../secret"):
        assert studio.get(f"/files/{name}").status_code in (403, 404)
    link.unlink()


def test_a_path_of_any_length_is_answered(studio):
    assert studio.get("/files/" + 5000 * "a").status_code == 403
    assert studio.get("/files/" + "/".join(8 * [250 * "é"])).status_code == 403


def test_uploads_of_other_kinds_and_sizes_are_refused(studio):
    assert studio.post("/upload?name=run.exe", content=b"MZ").status_code == 400
    assert studio.post("/upload?name=empty.bvh", content=b"").status_code == 400
    assert studio.post("/upload?name=a.bvh&batch=../x", content=b"x").status_code == 400
    large = {"content-length": str(10**9)}
    assert studio.post("/upload?name=a.bvh", content=b"x", headers=large).status_code == 413


def test_with_a_token_only_those_who_know_it_are_answered(studio):
    app = make_app(studio.session, Guard(PORT, "sesame"))
    client = TestClient(app, base_url="http://192.0.2.7:8765")  # without its lifespan: the session has begun
    assert client.get("/health").status_code == 200
    assert client.get("/").status_code == 403
    assert client.get("/?token=wrong").status_code == 403
    assert client.get("/?token=sesame").status_code in (200, 503)
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://192.0.2.7:8765/ws"):
        pass
