"""Methods of the papers, as published, for tables and comparison: synchronisation by hips, blends, formulas."""

from __future__ import annotations

import cmath
from collections.abc import Sequence

import numpy as np
from jaxtyping import Complex, Float, Int

from mocapella.blending.network import Network
from mocapella.blending.rules import BlendRule, phasor_blend
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.editing.trajectory import blended_bodies, refuse_unlike_clips
from mocapella.errors import MotionError
from mocapella.geometry.alignment import ground_alignment
from mocapella.geometry.angles import TURN, wrap
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.rig.legs import hip_angles

# Synchronisation by hips.
#
# A blend of two gaits that are out of step moves both legs together, so that the difference of the hip angles, added up
# over the blend, is smallest for the worst offset; the best is half a cycle from it (eqs 6.1 to 6.3). By the 2010 rule
# (``unit_blend``) the directions of the left and of the right hip turn over at once, at offsets that are a few frames
# apart: between them the sums drop sharply, as in table 6.1. If both turn over within one frame there is no drop. By
# the thesis's own rule (``streamlined_blend``) they turn over gradually, and the sums hardly drop. By phasors the sums
# fall over a quarter of the cycle for every pair, which is why they are the default.

_HARMONICS = 10  # of the hip angles


def difference_table(
    cycle: Cycle, references: Sequence[Cycle], *, rule: BlendRule = phasor_blend
) -> Float[np.ndarray, "offsets references"]:
    """Eq 6.1: Σ |left − right| of the hip angles of 50/50 blends, for every whole offset of ``cycle``.

    The hip angles of ``cycle`` and each of the ``references`` are blended by ``rule``. The result is in radians, added
    up over the frames of the blend; a row per offset, a column per reference.
    """
    return np.stack([_accumulated(cycle, reference, rule) for reference in references], axis=-1)


def worst_offset(sums: Float[np.ndarray, " offsets"]) -> float:
    """The middle of the range of low sums, in frames: where the blend is most out of step.

    Low is what lies nearer to the least than to the median; the range may run over the end of the table.
    """
    least = int(np.argmin(sums))
    low = sums < 0.5 * (float(sums[least]) + float(np.median(sums)))
    if low.all() or not low.any():
        return float(least)
    from_least = np.roll(low, -least)
    after = int(np.argmin(from_least))
    before = int(np.argmin(from_least[::-1]))
    return (least + 0.5 * (after - 1 - before)) % len(sums)


def average_offset(first: float, second: float, n_frames: int) -> float:
    """The offset midway between two on the circle of a cycle's frames (eq 6.3)."""
    if abs(first - second) > 0.5 * n_frames:
        return (0.5 * (first + second - n_frames)) % n_frames
    return 0.5 * (first + second)


def best_offset(table: Float[np.ndarray, "offsets references"]) -> int:
    """The offset, in whole frames, that brings a cycle into step with one or two references (eq 6.2)."""
    worst = [worst_offset(column) for column in table.T]
    if not 1 <= len(worst) <= 2:
        raise MotionError(f"expected one or two references, got {len(worst)}")
    n = len(table)
    return int(np.floor(average_offset(worst[0], worst[-1], n) + 0.5 * n + 0.5)) % n


def synchronised_by_hips(cycle: Cycle, references: Sequence[Cycle], *, rule: BlendRule = phasor_blend) -> Cycle:
    """The ``cycle`` shifted into step with one or two ``references`` by the papers' procedure (eqs 6.1 to 6.3).

    It moves by whole frames. ``rule`` blends the hip angles: the papers' are ``unit_blend`` and ``streamlined_blend``.
    """
    frames = best_offset(difference_table(cycle, references, rule=rule))
    moved = cycle.starting_at(TURN * frames / cycle.n_frames)
    return moved.decided("synchronise", f"begun {frames} frames later by the hips (eq 6.1)", frames=frames)


def _accumulated(cycle: Cycle, reference: Cycle, rule: BlendRule) -> Float[np.ndarray, " offsets"]:
    own, other = _harmonics(cycle), _harmonics(reference)
    rows, n_offsets = min(len(own), len(other)), cycle.n_frames
    n_out = round(0.5 * (n_offsets + reference.n_frames))
    harmonics = np.arange(rows)
    turns = np.exp(1j * TURN * np.outer(harmonics, np.arange(n_offsets)) / n_offsets)
    shifted = (turns[..., None] * own[:rows, None]).reshape(rows, -1)  # a dof for every offset of every hip
    mixed = rule(np.stack([shifted, np.tile(other[:rows], n_offsets)]), np.array([0.5, 0.5]))
    factors = np.exp(1j * TURN * np.outer(np.arange(n_out), harmonics) / n_out)
    factors[:, 1:] *= 2.0
    left, right = np.moveaxis((factors @ mixed).real.reshape(n_out, n_offsets, 2), -1, 0)
    return np.asarray(np.abs(left - right).sum(axis=0))


def _harmonics(cycle: Cycle) -> Complex[np.ndarray, "harmonics 2"]:
    """The harmonics of the left and the right hip angle."""
    count = min(_HARMONICS, (cycle.n_frames + 1) // 2 - 1)
    return np.asarray(np.fft.rfft(hip_angles(cycle), axis=0, norm="forward")[: count + 1])


# Blending by registration curves.
#
# Paths that part by more than half a turn do not collapse, because bodies are aligned before they are blended; but
# every pair of motions needs alignments of its own, where ``blend_frames`` needs only the motions.


def blend_aligned(first: Clip, second: Clip, share: float | int) -> Clip:
    """Two clips blended with the second aligned to the first on the ground in every frame.

    From each frame to the next both clips continue from where their bodies lie over each other, and the mean of both
    steps is taken. Everything but path and heading is blended as by ``blend_frames``. ``first`` and ``second`` have one
    skeleton and the same number of frames; ``share`` is the weight of the first, with 1 or 0 the clips come out as they
    were. The first frame of the blend is blended in place.
    """
    refuse_unlike_clips(first, second, share)
    rest = 1.0 - share
    # Places on the ground as complex numbers, z + ix, so that a turn to the left is a factor.
    one, two = (clip.ground_path for clip in (first, second))
    yaws = [clip.headings.tolist() for clip in (first, second)]
    laid = [ground_alignment(still, moved) for still, moved in zip(first.positions, second.positions, strict=True)]

    def mean(frame: int, by: int) -> tuple[complex, float]:
        """Place and heading of the blend in the first motion's world, the second laid over it as in frame ``by``."""
        over = laid[by]
        x, _, z = over.applied(second.root_positions[frame]).tolist()
        apart = float(wrap(np.asarray(yaws[1][frame] + over.yaw - yaws[0][frame])))
        return share * complex(one[frame]) + rest * complex(z, x), yaws[0][frame] + rest * apart

    place = share * complex(one[0]) + rest * complex(two[0])
    yaw = yaws[1][0] + share * float(wrap(np.asarray(yaws[0][0] - yaws[1][0])))
    way, facing = [place], [yaw]
    for frame in range(1, first.n_frames):
        # The blend's world is the first motion's, turned and moved; the step is taken before it changes.
        here, before = mean(frame - 1, frame - 1)
        goal, after = mean(frame, frame - 1)
        place += (goal - here) * cmath.exp(1j * (yaw - before))
        yaw += after - before
        way.append(place)
        facing.append(yaw)
    ground = np.stack([np.imag(way), np.real(way)], axis=1)
    return blended_bodies(first, second, share, ground, np.array(facing))


# Blends by another rule, and by the papers' formulas term by term.


def by_rule(network: Network, rule: BlendRule, single_source: SingleSource | None = None) -> Network:
    """A network of the same nodes and triangles that blends by another rule."""
    return network.remade(network.nodes, network.triangles, rule=rule, single_source=single_source, interpolant=None)


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


def windowed(
    signals: Float[np.ndarray, " frames *rest"],
) -> tuple[Float[np.ndarray, " bins"], Complex[np.ndarray, " bins *rest"]]:
    """The spectrum of a clip that does not close: cycles per frame, and coefficients of the signals about their means.

    The frames are padded with zeros to a power of two, so that no period is preferred for fitting in.
    """
    window = 1 << max(len(signals) - 1, 0).bit_length()
    centred = signals - signals.mean(axis=0)
    return np.fft.rfftfreq(window), np.fft.rfft(centred, window, axis=0) / len(signals)


def to_series(
    coefficients: Complex[np.ndarray, "harmonics dofs"],
) -> tuple[Float[np.ndarray, "harmonics dofs"], Float[np.ndarray, "harmonics dofs"]]:
    """The cosine and sine coefficients of a spectrum; row 0 holds the mean itself, not twice it."""
    cosines, sines = 2.0 * coefficients.real, -2.0 * coefficients.imag
    cosines[0], sines[0] = coefficients[0].real, 0.0
    return cosines, sines


def sine_series(
    coefficients: Complex[np.ndarray, "harmonics dofs"],
) -> tuple[Float[np.ndarray, "harmonics dofs"], Float[np.ndarray, "harmonics dofs"]]:
    """The form ``A[0] + Σ A[h] sin(h t + φ[h])`` of a spectrum: amplitudes and sine phases.

    A sine phase is the cosine phase plus a quarter turn (the arctangents printed for it differ, D7).

    The returned ``phases`` are in radians, −π … π; 0 for the mean and where the amplitude is 0.
    """
    cosines, sines = to_series(coefficients)
    amplitudes = np.hypot(cosines, sines)
    phases = np.arctan2(cosines, sines)
    amplitudes[0], phases[0] = cosines[0], 0.0
    return amplitudes, np.where(amplitudes == 0.0, 0.0, phases)
