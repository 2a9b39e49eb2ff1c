"""Call the native core with wrong and random arguments: it refuses or does its work, and touches nothing else.

    python -m tests.crowd.abi [--cases N] [--seed S]

Meant for a build with AddressSanitizer and UBSan (``make sanitize``).
"""

from __future__ import annotations

import argparse
import ctypes

import numpy as np

from mocapella.crowd.crowd import Crowd
from mocapella.crowd.native import _NUMBERS, SETTINGS, _Call, _Step, native_library
from tests.seeds import add_seed

ODD = (-(2**31), -1, 0, 1, 2, 3, 7, 8, 31, 32, 33, 127, 128, 129, 255, 256, 4096, 2**20, 2**31 - 1)


def call(engine, tables, step, records, goals, rows, poses):
    n = len(rows)
    scratch = np.empty(max(6 * n, 1), dtype=np.float32)
    order = np.empty(n + 2 * len(engine.tables.triangles) + 2, dtype=np.int32)
    found = native_library()
    assert found is not None
    arrays = records, goals, rows, poses, scratch, order
    own = ctypes.addressof(tables), ctypes.addressof(step), *(array.ctypes.data for array in arrays)
    return found[1].crowd_run(ctypes.byref(_Call(*own, len(records), n, 1)))


def run(cases, network, seed=0):
    """How many cases were refused and how many done."""
    rng = np.random.default_rng(seed)
    crowd = Crowd(network, 37, seed=1, engine="native")
    engine, counts = crowd._parts[0].engine, {"refused": 0, "done": 0}
    assert engine._core.crowd_run(None) != 0
    for _ in range(cases):
        records, goals, poses = crowd._records.copy(), crowd._goals.copy(), crowd._poses.copy()
        rows = rng.permutation(37)[: rng.integers(0, 38)].astype(np.int32)
        tables = type(engine._packed).from_buffer_copy(engine._packed)
        step = _Step(1 / 60, 13.0, 0.8, 1e9, 0.4, engine.tables.n_harmonics, engine.tables.n_columns, 0.05, 3, 0.5)
        kind = rng.integers(0, 6)
        if kind == 0:
            setattr(tables, str(rng.choice(_NUMBERS)), int(rng.choice(ODD)))
        elif kind == 1:
            step.harmonics, step.columns = int(rng.choice(ODD)), int(rng.choice(ODD))
        elif kind == 2:  # states of any bits; rows of any numbers are refused
            records.view(np.uint32)[...] = rng.integers(0, 2**32, records.shape, dtype=np.uint32)
        elif kind == 3 and len(rows):
            rows[rng.integers(0, len(rows))] = rng.choice([-1, 37, 2**30])
        elif kind == 4:
            goals[...] = rng.choice([np.nan, np.inf, -np.inf, 1e30, 0.0], goals.shape)
        else:
            step.dt = float(rng.choice([np.nan, np.inf, -1.0, 0.0, 1e-9, 10.0, 1e8]))
            setattr(tables.set, str(rng.choice(SETTINGS)), float(rng.choice([0.0, -1.0, np.nan, np.inf, 1e30])))
        before = records.copy()
        wrong = call(engine, tables, step, records, goals, rows, poses)
        counts["refused" if wrong else "done"] += 1
        others = np.setdiff1d(np.arange(37), rows if not wrong else [])
        np.testing.assert_array_equal(records.view(np.int32)[others], before.view(np.int32)[others])
        np.testing.assert_array_equal(poses[others], crowd._poses[others])
    return counts


def main() -> None:
    """Print how many were refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=400)
    add_seed(parser)
    given = parser.parse_args()
    from tests.crowd.samples import walks

    print(f"seed {given.seed}", flush=True)
    counts = run(given.cases, walks(), given.seed)
    print(f"{counts['done']} calls done, {counts['refused']} refused, nothing else touched")


if __name__ == "__main__":
    main()
