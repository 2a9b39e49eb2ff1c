"""Call the native player with wrong and random arguments: it refuses or does its work, and touches nothing else.

    python -m tests.playback.native.abi [--cases N] [--seed S]

Meant for a build with AddressSanitizer and UBSan (``make sanitize``).
"""

from __future__ import annotations

import argparse
import ctypes

import numpy as np

from mocapella.playback.native import player_core
from mocapella.playback.native.player_core import GAIT, HEADER, RECORD_SIZE, STATE_AT, STATE_SIZE
from mocapella.playback.player import Player
from mocapella.playback.settings import FEET_MODES
from tests.seeds import add_seed

ODD = (-(2**31), -1, 0, 1, 2, 3, 7, 8, 31, 32, 33, 127, 128, 129, 255, 256, 257, 2**20, 2**31 - 1)
ODD_NUMBERS = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e12, -1.0, 0.0, 1e-300, 0.5, 3.0, 1e9, -7.5)


def opened(network, **options):
    """A native character that has made a step, and the addresses that the core is called with."""
    player = Player(network, network.points.mean(axis=0), engine="native", **options)
    player.step(1 / 60)
    character = player._character
    return player, character, character.under(player._settings)._settings_at


def _odd_tables(rng, core, character):
    """Tables with one whole number, or one of a leg, exchanged: they are refused, or a record of their own steps."""
    own = character._tables
    tables = player_core.Tables.from_buffer_copy(own.packed)
    if rng.random() < 0.3:
        name = str(rng.choice(["n", "hip", "knee", "toe"]))
        setattr(tables.leg[int(rng.integers(0, 2))], name, int(rng.choice(ODD)))
    elif rng.random() < 0.2:
        tables.size[int(rng.integers(0, len(player_core.ARRAYS)))] = int(rng.choice([-1, 0, 1, 5]))
    else:
        setattr(tables, str(rng.choice(player_core.WHOLE_NUMBERS)), int(rng.choice(ODD)))
    room = core.player_room(ctypes.addressof(tables))
    assert (room > 0) == (core.player_check(ctypes.addressof(tables)) == 0)
    if room < 0:
        return tables, None
    record = np.zeros(-(-room // 8) + 8)
    assert core.player_open(ctypes.addressof(tables), record.ctypes.data, room - 8) < 0
    assert core.player_open(ctypes.addressof(tables), record.ctypes.data, room) == 0
    state = slice(STATE_AT, STATE_AT + STATE_SIZE)
    record[state] = character._numbers[state]
    return tables, record


def run(cases, network, seed=0):
    """How many cases were refused, left to Python, and done."""
    rng, core = np.random.default_rng(seed), player_core.player_core()
    assert core is not None
    kinds = [opened(network, feet=feet) for feet in FEET_MODES]
    counts = {"refused": 0, "left": 0, "done": 0}
    answer_room = np.arange(64.0)
    for _ in range(cases):
        _, character, settings = kinds[int(rng.integers(0, 3))]
        given = np.array(np.ctypeslib.as_array((ctypes.c_double * len(player_core.SETTINGS)).from_address(settings)))
        record, tables, dt = (
            character._numbers.copy(),
            character._tables.packed,
            float(rng.choice([0.0, 1 / 60, 0.3, 40.0])),
        )
        state, gait = record[STATE_AT : STATE_AT + STATE_SIZE], record[GAIT["ready"].start : RECORD_SIZE]
        kind = int(rng.integers(0, 8))
        some = rng.integers(0, STATE_SIZE, rng.integers(1, 4))
        if kind == 0:
            tables, own = _odd_tables(rng, core, character)
            if own is None:
                counts["refused"] += 1
                continue
            record = own
        elif kind == 1:
            state[some] = rng.choice(ODD_NUMBERS, len(some))
        elif kind == 2:
            state.view(np.uint64)[some] = rng.integers(0, 2**64, len(some), dtype=np.uint64)
        elif kind == 3:
            at = rng.integers(0, len(gait), rng.integers(1, 9))
            gait[at] = rng.choice(ODD_NUMBERS, len(at))
        elif kind == 4:
            given[rng.integers(0, len(given), 2)] = rng.choice(ODD_NUMBERS, 2)
            gait[0] = 0.0
        elif kind == 5:
            dt = float(rng.choice(ODD_NUMBERS))
        elif kind == 6:
            record[HEADER["n_triggers"]] = rng.choice(ODD_NUMBERS)
            record[HEADER["trigger"]] = rng.choice(ODD_NUMBERS, player_core.TRIGGERS)
        else:
            state[:6] = rng.choice(ODD_NUMBERS, 6)  # a point and a goal anywhere
        guard = np.arange(64.0)
        whole = np.concatenate([record, guard])
        before = whole.copy()
        address = ctypes.addressof(tables)
        if kind != 0:
            whole[HEADER["opened"]].view(np.uint64)[0] = address
        answer = core.player_step(address, given.ctypes.data, whole.ctypes.data, dt)
        counts["refused" if answer < 0 else "left" if answer else "done"] += 1
        np.testing.assert_array_equal(whole[-64:], guard)
        if answer:
            same = whole[STATE_AT : STATE_AT + STATE_SIZE].view(np.uint64)
            np.testing.assert_array_equal(same, before[STATE_AT : STATE_AT + STATE_SIZE].view(np.uint64))
        core.player_send(address, whole.ctypes.data, *(float(x) for x in rng.choice(ODD_NUMBERS, 2)))
        core.player_ready(address, given.ctypes.data, whole.ctypes.data)
        core.player_course(address, whole.ctypes.data, answer_room.ctypes.data)
        np.testing.assert_array_equal(answer_room[4:], guard[4:])
    for wrong in ((None, settings, character._record), (address, None, character._record), (address, settings, None)):
        assert core.player_step(*wrong, 0.1) < 0
    unopened = np.zeros_like(character._numbers)
    assert core.player_step(address, settings, unopened.ctypes.data, 0.1) < 0
    return counts


def main() -> None:
    """Print how many were refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    add_seed(parser)
    given = parser.parse_args()
    from tests.crowd.samples import walks

    print(f"seed {given.seed}", flush=True)
    counts = run(given.cases, walks(), given.seed)
    done, left, refused = (counts[name] for name in ("done", "left", "refused"))
    print(f"{done} steps done, {left} left to Python, {refused} refused, nothing else touched")


if __name__ == "__main__":
    main()
