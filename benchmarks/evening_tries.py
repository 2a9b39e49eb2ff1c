"""Ways to even out that were tried and not kept, by the same measure as the one that was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.held_out import captured_sets
from benchmarks.left_out import cycles_of, tasks
from benchmarks.style_survival import apart, network_of, places, style_sets
from mocapella.analysis.fourier import synthesise
from mocapella.building.layout.evening import smooth_nodes
from mocapella.building.layout.placement import TURN_AND_SPEED

FRAMES = 24
FAR = 2.0  # times what takes usually differ by: a take farther off may be of another style


def partly(rows, share=1.0):
    """Evened out in some harmonics alone, or by a share alone."""

    def even(network):
        made = {}
        for node, other in zip(network.nodes, smooth_nodes(network).nodes, strict=True):
            coefficients = node.spectrum.coefficients[: network.n_harmonics + 1].copy()
            coefficients[rows] += share * (other.spectrum.coefficients[rows] - coefficients[rows])
            made[node.name] = replace(other.spectrum, coefficients=coefficients)
        return network.with_spectra(made)

    return even


def guarded(trust, *, along=True):
    """Neighbours count by how unlike they are, in units of what the network's takes usually differ by.

    Unlike is what is left once the change along the place is taken off, or all where ``along`` is False. What takes
    usually differ by is the median of how unlike each node's most alike neighbour is.
    """

    def even(network):
        spots, bodies = _spots_and_bodies(network)
        near = [_nearest(spots, i) for i in range(len(spots))]
        unlike = [_unlike(spots, bodies, i, near[i], along=along) for i in range(len(spots))]
        usual = float(np.median([own[1:].min() for own in unlike]))
        made = {}
        for i, name in enumerate(network.names):
            weights = trust(spots[near[i]] - spots[i], unlike[i] / usual, bodies[near[i]], usual)
            made[name] = network.bank.mix(near[i], weights, network.rule, name)
        return network.with_spectra(made)

    return even


def cut(away, unlike, bodies, usual):
    """All alike up to FAR, none beyond."""
    return _fit(away, (unlike <= FAR).astype(float))


def biweight(away, unlike, bodies, usual):
    """Less and less, none beyond FAR."""
    return _fit(away, np.maximum(1.0 - (unlike / FAR) ** 2, 0.0) ** 2)


def shrunk(away, unlike, bodies, usual):
    """The plain fit, but of what the node is off it only as much as chance explains."""
    weights = _fit(away, np.ones(len(away)))
    off = np.linalg.norm((bodies[0] - np.tensordot(weights, bodies, 1)).reshape(-1, 3), axis=-1).mean()
    chance = usual * np.sqrt(max(1.0 - weights[0], 0.0) / 2.0)
    kept = max(0.0, 1.0 - (chance / off) ** 2) if off > 0.0 else 0.0
    weights = (1.0 - kept) * weights
    weights[0] += kept
    return weights


WAYS = {
    "evened, kept": smooth_nodes,
    "half of the way": partly(slice(None), 0.5),
    "swings alone": partly(slice(1, None)),
    "posture alone": partly(slice(0, 1)),
    "cut at twice the usual": guarded(cut),
    "the same, speed counted in": guarded(cut, along=False),
    "biweight": guarded(biweight),
    "shrunk by chance": guarded(shrunk),
}


def print_tries(folder, straight_walks):
    """For each way: what it does for walks left out, for takes it was not chosen on, and to styles in one network."""
    print("other ways to even out, none told of kinds. walks: straight walks left out, cm, mean of 07, 16, 08;")
    print("held out: the error as a share of that as captured, mean and worst of the real sets that evening was not")
    print(
        "chosen on; styles: how much of the difference between styles is left, mean and least of the networks of styles"
    )
    walks = [tasks(cycles_of(folder, files)) for files in straight_walks.values()]
    sets = [tasks(cycles, TURN_AND_SPEED if turn else None) for _, cycles, turn in captured_sets(folder)]
    plain = [mean_error(found) for found in sets]
    styles = [(network_of(cycles), kinds) for _, cycles, kinds, _ in style_sets(folder, straight_walks["08"])]
    print(f"\n{'':30}{'walks':>8}{'held out':>12}{'worst':>8}{'styles':>10}{'least':>8}")
    print(f"{'as captured':30}{np.mean([mean_error(found) for found in walks]):8.2f}")
    for name, even in WAYS.items():
        error = np.mean([mean_error(found, even) for found in walks])
        shares = np.array([mean_error(found, even) for found in sets]) / plain
        left = [np.mean(apart(even(network), kinds) / apart(network, kinds)) for network, kinds in styles]
        percents = "".join(f"{100.0 * value:{width}.0f} %" for value, width in (
            (shares.mean(), 10), (shares.max(), 6), (np.mean(left), 8), (np.min(left), 6)))  # fmt: skip
        print(f"{name:30}{error:8.2f}{percents}")


def mean_error(found, even=None):
    return np.mean([task.blended(even=even)[0] for task in found])


def _spots_and_bodies(network):
    varied = np.ptp(network.points, axis=0) > 0.0
    spots = (network.points / np.where(varied, np.ptp(network.points, axis=0), 1.0))[:, varied]
    return spots, np.stack([places(synthesise(node.spectrum, FRAMES)) for node in network.nodes])


def _nearest(spots, i):
    apart_from = np.linalg.norm(spots - spots[i], axis=1)
    return np.argsort(apart_from, kind="stable")[: 2 * (spots.shape[1] + 1) + 1]


def _unlike(spots, bodies, i, near, *, along):
    away = spots[near] - spots[i]
    off = (bodies[near] - bodies[i]).reshape(len(near), -1)
    if along:
        conditions = np.concatenate([np.ones((len(near), 1)), away], axis=1)
        off = off - away @ (np.linalg.pinv(conditions) @ off)[1:]
    return np.linalg.norm(off.reshape(len(near), -1, 3), axis=-1).mean(axis=1)


def _fit(away, trusts):
    roots = np.sqrt(trusts)
    conditions = np.concatenate([np.ones((1, len(away))), away.T])
    return roots * np.linalg.pinv(conditions * roots)[:, 0]
