"""Networks with smoothed nodes: each node's motion is fitted to its own and those of its neighbours.

Two takes of one person at one speed differ by some centimetres, in an arm swing or a nod. In a network these accidents
show as the blending point moves from node to node. A plane fitted to a node and its nearest neighbours, harmonic by
harmonic, keeps what changes with the place in the network and removes what differs by chance. It predicts most held-out
captures better than the triangles of raw takes do (``python -m benchmarks.quality_blending held-out``).

Nothing in a take says whether it differs by chance or because it was meant to: a tired walk and a sad one are nearer to
each other than some people's plain walks. So motions are smoothed only with those of their own kind, which is given by
name or by the folder that the captures lie in.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.checks import NETWORK, refuse_no_whole, refuse_other
from mocapella.geometry.mesh import line_through
from mocapella.geometry.simplices import axis_spread

_NONE: Mapping[str, str] = MappingProxyType({})


def smooth_nodes(network: Network, *, neighbours: int | None = None, kinds: Mapping[str, str] = _NONE) -> Network:
    """The same places and triangles; the motion of each node is fitted to its own and those of its nearest nodes.

    A fit that is linear in the place reproduces where the node lies, so speeds and turns stay what they were.

    Parameters
    ----------
    network
        Any. Nodes that keep their own time are left alone.
    neighbours
        How many nodes, its own among them, each fit goes through; axes count by their spread. By default twice what
        determines it, plus one: 5 on a chain, 7 in the plane. Two nodes, or a triangle, have nothing to smooth.
    kinds
        The kind of motion of nodes, by name, in any words. Nodes are smoothed only with those of the same kind, so that
        a sad walk stays sad beside a happy one; nodes that are not named are of one kind together.

    Raises
    ------
    NetworkError
        For fewer than one neighbour, or a kind for a node that does not exist.
    """
    refuse_other(network, Network, NETWORK)
    refuse_other(kinds, Mapping, "kinds by the names of nodes, such as {'sad 1': 'sad'}")
    if neighbours is not None:
        refuse_no_whole(neighbours, "a fit through a whole number of nodes from 1 on")
    for name in kinds:
        network.index(name)  # raises for unknown names
    stepping = np.array([i for i, node in enumerate(network.nodes) if node.synchronised], dtype=np.intp)
    kind_names = np.array([kinds.get(network.names[node], "") for node in stepping.tolist()])
    spots = _spots(network)[stepping]
    count = 2 * (spots.shape[1] + 1) + 1 if neighbours is None else neighbours
    spectra = {}
    for node, spot, kind in zip(stepping.tolist(), spots, kind_names, strict=True):
        alike = np.flatnonzero(kind_names == kind)
        away = spots[alike] - spot
        near = np.argsort(np.linalg.norm(away, axis=1), kind="stable")[:count]
        # The smallest weights that sum to 1 and reproduce the place are those of a least-squares fit there.
        conditions = np.concatenate([np.ones((1, len(near))), away[near].T])
        weights = np.linalg.pinv(conditions)[:, 0]
        name = network.names[node]
        spectra[name] = network.bank.mix(stepping[alike[near]], weights, network.rule, name)
    return network.with_spectra(spectra)


def _spots(network: Network) -> Float[np.ndarray, "nodes axes"]:
    """Where the nodes lie, both axes counted by their spread; along the line where all lie on one."""
    line = line_through(network.points)
    points = network.points if line is None else line.coordinates(network.points)
    return np.asarray(points / axis_spread(points))
