"""Base classes of commands and answers, and the types of values in them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec

S = TypeVar("S", bound=msgspec.Struct)

Text = Annotated[str, msgspec.Meta(max_length=400)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
FilePath = Annotated[str, msgspec.Meta(max_length=4096)]
Number = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
MOST = 10_000_000  # frames, or of anything else that is counted
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
Point = tuple[Number, Number]
FootPoint = Literal["left_heel", "left_toe", "right_heel", "right_toe"]


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    """Base of all commands."""

    seq: Annotated[int, msgspec.Meta(ge=0, le=2**53)]


Pair = tuple[float, float]
Packed = str  # base64
Roles = dict[str, str]  # role → joint
PhasePlants = dict[str, list[Pair]]  # foot point → plants round a cycle: begin and length, as shares of the cycle
RowPlants = dict[str, list[tuple[int, int]]]  # foot point → first and last row, both planted


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of all answers."""


def copied(kind: type[S], /, *sources: object, **fields: Any) -> S:
    """A struct of the fields that are given; others are attributes of the first source that has one of that name."""
    for name in set(kind.__struct_fields__).difference(fields):
        for source in sources:
            if hasattr(source, name):
                fields[name] = getattr(source, name)
                break
    return kind(**fields)


class Remedy(msgspec.Struct, frozen=True):
    """Something that helps."""

    title: str
    text: str
    command: msgspec.Raw = msgspec.Raw(b"null")  # that does it, without a sequence number; null: not here
