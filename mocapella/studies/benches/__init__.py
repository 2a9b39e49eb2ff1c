"""``mocapella bench``: costs beside published figures and installed peers, measured on the actor's motions."""

from __future__ import annotations

from importlib import import_module

from mocapella.studies.benches.measuring import Row
from mocapella.studies.checkout import from_checkout, is_checkout

NAMES = ("files", "kinematics", "analysis", "synthesis", "player", "crowd", "actor")
# Bench → its module here, and the one in benchmarks/ that takes its place in a source checkout.
_INSTALLED = {"files": "file_cost", "analysis": "analysis_cost", "player": "player_cost", "crowd": "crowd_cost"}
_IN_CHECKOUT = {"kinematics": "kinematics", "synthesis": "synthesis", "crowd": "crowd", "actor": "actor"}


def available() -> tuple[str, ...]:
    """The benches that can be run here: all of them in a source checkout."""
    return NAMES if is_checkout() else tuple(name for name in NAMES if name in _INSTALLED)


def measured(name: str, *, quick: bool = False) -> list[Row]:
    """The rows of one bench of ``NAMES``; ``quick`` runs few rounds of small problems, to see that it works."""
    if name in _IN_CHECKOUT and (is_checkout() or name not in _INSTALLED):
        module = from_checkout(f"benches.{_IN_CHECKOUT[name]}", f"the bench {name}")
    else:
        module = import_module(f"mocapella.studies.benches.{_INSTALLED[name]}")
    rows: list[Row] = module.rows(quick=quick)
    return rows
