"""The edit that gives a motion in place the travel of its feet."""

from __future__ import annotations

from mocapella.analysis.treadmill import walks_in_place, with_travel
from mocapella.editing.parameters import EditError
from mocapella.motion.clip import Clip


def off_treadmill(clip: Clip) -> Clip:
    """The motion with a root that travels as its feet on the ground demand; poses and heights stay.

    Parameters
    ----------
    clip
        A gait in place; a first frame that holds an artificial rest pose stays where it is.

    Returns
    -------
    Clip
        With another path of the root.

    Raises
    ------
    EditError
        Where the feet do not slide below the body.
    MotionError
        Where the skeleton has no legs.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk", speed=1.2)
    >>> held = replace(walk, root_positions=walk.root_positions * [0.0, 1.0, 0.0])
    >>> way = off_treadmill(held).root_positions[[0, -1], 2]
    >>> bool(abs((way[1] - way[0]) / walk.seconds - 1.2) < 0.12)
    True
    """
    if not walks_in_place(clip):
        raise EditError("its feet do not slide below it, so there is no travel to give back")
    return with_travel(clip)
