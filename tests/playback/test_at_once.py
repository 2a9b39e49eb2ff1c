"""Who stands need not wait: changes that are left at once, from wherever the standing is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.smoothness import join_figures
from mocapella.errors import NetworkError
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.footskate import footing
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.storage.values import load_network, save


@pytest.fixture(scope="module")
def ready(hybrid) -> HybridNetwork:
    arcs = [replace(arc, at_once=arc.name == "stand-walk") for arc in hybrid.arcs]
    return HybridNetwork(hybrid.blocks, arcs, hybrid.modes)


@pytest.mark.parametrize("share", [0.1, 0.45, 0.8])
def test_who_stands_leaves_at_once_and_nobody_sees_the_join(ready, share):
    arc = ready.arc("stand-walk")
    change = arc.transition
    node = ready.network("standing", "change").node(arc.source.node)
    player = Player(ready, node.at, block="standing", mode="blend", phase=change.leave_phase + 2.0 * np.pi * share)
    record_with_contacts(player, seconds=0.3, frame_rate=120)
    player.mode = "change"
    clip, contacts = record_with_contacts(player, seconds=change.seconds + 1.0, frame_rate=120)
    waiting, leaving, arrived = player.states[1:4]
    assert leaving.time == waiting.time
    assert arrived.time - leaving.time == pytest.approx(change.seconds)
    figures = join_figures(clip, leaving.time - 0.3, change.clip)
    assert figures.step <= 1.5
    assert figures.kick <= 2.0
    assert max(figures.push, figures.twist) <= 1.0
    assert footing(clip, contacts).slip_mm_max <= 1.0


def test_who_steps_is_not_let_go_at_once(hybrid):
    with pytest.raises(NetworkError, match="'walk-run' cannot be left at once: only after standing"):
        replace(hybrid.arc("walk-run"), at_once=True)


def test_it_is_stored_with_the_network(ready, tmp_path):
    save(ready, tmp_path / "person.moca")
    assert [arc.at_once for arc in load_network(tmp_path / "person.moca").arcs] == [arc.at_once for arc in ready.arcs]
