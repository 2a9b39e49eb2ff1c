"""The library for other programs: its C build and its WebAssembly build do what a crowd does in Python."""

from __future__ import annotations

import ctypes
import json
import shutil
import struct
import subprocess
from functools import cache

import numpy as np
import pytest

import mocapella as mo
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.rates import RateTable
from mocapella.errors import MotionError
from mocapella.exporting import embedding
from mocapella.exporting.embedding import EMBEDDED, RELAXED, RUNTIME, WASM, export_embedded, runtime_file
from mocapella.exporting.mocar import mocar_bytes, packed
from mocapella.geometry import quaternions
from tests.crowd.samples import walks
from tests.crowd.test_native import with_fingers
from tests.exporting import damaged
from tests.exporting.library import ALL, BAD_ARGUMENT, BAD_FILE, CANNOT_READ, OK, needed

EVERY = ("JOINTS", "ENDS", "NODES", "TRIANGLES", "OUTLINE", "HARMONICS")


@pytest.fixture
def network(library):
    status, out = library.parse(mocar_bytes(walks()))
    assert status == OK, library.error
    yield out
    library.core.mocapella_network_free(out)


@cache
def walked(frames=120):
    """What the examples print, by a crowd of one in Python."""
    nodes = walks().nodes
    crowd = Crowd(walks(), 1, points=[nodes[0].at], phases=[0.0], positions=[(0.0, 0.0)], headings=[0.0])
    out = []
    for frame in range(frames):
        if frame == 30:
            crowd.points[0] = nodes[-1].at
        crowd.step(1 / 60)
        out.append(crowd.poses()[0, :, :, 3].copy())
    return np.array(out)


def read_csv(text: str) -> np.ndarray:
    rows = [line.split(",") for line in text.splitlines()[1:]]
    names = walks().layout.skeleton.names
    assert [row[1] for row in rows[: len(names)]] == list(names)
    return np.array([row[2:] for row in rows], dtype=float).reshape(-1, len(names), 3)


def test_the_c_program_of_the_examples_prints_the_poses_of_python(made):
    _, program, file = made
    run = subprocess.run([program, file, "120"], capture_output=True, text=True, timeout=60, check=True)
    np.testing.assert_allclose(read_csv(run.stdout), walked(), atol=1e-4)
    assert "23 joints, 4 motions" in run.stderr
    assert len((file.parent / "poses.c").read_text().splitlines()) <= 60
    refused = subprocess.run([program, file.parent / "poses.c", "1"], capture_output=True, text=True, timeout=60)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.endswith("this is not a .mocar file\n")


@pytest.fixture(params=[WASM, RELAXED])
def web(request, tmp_path):
    """A folder of ``export --for wasm`` in which both builds are this one, and Node that runs it."""
    needed((RUNTIME / request.param).is_file(), f"{request.param} is not built: make runtime")
    needed(node := shutil.which("node"), "no node")
    export_embedded(walks(), tmp_path, "wasm")
    for name in (WASM, RELAXED):
        (tmp_path / name).write_bytes(runtime_file(request.param))
    return tmp_path, with_relaxed(node)


def with_relaxed(node: str) -> list[str]:
    """Node as it runs relaxed SIMD: Node 20 wants to be told."""
    version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    return [node, "--experimental-wasm-relaxed-simd"] if version.startswith("v20.") else [node]


def test_web_assembly_prints_the_poses_of_python(web):
    folder, node = web
    words = [*node, folder / "poses.mjs", folder, "120"]
    run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    np.testing.assert_allclose(read_csv(run.stdout), walked(), atol=1e-5)


def test_a_crowd_in_web_assembly_is_that_of_python(web):
    folder, node = web
    n = 21  # blocks of eight that are full, and one that is not
    rng = np.random.default_rng(4)
    points, later = rng.uniform((-0.4, 1.0), (0.4, 1.5), (2, n, 2))
    phases = rng.uniform(0, 6, n)
    (folder / "crowd.json").write_text(
        json.dumps({"points": points.tolist(), "later": later.tolist(), "phases": phases.tolist()})
    )
    (folder / "crowd.mjs").write_text(
        """
        import fs from 'node:fs'
        import { Library } from './mocapella.mjs'
        const { points, later, phases } = JSON.parse(fs.readFileSync('crowd.json', 'utf8'))
        const library = await Library.load(fs.readFileSync(Library.file))
        const crowd = library.network(fs.readFileSync('network.mocar')).create(points.length)
        points.forEach((point, i) => crowd.begin(i, { point, phase: phases[i] }))
        const out = []
        for (let k = 0; k < 90; k++) {
          if (k === 20) later.forEach((point, i) => crowd.aim(i, ...point))
          crowd.step(1 / 60)
          out.push(points.map((_, i) => Array.from(crowd.matrices(i))))
        }
        console.log(JSON.stringify(out))
        """
    )
    run = subprocess.run([*node, "crowd.mjs"], cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    found = np.array(json.loads(run.stdout)).reshape(90, n, -1, 3, 4)
    crowd = Crowd(walks(), n, points=points, phases=phases, positions=np.zeros((n, 2)), headings=np.zeros(n))
    apart = []
    for frame, poses in enumerate(found):
        if frame == 20:
            crowd.points[...] = later
        crowd.step(1 / 60)
        apart.append(np.abs(poses - crowd.poses()).max(axis=(1, 2, 3)))
    assert np.quantile(apart, 0.99) < 1e-5


def test_the_module_chooses_the_build_that_its_engine_runs(tmp_path):
    needed((RUNTIME / RELAXED).is_file(), f"{RELAXED} is not built: make runtime")
    needed(node := shutil.which("node"), "no node")
    export_embedded(walks(), tmp_path, "wasm")
    (tmp_path / "choose.mjs").write_text(
        f"""
        import fs from 'node:fs'
        import {{ Library }} from './mocapella.mjs'
        console.log(Library.file, WebAssembly.validate(fs.readFileSync('{RELAXED}')))
        """
    )
    for command in ([node], with_relaxed(node)):
        words = [*command, tmp_path / "choose.mjs"]
        run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
        assert run.stdout.split() in ([WASM, "false"], [RELAXED, "true"])
    assert run.stdout.split() == [RELAXED, "true"]


def test_many_steered_characters_are_those_of_a_crowd(library, network):
    rng = np.random.default_rng(3)
    n, joints = 20, walks().layout.skeleton.n_joints
    starts = np.concatenate(
        [rng.uniform(-900, 900, (n, 2)), rng.uniform(-3, 3, (n, 1)), rng.uniform(0, 6, (n, 1))], axis=1
    )
    points = rng.uniform((-0.5, 1.0), (0.5, 1.5), (n, 2))
    options = {"positions": starts[:, :2], "headings": starts[:, 2], "phases": starts[:, 3]}
    crowd = Crowd(walks(), n, points=points, noise=0.05, engine="numpy", **options)
    status, own = library.create(network, n)
    assert status == OK
    assert library.core.mocapella_set_noise(own, ctypes.c_double(0.05)) == OK
    for i in range(n):
        assert library.begin(own, i, *starts[i], *points[i]) == OK
    apart = []
    for frame in range(150):
        if frame == 40:
            wanted = rng.uniform((-0.3, 0.9), (0.3, 1.5), (n, 2))
            crowd.steer(wanted[:, 0], wanted[:, 1])
            assert [library.steer(own, i, *wanted[i]) for i in range(n)] == [OK] * n
        crowd.step(1 / 60)
        assert library.step(own, 1 / 60) == OK
        found = np.stack([library.read("matrices", own, i, 12 * joints) for i in range(n)]).reshape(n, joints, 3, 4)
        apart.append(np.abs(found - crowd.poses()).max(axis=(1, 2, 3)))
        np.testing.assert_array_equal(library.read("positions", own, 0, 3 * joints).reshape(-1, 3), found[0, :, :, 3])
    assert np.quantile(apart, 0.99) < 2e-4  # at 900 m a single has steps of 0.06 mm
    assert np.median(apart) < 1e-4
    states = [library.now(own, i)[1] for i in range(n)]
    np.testing.assert_allclose([(one.x, one.z) for one in states], crowd.positions, atol=1e-3)
    np.testing.assert_allclose([tuple(one.point) for one in states], crowd.blending_points, atol=1e-4)
    np.testing.assert_allclose(np.unwrap([one.phase for one in states]), np.unwrap(crowd.phases), atol=1e-3)
    planted = [[one.planted >> k & 1 == 1 for k in range(4)] for one in states]
    assert np.mean(np.array(planted) == crowd.planted) > 0.98
    library.core.mocapella_free(own)


def test_local_poses_give_the_world_poses_again(library, network):
    skeleton = walks().layout.skeleton
    status, own = library.create(network, 1)
    for _ in range(20):
        assert library.step(own, 1 / 30) == status == OK
    found = library.read("locals", own, 0, 7 * skeleton.n_joints).reshape(-1, 7).astype(float)
    pose = mo.Pose(skeleton, found[0, :3], found[:, [6, 3, 4, 5]])
    world = library.read("matrices", own, 0, 12 * skeleton.n_joints).reshape(-1, 3, 4)
    np.testing.assert_allclose(pose.positions, world[:, :, 3], atol=1e-5)
    np.testing.assert_allclose(quaternions.to_matrix(pose.world[1]), world[:, :, :3], atol=1e-5)
    np.testing.assert_allclose(found[1:, :3], skeleton.offsets[1:], atol=1e-6)
    library.core.mocapella_free(own)


@pytest.mark.parametrize(("what", "each"), [("matrices", 12), ("positions", 3), ("locals", 7)])
def test_all_poses_are_read_at_once_as_they_are_one_by_one(library, network, what, each):
    n, size = 5, each * walks().layout.skeleton.n_joints
    own = library.create(network, n)[1]
    for i in range(n):
        library.begin(own, i, 2.0 * i, -i, 0.3 * i, i, 0.1 * i, 1.2)
    library.step(own, 0.2)
    found = library.read(what, own, ALL, n * size)
    np.testing.assert_array_equal(found.reshape(n, -1), [library.read(what, own, i, size) for i in range(n)])
    room = np.full(n * size, np.nan, dtype=np.float32)
    read = getattr(library.core, f"mocapella_{what}")
    assert read(own, ALL, ctypes.c_void_p(room.ctypes.data), ctypes.c_size_t(n * size - 1)) == BAD_ARGUMENT
    assert np.isnan(room).all()
    library.core.mocapella_free(own)


def test_a_network_tells_its_skeleton_nodes_triangles_and_outline(library, network):
    plain, core = walks(), library.core
    skeleton = plain.layout.skeleton
    counts = dict(zip(EVERY, (library.count(network, k) for k in range(6)), strict=True))
    assert counts["JOINTS"] == skeleton.n_joints
    assert counts["HARMONICS"] == plain.n_harmonics
    name, number, three, two = ctypes.c_char_p(), ctypes.c_int(), (ctypes.c_float * 3)(), (ctypes.c_double * 2)()
    for joint in range(skeleton.n_joints):
        assert core.mocapella_joint(network, joint, ctypes.byref(name), ctypes.byref(number), three) == OK
        assert (name.value.decode(), number.value) == (skeleton.names[joint], skeleton.parents[joint])
        np.testing.assert_allclose(three, skeleton.offsets[joint], atol=1e-6)
    for end in range(counts["ENDS"]):
        assert core.mocapella_end(network, end, ctypes.byref(number), three) == OK
        assert number.value == skeleton.end_joints[end]
    for node in range(counts["NODES"]):
        assert core.mocapella_node(network, node, ctypes.byref(name), two) == OK
        assert (name.value.decode(), tuple(two)) == (plain.names[node], tuple(plain.points[node]))
    corners = (ctypes.c_int * 3)()
    for triangle in range(counts["TRIANGLES"]):
        assert core.mocapella_triangle(network, triangle, corners) == OK
        assert list(corners) == plain.corners[triangle].tolist()
    for corner, node in enumerate(plain.outline[0]):
        assert core.mocapella_outline(network, corner, two, ctypes.byref(number)) == OK
        assert (tuple(two), number.value) == (tuple(plain.points[node]), 0)


def test_what_lies_outside_is_brought_to_the_network_and_rates_are_those_of_its_blends(library, network):
    plain, core, two = walks(), library.core, (ctypes.c_double * 2)()
    rng = np.random.default_rng(5)
    for x, y in [*rng.uniform((-2.0, 0.2), (2.0, 2.5), (40, 2)), *plain.points]:
        assert core.mocapella_nearest(network, ctypes.c_double(x), ctypes.c_double(y), two) == OK
        found = np.array(two)
        low, high = plain.points.min(axis=0), plain.points.max(axis=0)
        assert np.all((low - 1e-6 <= found) & (found <= high + 1e-6))
        if plain.place((x, y)).inside:
            np.testing.assert_allclose(found, (x, y), atol=1e-6)
        np.testing.assert_allclose(plain.place(tuple(found)).point, found, atol=1e-5)
    rates = [ctypes.c_float() for _ in range(3)]
    tables = Crowd(plain, 1).tables
    assert RateTable.of(tables).points.shape[2] == 2
    for corner, (x, y) in enumerate(plain.points):
        assert core.mocapella_rates(network, ctypes.c_double(x), ctypes.c_double(y), *map(ctypes.byref, rates)) == OK
        triangle, place = np.argwhere(tables.triangles == corner)[0]
        expected = tables.rates[triangle, (0, tables.parts * (tables.parts + 1) // 2, -1)[place]]
        np.testing.assert_allclose([rate.value for rate in rates[:2]], expected, atol=1e-4)
        np.testing.assert_allclose(rates[2].value, plain.nodes[corner].spectrum.duration, rtol=1e-3)


def test_every_function_refuses_null_pointers_and_numbers_out_of_range(library, network):
    core, none = library.core, ctypes.c_void_p()
    out, one = ctypes.c_void_p(), ctypes.c_double(1.0)
    status, own = library.create(network, 2)
    assert status == OK
    bad = {
        "parse": (none, ctypes.c_size_t(0), ctypes.byref(out)),
        "load": (none, ctypes.byref(out)),
        "count": (none, 0, ctypes.byref(out)),
        "joint": (none, 0, none, none, none),
        "end": (none, 0, none, none),
        "node": (none, 0, none, none),
        "triangle": (network, 0, none),
        "outline": (network, 0, none, none),
        "nearest": (network, one, one, none),
        "rates": (network, ctypes.c_double(float("nan")), one, none, none, none),
        "create": (network, 0, ctypes.byref(out)),
        "begin": (own, 0, none),
        "aim": (own, 2, one, one),
        "steer": (own, -2, one, one),
        "set_ease": (own, ctypes.c_double(-1.0)),
        "set_noise": (none, one),
        "step": (own, ctypes.c_double(float("inf"))),
        "matrices": (own, 0, none, ctypes.c_size_t(10**6)),
        "positions": (own, 5, ctypes.byref(out), ctypes.c_size_t(10**6)),
        "locals": (own, 0, ctypes.byref(out), ctypes.c_size_t(1)),
        "now": (own, 0, none),
        "block": (network, 1, none, none),
        "change": (network, 0, none),
        "trigger": (own, 0, 0),
        "cancel": (own, 2),
        "enter": (own, 0, 1, one, one),
        "doing": (none, 0, none, none, none, none),
    }
    for name, words in bad.items():
        assert getattr(core, f"mocapella_{name}")(*words) == BAD_ARGUMENT, name
        assert len(library.error) > 10
        assert not out.value
    core.mocapella_network_free(none)
    core.mocapella_free(none)
    core.mocapella_free(own)
    assert core.mocapella_load(b"/there/is/none.mocar", ctypes.byref(out)) == CANNOT_READ


def test_damaged_files_are_refused_or_played_and_nothing_else_is_touched(library):
    counts = damaged.run(library, mocar_bytes(walks()), 250, seed=1)
    assert counts["refused"] > 100
    assert counts["played"] > 10


def test_what_a_file_says_of_itself_is_checked(library):
    data = bytearray(mocar_bytes(walks()))
    for change, reason in (
        ({0: b"RIFF"}, "not a .mocar file"),
        ({8: struct.pack("<I", 1)}, "export the file again, it is of version 1"),
        ({40_000: b"\xff\xff"}, "checksum"),
        ({16: struct.pack("<Q", 2**40)}, "cut off"),
    ):
        own = bytearray(data)
        for at, what in change.items():
            own[at : at + len(what)] = what
        assert library.parse(bytes(own))[0] == BAD_FILE
        assert reason in library.error
    assert library.parse(bytes(data[:20]))[0] == BAD_FILE


def test_tables_that_would_lead_the_core_astray_are_refused(library):
    """Each of them passes the core's own check of indices, or would be read before it."""
    data = mocar_bytes(walks())
    entries = {data[at : at + 16].rstrip(b"\0").decode(): at for at in range(32, 32 + 32 * data[12], 32)}
    for name, kind, value, reason in (
        ("left_chain", "<i", 1, "part of a leg"),  # the root has no parent to hang on
        ("gait", "<f", 0.0, "a cycle lasts"),
        ("column", "<i", 2**31 - 1, "out of range"),
        ("coefficients", "<f", float("nan"), "NaN"),
        ("node_triangles", "<i", 4, "a node that there is not"),
        ("end_joints", "<i", 23, "a joint that there is not"),
        ("numbers", "<i", 2**20, "refuses the tables"),
    ):
        own = bytearray(data)
        (place,) = struct.unpack_from("<I", own, entries[name] + 24)
        struct.pack_into(kind, own, place, value)
        assert library.parse(damaged.sealed(own))[0] == BAD_FILE, name
        assert reason in library.error
    own = bytearray(data)
    own[entries["joint_names"] : entries["joint_names"] + 5] = b"other"
    assert library.parse(damaged.sealed(own))[0] == BAD_FILE
    assert library.error == "a section is missing: joint_names"


def test_a_single_motion_and_a_line_of_two_are_networks_too(library):
    plain = walks()
    two = mo.Network(plain.nodes[:2])
    for value, n_nodes in ((plain.nodes[0].spectrum, 1), (two, 2)):
        status, network = library.parse(mocar_bytes(value))
        assert status == OK, library.error
        assert library.count(network, 2) == n_nodes
        _, own = library.create(network, 1)
        assert library.aim(own, -1, 5.0, 5.0) == library.step(own, 0.5) == OK
        assert np.isfinite(library.read("positions", own, 0, 3 * plain.layout.skeleton.n_joints)).all()
        library.core.mocapella_free(own)
        library.core.mocapella_network_free(network)


def test_files_beyond_the_largest_and_skeletons_beyond_the_core_are_refused(monkeypatch):
    large = with_fingers(140)
    with pytest.raises(MotionError, match="128 joints"):
        mocar_bytes(large)
    monkeypatch.setattr("mocapella.exporting.mocar.LARGEST", 1000)
    with pytest.raises(MotionError, match="MB for the C library"):
        packed([("coefficients", np.zeros(1000, dtype=np.float32))])


def test_where_the_library_is_not_built_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(embedding, "RUNTIME", tmp_path)
    with pytest.raises(MotionError, match="make runtime"):
        runtime_file(WASM)


def test_the_package_brings_along_what_folders_need():
    needed((RUNTIME / WASM).is_file(), "the library is not built: make runtime")
    for files in EMBEDDED.values():
        for name, place in files.items():
            assert (RUNTIME / name).is_file()
            if place:
                assert (RUNTIME / name).read_bytes() == runtime_file(name)
