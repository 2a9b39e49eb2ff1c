"""Motions written as Universal Scene Description: a UsdSkel skeleton with animations and a body, by usd-core.

Metres, y up, one time code a frame. Joints are those of glTF files: bones along the limbs, a rest pose that stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.body.skin import BodyMesh
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.files.gltf.bones import Bones, free_name
from mocapella.files.gltf.style import GltfStyle, as_played, bone_tracks, motion_name, nearest_bones, rigged
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import NO_PARENT
from mocapella.quoting import whole_characters

_ROOT = "/Character"
_COLOUR = (0.80, 0.52, 0.36)  # red, green, blue of the plain body


def write_usd(clips: Sequence[Clip], path: str | PathLike[str], **style: Any) -> None:
    """Write motions as USD.

    ``clips`` are motions of one skeleton at one frame rate, each an animation of its own; the first one is bound. An
    existing file is replaced once the new one is complete. ``style`` is that of ``GltfStyle``. Raises ``MotionError``
    where usd-core is missing, or skeletons or frame rates differ.
    """
    asked = GltfStyle(**style)
    try:
        from pxr import Usd, UsdUtils
    except ImportError:
        raise MotionError("USD files need another package: pip install 'mocapella[usd]'") from None
    rates = {clip.frame_rate for clip in clips}
    if len(rates) > 1:
        given = ", ".join(f"{rate:g}" for rate in sorted(rates))
        raise MotionError(f"motions in a USD file share their frame rate; these have {given} Hz: resample them first")
    place = Path(path)
    suffix = place.suffix.lower()
    with TemporaryDirectory() as folder:
        written = Path(folder) / f"{place.stem or 'motion'}{'.usdc' if suffix == '.usdz' else suffix}"
        stage = Usd.Stage.CreateNew(str(written))
        _fill(stage, clips, asked)
        stage.GetRootLayer().Save()
        if suffix == ".usdz":
            package = written.with_suffix(".usdz")
            if not UsdUtils.CreateNewUsdzPackage(str(written), str(package)):
                raise MotionError(f"cannot write {place}: USD could not make a package")
            written = package
        with replacing(place) as file:
            file.write(written.read_bytes())


def _fill(stage: Any, clips: Sequence[Clip], style: GltfStyle) -> None:
    """Put skeleton, animations and body on a stage."""
    from pxr import Sdf, UsdGeom, UsdSkel, Vt

    rig = rigged(clips, style)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(clips[0].frame_rate)
    stage.SetFramesPerSecond(clips[0].frame_rate)
    root = UsdSkel.Root.Define(stage, _ROOT)
    stage.SetDefaultPrim(root.GetPrim())
    skeleton = UsdSkel.Skeleton.Define(stage, f"{_ROOT}/Skeleton")
    paths = _joint_paths(rig.bones)
    world = _matrices(rig.bones.positions, rig.bones.axes_wxyz)
    local_turns = quaternions.multiply(quaternions.conjugate(rig.bones.above_wxyz), rig.bones.axes_wxyz)
    skeleton.CreateJointsAttr(paths)
    skeleton.CreateJointNamesAttr(Vt.TokenArray([_held(name) for name in rig.bones.names]))
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray.FromNumpy(world))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray.FromNumpy(_matrices(rig.bones.translations, local_turns)))
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    longest, names = 0, list[str]()
    for clip in rig.clips:
        names.append(free_name(_identifier(motion_name(clip, style)), names))
        prim = UsdSkel.Animation.Define(stage, f"{_ROOT}/Skeleton/{names[-1]}")
        prim.CreateJointsAttr(paths)
        keys = _write_keys(prim, clip, rig.bones, style)
        longest = max(longest, keys)
        prim.GetPrim().SetCustomDataByKey("name", _held(motion_name(clip, style)))
        prim.GetPrim().SetCustomDataByKey("frames", keys)
    binding.CreateAnimationSourceRel().SetTargets([Sdf.Path(f"{_ROOT}/Skeleton/{names[0]}")])
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(longest - 1)
    if style.body:
        _write_body(stage, rig.body, rig.bones)
    root.CreateExtentAttr(_extent(rig.body))


def _write_keys(prim: Any, clip: Clip, bones: Bones, style: GltfStyle) -> int:
    """Write what all bones do, frame by frame; how many frames."""
    from pxr import Vt

    played = as_played(clip, style)
    n_keys = played.clip.n_frames
    places = np.tile(bones.translations, (n_keys, 1, 1))
    rest = quaternions.multiply(quaternions.conjugate(bones.above_wxyz), bones.axes_wxyz)
    turns = np.tile(np.roll(rest, -1, axis=-1), (n_keys, 1, 1))  # x, y, z, w, as USD's arrays lie in memory
    for bone, what, values in bone_tracks(bones, played.clip, played.course):
        (places if what == "translation" else turns)[:, bone] = values
    moves, rotates = prim.CreateTranslationsAttr(), prim.CreateRotationsAttr()
    prim.CreateScalesAttr(Vt.Vec3hArray.FromNumpy(np.ones((len(bones.names), 3), np.float16)))
    for key in range(n_keys):
        moves.Set(Vt.Vec3fArray.FromNumpy(places[key].astype(np.float32)), key)
        rotates.Set(Vt.QuatfArray.FromNumpy(turns[key].astype(np.float32)), key)
    return n_keys


def _write_body(stage: Any, body: BodyMesh, bones: Bones) -> None:
    """The plain body, skinned to the skeleton."""
    from pxr import Gf, Sdf, UsdGeom, UsdSkel, Vt

    mesh = UsdGeom.Mesh.Define(stage, f"{_ROOT}/Body")
    faces = body.faces.reshape(-1, 3)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(body.vertices.astype(np.float32)))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.reshape(-1).astype(np.int32)))
    mesh.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(body.normals.astype(np.float32)))
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateDisplayColorAttr([_COLOUR])
    mesh.CreateExtentAttr(_extent(body))
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    bone_of = nearest_bones(body.skeleton, bones)
    width = body.weights.shape[1]
    indices, weights = bone_of[body.joints].ravel().astype(np.int32), body.weights.ravel().astype(np.float32)
    binding.CreateJointIndicesPrimvar(False, width).Set(Vt.IntArray.FromNumpy(indices))
    binding.CreateJointWeightsPrimvar(False, width).Set(Vt.FloatArray.FromNumpy(weights))
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
    binding.CreateSkeletonRel().SetTargets([Sdf.Path(f"{_ROOT}/Skeleton")])


def _extent(body: BodyMesh) -> list[tuple[float, ...]]:
    return [tuple(body.vertices.min(axis=0).tolist()), tuple(body.vertices.max(axis=0).tolist())]


def _joint_paths(bones: Bones) -> list[str]:
    """Each bone as USD writes it: its name after those above it, all of letters, digits and underscores."""
    paths: list[str] = []
    for name, parent in zip(bones.names, bones.parents.tolist(), strict=True):
        above = "" if parent == NO_PARENT else paths[parent] + "/"
        paths.append(free_name(above + _identifier(name), paths))
    return paths


def _identifier(name: str) -> str:
    from pxr import Tf

    return str(Tf.MakeValidIdentifier(_held(name)))


def _held(name: str) -> str:
    """A name as USD can hold it: NUL, which ends its texts, and halves of surrogate pairs become U+FFFD."""
    return whole_characters(name.replace("\0", "\N{REPLACEMENT CHARACTER}"))


def _matrices(
    places: Float[np.ndarray, "bones 3"], wxyz: Float[np.ndarray, "bones 4"]
) -> Float[np.ndarray, "bones 4 4"]:
    """Matrices for vectors that stand before them, as USD has them."""
    out = np.tile(np.eye(4), (len(places), 1, 1))
    out[:, :3, :3] = quaternions.to_matrix(wxyz).transpose(0, 2, 1)
    out[:, 3, :3] = places
    return out
