"""Dynamic time warp: the pairs of frames of two motions that cost least work, from both starts to both ends.

A pair costs how far the poses are apart. A step from one pair to the next costs the work of making one piece of motion
from the other: stretching it, and bending it. Steps move on in both motions, in one of them up to three times as fast
as in the other, so that time never stands still.
"""

from __future__ import annotations

import numpy as np
import scipy
from jaxtyping import Float, Int

from mocapella.errors import MotionError, Option
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.rig.roles import find_roles

_STEPS = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1))  # frames on, in the first motion and in the second
_STEEPEST = 3.0  # frames on in one motion for a frame in the other, as in ``_STEPS``
_MOST_CELLS = 4_000_000  # pairs looked at; longer motions are compared at fewer frames per second
_SMOOTHING = 0.02  # seconds: by how much the steps of a path are rounded off

STRETCH, BEND = 1.0, 1.0  # work of a piece made longer and of one turned, beside how far poses are apart


def warp_path(
    first: Clip, second: Clip, *, stretch: float = STRETCH, bend: float = BEND
) -> tuple[Float[np.ndarray, " pairs"], Float[np.ndarray, " pairs"]]:
    """Frames of two clips that correspond, by the path of least work.

    The clips need roles in common, and neither may last more than three times as long as the other. ``stretch`` and
    ``bend`` weigh the work to lengthen or shorten a piece of motion, and to turn its direction. The frames, with
    fractions, increase in both clips, from both starts to both ends. Raises ``MotionError`` where one clip lasts too
    long, or no roles are in common.
    """
    spans = [(clip.n_frames - 1) / clip.frame_rate for clip in (first, second)]
    if min(spans) <= 0.0 or max(spans) > 0.95 * _STEEPEST * min(spans):
        raise MotionError(
            f"a motion of {spans[0]:.2f} s cannot be warped to one of {spans[1]:.2f} s: at most three times as long",
            helps=f"cut one of them, or align by length: {Option('align', 'length')}",
            option=Option("align", "length"),
        )
    rate = min(first.frame_rate, second.frame_rate)
    cells = spans[0] * spans[1] * rate**2
    rate *= min(1.0, np.sqrt(_MOST_CELLS / cells))
    frames = [
        np.linspace(0.0, clip.n_frames - 1.0, max(2, round(span * rate) + 1))
        for clip, span in zip((first, second), spans, strict=True)
    ]
    seen = [values[np.round(at).astype(np.int64)] for values, at in zip(_features(first, second), frames, strict=True)]
    spread = np.sqrt(np.mean([np.var(values, axis=0).sum() for values in seen])) or 1.0  # bodies of any size
    rows, columns = least_work(seen[0] / spread, seen[1] / spread, stretch=stretch, bend=bend)
    return _rounded_off(frames[0][rows], frames[1][columns], _SMOOTHING * rate)


def least_work(
    one: Float[np.ndarray, "rows features"],
    two: Float[np.ndarray, "columns features"],
    *,
    stretch: float = STRETCH,
    bend: float = BEND,
) -> tuple[Int[np.ndarray, " pairs"], Int[np.ndarray, " pairs"]]:
    """The pairs of samples of two signals that cost least work, from both starts to both ends.

    Parameters
    ----------
    one, two
        Signals of any number of features; neither has more than three times as many samples as the other.
    stretch, bend
        As ``warp_path`` takes them.

    Returns
    -------
    rows, columns : arrays of shape (pairs,)
        Samples, strictly increasing in both.

    Examples
    --------
    >>> slow, fast = (np.sin(np.linspace(0.0, 6.0, n))[:, None] for n in (61, 41))
    >>> rows, columns = least_work(slow, fast)
    >>> bool(np.abs(rows / 60 - columns / 40).max() < 0.03)
    True
    """
    n, m = len(one), len(two)
    total = np.full((n, m), np.inf)
    total[0, 0] = 0.0
    came = np.zeros((n, m), dtype=np.int8)
    squares = np.einsum("if,if->i", two, two)
    apart = [np.maximum(row @ row - 2.0 * (two @ row) + squares, 0.0) for row in one]  # squared distances, row by row
    moves = {q: two[q:] - two[:-q] for _, q in _STEPS}
    lengths = {q: np.linalg.norm(move, axis=1) for q, move in moves.items()}
    for i in range(1, n):
        for k, (p, q) in enumerate(_STEPS):
            if i < p or m <= q:
                continue
            move = one[i] - one[i - p]
            size = float(np.linalg.norm(move))
            both = lengths[q] * size
            work = stretch * (lengths[q] - size) ** 2 + 2.0 * bend * (both - moves[q] @ move)
            cost = total[i - p, :-q] + 0.5 * (p + q) * apart[i][q:] + work
            better = cost < total[i, q:]
            total[i, q:][better] = cost[better]
            came[i, q:][better] = k
    if not np.isfinite(total[-1, -1]):
        raise MotionError(f"signals of {n} and {m} samples cannot be paired; one is more than three times as long")
    rows, columns = [n - 1], [m - 1]
    while rows[-1] > 0:
        p, q = _STEPS[int(came[rows[-1], columns[-1]])]
        rows.append(rows[-1] - p)
        columns.append(columns[-1] - q)
    return np.array(rows[::-1]), np.array(columns[::-1])


def _features(first: Clip, second: Clip) -> list[Float[np.ndarray, "_ parts"]]:
    """Places of joints that both motions have roles for, as they are seen from the heading, metres."""
    roles = [find_roles(clip.skeleton) for clip in (first, second)]
    shared = [role for role in roles[0] if role in roles[1] and role != "hips"]
    if not shared:
        names = [name for name in first.skeleton.names if name in set(second.skeleton.names)]
        roles = [{name: clip.skeleton.index(name) for name in names} for clip in (first, second)]
        shared = names
    if not shared:
        raise MotionError("two motions without a joint in common cannot be warped by their poses")
    return [_seen(clip, [known[role] for role in shared]) for clip, known in zip((first, second), roles, strict=True)]


def _seen(clip: Clip, joints: list[int]) -> Float[np.ndarray, "frames parts"]:
    back = quaternions.about_y(-clip.headings)
    places = clip.positions[:, joints] - clip.root_positions[:, None] * np.array([1.0, 0.0, 1.0])
    return np.asarray(quaternions.rotate(back[:, None], places).reshape(clip.n_frames, -1))


def _rounded_off(
    one: Float[np.ndarray, " pairs"], two: Float[np.ndarray, " pairs"], width: float
) -> tuple[Float[np.ndarray, " pairs"], Float[np.ndarray, " pairs"]]:
    """The path without its corners: a mean of increasing values increases, and the ends stay where they are."""
    if len(one) < 3:
        return one, two
    # Evenly along the path, so that steps of three frames weigh as much as three steps of one.
    along = one / one[-1] + two / two[-1]
    even = np.linspace(0.0, along[-1], len(one))
    out = []
    for values in (one, two):
        spread = np.interp(even, along, values)
        slope = (spread[-1] - spread[0]) / (len(spread) - 1)
        off = spread - spread[0] - slope * np.arange(len(spread))
        pad = min(len(spread) - 1, round(4.0 * width) + 1)
        wide = np.concatenate([-off[pad:0:-1], off, -off[-2 : -pad - 2 : -1]])  # odd about the ends, which stay
        smooth = scipy.ndimage.gaussian_filter1d(wide, max(width, 0.5))[pad : pad + len(off)]
        smooth[[0, -1]] = 0.0
        out.append(spread[0] + slope * np.arange(len(spread)) + smooth)
    return out[0], out[1]
