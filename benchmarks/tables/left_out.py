"""Leave-one-out: how far the blend of all other captures is from a capture itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Complex

from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.likeness import joint_error
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.layout.placement import Axes, joined
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum

HARMONICS = 10


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A capture, the others as captured, and the network that ``build`` makes of the others."""

    target: Cycle
    others: tuple[Cycle, ...]
    network: Network
    point: tuple[float, float]  # the place of the capture in it

    def error(self, coefficients: Complex[np.ndarray, "harmonics dofs"]) -> float:
        """Distance of a blend, made at the place of the capture, from the capture; metres, as ``joint_error``."""
        blend = replace(self._blend, coefficients=coefficients)
        return joint_error(synthesise(blend, self.target.n_frames), self.target)

    @cached_property
    def _blend(self) -> Spectrum:
        return self.network.blend(self.point)


def left_out(cycles: Sequence[Cycle], axes: Axes | None = None, *, harmonics: int = HARMONICS) -> list[LeftOut]:
    """Leave out each cycle that lies between slower and faster ones, and build the network of all others.

    ``axes`` are what places them; their speed alone if None. By turn only cycles are left out that lie inside the
    network of the others; by stride and speed a place outside goes to the outline, as any point does. Returns one for
    each cycle that could be left out.
    """
    places = [(0.0, cycle.speed) if axes is None else axes.measure(cycle) for cycle in cycles]
    out = []
    for i, target in enumerate(cycles):
        others = [j for j in range(len(cycles)) if j != i]
        speeds = [cycles[j].speed for j in others]
        if not min(speeds) < target.speed < max(speeds):
            continue
        spectra = [analyse(cycle, harmonics) for cycle in synchronise([cycles[j] for j in others])]
        nodes = [Node(str(j), places[j], one) for j, one in zip(others, spectra, strict=True)]
        network = joined(nodes, axes=axes)
        if axes is None or not axes.turns or network.place(places[i]).inside:
            out.append(LeftOut(target, tuple(cycles[j] for j in others), network, places[i]))
    return out
