"""What mocapella costs, beside published figures and peers that are installed; needs no file but its own."""

from __future__ import annotations

from importlib import import_module

from mocapella.studies.benches.measuring import Row

NAMES = ("files", "kinematics", "analysis", "synthesis", "player", "actor")


def measured(name: str, *, quick: bool = False) -> list[Row]:
    """The rows of one bench; ``quick`` takes few rounds of small things, to see that it runs, not how fast."""
    rows: list[Row] = import_module(f"mocapella.studies.benches.{name}").rows(quick=quick)
    return rows
