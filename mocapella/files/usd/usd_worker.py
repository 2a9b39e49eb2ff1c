"""USD files read by usd-core in a process of its own (``mocapella.files.apart``).

Numbers are the matrices of joints at rest, relative to their parents, and where a mesh was bound to them, in the room
of the skeleton; then for each animation the matrices of what stands above the skeleton, and places, rotations (w, x, y,
z) and scales of its joints, at the times of its samples.
"""

from __future__ import annotations

import array
from pathlib import Path
from typing import Any


def prepare() -> None:
    """Have usd-core load its schemas and reserve its pools of memory, some hundred megabytes that it hardly uses."""
    import numpy as np
    from pxr import Sdf, Usd, UsdSkel

    np.linalg.inv(np.eye(2))
    stage = Usd.Stage.CreateInMemory()
    UsdSkel.Animation.Define(stage, "/a").CreateTranslationsAttr().Set([(0.0, 0.0, 0.0)], 1.0)
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(stage.GetRootLayer().ExportToString())
    opened = Usd.Stage.Open(layer)  # a stage lives as long as its name
    UsdSkel.Skeleton.Define(opened, "/b").CreateJointsAttr(["a", "a/b"])


def read(data: bytes, options: dict[str, Any]) -> tuple[dict[str, Any], array.array[float]]:
    """The largest skeleton of the ``file`` of the options, and its animations, the one that is bound first.

    The options bound ``nodes``; each rotation takes ``per_rotation`` bytes of the ``budget``.
    """
    import numpy as np
    from pxr import Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.Open(options["file"])
    _refuse_far_layers(stage, Path(options["file"]).resolve())
    prims = list(stage.Traverse(Usd.TraverseInstanceProxies()))
    skeletons = sorted(
        (UsdSkel.Skeleton(prim) for prim in prims if prim.IsA(UsdSkel.Skeleton)),
        key=lambda skeleton: -len(skeleton.GetJointsAttr().Get() or ()),
    )
    if not skeletons or not skeletons[0].GetJointsAttr().Get():
        raise ValueError("holds no skeleton: there is no UsdSkel skeleton with joints in it")
    skeleton = skeletons[0]
    joints = [str(joint) for joint in skeleton.GetJointsAttr().Get()]
    if len(joints) > options["nodes"]:
        raise ValueError(f"has {len(joints):,} joints; at most {options['nodes']:,} are read")
    parents = [int(parent) for parent in UsdSkel.Topology(joints).GetParentIndices()]
    names = [str(name) for name in skeleton.GetJointNamesAttr().Get() or ()]
    rest, bound = (
        np.array(attribute.Get() or (), dtype=np.float64).reshape(-1, 16)
        for attribute in (skeleton.GetRestTransformsAttr(), skeleton.GetBindTransformsAttr())
    )
    if len(rest) != len(joints):
        raise ValueError(f"has rest transforms of {len(rest):,} of {len(joints):,} joints")
    numbers = array.array("d", rest.tobytes())
    if len(bound) == len(joints):
        numbers.frombytes(bound.tobytes())
    room = options["budget"] // options["per_rotation"]
    takes = []
    for animation in _animations(prims, skeleton):
        take, values = _take(animation, skeleton, joints, room)
        room -= len(take["times"]) * (len(joints) + 1)
        takes.append(take)
        numbers.extend(array.array("d", values.tobytes()))
    header = {
        "names": names if len(names) == len(joints) else [joint.rpartition("/")[2] for joint in joints],
        "parents": parents,
        "bound": len(bound) == len(joints),
        "skeletons": [str(other.GetPath()) for other in skeletons],
        "takes": takes,
        "rate": float(stage.GetTimeCodesPerSecond()),
        "up": str(UsdGeom.GetStageUpAxis(stage)).lower(),
        "metres": float(UsdGeom.GetStageMetersPerUnit(stage)),
        "above": np.array(UsdGeom.XformCache(0.0).GetLocalToWorldTransform(skeleton.GetPrim())).ravel().tolist(),
    }
    return header, numbers


def _refuse_far_layers(stage: Any, file: Path) -> None:
    """Refuse a file that is made of others outside of its folder."""
    folder = file.parent
    for layer in stage.GetUsedLayers():
        if layer.realPath and folder not in Path(layer.realPath).resolve().parents:
            raise ValueError(f"is made of a file outside of its folder: {layer.identifier[:100]}")


def _animations(prims: list[Any], skeleton: Any) -> list[Any]:
    """The animations of a file, that of the skeleton first."""
    from pxr import UsdSkel

    binding = UsdSkel.BindingAPI(skeleton.GetPrim())
    source = binding.GetInheritedAnimationSource()
    found = [UsdSkel.Animation(prim) for prim in prims if prim.IsA(UsdSkel.Animation)]
    return sorted(found, key=lambda animation: animation.GetPrim() != source)


def _take(animation: Any, skeleton: Any, joints: list[str], room: int) -> tuple[dict[str, Any], Any]:
    """An animation at the times of its samples, and those of what moves the skeleton."""
    import numpy as np
    from pxr import Usd, UsdGeom

    order = [str(joint) for joint in animation.GetJointsAttr().Get() or ()]
    there = [joints.index(joint) for joint in order if joint in joints]
    columns = [i for i, joint in enumerate(order) if joint in joints]
    attributes = (animation.GetTranslationsAttr(), animation.GetRotationsAttr(), animation.GetScalesAttr())
    times = {time for attribute in attributes for time in attribute.GetTimeSamples()}
    prim = skeleton.GetPrim()
    while prim and not prim.IsPseudoRoot():
        if prim.IsA(UsdGeom.Xformable):
            times.update(UsdGeom.Xformable(prim).GetTimeSamples())
        prim = prim.GetParent()
    ordered = sorted(times) or [0.0]
    take = {"name": animation.GetPrim().GetCustomDataByKey("name") or animation.GetPrim().GetName(), "joints": there}
    if len(ordered) * (len(joints) + 1) > room:
        return take | {"times": [], "many": len(ordered)}, np.zeros(0)
    above = np.array(
        [np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(skeleton.GetPrim())).ravel() for time in ordered]
    )
    parts = [above]
    for attribute, usual in zip(attributes, ([0.0] * 3, [0.0, 0.0, 0.0, 1.0], [1.0] * 3), strict=True):
        rows = []
        for time in ordered:
            values = np.array(attribute.Get(Usd.TimeCode(time)) or (), dtype=np.float64).reshape(-1, len(usual))
            values = values if len(values) == len(order) else np.tile(usual, (len(order), 1))
            rows.append(values[columns])
        values = np.array(rows)
        parts.append(np.roll(values, 1, axis=2) if len(usual) > len(usual[:3]) else values)  # USD has w last
    return take | {"times": ordered}, np.concatenate([part.ravel() for part in parts])
