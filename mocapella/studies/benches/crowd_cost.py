"""Cost of a crowd's step per character, by engine, number of characters, harmonics and threads; and its memory."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TypeVar

import numpy as np

from mocapella.blending.network import Network
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.detail import Level
from mocapella.crowd.native import native_library
from mocapella.crowd.state import N_WORDS
from mocapella.crowd.tables import CrowdTables
from mocapella.playback.player import Player
from mocapella.studies.benches.measuring import Row, peak_bytes
from mocapella.studies.benches.player_cost import walking_network
from mocapella.studies.synthesis_tables import TABLE_6_3

ROUNDS = 15  # of which the fastest counts
LARGE = 10_000  # characters, at which engines and peers are compared
_HARMONICS = (1, 2, 3, 5, 10, 20)  # those of table 6.3, but for 4

_Name = TypeVar("_Name")


def rows(*, quick: bool = False) -> list[Row]:
    """Nanoseconds a character; engines in turn, processor time, the fastest round."""
    network = walking_network()
    rounds = 2 if quick else ROUNDS
    engines = ["numpy"] if native_library() is None else ["native", "numpy"]
    sizes = (1, 100) if quick else (1, 100, 1_000, LARGE, 100_000)
    timed = _size_rows(network, engines, sizes, rounds)
    player = Player(network, point=(0.0, 1.2))
    points = np.random.default_rng(0).uniform((-0.3, 1.0), (0.3, 1.4), (64, 2))
    timed.append(Row("a Player's step, point moving", 1e9 * _player_seconds(player, points, rounds), "ns"))
    timed += _memory_rows(network, 100 if quick else LARGE, engines[0])
    if "native" in engines:
        size = 200 if quick else LARGE
        finest = network if quick else walking_network(max(_HARMONICS))
        timed += _detail_rows(finest, size, rounds, _HARMONICS[:1] if quick else _HARMONICS)
        timed += _thread_rows(network, 4 * size, rounds)
    return timed


def _size_rows(network: Network, engines: list[str], sizes: tuple[int, ...], rounds: int) -> list[Row]:
    """From one character to many; NumPy up to ``LARGE``."""
    timed: list[Row] = []
    for size in sizes:
        used = [engine for engine in engines if size <= LARGE or engine == "native"]
        crowds = {engine: Crowd(network, size, engine=engine, seed=1) for engine in used}
        for name, seconds in fastest_steps(crowds, rounds).items():
            title = f"{crowds[name].engine}, {size:,} characters, feet held"
            timed.append(Row(title, 1e9 * seconds / size, "ns"))
    return timed


def _memory_rows(network: Network, size: int, engine: str) -> list[Row]:
    """Bytes of a character and of a network, what its tables take to make, and bytes of the native wheel."""
    tables = Crowd(network, 1, engine=engine).tables
    start = time.process_time()
    CrowdTables.of(Network(network.nodes))  # one whose tables are not known yet
    making = time.process_time() - start
    crowds: list[Crowd] = []

    def make() -> None:
        crowds.append(Crowd(network, size, engine=engine, seed=1))
        crowds[0].step(1.0 / 60.0)
        crowds[0].poses()

    sizes = [
        Row("state of a character", 4.0 * N_WORDS, "bytes", mark=96),
        Row("a character with its pose, most at once", peak_bytes(make) / size, "bytes"),
        Row(f"tables of a network of {len(network.nodes)} nodes", tables.n_bytes / 1e6, "MB", mark=1.0),
        Row(f"making the tables of {len(network.nodes)} nodes, processor time", making, "s"),
    ]
    wheel = _wheel_bytes()
    return [*sizes, Row("mocapella-native as a wheel", wheel / 1e3, "kB", mark=300)] if wheel else sizes


def _wheel_bytes() -> int:
    """Bytes of the installed files of the native package, packed as wheels are; 0 where it is not installed."""
    try:
        files = metadata.distribution("mocapella-native").files or []
    except metadata.PackageNotFoundError:
        return 0
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            if file.suffix != ".pyc" and Path(str(file.locate())).is_file():
                archive.writestr(str(file), file.read_binary())
    return packed.tell()


def _detail_rows(network: Network, size: int, rounds: int, harmonics: tuple[int, ...]) -> list[Row]:
    """By harmonics, beside the published figures of C programs; and at rest."""
    timed = []
    for count in harmonics:
        crowd = Crowd(network, size, engine="native", seed=1, detail=(Level(harmonics=count),))
        seconds = fastest_steps({"": crowd}, rounds)[""] / size
        title, angle = f"native, harmonics: {count}", 1e9 * seconds / (3 * crowd.skeleton.n_joints)
        note = "published: C, blend and synthesis of quaternions alone (table 6.3)"
        timed += [
            Row(title, 1e9 * seconds, "ns"),
            Row(f"{title}, a rotation angle", angle, "ns a dof", published=sum(TABLE_6_3[count]), note=note),
        ]
    crowd = Crowd(network, size, engine="native", seed=1)
    crowd.resting[:] = True
    return [*timed, Row("native, all resting", 1e9 * fastest_steps({"": crowd}, rounds)[""] / size, "ns")]


def thread_counts() -> list[int]:
    """Numbers of threads to measure: 1, powers of two, and as many as there are cores."""
    cores = os.cpu_count() or 1
    return sorted({1, cores, *(2**k for k in range(1, cores.bit_length()) if 2**k < cores)})


def _thread_rows(network: Network, size: int, rounds: int) -> list[Row]:
    """Wall time by threads, and the gain over one."""
    crowds = {n: Crowd(network, size, engine="native", seed=1, threads=n) for n in thread_counts()}
    best = fastest_steps(crowds, rounds, clock=time.perf_counter)
    timed = []
    for n, seconds in best.items():
        timed.append(Row(f"native, threads: {n}, wall time", 1e9 * seconds / size, "ns"))
        if n != 1:
            timed.append(Row(f"native, threads: {n}, gain over one", best[1] / seconds, "×"))
    return timed


def fastest_steps(
    crowds: dict[_Name, Crowd], rounds: int, clock: Callable[[], float] = time.thread_time
) -> dict[_Name, float]:
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
