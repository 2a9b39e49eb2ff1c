"""Turn rates and speeds of a network's blends measured by the native core, as ``played_rates`` measures them."""

from __future__ import annotations

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.playback.native.blends import NativeBlends


class NativeRates:
    """Measures blends of one network."""

    def __init__(self, network: Network, blends: NativeBlends) -> None:
        self._network, self._blends = network, blends

    @classmethod
    def of(cls, network: Network) -> NativeRates | None:
        """The measure of a network's blends; None where the core cannot mix them, is not installed or not wanted."""
        blends = NativeBlends.of(network)
        return None if blends is None else cls(network, blends)

    def __reduce__(self) -> tuple[object, ...]:
        return NativeRates.of, (self._network,)

    def at(self, place: Place) -> tuple[float, float] | None:
        """The turn rate (rad/s, left positive) and the speed (m/s) of the blend at a place.

        The result is as ``played_rates`` has them of the blend; None where the core does not know such places.
        """
        found = self._blends.rates(place.nodes.tolist(), place.weights.tolist()) if len(place.point) == 2 else None
        return None if found is None else (found[0], abs(found[1]))
