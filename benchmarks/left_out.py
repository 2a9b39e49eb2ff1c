"""Captures predicted by the network of all others: the protocol that every table of left-out captures follows.

Each capture that lies between slower and faster ones, and where turns count inside the network of the others, is left
out and predicted at its own place by the network that ``build`` makes of the others. A place by stride and speed that
lies outside goes to the outline, as any point does. The error is the mean distance of all joints but hands, root on
root, over a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import mocapella as mo
from benchmarks.tables.left_out import LeftOut, left_out
from mocapella.analysis.fourier import synthesise
from mocapella.analysis.likeness import joint_error as metres_apart
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.rules import naive_blend, phasor_blend

HARMONICS = 10
BEGINNINGS = 32  # of cycles that the naive rule is averaged over: it depends on where cycles begin


@dataclass(frozen=True, eq=False)
class Task:
    """A capture to predict, and what is to be made of the others."""

    case: LeftOut

    def network(self, rule=phasor_blend, start=0.0):
        """The others as a network, all begun ``start`` radians into the cycle."""
        nodes = [replace(node, spectrum=node.spectrum.starting_at(start)) for node in self.case.network.nodes]
        return Network(nodes, self.case.network.triangles, rule=rule)

    def error(self, spectrum):
        """How far a motion is from the capture, cm."""
        return joint_error(synthesise(spectrum, self.case.target.n_frames), self.case.target)

    def blended(self, rule=phasor_blend, even=None):
        """The error of the network's blend, for every beginning tried; ``even`` makes another network of it first."""
        starts = np.linspace(0.0, 2.0 * np.pi, BEGINNINGS, endpoint=False) if rule is naive_blend else (0.0,)
        networks = (self.network(rule, start) for start in starts)
        return [self.error((even(one) if even else one).blend(self.case.point)) for one in networks]

    def nearest(self):
        """The error of playing the capture that is nearest instead."""
        points = self.case.network.points
        spread = np.maximum(np.ptp([*points, self.case.point], axis=0), 1e-9)
        apart = np.linalg.norm((points - self.case.point) / spread, axis=1)
        return joint_error(self.case.others[int(np.argmin(apart))], self.case.target)

    def best(self):
        """The least error that any weights from 0 on give, chosen with hindsight: no such blend can do better.

        Weights are looked for from the network's own, from every single capture and from all alike.
        """
        network = self.network()
        bank, everyone = network.bank, np.arange(len(self.case.others))

        def error(weights):
            shares = np.maximum(weights, 0.0)
            return self.error(bank.mix(everyone, shares / shares.sum(), phasor_blend))

        own = network.place(self.case.point)
        start = np.zeros(len(everyone))
        start[own.nodes] = own.weights
        starts = [start, np.full(len(start), 1.0 / len(start)), *np.eye(len(start))]
        first = min(starts, key=error)
        begun = 0.8 * first + 0.2 / len(first)  # away from the border, where no slope can be measured
        found = minimize(error, begun, method="SLSQP", bounds=[(0.0, 1.0)] * len(first), options={"eps": 1e-3},
                         constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1.0})  # fmt: skip
        return min(error(first), error(found.x))


def tasks(cycles, axes=None):
    """One task for each of the cycles that lies between others; without axes they lie by speed alone."""
    return [Task(case) for case in left_out(cycles, axes, harmonics=HARMONICS)]


def joint_error(one, other):
    """How far apart two motions are, brought into step, cm."""
    return 100.0 * metres_apart(one, other)


def cycles_of(folder, names, **wanted):
    """The best cycle of every file that has one; why the others have none is printed."""
    out = []
    for name in names:
        try:
            out.append(prepare(mo.load(folder / name), **wanted))
        except mo.MotionError as error:
            print(f"  {Path(name).name}: {error}")
    return out


def below(one, other):
    """By how much one error is below another, in words."""
    return f"{100.0 - 100.0 * one / other:.0f} %"
