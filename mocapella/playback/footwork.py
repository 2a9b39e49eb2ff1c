"""What the feet of one character do: they drive the body, and stay where they stand."""

from __future__ import annotations

import math
import warnings
from typing import Literal

import numpy as np

from mocapella.arrays import owned
from mocapella.blending.transition import Transition
from mocapella.errors import MotionError, MotionWarning
from mocapella.motion.pose import Pose
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback import single
from mocapella.playback.anchor import Anchor
from mocapella.playback.carriage import Carriage
from mocapella.playback.footed_passage import passage_of
from mocapella.playback.footfalls import Footfalls, Posture
from mocapella.playback.footlock import held, stand_of
from mocapella.playback.gait import Gait
from mocapella.playback.legs import Leg, leg_dofs, legs_of
from mocapella.playback.locks import Locks
from mocapella.playback.passage import Passage
from mocapella.playback.stride import footed_gait, rooted_gait

Feet = Literal["held", "anchored", "velocity"]
FEET_MODES: tuple[Feet, ...] = ("held", "anchored", "velocity")


class Footwork:
    """How one character stands, and where its feet are held at the moment.

    Parameters
    ----------
    feet
        ``"held"``: planted feet drive the body, and legs bend so that none slides. ``"anchored"``: the body moves so
        that one of them stays put. ``"velocity"``: nobody looks after them.
    motion
        What it begins with.

    Raises
    ------
    MotionError
        For motion without a layout, or a skeleton without legs where feet are looked after.
    """

    def __init__(self, feet: Feet, motion: Spectrum) -> None:
        if feet not in FEET_MODES:
            raise MotionError(f"no way of standing {feet!r}; there are {', '.join(FEET_MODES)}")
        if motion.layout is None:
            raise MotionError("these harmonics carry no layout, so they make no pose")
        self.feet: Feet = feet
        self.skeleton: Skeleton = motion.layout.skeleton
        self.legs = None if feet == "velocity" else _known_legs(self.skeleton)
        self.locks = Locks()
        self.anchor = Anchor()
        if self.legs is not None and motion.contacts is None:
            text = "this motion knows no foot plants, so nothing keeps its feet from sliding"
            warnings.warn(text, MotionWarning, stacklevel=3)  # of who made the player

    def gait(self, spectrum: Spectrum) -> Gait:
        """The way of a blend over the ground."""
        layout = spectrum.layout  # of a block that may be written in other dofs than the last
        if self.legs is None or layout is None:
            return rooted_gait(spectrum)
        return footed_gait(spectrum, leg_dofs(layout))

    def make_ready(self, spectrum: Spectrum) -> None:
        """Work out now what gaits of motions like this one will need."""
        if self.legs is not None and spectrum.layout is not None:
            leg_dofs(spectrum.layout)

    def passage(self, change: Transition) -> Passage:
        """The way of a captured change over the ground; feet that are held do not bear the tremor of a capture."""
        footed = self.legs is not None
        return passage_of(change.steady if footed else change.clip, change.contacts, footed)

    def resting(self, way: Footfalls, phase: float) -> tuple[bool, bool, bool, bool]:
        """Which of ``FOOT_POINTS`` rest at a phase of what carries the body now."""
        a, b, c, d = (
            any(plant.rests(phase) for plant in own) and self.locks.rests(point) for point, own in enumerate(way.plants)
        )
        return a, b, c, d

    def go_over(self, carriage: Carriage, motion: Footfalls, phase: float, seconds: float, dt: float) -> None:
        """Another motion takes over, ``dt`` seconds after the last pose or since another one did."""
        legs = self.legs
        if legs is None or self.feet != "held" or seconds <= 0.0:
            carriage.go_over(motion, phase, seconds)
            return
        old = carriage.moments(legs)
        carriage.go_over(motion, phase, seconds)
        self.locks.hand_over(old, carriage.moments(legs), legs, dt, seconds)

    def pose(self, carriage: Carriage, posture: Posture, heading: float, sway: tuple[float, float], dt: float) -> Pose:
        """The pose with its feet where they stand, ``dt`` seconds after the last one.

        An anchored body is moved for that; for one that holds its feet the legs bend, and the posture is changed.
        ``sway`` (x, z; metres) is what lies over the way of the root.
        """
        rotations, height = posture
        turns = rotations.tolist()
        upright = (math.cos(0.5 * heading), 0.0, math.sin(0.5 * heading), 0.0)
        root_turn = single.multiply(upright, tuple(turns[0]))
        rotations[0] = root_turn
        if self.legs is not None and self.feet == "anchored":
            carriage.head = self.anchor.settle(carriage.way, carriage.head, self.legs, root_turn, turns, dt)
        x, z = carriage.head.position
        root = (x + sway[0], height, z + sway[1])
        if self.legs is not None and self.feet == "held":
            left, right = self.legs
            stands = stand_of(left, root, root_turn, turns), stand_of(right, root, root_turn, turns)
            grips = self.locks.grips(carriage.way, carriage.head, self.legs, stands, dt)
            aside = (math.cos(heading), 0.0, -math.sin(heading))
            for foot, (leg, stand, grip) in enumerate(zip(self.legs, stands, grips, strict=True)):
                toes = single.NO_TURN if leg.toe_joint is None else tuple(turns[leg.toe_joint])
                bent, high = held(leg, stand, grip, aside, toes)
                self.locks.notice(foot, high)
                for joint, turn in bent.items():
                    rotations[joint] = turn  # one by one: a list of joints would take twice as long
        return Pose.sound(self.skeleton, owned(np.array(root)), owned(rotations))


def _known_legs(skeleton: Skeleton) -> tuple[Leg, Leg]:
    try:
        return legs_of(skeleton)
    except MotionError as error:
        raise MotionError(f"{error}; or let the blended root lead: feet='velocity'") from None
