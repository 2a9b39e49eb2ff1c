"""glTF files read: joints are where the file's own definition puts them, and damaged files are refused."""

from __future__ import annotations

import base64
import json
import struct

import numpy as np
import pygltflib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.errors import FormatError, MotionError
from mocapella.files.gltf.gltf_document import GltfDocument
from mocapella.files.gltf.gltf_reader import gltf_animations
from mocapella.motion import kinematics
from mocapella.rig.naming import NAMINGS
from tests.fuzz import samples

RNG = np.random.default_rng(7)
TYPES = {np.dtype("f4"): 5126, np.dtype("i2"): 5122, np.dtype("i1"): 5120, np.dtype("u2"): 5123, np.dtype("u1"): 5121}
SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Writer:
    """Writes glTF by hand, so that a test holds every detail of it."""

    def __init__(self):
        self.doc = {"asset": {"version": "2.0"}, "nodes": [], "accessors": [], "bufferViews": [], "animations": []}
        self.data = b""

    def view(self, raw, stride=None):
        self.data += b"\0" * (-len(self.data) % 4)
        made = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw)}
        self.doc["bufferViews"].append(made | ({"byteStride": stride} if stride else {}))
        self.data += raw
        return len(self.doc["bufferViews"]) - 1

    def accessor(self, values, *, normalized=False, sparse=False, stride=0):
        values = np.atleast_2d(np.asarray(values))
        values = values.T if values.shape[0] == 1 and values.shape[1] not in SHAPES else values
        made = {"componentType": TYPES[values.dtype], "count": len(values), "type": SHAPES[values.shape[1]]}
        if normalized:
            made["normalized"] = True
        if sparse:  # zeros, and every second element filled in
            rows = np.arange(0, len(values), 2, dtype="u2")
            made["sparse"] = {
                "count": len(rows),
                "indices": {"bufferView": self.view(rows.tobytes()), "componentType": 5123},
                "values": {"bufferView": self.view(values[rows].tobytes())},
            }
        elif stride:
            raw = np.zeros((len(values), stride), np.uint8)
            raw[:, : values.itemsize * values.shape[1]] = values.view(np.uint8).reshape(len(values), -1)
            made["bufferView"] = self.view(raw.tobytes(), stride)
        else:
            made["bufferView"] = self.view(values.tobytes())
        self.doc["accessors"].append(made)
        return len(self.doc["accessors"]) - 1

    def save(self, path, *, how="glb"):
        doc = self.doc | {"buffers": [{"byteLength": len(self.data)}]}
        if how == "glb":
            text = json.dumps(doc).encode()
            text += b" " * (-len(text) % 4)
            data = self.data + b"\0" * (-len(self.data) % 4)
            total = 12 + 8 + len(text) + 8 + len(data)
            head = struct.pack("<4sII", b"glTF", 2, total) + struct.pack("<II", len(text), 0x4E4F534A) + text
            path.write_bytes(head + struct.pack("<II", len(data), 0x004E4942) + data)
        elif how == "data":
            doc["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
            path.write_text(json.dumps(doc))
        else:
            (path.parent / "motion data.bin").write_bytes(self.data)
            doc["buffers"][0]["uri"] = "motion%20data.bin"
            path.write_text(json.dumps(doc))
        return path


def unit(q):
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def matrix(place, turn, size):
    x, y, z, w = turn
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation * size, place
    return out


def tree(writer, *, above=True, skin=True):
    """A chain above (turned, scaled to centimetres), then five joints, one of them given by a matrix."""
    rest = {}
    nodes = writer.doc["nodes"]
    if above:
        nodes += [{"name": "Armature", "children": [1], "rotation": [-(0.5**0.5), 0, 0, 0.5**0.5], "scale": [0.01] * 3}]
        rest[0] = (np.zeros(3), np.array([-(0.5**0.5), 0, 0, 0.5**0.5]), 0.01)
    first = len(nodes)
    parents = {first: first - 1, first + 1: first, first + 2: first + 1, first + 3: first, first + 4: first + 3}
    for i in range(first, first + 5):
        place, turn = RNG.normal(size=3) * (30.0 if above else 0.3), unit(RNG.normal(size=4))
        rest[i] = (place, turn, 1.0)
        nodes.append({"name": f"j{i}", "children": [c for c, p in parents.items() if p == i]})
        if i == first + 3:
            nodes[-1]["matrix"] = matrix(*rest[i]).T.ravel().tolist()
        else:
            nodes[-1] |= {"translation": place.tolist(), "rotation": turn.tolist()}
        if not nodes[-1]["children"]:
            del nodes[-1]["children"]
    if skin:
        inverse = np.array(
            [np.linalg.inv(matrix(RNG.normal(size=3), unit(RNG.normal(size=4)), 1.0)).T for _ in range(5)]
        )
        writer.doc["skins"] = [
            {
                "joints": list(range(first, first + 5)),
                "inverseBindMatrices": writer.accessor(inverse.reshape(5, 16).astype("f4")),
            }
        ]
    return rest, parents, first


def defined(rest, parents, moved, count):
    """Where joints are, frame by frame, straight from the definition: matrices, multiplied down the tree."""
    out = np.zeros((count, len(rest), 3))
    for frame in range(count):
        worlds = {-1: np.eye(4)}
        for i in sorted(rest):
            place, turn, size = rest[i]
            place = moved[i, "translation"][frame] if (i, "translation") in moved else place
            turn = moved[i, "rotation"][frame] if (i, "rotation") in moved else turn
            worlds[i] = worlds[parents.get(i, -1)] @ matrix(place, turn, size)
            out[frame, sorted(rest).index(i)] = worlds[i][:3, 3]
    return out


def read_gltf(path, **options):
    """The first motion of a file."""
    return gltf_animations(path, **options)[0].read()


def positions(path, **options):
    parsed = read_gltf(path, **options)
    skeleton = parsed.skeleton
    made = kinematics.forward(skeleton, parsed.root_positions, parsed.rotations_wxyz)[0]
    if len(parsed.sliding_joints):
        clip = mo.Clip(
            skeleton,
            parsed.root_positions,
            parsed.rotations_wxyz,
            frame_rate=parsed.frame_rate,
            sliding_joints=parsed.sliding_joints,
            slides=parsed.slides,
        )
        made = clip.positions
    return parsed, made


def animated(writer, rest, first, times, *, how="LINEAR", normalized=False, sparse=False, stride=0):
    """Turn every joint and carry the root about; what that is at the keys."""
    moved, channels, samplers = {}, [], []
    clock = writer.accessor(times.astype("f4")[:, None])
    for i in range(first, first + 5):
        turn = unit(RNG.normal(size=(len(times), 4)) + 2 * rest[i][1])
        values = turn.astype("f4")
        if normalized:
            values = np.round(turn * 32767).astype("i2")
            turn = unit(values / 32767.0)
        if how == "CUBICSPLINE":
            slopes = RNG.normal(size=(2, len(times), 4)) * 0.1
            values = np.stack([slopes[0], turn, slopes[1]], axis=1).reshape(-1, 4).astype("f4")
        made = writer.accessor(values, normalized=normalized, sparse=sparse and how == "none", stride=stride)
        samplers.append({"input": clock, "output": made, "interpolation": how})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": i, "path": "rotation"}})
        moved[i, "rotation"] = turn
    places = np.cumsum(RNG.normal(size=(len(times), 3)), axis=0)
    if sparse:
        places[1::2] = 0.0
    samplers.append({"input": clock, "output": writer.accessor(places.astype("f4"), sparse=sparse)})
    channels.append({"sampler": len(samplers) - 1, "target": {"node": first, "path": "translation"}})
    moved[first, "translation"] = places
    writer.doc["animations"].append({"name": "walk", "channels": channels, "samplers": samplers})
    return moved


@pytest.mark.parametrize("how", ["LINEAR", "STEP", "CUBICSPLINE"])
@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("skin", [True, False])
def test_joints_are_where_the_definition_puts_them_at_every_key(tmp_path, how, above, skin):
    writer = Writer()
    rest, parents, first = tree(writer, above=above, skin=skin)
    times = np.arange(12) / 30.0
    moved = animated(writer, rest, first, times, how=how)
    parsed, made = positions(writer.save(tmp_path / "a.glb"))
    assert parsed.frame_rate == 30.0
    np.testing.assert_allclose(made, defined(rest, parents, moved, 12)[:, first:], atol=2e-5)


@pytest.mark.parametrize("kind", [{"normalized": True}, {"sparse": True}, {"stride": 24}])
@pytest.mark.parametrize("how", ["glb", "data", "file"])
def test_numbers_may_be_packed_sparse_or_apart(tmp_path, kind, how):
    writer = Writer()
    rest, parents, first = tree(writer)
    moved = animated(writer, rest, first, np.arange(9) / 24.0, **kind)
    path = writer.save(tmp_path / ("a.glb" if how == "glb" else "a.gltf"), how=how)
    np.testing.assert_allclose(positions(path)[1], defined(rest, parents, moved, 9)[:, first:], atol=2e-5)


def test_between_keys_rotations_go_the_shortest_way_evenly(tmp_path):
    writer = Writer()
    tree(writer, above=False)
    clock = writer.accessor(np.array([[0.0], [1.0]], "f4"))
    ends = np.array([[0, 0, 0, 1], [0, -np.sin(0.6), 0, -np.cos(0.6)]], "f4")  # the other sign of a turn by 1.2
    writer.doc["animations"] = [
        {
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
            "samplers": [{"input": clock, "output": writer.accessor(ends)}],
        }
    ]
    parsed = read_gltf(writer.save(tmp_path / "a.glb"), frame_rate=4.0)
    nearness = np.abs(np.einsum("fc,c->f", parsed.rotations_wxyz[:, 0], parsed.rotations_wxyz[0, 0]))
    turns = 2 * np.arccos(np.minimum(nearness, 1.0))  # rounding may make it a little more
    np.testing.assert_allclose(turns, [0.0, 0.3, 0.6, 0.9, 1.2], atol=1e-3)


def test_joints_that_slide_keep_their_places(tmp_path):
    writer = Writer()
    rest, parents, first = tree(writer, above=False)
    moved = animated(writer, rest, first, np.arange(6) / 60.0)
    away = RNG.normal(size=(6, 3))
    animation = writer.doc["animations"][0]
    animation["samplers"].append({"input": 1, "output": writer.accessor(away.astype("f4"))})
    animation["samplers"][-1]["input"] = animation["samplers"][0]["input"]
    animation["channels"].append({"sampler": 6, "target": {"node": first + 2, "path": "translation"}})
    moved[first + 2, "translation"] = away
    parsed, made = positions(writer.save(tmp_path / "a.glb"))
    assert list(parsed.sliding_joints) == [2]
    np.testing.assert_allclose(made, defined(rest, parents, moved, 6), atol=2e-5)


def test_one_of_several_animations_is_read_by_name_or_number(tmp_path):
    writer = Writer()
    rest, _, first = tree(writer)
    animated(writer, rest, first, np.arange(5) / 30.0)
    animated(writer, rest, first, np.arange(9) / 30.0)
    writer.doc["animations"][1]["name"] = "run"
    path = writer.save(tmp_path / "a.glb")
    counts = [mo.load(path, animation=one).n_frames for one in (None, "walk", "run", 1, "1")]
    assert counts == [5, 5, 9, 9, 9]
    assert "there are also run" in mo.load(path).report.findings[0].message
    with pytest.raises(FormatError, match=r"has no animation 'skip'; there are walk, run"):
        mo.load(path, animation="skip")


def test_keys_at_uneven_times_are_read_at_even_ones(tmp_path):
    writer = Writer()
    rest, _, first = tree(writer)
    animated(writer, rest, first, np.array([0.0, 0.31, 0.333, 1.0]))
    parsed = read_gltf(writer.save(tmp_path / "a.glb"))
    assert (parsed.frame_rate, len(parsed.root_positions)) == (60.0, 61)
    assert any(one.code == "resampled" for one in parsed.findings)


def test_a_character_without_animation_is_its_rest_pose(tmp_path):
    writer = Writer()
    rest, parents, first = tree(writer)
    parsed, made = positions(writer.save(tmp_path / "a.glb"))
    assert parsed.findings[0].code == "no-animation"
    np.testing.assert_allclose(made, defined(rest, parents, {}, 1)[:, first:], atol=2e-5)


@pytest.fixture(scope="module")
def walk():
    return perform("walk", speed=1.3, turn=0.3, imperfections=CLEAN, frame_rate=60.0)[0]


@pytest.mark.parametrize("options", [{}, {"root_motion": "root"}, {"body": False}, {"bones": "as-captured"}])
@pytest.mark.parametrize("suffix", ["glb", "gltf"])
def test_what_was_written_is_read_back(tmp_path, walk, options, suffix):
    mo.save(walk, tmp_path / f"walk.{suffix}", **options)
    again = mo.load(tmp_path / f"walk.{suffix}")
    assert (again.frame_rate, again.n_frames) == (60.0, walk.n_frames)
    joints = [again.skeleton.index(name) for name in walk.skeleton.names]
    np.testing.assert_allclose(again.positions[:, joints], walk.positions, atol=1e-5)
    assert again.report.unit == "m"


def test_another_library_writes_the_same_file_otherwise(tmp_path, walk):
    mo.save(walk, tmp_path / "walk.glb")
    other = pygltflib.GLTF2().load(str(tmp_path / "walk.glb"))
    other.convert_buffers(pygltflib.BufferFormat.DATAURI)
    other.save_json(str(tmp_path / "walk.gltf"))
    first, second = (mo.load(tmp_path / f"walk.{suffix}") for suffix in ("glb", "gltf"))
    np.testing.assert_array_equal(first.positions, second.positions)


def test_a_network_is_built_of_gltf_files_as_of_others(tmp_path):
    clips = [perform("walk", speed=speed, imperfections=CLEAN)[0] for speed in (0.9, 1.5)]
    for suffix in ("glb", "bvh"):
        for clip, name in zip(clips, ("slow", "fast"), strict=True):
            mo.save(clip, tmp_path / f"{name}.{suffix}")
    networks = [
        mo.build_network([tmp_path / f"{name}.{suffix}" for name in ("slow", "fast")]) for suffix in ("glb", "bvh")
    ]
    np.testing.assert_allclose(networks[0].points, networks[1].points, atol=0.02)


def damaged(change):
    writer = Writer()
    rest, _, first = tree(writer)
    animated(writer, rest, first, np.arange(5) / 30.0)
    change(writer.doc)
    return writer


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda doc: doc["accessors"][0].update(count=10**12), "elements"),
        (lambda doc: doc["accessors"][1].update(count=50), "ends before"),
        (lambda doc: doc["accessors"][1].update(componentType=1), "component type"),
        (lambda doc: doc["accessors"][1].update(bufferView=99), "buffer view 99"),
        (lambda doc: doc["bufferViews"][1].update(byteOffset=10**9), "ends before"),
        (lambda doc: doc["bufferViews"][1].update(buffer=3), "buffer 3"),
        (lambda doc: doc["nodes"][2].update(children=[1]), "child|ancestor"),
        (lambda doc: doc["nodes"][5].update(children=[0]), "ancestor|root in common"),
        (lambda doc: doc["nodes"][1].update(translation=[1e300, 0, 0]), "not numbers"),
        (lambda doc: doc["nodes"][4].update(matrix=[0.0] * 16), "matrix"),
        (lambda doc: doc["skins"][0].update(joints=[77]), "joints that are not there"),
        (lambda doc: doc["skins"][0].update(joints=[]), "no joints"),
        (lambda doc: doc["animations"][0]["samplers"][0].update(input=2), "type|keys"),
        (lambda doc: doc["animations"][0]["samplers"][0].update(interpolation="SINE"), "SINE"),
        (lambda doc: doc["animations"][0]["channels"][0].update(sampler=50), "sampler"),
        (lambda doc: doc["bufferViews"][1].update(extensions={"EXT_meshopt_compression": {}}), "unpack it first"),
        (lambda doc: doc.update(asset={"version": "1.0"}), "expected version 2"),
        (lambda doc: doc.update(nodes="many"), "is not glTF"),
    ],
)
def test_what_no_gltf_has_is_refused_with_a_reason(tmp_path, change, reason):
    path = damaged(change).save(tmp_path / "a.glb")
    with pytest.raises(FormatError, match=reason) as caught:
        read_gltf(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_buffers_outside_of_the_folder_are_not_read(tmp_path):
    (tmp_path / "secret.bin").write_bytes(b"\0" * 4096)
    (tmp_path / "in").mkdir()
    for uri in ("../secret.bin", str(tmp_path / "secret.bin"), "file:///etc/passwd", "%2e%2e/secret.bin"):
        writer = damaged(lambda doc: None)
        path = writer.save(tmp_path / "in" / "a.gltf", how="file")
        doc = json.loads(path.read_text())
        doc["buffers"][0]["uri"] = uri
        path.write_text(json.dumps(doc))
        with pytest.raises(FormatError, match="not in the folder"):
            read_gltf(path)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return damaged(lambda doc: None).save(tmp_path_factory.mktemp("sound") / "a.glb").read_bytes()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_bytes_are_read_or_refused(tmp_path_factory, sound, data):
    path = tmp_path_factory.mktemp("fuzz") / "a.glb"
    raw = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(raw[: data.draw(st.integers(len(raw) // 2, len(raw)))]))
    try:
        parsed = read_gltf(path)
    except MotionError:
        return
    assert np.isfinite(parsed.rotations_wxyz).all()
    assert np.isfinite(parsed.root_positions).all()


def humanoid(path, walk, *, version=1, change=lambda bones: bones):
    """A character whose joints have numbers for names, and a VRM humanoid that says what they are."""
    mo.save(walk, path.with_suffix(".glb"))
    raw = path.with_suffix(".glb").read_bytes()
    length = int.from_bytes(raw[12:16], "little")
    document = json.loads(raw[20 : 20 + length])
    at = {node["name"]: i for i, node in enumerate(document["nodes"])}
    roles = {role: walk.skeleton.names[joint] for role, joint in mo.find_roles(walk.skeleton).items()}
    bones = change({NAMINGS["vrm"][role]: at[name] for role, name in roles.items()})
    for i, node in enumerate(document["nodes"]):
        node["name"] = f"n{i}"
    if version == 1:
        own = {"VRMC_vrm": {"humanoid": {"humanBones": {bone: {"node": node} for bone, node in bones.items()}}}}
    else:
        own = {"VRM": {"humanoid": {"humanBones": [{"bone": bone, "node": node} for bone, node in bones.items()]}}}
    document["extensions"] = own
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = raw[20 + length :]
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    path.write_bytes(head + text + rest)
    return path


@pytest.mark.parametrize("version", [0, 1])
def test_the_humanoid_of_a_vrm_file_says_which_joint_plays_which_role(tmp_path, walk, version):
    clip = mo.load(humanoid(tmp_path / "a.vrm", walk, version=version))
    assert set(mo.find_roles(clip.skeleton)) == set(mo.find_roles(walk.skeleton))
    other = mo.load(tmp_path / "a.vrm", roles={"head": ""})
    assert "head" not in mo.find_roles(other.skeleton)
    assert "left_knee" in mo.find_roles(other.skeleton)


def test_a_humanoid_that_cannot_be_is_believed_as_far_as_it_can(tmp_path, walk):
    def crossed(bones):
        swapped = {"leftUpperLeg": bones["leftFoot"], "leftFoot": bones["leftUpperLeg"], "head": bones["hips"]}
        return bones | swapped | {"neck": [1], "chest": -5, "spine": 10**9}

    clip = mo.load(humanoid(tmp_path / "a.vrm", walk, change=crossed))
    roles = mo.find_roles(clip.skeleton)
    assert "hips" in roles
    assert len(set(roles.values())) == len(roles)


def test_the_extensions_of_a_file_are_read_once_however_many_animations_it_has(tmp_path, monkeypatch):
    document = json.loads(samples.document())
    document["animations"] *= 20
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    calls = []
    everything = GltfDocument.everything
    monkeypatch.setattr(GltfDocument, "everything", lambda self: calls.append(1) or everything(self))
    assert len(mo.load_all(tmp_path / "a.gltf")) > 0
    assert len(calls) == 1
