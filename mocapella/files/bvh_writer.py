"""BVH files written: the joint tree in words, then a row of channel values for every frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike

import numpy as np
from jaxtyping import Float

from mocapella.errors import MotionError
from mocapella.files.bvh import LONGEST_NAME
from mocapella.files.disk import replacing
from mocapella.files.text import quoted
from mocapella.geometry import euler
from mocapella.motion.clip import Clip
from mocapella.motion.skeleton import in_order

_BLOCK = 512  # rows formatted at a time
_DEFAULT_ORDER = "ZXY"
_FITS = 1e-9  # radians that may be left over when a rotation is written with fewer than three angles


def write_bvh(clip: Clip, path: str | PathLike[str], *, metres_per_unit: float = 0.01) -> None:
    """Write a clip as BVH, y up.

    Every joint keeps the rotation order it was read with. Angles run on from frame to frame instead of flipping over at
    ±180°, so that curve editors show smooth curves. The root's OFFSET is zero and its position channels say where it
    is, which all programs understand alike.

    ``path`` is the file; it appears under its name once it is complete. Raises ``MotionError`` for joint names that BVH
    has no way to write.
    """
    _refuse_unwritable_names(clip.skeleton.names)
    orders, angles = _angles(clip)
    sliding = {int(joint): i for i, joint in enumerate(clip.sliding_joints)}
    columns = []
    children = [clip.skeleton.children(joint).tolist() for joint in range(clip.skeleton.n_joints)]
    for joint in in_order(0, set(range(clip.skeleton.n_joints)), children):
        if joint == 0:
            columns.append(clip.root_positions / metres_per_unit)
        elif joint in sliding:
            columns.append(clip.slides[:, sliding[joint]] / metres_per_unit)
        columns.append(np.degrees(angles[joint]))
    rows = np.concatenate(columns, axis=1)
    with replacing(path) as file:
        for line in _hierarchy(clip, orders, set(sliding), metres_per_unit):
            file.write(line.encode() + b"\n")
        file.write(f"MOTION\nFrames: {clip.n_frames}\nFrame Time: {1.0 / float(clip.frame_rate)!r}\n".encode())
        row = b" ".join([b"%.6f"] * rows.shape[1]) + b"\n"
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            file.write(row * len(block) % tuple(block.ravel().tolist()))


def _refuse_unwritable_names(names: Sequence[str]) -> None:
    """A name ends with its line, and braces stand for themselves."""
    for name in names:
        written = name.encode(errors="replace").strip()
        if not written or written.decode() != name or any(sign in name for sign in "{}\r\n"):
            raise MotionError(
                f"BVH cannot name a joint {quoted(name)}: no braces, line breaks or outer blanks; rename it"
            )
        if len(name) > LONGEST_NAME:
            raise MotionError(f"BVH names joints in at most {LONGEST_NAME:,} letters, not {quoted(name)}; rename it")


def _angles(clip: Clip) -> tuple[list[str], list[Float[np.ndarray, "frames axes"]]]:
    """For every joint the order it is written with, and its angles in radians."""
    orders, angles = [], []
    for joint, captured in enumerate(clip.skeleton.rotation_orders):
        q, order = clip.rotations_wxyz[:, joint], captured or _DEFAULT_ORDER
        values = euler.fit(q, order, within=_FITS)
        if values is None:  # the motion was edited and no longer fits the channels it came with
            order = euler.complete(order)
            values = euler.unroll(euler.from_quaternion(q, order), order)
        orders.append(order)
        angles.append(values)
    return orders, angles


def _hierarchy(clip: Clip, orders: list[str], sliding: set[int], metres_per_unit: float) -> Iterator[str]:
    skeleton = clip.skeleton
    offsets = np.array(skeleton.offsets)
    offsets[0] = 0.0
    offsets[clip.sliding_joints] = clip.slides[0]
    offsets /= metres_per_unit
    ends = skeleton.end_offsets / metres_per_unit
    yield "HIERARCHY"
    # A stack of what is still to be written instead of a call within a call: chains may be long.
    todo: list[tuple[str, int, int]] = [("open", 0, 0)]
    while todo:
        what, joint, depth = todo.pop()
        tab = "\t" * depth
        if what == "close":
            yield f"{tab}}}"
            continue
        positions = ["Xposition", "Yposition", "Zposition"] if joint == 0 or joint in sliding else []
        channels = positions + [f"{letter}rotation" for letter in orders[joint]]
        yield f"{tab}{'ROOT' if joint == 0 else 'JOINT'} {skeleton.names[joint]}"
        yield f"{tab}{{"
        yield f"{tab}\tOFFSET {_words(offsets[joint])}"
        yield f"{tab}\tCHANNELS {len(channels)} {' '.join(channels)}"
        for end in np.flatnonzero(skeleton.end_joints == joint):
            yield from (f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET {_words(ends[end])}", f"{tab}\t}}")
        todo.append(("close", joint, depth))
        todo.extend(("open", child, depth + 1) for child in skeleton.children(joint)[::-1].tolist())


def _words(offset: Float[np.ndarray, 3]) -> str:
    return " ".join(f"{value:.9g}" for value in offset.tolist())
