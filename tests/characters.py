"""A character as other programs make them, with a skeleton, names, axes, size and file layout that are not ours."""

import base64
import json
import struct
from pathlib import Path

import numpy as np

import mocapella as mo
from mocapella.geometry import quaternions
from mocapella.rig.binding import bound
from mocapella.rig.roles import find_roles

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC"
)
QUARTER = [float(np.sqrt(0.5)), 0.0, 0.0, float(np.sqrt(0.5))]  # about x, as Blender's up axis comes out


def write_character(path, *, size=0.8, arms=45.0, armature=True, root=True, vrm=0, names=None):
    """Write a skinned character: arms down by some degrees, its bones below a root and an armature in centimetres.

    Parameters: its size, whether nodes ``Armature`` (turned, scaled by 0.01) and ``Base`` stand above the hips, the
    version of VRM whose extension names its bones (0 for none), and the names of joints (``Bone_7`` and such for VRM).
    """
    walk = mo.example("walk", frame_rate=30.0)
    posed = _arms_down(walk[:3], arms)
    small = mo.retarget(posed, posed.skeleton.scaled(size))
    plain = Path(path).with_suffix(".glb")
    mo.save(small, plain, names="mixamo", root_motion="root" if root else "hips")
    doc, data = read_glb(plain)
    doc["animations"][0]["name"] = "bow"
    _with_texture(doc, data)
    if armature:
        _below_armature(doc, data)
    if root:
        next(node for node in doc["nodes"] if node["name"] == "root")["name"] = "Base"
    if vrm:
        _as_vrm(doc, vrm)
    elif names:
        for node in doc["nodes"]:
            node["name"] = names(node["name"])
    write_glb(path, doc, data)
    return path


def _arms_down(clip, degrees):
    roles = find_roles(clip.skeleton)
    axes = np.tile(quaternions.IDENTITY, (clip.skeleton.n_joints, 1))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        shoulder = roles[f"{side}_shoulder"]
        for joint in range(clip.skeleton.n_joints):
            if shoulder in clip.skeleton.path(joint):
                axes[joint] = quaternions.from_rotvec(np.array([0.0, 0.0, sign * np.radians(degrees)]))
    return bound(clip, np.arange(clip.skeleton.n_joints), axes)


def _with_texture(doc, data):
    doc["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(PNG)})
    doc["images"] = [{"mimeType": "image/png", "bufferView": len(doc["bufferViews"]) - 1, "name": "cloth"}]
    doc["textures"] = [{"source": 0}]
    doc["materials"][0]["emissiveTexture"] = {"index": 0}
    data += PNG + bytes(-len(PNG) % 4)
    parts = doc["meshes"][0]["primitives"][0]["attributes"]
    places = np.zeros((doc["accessors"][parts["POSITION"]]["count"], 2), "<f4")
    parts["TEXCOORD_0"] = len(doc["accessors"])
    doc["accessors"].append(
        {"bufferView": len(doc["bufferViews"]), "componentType": 5126, "count": len(places), "type": "VEC2"}
    )
    view = {"buffer": 0, "byteOffset": len(data), "byteLength": places.nbytes, "target": 34962}
    doc["bufferViews"].append(view)
    data += places.tobytes()


def _below_armature(doc, data):
    """Scale all bones to centimetres below a node that scales and turns them back, as Blender exports Mixamo's."""
    top = doc["skins"][0]["joints"][0]
    turn = quaternions.from_matrix(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]))  # QUARTER
    for joint in doc["skins"][0]["joints"]:
        node = doc["nodes"][joint]
        node["translation"] = [100.0 * value for value in node["translation"]]
    node = doc["nodes"][top]
    undone = quaternions.conjugate(turn)
    node["translation"] = quaternions.rotate(undone, np.array(node["translation"])).tolist()
    own = np.roll(np.array(node.get("rotation", [0.0, 0.0, 0.0, 1.0])), 1)
    node["rotation"] = np.roll(quaternions.multiply(undone, own), -1).tolist()
    doc["nodes"].append({"name": "Armature", "rotation": QUARTER, "scale": [0.01] * 3, "children": [top]})
    above = len(doc["nodes"]) - 1
    doc["scenes"][0]["nodes"] = [above if one == top else one for one in doc["scenes"][0]["nodes"]]
    accessor = doc["accessors"][doc["skins"][0]["inverseBindMatrices"]]
    view = doc["bufferViews"][accessor["bufferView"]]
    part = slice(view["byteOffset"], view["byteOffset"] + view["byteLength"])
    binds = np.frombuffer(bytes(data[part]), "<f4").reshape(-1, 4, 4).copy()
    binds[:, :, :3] *= 100.0
    data[part] = binds.tobytes()
    del doc["animations"]  # its keys are those of the plain bones


def _as_vrm(doc, version):
    from mocapella.rig.naming import NAMINGS

    by_name = {node["name"]: number for number, node in enumerate(doc["nodes"])}
    bones = {NAMINGS["vrm"][role]: by_name[name] for role, name in NAMINGS["mixamo"].items() if name in by_name}
    for number in doc["skins"][0]["joints"]:
        doc["nodes"][number]["name"] = f"Bone_{number}"
    if version == 1:
        meta = {"name": "x", "version": "1", "authors": ["x"], "licenseUrl": "https://vrm.dev/licenses/1.0/"}
        made = {"specVersion": "1.0", "meta": meta}
        made["humanoid"] = {"humanBones": {bone: {"node": node} for bone, node in bones.items()}}
        doc["extensions"], doc["extensionsUsed"] = {"VRMC_vrm": made}, ["VRMC_vrm"]
    else:
        rows = [{"bone": bone, "node": node, "useDefaultValues": True} for bone, node in bones.items()]
        doc["extensions"], doc["extensionsUsed"] = {"VRM": {"humanoid": {"humanBones": rows}}}, ["VRM"]


def read_glb(path):
    """The JSON and the bytes of a binary file."""
    content = Path(path).read_bytes()
    size = struct.unpack_from("<I", content, 12)[0]
    data = bytearray(content[20 + size + 8 :])
    return json.loads(content[20 : 20 + size]), data


def write_glb(path, doc, data):
    """A binary file of a JSON and bytes."""
    doc["buffers"] = [{"byteLength": len(data)}]
    text = json.dumps(doc).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
    Path(path).write_bytes(
        head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + bytes(data)
    )
