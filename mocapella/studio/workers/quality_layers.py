"""Layers over a network: distortion and foot slip, where they are worst, and what helps there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.blending.network import Network
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.errors import MotionError
from mocapella.hybrid.arranging import Playable, network_in
from mocapella.measure.distortion_maps import Survey, grid
from mocapella.measure.footskate import try_out
from mocapella.storage.values import load_network
from mocapella.studio.messages.details import Map
from mocapella.studio.messages.fields import Remedy
from mocapella.studio.workers.derivation import Tell


class _LayerSettings(NamedTuple):
    """How fine layers are, and which remedies are offered."""

    distortion: tuple[int, int] = (65, 33)  # columns and rows
    slip: tuple[int, int] = (17, 9)  # columns and rows; three cycles are played at each point
    better: float = 0.9  # of the worst before: a remedy that leaves more is not offered
    first_single_source: int = 6  # harmonic that is tried


_LAYERS = _LayerSettings()


class _Layer(NamedTuple):
    """What was measured over a network, its worst place, and what helps there."""

    values: Float[np.ndarray, "rows columns"]
    points: Float[np.ndarray, "rows columns 2"]
    unit: str
    worst: tuple[float, float]
    why: str
    remedies: list[Remedy]


def make_map(path: str, layer: Literal["distortion", "slip"], block: str, revision: int, tell: Tell) -> Map:
    """A layer over a block of the network in a .moca file. ``tell`` is called with its progress.

    Raises ``MotionError`` where nothing can be measured in this network.
    """
    playable = load_network(path)
    if not isinstance(playable, Playable):
        raise MotionError("layers are of networks and of blocks of hybrid networks")
    network = network_in(playable, block)
    tell("map", layer, 0, 1)
    values, points, unit, worst, why, remedies = _distortion(network) if layer == "distortion" else _slip(network, tell)
    low, high = points[0, 0].tolist(), points[-1, -1].tolist()
    measured = values[np.isfinite(values)]
    return Map(
        layer=layer,
        block=block,
        revision=revision,
        columns=values.shape[1],
        rows=values.shape[0],
        low=(low[0], low[1]),
        high=(high[0], high[1]),
        values=[round(value, 5) if np.isfinite(value) else None for value in values.ravel().tolist()],
        unit=unit,
        mean=float(measured.mean()),
        most=float(measured.max()),
        worst=worst,
        why=why,
        remedies=tuple(remedies),
    )


def _distortion(network: Network) -> _Layer:
    survey = Survey(network, columns=_LAYERS.distortion[0], rows=_LAYERS.distortion[1])
    here = survey.map()
    worst = here.worst
    remedies = [_go(worst)]
    for title, tried, command in _other_blends(network):
        other = survey.map(tried)
        if other.max < _LAYERS.better * here.max:
            text = f"The worst becomes {other.max:.3f} rad, the mean {other.mean:.3f} instead of {here.mean:.3f}."
            remedies.append(Remedy(title, text, command))
    remedies.append(_capture(worst))
    corners = network.place(worst)
    names = ", ".join(network.names[i] for i in corners.nodes)
    why = f"{worst[0]:+.1f}, {worst[1]:.2f}: the steps of {names} differ most here"
    return _Layer(here.values, here.points, "rad", worst, why, remedies)


def _other_blends(network: Network) -> Iterator[tuple[str, Network, msgspec.Raw]]:
    """Networks that blend the same nodes in other ways, with a title and the command that sets it."""
    first = _LAYERS.first_single_source
    if network.single_source is None and network.interpolant is None and network.n_harmonics >= first:
        single = network.with_single_source(SingleSource(first=first))
        yield "Single source", single, _raw(type="set_single_source", first=first)
    for rule in ("lively", "phasor", "streamlined"):
        tried = Network(network.nodes, network.corners.tolist(), rule=rule, harmonics=network.harmonics)
        if tried.rule is not network.rule:
            yield f"Blend by {rule}", tried, _raw(type="set_rule", rule=rule)


def _slip(network: Network, tell: Tell) -> _Layer:
    points = grid(network, *_LAYERS.slip)
    flat = points.reshape(-1, 2)
    inside = [i for i, point in enumerate(flat) if network.place(point).inside]
    if not inside:
        raise MotionError("the network is too thin for a map")
    row_by_row = np.full(len(flat), np.nan)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        tell("map", "slip", done, len(inside))

    trial = try_out(network, [tuple(flat[i].tolist()) for i in inside], progress=step)
    row_by_row[inside] = trial.slip_mm
    values = row_by_row.reshape(points.shape[:2])
    row, column = np.unravel_index(int(np.nanargmax(values)), values.shape)
    x, y = points[row, column].tolist()
    most = float(np.nanmax(values))
    why = f"{x:+.1f}, {y:.2f}: a planted foot slides {most:.2f} mm in three cycles"
    return _Layer(values, points, "mm", (x, y), why, [_go((x, y)), _capture((x, y))])


def _go(place: tuple[float, float]) -> Remedy:
    return Remedy("Go there", "See the character at this place.", _raw(type="point", at=place))


def _capture(place: tuple[float, float]) -> Remedy:
    return Remedy("Add a capture", f"A capture near {place[0]:+.1f}, {place[1]:.2f}, dropped there, becomes a node.")


def _raw(**command: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(command))
