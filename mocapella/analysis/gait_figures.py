"""What a cycle does with its feet, arms and trunk, in numbers without a scale, and whether that is a gait.

All is taken round the seam of the cycle and in leg lengths, so that neither a wrong unit nor the frame that a cycle
begins with changes anything. The limits were set on 150 gaits and 57 other motions: captures of 18 people, the embedded
actor and a pack of game loops.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from jaxtyping import Complex, Float

from mocapella.analysis.plants.round_loop import LOW, SOLE
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET
from mocapella.rig.legs import leg_length, leg_roles
from mocapella.rig.names import Roles
from mocapella.rig.roles import find_roles

_Track = Float[np.ndarray, "phases 3"]
_OnGround = Complex[np.ndarray, " phases"]  # z + ix: ahead is real, left imaginary


class _Sampling(NamedTuple):
    """How a cycle is looked at."""

    phases: int = 64  # samples of a cycle
    harmonics: int = 8  # kept of it before feet are looked at
    counted: int = 6  # harmonics among which a foot's first has to be the strongest


_SAMPLING = _Sampling()
_UNEVEN = 0.12  # leg lengths by which one foot of a gait may stay above the other: ends that differ tilt a cycle


@dataclass(frozen=True)
class _GaitFigures:
    """Figures of one cycle; lengths are in leg lengths, thigh and shank together."""

    speed: float  # per second: the way of the root, less what the lowest foot slides over the ground
    antiphase: float  # 1 where the feet swing half a cycle apart, −1 where they swing together
    once: float  # first harmonic of a foot along the way against its strongest other one
    evenness: float  # the smaller first harmonic of both feet against the larger one
    sweep: float  # way of the feet along the travel against the way of a cycle
    slide: float  # how unsteadily the lowest point goes over the ground, against the travel
    stance: float  # share of the cycle in which a foot is low, the lesser of both
    hips: float  # above the lower ankle, mean
    bounce: float  # range of that
    lean: float  # degrees of the trunk from upright, mean
    legs_to_arms: float  # mean speed of ankles about the hips against wrists about the shoulders
    lift: float  # of the ankles, the lesser of both
    turn: float  # degrees per cycle, without sign
    unlikeness: float  # of the ends before they are closed


_GAIT_LIMITS: Mapping[str, tuple[float, float, str]] = MappingProxyType(
    {
        "speed": (0.3, 15.0, "goes {:.2f} leg lengths a second"),
        "antiphase": (0.7, 1.0, "feet do not swing in turn ({:.2f} of 1)"),
        "once": (1.6, math.inf, "feet do not swing once in a cycle ({:.2f})"),
        "evenness": (0.6, 1.0, "one foot swings {:.2f} times as far as the other"),
        "sweep": (0.15, 1.0, "feet sweep {:.2f} of the way"),
        "slide": (0.0, 1.4, "feet slide at {:.2f} times the speed"),
        "stance": (0.05, 1.0, "a foot stands for {:.2f} of the cycle"),
        "hips": (0.6, 1.2, "hips are {:.2f} leg lengths high"),
        "bounce": (0.0, 0.4, "hips go up and down by {:.2f} leg lengths"),
        "lean": (0.0, 50.0, "the trunk leans by {:.0f}°"),
        "legs_to_arms": (0.6, math.inf, "legs move at {:.2f} times the speed of the arms"),
        "lift": (0.03, 1.0, "feet are lifted by {:.2f} leg lengths"),
        "turn": (0.0, 150.0, "turns by {:.0f}° in a cycle"),
        "unlikeness": (0.0, 0.75, "ends are {:.2f} times as far apart as any two of its frames"),
    }
)
"""Least and most of each figure in a gait, and how a figure outside of them is told."""


def why_not_gait(figures: _GaitFigures) -> list[str]:
    """Why a cycle is no gait, worst first by the share of the limit that it misses; empty for a gait."""
    missed = []
    for field in fields(figures):
        least, most, text = _GAIT_LIMITS[field.name]
        figure = getattr(figures, field.name)
        if not least <= figure <= most:
            limit = least if figure < least else most
            missed.append((-abs(figure - limit) / max(abs(limit), 0.1), text.format(figure)))
    return [text for _, text in sorted(missed)]


def gait_figures(cut: Clip, unlikeness: float = 0.0) -> _GaitFigures:
    """The figures of a cycle given with its closing frame.

    Raises ``MotionError`` where the skeleton's legs are not known.
    """
    tracks = _Round(cut)
    soles, points = tracks.soles, tracks.points
    lowest = np.argmin([points[role].lowness for role in points], axis=0)
    names = list(points)
    rows = np.arange(_SAMPLING.phases)
    low = np.min([points[role].lowness for role in points], axis=0) < 1.0
    low = low if low.sum() >= 4 else np.ones(_SAMPLING.phases, dtype=bool)
    over = np.array([points[names[k]].over_ground[i] for i, k in zip(rows, lowest, strict=True)])
    belt = complex(np.median(over[low].real), np.median(over[low].imag))
    travel = tracks.root_velocity - belt
    speed = abs(travel)
    along = np.conj(travel / max(speed, 1e-9))
    ways = [(_flat(tracks.at[f"{side}_ankle"]) * along).real for side in FEET]
    firsts = [complex(np.fft.rfft(way)[1]) for way in ways]
    sizes = sorted(abs(first) for first in firsts)
    hips = 0.5 * (tracks.at["left_hip"] + tracks.at["right_hip"])[:, 1] - tracks.ankle_floor
    return _GaitFigures(
        speed=speed,
        antiphase=-math.cos(math.atan2(firsts[0].imag, firsts[0].real) - math.atan2(firsts[1].imag, firsts[1].real)),
        once=min(_once(way) for way in ways),
        evenness=sizes[0] / max(sizes[1], 1e-9),
        sweep=float(np.mean([np.ptp(way) for way in ways])) / max(speed * tracks.seconds, 1e-9),
        slide=float(np.median(np.abs(over[low] - belt))) / max(speed, 1e-9),
        stance=min(float(np.mean(sole < 1.0)) for sole in soles.values()),
        hips=float(hips.mean()),
        bounce=float(np.ptp(hips)),
        lean=tracks.lean,
        legs_to_arms=tracks.legs_to_arms,
        lift=min(float(np.ptp(tracks.at[f"{side}_ankle"][:, 1])) for side in FEET),
        turn=abs(math.degrees(tracks.turn)),
        unlikeness=unlikeness,
    )


@dataclass(frozen=True, eq=False)
class _Point:
    """A point of a foot round a cycle."""

    lowness: Float[np.ndarray, " phases"]  # height over its floor, in the height within which the foot may stand
    over_ground: _OnGround  # its velocity, leg lengths per second


class _Round:
    """Joints by role round a cycle: closed, seen from the ground under the root in the mean course, leg lengths."""

    def __init__(self, cut: Clip) -> None:
        roles = leg_roles(cut.skeleton)
        self.leg = leg_length(cut.skeleton, roles)
        self.n, self.seconds = cut.n_frames - 1, (cut.n_frames - 1) / cut.frame_rate
        yaws, shares = cut.headings, np.arange(cut.n_frames) / self.n
        self.turn = float(yaws[-1] - yaws[0])
        course = float((yaws - self.turn * shares).mean()) + self.turn * shares
        path = cut.ground_path / self.leg
        shadow = np.stack([path.imag, 0.0 * path.real, path.real], axis=-1)
        back = quaternions.about_y(-course)
        self.at: dict[str, _Track] = {
            role: self._closed(quaternions.rotate(back, cut.positions[:, joint] / self.leg - shadow))
            for role, joint in roles.items()
        }
        steps = np.diff(path) * np.exp(-1j * course[:-1]) * cut.frame_rate
        self.root_velocity = complex(steps.mean())
        self._going = self._closed(np.append(steps, steps[-1])[:, None])[:, 0]
        self.lean = _lean(cut, roles)

    def _closed(self, values: np.ndarray) -> np.ndarray:
        """A track as a closed curve of some samples, without its highest harmonics."""
        shares = np.arange(len(values)) / self.n
        closed = values - shares[:, None] * (values[-1] - values[0])
        at = np.arange(_SAMPLING.phases) / _SAMPLING.phases
        sampled = np.stack([np.interp(at, shares, column) for column in closed.T], axis=1)
        coefficients = np.fft.fft(sampled, axis=0)
        coefficients[_SAMPLING.harmonics + 1 : -_SAMPLING.harmonics] = 0.0
        out = np.fft.ifft(coefficients, axis=0)
        return np.asarray(out if np.iscomplexobj(values) else out.real)

    def _rates(self, track: np.ndarray) -> np.ndarray:
        """The derivative of a closed track, per second."""
        turns = np.fft.fftfreq(_SAMPLING.phases, 1.0 / _SAMPLING.phases)
        slopes = np.fft.ifft(np.fft.fft(track, axis=0) * (2j * np.pi * turns)[:, None], axis=0) / self.seconds
        return np.asarray(slopes.real)

    @property
    def ankle_floor(self) -> float:
        """The lowest place of either ankle."""
        return min(float(self.at[f"{side}_ankle"][:, 1].min()) for side in FEET)

    @property
    def _heights(self) -> dict[str, Float[np.ndarray, " phases"]]:
        """Of ankles and toes over their floors."""
        out: dict[str, Float[np.ndarray, " phases"]] = {}
        for part in ("ankle", "toe"):
            tracks = {role: self.at[role][:, 1] for side in FEET if (role := f"{side}_{part}") in self.at}
            floor = min((float(track.min()) for track in tracks.values()), default=0.0)
            out |= {role: track - min(float(track.min()), floor + _UNEVEN) for role, track in tracks.items()}
        return out

    @property
    def soles(self) -> dict[str, Float[np.ndarray, " phases"]]:
        """The lowest point of each foot, in the height within which it may stand."""
        heights = self._heights
        lowest = {side: np.min([heights[role] for role in heights if role.startswith(side)], axis=0) for side in FEET}
        return {side: sole / max(SOLE, LOW * float(np.ptp(sole))) for side, sole in lowest.items()}

    @property
    def points(self) -> dict[str, _Point]:
        """Ankles and toes round the cycle."""
        heights, out = self._heights, {}
        for side in FEET:
            mine = [role for role in heights if role.startswith(side)]
            may_stand = max(SOLE, LOW * float(np.ptp(np.min([heights[role] for role in mine], axis=0))))
            for role in mine:
                place = _flat(self.at[role])
                over = _flat(self._rates(self.at[role])) + 1j * self.turn / self.seconds * place + self._going
                out[role] = _Point(heights[role] / may_stand, over)
        return out

    @property
    def legs_to_arms(self) -> float:
        """Mean speed of ankles about the hips against wrists about the shoulders; of a body without arms 2."""
        legs = [np.linalg.norm(self._rates(self.at[f"{side}_ankle"]), axis=1).mean() for side in FEET]
        arms = [
            np.linalg.norm(self._rates(self.at[f"{side}_wrist"] - self.at[f"{side}_shoulder"]), axis=1).mean()
            for side in FEET
            if f"{side}_wrist" in self.at and f"{side}_shoulder" in self.at
        ]
        return float(np.mean(legs) / max(float(np.mean(arms)), 1e-9)) if arms else 2.0


def _flat(track: Float[np.ndarray, "phases 3"]) -> _OnGround:
    return np.asarray(track[:, 2] + 1j * track[:, 0])


def _once(way: Float[np.ndarray, " phases"]) -> float:
    """How much stronger the first harmonic of a foot's way is than any other: below 1 it swings several times."""
    sizes = np.abs(np.fft.rfft(way))[1 : _SAMPLING.counted + 1]
    return float(sizes[0] / max(float(sizes[1:].max()), 1e-9))


def _lean(clip: Clip, roles: Roles) -> float:
    """Degrees of the trunk from upright, of its mean direction."""
    middle = clip.positions[:, [roles["left_hip"], roles["right_hip"]]].mean(axis=1)
    if "left_shoulder" in roles and "right_shoulder" in roles:
        top = clip.positions[:, [roles["left_shoulder"], roles["right_shoulder"]]].mean(axis=1)
    else:
        joint = next((roles[role] for role in ("neck", "chest", "head") if role in roles), None)
        if joint is None:
            return 0.0
        top = clip.positions[:, joint]
    trunk = (top - middle).mean(axis=0)
    return math.degrees(math.acos(float(np.clip(trunk[1] / max(float(np.linalg.norm(trunk)), 1e-9), -1.0, 1.0))))


# Standing motions.


class _IdleLimits(NamedTuple):
    """Limits of a standing motion, leg lengths unless said."""

    feet: float = 0.25  # that they keep within
    hands: float = 0.35  # that wrists keep within: a gesture goes further
    lean: float = 45.0  # degrees of the trunk
    hips: float = 0.6  # above the ankles, at least
    still: float = 0.004  # a body that moves no further is a pose
    fewest: int = 6  # frames
    seconds: float = 0.5  # at least: in less a walk goes no further than a stand


_IDLE = _IdleLimits()


def why_unmoved(clip: Clip, leg: float) -> str:
    """Why a clip is no motion at all: it has too few frames, or is a pose; empty if it is one."""
    if clip.n_frames < _IDLE.fewest:
        return f"{clip.n_frames} frames are too few"
    moves = float(np.ptp(clip.positions, axis=0).max()) >= _IDLE.still * leg
    return "" if moves else "does not move: a pose"


def why_not_idle(clip: Clip) -> str:
    """Why a clip is no stand that can be played for any time, such as ``"hands go 0.80 leg lengths"``; else empty."""
    roles = find_roles(clip.skeleton)
    try:
        leg = leg_length(clip.skeleton, leg_roles(clip.skeleton))
    except MotionError as error:
        return str(error)
    if unmoved := why_unmoved(clip, leg):
        return unmoved
    if clip.seconds < _IDLE.seconds:
        return f"lasts {clip.seconds:.2f} s"

    def widest(part: str) -> float:
        joints = [roles[role] for side in FEET if (role := f"{side}_{part}") in roles]
        return float(np.ptp(clip.positions[:, joints], axis=0).max()) / leg if joints else 0.0

    ankles = clip.positions[:, [roles["left_ankle"], roles["right_ankle"]], 1].min(axis=1)
    hips = float((clip.positions[:, [roles["left_hip"], roles["right_hip"]], 1].mean(axis=1) - ankles).mean()) / leg
    if (feet := widest("ankle")) > _IDLE.feet:
        return f"feet go {feet:.2f} leg lengths"
    if (hands := widest("wrist")) > _IDLE.hands:
        return f"hands go {hands:.2f} leg lengths"
    if (lean := _lean(clip, roles)) > _IDLE.lean:
        return f"the trunk leans by {lean:.0f}°"
    return "" if hips >= _IDLE.hips else f"hips are {hips:.2f} leg lengths high"
