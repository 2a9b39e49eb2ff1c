"""Cascaded networks: a node whose motion is itself the blend of another network, tired, brisk or relaxed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from mocapella.blending.network import Network, Point
from mocapella.errors import NetworkError
from mocapella.motion.spectrum import Spectrum


@dataclass(frozen=True, eq=False)
class Cascade:
    """A network some of whose nodes are blends of inner networks, each at a point of its own.

    ``network`` is the outer one with the inner blends in place; it is made once per change of an inner point, and
    moving the outer point costs what it costs in any network.

    Examples
    --------
    ``cascade = Cascade(walks, {"slow": moods}, {"slow": (0.0, 1.0)}).moved("slow", (0.5, 0.5))``
    """

    outer: Network
    inner: Mapping[str, Network]
    at: Mapping[str, Point]
    network: Network = field(init=False)

    def __post_init__(self) -> None:
        if set(self.inner) != set(self.at):
            raise NetworkError(
                f"expected one blending point for each inner network, got networks for {sorted(self.inner)} "
                f"and points for {sorted(self.at)}"
            )
        blends = {name: network.blend(self.at[name]) for name, network in self.inner.items()}
        object.__setattr__(self, "inner", MappingProxyType(dict(self.inner)))
        object.__setattr__(self, "at", MappingProxyType(dict(self.at)))
        object.__setattr__(self, "network", self.outer.with_spectra(blends))

    def moved(self, name: str, point: Point) -> Cascade:
        """The cascade with one inner point moved; the other inner blends are not made again."""
        if name not in self.inner:
            raise NetworkError(f"node {name!r} has no inner network; {', '.join(self.inner) or 'none'} have one")
        out = object.__new__(Cascade)
        blended: dict[str, Spectrum] = {name: self.inner[name].blend(point)}
        values = {
            "outer": self.outer,
            "inner": self.inner,
            "at": MappingProxyType({**self.at, name: tuple(map(float, point))}),
            "network": self.network.with_spectra(blended),
        }
        for key, value in values.items():
            object.__setattr__(out, key, value)
        return out
