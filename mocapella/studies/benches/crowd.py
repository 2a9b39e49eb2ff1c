"""Cost of a crowd's step per character, by engine, number of characters, harmonics and threads, beside peers.

Memory stands beside it, and which share of the machine's own arithmetic and bandwidth a step reaches.
"""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.detail import Level
from mocapella.crowd.native import native_library
from mocapella.crowd.state import N_WORDS
from mocapella.crowd.tables import CrowdTables
from mocapella.playback.player import Player
from mocapella.studies.benches import limits, outside
from mocapella.studies.benches.files import walk
from mocapella.studies.benches.measuring import Row, peak_bytes, processor_times
from mocapella.studies.benches.peers import forward_kinematics
from mocapella.studies.benches.player import walking_network
from mocapella.studies.benches.synthesis import TABLE_6_3

_ROUNDS = 15
_NODE_ROUNDS = 60  # a second of frames, in which Node compiles what it plays for good
_HARMONICS = (1, 2, 3, 5, 10, 20)
_LARGE = 10_000  # characters, at which engines and peers are compared
# ns a character, measured once on another machine: ozz-animation 0.15 samples three clips, blends, brings them into the
# model's space; with feet it bends both legs by its IK. three.js in Node 20 mixes three clips.
RECORDED = {"ozz": 2483.0, "ozz, feet": 3074.0, "three.js": 22300.0}
_OZZ_NOTE = "ozz-animation as recorded on another machine; make peers OZZ=… measures it here"
_MIXER_NOTE = "three.js as recorded on another machine: Node or three is not here"


def rows(*, quick: bool = False) -> list[Row]:
    """Nanoseconds a character; engines in turn, processor time, the fastest round."""
    network = walking_network()
    rounds = 2 if quick else _ROUNDS
    engines = ["numpy"] if native_library() is None else ["native", "numpy"]
    found = [
        *_size_rows(network, engines, rounds, quick=quick),
        _kinematics_row(network, 50 if quick else 1000, rounds),
    ]
    found += _node_rows(network, 20, 2) if quick else _node_rows(network, 1000, _NODE_ROUNDS)
    player = Player(network, point=(0.0, 1.2))
    points = np.random.default_rng(0).uniform((-0.3, 1.0), (0.3, 1.4), (64, 2))
    found.append(Row("a Player's step, point moving", 1e9 * _player_seconds(player, points, rounds), "ns"))
    found += _memory_rows(network, 100 if quick else _LARGE, engines[0])
    if "native" in engines:
        size = 200 if quick else _LARGE
        finest = network if quick else walking_network(max(_HARMONICS))
        found += _detail_rows(finest, size, rounds, _HARMONICS[:1] if quick else _HARMONICS)
        found += _limit_rows(network, size, rounds)
        found += _thread_rows(network, 4 * size, rounds)
    return found


def _size_rows(network: Network, engines: list[str], rounds: int, *, quick: bool) -> list[Row]:
    """From one character to many; at 10,000 beside ozz-animation."""
    found: list[Row] = []
    for size in (1, 100) if quick else (1, 100, 1_000, _LARGE, 100_000):
        used = [engine for engine in engines if size <= _LARGE or engine == "native"]
        crowds = {engine: Crowd(network, size, engine=engine, seed=1) for engine in used}
        theirs = outside.ozz(size, rounds) if size == _LARGE else {}
        for name, seconds in _fastest(crowds, rounds).items():
            title = f"{crowds[name].engine}, {size:,} characters, feet held"
            row = Row(title, 1e9 * seconds / size, "ns")
            found.append(beside_ozz(row, theirs, feet=name == "native") if size == _LARGE else row)
    return found


def beside_ozz(row: Row, theirs: dict[str, float], *, feet: bool) -> Row:
    """A row with the figures of ozz-animation of the same run; where there are none, with the recorded one.

    ``row`` is ns a character. ``theirs`` are as ``outside.ozz`` gives them. Its note says where a figure is recorded.
    """
    if theirs:
        return replace(row, peers={f"ozz-animation, {part}": value for part, value in theirs.items()})
    return replace(row, published=RECORDED["ozz, feet" if feet else "ozz"], note=_OZZ_NOTE)


def _kinematics_row(network: Network, n_poses: int, rounds: int) -> Row:
    """What upc-pymotion takes for the last part of a step alone: joints of poses that are there already."""
    clip = walk(n_poses)
    skeleton = clip.skeleton
    crowd = Crowd(network, n_poses, seed=1)
    parents = np.maximum(skeleton.parents, 0)
    peers = {
        name: lambda find=find: find(clip.rotations_wxyz, clip.root_positions, skeleton.offsets, parents)
        for name, find in forward_kinematics().items()
    }
    a_pose = 1e9 / n_poses
    theirs = {f"{name}, kinematics alone": a_pose * min(took) for name, took in processor_times(peers, rounds).items()}
    ours = _fastest({"": crowd}, rounds)[""] * a_pose
    return Row(f"{crowd.engine}, {n_poses:,} characters, all of a step", ours, "ns", peers=theirs)


def _node_rows(network: Network, count: int, rounds: int) -> list[Row]:
    """Our WebAssembly beside three.js' mixer, both in Node; what is not here is left out."""
    found = outside.in_node(network, count, rounds)
    if "wasm" not in found:
        return []
    what = f"in Node, {count:,} characters, feet held"
    recorded = None if "mixer" in found else RECORDED["three.js"]
    peers = {"three.js' mixer, no feet": found["mixer"]} if "mixer" in found else {}
    note = "" if "mixer" in found else _MIXER_NOTE
    timed = [Row(f"WebAssembly {what}", found["wasm"], "ns", published=recorded, peers=peers, note=note)]
    option = "; Node 20 needs an option for it" if "by_option" in found else ""
    if "relaxed" in found:
        title = f"WebAssembly with relaxed SIMD {what}"
        timed.append(Row(title, found["relaxed"], "ns", published=recorded, peers=peers, note=note or option[2:]))
    if "mixer" in found:
        best = found["mixer"] / found.get("relaxed", found["wasm"])
        told = f"relaxed SIMD{option}; plain SIMD: {found['mixer'] / found['wasm']:.1f} ×" if "relaxed" in found else ""
        timed.append(Row("three.js' mixer over our WebAssembly", best, "×", mark=20, note=told))
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

    found = [
        Row("state of a character", 4.0 * N_WORDS, "bytes", mark=96),
        Row("a character with its pose, most at once", peak_bytes(make) / size, "bytes"),
        Row(f"tables of a network of {len(network.nodes)} nodes", tables.n_bytes / 1e6, "MB", mark=1.0),
        Row(f"making the tables of {len(network.nodes)} nodes, processor time", making, "s"),
    ]
    if size >= _LARGE:
        many = _denser(network, 5)
        title = f"tables of a network of {len(many.nodes)} nodes"
        found.append(Row(title, CrowdTables.of(many).n_bytes / 1e6, "MB", mark=1.0))
    wheel = _wheel_bytes()
    return [*found, Row("mocapella-native as a wheel", wheel / 1e3, "kB", mark=300)] if wheel else found


def _denser(network: Network, side: int) -> Network:
    """A network of blends of another on a grid over all of it, so many along each axis."""
    axes = [np.linspace(low, high, side) for low, high in zip(*np.sort(network.points, axis=0)[[0, -1]], strict=True)]
    points = [(float(x), float(y)) for y in axes[1] for x in axes[0]]
    nodes = [Node(f"{x:.3f} {y:.3f}", (x, y), network.blend((x, y))) for x, y in points]
    squares = [side * j + i for j in range(side - 1) for i in range(side - 1)]
    triangles = [(k, k + 1, k + side + 1) for k in squares] + [(k, k + side + 1, k + side) for k in squares]
    return Network(nodes, triangles, rule=network.rule)


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
    found = []
    for count in harmonics:
        crowd = Crowd(network, size, engine="native", seed=1, detail=(Level(harmonics=count),))
        seconds = _fastest({"": crowd}, rounds)[""] / size
        joints = crowd.skeleton.n_joints
        found += [
            Row(f"native, harmonics: {count}", 1e9 * seconds, "ns"),
            Row(
                f"native, harmonics: {count}, a rotation angle",
                1e9 * seconds / (3 * joints),
                "ns a dof",
                published=sum(TABLE_6_3[count]),
                note="published: C, blend and synthesis of quaternions alone (table 6.3)",
            ),
        ]
    crowd = Crowd(network, size, engine="native", seed=1)
    crowd.resting[:] = True
    return [*found, Row("native, all resting", 1e9 * _fastest({"": crowd}, rounds)[""] / size, "ns")]


def _limit_rows(network: Network, size: int, rounds: int) -> list[Row]:
    """The share of the machine's arithmetic and bandwidth that one thread reaches, by the least work of a step."""
    crowd = Crowd(network, size, engine="native", seed=1)
    seconds = _fastest({"": crowd}, rounds)[""] / size
    most, copied = limits.flops(rounds), limits.bandwidth(rounds)
    _, parts, columns = crowd.tables.coefficients.shape
    # The three nodes' coefficients times weights and phases; the state read and written, the matrices written.
    work, moved = 2.0 * 3 * parts * columns, 2.0 * 4 * N_WORDS + 48.0 * crowd.skeleton.n_joints
    return [
        Row("this machine: product of matrices, one core", most / 1e9, "Gflop/s"),
        Row("this machine: copy of memory, one core", copied / 1e9, "GB/s"),
        Row("native: synthesis alone, share of that arithmetic", 100.0 * work / seconds / most, "%"),
        Row("native: state and matrices, share of that bandwidth", 100.0 * moved / seconds / copied, "%"),
    ]


def _thread_rows(network: Network, size: int, rounds: int) -> list[Row]:
    """Wall time by threads, and how far arithmetic alone gains by as many: hyperthreads are no cores."""
    cores = os.cpu_count() or 1
    counts = sorted({1, cores, *(2**k for k in range(1, cores.bit_length()) if 2**k < cores)})
    crowds = {str(n): Crowd(network, size, engine="native", seed=1, threads=n) for n in counts}
    best = _fastest(crowds, rounds, clock=time.perf_counter)
    found = []
    for name, seconds in best.items():
        found.append(Row(f"native, threads: {name}, wall time", 1e9 * seconds / size, "ns"))
        if name != "1":
            found += [
                Row(f"native, threads: {name}, gain over one", best["1"] / seconds, "×"),
                Row(
                    f"arithmetic alone, threads: {name}, gain over one", limits.arithmetic_gain(int(name), rounds), "×"
                ),
            ]
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
