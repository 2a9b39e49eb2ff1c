"""Ways of blending that others have used, kept for comparison: none is better than the phasor rule, some are worse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.blending.rules import Mixed, Stacked, Weights, phasor_blend
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.spectrum import NO_MAGNITUDE
from mocapella.reals import shown

TURN = 2.0 * np.pi


def naive_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Magnitudes and phase angles (0 … 2π) averaged as plain numbers (Unuma 1995): 10° and 350° make 180°."""
    angles = np.where(np.abs(coefficients) < NO_MAGNITUDE, 0.0, np.angle(coefficients) % TURN)
    sizes = np.einsum("...n,nhd->...hd", weights, np.abs(coefficients))
    mixed = sizes * np.exp(1j * np.einsum("...n,nhd->...hd", weights, angles))
    mixed[..., 0, :] = phasor_blend(coefficients[:, :1], weights)[..., 0, :]
    return np.asarray(mixed)


def series_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """Cosine and sine coefficients averaged each on its own (Pettré and Laumond 2006); the phasor rule in other words.

    Their series runs over cos(kπt/T) and sin(kπt/T) of a period 2T, with half the first coefficient for the mean.
    """
    cosines, sines = 2.0 * coefficients.real, -2.0 * coefficients.imag
    alphas = np.einsum("...n,nhd->...hd", weights, cosines)
    betas = np.einsum("...n,nhd->...hd", weights, sines)
    return np.asarray(0.5 * (alphas - 1j * betas))


def approximate_blend(coefficients: Stacked, weights: Weights) -> Mixed:
    """The streamlined rule with the approximate arctangent of the thesis: phase angles are up to 0.92° wrong."""
    phasors = phasor_blend(coefficients, weights)
    sizes = np.maximum(np.einsum("...n,nhd->...hd", weights, np.abs(coefficients)), 0.0)
    mixed = sizes * np.exp(1j * approximate_arctan2(phasors.imag, phasors.real))
    mixed[..., 0, :] = phasors[..., 0, :]
    return np.asarray(mixed)


def approximate_arctan2(y: Float[np.ndarray, "*shape"], x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The angle of (x, y) by p − q/(t + r), t = |y/x|, carried to all quadrants (eq. 5.5; eq. 3 prints a wrong sign).

    At most 0.92° off, and a little below 0 for y = 0, so never to be used where the sign matters; 0 at the origin.
    """
    across, up = np.abs(x), np.abs(y)
    low = 2.0 * up <= across
    p, q, r = (np.where(low, a, b) for a, b in ((1.597, 1.583), (1.992, 1.259), (1.237, 0.609)))
    # Both sides of the fraction times |x|, so that a point straight above needs no division by zero.
    beneath = up + r * across
    angle = p - np.divide(q * across, beneath, out=np.zeros_like(beneath), where=beneath > 0.0)
    angle = np.where(x < 0.0, np.pi - angle, angle)
    return np.asarray(np.where(beneath > 0.0, np.where(y < 0.0, -angle, angle), 0.0))


def time_domain_blend(
    motions: Sequence[Float[np.ndarray, "_ dofs"]], weights: Weights
) -> tuple[Float[np.ndarray, "*batch frames dofs"], int]:
    """Cycles brought to one number of frames and averaged frame by frame; the result, and that number.

    The number is that of the longest cycle, so that nothing any of them holds is lost; cycles are resampled exactly, by
    their harmonics.
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
    """Rotations mixed one after another by slerp, each with its share of the weight so far; the order matters.

    Weights are made to sum to 1; none may be negative.
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


def literal_blend(
    magnitudes: Float[np.ndarray, "nodes harmonics dofs"],
    phase_angles: Float[np.ndarray, "nodes harmonics dofs"],
    weights: Float[np.ndarray, " nodes"],
    stack: Int[np.ndarray, " harmonics"],
) -> tuple[Float[np.ndarray, "harmonics dofs"], Float[np.ndarray, "harmonics dofs"]]:
    """The streamlined rule one harmonic after another, those that a stack gives to one node copied, for tables of cost.

    Magnitudes and phase angles come in and go out (eqs 5.2 to 5.4), so every blended harmonic costs sines, cosines and
    an arctangent.
    """
    out_sizes, out_angles = np.empty(magnitudes.shape[1:]), np.empty(magnitudes.shape[1:])
    for h, source in enumerate(stack.tolist()):
        sizes, angles = magnitudes[:, h], phase_angles[:, h]
        if source >= 0:
            out_sizes[h], out_angles[h] = sizes[source], angles[source]
            continue
        up, across = weights @ (sizes * np.sin(angles)), weights @ (sizes * np.cos(angles))
        out_angles[h] = np.arctan2(up, across)
        out_sizes[h] = weights @ sizes if h else np.hypot(up, across)  # the mean has its sign in its angle
    return out_sizes, out_angles


def literal_synthesis(
    magnitudes: Float[np.ndarray, "harmonics dofs"], phase_angles: Float[np.ndarray, "harmonics dofs"], frames: int
) -> Float[np.ndarray, "frames dofs"]:
    """One cosine per harmonic, dof and frame (eq. 5.10), for the tables of cost; the mean has its sign in its angle."""
    steps = TURN * np.arange(frames) / frames
    out = np.tile(magnitudes[0] * np.cos(phase_angles[0]), (frames, 1))
    for h in range(1, len(magnitudes)):
        out += 2.0 * magnitudes[h] * np.cos(h * steps[:, None] + phase_angles[h])
    return out


def literal_series_synthesis(
    cosines: Float[np.ndarray, "harmonics dofs"], sines: Float[np.ndarray, "harmonics dofs"], frames: int
) -> Float[np.ndarray, "frames dofs"]:
    """A cosine and a sine per harmonic, dof and frame (Pettré and Laumond's form), for the tables of cost."""
    steps = TURN * np.arange(frames) / frames
    out = np.tile(cosines[0], (frames, 1))
    for h in range(1, len(cosines)):
        angles = np.broadcast_to(h * steps[:, None], out.shape)
        out += cosines[h] * np.cos(angles) + sines[h] * np.sin(angles)
    return out


def _resampled(motion: Float[np.ndarray, "frames dofs"], frames: int) -> Float[np.ndarray, "_ dofs"]:
    spectrum: Complex[np.ndarray, "_ dofs"] = np.fft.rfft(motion, axis=0, norm="forward")
    if len(motion) % 2 == 0 and frames > len(motion):
        spectrum[-1] *= 0.5  # half of it belongs to the mirror image that more frames can tell apart
    return np.asarray(np.fft.irfft(spectrum, frames, axis=0, norm="forward"))
