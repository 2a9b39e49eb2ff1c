"""Blends of motions whose foot strikes and lift-offs were brought to the same moments first.

Stance takes a smaller share of a faster step, so motions that are in step as a whole are not so at every moment. Here
each node gets a smooth warp from a common phase to its own, by which all feet come down and leave together; the warped
motions are averaged, and so are the warps, which bring the average back to time. One of the candidates that lost: what
it gains a plain shift gains too, and upper harmonics do not agree any better.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Complex, Float

from mocapella.blending.network import Network
from mocapella.blending.stances import Stances
from mocapella.errors import MotionError
from mocapella.motion.contacts import TURN, CycleContacts
from mocapella.motion.layout import AHEAD
from mocapella.motion.spectrum import waves

_WARP = 2  # harmonics of a warp
_STIFFNESS = 1.0  # how much a bend of a warp costs against missing an event
_SLOPES = (0.6, 1.6)  # how much a warp may slow a motion down, or hurry it
_MOMENTS = 64  # of the common phase at which motions are averaged: enough for ten harmonics to come back exactly


class Registered:
    """A network's nodes made ready to be averaged event by event.

    Raises
    ------
    MotionError
        Where no foot takes a step in all nodes, so that there is nothing to bring together.
    """

    def __init__(self, network: Network) -> None:
        stances = Stances.of([node.spectrum.contacts or CycleContacts() for node in network.nodes])
        steps = stances.known.all(axis=0)
        if not steps.any():
            raise MotionError("no foot takes a step in all of these motions, so no events can be brought together")
        begins = stances.starts[:, steps]
        events = np.concatenate([begins, begins + stances.lengths[:, steps]], axis=1)
        common = events.mean(axis=0)
        self._own = network.ensemble.coefficients
        moments = TURN * np.arange(_MOMENTS) / _MOMENTS
        bends = _limited(_fit(common, events - common), moments)
        self._warps = moments + bends @ _bending(moments).T
        self._slopes = 1.0 + bends @ _bending(moments, slope=True).T
        self._motions = np.real(waves(self._warps, self._own.shape[1] - 1) @ self._own)
        self._missed = self._own - self._averaged(np.eye(len(self._own)))

    def blends(self, weights: Float[np.ndarray, "points nodes"]) -> Complex[np.ndarray, "points harmonics dofs"]:
        """The coefficients of the blends with these weights; a node's own where it alone counts."""
        out = self._averaged(weights) + np.tensordot(weights, self._missed, axes=1)
        # How far and how much it turns in a cycle is no matter of when.
        out[:, 0, AHEAD:] = weights @ self._own[:, 0, AHEAD:]
        return np.asarray(out)

    def _averaged(self, weights: Float[np.ndarray, "points nodes"]) -> Complex[np.ndarray, "points harmonics dofs"]:
        # With y(u) the average and t(u) its time, a coefficient is the mean of y exp(−iht) t' over the common phase u:
        # the warp need not be turned round.
        motion = np.tensordot(weights, self._motions, axes=1)
        time, slope = weights @ self._warps, weights @ self._slopes
        turning = np.exp(-1j * time[:, None, :] * np.arange(self._own.shape[1])[:, None])
        return np.asarray((turning * (slope / _MOMENTS)[:, None, :]) @ motion)


def _bending(phases: Float[np.ndarray, " some"], *, slope: bool = False) -> Float[np.ndarray, "some terms"]:
    """A constant, cosines and sines at some phases, or their slopes."""
    numbers = np.arange(1, _WARP + 1)
    cosines, sines = np.cos(np.outer(phases, numbers)), np.sin(np.outer(phases, numbers))
    if slope:
        return np.concatenate([np.zeros((len(phases), 1)), -numbers * sines, numbers * cosines], axis=1)
    return np.concatenate([np.ones((len(phases), 1)), cosines, sines], axis=1)


def _fit(
    common: Float[np.ndarray, " events"], late: Float[np.ndarray, "nodes events"]
) -> Float[np.ndarray, "nodes terms"]:
    """For every node the smooth bend that comes near to how late its events are."""
    terms = _bending(common)
    stiff = np.concatenate([[1e-9], *2 * [np.arange(1.0, _WARP + 1) ** 4]])
    return np.asarray(np.linalg.solve(terms.T @ terms + _STIFFNESS * np.diag(stiff), terms.T @ late.T).T)


def _limited(
    bends: Float[np.ndarray, "nodes terms"], moments: Float[np.ndarray, " moments"]
) -> Float[np.ndarray, "nodes terms"]:
    """Bends made flatter where a warp would go too slowly or too fast."""
    slopes = bends @ _bending(moments, slope=True).T
    slow = (_SLOPES[0] - 1.0) / np.minimum(slopes.min(axis=1), _SLOPES[0] - 1.0)
    fast = (_SLOPES[1] - 1.0) / np.maximum(slopes.max(axis=1), _SLOPES[1] - 1.0)
    out = bends.copy()
    out[:, 1:] *= np.minimum(slow, fast)[:, None]
    return out
