"""``mocapella bench``: costs beside published figures and installed peers, measured on the actor's motions."""

from __future__ import annotations

from importlib import import_module

from mocapella.studies.benches.measuring import Row

NAMES = ("files", "kinematics", "analysis", "synthesis", "player", "crowd", "actor")


def measured(name: str, *, quick: bool = False) -> list[Row]:
    """The rows of one bench.

    ``name`` is one of ``NAMES``. ``quick`` is few rounds of small problems: shows that it runs, not how fast.
    """
    rows: list[Row] = import_module(f"mocapella.studies.benches.{name}").rows(quick=quick)
    return rows
