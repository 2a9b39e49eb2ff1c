"""``mocapella bench crowd`` of a source checkout: with peers, and with the limits of the machine.

ozz-animation and three.js are programs of their own (``outside.py``); limits are the arithmetic and the bandwidth of
which a step reaches a share.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.benches import limits, outside
from benchmarks.benches.kinematics import forward_kinematics
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.native import native_library
from mocapella.crowd.state import N_WORDS
from mocapella.crowd.tables import CrowdTables
from mocapella.studies.benches import crowd_cost
from mocapella.studies.benches.crowd_cost import LARGE, ROUNDS, fastest_steps, thread_counts
from mocapella.studies.benches.file_cost import walk
from mocapella.studies.benches.measuring import Row, processor_times
from mocapella.studies.benches.player_cost import walking_network

_NODE_ROUNDS = 60  # a second of frames, in which Node compiles what it plays for good
# ns a character, measured once on another machine: ozz-animation 0.15 samples three clips, blends, brings them into the
# model's space; with feet it bends both legs by its IK. three.js in Node 20 mixes three clips.
RECORDED = {"ozz": 2483.0, "ozz, feet": 3074.0, "three.js": 22300.0}
_OZZ_NOTE = "ozz-animation as recorded on another machine; make peers OZZ=… measures it here"
_MIXER_NOTE = "three.js as recorded on another machine: Node or three is not here"


def rows(*, quick: bool = False) -> list[Row]:
    """The rows of the installed bench, those at 10,000 characters beside ozz-animation, and then the further ones."""
    rounds = 2 if quick else ROUNDS
    theirs = {} if quick else outside.ozz(LARGE, rounds)
    timed = [
        beside_ozz(row, theirs, feet=row.name.startswith("native")) if f" {LARGE:,} characters" in row.name else row
        for row in crowd_cost.rows(quick=quick)
    ]
    network = walking_network()
    timed.append(_kinematics_row(network, 50 if quick else 1000, rounds))
    timed += _node_rows(network, 20, 2) if quick else _node_rows(network, 1000, _NODE_ROUNDS)
    if not quick:
        many = _denser(network, 5)
        title = f"tables of a network of {len(many.nodes)} nodes"
        timed.append(Row(title, CrowdTables.of(many).n_bytes / 1e6, "MB", mark=1.0))
    if native_library() is not None:
        timed += _limit_rows(network, 200 if quick else LARGE, rounds)
    return timed


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
    ours = fastest_steps({"": crowd}, rounds)[""] * a_pose
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


def _denser(network: Network, side: int) -> Network:
    """A network of blends of another on a grid over all of it, so many along each axis."""
    axes = [np.linspace(low, high, side) for low, high in zip(*np.sort(network.points, axis=0)[[0, -1]], strict=True)]
    points = [(float(x), float(y)) for y in axes[1] for x in axes[0]]
    nodes = [Node(f"{x:.3f} {y:.3f}", (x, y), network.blend((x, y))) for x, y in points]
    squares = [side * j + i for j in range(side - 1) for i in range(side - 1)]
    triangles = [(k, k + 1, k + side + 1) for k in squares] + [(k, k + side + 1, k + side) for k in squares]
    return Network(nodes, triangles, rule=network.rule)


def _limit_rows(network: Network, size: int, rounds: int) -> list[Row]:
    """The share of the machine's arithmetic and bandwidth that one thread reaches, and what threads gain."""
    crowd = Crowd(network, size, engine="native", seed=1)
    seconds = fastest_steps({"": crowd}, rounds)[""] / size
    most, copied = limits.flops(rounds), limits.bandwidth(rounds)
    _, parts, columns = crowd.tables.coefficients.shape
    # The three nodes' coefficients times weights and phases; the state read and written, the matrices written.
    work, moved = 2.0 * 3 * parts * columns, 2.0 * 4 * N_WORDS + 48.0 * crowd.skeleton.n_joints
    return [
        Row("this machine: product of matrices, one core", most / 1e9, "Gflop/s"),
        Row("this machine: copy of memory, one core", copied / 1e9, "GB/s"),
        Row("native: synthesis alone, share of that arithmetic", 100.0 * work / seconds / most, "%"),
        Row("native: state and matrices, share of that bandwidth", 100.0 * moved / seconds / copied, "%"),
        *(  # hyperthreads are no cores
            Row(f"arithmetic alone, threads: {n}, gain over one", limits.arithmetic_gain(n, rounds), "×")
            for n in thread_counts()[1:]
        ),
    ]
