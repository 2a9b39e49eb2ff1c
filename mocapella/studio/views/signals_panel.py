"""Messages of the panels of signals: curves and spectra of a dof, foot traces, two motions in step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mocapella.analysis.fourier import synthesise
from mocapella.analysis.synchronise import agreement, phase_in_step
from mocapella.blending.bank import blend
from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.geometry.angles import TURN
from mocapella.measure.distortion import Yardstick
from mocapella.motion.layout import N_ROOT_DOFS, Layout
from mocapella.motion.spectrum import Spectrum
from mocapella.studio.messages.details import FootTraceView, Spectra, SpectrumView, SyncStrip, Traces
from mocapella.studio.views.pose_packing import PHASES, flexion, phase_plants, small, spectrum_points

_SAMPLES = 96  # of a curve over a cycle
_RATE = 60.0  # frames per second in which offsets are told
_OFFSETS = 120  # at which agreement is told
_ROOT_UNITS = ("m", "m/s", "m/s", "rad/s")

Point = tuple[float, ...]


def spectra(
    network: Network, dof: str, sources: Sequence[str], point: Point, *, harmonics: int | None = None, block: str = ""
) -> Spectra:
    """Curves, magnitudes and phase angles of one dof in some motions.

    ``dof`` is a name of the layout, or of a joint for its flexion. An empty source is the blend at ``point``. None uses
    all ``harmonics`` of the network.
    """
    layout = network.layout
    if layout is None:
        raise MotionError("these motions have no layout, so their dofs have no names")
    place = network.place(point)
    most = min(harmonics or network.n_harmonics, network.n_harmonics)
    views = []
    for source in sources:
        motion = network.blend(place) if not source else network.node(source).spectrum
        motion = motion.truncated(min(most, motion.n_harmonics))
        stack = network.stack(place).tolist()[: most + 1] if not source else [-1] * (motion.n_harmonics + 1)
        views.append(_view(motion, layout, dof, source or "blend", stack))
    return Spectra(dof=dof, unit=_unit(layout, dof), block=block, harmonics=most, motions=tuple(views))


def _view(motion: Spectrum, layout: Layout, dof: str, name: str, stack: list[int]) -> SpectrumView:
    dofs = motion.at(np.arange(_SAMPLES) * TURN / _SAMPLES)
    if dof in layout.skeleton.names:
        curve = np.unwrap(flexion(layout.rotations(dofs)[:, layout.skeleton.index(dof)]), period=360.0)
        coefficients = np.fft.rfft(curve, norm="forward")[: motion.n_harmonics + 1]
    else:
        column = layout.index(dof)
        scale = _scale(layout, dof)
        curve = scale * dofs[:, column]
        coefficients = np.asarray(scale * motion.coefficients[:, column])
    return SpectrumView(
        name=name,
        period=motion.duration,
        curve=curve.tolist(),
        magnitudes=np.abs(coefficients).tolist(),
        phases=np.degrees(np.angle(coefficients)).tolist(),
        source=stack,
    )


def _unit(layout: Layout, dof: str) -> str:
    if dof in layout.names[-N_ROOT_DOFS:]:
        return _ROOT_UNITS[layout.names[-N_ROOT_DOFS:].index(dof)]
    return "" if layout.kind == "quaternion" and dof not in layout.skeleton.names else "°"


def _scale(layout: Layout, dof: str) -> float:
    """Radians of angles become degrees."""
    root = dof in layout.names[-N_ROOT_DOFS:]
    return 1.0 if root or layout.kind == "quaternion" else 180.0 / np.pi


def traces(network: Network, point: Point, *, block: str = "") -> Traces:
    """Foot traces of the blend at a point, of its corners and of the ideal, in millimetres.

    Raises ``MotionError`` where no step can be measured there.
    """
    place = network.place(point).point
    yardstick = Yardstick(network, [place])
    score = float(yardstick.measure().scores[0])
    return Traces(
        block=block,
        point=(float(place[0]), float(place[1])),
        distortion=score if np.isfinite(score) else None,
        feet=tuple(
            FootTraceView(
                trace.foot,
                _pairs(trace.blend),
                _pairs(trace.reference),
                [_pairs(rows) for rows in trace.inputs],
                trace.names,
            )
            for trace in yardstick.traces(0)
        ),
    )


def _pairs(rows: Float[np.ndarray, "samples 2"]) -> list[tuple[float, float]]:
    return [(float(x), float(z)) for x, z in np.round(1000.0 * rows, 2)]


def sync_strip(network: Network, first: str, second: str, *, offset: float, tried: float, block: str = "") -> SyncStrip:
    """Two motions of a network and their half-way blend, with an offset tried.

    The second was turned by ``offset`` degrees by hand already, and is turned by ``tried`` degrees more.
    """
    a, b = network.node(first).spectrum, network.node(second).spectrum
    turned = b.starting_at(np.radians(tried))
    half = blend([a, turned], (0.5, 0.5), rule=network.rule)
    best = float(np.degrees(phase_in_step([b], [a])))
    cycles = [synthesise(motion, 2 * motion.n_harmonics + 2) for motion in (a, b)]
    curve = agreement(cycles[1], cycles[0], np.arange(_OFFSETS) * TURN / _OFFSETS)
    points = [spectrum_points(motion) for motion in (a, turned, half)]
    return SyncStrip(
        first=first,
        second=second,
        block=block,
        frames=(round(_RATE * a.duration), round(_RATE * b.duration)),
        seconds=(a.duration, b.duration),
        agreement=np.round(curve, 4).tolist(),
        best=(best + 180.0) % 360.0 - 180.0,
        offset=offset,
        tried=tried,
        n_points=points[0].shape[1],
        phases=PHASES,
        a=small(points[0]),
        b=small(points[1]),
        half=small(points[2]),
        plants=(phase_plants(a.contacts), phase_plants(turned.contacts), phase_plants(half.contacts)),
        decision=f"best where the low harmonics of all joints agree: {best:+.1f}°",
    )
