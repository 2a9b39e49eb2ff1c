"""Small spectra and networks whose answers are known."""

from __future__ import annotations

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.motion.spectrum import Spectrum


def spectrum(seed=0, *, harmonics=4, dofs=3, duration=None):
    rng = np.random.default_rng(seed)
    coefficients = rng.normal(size=(harmonics + 1, dofs)) + 1j * rng.normal(size=(harmonics + 1, dofs))
    coefficients[0].imag = 0.0
    return Spectrum(coefficients, float(rng.uniform(0.8, 1.5)) if duration is None else duration)


def network(places, triangles=None, **options):
    nodes = [Node(f"n{i}", tuple(at), spectrum(i)) for i, at in enumerate(places)]
    return Network(nodes, triangles, **options)


def star(points=5):
    """A star: a centre, inner and outer corners in turn, one triangle per edge of the outline."""
    angles = np.pi * np.arange(2 * points) / points
    radii = np.where(np.arange(2 * points) % 2 == 0, 1.0, 0.35)
    places = [(0.0, 0.0), *((r * np.cos(a), r * np.sin(a)) for r, a in zip(radii, angles, strict=True))]
    n = 2 * points
    return network(places, [(0, 1 + i, 1 + (i + 1) % n) for i in range(n)])
