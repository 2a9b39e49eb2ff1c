"""How fast a motion is played: planted feet carry the body, not the root that was captured."""

from __future__ import annotations

from mocapella.errors import MotionError
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.legs import leg_dofs
from mocapella.playback.stride import footed_gait


def played_rates(spectrum: Spectrum) -> tuple[float, float]:
    """The turn rate (rad/s, left positive) and the speed (m/s) that a player makes of a motion by its feet.

    For ``Calibration(network, measure=played_rates)``: requests are then met as they are seen, not as roots were
    captured.
    """
    if spectrum.layout is None:
        raise MotionError("these harmonics carry no layout, so they go nowhere")
    gait = footed_gait(spectrum, leg_dofs(spectrum.layout))
    return spectrum.turn / spectrum.duration, abs(gait.velocity)


def played_speed(spectrum: Spectrum) -> float:
    """How fast a motion is played, m/s; where no legs are known, how fast its root was captured."""
    try:
        return played_rates(spectrum)[1]
    except MotionError:
        return spectrum.speed
