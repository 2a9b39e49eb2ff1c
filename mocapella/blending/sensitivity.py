"""How finely a network answers round a line through it: nodes are moved outwards or inwards, its borders stay.

Between straight ahead and the sharpest turn lie slight turns. Moved outwards they leave the blending point more room
about straight ahead, where a hand wants to be exact, and the sharpest turns are as sharp as before.
"""

from __future__ import annotations

import math

import numpy as np

from mocapella.blending.given import NETWORK, refuse_other
from mocapella.blending.network import Network
from mocapella.errors import NetworkError
from mocapella.reals import real_or_nan, shown

_SIDE = 1e-9  # of the network's extent: a node nearer to the centre line lies on it


def eased(network: Network, fineness: float | int, *, centre: float | int = 0.0, axis: int = 0) -> Network:
    """The same motions and triangles with room made about a line: nodes between it and the borders move outwards.

    Parameters
    ----------
    network
        In the plane. Nodes on the line, and the outermost on each side of it, stay; those between move along the axis.
    fineness
        About how many times as fine the answer is near the line: 2 gives a turn twice the room there, ½ half of it.
        A triangle answers evenly, so what is reached is what its nodes' new places make of it: a node half-way out
        goes to two thirds with 2, three quarters with 3. Without nodes between there is nothing to move.
    centre, axis
        The line: where this coordinate has this value. By itself straight ahead in a network laid out by turns.

    Raises
    ------
    NetworkError
        For a fineness that is not above 0, another axis, nodes that all lie on the line, or triangles that would cross
        once their nodes are moved.
    """
    if not (0.0 < real_or_nan(fineness) < math.inf and math.isfinite(real_or_nan(centre))):
        given = f"{shown(fineness)} and {shown(centre)}"
        raise NetworkError(f"expected a fineness above 0 and a centre that is a number, got {given}")
    refuse_other(network, Network, NETWORK)
    if network.n_axes != 2 or axis not in (0, 1):
        raise NetworkError(f"expected a network in the plane and axis 0 or 1, got {network!r} and {axis}")
    apart = network.points[:, axis] - centre
    reach = float(np.abs(apart).max())
    if not reach > 0.0:
        raise NetworkError("all nodes lie on the centre line, so no side has any room to give")
    places = {}
    for sign in (1.0, -1.0):
        side = np.flatnonzero(sign * apart > _SIDE * reach)
        if not side.size:
            continue
        border = float(np.abs(apart[side]).max())
        for node in side.tolist():
            share = abs(float(apart[node])) / border
            # Slope ``fineness`` at the centre, 1 at the border, and rising all the way.
            moved = fineness * share / (1.0 + (fineness - 1.0) * share)
            at = list(network.nodes[node].at)
            at[axis] = centre + sign * border * moved
            places[network.names[node]] = at
    return network.moved(places)
