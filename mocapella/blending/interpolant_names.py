"""Interpolants by name: what files, specs and the command line call them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from types import MappingProxyType

from mocapella.blending.interpolants import Interpolant, NearestNeighbours, bilinear, natural_neighbours, radial_basis
from mocapella.errors import NetworkError

# Interpolants are functions; these are the ones that have a name outside the program, and ``nearest-K`` for any K.
INTERPOLANTS: Mapping[str, Interpolant | None] = MappingProxyType(
    {
        "triangles": None,
        "natural": natural_neighbours,
        "bilinear": bilinear,
        "radial": radial_basis,
    }
)
KNOWN = f"{', '.join(INTERPOLANTS)}, nearest-4 (or another number of neighbours)"

_NEAREST = re.compile(r"nearest-([1-9][0-9]{0,3})")


def interpolant_of(name: str) -> Interpolant | None:
    """The interpolant of this name, None for the triangles' own weights; ``NetworkError`` where there is none."""
    nearest = _NEAREST.fullmatch(name)
    if nearest:
        return NearestNeighbours(int(nearest[1]))
    if name not in INTERPOLANTS:
        near = difflib.get_close_matches(name, (*INTERPOLANTS, "nearest-4"), n=1, cutoff=0.5)
        meant = f"; did you mean {near[0]!r}? There are " if near else "; there are "
        raise NetworkError(f"there is no interpolant {name!r}{meant}{KNOWN}")
    return INTERPOLANTS[name]


def interpolant_name(interpolant: Interpolant | None) -> str:
    """What an interpolant is called in files; ``NetworkError`` where it has no name."""
    if isinstance(interpolant, NearestNeighbours):
        return f"nearest-{interpolant.k}"
    for name, known in INTERPOLANTS.items():
        if known is interpolant:
            return name
    raise NetworkError(f"an interpolant made by hand cannot be stored; those with a name are {KNOWN}")


def refuse_no_interpolant(interpolant: object) -> None:
    """What cannot be called gives no weights, not even if it is the name of an interpolant."""
    if interpolant is not None and not callable(interpolant):
        raise NetworkError(
            "expected a function that gives weights, such as mocapella.blending.interpolants.natural_neighbours, "
            f"got {interpolant!r}; interpolant_of in mocapella.blending.interpolant_names knows {KNOWN}"
        )
