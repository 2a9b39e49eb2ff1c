"""Captured changes in the C library: played as Python plays them, by one character while others go on."""

from __future__ import annotations

import ctypes
import json
import shutil
import struct
import subprocess
from itertools import pairwise

import numpy as np
import pytest

from mocapella.exporting.embedding import EMBEDDED, NETWORK, RUNTIME, WASM, runtime_file
from mocapella.exporting.played_changes import played_changes
from mocapella.playback.player import Player
from tests.exporting import damaged
from tests.exporting.hybrids import stopping, twirling, written
from tests.exporting.library import BAD_ARGUMENT, BAD_FILE, OK, needed

FREE, CALLED, WAITING, CHANGING = range(4)
STATES = {CALLED: "network", WAITING: "waiting", CHANGING: "change"}
BLOCKS, CHANGES = 6, 7
pytestmark = pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")


@pytest.fixture
def characters(library):
    """Makes sets of characters of a hybrid network in one of its blocks, and gives them back."""
    made = []

    def make(hybrid, n=1, block=0):
        status, network = library.parse(written(hybrid))
        assert status == OK, library.error
        status, crowd = library.create(library.block(network, block)[1], n)
        assert status == OK, library.error
        made.append((network, crowd))
        return network, crowd

    yield make
    for network, crowd in made:
        library.core.mocapella_free(crowd)
        library.core.mocapella_network_free(network)


def number_of(hybrid, name):
    return [arc.name for arc in hybrid.arcs].index(name)


def joints_of(library, crowd, who, hybrid):
    """Joints in the world, and rotations of joints against their parents."""
    n = hybrid.skeleton.n_joints
    rotations = library.read("locals", crowd, who, 7 * n).reshape(-1, 7)[:, 3:]
    return library.read("positions", crowd, who, 3 * n).reshape(-1, 3).astype(float), rotations.astype(float)


def seen_from(joints, root, heading):
    """Joints seen from a root: ahead and to the left of it, and above the ground."""
    way = (joints[:, 2] + 1j * joints[:, 0] - root[2] - 1j * root[0]) * np.exp(-1j * heading)
    return np.stack([way.real, way.imag, joints[:, 1]], axis=-1)


def turned(a, b):
    """The largest angle between rotations of two pictures, degrees."""
    return 2.0 * np.degrees(np.arccos(np.clip(np.abs((a * b).sum(axis=-1)), -1.0, 1.0))).max()


def beside(library, crowd, hybrid, name, version=0, seconds=6.0):
    """The library and a player, begun alike at the node of a change that both take, picture by picture."""
    arc = hybrid.arc(name)
    phase = arc.versions[version - 1].transition.leave_phase + 0.2
    at = hybrid.block(arc.source.block).network.node(arc.source.node).at
    mode = next(mode.name for mode in hybrid.modes if name in mode.arcs)
    player = Player(hybrid, at, block=arc.source.block, mode=mode, phase=phase)
    player.trigger(name)
    player.step(0.0)
    assert library.begin(crowd, 0, 3.0, -2.0, 1.0, phase, *at) == OK
    assert library.core.mocapella_trigger(crowd, 0, number_of(hybrid, name)) == OK, library.error
    for _ in range(round(60 * seconds)):
        pose = player.step(1 / 60)
        assert library.step(crowd, 1 / 60) == OK
        joints, rotations = joints_of(library, crowd, 0, hybrid)
        now, doing = library.now(crowd, 0)[1], library.doing(crowd, 0)
        planted = tuple(bool(now.planted >> k & 1) for k in range(4))
        yield joints, rotations, now, doing, pose, player.heading, player.state, planted == player.planted


@pytest.mark.parametrize(("name", "version"), [("twirl", 0), ("twirl", 1), ("captured", 0)])
def test_a_change_is_played_as_a_player_plays_it(library, characters, data_folder, name, version):
    hybrid, arc = (stopping(data_folder), "stop") if name == "captured" else (twirling(), name)
    crowd = characters(hybrid)[1]
    rows = list(beside(library, crowd, hybrid, arc, version))
    doing = [row[3][0] for row in rows]
    first, last = doing.index(CHANGING), len(doing) - 1 - doing[::-1].index(CHANGING)
    assert list(dict.fromkeys(doing)) == [WAITING, CHANGING, FREE]
    late = [i for i in range(last) if STATES[doing[i]] != rows[i][6]]  # the library's change ends once joined
    assert all(abs(i - first) <= 1 or rows[i][6] == "network" for i in late)
    ways = []
    for i, (joints, _, now, _, pose, heading, _, planted) in enumerate(rows):
        own, expected = (
            seen_from(joints, joints[0], now.heading),
            seen_from(pose.positions, pose.positions[0], heading),
        )
        if first + 40 <= i <= last:
            np.testing.assert_allclose(own, expected, atol=2e-4)
            assert planted
        elif i > last:
            np.testing.assert_allclose(own, expected, atol=0.02)  # a crowd's feet are not a player's to the millimetre
        ways.append((joints[0], now.heading, pose.positions[0], heading))
    root, turn, place, course = ways[first - 1]  # of the blend: the change begins where that has led
    for joint, own, expected, heading in ways[first:]:
        went = seen_from(joint[None], root, turn)[0], seen_from(expected[None], place, course)[0]
        np.testing.assert_allclose(*went, atol=0.005)
        assert abs((own - turn - heading + course + np.pi) % (2 * np.pi) - np.pi) < 2e-3
    assert max(turned(a[1], b[1]) for a, b in pairwise(rows)) < 20.0  # degrees a picture: nothing jumps
    assert max(np.linalg.norm(b[0][0] - a[0][0]) for a, b in pairwise(rows)) < 0.06


def test_a_mirrored_twirl_turns_the_other_way(library, characters):
    hybrid = twirling()
    spins = []
    for version in (0, 1):
        rows = [
            row for row in beside(library, characters(hybrid)[1], hybrid, "twirl", version) if row[3][0] == CHANGING
        ]
        spins.append(rows[-1][2].heading - rows[0][2].heading)
    assert abs(spins[0]) > 5.5
    np.testing.assert_allclose(spins[1], -spins[0], atol=0.05)


def test_feet_stay_where_they_stand_when_a_change_begins_and_ends(library, characters, data_folder):
    hybrid = stopping(data_folder)
    _, crowd = characters(hybrid)
    n = hybrid.skeleton.n_joints
    library.core.mocapella_trigger(crowd, 0, 0)
    before, slides = None, []
    for _ in range(300):
        assert library.step(crowd, 1 / 60) == OK
        matrices = library.read("matrices", crowd, 0, 12 * n).reshape(-1, 3, 4).astype(float)
        planted = library.now(crowd, 0)[1].planted
        toes = [matrices[hybrid.skeleton.names.index(f"{side}ToeBase"), ::2, 3] for side in ("Left", "Right")]
        flat = [bool(planted >> (2 * side) & 3 == 3) for side in range(2)]
        if before is not None:
            slides += [np.linalg.norm(toes[k] - before[0][k]) for k in range(2) if flat[k] and before[1][k]]
        before = toes, flat
    assert library.doing(crowd, 0)[:2] == (FREE, 1)
    assert len(slides) > 200
    assert max(slides) < 0.001  # metres a picture
    assert sum(slides) < 0.02


def test_others_go_on_while_one_changes(library, characters):
    hybrid = twirling()
    (_, crowd), (_, calm) = (characters(hybrid, n=5) for _ in range(2))
    points = [hybrid.block("walking").network.points[k % 3] for k in range(5)]
    for one in (crowd, calm):
        for i, point in enumerate(points):
            assert library.begin(one, i, 2.0 * i, 0.0, 0.3 * i, i, *point) == OK
    assert library.core.mocapella_trigger(crowd, 2, number_of(hybrid, "twirl")) == OK
    seen = set()
    for _ in range(400):
        assert library.step(crowd, 1 / 60) == library.step(calm, 1 / 60) == OK
        seen.add(library.doing(crowd, 2)[0])
        for i in (0, 1, 3, 4):
            assert library.doing(crowd, i) == (FREE, 0, -1, 0.0)
            own, expected = (joints_of(library, one, i, hybrid)[0] for one in (crowd, calm))
            np.testing.assert_allclose(own, expected, atol=2e-5)  # other neighbours in a vector, other rounding
    assert seen == {CALLED, WAITING, CHANGING, FREE}


def test_a_network_tells_its_blocks_and_changes(library, characters):
    hybrid = twirling()
    network, _ = characters(hybrid)
    assert [library.block(network, k)[0] for k in range(library.count(network, BLOCKS))] == list(hybrid.blocks)
    played = {one.arc.name: one for one in played_changes(hybrid) if not one.mirrored}
    for number, arc in enumerate(hybrid.arcs):
        status, info = library.change(network, number)
        assert (status, info.name.decode()) == (OK, arc.name)
        for block, node, end in (
            (info.source, info.source_node, arc.source),
            (info.target, info.target_node, arc.target),
        ):
            name, own = library.block(network, block)
            found = ctypes.c_char_p()
            assert library.core.mocapella_node(own, node, ctypes.byref(found), None) == OK
            assert (name, found.value.decode()) == (end.block, end.node)
        assert tuple(info.at) == hybrid.block(arc.source.block).network.node(arc.source.node).at
        assert tuple(info.to) == pytest.approx(hybrid.block(arc.target.block).network.node(arc.target.node).at)
        assert info.seconds == pytest.approx((len(played[arc.name].yaws) - 1) / 60)
        assert info.phase == (-1.0 if arc.at_once else pytest.approx(played[arc.name].phase))
        assert (info.mirrored_phase >= 0.0) == (arc.mirrored is not None)
    assert library.count(network, CHANGES) == len(hybrid.arcs)


def test_a_character_walks_stops_stands_sets_off_and_is_steered_again(library, characters):
    hybrid = twirling()
    walking = hybrid.block("walking").network
    _, crowd = characters(hybrid)

    def played(name, pictures=400):
        assert library.core.mocapella_trigger(crowd, 0, number_of(hybrid, name)) == OK, library.error
        last, steps = joints_of(library, crowd, 0, hybrid)[1], []
        for _ in range(pictures):
            assert library.aim(crowd, 0, 0.0, 0.0) == library.step(crowd, 1 / 60) == OK  # no effect until it is over
            now = joints_of(library, crowd, 0, hybrid)[1]
            steps.append(turned(last, now))
            last = now
            if library.doing(crowd, 0)[2] < 0:
                break
        assert max(steps) < 20.0
        return library.doing(crowd, 0)[1]

    assert [played(name) for name in ("twirl", "twirl", "stop", "go")] == [0, 0, 1, 0]  # one twirl from another, too
    goal = walking.points[:3].mean(axis=0)
    for _ in range(200):
        assert library.aim(crowd, 0, *goal) == library.step(crowd, 1 / 60) == OK
    state = library.now(crowd, 0)[1]
    np.testing.assert_allclose(tuple(state.point), goal, atol=1e-4)
    rates = [ctypes.c_float() for _ in range(3)]
    before = state.x, state.z
    assert library.step(crowd, 1.0) == OK
    block = library.block(characters(hybrid)[0], 0)[1]
    library.core.mocapella_rates(block, *map(ctypes.c_double, goal), *map(ctypes.byref, rates))
    after = library.now(crowd, 0)[1]
    assert np.hypot(after.x - before[0], after.z - before[1]) == pytest.approx(rates[1].value, rel=0.15)


def test_a_change_may_begin_and_end_within_one_step(library, characters):
    hybrid = twirling()
    ends = []
    for steps in (1, 240):
        _, crowd = characters(hybrid)
        at = hybrid.block("walking").network.node(hybrid.arc("twirl").source.node).at
        assert library.begin(crowd, 0, 0.0, 0.0, 0.0, 1.0, *at) == OK
        assert library.core.mocapella_trigger(crowd, 0, number_of(hybrid, "twirl")) == OK
        assert library.step(crowd, 1 / 60) == OK
        for _ in range(steps):
            assert library.step(crowd, 6.0 / steps) == OK
        state = library.now(crowd, 0)[1]
        assert library.doing(crowd, 0) == (FREE, 0, -1, 0.0)
        ends.append((state.x, state.z, state.phase))
    np.testing.assert_allclose(ends[0], ends[1], atol=0.3)  # blends go straight on within a step, over two seconds
    assert ends[0][2] == pytest.approx(ends[1][2], abs=1e-3)


def test_a_change_can_be_given_up_and_a_block_entered_without_one(library, characters):
    hybrid = twirling()
    _, crowd = characters(hybrid)
    goal = hybrid.block("walking").network.points[1]
    assert library.aim(crowd, 0, *goal) == OK
    assert library.core.mocapella_trigger(crowd, 0, number_of(hybrid, "twirl")) == OK
    while library.doing(crowd, 0)[0] != WAITING:
        assert library.step(crowd, 1 / 60) == OK
    assert library.aim(crowd, 0, 0.0, 0.0) == library.core.mocapella_cancel(crowd, 0) == OK  # aimed at in vain
    for _ in range(150):
        assert library.step(crowd, 1 / 60) == OK
        assert library.doing(crowd, 0) == (FREE, 0, -1, 0.0)
    np.testing.assert_allclose(tuple(library.now(crowd, 0)[1].point), goal, atol=1e-4)
    before, place = joints_of(library, crowd, 0, hybrid), library.now(crowd, 0)[1]
    assert library.enter(crowd, 0, 1, 0.0, 0.0) == OK
    np.testing.assert_allclose(joints_of(library, crowd, 0, hybrid)[0], before[0], atol=1e-5)  # at once, and no jump
    for _ in range(30):
        last = joints_of(library, crowd, 0, hybrid)[1]
        assert library.step(crowd, 1 / 60) == OK
        assert turned(last, joints_of(library, crowd, 0, hybrid)[1]) < 8.0  # degrees: the poses are 30 and more apart
    assert library.doing(crowd, 0)[1] == 1
    assert (library.now(crowd, 0)[1].x, library.now(crowd, 0)[1].z) == pytest.approx((place.x, place.z), abs=5e-3)


def test_a_change_that_cannot_be_taken_is_refused_for_all_of_them(library, characters):
    hybrid = twirling()
    _, crowd = characters(hybrid, n=3)
    twirl, go = (number_of(hybrid, name) for name in ("twirl", "go"))
    assert library.core.mocapella_trigger(crowd, 0, go) == BAD_ARGUMENT
    assert library.error == "the change begins in another block: standing"
    assert library.core.mocapella_trigger(crowd, 0, len(hybrid.arcs)) == BAD_ARGUMENT
    assert library.core.mocapella_trigger(crowd, 1, twirl) == OK
    while library.doing(crowd, 1)[0] != WAITING:
        assert library.step(crowd, 1 / 60) == OK
    assert library.core.mocapella_trigger(crowd, -1, twirl) == BAD_ARGUMENT
    assert library.error == "a character waits for a change or plays one: twirl"
    assert [library.doing(crowd, i)[0] for i in range(3)] == [FREE, WAITING, FREE]
    while library.doing(crowd, 1)[0] != CHANGING:
        assert library.step(crowd, 1 / 60) == OK
    assert library.enter(crowd, 1, 1, 0.0, 0.0) == BAD_ARGUMENT
    assert library.core.mocapella_cancel(crowd, -1) == OK
    assert library.doing(crowd, 1)[0] == CHANGING


def test_web_assembly_plays_changes_as_the_c_library_does(library, characters, tmp_path):
    needed((RUNTIME / WASM).is_file(), "mocapella.wasm is not built: make runtime")
    needed(node := shutil.which("node"), "no node")
    hybrid = twirling()
    for name in EMBEDDED["wasm"]:
        (tmp_path / name).write_bytes(runtime_file(name))
    (tmp_path / NETWORK).write_bytes(written(hybrid))
    script = """
        import fs from 'node:fs'
        import { Library } from './mocapella.mjs'
        const library = await Library.load(fs.readFileSync(Library.file))
        const network = library.network(fs.readFileSync('network.mocar')), { blocks, changes } = network
        const crowd = network.create(2), out = []
        crowd.trigger(1, 0)
        for (let k = 0; k < 300; k++) { crowd.step(1 / 60); out.push([Array.from(crowd.positions(1)), crowd.doing(1)]) }
        console.log(JSON.stringify({ out, changes, blocks: blocks.map((b) => [b.name, b.nodes.length]) }))
    """
    (tmp_path / "play.mjs").write_text(script)
    run = subprocess.run([node, "play.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    seen = json.loads(run.stdout)
    network, crowd = characters(hybrid, n=2)
    assert seen["blocks"] == [[name, len(block.network.nodes)] for name, block in hybrid.blocks.items()]
    info = library.change(network, 0)[1]
    told = seen["changes"][0]
    assert (told["name"], told["targetNode"], told["to"]) == (info.name.decode(), info.target_node, list(info.to))
    assert (told["phase"], told["mirroredPhase"], told["seconds"]) == (info.phase, info.mirrored_phase, info.seconds)
    assert library.core.mocapella_trigger(crowd, 1, 0) == OK
    names = ["free", "called", "waiting", "changing"]
    for positions, doing in seen["out"]:
        assert library.step(crowd, 1 / 60) == OK
        activity, block, change, seconds = library.doing(crowd, 1)
        assert (doing["activity"], doing["block"], doing["change"]) == (names[activity], block, change)
        assert doing["seconds"] == pytest.approx(seconds, abs=1e-3)
        np.testing.assert_allclose(np.reshape(positions, (-1, 3)), joints_of(library, crowd, 1, hybrid)[0], atol=1e-3)


def test_damaged_changes_are_refused_or_played_and_nothing_else_is_touched(library):
    counts = damaged.run(library, written(twirling()), 150, seed=2)
    assert counts["refused"] > 50
    assert counts["played"] > 5


def test_changes_that_would_lead_the_library_astray_are_refused(library):
    data = written(twirling())
    n_sections = struct.unpack_from("<I", data, 12)[0]
    names = [data[at : at + 16].rstrip(b"\0").decode() for at in range(32, 32 + 32 * n_sections, 32)]

    def damaged_by(name, place, kind, value):
        own = bytearray(data)
        entry = 32 + 32 * (len(names) - 1 - names[::-1].index(name))
        at = struct.unpack_from("<I", own, entry + 24)[0] + place * struct.calcsize(kind)
        struct.pack_into(kind, own, at, value)
        return damaged.sealed(own)

    for name, place, kind, value, reason in (
        ("change_words", 0, "<i", 2, "is not there: a block"),
        ("change_words", 1, "<i", 99, "is not there: a node"),
        ("change_words", 4, "<i", 1, "the ways, versions or trigger zone"),
        ("change_words", 5, "<i", 99, "is not there: a recording"),
        ("change_words", 6, "<i", 3, "the ways, versions or trigger zone"),
        ("change_zones", 0, "<d", 0.0, "the ways, versions or trigger zone"),
        ("recording_words", 0, "<i", 999, "is not there: a way"),
        ("recording_words", 1, "<i", 2**20, "is not there: a frame"),
        ("recording_words", 2, "<i", 2**20, "too few frames, or more"),
        ("recording_words", 2, "<i", 1, "too few frames, or more"),
        ("recording_data", 0, "<d", -1.0, "a phase beyond a cycle"),
        ("recording_data", 4, "<d", 0.0, "fewer than one"),
        ("frames", 7, "<f", float("nan"), "NaN"),
        ("changes", 2, "<i", 5, "another length than the network needs: frames"),
        ("way", 0, "<i", 5, "is not there: a block"),
        ("offset", 4, "<f", 0.5, "different skeletons"),
    ):
        assert library.parse(damaged_by(name, place, kind, value))[0] == BAD_FILE, name
        assert reason in library.error
    own = bytearray(data)
    first, second = (32 + 32 * names.index(name) for name in ("coefficients", "triangle"))
    own[second + 24 : second + 28] = own[first + 24 : first + 28]
    assert library.parse(damaged.sealed(own))[0] == BAD_FILE
    assert "a section lies over the one before" in library.error
    own = bytearray(data)
    own[32:37] = b"other"
    assert library.parse(damaged.sealed(own))[0] == BAD_FILE
    assert "blocks, ways and changes are not in order" in library.error
