"""How well characters stand, turn and steer on networks of real captures.

    python -m benchmarks.quality_playing [grid] [steering] [path] [feet] [--cells N] [--minutes M] [--seeds 0 1 …]
        [--method M] [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out. Without words all four are printed;
they take some minutes. All captures are of CMU's subject 16, played at 60 frames a second.

Slip is printed three times. *Held*: in the plants that the player holds in full, without the ends in which the pose has
the foot well above the ground: what a player calls a plant. *Found*: in the plants that ``find_plants`` sees in what
was played, without knowledge of the player. *Scheduled*: in the blended contact schedule, trimmed by nothing; there
feet still come down and already roll off. The captures' own, found and scheduled, stand beside them.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.captures import data_folder
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.sliding import brought_in
from mocapella.building.build import build
from mocapella.gait.root_motion import played_rates
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from mocapella.motion import kinematics
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.layout import YAW_RATE
from mocapella.playback.player import Player
from mocapella.playback.pointer import EasedPoint
from mocapella.playback.record import record, record_with_contacts
from mocapella.playback.settings import FEET_MODES
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower
from mocapella.steering.path import Path as Course
from mocapella.storage.values import load

NETWORKS = {
    "walking": (15, 11, 13, 17, 19, 21, 23, 25, 27, 29, 47),
    "running": (35, 37, 39, 41, 43, 45, 48, 49),
    "16 takes": (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 33, 47, 58),
}
RATE = 60.0
SLIP, DEPTH, HEIGHT, PUSH, LEAP = 1.0, 5.0, 1.0, 1.3, 1.5  # marks: mm per plant, mm, mm, times what the captures have


def network_of(folder, takes, method="symmetric"):
    """The captures laid out at (turn rate, speed), with their cycles, closed by this method."""
    clips = [load(folder / "cmu-bvh" / "16" / f"16_{take}.bvh") for take in takes]
    cycles = synchronise([prepare(clip, method=method) for clip in clips])
    nodes = [Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=10)) for c in cycles]
    return Network(nodes), cycles


def push(clip):
    """The greatest acceleration of the root, m/s²."""
    return float(np.linalg.norm(np.diff(clip.root_positions, 2, axis=0), axis=1).max() * clip.frame_rate**2)


def leaps(clip):
    """The most that any joint turns (degrees) and moves against the root (cm) from frame to frame."""
    q = clip.rotations_wxyz[:, 1:]
    turned = np.degrees(quaternions.angle_between(q[1:], q[:-1])).max()
    places = kinematics.forward(clip.skeleton, np.zeros((clip.n_frames, 3)), clip.rotations_wxyz)[0]
    return float(turned), 100.0 * float(np.linalg.norm(np.diff(places, axis=0), axis=-1).max())


def scheduled(contacts, phases):
    """The plants of a cycle's schedule at these cycle phases, as those of a clip."""
    return Contacts.from_masks({name: contacts.planted(name, phases) for name in FOOT_POINTS})


def captured_slips(cycles):
    """The furthest that a foot point slides in its plants, as found and as scheduled, mm, for each capture.

    Then how fast it moves over the ground in the three frames before its scheduled plants at most, m/s.
    """
    found, loose, approaches = [], [], []
    for cycle in cycles:
        clip = cycle.to_clip(2).resampled(RATE)
        phases = math.tau * np.arange(clip.n_frames) / RATE / cycle.duration
        found.append(footing(clip).slip_mm_max)
        feet = footing(clip, scheduled(cycle.contacts, phases))
        loose.append(feet.slip_mm_max)
        approaches.append(feet.approach)
    return found, loose, approaches


def grid_points(network, cells):
    """A grid over the network's bounding box; points outside go to the outline, each place once."""
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    axes = [np.linspace(a, b, cells) for a, b in zip(low, high, strict=True)]
    places = [network.place((x, y)).point for x in axes[0] for y in axes[1]]
    return list(dict.fromkeys(tuple(round(value, 9) for value in place) for place in places))


def spread(values):
    """Median, 95 and 99 hundredths, most."""
    return "  ".join(f"{value:7.2f}" for value in (*np.percentile(values, (50, 95, 99)), np.max(values)))


def print_grid(networks, cells):
    for name, (network, cycles) in networks.items():
        start = time.perf_counter()
        points = grid_points(network, cells)
        captured = max(push(cycle.to_clip(2).resampled(RATE)) for cycle in cycles)
        slips, found, loose, depths, heights, pushes, approaches = [], [], [], [], [], [], []
        for point in points:
            player = Player(network, point=point)
            clip, contacts = record_with_contacts(player, seconds=2.2 * player.spectrum.duration, frame_rate=RATE)
            feet = footing(clip, contacts)
            slips.append(feet.slip_mm_max)
            found.append(footing(clip).slip_mm_max)
            phases = math.tau * np.arange(clip.n_frames) / RATE / player.spectrum.duration
            loose.append(footing(clip, scheduled(player.spectrum.contacts, phases)).slip_mm_max)
            depths.append(feet.penetration_mm_max)
            heights.append(feet.floating_mm_max)
            approaches.append(feet.approach)
            pushes.append(push(clip) / captured)
        print(f"\n{name}: {network!r}, {cells} × {cells} points, {len(points)} places, 2.2 cycles at each")
        print(f"{'':34}{'median':>7}{'95 %':>9}{'99 %':>9}{'most':>9}   places above the mark")
        for label, values, mark in (
            ("slip per plant, held, mm", slips, SLIP),
            ("slip per plant, found, mm", found, None),
            ("  of the captures", captured_slips(cycles)[0], None),
            ("slip per plant, scheduled, mm", loose, None),
            ("  of the captures", captured_slips(cycles)[1], None),
            ("penetration, mm", depths, DEPTH),
            ("planted feet above the ground, mm", heights, HEIGHT),
            ("foot speed before plants, m/s", approaches, None),
            ("  of the captures", captured_slips(cycles)[2], None),
            ("root acceleration, × captures'", pushes, PUSH),
        ):
            beyond = "" if mark is None else f"{sum(value > mark for value in values)} above {mark:g}"
            print(f"  {label:32}{spread(values)}   {beyond}")
        worst = points[int(np.argmax(slips))]
        print(f"  most slip at ({worst[0]:.4f}, {worst[1]:.4f}); {time.perf_counter() - start:.0f} s", flush=True)


def print_steering(networks, minutes, seed):
    for name, (network, cycles) in networks.items():
        start = time.perf_counter()
        rng = np.random.default_rng(seed)
        low, high = network.points.min(axis=0), network.points.max(axis=0)
        player = Player(network, point=tuple(rng.uniform(low, high)))
        turned, jumped = np.max([leaps(cycle.to_clip(2).resampled(RATE)) for cycle in cycles], axis=0)
        captured = max(push(cycle.to_clip(2).resampled(RATE)) for cycle in cycles)
        wanderer = Wanderer(rng, low, high)
        slips, found, loose, worst, pushes, finite = [], [], [], np.zeros(2), 0.0, True
        for _ in range(round(minutes * 6.0)):  # ten seconds at a time
            clip, contacts = record_with_contacts(player, seconds=10.0, frame_rate=RATE, script=wanderer)
            slips += [1000.0 * slip.slid for slip in footing(clip, contacts).slips]
            found += [1000.0 * slip.slid for slip in footing(clip).slips]
            loose += [1000.0 * slip.slid for slip in footing(clip, wanderer.schedule()).slips]
            worst = np.maximum(worst, leaps(clip))
            pushes = max(pushes, push(clip))
            finite &= bool(np.isfinite(clip.root_positions).all() and np.isfinite(clip.rotations_wxyz).all())
        print(f"\n{name}: {minutes:g} minutes of random steering, a new goal every 0.3 to 2 s, seed {seed}")
        print(f"  all numbers finite: {finite}; heading off the integral of the turn rate: {wanderer.off:.1e}° at most")
        print(f"  pose step over the captures' largest: joint turn {worst[0] / turned:.2f} × of {turned:.1f}°,")
        print(f"    joint against root {worst[1] / jumped:.2f} × of {jumped:.1f} cm (mark {LEAP} ×)")
        print(f"  root acceleration over the captures' largest: {pushes / captured:.2f} ×")
        for label, values in (("held", slips), ("found", found), ("scheduled", loose)):
            counts = ", ".join(f"{sum(slip > mm for slip in values)} > {mm} mm" for mm in (1, 3, 10))
            print(f"  slip of {len(values)} plants, {label}, mm: median, 95, 99 %, most {spread(values)}; {counts}")
        print(f"  {wanderer.answer()}")
        print(f"  {time.perf_counter() - start:.0f} s", flush=True)


class Wanderer:
    """Sends a player somewhere else now and then, and adds up its turn rate by itself."""

    def __init__(self, rng, low, high):
        self.rng, self.low, self.high = rng, low, high
        self.left = 0
        self.heading = self.phase = None
        self.off = 0.0  # degrees, the most so far
        self.planted = []  # by the blended schedule, frame by frame
        self.eased, self.still = None, False  # a point that nothing but easing holds up; no time goes by in this step
        self.ways = []  # how far from their goal it and the player's are, over how far that was when it was set
        self.far, self.sent, self.arrivals = 0.0, 0, []

    def schedule(self):
        """The plants of the frames since it was last asked, by the blended schedule."""
        masks = np.array(self.planted[1:])  # what it saw before a step is the frame before
        self.planted = []
        return Contacts.from_masks({name: masks[:, i] for i, name in enumerate(FOOT_POINTS)})

    @staticmethod
    def _scheduled(player):
        contacts, phase = player.spectrum.contacts, np.array(player.phase)
        return [bool(contacts.planted(name, phase)) for name in FOOT_POINTS]

    def steer(self, player, seconds):
        """A new goal, now and then."""
        self._add_up(player)
        self._watch(player, seconds == 0.0)
        self.planted.append(self._scheduled(player))
        self.left -= 1
        if self.left > 0:
            return None
        self.left = int(self.rng.integers(18, 121))
        goal = brought_in(player.network, tuple(self.rng.uniform(self.low, self.high)))  # as the player would
        self.eased = self.eased._replace(goal=goal)
        self.far, self.sent = math.dist(player.point, goal), len(self.ways)
        return goal

    def _watch(self, player, still):
        """How far the point is behind one that only easing holds up, and when nine tenths of its way are gone."""
        if self.eased is None:
            self.eased = EasedPoint(player.point, player.point, (0.0, 0.0))
        else:
            self.eased = self.eased.after(0.0 if self.still else 1.0 / RATE)
            left = math.dist(player.point, self.eased.goal)
            self.ways.append((left, math.dist(self.eased.point, self.eased.goal)))
            if self.sent is not None and left <= 0.1 * self.far:
                self.arrivals.append((len(self.ways) - self.sent) / RATE)
                self.sent = None
        self.still = still

    def answer(self):
        """How readily the blending point followed."""
        ours, eased = np.mean(self.ways, axis=0)
        usual, late = np.percentile(self.arrivals, (50, 95))
        return (
            f"the blending point is {100.0 * (ours / eased - 1.0):.1f} % further from its goals than by easing alone; "
            f"nine tenths of a way take {usual:.2f} s, 95 % of the ways at most {late:.2f} s"
        )

    def _add_up(self, player):
        """Simpson's rule over the step that was made: it was made with the present motion."""
        if self.heading is not None:
            phases = self.phase + (player.phase - self.phase) % math.tau * np.array([0.0, 0.5, 1.0])
            rates = player.spectrum.at(phases)[:, YAW_RATE]
            passed = (phases[2] - phases[0]) / math.tau * player.spectrum.duration
            self.heading += passed * float(rates @ (1.0, 4.0, 1.0)) / 6.0
            self.off = max(self.off, math.degrees(abs(player.heading - self.heading)))
        else:
            self.heading = player.heading
        self.phase = player.phase


def print_path(networks, folder):
    clips = [load(folder / "cmu-bvh" / "16" / f"16_{take}.bvh") for take in NETWORKS["16 takes"]]
    candidates = {
        "walking": networks["walking"][0],
        "16 takes": networks["16 takes"][0],
        "16 takes, built": build(clips).network,
        "16 takes, built with substitutes": build(clips, substitute=True).network,
    }
    angles = np.linspace(0.0, np.pi, 9)
    first = [(3.0 - 3.0 * np.cos(a), 3.0 * np.sin(a)) for a in angles]
    second = [(9.0 - 3.0 * np.cos(a), -3.0 * np.sin(a)) for a in angles[1:]]
    path = Course.smooth(first + second)
    for name, network in candidates.items():
        rates = Calibration(network, measure=played_rates)
        for speed in (0.9, 1.1, 1.3):
            asked = all(rates.request(side * speed / 3.0, speed).feasible for side in (-1.0, 1.0))
            guide = Follower(path, rates, speed=speed)
            player = Player(network, point=rates.request(0.0, speed).point, heading=path.heading(0.0))
            sides, steps = [], 0
            while not guide.done and steps < 60 * RATE:
                point = guide.steer(player, steps / RATE)
                if point is not None:
                    player.point = point
                player.step(1.0 / RATE)
                sides.append(abs(guide.side))
                steps += 1
            gone = path.length / (steps / RATE) / speed
            print(
                f"{name}: an S of two half circles, 3 m in radius, at {speed} m/s: beside it {np.mean(sides):.3f} m on "
                f"average (mark 0.15), {np.max(sides):.3f} m at most; speed {gone:.3f} × (mark 0.9 … 1.1)"
                + ("" if asked else "; the network has no such turns at this speed"),
                flush=True,
            )


def print_feet(networks):
    """Slip by all ways to place the body, at the nodes and in the middle of every triangle."""
    heads = f"{'feet':10}{'network':10}{'slip per plant, found, mm: mean':>32}{'most':>8}"
    print(f"\n{heads}{'toes alone: mean':>18}{'most':>8}{'24 and 240 Hz after 20 s, cm apart':>36}")
    for feet in FEET_MODES:
        for name, (network, _) in networks.items():
            slips, toes, apart = [], [], []
            for point in [*network.points.tolist(), *network.points[network.corners].mean(axis=1).tolist()]:
                clip = record(Player(network, point=point, feet=feet), seconds=4.0, frame_rate=RATE)
                plants = footing(clip).slips
                slips += [1000.0 * plant.slid for plant in plants]
                toes += [1000.0 * plant.slid for plant in plants if plant.point.endswith("toe")]
                players = [Player(network, point=point, feet=feet) for _ in range(2)]
                for player, rate in zip(players, (24, 240), strict=True):
                    for _ in range(20 * rate):
                        player.step(1.0 / rate)
                apart.append(100.0 * math.dist(players[0].position, players[1].position))
            figures = f"{np.mean(slips):32.2f}{max(slips):8.1f}{np.mean(toes):18.2f}{max(toes):8.1f}"
            print(f"{feet:10}{name:10}{figures}{np.median(apart):26.1f}, {max(apart):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="*", default=[])
    parser.add_argument("--cells", type=int, default=41)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--method", default="symmetric", help="how cycles are closed")
    options = parser.parse_args()
    parts = ("grid", "steering", "path", "feet")
    words = [word for word in options.what if word in parts] or parts
    named = [Path(word) for word in options.what if word not in parts]
    folder = named[0] if named else data_folder()
    if folder is None:
        raise SystemExit("set MOCAPELLA_DATA to the folder of real captures, or name it")
    warnings.simplefilter("ignore")
    networks = {name: network_of(folder, takes, options.method) for name, takes in NETWORKS.items()}
    if "grid" in words:
        print_grid(networks, options.cells)
    if "steering" in words:
        for seed in options.seeds:
            print_steering({name: networks[name] for name in ("walking", "running")}, options.minutes, seed)
    if "path" in words:
        print()
        print_path(networks, folder)
    if "feet" in words:
        print_feet({name: networks[name] for name in ("walking", "running")})


if __name__ == "__main__":
    main()
