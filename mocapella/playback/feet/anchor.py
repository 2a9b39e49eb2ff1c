"""Root motion from one anchored foot, as in the papers: the body moves so that one planted foot stays put."""

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
    """The playhead moved so that the foot point with most weight stays in place, and the locks with that anchor.

    When the anchor changes, the new one is kept where it is at that moment. In flight, without an anchor, the body
    takes the root motion of the blend.
    ``root_turn`` is in the world, ``turns`` are the local rotations of all joints.
    """

    def from_root(point: int) -> complex:
        leg = legs[point // 2]
        places, world = leg.pose((0.0, 0.0, 0.0), root_turn, turns)
        x, _, z = scalar.add(places[-1], scalar.rotate(world[-1], leg.toe if point % 2 else leg.heel))
        return complex(z, x)

    bearing = motion.bearing(head.phase)
    best = bearing.index(max(bearing))
    if bearing[best] <= 0.0:
        return msgspec.structs.replace(locks, anchor=None), head
    anchor = locks.anchor
    if anchor is not None and bearing[anchor] > 0.0:
        head = head.moved(locks.anchor_place - from_root(anchor) - head.place)
    if best != anchor:
        locks = msgspec.structs.replace(locks, anchor=best, anchor_place=head.place + from_root(best))
    return locks, head
