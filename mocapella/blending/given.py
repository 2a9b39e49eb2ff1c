"""What functions that blend were given, looked at before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mocapella.errors import NetworkError
from mocapella.motion.spectrum import Spectrum
from mocapella.reals import shown

NETWORK = "a network, such as Network(nodes)"


def refuse_other(value: object, kind: type | tuple[type, ...], expected: str) -> None:
    """A value of another kind is an error, in the words of what was expected."""
    if not isinstance(value, kind):
        raise NetworkError(f"expected {expected}, got {shown(value)}")


def refuse_no_names(values: object, expected: str) -> None:
    """What does not go by names, such as a list, is an error in the same words."""
    refuse_other(values, Mapping, expected)


def refuse_no_function(value: object, expected: str) -> None:
    """What cannot be called is an error in the same words."""
    if not callable(value):
        raise NetworkError(f"expected {expected}, got {shown(value)}")


def refuse_no_whole(value: object, expected: str) -> None:
    """What is no whole number from 1 on is an error in the same words."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise NetworkError(f"expected {expected}, got {shown(value)}")


def spectra_given(spectra: Any) -> list[Spectrum]:
    """Spectra as a list, whatever they come in."""
    try:
        own = list(spectra)
    except TypeError:
        raise NetworkError(f"expected a list of spectra, got {shown(spectra)}; put a single one in [ ]") from None
    for one in own:
        refuse_other(one, Spectrum, "spectra, such as analyse(cycle) makes one")
    return own
