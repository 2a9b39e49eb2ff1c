"""A change is mirrored only where the motion before it is much the same in a mirror."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

from mocapella.actor import perform
from mocapella.analysis.prepare import prepare
from mocapella.errors import MotionWarning
from mocapella.hybrid.builder import HybridBuilder
from tests.hybrid.hybrids import WALKS, block, transition


def with_before(turn):
    walk = prepare(perform("walk", speed=1.2, turn=turn)[0])
    return replace(transition("walk-stand"), before=walk)


def added(change):
    return (
        HybridBuilder({"walking": block(WALKS)}).with_transition(change, "walking", "standing", mirrored=True).arcs[-1]
    )


def test_a_change_out_of_a_sharp_turn_is_not_mirrored_and_that_is_said():
    with pytest.warns(MotionWarning, match="its mirror image the other way"):
        arc = added(with_before(1.2))
    assert arc.mirrored is None
    assert len(arc.versions) == 1


def test_a_change_out_of_a_straight_walk_is():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*mirror image the other way")
        arc = added(transition("walk-stand"))
    assert arc.mirrored is not None
