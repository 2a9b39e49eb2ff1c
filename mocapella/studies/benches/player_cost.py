"""Cost of a player's steps, foot slip, and distance from a path that is followed.

Run as a program it prints wall and processor times of every round of steps as JSON. The bench runs it so, in a process
that keeps numpy to one thread: products of this size gain nothing by more. Processor time stands beside wall time, so
that other work of the machine does not count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.errors import MotionError
from mocapella.gait.root_motion import played_rates
from mocapella.measure.footskate import footing
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.playback.native.native_character import Engine
from mocapella.playback.native.player_core import player_core
from mocapella.playback.player import Player
from mocapella.playback.record import record, record_with_contacts
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower
from mocapella.steering.path import Path
from mocapella.studies.benches.measuring import Row

STEPS, ROUNDS, PLAYERS = 120, 40, 10  # steps of a round, rounds, and players that are stepped together
# µs of a step, targets of the NumPy engine; how many times faster the native one is to be.
AT_REST, MOVING = 150.0, 600.0
_TIMES = {"at rest": 8.0, "moving": 9.8}
_GUIDED = 50.0  # µs that a guide along a path takes of a frame
_SHARE = 5.0  # per cent of a core that ten steered players may take at 60 Hz


def rows(*, quick: bool = False) -> list[Row]:
    """Steps with the point at rest and moving, a recording, slip over the network, and unless quick a path."""
    network = walking_network()
    found = [*_step_rows(rounds=1 if quick else ROUNDS), *standing_rows("walking network", network, 1 if quick else 5)]
    if not quick:
        lateral, speed = _along_an_s(network)
        found.append(Row("S-shaped path, mean distance beside it", 100.0 * lateral, "cm"))
        found.append(Row("S-shaped path, speed over the one asked for", speed, "×"))
    return found


def standing_rows(title: str, network: Network, side: int = 5, *, most_push: float | None = None) -> list[Row]:
    """How feet stand at ``side`` times ``side`` points all over a network.

    With ``most_push``, m/s², also how its root is pushed about, as a multiple of that.
    """
    slips, depths, pushes = [], [], []
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    for x in np.linspace(low[0], high[0], side):
        for y in np.linspace(low[1], high[1], side):
            clip, contacts = record_with_contacts(Player(network, point=(x, y)), seconds=2.5, frame_rate=60)
            feet = footing(clip, contacts)
            slips.append(feet.slip_mm_max)
            depths.append(feet.penetration_mm_max)
            pushes.append(push(clip))
    found = [
        Row(f"{title}: slip per plant, most", max(slips), "mm"),
        Row(f"{title}: penetration, most", max(depths), "mm"),
    ]
    if most_push is not None:
        found.append(Row(f"{title}: root acceleration over the captures'", max(pushes) / most_push, "×"))
    return found


def push(clip: Clip) -> float:
    """The greatest acceleration of the root, m/s²."""
    return float(np.linalg.norm(np.diff(clip.root_positions, 2, axis=0), axis=1).max() * clip.frame_rate**2)


def _s_shaped() -> Path:
    """A path of two half circles."""
    radius = 3.0
    angles = np.linspace(0.0, np.pi, 9)
    first = [(radius - radius * np.cos(a), radius * np.sin(a)) for a in angles]
    second = [(3.0 * radius - radius * np.cos(a), -radius * np.sin(a)) for a in angles[1:]]
    return Path.smooth(first + second)


def _along_an_s(network: Network) -> tuple[float, float]:
    """Mean distance beside a path of two half circles, metres, and the speed over that asked for."""
    path = _s_shaped()
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


def walking_network(harmonics: int = 10) -> Network:
    """Nine walks of the actor, laid out by turn rate and speed."""
    paces = [(turn, speed) for speed in (0.8, 1.25, 1.7) for turn in (-0.6, 0.0, 0.6)]
    clips = [perform("walk", speed=speed, turn=turn)[0].renamed(f"{turn} {speed}") for turn, speed in paces]
    return laid_out(synchronise([prepare(clip) for clip in clips]), harmonics)


def laid_out(cycles: list[Cycle], harmonics: int = 10) -> Network:
    """Cycles as nodes: turn rate to the right, speed upwards."""
    return Network([Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=harmonics)) for c in cycles])


def _step_rows(*, rounds: int = ROUNDS) -> list[Row]:
    """What steps cost, as a process of their own measures it."""
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    words = [sys.executable, "-P", "-m", "mocapella.studies.benches.player_cost", str(rounds)]
    run = subprocess.run(words, env=os.environ | one_thread, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        reason = (run.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise MotionError(f"steps are timed in a process of their own, which failed: {reason}")
    found = []
    times = json.loads(run.stdout)
    for name, (mark, wall, processor) in times.items():
        for label, own in (("processor", processor), ("wall", wall)):
            found.append(Row(f"{name}: {label} time, fastest", 1e6 * min(own), "µs", mark=mark))
            found.append(Row(f"{name}: {label} time, median", 1e6 * float(np.median(own)), "µs", mark=mark))
    return [*found, *_engine_rows({name: min(processor) for name, (_, _, processor) in times.items()})]


def _engine_rows(fastest: dict[str, float]) -> list[Row]:
    """How many times faster the native engine is, and what ten players take of a core; nothing where it is not."""

    def timed_as(words: str) -> float | None:
        return next((seconds for name, seconds in fastest.items() if words in name), None)

    found = []
    for kind, mark in _TIMES.items():
        numpy, native = (timed_as(f"{engine}: step, point {kind}") for engine in ("numpy", "native"))
        if numpy is not None and native is not None:
            found.append(Row(f"NumPy's time over the native, point {kind}", numpy / native, "×", mark=mark))
    if (steered := timed_as("native: ten players")) is not None:
        found.append(Row("native: ten steered players at 60 Hz, share of a core", 6000.0 * steered, "%", mark=_SHARE))
    return found


def engines() -> tuple[Engine, ...]:
    """The engines that players have here."""
    return ("numpy",) if player_core() is None else ("numpy", "native")


_Kinds = dict[str, tuple[float | None, Callable[[], tuple[float, float] | None]]]  # marks, and what is run


def _kinds(network: Network, engine: Engine) -> _Kinds:
    """What is timed of an engine, each with its mark: as many steps as ``STEPS`` of one player, or of ten together."""
    resting, moving = (Player(network, point=(x, 1.2), engine=engine) for x in (0.1, 0.0))
    others = [Player(network, point=(0.03 * i, 1.2), engine=engine, phase=0.6 * i) for i in range(PLAYERS)]

    def rest() -> None:
        for _ in range(STEPS):
            resting.step(1 / 60)

    def move() -> None:
        for i in range(STEPS):
            moving.point = (0.4 * np.sin(i / 9), 1.2 + 0.3 * np.cos(i / 7))
            moving.step(1 / 60)

    def ten() -> None:
        for i in range(STEPS):
            for k, player in enumerate(others):
                player.point = (0.4 * np.sin(i / 9 + k), 1.2 + 0.3 * np.cos(i / 7 + k))
                player.step(1 / 60)

    def recorded() -> None:
        record(Player(network, point=(0.1, 1.2), engine=engine), seconds=STEPS / 60, frame_rate=60)

    path, rates = _s_shaped(), Calibration(network, measure=played_rates)

    def guided() -> tuple[float, float]:
        """Wall and processor seconds of the guide alone."""
        player = Player(network, point=(0.0, 1.2), heading=path.heading(0.0), engine=engine)
        guide = Follower(path, rates, speed=1.2)
        guide.steer(player, 0.0)  # it plans its way
        wall = processor = 0.0
        for i in range(1, STEPS + 1):
            player.step(1 / 60)
            began, used = time.perf_counter(), time.process_time()
            point = guide.steer(player, i / 60)
            processor += time.process_time() - used
            wall += time.perf_counter() - began
            if point is not None:
                player.point = point
        return wall, processor

    joints = f"{resting.skeleton.n_joints} joints"
    marks = (AT_REST, MOVING) if engine == "numpy" else (None, None)
    kinds: _Kinds = {
        f"{engine}: step, point at rest, {joints}": (marks[0], rest),
        f"{engine}: step, point moving, {joints}": (marks[1], move),
        f"{engine}: a frame of record": (None, recorded),
    }
    if engine == "numpy":
        return kinds
    return kinds | {
        f"{engine}: ten players steered, a step of all": (None, ten),
        f"{engine}: guide along a path, a frame": (_GUIDED, guided),
    }


def timed(rounds: int) -> dict[str, tuple[float | None, list[float], list[float]]]:
    """For each kind of step its mark, and wall and processor seconds of every round: the mean of the round's steps."""
    network = walking_network()
    kinds: _Kinds = {}
    for engine in engines():
        kinds |= _kinds(network, engine)
    times: dict[str, tuple[float | None, list[float], list[float]]]
    times = {name: (mark, [], []) for name, (mark, _) in kinds.items()}
    for _ in range(rounds):
        for name, (_, run) in kinds.items():
            wall, processor = time.perf_counter(), time.process_time()
            own = run() or (time.perf_counter() - wall, time.process_time() - processor)
            times[name][1].append(own[0] / STEPS)
            times[name][2].append(own[1] / STEPS)
    return times


if __name__ == "__main__":
    print(json.dumps(timed(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)))
