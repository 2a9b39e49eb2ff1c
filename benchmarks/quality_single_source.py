"""What single-source harmonics do to a network of captured walks: distortion, pops, turns.

    python -m benchmarks.quality_single_source [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from benchmarks.quality_blending import RUNS, WALKS
from mocapella.actor import capture
from mocapella.blending.network import Network
from mocapella.blending.rules import phasor_blend, streamlined_blend
from mocapella.blending.single_source.setup import set_up
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.blending.single_source.stacks import STRUCTURES
from mocapella.geometry import quaternions
from mocapella.geometry.simplices import random_points
from mocapella.measure.distortion import Yardstick
from mocapella.motion import kinematics

RULES = {"phasor": phasor_blend, "streamlined": streamlined_blend}
RATE = 60  # frames a second
HELD_OUT, SEED = 5000, 99  # random points at which nothing was chosen
ACTOR = [f"{pace} walk {way}" for pace in ("slow", "medium", "fast") for way in ("straight", "sharp left")]


def steps_of(network, start, stop, seconds):
    """How far every joint goes in each frame, root held still, while the point is swept and the motion plays."""
    frames, phase, rows = round(seconds * RATE), 0.0, []
    for t in np.linspace(0.0, 1.0, frames):
        spectrum = network.blend((1.0 - t) * np.asarray(start) + t * np.asarray(stop))
        rows.append(spectrum.at(np.array(phase)))
        phase += 2.0 * np.pi / (RATE * spectrum.duration)
    rotations = network.layout.rotations(np.array(rows))
    places, _ = kinematics.forward(network.layout.skeleton, np.zeros((frames, 3)), rotations)
    return np.diff(places, axis=0)


def radii(way):
    """The largest and the mean distance from the middle of the circle that fits a way on the ground best."""
    centre = np.linalg.lstsq(np.c_[2.0 * way, np.ones(len(way))], (way**2).sum(axis=1), rcond=None)[0][:2]
    apart = np.linalg.norm(way - centre, axis=1)
    return np.array([apart.max(), apart.mean()])


def blended_way(spectrum, cycles=3, steps=400):
    """The root's way over the ground as it was blended."""
    phases = 2.0 * np.pi * np.arange(cycles * steps) / steps
    rows, layout = spectrum.at(phases), spectrum.layout
    yaw = spectrum.integral_at(phases)[:, layout.index("yaw_rate")]
    speed = rows[:, layout.index("ahead")] - 1j * rows[:, layout.index("left")]
    way = np.cumsum(speed * np.exp(1j * yaw)) * spectrum.duration / steps
    return np.stack([way.real, way.imag], axis=1)


def played_way(network, point):
    """The root's way with feet held to the ground."""
    clip = mo.record(mo.Player(network, point=tuple(point)), seconds=8.0, frame_rate=RATE)
    return clip.root_positions[RATE:, [0, 2]]


def distortion(network):
    """Table: UHD with the structures of the thesis, and set up by the measure, at random points that it never saw."""
    points = random_points(network.points[network.corners], HELD_OUT, np.random.default_rng(SEED))
    yardstick = Yardstick(network, points)
    before = yardstick.measure().scores
    most = np.nanmax(before)

    def line(name, changed):
        scores = yardstick.measure(changed).scores
        off = scores - before
        print(f"  {name:34} {np.nanmean(scores):8.4f} {np.nanmax(scores):8.4f} {np.nanmean(off < -1e-9):8.1%} "
              f"{np.nanmean(off > 1e-9):8.2%} {np.nanmean(off > 0.05 * most):8.1%} {np.nanmax(off):8.4f}")  # fmt: skip

    print(f"  {'UHD, rad, at ' + format(HELD_OUT, ',') + ' random points':34} {'mean':>8} {'max':>8} {'better':>8} "
          f"{'worse':>8} {'>5 %':>8} {'by':>8}")  # fmt: skip
    line("blended", network)
    for structure in STRUCTURES:
        line(f"single-source, {structure}", network.with_single_source(SingleSource(structure=structure)))
    tuned = set_up(network, lambda other, at: Yardstick(network, at).measure(other).scores)
    line("single-source, set up by UHD", tuned)
    settings = tuned.single_source
    override = settings.override
    share = 0.0 if override is None else float(np.mean([override.amount(at) for at in points.tolist()]))
    print(f"  set up: band from {settings.first}, abstaining {', '.join(settings.abstaining) or 'none'}, "
          f"{share:.0%} overridden")  # fmt: skip


def pops(network):
    """Steps of joints while the point is swept, with single-source harmonics against without."""
    (left, low), (right, high) = network.points.min(axis=0), network.points.max(axis=0)
    switched = network.with_single_source(SingleSource())
    for seconds in (6.0, 3.0, 1.5):
        for name, start, stop in (("up", (left, low), (right, high)), ("down", (left, high), (right, low))):
            one, two = (steps_of(each, start, stop, seconds) for each in (network, switched))
            sizes = [np.linalg.norm(each, axis=-1).max() for each in (one, two)]
            jolts = [np.linalg.norm(np.diff(each, axis=0), axis=-1).max() for each in (one, two)]
            print(f"  {seconds:g} s {name:4}  largest step {100 * sizes[0]:.2f} cm × {sizes[1] / sizes[0]:.3f}, "
                  f"largest change of step {100 * jolts[0]:.2f} cm × {jolts[1] / jolts[0]:.3f}")  # fmt: skip


def largest_turn(network, start, stop, seconds, feet):
    """The largest turn of a joint in a frame, radians, while a player's point is led from one place to another."""
    player = mo.Player(network, point=start, feet=feet)
    rows = []
    for t in np.linspace(0.0, 1.0, round(2 * RATE * seconds)):
        player.point = tuple((1.0 - t) * np.asarray(start) + t * np.asarray(stop))
        rows.append(player.step(0.5 / RATE).rotations_wxyz[1:])
    rotations = np.array(rows)
    return float(quaternions.angle_between(rotations[1:], rotations[:-1]).max())


def played_pops(network):
    """Turns of joints of a player whose point is led across the network, against the same without single source."""
    (left, low), (right, high) = network.points.min(axis=0), network.points.max(axis=0)
    switched = network.with_single_source(SingleSource())
    for feet in ("held", "velocity"):
        ratios = [
            largest_turn(switched, *way, seconds, feet) / largest_turn(network, *way, seconds, feet)
            for seconds in (1.5, 3.0, 9.0)
            for way in (((left, low), (right, high)), ((left, high), (right, low)))
        ]
        print(f"  played, feet {feet:9} largest turn of a joint in a frame × {np.median(ratios):.2f}, "
              f"{max(ratios):.2f} at most in {len(ratios)} sweeps")  # fmt: skip


def turns(network):
    """How radii of turns change, for the root as blended and as played on held feet."""
    switched = network.with_single_source(SingleSource())
    middles = network.points[network.corners].mean(axis=1)
    tight = middles[np.abs(middles[:, 0]) > 30.0]
    ways = {
        "as blended": lambda each, at: radii(blended_way(each.blend(at))),
        "on held feet": lambda each, at: radii(played_way(each, at)),
    }
    for name, measure in ways.items():
        changes = np.array([measure(switched, at) / measure(network, at) - 1.0 for at in tight])
        worst, mean = np.abs(changes).max(axis=0), np.abs(changes).mean(axis=0)
        print(f"  root {name:12} largest radius changes by {mean[0]:.2%} ({worst[0]:.2%} at most), mean radius by "
              f"{mean[1]:.2%} ({worst[1]:.2%} at most), {len(tight)} turns above 30°/s")  # fmt: skip


def main() -> None:
    """Print it all."""
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder()
    if folder is None:
        raise SystemExit("real captures are needed: name their folder, or set MOCAPELLA_DATA")
    sets = {
        "the actor's walks": [capture(name)[0] for name in ACTOR],
        "runs of 16": [folder / name for name in RUNS],
    }
    for title, motions in sets.items():
        network = mo.build_network(motions, rule="streamlined")
        print(f"{title}, quaternion, streamlined: {network!r}")
        distortion(network)
    for layout in ("quaternion", "euler"):
        built = mo.build_network([folder / name for name in WALKS], layout=layout)
        for name, rule in RULES.items():
            network = Network(built.nodes, built.triangles, rule=rule)
            print(f"{layout}, {name}: {network!r}")
            if layout == "quaternion":
                distortion(network)
            pops(network)
            if layout == "quaternion":
                played_pops(network)
            turns(network)


if __name__ == "__main__":
    main()
