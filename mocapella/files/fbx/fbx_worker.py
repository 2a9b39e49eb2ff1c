"""FBX files read by ufbx in a process of its own (``mocapella.files.apart``).

It imports nothing but ufbx and the standard library. Numbers are ten of each node at rest (translation, rotation x, y,
z, w, scale), then for each animation ten of each node in each frame.
"""

from __future__ import annotations

import array
import math
from typing import Any, NamedTuple


class _Keys(NamedTuple):
    """How the keys of animations are taken."""

    on_grid: float = 0.02  # of a frame: keys no further from even times lie on them
    closest: float = 1e-5  # seconds between two keys that are not the same
    most: int = 5_000_000  # in one animation; more would take longer than a process may
    fastest: float = 1000.0  # frames per second that a scene may state


_KEYS = _Keys()

_kept: list[Any] = []


def _keep(thing: Any) -> Any:
    """The thing itself, never freed: the binding (0.0.5) counts one reference too few to what properties return."""
    _kept.extend((thing, thing))
    return thing


def _listed(things: Any) -> list[Any]:
    """The elements of one of the binding's lists; its iterators crash where elements are structures."""
    _keep(things)
    return [_keep(things[i]) for i in range(len(things))]


def _numbers(transform: Any) -> list[float]:
    place, turn, size = transform.translation, transform.rotation, transform.scale
    return [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w, size.x, size.y, size.z]


def _frame_times(
    keys: list[float], scene_rate: float, asked: float | None, most: int
) -> tuple[list[float], float, bool]:
    """Even times, their rate, and whether all keys lie on them."""
    first, span = keys[0], keys[-1] - keys[0]
    if span <= 0.0:
        return [first], asked or scene_rate, True

    def on_grid(rate: float) -> bool:
        return all(abs((key - first) * rate - round((key - first) * rate)) <= _KEYS.on_grid for key in keys)

    even = True
    if asked is not None:
        rate = asked
    elif on_grid(scene_rate):
        rate = scene_rate
    else:
        rate = (len(keys) - 1) / span  # that of keys which are all there, at another rate than the scene's
        even = on_grid(rate)
        rate = rate if even else scene_rate
    if span * rate >= most:
        raise ValueError(f"its animation lasts {span:,.0f} s at {rate:g} frames per second; that is more than is read")
    return [first + i / rate for i in range(int(span * rate + 0.01) + 1)], rate, even


def read(data: bytes, options: dict[str, Any]) -> tuple[dict[str, Any], array.array[float]]:
    """The nodes of a file, and its animations as ``takes``: those of some ``numbers``, all if None.

    One for which no room is left beside others has no frames; the only one is refused. ``options`` are ``numbers``,
    ``frame_rate``, the most ``nodes``, ``rotations`` and ``depth``, and the bytes of the ``budget`` and
    ``per_rotation``.
    """
    import ufbx

    scene = _keep(
        ufbx.load_memory(
            data,
            target_axes=ufbx.axes_right_handed_y_up,
            target_unit_meters=1.0,
            space_conversion=ufbx.SpaceConversion.ADJUST_TRANSFORMS,
            inherit_mode_handling=ufbx.InheritModeHandling.COMPENSATE,
            ignore_embedded=True,
            load_external_files=False,
            node_depth_limit=options["depth"],
        )
    )
    nodes = _listed(scene.nodes)
    if len(nodes) > options["nodes"]:
        raise ValueError(f"has {len(nodes):,} nodes; at most {options['nodes']:,} are read")
    stacks = _listed(scene.anim_stacks)
    header = _described(scene, nodes, stacks)
    keys = [_keys(stack) for stack in stacks]
    fps = scene.settings.frames_per_second
    rate = fps if math.isfinite(fps) and 0.0 < fps <= _KEYS.fastest else 30.0
    room = min(options["rotations"], options["budget"] // options["per_rotation"]) // max(len(nodes), 1)
    numbers = array.array("d")
    for node in nodes:
        numbers.extend(_numbers(node.local_transform))
    wanted = list(range(len(stacks))) if options["numbers"] is None else options["numbers"]
    takes: list[dict[str, Any]] = []
    for number in wanted or [None]:
        times, take_rate, even = [0.0], options["frame_rate"] or rate, True
        try:
            if number is not None and keys[number]:
                times, take_rate, even = _frame_times(keys[number], rate, options["frame_rate"], room)
        except ValueError:
            if len(wanted) == 1:
                raise
            times = []
        times = times if len(times) <= room - sum(take["frames"] for take in takes) or len(wanted) < 2 else []
        takes.append({"number": number, "rate": take_rate, "even": even, "frames": len(times)})
        numbers.extend(_moved(nodes, None if number is None else _keep(stacks[number].anim), times))
    return header | {"takes": takes, "keys": [len(times) for times in keys]}, numbers


def _described(scene: Any, nodes: list[Any], stacks: list[Any]) -> dict[str, Any]:
    """The tree of nodes, which of them are bones, and the names of animations."""
    parents = [_keep(node.parent) for node in nodes]
    bones = {int(node.typed_id) for node in nodes if _keep(node.bone) is not None}
    bound = {}
    for cluster in _listed(scene.skin_clusters):
        bone = _keep(cluster.bone_node)
        if bone is not None:
            matrix = cluster.bind_to_world
            bound[int(bone.typed_id)] = [[c.x, c.y, c.z] for c in (matrix.c0, matrix.c1, matrix.c2)]
    return {
        "names": [node.name for node in nodes],
        "parents": [-1 if parent is None else int(parent.typed_id) for parent in parents],
        "bones": sorted(bones | set(bound)),
        "bound": bound,
        "stacks": [stack.name for stack in stacks],
        "unit": scene.settings.original_unit_meters,
    }


def _moved(nodes: list[Any], anim: Any, times: list[float]) -> array.array[float]:
    """Numbers of each node at each time."""
    import ufbx

    numbers = array.array("d")
    for node in nodes:
        for time in times:
            moved = node.local_transform if anim is None else ufbx.evaluate_transform(anim, node, time)
            numbers.extend(_numbers(moved))
    return numbers


def _keys(stack: Any) -> list[float]:
    """The times of an animation's keys, rising."""
    times: set[float] = set()
    count = 0
    for layer in _listed(stack.layers):
        for value in _listed(layer.anim_values):
            for curve in filter(None, _keep(value.curves)):
                frames = _keep(_keep(curve).keyframes)
                count += len(frames)
                if count > _KEYS.most:
                    raise ValueError(f"has more than {_KEYS.most:,} keys")
                times.update(round(frames[i].time, 9) for i in range(len(frames)))
    ordered: list[float] = []
    for time in sorted(time for time in times if math.isfinite(time)):
        if not ordered or time - ordered[-1] > _KEYS.closest:
            ordered.append(time)
    return ordered
