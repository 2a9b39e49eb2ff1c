"""``draw``: any value as a picture, for notebooks and files."""

from __future__ import annotations

import copy
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

from mocapella.analysis.cycles.raw_cycle import RawCycle
from mocapella.analysis.fourier import synthesise
from mocapella.blending.cascade import Cascade
from mocapella.blending.network import Network
from mocapella.checks import explained, shown
from mocapella.errors import MotionError
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.transition import Transition
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from mocapella.pictures import canvas
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.pictures.hybrid_drawing import draw_hybrid
from mocapella.pictures.networks import draw_network, draw_volume
from mocapella.pictures.signals import draw_harmonics
from mocapella.playback.player import Player
from mocapella.playback.record import record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOWHERE = "picture.png"  # a name for functions that write files; nothing is written
_SECONDS = 4.0  # of a player
_FRAMES = 120  # of a spectrum

_Draw = Callable[[Any, str | PathLike[str]], None]

# How each kind of value is drawn; the first that a value is an instance of counts.
_DRAWINGS: dict[type, _Draw] = {
    Clip: draw_contact_sheet,
    RawCycle: lambda cycle, path: draw_contact_sheet(cycle.clip[cycle.start : cycle.start + cycle.n_frames + 1], path),
    Cycle: lambda cycle, path: draw_contact_sheet(cycle.to_clip(2), path),
    Spectrum: lambda motion, path: draw_harmonics(synthesise(motion, _FRAMES), path),
    Cascade: lambda cascade, path: draw_network(cascade.network, path),
    Network: lambda network, path: (draw_network if network.n_axes == 2 else draw_volume)(network, path),
    HybridNetwork: draw_hybrid,
    Transition: lambda change, path: draw_contact_sheet(change.change, path),
    Player: lambda player, path: draw_contact_sheet(_played(player), path),
}


@explained
def draw(value: Any, path: str | PathLike[str] | None = None) -> Figure:
    """Draw any value: poses of a motion, harmonics of a spectrum, the map of a network.

    Parameters
    ----------
    value
        A clip, a cycle, a spectrum, a network of any kind, a transition, or a player, whose next four seconds are drawn
        and which stays as it is.
    path
        The ``.png``, ``.svg`` or ``.pdf`` to write as well; None writes nothing.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; a notebook shows it.

    Raises
    ------
    MotionError
        For what cannot be drawn, or where matplotlib is not installed.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> mo.draw(perform("walk", speed=1.3)[0]).axes != []
    True
    """
    drawing = next((function for kind, function in _DRAWINGS.items() if isinstance(value, kind)), None)
    if drawing is None:
        kinds = ", ".join(kind.__name__ for kind in _DRAWINGS)
        raise MotionError(expected=f"what can be drawn ({kinds})", got=shown(value))
    with canvas.kept() as figures:
        drawing(value, _NOWHERE)
    if path is not None:
        canvas.save_figure(figures[0], path)
    return figures[0]


def _played(player: Player) -> Clip:
    """The next seconds of a player, which does not move."""
    return record(copy.copy(player), seconds=_SECONDS, frame_rate=30.0)
