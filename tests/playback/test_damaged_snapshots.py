"""Snapshots that were damaged are refused in our words, whatever is wrong with them."""

from __future__ import annotations

import json

import pytest

import mocapella as mo
from mocapella.errors import MotionError
from mocapella.playback.state import Snapshot
from tests.hybrid.hybrids import hybrid


def players():
    changing = mo.Player(hybrid(), mode="change")
    changing.trigger("walk-run")
    waiting = mo.Player(hybrid(), mode="change", block="walking")
    waiting.trigger("walk-stand", anywhere=True)
    fading = mo.Player(hybrid(), mode="blend")
    fading.point = (10.0, 1.4)
    for player, steps in ((changing, 40), (waiting, 2), (fading, 3)):
        for _ in range(steps):
            player.step(0.05)
    fading.mode = "twirl"
    return {"changing": changing, "waiting": waiting, "fading": fading}


def places(value, path=()):
    """Every place of nested lists and objects."""
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def damages(value):
    yield from (None, -1, 1e300, [], {}, [[]])
    if isinstance(value, list) and value:
        yield from (value[:-1], [*value, value[-1]], value * 100, [0] * len(value), [-5.0, *value[1:]])
    if isinstance(value, int) and not isinstance(value, bool):
        yield from (value + 1000, 10**400)


@pytest.mark.parametrize("name", ["changing", "waiting", "fading"])
def test_whatever_is_damaged_is_refused_or_played(name):
    stored = json.loads(players()[name].snapshot().to_json())
    refused = 0
    short = [path for path in places(stored) if len(path) < 3 or not isinstance(path[-1], int) or path[-1] == 0]
    for path in short:
        *above, last = path
        part = stored
        for key in above:
            part = part[key]
        kept = part[last]
        for worse in damages(kept):
            part[last] = worse
            try:
                player = mo.Player.resumed(hybrid(), Snapshot.from_json(json.dumps(stored)))
                player.step(1.0 / 60.0)
            except MotionError:
                refused += 1
        part[last] = kept
    assert refused > 300


@pytest.mark.parametrize(
    "text",
    [b"\xff\xfe{}", b'{"state":' * 50_000 + b"}" * 50_000, '{"state": "\ud800"}', b"", b"[" * 50_000],
)
def test_what_is_no_snapshot_at_all_is_refused(text):
    with pytest.raises(MotionError, match="snapshot"):
        Snapshot.from_json(text)


def test_a_log_does_not_grow_without_end():
    from mocapella.playback.modes import MOST_ENTRIES

    player = mo.Player(hybrid(), mode="change")
    state = player.snapshot().state.hybrid
    arc = hybrid().arc("walk-run")
    for time in range(MOST_ENTRIES):
        state = state.waiting_for(arc, float(time))
    assert len(state.log) == MOST_ENTRIES
    assert state.log[-1].time == MOST_ENTRIES - 1
