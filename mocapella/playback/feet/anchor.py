"""Root motion from one anchored foot, as in the papers: the body moves so that the lower foot stays in place."""

from __future__ import annotations

import msgspec

from mocapella.geometry import scalar
from mocapella.geometry.scalar import Quaternion
from mocapella.playback.feet.leg_ik import Legs
from mocapella.playback.feet.locks import FootLocks
from mocapella.playback.playhead import GroundMotion, Playhead


def anchored(
    locks: FootLocks, motion: GroundMotion, head: Playhead, legs: Legs, root_turn: Quaternion, turns: list[list[float]]
) -> tuple[FootLocks, Playhead]:
    """The playhead moved so that the lower foot stays in place, and the locks with that anchor.

    A foot stands for its toe (the ball). Of the planted feet that with the lower toe is the anchor; by heights alone a
    swinging foot that passes low would take over. When the anchor changes, the new one is kept where it is at that
    moment. In flight, without an anchor, the body takes the root motion of the blend.
    ``root_turn`` is in the world, ``turns`` are the local rotations of all joints.
    """
    bearing = motion.bearing(head.phase)
    planted = [bearing[0] > 0.0 or bearing[1] > 0.0, bearing[2] > 0.0 or bearing[3] > 0.0]
    if not any(planted):
        return msgspec.structs.replace(locks, anchor=None), head
    toes, heights = [], []
    for leg in legs:
        places, world = leg.pose((0.0, 0.0, 0.0), root_turn, turns)
        x, y, z = scalar.add(places[-1], scalar.rotate(world[-1], leg.toe))
        toes.append(complex(z, x))
        heights.append(y - leg.toe_height)
    lower = int(not planted[0] or (planted[1] and heights[1] < heights[0]))
    side = {1: 0, 3: 1}.get(-1 if locks.anchor is None else locks.anchor)  # snapshots may have a heel for an anchor
    if side is not None and planted[side]:
        head = head.moved(locks.anchor_place - toes[side] - head.place)
    if lower != side:
        locks = msgspec.structs.replace(locks, anchor=2 * lower + 1, anchor_place=head.place + toes[lower])
    return locks, head
