"""The repertoire: ready-made captures by name, for demonstrations, tutorials and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from mocapella.actor.imperfections import CAPTURED, Imperfections
from mocapella.actor.perform import Truth, perform
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip


def _captures() -> dict[str, dict[str, Any]]:
    """Arguments of ``perform`` by the name of the capture."""
    captures: dict[str, dict[str, Any]] = {}
    speeds = {"walk": {"slow": 0.8, "medium": 1.25, "fast": 1.7}, "run": {"slow": 2.2, "medium": 3.0, "fast": 4.2}}
    turns = {"walk": (0.35, 0.9), "run": (0.4, 0.85)}  # radians per second: a curve, a sharp one
    for action, paces in speeds.items():
        curve, sharp = turns[action]
        for pace, speed in paces.items():
            for way, turn in (
                ("straight", 0.0), ("left", curve), ("right", -curve), ("sharp left", sharp), ("sharp right", -sharp),
            ):  # fmt: skip
                captures[f"{pace} {action} {way}"] = {"action": action, "speed": speed, "turn": turn}
    for idle in ("stand", "look-around", "twist", "dance"):
        captures[idle] = {"action": idle}
    for change in ("walk-run", "run-walk", "walk-twirl-walk", "run-twirl-run", "stand-walk", "walk-stand"):
        captures[change] = {"action": change}
    for style in ("normal", "tired", "brisk", "sad", "happy", "relaxed", "marching", "drunk"):
        captures[f"{style} walk"] = {"action": "walk", "style": style}
    for style in ("tired", "brisk"):
        captures[f"{style} run"] = {"action": "run", "style": style}
    for name, slope in (("uphill walk", 0.12), ("downhill walk", -0.12)):
        captures[name] = {"action": "walk", "speed": 1.1, "slope": slope}
    for gesture in ("drink", "knock"):
        for mood in ("normal", "angry"):
            captures[f"{gesture} {'neutral' if mood == 'normal' else mood}"] = {"action": gesture, "style": mood}
    for row, up in (("low", -0.22), ("middle", 0.05), ("high", 0.30)):
        for column, left in (("right", -0.45), ("centre", -0.2), ("left", 0.05)):
            captures[f"reach {row} {column}"] = {"action": "reach", "target": (left, up, 0.34)}
    # Two walks whose sixth harmonics cancel out when they are mixed: what single-source harmonics are for.
    captures["sixth harmonic walk"] = {"action": "walk", "speed": 1.2, "sixth": 1.0}
    captures["opposed sixth harmonic walk"] = {"action": "walk", "speed": 1.4, "sixth": -1.0}
    # The habits of a capture depend on its place in this list: new ones come last.
    for way, turn in (("left", 1.6), ("right", -1.6)):
        captures[f"turn {way}"] = {"action": "turn", "turn": turn}
    return captures


_CAPTURES = MappingProxyType(_captures())


def repertoire() -> tuple[str, ...]:
    """The names of all ready-made captures.

    Returns
    -------
    tuple of str
        Such as ``"slow walk straight"``, in a fixed order.

    Examples
    --------
    >>> len(repertoire()), "medium walk sharp left" in repertoire()
    (69, True)
    """
    return tuple(_CAPTURES)


def capture(
    name: str,
    *,
    height: float = 1.75,
    seed: int = 0,
    frame_rate: float = 120.0,
    imperfections: Imperfections = CAPTURED,
) -> tuple[Clip, Truth]:
    """A capture of the repertoire, and its ground truth.

    Parameters
    ----------
    name
        One of ``repertoire()``; each has habits of its own, the same for the same seed.
    height
        Of the actor, metres.
    seed
        Of the random flaws and habits.
    frame_rate
        Frames per second.
    imperfections
        ``CLEAN`` for none.

    Returns
    -------
    Clip
        The motion, named as asked for.
    Truth
        What is known about it.
    """
    if name not in _CAPTURES:
        raise MotionError(f"there is no capture {name!r}; the repertoire is {', '.join(_CAPTURES)}")
    asked = dict(_CAPTURES[name])
    clip, truth = perform(
        asked.pop("action"),
        height=height,
        seed=1000 * seed + list(_CAPTURES).index(name),
        frame_rate=frame_rate,
        imperfections=replace(imperfections, sixth=asked.pop("sixth", imperfections.sixth)),
        **asked,
    )
    return clip.renamed(name), truth


def captures(
    *,
    height: float = 1.75,
    seed: int = 0,
    frame_rate: float = 120.0,
    imperfections: Imperfections = CAPTURED,
) -> Iterator[tuple[str, Clip, Truth]]:
    """All captures of the repertoire.

    Parameters
    ----------
    height, seed, frame_rate, imperfections
        As in ``capture``.

    Yields
    ------
    tuple
        Name, clip and ground truth of each.
    """
    for name in _CAPTURES:
        clip, truth = capture(name, height=height, seed=seed, frame_rate=frame_rate, imperfections=imperfections)
        yield name, clip, truth
