"""Stages from a file to a player: errors that name the calls between the value given and the one expected."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from mocapella.checks import shown
from mocapella.errors import MotionError

# From a file to a player: type → its name in messages, and the call that makes the next type from it.
_STAGES = {
    "str": ("a file name", "load({})"),
    "Clip": ("a clip", "find_cycle({})"),
    "RawCycle": ("a cycle as found, not yet closed", "cyclify({})"),
    "Cycle": ("a cycle", "analyse({})"),
    "Spectrum": ("a spectrum", "Network([Node('name', (0.0, 0.0), {})])"),
    "Network": ("a network", "Player({})"),
    "Player": ("a player", "record({}, seconds=10, frame_rate=60)"),
}
_VARIABLES = {"str": "'walk.bvh'", "RawCycle": "found"}


def refuse_no_motion(value: object) -> None:
    """Raise ``MotionError`` for a value that is neither a clip nor a cycle, naming the calls that make one."""
    if type(value).__name__ != "Cycle":
        refuse_other_stage(value, "Clip")


def refuse_other_stage(value: object, wanted: str, *, several: bool = False) -> None:
    """Raise ``MotionError`` for a value of another stage between file and player, naming the calls that lead on.

    ``wanted`` is the name of the type that was expected, such as ``"Cycle"``.
    """
    if several:
        if type(value).__name__ in _STAGES or not isinstance(value, Iterable):
            word = wanted.lower()
            helps = f"a single one is [{word}]" if type(value).__name__ == wanted else ""
            raise MotionError(expected=f"a list of {word}s", got=shown(value), helps=helps)
        for member in value:
            refuse_other_stage(member, wanted)
        return
    kinds = [*_STAGES]
    given = "str" if isinstance(value, str | PathLike) else type(value).__name__
    if given == wanted:
        return
    helps = ""
    if given in kinds and kinds.index(given) < kinds.index(wanted):
        helps = _VARIABLES.get(given, given.lower())
        for stage in kinds[kinds.index(given) : kinds.index(wanted)]:
            helps = _STAGES[stage][1].format(helps)
        helps += " makes one"
    raise MotionError(expected=_STAGES[wanted][0], got=shown(value), helps=helps)
