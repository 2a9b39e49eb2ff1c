"""Crowds played for some seconds: cost, foot slip, and poses for files and pictures."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32

from mocapella.crowd.crowd import Crowd

_SHORTEST = 3  # frames; shorter plants are not measured


class CrowdSlips:
    """How far planted foot points slide, followed frame by frame, so that hours fit into memory."""

    def __init__(self, n: int) -> None:
        self._start, self._most = np.zeros((n, 4, 2)), np.zeros((n, 4))
        self._frames = np.zeros((n, 4), dtype=np.intp)
        self._found: list[np.ndarray] = []

    def see(self, places: Float[np.ndarray, "characters 4 3"], planted: Bool[np.ndarray, "characters 4"]) -> None:
        """Look at one frame: foot points (metres), and which of them rest."""
        ground = places[..., ::2]
        self._found.append(self._most[~planted & (self._frames >= _SHORTEST)])
        begins = planted & (self._frames == 0)
        self._start[begins] = ground[begins]
        far = np.linalg.norm(ground - self._start, axis=-1)
        self._most = np.where(begins, 0.0, np.maximum(self._most, far))
        self._frames = np.where(planted, self._frames + 1, 0)

    def millimetres(self) -> Float[np.ndarray, " plants"]:
        """How far each plant that has ended slid."""
        return 1000.0 * np.concatenate([*self._found, np.zeros(0)])


def crowd_feet(crowd: Crowd) -> Float[np.ndarray, "characters 4 3"]:
    """Heels and toes of all characters. Returns left heel and toe, right heel and toe, metres."""
    legs = crowd.tables.legs
    feet = crowd.poses()[:, [leg.joints[-1] for leg in legs]].astype(np.float64)
    ends = np.array([[leg.heel, leg.toe] for leg in legs])
    places = np.einsum("nfij,fpj->nfpi", feet[..., :3], ends) + feet[:, :, None, :, 3]
    return np.asarray(places.reshape(len(crowd), 4, 3))


@dataclass(frozen=True, eq=False)
class _PlayedCrowd:
    """The result of playing a crowd."""

    frame_rate: float  # of the poses that were kept
    poses: Float32[np.ndarray, "frames characters joints 3 4"]  # some of the frames
    ways: Float[np.ndarray, "frames characters 2"]  # where roots were on the ground in these frames (x, z), metres
    ns_per_character: float  # processor time of a step, the median
    slip_mm_max: float
    slip_mm_p99: float
    n_frames: int  # that were played


def play_crowd(
    crowd: Crowd,
    seconds: float,
    *,
    frame_rate: float = 60.0,
    keep_rate: float = 15.0,
    tick: Callable[[], None] = lambda: None,
) -> _PlayedCrowd:
    """Play a crowd and measure it.

    Parameters
    ----------
    crowd
        The crowd.
    seconds
        How long to play.
    frame_rate
        Steps per second.
    keep_rate
        Frames per second that are kept; at least the first and the last.
    tick
        Called after every step.

    Returns
    -------
    _PlayedCrowd
        Cost, slip and poses.
    """
    n_frames = max(1, round(seconds * frame_rate))
    every = max(1, round(frame_rate / keep_rate))
    slips, times = CrowdSlips(len(crowd)), []
    poses, ways = [crowd.poses().copy()], [crowd.positions]
    for frame in range(1, n_frames + 1):
        began = time.thread_time()
        crowd.step(1.0 / frame_rate)
        times.append(time.thread_time() - began)
        slips.see(crowd_feet(crowd), crowd.planted)
        if frame % every == 0 or frame == n_frames:
            poses.append(crowd.poses().copy())
            ways.append(crowd.positions)
        tick()
    slid = slips.millimetres()
    return _PlayedCrowd(
        frame_rate / every,
        np.array(poses),
        np.array(ways),
        1e9 * float(np.median(times)) / len(crowd),
        float(slid.max(initial=0.0)),
        float(np.quantile(slid, 0.99)) if slid.size else 0.0,
        n_frames,
    )
