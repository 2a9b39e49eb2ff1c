"""Faults planted in one motion of a network, and how many of them the check of ``build`` finds.

The motion is spoiled before the network is laid out, as a cycle that somebody prepared, so that nothing keeps it out.
Faults that building mends, because the motion is thinned away or averaged with other takes, are not counted.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import mocapella as mo
from mocapella.actor import perform
from mocapella.building.layout.steps import Built, LayoutOptions, built_as_played, lay_out
from mocapella.building.sources import gather
from mocapella.gait.root_motion import played_rates
from mocapella.geometry import quaternions as q
from mocapella.measure.check import Check, check_network
from mocapella.motion.contacts import FOOT_POINTS, Contacts, CycleContacts, round_cycle
from mocapella.motion.kinematics import forward, without_heading
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, N_ROOT_DOFS
from mocapella.motion.travel import stands
from mocapella.rig.legs import leg_length, leg_roles
from mocapella.rig.roles import find_roles

SUBJECTS = ("07", "08", "16", "35", "69", "104", "127", "137")
SPOILED = 3  # motions of each folder
LIFT = 0.1 / 0.85  # leg lengths: 10 cm of a grown-up
Spoil = Callable[[mo.Cycle], mo.Cycle]


def _root(cycle: mo.Cycle, change: Callable[[np.ndarray], None]) -> mo.Cycle:
    dofs = np.array(cycle.dofs)
    change(dofs[:, -N_ROOT_DOFS:])
    return replace(cycle, dofs=dofs)


def _travel(cycle: mo.Cycle, by: complex) -> mo.Cycle:
    def change(root: np.ndarray) -> None:
        velocities = (root[:, AHEAD] + 1j * root[:, LEFT]) * by
        root[:, AHEAD], root[:, LEFT] = velocities.real, velocities.imag

    return _root(cycle, change)


def _lifted(cycle: mo.Cycle, legs: float) -> mo.Cycle:
    def change(root: np.ndarray) -> None:
        root[:, HEIGHT] += legs * leg_length(cycle.skeleton, leg_roles(cycle.skeleton))

    return _root(cycle, change)


def _bent(cycle: mo.Cycle, bends: dict[str, float], frames: slice = slice(None)) -> mo.Cycle:
    """Joints turned about the body's left, in degrees by role; the root's role is hips."""
    rotations, roles = cycle.rotations_wxyz.copy(), find_roles(cycle.skeleton)
    for role, degrees in bends.items():
        turn = q.from_rotvec(np.array([math.radians(degrees), 0.0, 0.0]))
        joint = 0 if role == "hips" else roles[role]
        world = forward(cycle.skeleton, np.zeros((len(rotations), 3)), without_heading(rotations))[1]
        parent = (
            world[:, cycle.skeleton.parents[joint]] if joint else np.tile([1.0, 0.0, 0.0, 0.0], (len(rotations), 1))
        )
        local = q.multiply(q.multiply(q.conjugate(parent), q.multiply(turn, parent)), rotations[:, joint])
        rotations[frames, joint] = local[frames]
    return replace(cycle, dofs=np.array(cycle.layout.dofs(rotations, cycle.dofs[:, -N_ROOT_DOFS:])))


def _sides(**bends: float) -> dict[str, float]:
    return {f"{side}_{part}": degrees for part, degrees in bends.items() for side in ("left", "right")}


def _crouching(cycle: mo.Cycle) -> mo.Cycle:
    bent = _bent(cycle, _sides(hip=-50.0, knee=100.0, ankle=-50.0))
    ankles = [leg_roles(cycle.skeleton)[f"{side}_ankle"] for side in ("left", "right")]
    before, after = (one.to_clip().positions[:, ankles, 1].min() for one in (cycle, bent))
    return _lifted(bent, (before - after) / leg_length(cycle.skeleton, leg_roles(cycle.skeleton)))


def _jumping(cycle: mo.Cycle, role: str) -> mo.Cycle:
    third, twelfth = cycle.n_frames // 3, max(cycle.n_frames // 12, 1)
    return _bent(cycle, {role: 60.0}, slice(third, third + twelfth))


def _without_left(cycle: mo.Cycle) -> mo.Cycle:
    right = {point: cycle.contacts.point(point) for point in FOOT_POINTS if point.startswith("right")}
    return replace(cycle, contacts=CycleContacts(**right))


def _half(cycle: mo.Cycle) -> mo.Cycle:
    frames = cycle.n_frames // 2
    masks = {point: cycle.contacts.planted(point, cycle.phases)[:frames] for point in FOOT_POINTS}
    return replace(cycle, dofs=np.array(cycle.dofs[:frames]), contacts=round_cycle(Contacts.from_masks(masks)))


def _late(cycle: mo.Cycle, phase: float) -> mo.Cycle:
    return replace(cycle, contacts=cycle.contacts.starting_at(phase))


FAULTS: dict[str, Spoil] = {
    "travel × 1.5": partial(_travel, by=1.5),
    "travel / 1.5": partial(_travel, by=1.0 / 1.5),
    "travel turned 30°": partial(_travel, by=complex(np.exp(1j * math.radians(30.0)))),
    "lifted 10 cm": partial(_lifted, legs=LIFT),
    "sunk 10 cm": partial(_lifted, legs=-LIFT),
    "upside down": partial(_bent, bends={"hips": 180.0}),
    "boxing": partial(_bent, bends=_sides(elbow=-100.0, shoulder=-35.0)),
    "crouching": _crouching,
    "elbow jumps": partial(_jumping, role="left_elbow"),
    "knee jumps": partial(_jumping, role="right_knee"),
    "no plants": lambda cycle: replace(cycle, contacts=CycleContacts()),
    "no left plants": _without_left,
    "plants half a cycle off": partial(_late, phase=math.pi),
    "plants a quarter off": partial(_late, phase=math.pi / 2),
    "half a cycle": _half,
}


def _folders(data: Path) -> dict[str, list[mo.Clip | Path]]:
    folders: dict[str, list[mo.Clip | Path]] = {
        name: sorted((data / "cmu-bvh" / name).glob("*.bvh")) for name in SUBJECTS
    }
    folders["game loops"] = sorted((data / "game-loops").glob("*.glb"))
    walks = [("walk", speed, turn) for speed, turn in ((0.8, 0.0), (1.2, 0.0), (1.6, 0.0), (1.2, 0.7), (1.3, -0.6))]
    motions = [*walks, ("run", 2.5, 0.0), ("run", 3.5, 0.0)]
    folders["actor"] = [
        perform(action, speed=speed, turn=turn, seed=i)[0].renamed(f"{action} {speed:g} {turn:g}")
        for i, (action, speed, turn) in enumerate(motions)
    ]
    return folders


def _built(cycles: list[mo.Cycle]) -> Built:
    return built_as_played(lay_out(cycles, LayoutOptions(harmonics=10)), played_rates)


def print_check(data: Path, *, quick: bool = False) -> None:
    """The check on networks as they are, then with faults."""
    caught: dict[str, list[str]] = defaultdict(list)  # by fault, what found it, or nothing
    alarms, places, by = 0, 0, defaultdict(Counter)
    print(f"{'folder':14}{'nodes':>6}{'places':>8}{'alarms':>8}   what")
    for name, sources in _folders(data).items():
        cycles = list(gather(sources).cycles)
        built = _built(cycles)
        check = check_network(built.network)
        found = {finding.where for finding in check.findings}
        alarms, places = alarms + len(found), places + check.n_places
        told = "; ".join(f"{one.where}: {one.what} {one.figure:.2g}" for one in check.findings)
        print(f"{name:14}{len(built.network.nodes):6}{check.n_places:8}{len(found):8}   {told}")
        moving = [cycle for cycle in cycles if cycle.name in built.origins and not stands(cycle)]
        order = np.random.default_rng(0).permutation(len(moving))[: 1 if quick else SPOILED]
        for cycle in (moving[i] for i in order):
            for fault, spoil in FAULTS.items():
                result = _spoiled(cycles, cycle, spoil, check)
                if result is not None:
                    caught[fault].append(", ".join(sorted(result)))
                    by[fault].update(result)
                    if not result:
                        print(f"  not found in {cycle.name}: {fault}")
    print(f"\n{'planted':26}{'faults':>8}{'found':>7}   by")
    for fault, results in caught.items():
        whats = ", ".join(f"{what} {count}" for what, count in by[fault].most_common(5))
        print(f"{fault:26}{len(results):8}{sum(map(bool, results)):7}   {whats}")
    every = [result for results in caught.values() for result in results]
    share = 100.0 * sum(map(bool, every)) / max(len(every), 1)
    print(f"found {share:.1f} % of {len(every)} faults (mark: 95); places with alarms as captured "
          f"{100.0 * alarms / max(places, 1):.1f} % of {places} (mark: 5)\n")  # fmt: skip


def _spoiled(cycles: list[mo.Cycle], cycle: mo.Cycle, spoil: Spoil, before: Check) -> set[str] | None:
    """What the check finds at the places of a spoiled motion that was not found before; None where it is in no node."""
    built = _built([spoil(other) if other is cycle else other for other in cycles])
    if cycle.name not in built.network.names or built.origins[cycle.name].merged:
        return None
    seen = {(finding.where, finding.what) for finding in before.findings}
    return {
        finding.what
        for finding in check_network(built.network).findings
        if cycle.name in finding.nodes and (finding.where, finding.what) not in seen
    }
