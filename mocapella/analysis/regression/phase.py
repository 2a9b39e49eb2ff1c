"""The cycle phase of every frame of a stretch in which one cycle repeats, its pace changing slowly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.polynomial import legendre

from mocapella.geometry.angles import TURN

Phases = Float[np.ndarray, " frames"]
Rows = Float[np.ndarray, "frames signals"]


@dataclass(frozen=True)
class _PhaseTracking:
    """How phases follow a motion."""

    changes: float = 0.03  # of the period: how much it commonly changes from one cycle to the next
    correlated: float = 4.0  # frames of residual that count as one
    rounds: tuple[int, ...] = (3, 3, 6, 6, 6, 6)  # harmonics of the cycle that frames are compared with, in turn
    furthest: float = 0.6  # radians that a phase moves in a round at most
    knots: float = 2.0  # per cycle, between which the pace is constant


_TRACKING = _PhaseTracking()


def waves(phases: Phases, n_harmonics: int) -> Float[np.ndarray, "frames waves"]:
    """Cosines, then sines, of the harmonics from 1 on."""
    angles = np.outer(phases, np.arange(1, n_harmonics + 1))
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)


def slow(n_frames: int, degree: int) -> Float[np.ndarray, "frames polynomials"]:
    """Legendre polynomials over a stretch, up to a degree."""
    return legendre.legvander(np.linspace(-1.0, 1.0, n_frames), degree)


def solved(
    design: Float[np.ndarray, "frames terms"], rows: Rows, weights: Phases
) -> Float[np.ndarray, "terms signals"]:
    """The coefficients of a weighted least-squares fit."""
    root = np.sqrt(weights)[:, None]
    return np.asarray(np.linalg.lstsq(design * root, rows * root, rcond=None)[0])


def track_phases(rows: Rows, phases: Phases, weights: Phases, n_rounds: int = len(_TRACKING.rounds)) -> Phases:
    """Phases at which every frame is most like one cycle, which is fitted to all of them in turn.

    ``phases`` are a first guess. Their mean stays where it is. Frames of weight 0 have phases between those around
    them.
    """
    n_frames = len(rows)
    for n_harmonics in _TRACKING.rounds[-n_rounds:]:
        wave = waves(phases, n_harmonics)
        design = np.concatenate([slow(n_frames, 1), wave], axis=1)
        coefficients = solved(design, rows, weights)
        residual = rows - design @ coefficients
        variances = (weights[:, None] * residual**2).sum(axis=0) / max(weights.sum() - design.shape[1], 1.0) + 1e-12
        orders = np.arange(1, n_harmonics + 1)
        turned = np.concatenate([-wave[:, n_harmonics:] * orders, wave[:, :n_harmonics] * orders], axis=1)
        slopes = turned @ coefficients[2:]  # of every signal by the phase
        trust = weights / _TRACKING.correlated
        certainty = trust * (slopes**2 / variances).sum(axis=1)
        push = trust * (slopes * residual / variances).sum(axis=1)
        phases = np.maximum.accumulate(phases + _smooth_move(phases, certainty, push) + 1e-6 * np.arange(n_frames))
    return phases


def _smooth_move(phases: Phases, certainty: Phases, push: Phases) -> Phases:
    """The move of the phases that the frames call for, by pieces of constant pace that differ little."""
    n_frames = len(phases)
    cycles = (phases[-1] - phases[0]) / TURN
    knots = np.linspace(0, n_frames - 1, max(3, int(np.ceil(_TRACKING.knots * cycles)) + 1))
    hats = np.maximum(0.0, 1.0 - np.abs(np.arange(n_frames)[:, None] - knots) / (knots[1] - knots[0]))
    bends = np.diff(np.eye(len(knots)), 2, axis=0)
    stiffness = bends.T @ bends / (TURN / _TRACKING.knots * _TRACKING.changes) ** 2
    matrix = hats.T @ (certainty[:, None] * hats) + stiffness + 1e-9 * np.eye(len(knots))
    goal = hats.T @ push - stiffness @ np.interp(knots, np.arange(n_frames), phases)
    move = np.clip(hats @ np.linalg.solve(matrix, goal), -_TRACKING.furthest, _TRACKING.furthest)
    return np.asarray(move - move.mean())
