"""Two clips joined where the same feet rest and the poses agree, with a crossover between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import scipy
from jaxtyping import Bool, Float

from mocapella.analysis.cycles.search import pose_features, spread
from mocapella.analysis.examined import examine
from mocapella.checks import explained, finite_number
from mocapella.editing.edits import with_findings
from mocapella.editing.parameters import Domain, SecondMotion
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.alignment import Alignment, ground_alignment
from mocapella.geometry.curves import smoothstep
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts
from mocapella.motion.report import Finding
from mocapella.stages import refuse_other_stage

_WINDOW = 0.3  # seconds of the crossover from one clip to the other
MOST_UNLIKE = 0.5  # of two frames that may be cut together, where 1 is how far any two of a cycle are apart
_APART = 0.2  # seconds: cuts nearer to each other than this are one
_LOST = 0.08  # what a second of either clip that is not shown costs


@dataclass(frozen=True)
class Splice:
    """A place where one motion can be joined to another."""

    first: int  # frame of the first clip
    second: int  # frame of the second clip that takes its place
    unlikeness: float  # of the two, pose and movement, where 1 is how far any two frames of a cycle are apart
    alignment: Alignment  # what lays the second clip over the first


def find_joins(
    first: Clip, second: Clip, *, count: int = 5, window: float = _WINDOW, contacts: Sequence[Contacts] = ()
) -> tuple[Splice, ...]:
    """The best places to go from one clip into another, best first.

    Poses and movements are compared over a window of time, as the character sees them; the same feet must rest. As
    little as possible of the end of the first and of the beginning of the second is left out.

    Raises ``MotionError`` where skeletons or frame rates differ, a clip is too short, or no two poses are alike enough.

    Parameters
    ----------
    first, second
        Clips of one skeleton and frame rate.
    count
        How many places at most.
    window
        Seconds of the crossover from one to the other.
    contacts
        Foot plants of both; found if empty.
    """
    _refuse_unlike(first, second)
    half = half_window(first, window)
    for clip in (first, second):
        if clip.n_frames < 4 * half:
            raise MotionError(f"{clip!r} is too short to be joined over {window:g} s", helps="a shorter window helps")
    plants = [examine(clip).plants for clip in (first, second)] if not contacts else list(contacts)
    a, b = (pose_features(clip) for clip in (first, second))
    apart = over_window(scipy.spatial.distance.cdist(a, b) / spread(a, np.array([0]), np.array([len(a)]))[0], half)
    rows, columns = np.arange(len(a))[:, None], np.arange(len(b))
    allowed = (rows >= half) & (rows < len(a) - half) & (columns >= half) & (columns < len(b) - half)
    allowed &= same_feet(plants[0], plants[1])
    cost = np.where(allowed, apart + _LOST * ((len(a) - rows + columns) / first.frame_rate), np.inf)
    splices = best_splices(first, second, apart, cost, half, count)
    if not splices:
        least = float(np.min(apart, where=allowed, initial=np.inf))
        raise MotionError(
            f"{first.name or 'the first clip'!r} never comes near enough to {second.name or 'the second'!r} "
            f"(unlikeness {least:.2f}, at most {MOST_UNLIKE:g})",
            helps="name the rows to join at, or blend the clips",
        )
    return splices


@explained
def join_clips(
    first: Clip,
    second: SecondMotion,
    *,
    at: Sequence[int | float] = (),
    window: Annotated[float, Domain(0.01, 5.0, "s")] = _WINDOW,
    contacts: Sequence[Contacts] = (),
) -> Clip:
    """Two clips as one: the first up to where the feet of both rest alike, then the second.

    Parameters
    ----------
    first
        The motion. Artificial rest poses at the starts of both are left out.
    second
        The motion that follows. It is brought to the frame rate of the first.
    at
        Row of this motion and row of the other where they meet; found if left out.
    window
        Time of the crossover between the two (s).
    contacts
        Foot plants of both, without rest poses; found if empty.

    Returns
    -------
    Clip
        The second is moved and turned on the ground to go on from the first. A finding of its report says where the
        join is, and how unlike the poses were there.

    Raises
    ------
    MotionError
        Where skeletons differ, no place is alike enough, or the rows lie too near to an end.

    Examples
    --------
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> walk, turn = perform("walk", cycles=3.0)[0], perform("walk", turn=0.6, cycles=3.0)[0]
    >>> joined = mo.join_clips(walk, turn)
    >>> bool(walk.seconds < joined.seconds < walk.seconds + turn.seconds)
    True
    """
    for clip in (first, second):
        refuse_other_stage(clip, "Clip")
    first, second = first.captured, second.captured
    if not np.isclose(first.frame_rate, second.frame_rate, rtol=1e-6):
        second, contacts = second.resampled(first.frame_rate), ()
    second = replace(second, frame_rate=first.frame_rate)
    half = half_window(first, window)
    if len(at):
        if len(at) != 2:
            raise MotionError(expected="a row of the first and a row of the second motion", got=list(at))
        rows = [round(row) - clip.first_row for row, clip in zip(at, (first, second), strict=True)]
        for row, clip in zip(rows, (first, second), strict=True):
            if not half <= row < clip.n_frames - half:
                span = f"{clip.first_row + half} to {clip.first_row + clip.n_frames - half - 1}"
                raise MotionError(expected=f"a row of {clip.name!r} from {span} to join at", got=row + clip.first_row)
        _refuse_unlike(first, second)
        cut = Splice(rows[0], rows[1], np.nan, _window_alignment(first, second, rows[0], rows[1], half))
    else:
        cut = find_joins(first, second, count=1, window=window, contacts=contacts)[0]
    joined = spliced(first, second, cut, half)
    row = cut.first + first.first_row
    words = f"row {row} is joined to row {cut.second + second.first_row} of {second.name!r}"
    note = Finding("joined", f"{words} (unlikeness {cut.unlikeness:.2f})", (row,), doubtful=False)
    return with_findings(replace(joined, name=f"{first.name} {second.name}".strip()), note)


def best_splices(
    first: Clip,
    second: Clip,
    apart: Float[np.ndarray, "rows columns"],
    cost: Float[np.ndarray, "rows columns"],
    half: int,
    count: int,
) -> tuple[Splice, ...]:
    """The cheapest places whose frames are alike enough, at most ``count``, none near another.

    ``cost`` is infinite where no splice is allowed.
    """
    near = 2 * round(_APART * first.frame_rate) + 1
    best = np.argwhere(
        (cost == scipy.ndimage.minimum_filter(cost, near, mode="constant", cval=np.inf)) & (apart <= MOST_UNLIKE)
    )
    best = best[np.isfinite(cost[tuple(best.T)])]
    order = np.argsort(cost[tuple(best.T)], kind="stable")[:count]
    return tuple(
        Splice(int(i), int(j), float(apart[i, j]), _window_alignment(first, second, int(i), int(j), half))
        for i, j in best[order]
    )


def half_window(clip: Clip, window: float = _WINDOW) -> int:
    """Half a window of time in frames, at least one; ``window`` is in seconds."""
    seconds = finite_number(window, "a window in seconds")
    if not 0.0 < seconds <= 5.0:
        raise MotionError(expected="a window of more than 0 s and at most 5 s", got=seconds)
    return max(1, round(0.5 * seconds * clip.frame_rate))


def spliced(first: Clip, second: Clip, cut: Splice, half: int) -> Clip:
    """The first clip up to a cut, the second from there, laid over it; both together over the window.

    The result has the first clip's name and source; findings that name rows are left out of its report.
    """
    turn = quaternions.about_y(cut.alignment.yaw)
    places = cut.alignment.applied(second.root_positions)
    rotations = np.array(second.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(turn, rotations[:, 0])
    a, b = slice(cut.first - half, cut.first + half + 1), slice(cut.second - half, cut.second + half + 1)
    share = smoothstep((np.arange(2 * half + 1) + 0.5) / (2 * half + 1))
    mixed = quaternions.slerp(first.rotations_wxyz[a], rotations[b], share[:, None])
    between = first.root_positions[a] + share[:, None] * (places[b] - first.root_positions[a])
    return replace(
        first,
        root_positions=np.concatenate([first.root_positions[: a.start], between, places[b.stop :]]),
        rotations_wxyz=np.concatenate([first.rotations_wxyz[: a.start], mixed, rotations[b.stop :]]),
        sliding_joints=np.zeros(0, dtype=np.int64),
        slides=np.zeros((0, 0, 3)),
        report=first.report.without_rows(),
    )


def joined_contacts(first: Contacts, second: Contacts) -> Contacts:
    """Foot plants of two stretches, one after the other."""
    masks = {point: np.concatenate([first.planted(point), second.planted(point)]) for point in FOOT_POINTS}
    return Contacts.from_masks(masks)


def same_feet(first: Contacts, second: Contacts) -> Bool[np.ndarray, "first second"]:
    """For every two frames whether the same feet rest in both: clips are spliced over the same foot.

    Returns True where left and right rest alike.
    """
    alike = [first.planted(foot)[:, None] == second.planted(foot) for foot in FEET]
    return np.asarray(np.logical_and.reduce(alike))


def over_window(apart: Float[np.ndarray, "first second"], half: int) -> Float[np.ndarray, "first second"]:
    """The mean along diagonals: two stretches of time side by side.

    Returns means over the window, over what there is of it near the ends.
    """
    n, m = apart.shape
    sheared = np.full((n, n + m - 1), np.nan)
    rows = np.arange(n)[:, None]
    sheared[rows, np.arange(m) - rows + n - 1] = apart
    sums, counts = (
        scipy.ndimage.uniform_filter1d(values, 2 * half + 1, axis=0, mode="constant")
        for values in (np.nan_to_num(sheared), np.isfinite(sheared).astype(np.float64))
    )
    mean = sums / np.maximum(counts, 1e-9)
    return np.asarray(mean[rows, np.arange(m) - rows + n - 1])


def _window_alignment(first: Clip, second: Clip, i: int, j: int, half: int) -> Alignment:
    """The alignment of two clips on the ground, over a window."""
    still, moved = (clip.positions[at - half : at + half + 1].reshape(-1, 3) for clip, at in ((first, i), (second, j)))
    return ground_alignment(still, moved)


def _refuse_unlike(first: Clip, second: Clip) -> None:
    if not first.skeleton.same_as(second.skeleton):
        raise MotionError(
            f"{second!r} has another skeleton than {first!r}; only clips of one skeleton are cut together",
            helps="call retarget(second, first.skeleton) first",
        )
    if not np.isclose(first.frame_rate, second.frame_rate, rtol=1e-6):
        raise MotionError(
            f"{second!r} runs at {second.frame_rate:g} Hz, {first!r} at {first.frame_rate:g}", helps="resample it first"
        )
