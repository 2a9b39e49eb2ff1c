"""The state of a player as one record of plain numbers and names, and its JSON."""

from __future__ import annotations

from typing import Annotated

import msgspec

from mocapella.checks import shown
from mocapella.errors import MotionError
from mocapella.playback.feet.locks import FootLocks
from mocapella.playback.handover import RootMotion
from mocapella.playback.modes import HybridState
from mocapella.playback.pointer import PointState
from mocapella.playback.settings import Number, PlayerSettings, Seconds

VERSION = 5  # of the record, in its JSON
LARGEST = 64 << 20  # bytes of a snapshot's JSON


class DrawnPose(msgspec.Struct, frozen=True):
    """The dofs of the last pose, kept where the blend has been exchanged since."""

    dofs: tuple[Number, ...]
    own_dofs: tuple[Number, ...] = ()  # what nodes with their own time added; empty where there were none
    own_path: complex = 0j
    own_yaw: Number = 0.0


class PlayerState(msgspec.Struct, frozen=True):
    """Everything that changes while a character plays; neither the network nor what follows from both is part of it."""

    point: PointState
    root: RootMotion
    locks: FootLocks = FootLocks()
    hybrid: HybridState | None = None  # None outside of hybrid networks
    clocks: tuple[Number, ...] = ()  # cycle phases of the nodes that keep their own time
    time: Seconds = 0.0
    drawn: DrawnPose | None = None  # None: as the state gives it

    @property
    def here(self) -> HybridState:
        """Where it is in its hybrid network."""
        assert self.hybrid is not None
        return self.hybrid


class Snapshot(msgspec.Struct, frozen=True):
    """A player's settings and state; ``Player.resumed(network, snapshot)`` continues from it.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> from mocapella.playback.player import Player
    >>> walk = analyse(prepare(perform("walk")[0]), harmonics=10)
    >>> player = Player(walk)
    >>> stored = player.snapshot().to_json()
    >>> again = Player.resumed(walk, Snapshot.from_json(stored))
    >>> bool((again.step(0.5).rotations_wxyz == player.step(0.5).rotations_wxyz).all())
    True
    """

    settings: PlayerSettings
    state: PlayerState
    version: Annotated[int, msgspec.Meta(ge=VERSION, le=VERSION)] = VERSION

    def to_json(self) -> bytes:
        """As one JSON object; numbers keep every bit.

        Returns
        -------
        bytes
            UTF-8 text; complex numbers are pairs.
        """
        return msgspec.json.encode(self, enc_hook=_pair)

    @classmethod
    def from_json(cls, stored: bytes | str) -> Snapshot:
        """Read the JSON of ``to_json``.

        Parameters
        ----------
        stored
            The JSON object.

        Returns
        -------
        Snapshot
            The same as the one that was written.

        Raises
        ------
        MotionError
            Where it is no snapshot, or one of another version.
        """
        if not isinstance(stored, bytes | bytearray | str) or len(stored) > LARGEST:
            raise MotionError(f"expected a snapshot as JSON, up to {LARGEST >> 20} MiB; got {shown(stored)}")
        try:
            version = msgspec.json.decode(stored, type=_Versioned).version
            if version not in (None, VERSION):
                raise MotionError(f"expected a snapshot of version {VERSION}, got version {version}; play it anew")
            return msgspec.json.decode(stored, type=cls, dec_hook=_complex)
        except RecursionError:
            raise MotionError("this is not a snapshot of a player: it is nested too deeply") from None
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise MotionError(f"this is not a snapshot of a player: {error}") from None


class _Versioned(msgspec.Struct):
    version: int | None = None


def _pair(value: object) -> tuple[float, float]:
    assert isinstance(value, complex)
    return value.real, value.imag


def _complex(kind: type, value: object) -> complex:
    """A complex number of a pair of numbers, within the range of all others."""
    parts = msgspec.convert(value, type=tuple[Number, Number])
    assert kind is complex
    return complex(*parts)
