"""The settings of a player that can be changed while it plays, as properties."""

from __future__ import annotations

import copy
import math

from msgspec.structs import replace

from mocapella.playback.blend import Playable, blend_of
from mocapella.playback.harmonic_count import played_count
from mocapella.playback.native.native_character import Engine, NativeCharacter
from mocapella.playback.reference_character import Planted, ReferenceCharacter
from mocapella.playback.settings import Feet, PlayerSettings, checked_count, checked_ease, checked_join, checked_pace
from mocapella.playback.state import PlayerState


class AdjustableSettings:
    """The network, settings and state of a player; settings that can be changed while it plays are properties."""

    __slots__ = ("_character", "_network", "_settings", "_stored")
    _network: Playable
    _settings: PlayerSettings
    _character: NativeCharacter | None  # None: steps are made by NumPy
    _stored: PlayerState | None  # None: as the native character has it

    @property
    def _state(self) -> PlayerState:
        if self._stored is None:
            assert self._character is not None
            self._stored = self._character.state()
        return self._stored

    @_state.setter
    def _state(self, state: PlayerState) -> None:
        self._stored = state
        if self._character is not None:
            self._character.live = False

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        state = {"_character": copy.copy(self._character), "_stored": self._state}
        return None, {"_network": self._network, "_settings": self._settings, **state}

    @property
    def _live(self) -> NativeCharacter | None:
        """The native character, where that has the state."""
        character = self._character
        return character if character is not None and character.live else None

    @property
    def _now(self) -> NativeCharacter | ReferenceCharacter:
        """The character as it is now: in the native core where that has the state, else by its state."""
        live = self._live
        if live is None:
            return ReferenceCharacter(self._network, self._settings, self._state)
        return live.under(self._settings)

    @property
    def engine(self) -> Engine:
        """The engine that makes its steps: ``"native"``, the compiled core, or ``"numpy"``.

        Captured changes of a hybrid network, and the crossover after them, are played by NumPy with both.
        """
        return "numpy" if self._character is None else "native"

    @property
    def time(self) -> float:
        """Seconds that it has played."""
        return self._now.time

    @property
    def planted(self) -> Planted:
        """Which of ``FOOT_POINTS`` rest at this moment."""
        return self._now.planted

    @property
    def feet(self) -> Feet:
        """How it stands."""
        return self._settings.feet

    @property
    def harmonics(self) -> int | None:
        """How many harmonics of the motion are played, None for all; can be set while it plays.

        Harmonics that are added or left out fade in or out, at a rate that joints can follow; all others, the cycle
        phase and the path stay as they are.
        """
        return self._settings.harmonics

    @harmonics.setter
    def harmonics(self, count: int | None) -> None:
        settings, state = self._settings, self._state
        wanted = checked_count(count)
        if wanted == settings.harmonics:
            return
        played = played_count(state.point.harmonics, settings)
        here = float(blend_of(self._network, settings, state).spectrum.n_harmonics) if played is None else played
        self._settings = replace(settings, harmonics=wanted)
        self._state = replace(state, point=replace(state.point, harmonics=here))

    @property
    def ease(self) -> float:
        """Seconds in which the blending point covers 90 % of the way to its goal; can be set while it plays."""
        return self._settings.ease

    @ease.setter
    def ease(self, seconds: float | int) -> None:
        self._settings = replace(self._settings, ease=checked_ease(seconds))

    @property
    def pace(self) -> float:
        """The largest speed of the blending point, in units of the plane per second; can be set while it plays."""
        return math.inf if self._settings.pace is None else self._settings.pace

    @pace.setter
    def pace(self, most: float | int) -> None:
        self._settings = replace(self._settings, pace=checked_pace(most))

    @property
    def join(self) -> float:
        """Seconds of the crossover between a blend and a captured change; can be set while it plays."""
        return self._settings.join

    @join.setter
    def join(self, seconds: float | int) -> None:
        self._settings = replace(self._settings, join=checked_join(seconds))
