"""``build_network``: a network of captures whose nodes lie where they are played."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import ParamSpec

from mocapella.blending.network import Network
from mocapella.building.build import Built, build
from mocapella.playback.gaits import played_rates

P = ParamSpec("P")


def _network_only(make: Callable[P, Built]) -> Callable[P, Network]:
    """The same function with the same documentation; it returns the network alone, and places nodes by played speed."""

    def build_network(*args: P.args, **kwargs: P.kwargs) -> Network:
        kwargs.setdefault("measure", played_rates)
        return make(*args, **kwargs).network

    build_network.__doc__ = make.__doc__
    build_network.__qualname__ = "build_network"
    own = inspect.signature(make)
    options = [one.replace(default=played_rates) if one.name == "measure" else one for one in own.parameters.values()]
    build_network.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=options, return_annotation="Network"
    )
    return build_network


build_network = _network_only(build)
