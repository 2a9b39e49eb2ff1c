"""How well the nodes of a network are in step: the phase angles of their hips (thesis, appendix D)."""

from __future__ import annotations

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.analysis.fourier import synthesise
from mocapella.analysis.hips import hip_angles
from mocapella.blending.network import Network

_FRAMES = 64  # of a cycle; far more than the fundamental needs
_NO_SWING = 1e-3  # radians; legs that swing less have no phase angle to speak of


def hip_fundamentals(network: Network) -> Complex[np.ndarray, " nodes"]:
    """The first harmonic of the left thigh's swing less the right's, of every node."""
    out = []
    for node in network.nodes:
        left, right = hip_angles(synthesise(node.spectrum.truncated(network.n_harmonics), _FRAMES)).T
        out.append(np.fft.rfft(left - right, norm="forward")[1])
    return np.array(out)


def edges(network: Network) -> Int[np.ndarray, "edges 2"]:
    """Pairs of nodes that share a triangle or a segment, the lower number first."""
    corners = np.sort(network.corners, axis=1)
    n = corners.shape[1]
    pairs = [corners[:, [i, j]] for i in range(n) for j in range(i + 1, n)]
    return np.unique(np.concatenate(pairs), axis=0) if pairs else np.zeros((0, 2), dtype=np.intp)


def phase_differences(network: Network) -> Float[np.ndarray, " edges"]:
    """How far nodes that share an edge are out of step, radians of their cycle, 0 … π; 0 where legs do not swing.

    Edges to nodes that keep their own time are left out.
    """
    pairs = edges(network)
    in_step = np.array([node.synchronised for node in network.nodes])
    first, second = pairs[in_step[pairs].all(axis=1)].T
    swings = hip_fundamentals(network)
    swing = np.minimum(np.abs(swings[first]), np.abs(swings[second])) > _NO_SWING
    return np.where(swing, np.abs(np.angle(swings[first] * np.conj(swings[second]))), 0.0)
