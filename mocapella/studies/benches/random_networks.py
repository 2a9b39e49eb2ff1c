"""Networks of random harmonics, of any size: what is blended decides nothing about what blending costs."""

from __future__ import annotations

import numpy as np
from jaxtyping import Complex

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.layout import QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum

_SECONDS = 1.13  # the thesis's walk: 113 frames at 100 a second


def random_harmonics(nodes: int, harmonics: int, dofs: int) -> Complex[np.ndarray, "nodes rows dofs"]:
    """The same random numbers each time."""
    rng = np.random.default_rng(7)
    shape = (nodes, harmonics + 1, dofs)
    return np.asarray(rng.normal(size=shape) + 1j * rng.normal(size=shape))


def random_network(dofs: int, harmonics: int, side: int) -> Network:
    """Nodes on a square grid, ``side`` along each edge, one apart."""
    return _on_grid(Spectrum(random_harmonics(1, harmonics, dofs)[0], _SECONDS), side)


def random_body_network(joints: int) -> Network:
    """Nine nodes that make poses, with foot plants."""
    offsets = np.tile([0.0, 0.1, 0.0], (joints, 1)).tolist()
    skeleton = Skeleton.of([f"j{i}" for i in range(joints)], [i - 1 for i in range(joints)], offsets)
    layout = QuaternionLayout(skeleton)
    contacts = CycleContacts(((0.0, 2.0),), ((0.4, 3.0),), ((3.1, 2.0),), ((3.5, 3.0),))
    coefficients = random_harmonics(1, 10, layout.n_dofs)[0]
    coefficients[0].imag = 0.0
    return _on_grid(Spectrum(coefficients, _SECONDS, layout, contacts), 3)


def _on_grid(spectrum: Spectrum, side: int) -> Network:
    places = [(x, y) for x in range(side) for y in range(side)]
    return Network([Node(f"{x} {y}", (float(x), float(y)), spectrum) for x, y in places])
