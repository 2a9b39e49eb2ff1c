"""The papers' way of travelling: the body moves so that one planted foot stays put."""

from __future__ import annotations

from dataclasses import dataclass

from mocapella.geometry import scalar
from mocapella.geometry.scalar import Quaternion
from mocapella.playback.motion_on_ground import Footfalls, Playhead
from mocapella.rig.legs import Leg


@dataclass
class Anchor:
    """The foot point that carries the body, and the place on the ground it keeps.

    The point that bears most is the anchor; at a change of feet the new one keeps the place it has. Where none bears,
    in flight, the body goes on as its gait does.
    """

    point: int | None = None
    place: complex = 0j

    def settle(
        self,
        gait: Footfalls,
        head: Playhead,
        legs: tuple[Leg, Leg],
        root_turn: Quaternion,
        turns: list[list[float]],
        dt: float,
    ) -> Playhead:
        """The playhead moved so that the anchor is in its place."""
        bearing = gait.bearing(head.phase)
        best = bearing.index(max(bearing))
        if bearing[best] <= 0.0:
            self.point = None
            return head
        if self.point is not None and bearing[self.point] > 0.0:
            head = self._on_anchor(head, self.point, legs, root_turn, turns)
        if best != self.point:
            self.point = best
            self.place = head.place + self._from_root(best, legs, root_turn, turns)
        return head

    def _on_anchor(
        self, head: Playhead, point: int, legs: tuple[Leg, Leg], root_turn: Quaternion, turns: list[list[float]]
    ) -> Playhead:
        return head.moved(self.place - self._from_root(point, legs, root_turn, turns) - head.place)

    @staticmethod
    def _from_root(point: int, legs: tuple[Leg, Leg], root_turn: Quaternion, turns: list[list[float]]) -> complex:
        """A foot point on the ground as seen from the root, in the world's axes."""
        leg = legs[point // 2]
        places, world = leg.pose((0.0, 0.0, 0.0), root_turn, turns)
        x, _, z = scalar.add(places[-1], scalar.rotate(world[-1], leg.toe if point % 2 else leg.heel))
        return complex(z, x)
