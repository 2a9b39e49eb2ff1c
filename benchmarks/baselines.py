"""Ways of blending that others have used, held against the phasor rule on real walks: averaging frames, slerps."""

from __future__ import annotations

import itertools

import numpy as np

import mocapella as mo
from mocapella.analysis.fourier import synthesise
from mocapella.blending.rules import phasor_blend, streamlined_blend
from mocapella.geometry import quaternions
from mocapella.measure.distortion import Yardstick
from mocapella.measure.distortion_maps import grid
from mocapella.studies.published import by_rule, slerp_chain, time_domain_blend

COLUMNS, ROWS = 41, 21
FRAMES = 60  # of a cycle in which rotations are compared
RATE = 120.0  # frames per second that motions are averaged in


def print_baselines(folder, files):
    network = by_rule(mo.build_network([folder / file for file in files]), phasor_blend)
    points = grid(network, COLUMNS, ROWS).reshape(-1, 2)
    points = points[[network.place(point).inside for point in points.tolist()]]
    print(f"\n16, what build makes of the walks, {network!r}, {len(points)} points inside")
    print_distortion(network, points)
    print_orders(network, points)


def print_distortion(network, points):
    """The time-domain blend as the reference of the distortion of upper harmonics (BLD-08, MEA-06)."""
    yardstick = Yardstick(network, points)
    averaged, phasors = frame_by_frame(network, points), network.coefficients_at(points)
    blends = {
        "averaged frame by frame": averaged,
        "phasor": phasors,
        "streamlined": by_rule(network, streamlined_blend).coefficients_at(points),
    }
    for name, blended in blends.items():
        scores = yardstick.measure_blends(blended).scores
        print(f"  UHD, {name}: {np.nanmean(scores):.4f} rad on average, {np.nanmax(scores):.4f} at most")
    print(
        f"  harmonics of phasor blends and of averaged frames differ by {np.abs(averaged - phasors).max():.1e} at most"
    )


def frame_by_frame(network, points):
    """The harmonics of the nodes' frames, brought to one number and averaged, at many points."""
    counts = [round(RATE * node.spectrum.duration) for node in network.nodes]
    cycles = [
        node.spectrum.at(2.0 * np.pi * np.arange(count) / count)
        for node, count in zip(network.nodes, counts, strict=True)
    ]
    frames, _ = time_domain_blend(cycles, network.shares_at(points))
    return np.fft.rfft(frames, axis=1, norm="forward")[:, : network.n_harmonics + 1]


def print_orders(network, points):
    """How much a chain of slerps depends on the order of its motions, and how far it is from blended components."""
    rotations = np.stack([synthesise(node.spectrum, FRAMES).rotations_wxyz for node in network.nodes])
    orders, apart = [], []
    for point in points.tolist():
        place = network.place(point)
        if min(place.weights) < 0.05:
            continue  # of two motions there is one order
        chains = [
            slerp_chain(rotations[place.nodes[list(order)]], place.weights[list(order)])
            for order in itertools.permutations(range(3))
        ]
        mixed = synthesise(network.blend(place), FRAMES).rotations_wxyz
        orders.append(
            np.max(
                [np.degrees(quaternions.angle_between(one, other)) for one, other in itertools.combinations(chains, 2)],
                axis=0,
            )
        )
        apart.append(np.mean([np.degrees(quaternions.angle_between(one, mixed)) for one in chains], axis=0))
    print(f"  slerps in a chain, {len(orders)} points with three motions of 5 % and more: by their order joints differ "
          f"by {np.mean(orders):.4f}° on average, {np.max(orders):.2f}° at most;")  # fmt: skip
    print(f"  from the phasor blend by {np.mean(apart):.4f}° on average, {np.max(apart):.2f}° at most")
