"""What a step of a crowd costs a character, by engine, number of characters, harmonics and threads, and its memory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np

from mocapella.crowd.crowd import Crowd
from mocapella.crowd.detail import Level
from mocapella.crowd.native import native_library
from mocapella.crowd.state import N_WORDS
from mocapella.playback.player import Player
from mocapella.studies.benches.measuring import Row
from mocapella.studies.benches.player import walking_network

_ROUNDS = 15
# Measured on another machine, with feet: ozz-animation samples three clips, blends, and bends both legs by its foot IK.
_OZZ_FEET, _OZZ = 3074.0, 2483.0
_NOTE = "ozz-animation 0.15, three clips blended: 2,483 ns; with foot IK 3,074 (another run, another machine)"


def rows(*, quick: bool = False) -> list[Row]:
    """Nanoseconds a character; engines in turn, processor time, the fastest round."""
    network = walking_network()
    rounds = 2 if quick else _ROUNDS
    engines = ["numpy"] if native_library() is None else ["native", "numpy"]
    found: list[Row] = []
    sizes = (1, 100) if quick else (1, 100, 1_000, 10_000, 100_000)
    for size in sizes:
        used = [engine for engine in engines if size <= 10_000 or engine == "native"]
        crowds = {engine: Crowd(network, size, engine=engine, seed=1) for engine in used}
        for name, seconds in _fastest(crowds, rounds).items():
            title = f"{crowds[name].engine}, {size:,} characters, feet held"
            published = None if size != 10_000 else _OZZ_FEET if name == "native" else _OZZ
            found.append(Row(title, 1e9 * seconds / size, "ns", published=published, note=_NOTE if published else ""))
    player = Player(network, point=(0.0, 1.2))
    points = np.random.default_rng(0).uniform((-0.3, 1.0), (0.3, 1.4), (64, 2))
    found.append(Row("a Player's step, point moving", 1e9 * _player_seconds(player, points, rounds), "ns"))
    if quick or "native" not in engines:
        return found
    size = 10_000
    for count in (1, 3, 5, 8):
        crowd = Crowd(network, size, engine="native", seed=1, detail=(Level(harmonics=count),))
        found.append(Row(f"native, {count} harmonics", 1e9 * _fastest({"": crowd}, rounds)[""] / size, "ns"))
    crowd = Crowd(network, size, engine="native", seed=1)
    crowd.resting[:] = True
    found.append(Row("native, all resting", 1e9 * _fastest({"": crowd}, rounds)[""] / size, "ns"))
    for threads in sorted({1, 2, os.cpu_count() or 1}):
        crowd = Crowd(network, 4 * size, engine="native", seed=1, threads=threads)
        seconds = _fastest({"": crowd}, rounds, clock=time.perf_counter)[""]
        found.append(Row(f"native, {threads} threads, wall time", 1e9 * seconds / len(crowd), "ns"))
    found.append(Row("state of a character", 4.0 * N_WORDS, "bytes", mark=96))
    found.append(Row(f"tables of a network of {len(network.nodes)} nodes", crowd.tables.n_bytes / 1e6, "MB", mark=1.0))
    return found


def _fastest(crowds: dict[str, Crowd], rounds: int, clock: Callable[[], float] = time.thread_time) -> dict[str, float]:
    """Seconds of the fastest step of each crowd, all in turn; points are sent elsewhere all the time."""
    rng = np.random.default_rng(2)
    best = dict.fromkeys(crowds, float("inf"))
    for number in range(rounds):
        for name, crowd in crowds.items():
            if number % 5 == 0:
                low, high = crowd.points.min(axis=0), crowd.points.max(axis=0)
                crowd.points[...] = rng.uniform(low, high + 1e-9, crowd.points.shape)
            for _ in range(max(1, 200 // len(crowd))):
                began = clock()
                crowd.step(1.0 / 60.0)
                best[name] = min(best[name], clock() - began)
    return best


def _player_seconds(player: Player, points: np.ndarray, rounds: int) -> float:
    times = []
    for number in range(8 * rounds):
        player.point = tuple(points[number % len(points)].tolist())
        began = time.thread_time()
        player.step(1.0 / 60.0)
        times.append(time.thread_time() - began)
    return min(times)
