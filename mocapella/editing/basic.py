"""Plain edits of clips in the form that lists of edits use: cut, resample, turn, mirror, repair, treadmill, restyle."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated

from mocapella.analysis.examined import examine
from mocapella.analysis.treadmill import walks_in_place, with_travel
from mocapella.arrays import owned
from mocapella.cleaning.repair import repaired
from mocapella.editing.averaged import average_stances
from mocapella.editing.feet.lock import lock
from mocapella.editing.filters.frequency import resampled_dofs
from mocapella.editing.parameters import Domain, EditError, Frame, SecondMotion, Strength
from mocapella.editing.rounds import contacts_of_rounds, through_rounds
from mocapella.editing.stance_blend import blend_stances
from mocapella.errors import Option
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.cycle import Cycle
from mocapella.rig.parts import PARTS, moves_root
from mocapella.rig.symmetry import mirrored, mirrored_clip

_FEWEST = 3  # frames of a cycle


def cut(clip: Clip, *, first: Frame = 0, last: Annotated[int | None, Domain(least=0)] = None) -> Clip:
    """The frames from one row of the source to another, both included.

    Raises ``EditError`` where the clip has no such rows.

    Parameters
    ----------
    clip
        The motion to cut.
    first
        The first frame kept, a row of the file.
    last
        The last frame kept; the end if left out.
    """
    begin = first - clip.first_row
    end = clip.n_frames if last is None else last - clip.first_row + 1
    if not 0 <= begin < end <= clip.n_frames:
        rows = f"{clip.first_row} to {clip.first_row + clip.n_frames - 1}"
        raise EditError(
            expected=f"a first and a last frame in order, among {rows}",
            got=f"{first} and {'the end' if last is None else last}",
        )
    return clip[begin:end]


def resample(motion: Clip | Cycle, *, rate: Annotated[float, Domain(1.0, 10_000.0, "Hz")]) -> Clip | Cycle:
    """The same motion at another frame rate: a clip as ``Clip.resampled`` makes it, a cycle by its harmonics.

    Raises ``EditError`` where the rate leaves a cycle fewer than three frames.

    Parameters
    ----------
    rate
        Frames per second. A cycle lasts as long as before in a whole number of frames, so its rate is the nearest.
    """
    if rate == motion.frame_rate:
        return motion
    if isinstance(motion, Clip):
        return motion.resampled(rate)
    seconds = motion.n_frames / motion.frame_rate
    n = round(seconds * rate)
    if n < _FEWEST:
        raise EditError(f"a cycle of {seconds:.2f} s has only {n} frames at {rate:g} Hz")
    if n == motion.n_frames:
        return motion
    return replace(motion, dofs=owned(resampled_dofs(motion.dofs, n)), frame_rate=n / seconds)


def turn(clip: Clip, *, angle: Annotated[float, Domain(-3600.0, 3600.0, "°")]) -> Clip:
    """The motion turned about the place where its root begins.

    Parameters
    ----------
    angle
        Left positive (°).
    """
    x, _, z = clip.root_positions[0].tolist()
    return clip if angle == 0.0 else clip.turned(math.radians(angle), about=(x, z))


def mirror(motion: Clip | Cycle) -> Clip | Cycle:
    """A clip or a cycle with left and right exchanged."""
    return mirrored_clip(motion) if isinstance(motion, Clip) else mirrored(motion)


def repair(clip: Clip) -> Clip:
    """The clip with lost frames and one-frame jumps bridged."""
    return repaired(clip)


def off_treadmill(clip: Clip) -> Clip:
    """The motion with a root that travels as its feet on the ground demand; poses and heights stay.

    Raises ``EditError`` where the feet do not slide below the body, ``MotionError`` where the skeleton has no legs.

    Parameters
    ----------
    clip
        A gait in place; a first frame that holds an artificial rest pose stays where it is.

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


def restyle(
    clip: Clip | Cycle,
    *,
    style: SecondMotion,
    ratio: Strength = 0.5,
    part: Annotated[str, Domain(choices=tuple(PARTS))] = "all",
    lock_feet: bool = True,
) -> Clip | Cycle:
    """The motion in the style of another: ``blend_stances`` with the averaged steps of ``style``.

    A clip comes back without an artificial rest pose in front.

    Parameters
    ----------
    clip
        The motion that gets another style.
    style
        The motion whose style is used.
    ratio
        0 the motion itself, 1 the other style.
    part
        Of the body.
    lock_feet
        Hold the feet where they rest afterwards. This concerns parts that move feet.
    """
    if not clip.skeleton.same_as(style.skeleton):
        raise EditError(
            f"{style.name or 'the style'!r} is of another skeleton than {clip.name or 'the motion'!r}",
            helps="retarget one of them first",
            option=Option("style", style.source or style.name),
        )
    manner = average_stances(style)
    if isinstance(clip, Cycle):
        plants = contacts_of_rounds(clip)

        def changed(rounds: Clip) -> Clip:
            styled = blend_stances(rounds, manner, ratio, part=part, contacts=plants)
            return restyled_feet(styled, plants, ratio, part, stretch=0.0) if lock_feet else styled

        return clip if ratio == 0 else through_rounds(clip, changed)
    styled = blend_stances(clip, manner, ratio, part=part)
    return restyled_feet(styled, examine(clip.captured).plants, ratio, part) if lock_feet else styled


def restyled_feet(made: Clip, plants: Contacts, ratio: float | int, part: str, *, stretch: float | None = None) -> Clip:
    """A restyled clip with its feet held where those of the original rest; itself where no foot was moved.

    ``made`` is a result of ``blend_stances``, ``plants`` are the foot plants of the original without a rest pose.
    ``stretch`` is the share by which limbs may grow; None for the default of ``lock_feet``.
    """
    moves_feet = ratio != 0 and (moves_root(part) or part.lower().endswith("_leg"))
    if not moves_feet:
        return made
    return (lock(made, constraints=plants) if stretch is None else lock(made, constraints=plants, stretch=stretch)).clip
