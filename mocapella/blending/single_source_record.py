"""Single-source harmonics as they stand in files: a table in a spec, a part of a stored network's header."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal

import msgspec
import numpy as np

from mocapella.blending.override import Override
from mocapella.blending.single_source import SingleSource
from mocapella.errors import FormatError
from mocapella.files.moca import Arrays

_AMOUNTS = "override"  # the array that holds a map's amounts


class SingleSourceSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a spec may say of single-source harmonics; see ``SingleSource``."""

    first: int = 6
    last: int | None = None
    winners: list[tuple[str, str]] = []
    abstaining: list[str] = []
    joints: list[str] | None = None
    agreement: float | None = None
    structure: Literal["half ramp", "low last", "full ramp", "interleaved"] = "half ramp"
    rounding: Literal["largest remainder", "thesis"] = "largest remainder"

    def settings(self, override: Override | None = None) -> SingleSource:
        """The value that this describes; ``NetworkError`` where it makes no sense."""
        return SingleSource(
            self.first,
            self.last,
            tuple(self.winners),
            tuple(self.abstaining),
            override,
            None if self.joints is None else tuple(self.joints),
            self.agreement,
            self.structure,
            self.rounding,
        )


class OverrideRecord(msgspec.Struct, frozen=True):
    """A map in a header; its amounts are an array of their own."""

    low: list[float]
    high: list[float]
    instead: Literal["blend", "clip"]


class SingleSourceRecord(SingleSourceSpec, frozen=True, kw_only=True):
    """Single-source harmonics in the header of a stored network."""

    override: OverrideRecord | None = None


def single_source_record(value: SingleSource) -> tuple[SingleSourceRecord, dict[str, np.ndarray[Any, np.dtype[Any]]]]:
    """What to put into a header, and into the arrays beside it."""
    override = value.override
    record = SingleSourceRecord(
        first=value.first,
        last=value.last,
        winners=list(value.winners),
        abstaining=list(value.abstaining),
        joints=None if value.joints is None else list(value.joints),
        agreement=value.agreement,
        structure=value.structure,
        rounding=value.rounding,
        override=None
        if override is None
        else OverrideRecord(list(override.low), list(override.high), override.instead),
    )
    return record, {} if override is None else {_AMOUNTS: np.asarray(override.amounts)}


def read_single_source(path: str | PathLike[str], record: SingleSourceRecord, arrays: Arrays) -> SingleSource:
    """The value that a header describes.

    Raises
    ------
    FormatError
        Where the map that it speaks of is missing or no map.
    """
    if record.override is None:
        return record.settings()
    amounts: Mapping[str, Any] = arrays
    if _AMOUNTS not in amounts or amounts[_AMOUNTS].dtype != np.float64:
        raise FormatError(path, 0, f"speaks of a map but holds no array {_AMOUNTS!r} of numbers")
    low, high = tuple(record.override.low), tuple(record.override.high)
    return record.settings(Override(low, high, amounts[_AMOUNTS], record.override.instead))
