"""Crowds beside players, and what they cost.

    python -m benchmarks.crowds [quality] [changes] [detail] [drift] [day] [collisions] [rules] [sizes] [--minutes M]
        [--characters N] [--engine E] [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out. *Quality*: characters at constant
points beside players, and characters steered to a new point every 0.75 s: how far planted feet slip, and how far any
joint moves between two frames beside the same of the captures. *Changes*: characters of hybrid networks that change
their motion at random, ten times a minute, for 15 s each change: the same, and how far joints are moved where a player
takes a character over and where it gives it back. *Detail*: error and cost of levels of detail. *Drift*:
so many minutes of simulated time. *Day*: 24 hours of it, in a few minutes. *Collisions*: ten times ``--characters`` in
two groups that walk through each other, with and without avoidance. *Rules*: constant points by every blend rule, with
single-source harmonics, and on a calibrated network. *Sizes*: bytes of the tables, and seconds to make them.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.captured_changes import captured_hybrids
from benchmarks.captures import data_folder
from benchmarks.quality_playing import NETWORKS, RATE, network_of
from mocapella.blending.network import Network
from mocapella.blending.rules import RULES
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.crowd.control import Avoidance, FollowPaths
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.detail import Level
from mocapella.crowd.played import CrowdSlips, crowd_feet
from mocapella.crowd.tables import CrowdTables
from mocapella.motion import kinematics
from mocapella.playback.player import Player
from mocapella.steering.calibration import calibrated

WORDS = ("quality", "changes", "detail", "drift", "day", "collisions", "rules", "sizes")


def random_points(network, rng, n):
    points = rng.uniform(network.points.min(axis=0), network.points.max(axis=0), (n, 2))
    return np.array([network.place(tuple(point)).point for point in points])


def print_constant(name, network, engine):
    points = random_points(network, np.random.default_rng(0), 8)
    n = len(points)
    players = [Player(network, point=tuple(point)) for point in points]
    headings = np.array([player.heading for player in players])
    start = {"phases": np.zeros(n), "positions": np.zeros((n, 2)), "headings": headings}
    crowd = Crowd(network, n, points=points, engine=engine, **start)
    ours, theirs, agree = [], [], []
    for _ in range(600):
        crowd.step(1.0 / RATE)
        ours.append(crowd.poses()[..., 3].copy())
        poses = [player.step(1.0 / RATE) for player in players]
        roots = np.array([pose.root_position for pose in poses])
        theirs.append(kinematics.forward(crowd.skeleton, roots, np.array([p.rotations_wxyz for p in poses]))[0])
        agree.append((crowd.planted == np.array([player.planted for player in players])).mean())
    ours, theirs = np.array(ours), np.array(theirs)
    apart = 1000.0 * np.linalg.norm((ours - ours[:, :, :1]) - (theirs - theirs[:, :, :1]), axis=-1)
    ways = [np.linalg.norm(np.diff(one[:, :, 0, ::2], axis=0), axis=-1).sum(axis=0) for one in (ours, theirs)]
    off = 100.0 * np.abs(ways[0] / ways[1] - 1.0)
    print(
        f"{name}, constant points, 10 s: joints {apart.mean(axis=(0, 2)).max():.2f} mm in the mean at the worst point, "
        f"{apart.mean():.2f} over all, 99 % within {np.quantile(apart, 0.99):.1f}; way within {off.max():.3f} %; "
        f"plants agree in {100.0 * np.mean(agree):.2f} % of frames",
        flush=True,
    )


def print_rules(name, network, engine):
    """Constant points of the same nodes in networks of every kind."""
    for rule in RULES:
        print_constant(f"{name}, {rule}", Network(network.nodes, rule=rule), engine)
    for first in (3, 6):
        switched = network.with_single_source(SingleSource(first=first))
        print_constant(f"{name}, single-source from harmonic {first} on", switched, engine)
    own = calibrated({node.name: node.spectrum for node in network.nodes})
    print_constant(f"{name}, calibrated", own, engine)


def print_sizes(name, network):
    began = time.process_time()
    tables = CrowdTables.of(network)
    print(
        f"{name}: {len(network.nodes)} nodes, {len(network.corners)} triangles, {tables.n_joints} joints, "
        f"{len(tables.triangles)} cells, edges in {tables.parts} parts, {tables.n_plants} plants a foot point: "
        f"{tables.n_bytes / 1e6:.2f} MB in {time.process_time() - began:.1f} s",
        flush=True,
    )


def largest_step(spectrum):
    player = Player(spectrum)
    poses = [player.step(1.0 / RATE) for _ in range(150)]
    rotations = np.array([pose.rotations_wxyz for pose in poses])
    places, _ = kinematics.forward(player.skeleton, np.zeros((len(poses), 3)), rotations)
    return np.linalg.norm(np.diff(places, axis=0), axis=-1).max()


def print_steered(name, network, minutes, n, engine):
    rng = np.random.default_rng(1)
    crowd = Crowd(network, n, engine=engine, seed=1)
    slips, most, low, last = CrowdSlips(n), 0.0, 0.0, None
    began = time.process_time()
    for frame in range(round(minutes * 60 * RATE)):
        if frame % 45 == 0:
            crowd.points[...] = random_points(network, rng, n)
        crowd.step(1.0 / RATE)
        feet = crowd_feet(crowd)
        slips.see(feet, crowd.planted)
        low = min(low, float(feet[..., 1].min()))
        joints = crowd.poses()[..., 3] - crowd.poses()[:, :1, :, 3]
        if last is not None:
            most = max(most, float(np.linalg.norm(joints - last, axis=-1).max()))
        last = joints
        if not np.isfinite(crowd.poses()).all():
            raise SystemExit(f"{name}: no number in frame {frame}")
    slid = slips.millimetres()
    captured = max(largest_step(node.spectrum) for node in network.nodes)
    mean, p99 = slid.mean(), np.quantile(slid, 0.99)
    print(
        f"{name}, {n} characters steered {minutes:g} min ({crowd.engine}): "
        f"slip per plant mean {mean:.2f}, 99 % {p99:.2f}, "
        f"most {slid.max():.2f} mm of {len(slid):,}; largest step of a joint {most / captured:.2f} × the captures'; "
        f"lowest foot point {1000.0 * low:.1f} mm; {time.process_time() - began:.0f} s",
        flush=True,
    )


def print_changes(name, hybrid, mode, minutes, engine, n=20):
    """Characters that change at random: slip through all of it, and what is moved at both hand-overs."""
    rng = np.random.default_rng(1)
    arc = hybrid.arc(next(iter(mode.arcs)))
    crowd = Crowd(hybrid, n, seed=1, engine=engine, mode=mode.name, block=arc.source.block)
    slips, over, back = CrowdSlips(n), [], []
    began = time.process_time()
    for _ in range(round(minutes * 60 * RATE)):
        free = [i for i, block in enumerate(crowd.blocks) if block == arc.source.block and i not in crowd.players]
        for number in (i for i in free if rng.random() < 10.0 / 60.0 / RATE):
            crowd.trigger(number, arc.name)
            over.append(played_apart(crowd, number, crowd.players[number]))
        before = dict(crowd.players)
        crowd.step(1.0 / RATE)
        back += [played_apart(crowd, i, player) for i, player in before.items() if i not in crowd.players]
        slips.see(crowd_feet(crowd), crowd.planted)
    slid = slips.millimetres()
    over, back = (
        f"{np.mean(one or [0.0]):.2f} in the mean, {np.max(one or [0.0]):.1f} at most" for one in (over, back)
    )
    print(
        f"{name}, {n} characters, {minutes:g} min ({crowd.engine}): joints moved, mm, where handed over to "
        f"players: {over}; where they come back: {back}; slip per plant mean {slid.mean():.2f}, "
        f"99 % {np.quantile(slid, 0.99):.2f}, most {slid.max():.2f} mm of {len(slid):,}; "
        f"{time.process_time() - began:.0f} s",
        flush=True,
    )


def played_apart(crowd, number, player):
    """How far the joints of a crowd's character are from those of its player, millimetres."""
    pose = player.step(0.0)
    there = kinematics.forward(crowd.skeleton, pose.root_position, pose.rotations_wxyz)[0]
    return 1000.0 * np.linalg.norm(there - crowd.poses()[number, :, :, 3], axis=-1)


def print_detail(name, network, engine):
    levels = [Level()] + [Level(harmonics=h) for h in (8, 5, 3, 1)]
    levels += [Level(joints=j) for j in (0.8, 0.6, 0.4)] + [Level(every=e) for e in (2, 4)]
    n = 2000
    rows = []
    for level in levels:
        crowd, full = (Crowd(network, n, seed=1, detail=(d,), engine=engine) for d in (level, Level()))
        errors = []
        for _ in range(30):
            crowd.step(1.0 / RATE)
            full.step(1.0 / RATE)
            own, other = (c.poses()[..., 3] - c.poses()[:, :1, :, 3] for c in (crowd, full))
            errors.append(np.linalg.norm(own - other, axis=-1).mean())
        times = {crowd: [], full: []}
        for _ in range(12):
            for one, own in times.items():
                began = time.thread_time()
                one.step(1.0 / RATE)
                own.append(time.thread_time() - began)
        cost = (
            min(times[crowd]) / min(times[full]) if level.every == 1 else np.mean(times[crowd]) / np.mean(times[full])
        )
        rows.append((level, 1000.0 * np.mean(errors), cost))
    print(f"{name}: level of detail, mean error of joints, cost beside all of it ({crowd.engine})")
    for level, error, cost in rows:
        print(f"  {level!s:45} {error:7.2f} mm   {cost:.2f} ×", flush=True)


def print_drift(name, network, minutes, n, engine):
    """Constant points: after hours, phases are where the clock has them, and headings where turn rates lead."""
    point = random_points(network, np.random.default_rng(2), n)
    crowd = Crowd(network, n, points=point, seed=3, engine=engine)
    tracemalloc.start()
    slips, sizes = CrowdSlips(n), []
    frames, rate = round(minutes * 60 * 30), 30
    phases = crowd.phases.astype(float)
    clock, turn = np.zeros(n), np.zeros(n)
    last = crowd.headings.astype(float)
    durations = np.array([network.blend(tuple(p)).duration for p in point])
    turns = np.array([network.blend(tuple(p)).turn for p in point]) / durations
    for frame in range(frames):
        crowd.step(1.0 / rate)
        clock += 1.0 / rate
        if frame >= frames - 600:
            slips.see(crowd_feet(crowd), crowd.planted)
        now = crowd.headings.astype(float)
        turn += (now - last + np.pi) % (2 * np.pi) - np.pi
        last = now
        if frame % max(frames // 8, 1) == 0:
            sizes.append(tracemalloc.get_traced_memory()[0])
    late = (crowd.phases - phases - 2 * np.pi * clock / durations + np.pi) % (2 * np.pi) - np.pi
    off = np.abs(turn - turns * clock)
    print(
        f"{name}: {n} characters, {minutes / 60:g} h ({crowd.engine}): "
        f"phase off by {np.abs(late).max():.4f} rad at most, "
        f"heading by {np.degrees(off.max()):.2f}° of {np.degrees(np.abs(turn).max()):,.0f}°; "
        f"furthest {np.abs(crowd.positions).max() / 1000:.1f} km; "
        f"slip in the last {600 // rate} s {slips.millimetres().max():.2f} mm at most; "
        f"memory {sizes[1] / 1e6:.2f} → {sizes[-1] / 1e6:.2f} MB; finite {bool(np.isfinite(crowd.poses()).all())}",
        flush=True,
    )
    tracemalloc.stop()


def print_collisions(name, network, n, engine, seconds=20.0):
    """Two groups that walk through each other: how many pairs come too near, with and without avoidance."""
    half = n // 2
    rows = np.arange(n) % half
    side = int(np.ceil(np.sqrt(half)))
    places = np.stack([rows % side * 2.0, rows // side * 2.0 + 2.0], axis=1)
    places += np.random.default_rng(0).uniform(-0.5, 0.5, (n, 2))
    places[:half, 1] *= -1.0
    ahead = np.where(np.arange(n) < half, 100.0, -100.0)
    paths = [[(x, z), (x, z + way)] for (x, z), way in zip(places, ahead, strict=True)]
    start = {"positions": places, "headings": np.where(ahead > 0.0, 0.0, np.pi)}
    for avoid in (None, Avoidance()):
        crowd = Crowd(network, n, seed=1, engine=engine, controller=FollowPaths(paths, speed=1.2, avoid=avoid), **start)
        near, touching, took = set(), [], 0.0
        for frame in range(round(seconds * 30)):
            began = time.thread_time()
            crowd.step(1.0 / 30)
            took += time.thread_time() - began
            if frame % 3 == 0:
                pairs = cKDTree(crowd.positions).query_pairs(0.4)
                near |= pairs
                touching.append(2.0 * len(pairs) / n)
        print(
            f"{name}, {n:,} characters in two groups that meet, {seconds:g} s, "
            f"{'no avoidance' if avoid is None else 'avoidance'}: "
            f"{len(near)} pairs came nearer than 0.4 m, {100.0 * np.mean(touching):.2f} % of characters at a time; "
            f"{1e6 * took / n / (seconds * 30):.1f} µs a character and step with its controller",
            flush=True,
        )


def print_day(name, network, n, engine, hours=24.0, rate=15):
    """A simulated day at constant points: phases beside the clock, headings beside what was turned, memory."""
    point = random_points(network, np.random.default_rng(2), n)
    crowd = Crowd(network, n, points=point, seed=3, engine=engine)
    began = time.process_time()
    start, turned, last = crowd.phases.astype(float), np.zeros(n), crowd.headings.astype(float)
    blends = [network.blend(tuple(p)) for p in point]
    durations = np.array([blend.duration for blend in blends])
    turns = np.array([blend.turn for blend in blends])
    frames = round(hours * 3600 * rate)
    sizes = []
    for frame in range(frames):
        crowd.step(1.0 / rate)
        now = crowd.headings.astype(float)
        turned += (now - last + np.pi) % (2 * np.pi) - np.pi
        last = now
        if frame % (frames // 8) == 0:
            sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6)
    rounds = hours * 3600.0 / durations
    late = (crowd.phases - start - 2 * np.pi * rounds + np.pi) % (2 * np.pi) - np.pi
    off = np.abs(turned - turns * rounds)
    print(
        f"{name}: {n} characters, {hours:g} h at {rate} Hz ({crowd.engine}): phase off by {np.abs(late).max():.3f} rad "
        f"at most after {rounds.min():,.0f} rounds or more; heading by {np.degrees(off.max()):.1f}° at most, "
        f"{np.degrees(np.median(off)):.1f}° in the median, of {np.degrees(np.abs(turned).max()):,.0f}° turned; "
        f"memory {sizes[1]:.1f} → {sizes[-1]:.1f} MB; finite {bool(np.isfinite(crowd.poses()).all())}; "
        f"{time.process_time() - began:.0f} s",
        flush=True,
    )


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help=f"{', '.join(WORDS)}; then the folder of captures")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--characters", type=int, default=100)
    parser.add_argument("--engine", default="auto")
    asked = parser.parse_args()
    words = [word for word in asked.what if word in WORDS] or ["quality", "detail"]
    folders = [Path(word) for word in asked.what if word not in WORDS]
    folder = folders[0] if folders else data_folder()
    if folder is None:
        raise SystemExit("set MOCAPELLA_DATA to the folder of real captures, or name it")
    warnings.simplefilter("ignore")
    if "changes" in words:
        for name, hybrid in captured_hybrids():
            for mode in hybrid.modes:
                print_changes(f"{name}, {mode.name}", hybrid, mode, min(asked.minutes, 0.25), asked.engine)
    if "sizes" in words:
        many = dict.fromkeys((*NETWORKS["16 takes"], *NETWORKS["running"], 36))
        for name, takes in {**NETWORKS, "all takes": tuple(many)}.items():
            network, _ = network_of(folder, takes)
            print_sizes(name, network)
            if name != "all takes":
                print_sizes(f"{name}, streamlined", Network(network.nodes, rule="streamlined"))
    for name in ("walking", "running", "16 takes") if set(words) - {"changes", "sizes"} else ():
        network, _ = network_of(folder, NETWORKS[name])
        if "quality" in words:
            print_constant(name, network, asked.engine)
            print_steered(name, network, asked.minutes, asked.characters, asked.engine)
        if "rules" in words and name != "running":
            print_rules(name, network, asked.engine)
        if "detail" in words and name == "walking":
            print_detail(name, network, asked.engine)
        if "collisions" in words and name == "walking":
            print_collisions(name, network, 10 * asked.characters, asked.engine)
        if "day" in words and name == "walking":
            print_day(name, network, asked.characters, asked.engine)
        if "drift" in words:
            print_drift(name, network, asked.minutes, asked.characters, asked.engine)


if __name__ == "__main__":
    main()
