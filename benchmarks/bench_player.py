"""What a step of a player costs, and how well its feet stand: ``python -m benchmarks player``.

Steps are timed in a process of their own that keeps numpy to one thread: products of this size gain nothing by more.
Processor time stands beside wall time, so that what else a machine does decides nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings

import numpy as np

from benchmarks.captures import data_folder
from benchmarks.measuring import Row
from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.calibrated import Calibration
from mocapella.blending.network import Network, Node
from mocapella.files.formats import load
from mocapella.measure.slip import footing
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.playback.path import Path
from mocapella.playback.player import Player
from mocapella.playback.record import record, record_with_contacts
from mocapella.playback.steer import Follower, played_rates

STEPS, ROUNDS = 120, 40
WALKS = ("15", "11", "13", "17", "19", "21", "23", "25", "27", "29", "47")  # of CMU's subject 16
RUNS = ("35", "37", "39", "41", "43", "45", "48", "49")


def walking_network() -> Network:
    """Nine walks of the actor, laid out by turn rate and speed."""
    paces = [(turn, speed) for speed in (0.8, 1.25, 1.7) for turn in (-0.6, 0.0, 0.6)]
    clips = [perform("walk", speed=speed, turn=turn)[0].renamed(f"{turn} {speed}") for turn, speed in paces]
    return _laid_out(synchronise([prepare(clip) for clip in clips]))


def _laid_out(cycles: list[Cycle]) -> Network:
    return Network([Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=10)) for c in cycles])


def rows() -> list[Row]:
    """A step at rest and under way, a recording, slip over the network, and a path."""
    network = walking_network()
    slips, depths, _ = _standing(network)
    lateral, speed = _along_an_s(network)
    return [
        *_costs(),
        Row("slip per plant, most over the network", max(slips), "mm"),
        Row("penetration, most over the network", max(depths), "mm"),
        Row("S-shaped path, mean distance beside it", 100.0 * lateral, "cm"),
        Row("S-shaped path, speed over the one asked for", speed, "×"),
        *_captured("walking", WALKS),
        *_captured("running", RUNS),
    ]


def _costs() -> list[Row]:
    """What steps cost, as a process of their own measures it."""
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_player"], env=os.environ | one, capture_output=True, check=True
    )
    found = []
    for name, (wall, processor) in json.loads(run.stdout).items():
        for label, times in (("processor", processor), ("wall", wall)):
            found.append(Row(f"{name}: {label} time, fastest", 1e6 * min(times), "µs"))
            found.append(Row(f"{name}: {label} time, median", 1e6 * float(np.median(times)), "µs"))
    return found


def timed() -> dict[str, tuple[list[float], list[float]]]:
    """Wall and processor seconds for each kind of step, of every round: the mean of the round's steps."""
    network = walking_network()
    resting, moving = Player(network, point=(0.1, 1.2)), Player(network, point=(0.0, 1.2))

    def rest() -> None:
        for _ in range(STEPS):
            resting.step(1 / 60)

    def move() -> None:
        for i in range(STEPS):
            moving.point = (0.4 * np.sin(i / 9), 1.2 + 0.3 * np.cos(i / 7))
            moving.step(1 / 60)

    def recorded() -> None:
        record(Player(network, point=(0.1, 1.2)), seconds=STEPS / 60, frame_rate=60)

    joints = f"{resting.skeleton.n_joints} joints"
    kinds = {
        f"step, point at rest, {joints} (mark 150)": rest,
        f"step, point moving, {joints} (mark 600)": move,
        "a frame of record": recorded,
    }
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in kinds}
    for _ in range(ROUNDS):
        for name, run in kinds.items():
            wall, processor = time.perf_counter(), time.process_time()
            run()
            times[name][0].append((time.perf_counter() - wall) / STEPS)
            times[name][1].append((time.process_time() - processor) / STEPS)
    return times


def _captured(kind: str, names: tuple[str, ...]) -> list[Row]:
    """How a network of real captures stands, and how its root is pushed about, against the captures themselves."""
    folder = data_folder()
    if folder is None:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clips = [load(folder / "cmu-bvh" / "16" / f"16_{name}.bvh") for name in names]
        cycles = synchronise([prepare(clip) for clip in clips])
    network = _laid_out(cycles)
    slips, depths, pushes = _standing(network)
    most = max(_push(cycle.to_clip(2).resampled(60.0)) for cycle in cycles)
    return [
        Row(f"CMU 16, {kind} network: slip per plant, most", max(slips), "mm"),
        Row(f"CMU 16, {kind} network: penetration, most", max(depths), "mm"),
        Row(f"CMU 16, {kind} network: root acceleration over the captures'", max(pushes) / most, "×"),
    ]


def _push(clip: Clip) -> float:
    """The greatest acceleration of the root, m/s²."""
    return float(np.linalg.norm(np.diff(clip.root_positions, 2, axis=0), axis=1).max() * clip.frame_rate**2)


def _standing(network: Network) -> tuple[list[float], list[float], list[float]]:
    """Slips, penetrations (mm) and root accelerations (m/s²) at points all over a network."""
    slips, depths, pushes = [], [], []
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    for x in np.linspace(low[0], high[0], 5):
        for y in np.linspace(low[1], high[1], 5):
            clip, contacts = record_with_contacts(Player(network, point=(x, y)), seconds=2.5, frame_rate=60)
            feet = footing(clip, contacts)
            slips.append(feet.slip_mm_max)
            depths.append(feet.penetration_mm_max)
            pushes.append(_push(clip))
    return slips, depths, pushes


def _along_an_s(network: Network) -> tuple[float, float]:
    angles = np.linspace(0.0, np.pi, 9)
    first = [(3.0 - 3.0 * np.cos(a), 3.0 * np.sin(a)) for a in angles]
    second = [(9.0 - 3.0 * np.cos(a), -3.0 * np.sin(a)) for a in angles[1:]]
    path = Path.of(first + second)
    guide = Follower(path, Calibration(network, measure=played_rates), speed=1.2)
    player = Player(network, point=(0.0, 1.2), heading=path.heading(0.0))
    sides, steps = [], 0
    while not guide.done and steps < 3600:
        point = guide.steer(player, steps / 60)
        if point is not None:
            player.point = point
        player.step(1 / 60)
        sides.append(abs(guide.side))
        steps += 1
    return float(np.mean(sides)), path.length / (steps / 60) / 1.2


if __name__ == "__main__":
    print(json.dumps(timed()))
