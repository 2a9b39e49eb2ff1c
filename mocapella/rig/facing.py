"""Where a body looks in its rest pose, overruled."""

from __future__ import annotations

import math

import numpy as np

from mocapella.checks import finite_number
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.rig.binding import bound


def faced(clip: Clip, degrees: float | int) -> Clip:
    """The same motion of a body that looks another way in its rest pose than was told from its shape.

    Parameters
    ----------
    clip
        As it was read; ``clip.report.facing`` is what was told.
    degrees
        From +z of the file to where the rest pose looks, left positive.

    Returns
    -------
    Clip
        Every joint is where it was; ahead, left and the heading are the new ones.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> clip = perform("walk")[0]
    >>> other = faced(clip, 90.0)
    >>> bool(np.allclose(other.positions, clip.positions)), round(float(np.degrees(other.headings - clip.headings)[0]))
    (True, 90)
    """
    asked = math.radians(finite_number(degrees, "a direction in degrees"))
    axes = quaternions.about_y(np.array(clip.report.facing - asked))
    joints = clip.skeleton.n_joints
    return bound(clip, np.arange(joints), np.tile(axes, (joints, 1)))
