"""Pages in which the engine plays a crowd: a network and the library, as in a steered page, with how many play it."""

from __future__ import annotations

from typing import Any

from mocapella.checks import checked_seed, finite_number, shown, whole_number
from mocapella.errors import MotionError
from mocapella.exporting.embedding import RELAXED, runtime_file
from mocapella.studio.page.content import Json
from mocapella.studio.page.steerable import deflated, steered_content

CROWD = 200  # characters if nobody says how many: as many as machines without a graphics card draw
_MOST = 5000  # characters of a page, as its viewer offers them


def crowd_content(
    value: Any,
    count: int = CROWD,
    *,
    speed: float = 1.3,
    noise: float = 0.05,
    changes: float = 4.0,
    seed: int = 0,
) -> Json:
    """A network in the plane, a hybrid network or a spectrum for the viewer's crowd; ``kind`` is ``"crowd"``.

    ``count`` characters, up to 5,000, walk at ``speed`` m/s when the page opens. ``noise`` is the largest angle by
    which trunk, neck and shoulders vary, at most 1 radian. ``changes`` is the mean number of captured changes that each
    character of a hybrid network begins in a minute. Raises ``MotionError`` for other values and numbers, and where the
    library was not built.
    """
    if not 1 <= whole_number(count, "a number of characters") <= _MOST:
        helps = "write a .glb or a film of more"
        raise MotionError(expected=f"1 to {_MOST:,} characters in a page", got=shown(count), helps=helps)
    if finite_number(noise, "noise from 0 to 1 radian", least=0.0) > 1.0:
        raise MotionError(expected="noise from 0 to 1 radian", got=shown(noise))
    numbers = {
        "speed": finite_number(speed, "a speed above 0, m/s", above=0.0),
        "noise": float(noise),
        "changes": finite_number(changes, "changes per minute from 0 on", least=0.0),
        "count": int(count),
        "seed": checked_seed(seed),
    }
    return {**steered_content(value), "kind": "crowd", "relaxed": deflated(runtime_file(RELAXED)), **numbers}
