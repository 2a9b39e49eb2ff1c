"""Ways of blending that others have used, held against the phasor rule on real walks: averaging frames, slerps."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from jaxtyping import Complex, Float

import mocapella as mo
from mocapella.analysis.fourier import synthesise
from mocapella.blending.rules import Weights, phasor_blend, streamlined_blend
from mocapella.checks import shown
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.measure.distortion import Yardstick
from mocapella.measure.distortion_maps import grid
from mocapella.studies.published import by_rule

COLUMNS, ROWS = 41, 21
FRAMES = 60  # of a cycle in which rotations are compared
RATE = 120.0  # frames per second that motions are averaged in


def time_domain_blend(
    motions: Sequence[Float[np.ndarray, "_ dofs"]], weights: Weights
) -> tuple[Float[np.ndarray, "*batch frames dofs"], int]:
    """Cycles resampled to the same number of frames and averaged frame by frame.

    ``motions`` are the dofs of each cycle, frames by dofs; the numbers of frames may differ. ``weights`` are one per
    motion, with leading axes for several blends. Returns the averages and their number of frames, that of the longest
    cycle; cycles are resampled exactly, by their harmonics. Raises ``MotionError`` where motions are no such arrays, or
    weights do not fit them.
    """
    if not all(isinstance(motion, np.ndarray) and motion.ndim == 2 for motion in motions):
        raise MotionError(f"expected cycles as arrays of frames and dofs, such as cycle.dofs, got {shown(motions)}")
    if not len(motions) or np.shape(weights)[-1:] != (len(motions),):
        raise MotionError(f"expected one weight per motion, at least one; got {len(motions)} motions and {weights!r}")
    frames = max(len(motion) for motion in motions)
    equal = np.stack([_resampled(motion, frames) for motion in motions])
    return np.asarray(np.einsum("...n,nfd->...fd", weights, equal)), frames


def slerp_chain(
    rotations_wxyz: Float[np.ndarray, "nodes *batch 4"], weights: Float[np.ndarray, " nodes"]
) -> Float[np.ndarray, "*batch 4"]:
    """Rotations blended one after another by slerp; the result depends on their order.

    ``rotations_wxyz`` are unit quaternions, nodes first; ``weights`` one per node, none negative, are scaled to sum 1.
    Raises ``MotionError`` where weights do not fit the rotations, are negative or all 0.
    """
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != rotations_wxyz.shape[:1]:
        raise MotionError(f"expected {len(rotations_wxyz)} weights, one per rotation, got shape {weights.shape}")
    if (weights < 0.0).any() or not weights.sum() > 0.0:
        raise MotionError(f"slerp in a chain needs weights from 0 on with a positive sum, got {weights.tolist()}")
    mixed, total = rotations_wxyz[0], float(weights[0])
    for rotations, weight in zip(rotations_wxyz[1:], weights[1:].tolist(), strict=True):
        total += weight
        if weight > 0.0:
            mixed = quaternions.slerp(mixed, rotations, np.asarray(weight / total))
    return np.asarray(mixed)


def _resampled(motion: Float[np.ndarray, "frames dofs"], frames: int) -> Float[np.ndarray, "_ dofs"]:
    spectrum: Complex[np.ndarray, "_ dofs"] = np.fft.rfft(motion, axis=0, norm="forward")
    if len(motion) % 2 == 0 and frames > len(motion):
        spectrum[-1] *= 0.5  # half of it belongs to the mirror image that more frames can tell apart
    return np.asarray(np.fft.irfft(spectrum, frames, axis=0, norm="forward"))


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
