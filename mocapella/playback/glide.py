"""A blend on its way from one set of weights to another, when the triangles under the blending point change."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.node import Place
from mocapella.geometry.smoothstep import smooth

SECONDS = 0.5  # in which the old weights are gone, where the body can follow so quickly


@dataclass(frozen=True)
class Glide:
    """The weights that nodes had before, and how long ago that was.

    Weights of a triangle put its corners' mean where the point is, so weights that glide move the point evenly.
    """

    nodes: tuple[int, ...]
    weights: tuple[float, ...]
    age: float = 0.0  # seconds

    @classmethod
    def of(cls, place: Place) -> Glide:
        """Away from a place."""
        return cls(tuple(place.nodes.tolist()), tuple(place.weights.tolist()))

    @property
    def done(self) -> bool:
        """Whether nothing is left of the old weights."""
        return self.age >= SECONDS

    def after(self, dt: float) -> Glide:
        """The same, ``dt`` seconds later."""
        return replace(self, age=self.age + dt)

    def towards(self, place: Place, network: Network) -> Place:
        """A place with what is left of the old weights mixed in, and the point that they make."""
        old = smooth(max(0.0, 1.0 - self.age / SECONDS))
        shares = np.zeros(len(network.nodes))
        np.add.at(shares, list(self.nodes), old * np.array(self.weights))
        np.add.at(shares, place.nodes, (1.0 - old) * place.weights)
        nodes = np.flatnonzero(shares)
        point = tuple((shares @ network.points).tolist())
        return Place(place.triangle, nodes, shares[nodes], point, place.inside)
