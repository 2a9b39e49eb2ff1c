"""The root moved for planted feet: within reach of legs that a lock bends, or alone, with no joint turned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Bool, Float

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.tracks import foot_places, level
from mocapella.editing.rounds import contacts_of_rounds, through_rounds
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.motion.cycle import Cycle
from mocapella.rig.legs import foot_points, leg_roles

Track = Float[np.ndarray, "frames 3"]


class _RootSettings(NamedTuple):
    """How the root is moved within reach of held feet, and alone."""

    most_rounds: int = 300  # of projecting and smoothing
    calm: float = 1.15  # times the acceleration of the given path: with more the correction is smoothed more widely
    wider: float = 1.5  # times the width of the smoothing at each further try
    tries: int = 4  # widths of the smoothing
    further: float = 1.6  # times the smoothed correction that is applied: smoothing takes off the peaks
    close: float = 1e-4  # metres beyond reach at which the rounds end
    alternations: int = 8  # between two spheres
    load_passes: float = 0.03  # seconds over which the load passes from one point of the feet to another
    lift_passes: float = 0.1  # seconds over which the height changes, where the root alone is moved


_ROOT = _RootSettings()


@dataclass(frozen=True, eq=False)
class Reach:
    """The sphere in which the root must lie for a leg to reach its held foot."""

    centres: Track  # metres
    radii: Float[np.ndarray, " frames"]
    held: Bool[np.ndarray, " frames"]  # frames in which it counts


def within_reach(roots: Track, spheres: Sequence[Reach], width: float) -> Track:
    """Shifts of the root, in metres, that bring it within all spheres that count.

    The root is projected onto the intersection of the spheres, and the correction is smoothed by a Gaussian and
    applied, until nothing is left to correct: the path changes slowly instead of jumping onto a sphere. If the root is
    still accelerated more than before, a wider Gaussian is tried. The shift is 0 far from frames that are out of reach.
    Where spheres do not meet, the root lies between them.
    """
    best, least = np.zeros(roots.shape), np.inf
    given = _acceleration(roots)
    for attempt in range(_ROOT.tries):
        shift = _corrected(roots, spheres, width * _ROOT.wider**attempt)
        acceleration = _acceleration(roots + shift)
        if acceleration < least:
            best, least = shift, acceleration
        if least <= _ROOT.calm * given:
            break
    return best


def _acceleration(roots: Track) -> float:
    """The 99th percentile over frames, metres per frame and frame."""
    if len(roots) < 3:
        return 0.0
    return float(np.percentile(np.linalg.norm(np.diff(roots, n=2, axis=0), axis=-1), 99.0))


def _corrected(roots: Track, spheres: Sequence[Reach], width: float) -> Track:
    shift = np.zeros(roots.shape)
    for _ in range(_ROOT.most_rounds):
        off = projected(roots + shift, spheres) - roots - shift
        sizes = np.linalg.norm(off, axis=-1)
        if sizes.max(initial=0.0) < _ROOT.close:
            break
        shift += _ROOT.further * scipy.ndimage.gaussian_filter1d(off, width, axis=0, mode="nearest", truncate=4.0)
    return np.asarray(projected(roots + shift, spheres) - roots) if shift.any() else shift


def projected(places: Track, spheres: Sequence[Reach]) -> Track:
    """The nearest places within all spheres that count, by projecting onto each in turn.

    Where spheres do not meet, about midway between them.
    """
    out = np.array(places)
    for _ in range(_ROOT.alternations):
        before = out.copy()
        for sphere in spheres:
            off = out - sphere.centres
            far = np.linalg.norm(off, axis=-1)
            beyond = sphere.held & (far > sphere.radii)
            out[beyond] = sphere.centres[beyond] + off[beyond] * (sphere.radii[beyond] / far[beyond])[:, None]
        if np.array_equal(before, out):
            break
    return out


def follow_feet(
    clip: Clip | Examined | Cycle, *, contacts: Contacts | None = None, vertical: bool = True
) -> Clip | Cycle:
    """The motion with its root moved so that planted feet stay; joints turn as they did.

    Over the ground the root moves against the mean motion of the planted points, as seen from it, and as captured in
    flight; a second step moves it up and down so that they rest on the ground. Two points that move against each other
    still slide, and the shifts of the root accumulate to a drift from its captured path: see ``drift``.

    An artificial rest pose in front stays where it is. Raises ``MotionError`` where the skeleton has no legs, or the
    contacts belong to another clip.

    Parameters
    ----------
    clip
        The motion, or what was examined of it; or a cycle with foot plants of its own.
    contacts
        Foot plants of a clip; found if None.
    vertical
        Put heights right, too.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> walk, _ = perform("walk")
    >>> follow_feet(walk).n_frames == walk.n_frames
    True
    """
    if isinstance(clip, Cycle):
        plants = contacts_of_rounds(clip)
        return through_rounds(clip, lambda rounds: _followed(rounds, plants, vertical))
    return _followed(clip, contacts, vertical)


def _followed(clip: Clip | Examined, contacts: Contacts | None, vertical: bool) -> Clip:
    examined = examine(clip)
    captured, rate = examined.captured, examined.clip.frame_rate
    skip = examined.clip.n_frames - captured.clip.n_frames
    if contacts is not None and contacts.n_frames != examined.clip.n_frames:
        raise MotionError(f"contacts of {contacts.n_frames} frames do not belong to {examined.clip!r}")
    plants = captured.plants if contacts is None else contacts[skip:]
    roles = leg_roles(captured.clip.skeleton)
    places, roots = foot_places(captured.clip, roles), captured.clip.root_positions
    masks = np.stack([plants.planted(point) for point in FOOT_POINTS], axis=1).astype(np.float64)
    moved = roots + _over_ground(places, masks, rate)
    if vertical:
        heights = foot_points(captured.clip.skeleton, roles)[2]
        shifted = places + (moved - roots)[:, None]
        moved[:, 1] += _up(shifted[..., 1] - heights - level(captured.feet.ground, shifted), masks, rate)
    return replace(examined.clip, root_positions=np.concatenate([examined.clip.root_positions[:skip], moved]))


def drift(before: Clip, after: Clip) -> float:
    """How far over the ground the way of the root ends from where it ended before, metres; both begin in one place."""
    ends = after.root_positions[-1] - before.root_positions[-1]
    return float(np.hypot(ends[0], ends[2]))


def _over_ground(
    places: Float[np.ndarray, "frames 4 3"], masks: Float[np.ndarray, "frames 4"], rate: float
) -> Float[np.ndarray, "frames 3"]:
    """Shift of the root that takes the mean motion of planted points away."""
    steps = np.diff(places, axis=0) * np.array([1.0, 0.0, 1.0])
    load = scipy.ndimage.gaussian_filter1d(masks, _ROOT.load_passes * rate, axis=0) * masks
    both = np.minimum(load[1:], load[:-1])  # only points that are planted in both frames tell
    shares = both / np.maximum(both.sum(axis=1, keepdims=True), 1e-12)
    back = -np.einsum("fp,fpi->fi", shares, steps)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(back, axis=0)])


def _up(
    over: Float[np.ndarray, "frames 4"], masks: Float[np.ndarray, "frames 4"], rate: float
) -> Float[np.ndarray, " frames"]:
    """How far the root goes up so that the mean of planted points is on the ground; in between it changes evenly."""
    planted = masks.any(axis=1)
    if not planted.any():
        return np.zeros(len(over))
    frames = np.flatnonzero(planted)
    mean = (over * masks).sum(axis=1)[frames] / masks.sum(axis=1)[frames]
    return np.asarray(
        scipy.ndimage.gaussian_filter1d(-np.interp(np.arange(len(over)), frames, mean), _ROOT.lift_passes * rate)
    )
