"""Motions in place given the travel of their feet: off a treadmill, or as animation libraries store loops.

While a foot carries the body, the ground below it is at rest. A planted point therefore tells how the body travels, and
of all points near the ground none moves back faster than a planted one: those that swing through or roll off are
slower. Between two plants, in flight, the body goes on as its feet left it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy
from jaxtyping import Bool, Complex, Float

from mocapella.analysis.cycles.loop import find_loop, laid_out
from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.round_loop import lowness
from mocapella.analysis.plants.tracks import foot_places
from mocapella.errors import MotionError, warn
from mocapella.motion.clip import Clip
from mocapella.rig.legs import foot_points, leg_length, leg_roles


@dataclass(frozen=True)
class _InPlace:
    """When a point carries the body, and what makes a motion one in place."""

    near: float = 0.03  # leg lengths above its lowest place around: up to here a point may carry the body
    firm: float = 0.01  # likewise, the height that counts most in telling which way it goes
    leap: float = 12.0  # leg lengths per second: what is faster is a cut in the take, no foot that carries a body
    stride: float = 0.8  # seconds in which every foot comes down once
    jitter: float = 0.02  # seconds over which places are smoothed
    smooth: float = 0.03  # seconds over which velocities are smoothed
    flies: float = 0.1  # of all frames: a motion with more of them in flight is a run
    fastest: float = 0.6  # quantile of a plant's velocities from which on they tell the speed of a run
    slides: float = 0.3  # leg lengths per second: feet on the ground that move faster go below the body
    stays: float = 0.3  # of that: a body that goes slower stays in place
    firmly: float = 0.5  # of the height within which a foot of a loop may stand: lower ones tell its speed
    drawn: float = 1.25  # of the speed of lowest points: a loop with faster feet was drawn (captures: up to 1.12)
    sways: float = 0.3  # of the speed of a loop: the most by which it varies within a round


_IN_PLACE = _InPlace()


IN_PLACE = " walks in place, as on a treadmill: it travels as its feet demand"

_Velocities = Complex[np.ndarray, "steps points"]
_Steps = Complex[np.ndarray, " steps"]


def travelling(clip: Clip, *, warns: bool = True) -> Clip:
    """A gait in place with the travel of its feet; any other motion as it is.

    ``warns`` says so by a ``MotionWarning``. Returns the clip itself where it travels, stands, or has no legs; else the
    same poses and heights on another path of the root.
    """
    if not _is_in_place(clip):
        return clip
    if warns:
        warn(f"{clip.name or 'a motion'}{IN_PLACE}")
    return with_travel(clip)


def examine_travelling(clip: Clip | Examined, *, clean: bool = False) -> Examined:
    """A clip examined; one that walks in place is given the travel of its feet, with a warning.

    What was examined before is taken as it is. ``clean`` looks at the clip with short gaps and jumps bridged, where it
    will be used so: what is worked out is shared.
    """
    examined = examine(clip)
    if isinstance(clip, Examined) or not _is_in_place(examined.cleaned.clip if clean else examined.clip):
        return examined
    return examine(travelling(examined.clip))


def _is_in_place(clip: Clip) -> bool:
    try:
        return walks_in_place(clip)
    except MotionError:
        return False  # a body without legs


def with_travel(clip: Clip) -> Clip:
    """A gait in place with a root that travels as its feet on the ground demand; poses and heights stay.

    A first frame that holds an artificial rest pose stays where it is. The travel of a loop leads on over its seam.
    """
    captured = clip.captured
    loop = find_loop(captured)
    if loop is None:
        velocities = _Underfoot(captured).travel()
    else:
        n_frames = loop.n_frames
        three = laid_out(captured, n_frames, 3)
        back = np.exp(1j * (captured.headings[0] - three.headings[n_frames]))
        velocities = back * _Underfoot(three).loop_travel()[n_frames : n_frames + captured.n_frames - 1]
    along = np.concatenate([[0.0], np.cumsum(velocities) / captured.frame_rate])
    moved = np.array(clip.root_positions)
    moved[clip.n_frames - captured.n_frames :] += np.stack([along.imag, 0.0 * along.real, along.real], axis=1)
    return replace(clip, root_positions=moved)


def walks_in_place(clip: Clip) -> bool:
    """Whether the feet of a motion slide below a body that stays where it is, as on a treadmill.

    It is one where points near the ground go at 0.3 leg lengths a second or more, and the root at less than 0.3 of
    that. A body of which no point stays near the ground for two frames does not walk.
    """
    _ = clip.world  # worked out once: the captured part takes its share, and analysis goes on with it
    captured = clip.captured
    if captured.n_frames < 3:
        return False
    stride = max(1, min(round(_IN_PLACE.stride * captured.frame_rate), captured.n_frames - 1))
    if (loop := find_loop(captured)) is not None:
        captured, stride = laid_out(captured, loop.n_frames, 3), loop.n_frames
    root_speed = float(np.median(np.abs(np.diff(captured.ground_path[::stride])))) * captured.frame_rate / stride
    underfoot = _Underfoot(captured)
    slides = abs(underfoot.usual)
    return underfoot.stands and slides >= _IN_PLACE.slides * underfoot.leg and root_speed < _IN_PLACE.stays * slides


class _Underfoot:
    """How a body would travel if each of its foot points stood, and which of them may stand when."""

    def __init__(self, clip: Clip) -> None:
        roles = leg_roles(clip.skeleton)
        self.rate, self.leg = clip.frame_rate, leg_length(clip.skeleton, roles)
        places = self._smooth(foot_places(clip, roles), _IN_PLACE.jitter)
        heights = self.heights = (places[..., 1] - foot_points(clip.skeleton, roles)[2]) / self.leg
        span = max(3, round(_IN_PLACE.stride * self.rate))
        lowest = scipy.ndimage.minimum_filter1d(heights, span, axis=0, mode="nearest")
        lowest = self._smooth(lowest, _IN_PLACE.stride / 4)
        # Soles are not known to the millimetre, so a point has a floor of its own, unless it never comes down at all.
        over = heights - np.minimum(lowest, lowest.min(axis=1, keepdims=True) + _IN_PLACE.near)
        self.over = 0.5 * (over[1:] + over[:-1])
        self.stands = bool((self.over < _IN_PLACE.near).any())  # whether any point carries the body at any time
        self.yaws = clip.headings[:-1]
        steps = np.diff(places[..., 2] + 1j * places[..., 0], axis=0) * self.rate
        self.velocities: _Velocities = -steps * np.exp(-1j * self.yaws)[:, None]
        firm = np.exp(-0.5 * (self.over / _IN_PLACE.firm) ** 2) * (np.abs(self.velocities) < _IN_PLACE.leap * self.leg)
        self.usual = complex((firm * self.velocities).sum() / max(firm.sum(), 1e-9))  # m/s, ahead + i left

    def travel(self) -> _Steps:
        """The velocity of the body over the ground in every step, z + ix, m/s; ``MotionError`` where no foot stands."""
        if not self.stands:
            raise MotionError("no foot stays near the ground for two frames, so none tells how the body travels")
        back = (self.velocities * np.conj(self.usual / abs(self.usual))).real
        low = self.over < _IN_PLACE.near
        carrying = np.where(low, back, -np.inf).argmax(axis=1)
        rows = np.arange(len(carrying))
        velocities, down = self.velocities[rows, carrying], low.any(axis=1)
        if np.mean(~down) > _IN_PLACE.flies:
            velocities = self._steady(velocities, back[rows, carrying], down)
        standing = np.flatnonzero(down)
        real, imaginary = (np.interp(rows, standing, part[standing]) for part in (velocities.real, velocities.imag))
        filled = real + 1j * imaginary
        return np.asarray(self._smooth(filled, _IN_PLACE.smooth) * np.exp(1j * self.yaws))

    def loop_travel(self) -> _Steps:
        """The velocity of the body in every step of a loop, z + ix, m/s; ``MotionError`` where no foot stands.

        Animators let feet slide at will. Where the fastest points near the ground go much faster than the lowest ones
        usually do, it is that of the lowest point while one is low, within ``sways`` of their median.
        """
        travel = self.travel()
        low = lowness(self.heights)
        low = 0.5 * (low[1:] + low[:-1])
        lowest = low.argmin(axis=1)
        rows = np.arange(len(lowest))
        velocities = self.velocities[rows, lowest]
        standing = np.flatnonzero(low[rows, lowest] < _IN_PLACE.firmly)
        if not len(standing):
            return travel
        belt = complex(np.median(velocities[standing].real) + 1j * np.median(velocities[standing].imag))
        if abs((travel * np.exp(-1j * self.yaws)).mean()) <= _IN_PLACE.drawn * abs(belt):
            return travel
        off = velocities - belt
        off *= np.minimum(1.0, _IN_PLACE.sways * abs(belt) / np.maximum(np.abs(off), 1e-9))
        real, imaginary = (np.interp(rows, standing, part[standing]) for part in (off.real, off.imag))
        filled = belt + real + 1j * imaginary
        return np.asarray(self._smooth(filled, _IN_PLACE.smooth) * np.exp(1j * self.yaws))

    def _steady(
        self, velocities: _Steps, back: Float[np.ndarray, " steps"], down: Bool[np.ndarray, " steps"]
    ) -> _Steps:
        """The velocity in the middle of each plant of a run: feet come down and leave more slowly than the ground."""
        out, (plants, count) = velocities.copy(), scipy.ndimage.label(down)
        for plant in range(1, count + 1):
            steps = np.flatnonzero(plants == plant)
            out[steps] = velocities[steps[back[steps] >= np.quantile(back[steps], _IN_PLACE.fastest)]].mean()
        return out

    def _smooth(self, rows: np.ndarray, seconds: float) -> np.ndarray:
        return np.asarray(scipy.ndimage.gaussian_filter1d(rows, seconds * self.rate, axis=0, mode="nearest"))
