"""Where the planted feet of one character stand."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mocapella.motion.contacts import FOOT_POINTS
from mocapella.playback.footlock import FREE, Grip, Stand
from mocapella.playback.gait import Gait
from mocapella.playback.legs import Leg
from mocapella.playback.playhead import Playhead, in_world
from mocapella.playback.single import Vector

LOOSE, TORN = 0.15, 0.40  # metres: a foot this far from where its pose has it is held less, and no longer


@dataclass
class Locks:
    """The places at which foot points came to rest, remembered until they have left them.

    Before a plant its place is foretold from the gait, so that the foot is on its way there; with the first moment of
    the plant it is settled and stays, whatever the blending point does.
    """

    settled: list[Vector | None] = field(default_factory=lambda: [None] * len(FOOT_POINTS))

    def grips(
        self, gait: Gait, head: Playhead, legs: tuple[Leg, Leg], stands: list[Stand]
    ) -> tuple[tuple[Grip, Grip], tuple[Grip, Grip]]:
        """How heel and toe of both feet are held now."""
        left, right = (self._foot(gait, head, legs[side], stands[side], side) for side in (0, 1))
        return left, right

    def _foot(self, gait: Gait, head: Playhead, leg: Leg, stand: Stand, side: int) -> tuple[Grip, Grip]:
        heel = self._point(gait, head, 2 * side, leg.heel_height)
        toe = self._point(gait, head, 2 * side + 1, leg.toe_height)
        if heel.hold > 0.0 and toe.hold > 0.0:
            # The foot is rigid: whichever point came to rest first says how far off the other can be.
            if toe.hold > heel.hold and self.settled[2 * side] is None:
                heel = _at_length(heel, toe.place, leg)
            elif self.settled[2 * side + 1] is None:
                toe = _at_length(toe, heel.place, leg)
        for point, grip in ((2 * side, heel), (2 * side + 1, toe)):
            if self.settled[point] is None and self._planted(gait, head, point):
                self.settled[point] = grip.place
        return _within_reach(heel, stand.heel), _within_reach(toe, stand.toe)

    def _point(self, gait: Gait, head: Playhead, point: int, height: float) -> Grip:
        for plant in gait.plants[point]:
            since = plant.since(head.phase)
            hold = plant.hold(since)
            if hold <= 0.0:
                continue
            place = self.settled[point]
            if since < 0.0 or place is None:
                if since >= plant.length:
                    break  # on its way off a place it never came to
                self.settled[point] = None
                foretold = in_world(head, gait, gait.footprint(point, head.phase - since))
                place = (foretold.imag, height, foretold.real)
            return Grip(place, hold, plant.press(since))
        self.settled[point] = None
        return FREE

    @staticmethod
    def _planted(gait: Gait, head: Playhead, point: int) -> bool:
        return any(0.0 <= plant.since(head.phase) < plant.length for plant in gait.plants[point])


def _at_length(grip: Grip, other: Vector, leg: Leg) -> Grip:
    """A grip moved along the ground to the distance from the other one that the foot has."""
    x, z = grip.place[0] - other[0], grip.place[2] - other[2]
    flat = math.hypot(x, z)
    drop = leg.heel_height - leg.toe_height
    length = math.sqrt(max(leg.foot_length**2 - drop * drop, 0.0))
    if flat < 1e-9:
        return grip
    scale = length / flat
    return Grip((other[0] + scale * x, grip.place[1], other[2] + scale * z), grip.hold, grip.press)


def _within_reach(grip: Grip, place: Vector) -> Grip:
    """The grip, looser the further the pose is away from it: sooner a slide than a torn leg."""
    if grip.hold <= 0.0:
        return grip
    apart = math.hypot(grip.place[0] - place[0], grip.place[2] - place[2])
    if apart <= LOOSE:
        return grip
    share = max(0.0, (TORN - apart) / (TORN - LOOSE))
    share = share * share * (3.0 - 2.0 * share)
    return Grip(grip.place, grip.hold * share, grip.press * share)
