"""Steps added where a path is too long or too sharp for those of a motion: stretches of it are repeated.

A stretch that comes back to the pose it began with is repeated, cut where the same feet rest and poses agree, as clips
are joined. Both times together lead over the part of the path that it led over alone, so its steps are half as long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy
from jaxtyping import Bool, Float

from mocapella.analysis.cycles.search import pose_features, spread
from mocapella.editing.feet.lock import FootLock, lock
from mocapella.editing.ground_curves import Signal, SmoothPath
from mocapella.editing.join import MOST_UNLIKE, Splice, half_window, over_window, same_feet, spliced
from mocapella.geometry import quaternions
from mocapella.geometry.alignment import Alignment
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.rig.legs import leg_length, leg_roles

Laid = Callable[[Signal], SmoothPath]  # the new path at moments of the original, frames with fractions


class _RepeatSettings(NamedTuple):
    """Which stretches of a motion are repeated, and how."""

    most_sunk: float = 0.1  # lengths of leg by which the root may move for feet to stay: beyond it steps are too long
    shortest: float = 0.3  # seconds that a repeated stretch lasts at least
    longest: float = 2.5  # seconds that it lasts at most
    most: int = 16  # stretches that are repeated
    most_in_vain: int = 3  # attempts without improvement after which the search ends
    edge: float = 0.5  # seconds at the ends of a motion in which nothing can be repeated
    ease: float = 0.15  # seconds over which the pace changes at a repeat
    window: float = 0.2  # seconds of the crossover from the end of a stretch to its beginning


_REPEATS = _RepeatSettings()


@dataclass(frozen=True, eq=False)
class _WithSteps:
    """A motion on a path, with steps added."""

    locked: FootLock
    added: int  # stretches shown once more


def overstretched(locked: FootLock) -> Bool[np.ndarray, " frames"]:
    """Frames in which feet are out of reach, legs are stretched, or the root is moved far for them to stay.

    Returns True where steps are too long for the legs.
    """
    out = np.linalg.norm(locked.root_shift, axis=-1) > _REPEATS.most_sunk * leg_length(
        locked.clip.skeleton, leg_roles(locked.clip.skeleton)
    )
    out[list(locked.unreachable)] = True
    return np.asarray(out | (locked.stretch > 0.0).any(axis=1))


def carried(body: Clip, old: SmoothPath, new: SmoothPath) -> Clip:
    """A clip moved from its smooth path to another: offset and heading turn with the tangent.

    ``old`` is the smooth path of the clip, ``new`` the path to follow, both with a place for every frame.
    """
    by = quaternions.about_y(new.directions - old.directions)
    off = body.root_positions.copy()
    off[:, ::2] -= old.places
    roots = quaternions.rotate(by, off)
    roots[:, ::2] += new.places
    rotations = np.array(body.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(by, rotations[:, 0])
    return replace(body, root_positions=roots, rotations_wxyz=rotations)


def with_steps(body: Clip, old: SmoothPath, laid: Laid, plants: Contacts, locked: FootLock) -> _WithSteps:
    """A motion on a new path with stretches of it repeated until its steps are short enough for its legs."""
    line = _along_a_line(old.lengths)
    now = _Straight(carried(body, old, line), line, np.arange(body.n_frames, dtype=np.float64), plants)
    best = _WithSteps(locked, 0)
    fewest = _excess(locked)
    for added in range(1, _REPEATS.most + 1):
        off = overstretched(locked)
        if not off.any():
            break
        cut = now.repeatable(int(np.argmax(np.where(off, _sizes(locked), -1.0))))
        if cut is None:
            break
        now = now.repeated(cut)
        locked = lock(carried(now.clip, now.line, laid(now.moments)), constraints=now.plants)
        if _excess(locked) < fewest:
            best, fewest = _WithSteps(locked, added), _excess(locked)
        elif added > best.added + _REPEATS.most_in_vain:
            break
    return best


@dataclass(frozen=True, eq=False)
class _Straight:
    """A motion laid along a straight line, in which stretches can be repeated."""

    clip: Clip
    line: SmoothPath
    moments: Signal  # for every frame the frame of the original that gives its place on the new path
    plants: Contacts

    def repeatable(self, frame: int) -> Splice | None:
        """The stretch round a frame that comes back best to the pose it began with; None if none does."""
        clip = self.clip
        half = half_window(clip, _REPEATS.window)
        features = pose_features(clip)
        n = len(features)
        edge = round(_REPEATS.edge * clip.frame_rate)
        frame = max(min(frame, n - 1 - edge), min(edge, n - 1))
        size = spread(features, np.array([0]), np.array([n]))[0]
        reach = round(_REPEATS.longest * clip.frame_rate)
        low, high = max(half, frame - reach), min(n - half, frame + reach)
        near = np.arange(low, high)
        if len(near) < 2:
            return None
        apart = over_window(scipy.spatial.distance.cdist(features[near], features[near]) / size, half)
        rows, columns = near[:, None], near
        lasting = (rows - columns) / clip.frame_rate
        allowed = (columns <= frame) & (rows >= frame) & (lasting >= _REPEATS.shortest) & (lasting <= _REPEATS.longest)
        allowed &= same_feet(self.plants, self.plants)[np.ix_(near, near)] & (apart <= MOST_UNLIKE)
        if not allowed.any():
            return None
        end, start = np.unravel_index(np.argmin(np.where(allowed, apart, np.inf)), apart.shape)
        i, j = int(near[end]), int(near[start])
        ahead = float(self.line.lengths[i] - self.line.lengths[j])
        return Splice(i, j, float(apart[end, start]), Alignment(0.0, 0.0, ahead))

    def repeated(self, cut: Splice) -> _Straight:
        """With the stretch before a cut shown twice, at half the pace."""
        i, j = cut.first, cut.second
        clip = spliced(self.clip, self.clip, cut, half_window(self.clip, _REPEATS.window))
        shown = np.concatenate([np.arange(i), np.arange(j, self.clip.n_frames)])
        line = _along_a_line(np.concatenate([self.line.lengths[:i], self.line.lengths[j:] + cut.alignment.z]))
        paces = np.diff(self.moments, append=2.0 * self.moments[-1] - self.moments[-2])[shown]
        edge = round(_REPEATS.edge * clip.frame_rate)
        begin, end = (0 if j <= edge else j), (len(paces) if 2 * i - j >= len(paces) - edge else 2 * i - j)
        paces[begin:end] *= 0.5  # the rest before or after is too short for a step
        paces = scipy.ndimage.gaussian_filter1d(paces, _REPEATS.ease * clip.frame_rate, mode="nearest")
        moments = np.concatenate([[0.0], np.cumsum(paces[:-1])])
        moments *= self.moments[-1] / moments[-1]
        masks = {
            point: np.concatenate([self.plants.planted(point)[:i], self.plants.planted(point)[j:]])
            for point in FOOT_POINTS
        }
        return _Straight(clip, line, moments, Contacts.from_masks(masks))


def _along_a_line(lengths: Signal) -> SmoothPath:
    nothing = np.zeros(len(lengths))
    return SmoothPath(np.stack([nothing, lengths], axis=1), nothing, lengths)


def _sizes(locked: FootLock) -> Float[np.ndarray, " frames"]:
    return np.asarray(np.linalg.norm(locked.root_shift, axis=-1) + locked.missed.max(axis=1, initial=0.0))


def _excess(locked: FootLock) -> float:
    """How much steps are too long, over all frames, seconds times metres."""
    off = overstretched(locked)
    return float(_sizes(locked)[off].sum()) / locked.clip.frame_rate
