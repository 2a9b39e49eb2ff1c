"""The gaits of a crowd's blends, derived by the native core where it is installed and can mix them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mocapella.crowd.cutting.pieces import Pieces, Shares
from mocapella.gait.cycle_on_ground import CycleOnGround
from mocapella.gait.root_motion import cycle_by_feet
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.native.blends import NativeBlends
from mocapella.playback.settings import PlayerSettings
from mocapella.rig.legs import leg_dofs


def derived(pieces: Pieces, blends: Sequence[Shares], settings: PlayerSettings) -> list[CycleOnGround]:
    """Blends of pieces over the ground, by the root motion that their planted feet require."""
    layout = pieces.spectra[0].layout
    assert layout is not None
    part = leg_dofs(layout)
    native = None if pieces.network is None else NativeBlends.of(pieces.network, settings)
    out = []
    for shares in blends:
        nodes, counts = zip(*shares, strict=True)
        weights = [count / pieces.parts for count in counts]
        cycle = None if native is None else native.cycle(nodes, weights)
        out.append(cycle or cycle_by_feet(_mixed(pieces, nodes, weights), part, settings))
    return out


def _mixed(pieces: Pieces, nodes: Sequence[int], weights: Sequence[float]) -> Spectrum:
    if pieces.network is None or len(nodes) == 1:
        return pieces.spectra[nodes[0]]
    return pieces.network.bank.mix(np.array(nodes), np.array(weights), pieces.network.rule)
