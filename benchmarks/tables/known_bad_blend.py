"""A known bad blend of two walks, as chapter 7 of the thesis on networks has one: its distortion, and how it turns."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from rich.table import Table

from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import lively_blend, streamlined_blend
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.measure.distortion import Yardstick
from mocapella.motion.travel import turn_and_speed
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.studies.printed import table_of
from mocapella.studies.published import by_rule

_DROPS = (-61.3, -44.3)  # per cent, left and right foot, as published (§7.8.1)
_RADII = (78.9, 79.2)  # cm, before and after, as published (§7.5.1)
_STRAIGHT = 5.0  # °/s below which a walk goes round no centre
_CYCLES = 4  # played before the turn is measured
_FRAMES = 120  # of a cycle


def measured(network: Network) -> dict[str, Any]:
    """The worst half-and-half blend of two neighbouring walks, alone, without and with single-source harmonics.

    Returns ``motions``, ``turn`` (°/s) and ``speed`` of the blend, and ``ways``, a row for each way of blending: ``way
    feet_rad change_percent radius_cm``, left foot first; a straight walk has no radius.
    """
    edges = sorted(
        {edge for corners in network.corners.tolist() for edge in itertools.combinations(sorted(corners), 2)}
    )
    middles = np.array([network.points[list(edge)].mean(axis=0) for edge in edges])
    scores = Yardstick(network, middles).measure(by_rule(network, streamlined_blend)).scores
    first, second = (network.nodes[i] for i in edges[int(np.nanargmax(scores))])
    pair = Network([Node(first.name, (0.0, 0.0), first.spectrum), Node(second.name, (1.0, 0.0), second.spectrum)])
    middle = (0.5, 0.0)
    yardstick = Yardstick(pair, [middle])
    ways = {"streamlined": by_rule(pair, streamlined_blend)}
    for winner, other in ((first.name, second.name), (second.name, first.name)):
        switched = by_rule(pair, streamlined_blend, SingleSource(winners=((winner, other),)))
        ways[f"streamlined + SSH of {winner}"] = switched
    ways["lively"] = by_rule(pair, lively_blend)
    turn, speed = turn_and_speed(pair.blend(middle))
    rows: list[dict[str, Any]] = []
    for way, blended in ways.items():
        feet = yardstick.measure(blended).feet[0]
        before = np.array(rows[0]["feet_rad"]) if rows else feet
        change = 100.0 * (feet / before - 1.0)
        radius = None if abs(turn) < _STRAIGHT else 100.0 * largest_radius(blended, middle)
        rows.append({"way": way, "feet_rad": feet.tolist(), "change_percent": change.tolist(), "radius_cm": radius})
    return {"motions": [first.name, second.name], "turn": turn, "speed": speed, "ways": rows}


def printed(found: dict[str, Any]) -> list[Table | str]:
    """The figures for the terminal."""
    rows = [
        (
            row["way"],
            *(f"{score:.3f}" for score in row["feet_rad"]),
            *(f"{change:+.1f}" if change else "" for change in row["change_percent"]),
            "" if row["radius_cm"] is None else f"{row['radius_cm']:.1f}",
        )
        for row in found["ways"]
    ]
    rows += [("published, without", "", "", "", "", f"{_RADII[0]}"),
             ("published, with", "", "", *(f"{drop:+.1f}" for drop in _DROPS), f"{_RADII[1]}")]  # fmt: skip
    title = (
        f"§7.8.1 and §7.5.1: half {found['motions'][0]}, half {found['motions'][1]}, {found['turn']:+.0f}°/s, "
        f"{found['speed']:.2f} m/s"
    )
    heads = ("", "left foot, rad", "right", "left, %", "right, %", "largest radius of the turn, cm")
    return [table_of(title, heads, rows)]


def largest_radius(network: Network, point: tuple[float, float]) -> float:
    """How far the root is at most from the centre of the turn that a blend goes round, metres."""
    seconds = network.blend(point).duration
    player = Player(network, point, feet="anchored")
    clip = record(player, seconds=(_CYCLES + 1.5) * seconds, frame_rate=_FRAMES / seconds)
    path = clip.ground_path[_CYCLES * _FRAMES :]
    turned = np.exp(1j * (clip.headings[-1] - clip.headings[-1 - _FRAMES]))
    # From one cycle to the next every place is turned about the centre.
    centres = (path[_FRAMES:] - turned * path[:-_FRAMES]) / (1.0 - turned)
    return float(np.abs(path[:_FRAMES] - centres.mean()).max())
