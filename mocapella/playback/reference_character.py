"""One character stepped by NumPy, asked in the same way as one in the native core."""

from __future__ import annotations

import cmath
from typing import NamedTuple

from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.blend import Blend, Playable, base_motion, blend_of, changing, own_offset, sway, transition_of
from mocapella.playback.own_time import OwnTimeOffset
from mocapella.playback.settings import PlayerSettings
from mocapella.playback.state import PlayerState

Planted = tuple[bool, bool, bool, bool]  # which of FOOT_POINTS rest


class ReferenceCharacter(NamedTuple):
    """A network, settings and a state, and all that follows from them."""

    network: Playable
    settings: PlayerSettings
    state: PlayerState

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of its poses."""
        return self.blend.cycle.layout.skeleton

    @property
    def time(self) -> float:
        """Seconds that it has played."""
        return self.state.time

    @property
    def phase(self) -> float:
        """How far into the cycle it is, 0 … 2π; during a change, where the next cycle will begin."""
        if changing(self.state):
            return transition_of(self.network, self.state).arrive_phase
        return self.state.root.head.phase

    @property
    def position(self) -> tuple[float, float]:
        """Where its root is on the ground (x, z), metres."""
        head = self.state.root.head
        x, z = sway(self._own_offset, head, self.settings)
        return head.position[0] + x, head.position[1] + z

    @property
    def heading(self) -> float:
        """Which way it faces, radians."""
        head, offset = self.state.root.head, self._own_offset
        return head.yaw if offset is None else head.yaw + offset.yaw

    @property
    def course(self) -> tuple[float, float, float, float]:
        """Position without the sway of the steps (x, z; metres), direction of travel (radians) and speed (m/s)."""
        head, cycle = self.state.root.head, self.blend.cycle
        speed = abs(cycle.velocity)
        if changing(self.state):
            return *head.position, head.yaw, speed
        swing, aside = cycle.sway(head.phase)
        place = head.place - cmath.exp(1j * (head.yaw - cycle.way(head.phase)[0])) * aside
        return place.imag, place.real, head.yaw - swing + cycle.drift, speed

    @property
    def turn_rate(self) -> float:
        """The mean turn rate of the motion being played, rad/s, left positive."""
        return self.spectrum.turn / self.spectrum.duration

    @property
    def spectrum(self) -> Spectrum:
        """The motion being played."""
        return self.blend.cycle.spectrum

    @property
    def planted(self) -> Planted:
        """Which foot points rest."""
        phase, locks = self.state.root.head.phase, self.state.locks
        plants = base_motion(self.network, self.settings, self.state).plants
        a, b, c, d = (
            any(plant.rests(phase) for plant in of_point) and locks.rests(i) for i, of_point in enumerate(plants)
        )
        return a, b, c, d

    @property
    def blend(self) -> Blend:
        """The blend with its root motion."""
        return blend_of(self.network, self.settings, self.state)

    @property
    def _own_offset(self) -> OwnTimeOffset | None:
        return None if changing(self.state) else own_offset(self.blend, self.state)
