"""How long a transition is waited for: equation 6.4 of the thesis on networks, and §6.7.4's way to the trigger zone."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.hybrid.hybrid_network import Arc, HybridNetwork
from mocapella.playback.player import Player
from mocapella.playback.settings import DEFAULTS
from mocapella.studies.demo import demo_hybrid
from mocapella.studies.paper_tables import Sources
from mocapella.studies.printed import table_of

_DELAYS = {"run-walk": 0.38, "run-twirl-run": 0.39, "walk-run": 0.64, "walk-twirl-walk": 0.67}  # s, as published
_WAYS = {"medium run left": 0.2, "medium run straight": 0.02}  # s from a motion to the trigger zone, as published
_TRIGGERS = 100  # random moments of each transition, one in each hundredth of the cycle
_STARTS = 20  # random moments of each way to a trigger zone, one in each twentieth of the cycle
_STEP = 0.1  # s: coarse, so that joins fall anywhere between two steps
_FRAME = 0.01  # s of a frame, as in the thesis
_LATEST = 5.0  # s within which a trigger zone has to be entered
IN_ORDER = ("network", "waiting", "change", "network")


def made(sources: Sources) -> dict[str, Any]:
    """The delays, always of the actor.

    Returns ``delays``: ``change eq_6_4 measured mirrored largest_step published`` of each transition, seconds, with the
    largest rotation of a joint within 0.1 s as a multiple of the capture's; ``ways``: ``start jump key eased
    published``, seconds from a motion to the trigger zone of the change to a walk, if the point jumps there, goes there
    at the press of a key, or follows the pointer with the default easing.
    """
    plain, both = (demo_hybrid(standing=True, mirrored=mirrored) for mirrored in (False, True))
    delays = []
    for arc in plain.arcs:
        if arc.at_once:
            continue
        sources.tell(f"waiting for {arc.name}")
        (mean, step), (soonest, other_step) = (delay(hybrid, hybrid.arc(arc.name)) for hybrid in (plain, both))
        delays.append(
            {
                "change": arc.name,
                "eq_6_4": 0.5 * on_node(plain, arc, 0.0).spectrum.duration,
                "measured": mean,
                "mirrored": soonest,
                "largest_step": max(step, other_step),
                "published": _DELAYS.get(arc.name),
            }
        )
    sources.tell("moving the point to a trigger zone")
    ways = [
        {
            "start": start,
            "jump": _way(plain, start, ease=0.0),
            "key": _way(plain, start, ease=0.0, key=True),
            "eased": _way(plain, start),
            "published": published,
        }
        for start, published in _WAYS.items()
    ]
    return {"triggers": _TRIGGERS, "delays": delays, "ways": ways}


def printed(found: dict[str, Any]) -> list[Table | str]:
    """Both tables for the terminal."""
    keys = ("eq_6_4", "measured", "published", "mirrored")
    delays = [
        (
            row["change"],
            *("" if row[key] is None else f"{row[key]:.2f}" for key in keys),
            f"{row['largest_step']:.2f} ×",
        )
        for row in found["delays"]
    ]
    ways = [
        (row["start"], *(f"{row[key]:.2f}" for key in ("jump", "key", "eased", "published"))) for row in found["ways"]
    ]
    title = f"equation 6.4: s from the trigger zone to the change, mean of {found['triggers']} random moments"
    heads = ("", "eq 6.4, ours", "measured", "published", "with its mirror image", "largest step of a joint")
    return [
        table_of(title, heads, delays),
        table_of(
            "§6.7.4: s from a run to the trigger zone of the change to a walk",
            ("", "point jumps", "at a key", "eased, default", "published"),
            ways,
        ),
        f"a point that jumps arrives as fast as joints may change, {DEFAULTS.agility:g} rad/s; published: 0.2 s so "
        "that nothing looks abrupt, and 0.02 s, as fast as a mouse is moved",
    ]


def on_node(hybrid: HybridNetwork, arc: Arc, phase: float, **options: object) -> Player:
    """A player about to take an arc, at a phase of the cycle."""
    mode = next(mode.name for mode in hybrid.modes if arc.name in mode.arcs)
    at = hybrid.network(arc.source.block, mode).node(arc.source.node).at
    return Player(hybrid, at, block=arc.source.block, mode=mode, phase=phase, **options)  # type: ignore[arg-type]


def delay(hybrid: HybridNetwork, arc: Arc) -> tuple[float, float]:
    """The mean delay over random moments, seconds, each played step by step through the whole change.

    Second, the largest rotation of a joint within a step as a multiple of the capture's own: a pop would be large.
    """
    clip = arc.transition.clip
    apart = round(_STEP * clip.frame_rate)
    usual = quaternions.angle_between(clip.rotations_wxyz[:-apart, 1:], clip.rotations_wxyz[apart:, 1:]).max()
    waits, largest = [], 0.0
    for phase in _moments(_TRIGGERS):
        player = on_node(hybrid, arc, phase, feet="velocity")
        before = player.step(0.0).rotations_wxyz
        while len(player.states) < len(IN_ORDER):
            pose = player.step(_STEP).rotations_wxyz
            largest = max(largest, float(quaternions.angle_between(before[1:], pose[1:]).max()))
            before = pose
        if tuple(entry.state for entry in player.states) != IN_ORDER:
            raise MotionError(f"{arc.name}: states out of order: {player.states}")
        waits.append(player.states[2].time - player.states[1].time)
    return float(np.mean(waits)), largest / float(usual)


def _moments(count: int) -> list[float]:
    """Random cycle phases, one in each of ``count`` equal parts of the cycle."""
    phases: list[float] = (TURN * (np.arange(count) + np.random.default_rng(0).random(count)) / count).tolist()
    return phases


def _way(hybrid: HybridNetwork, start: str, *, key: bool = False, **options: float) -> float:
    """Mean seconds from a motion of the runs to the trigger zone of the change to a walk."""
    arc = hybrid.arc("run-walk")
    network = hybrid.network(arc.source.block, "change")
    times = []
    for phase in _moments(_STARTS):
        at = network.node(start).at
        player = Player(hybrid, at, block=arc.source.block, mode="change", phase=phase, **options)  # type: ignore[arg-type]
        player.step(0.0)
        if key:
            player.trigger(arc.name)
        else:
            player.point = network.node(arc.source.node).at
        while player.state == "network":
            if player.time > _LATEST:
                raise MotionError(
                    f"from {start!r} the trigger zone of {arc.name!r} is not entered within {_LATEST:g} s"
                )
            player.step(_FRAME)
        times.append(player.states[1].time)
    return float(np.mean(times))
