"""Cascaded networks: nodes whose motion is itself the blend of another network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from mocapella.analysis.synchronise import phase_in_step
from mocapella.blending.network import Network
from mocapella.blending.places import Point
from mocapella.checks import explained, reals, shown
from mocapella.errors import NetworkError
from mocapella.motion.spectrum import Spectrum

_AXES = ("x", "y", "z")


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Cascade:
    """A network some of whose nodes are blends of inner networks, each at a point of its own.

    ``network`` is the outer one with the inner blends in place; it is made once per change of an inner point, and
    moving the outer point costs no more than in any network.

    A player plays a cascade by all of its points at once: the coordinates of the outer one, then those of each inner
    one, in the order of ``axes``. Nodes that keep their own time give their mean posture there.

    Parameters
    ----------
    outer
        The network whose nodes are replaced.
    inner
        Networks by the names of the nodes whose motion is their blend.
    at
        The blending point of each inner network, by the same names.

    Raises
    ------
    NetworkError
        Where a network has no point, a point no network, or the outer network no such node.

    Examples
    --------
    >>> import numpy as np
    >>> from mocapella import Node
    >>> swing = Spectrum(np.array([[0.0], [0.1 + 0j]]), duration=1.0)
    >>> moods = Network([Node("sad", (0, 0), swing), Node("happy", (1, 0), 3 * swing)])
    >>> walks = Network([Node("slow", (0, 0), swing), Node("fast", (1, 0), swing)])
    >>> cascade = Cascade(walks, {"slow": moods}, {"slow": (0.0, 0.0)}).moved("slow", (0.5, 0.0))
    >>> cascade.blend((0.0, 0.0)).duration, cascade.axes
    (2.0, ('x', 'y', 'slow.x', 'slow.y'))
    """

    outer: Network
    inner: Mapping[str, Network]
    at: Mapping[str, Point]
    _blends: dict[str, tuple[Point, Spectrum]] = field(default_factory=dict)  # the last of each inner network
    _made: list[Network] = field(default_factory=list, init=False)  # the last outer one
    network: Network = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.outer, Network):
            raise NetworkError(f"expected a network with nodes to put blends on, got {self.outer!r}")
        if not (isinstance(self.inner, Mapping) and isinstance(self.at, Mapping)):
            raise NetworkError(
                f"expected inner networks and their points by the names of nodes, got {self.inner!r} and {self.at!r}"
            )
        for name, network in self.inner.items():
            if not isinstance(network, Network):
                nested = isinstance(network, Cascade)
                helps = "; a cascade within a cascade stays where it is: give its network" if nested else ""
                raise NetworkError(f"expected a network for node {name!r} to be a blend of, got {network!r}{helps}")
        if set(self.inner) != set(self.at):
            raise NetworkError(
                f"expected one blending point for each inner network, got networks for {sorted(self.inner)} "
                f"and points for {sorted(self.at)}"
            )
        at = {name: network.checked_point(self.at[name]) for name, network in self.inner.items()}
        object.__setattr__(self, "inner", MappingProxyType(dict(self.inner)))
        object.__setattr__(self, "at", MappingProxyType(at))
        object.__setattr__(self, "network", self._with(at))

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the coordinates of all points: ``x``, ``y``, then those of the inner ones, as ``slow.x``."""
        inner = [f"{name}.{axis}" for name, network in self.inner.items() for axis in _AXES[: network.n_axes]]
        return (*_AXES[: self.outer.n_axes], *inner)

    def moved(self, name: str, point: Point) -> Cascade:
        """The cascade with one inner point moved; the other inner blends are not made again."""
        if name not in self.inner:
            raise NetworkError(f"node {name!r} has no inner network; {', '.join(self.inner) or 'none'} have one")
        return replace(self, at={**self.at, name: point}, _blends=dict(self._blends))

    def blend(self, point: Point) -> Spectrum:
        """The motion at a blending point of the outer network, or at points for all networks, one after the other.

        Inner points that are given replace the cascade's own; unchanged ones are not blended again.
        """
        try:
            goal = reals(point)
        except (TypeError, OverflowError):
            raise NetworkError(
                f"expected a blending point of numbers for {', '.join(self.axes)}; got {shown(point)}"
            ) from None
        n_outer = self.outer.n_axes
        if len(goal) == n_outer:
            return self.network.blend(goal)
        if len(goal) != len(self.axes):
            axes = ", ".join(self.axes)
            raise NetworkError(
                f"expected {n_outer} coordinates of a blending point, or those of {axes}; got {len(goal)}"
            )
        left, at = goal[n_outer:], {}
        for name, network in self.inner.items():
            at[name], left = left[: network.n_axes], left[network.n_axes :]
        return self._with(at).blend(goal[:n_outer])

    def __repr__(self) -> str:
        return f"Cascade({self.outer!r} with inner networks for {', '.join(self.inner)})"

    def _with(self, at: Mapping[str, Point]) -> Network:
        """The outer network with the blends at these inner points."""
        new = {name: point for name, point in at.items() if name not in self._blends or self._blends[name][0] != point}
        for name, point in new.items():
            self._blends[name] = point, self.inner[name].blend(point)
        if new or not self._made:
            # Always from the outer network, so that the same points give the same blend whatever was blended before.
            self._made[:] = [self.outer.with_spectra({name: self._blends[name][1] for name in at})]
        return self._made[0]


def in_step_at(inner: Network, point: Point, others: Sequence[Spectrum]) -> Network:
    """The inner network of a cascade, synchronised so that its blend at a point matches motions of the outer one.

    ``others`` are motions to be in step with; without any the network stays as it is. Returns the same motions, the
    synchronised ones begun later by one phase.
    """
    if not others:
        return inner
    return inner.starting_at(phase_in_step([inner.blend(point)] * len(others), others))
