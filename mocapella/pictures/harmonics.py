"""Harmonics side by side: magnitudes and phase angles of two motions, and what each harmonic does to a blend."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network, Point
from mocapella.errors import MotionError
from mocapella.measure.contact_trace import FootJoint
from mocapella.measure.contributions import trace_contributions
from mocapella.motion.spectrum import Spectrum
from mocapella.pictures import canvas

MOST = 20  # harmonics that bars are drawn of
_UPPER = 6  # the first harmonic of the upper band
_MOST_DOFS = 6
_COLOURS = (canvas.LEFT, canvas.RIGHT)


def draw_phase_angles(
    spectra: Sequence[Spectrum],
    dofs: Sequence[str],
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
) -> None:
    """Draw magnitudes and phase angles of some dofs of one or two motions as bars (thesis, figures 7.10, D.2)."""
    if not 1 <= len(spectra) <= len(_COLOURS) or not 1 <= len(dofs) <= _MOST_DOFS:
        raise MotionError(
            f"one or two motions and up to {_MOST_DOFS} dofs are drawn side by side, got {len(spectra)} and {len(dofs)}"
        )
    names = labels or [spectrum.name or f"motion {i + 1}" for i, spectrum in enumerate(spectra)]
    count = min(*(spectrum.n_harmonics for spectrum in spectra), MOST)
    if count < 1:
        raise MotionError("there are no harmonics to draw but the mean")
    figure = canvas.figure(9.0 if len(dofs) == 1 else 5.5 * len(dofs), 6.0)
    plots = figure.subplots(2, len(dofs), sharex=True, squeeze=False)
    at = np.arange(1, count + 1)
    width = 0.76 / len(spectra)
    for (upper, lower), dof in zip(plots.T, dofs, strict=True):
        for i, (spectrum, label) in enumerate(zip(spectra, names, strict=True)):
            own, alone = spectrum.only(dof), at + (width + 0.02) * (i - 0.5 * (len(spectra) - 1))
            upper.bar(alone, own.magnitudes[1 : count + 1, 0], width=width, color=_COLOURS[i], label=label)
            lower.bar(alone, own.phase_angles[1 : count + 1, 0], width=width, color=_COLOURS[i])
        upper.set_ylabel("magnitude", fontsize=8)
        upper.set_title(dof, fontsize=8)
        lower.set_ylabel("phase angle, rad", fontsize=8)
        lower.set_ylim(-np.pi, np.pi)
        lower.set_yticks([-np.pi, 0.0, np.pi], ["−π", "0", "π"])
        lower.axhline(0.0, color=canvas.PALE, linewidth=0.8)
        lower.set_xticks(at, [f"H{h}" for h in at], fontsize=7)
        _finish(upper, lower)
    plots[0, 0].legend(fontsize=8, frameon=False)
    title = f"{', '.join(dofs)} of {' and '.join(repr(name) for name in names)}"
    figure.suptitle(title, fontsize=10, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def draw_contributions(
    network: Network,
    point: Point,
    distortion: Float[np.ndarray, "harmonics points"],
    path: str | PathLike[str],
    *,
    joint: FootJoint = "ankle",
    title: str = "",
) -> None:
    """Draw what upper harmonics add to the foot traces sideways at a point, and to the distortion at many.

    ``distortion`` is what ``distortion_by_harmonics`` gives: mean and largest with so many harmonics (figure 7.5).
    """
    figure = canvas.figure(13.0, 4.6)
    left, right, total = figure.subplots(1, 3)
    for axes, (foot, parts) in zip(
        (left, right), trace_contributions(network, point, joint=joint).items(), strict=True
    ):
        first = min(_UPPER, len(parts) - 1)
        for harmonic in range(first, len(parts)):
            shade = 0.85 - 0.65 * (harmonic - first) / max(len(parts) - first, 1)
            along = np.linspace(0.0, 100.0, parts.shape[1])
            sideways = 1000 * parts[harmonic, :, 0]
            told = f"H{harmonic}, {np.ptp(sideways):.1f} mm"
            axes.plot(along, sideways, color=(0.1, 0.2, 0.4, shade), linewidth=1.2, label=told)
        axes.set_title(f"{foot} foot: what each harmonic adds to x, mm", fontsize=8)
        axes.set_xlabel("% of the stance", fontsize=7)
        axes.legend(fontsize=6, frameon=False)
    known = distortion[:, np.isfinite(distortion).all(axis=0)]
    at = np.arange(1, len(distortion) + 1)
    total.plot(at, known.max(axis=1), "o-", color=canvas.RIGHT, markersize=3, label="largest")
    total.plot(at, known.mean(axis=1), "o-", color=canvas.LEFT, markersize=3, label="mean")
    total.set_title("distortion with so many harmonics, rad", fontsize=8)
    total.set_ylim(bottom=0.0)
    total.legend(fontsize=7, frameon=False)
    _finish(left, right, total)
    figure.suptitle(title or f"{network!r}", fontsize=9, color=canvas.INK, ha="left", x=0.01)
    canvas.save_figure(figure, path)


def _finish(*plots: Any) -> None:
    for axes in plots:
        axes.grid(color="#eef0f4")
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=7)
