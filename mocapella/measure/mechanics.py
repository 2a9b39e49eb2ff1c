"""A motion compared with the laws of mechanics: gravity in flight, pushing and friction in support, balance.

Captures keep them but for noise and for what a model of few segments leaves out; blends and edits may not (Safonova and
Hodgins 2005). So the figures of an edited motion are read beside those of the captures it was made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy
from jaxtyping import Bool, Float

from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.plants.tracks import foot_places
from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts, intervals_of
from mocapella.rig.legs import leg_roles
from mocapella.rig.roles import find_roles

GRAVITY = 9.81  # m/s²


@dataclass(frozen=True)
class _SupportTest:
    """Where a body flies or is carried, and where that tells something."""

    shortest: float = 0.08  # seconds: shorter times without a planted foot are gaps between plants
    trimmed: float = 0.15  # of a flight at either end: a foot may be down there that the plants have up already
    window: float = 0.2  # seconds over which accelerations in support are fitted
    pressed: float = 0.1  # of the weight: while a body presses less, friction and balance mean nothing
    foot: float = 0.05  # metres: half the width of a foot, and as far beyond its ball


_SUPPORT = _SupportTest()


# Winter (2009), table 4.1: share of the mass of the body, and where between both ends it is.
_LIMBS = (
    ("hip", "knee", 0.100, 0.433),
    ("knee", "ankle", 0.0465, 0.433),
    ("ankle", "toe", 0.0145, 0.5),
    ("shoulder", "elbow", 0.028, 0.436),
    ("elbow", "wrist", 0.022, 0.682),  # forearm and hand
)
_TRUNK, _HEAD = 0.497, 0.081  # shares of the mass

_Track = Float[np.ndarray, "frames 3"]
_Signal = Float[np.ndarray, " frames"]


@dataclass(frozen=True)
class Mechanics:
    """Figures of a motion compared with the laws of mechanics."""

    flights: tuple[tuple[int, int], ...]  # first and last frame without a planted foot
    gravity: float | None  # m/s², downward acceleration of the centre of mass in flight, weighted by time; None: none
    drift: float | None  # m/s: how much its velocity over the ground changes in a flight, mean
    pulling: float | None  # share of the time in support in which feet would have to pull at the ground
    friction: float | None  # 95th percentile of horizontal over vertical force in support
    balance: float | None  # metres from the centre of pressure to the feet that carry it, 95th percentile
    balance_mean: float | None

    def to_dict(self) -> dict[str, Any]:
        """As commands print it: lengths in centimetres, shares in per cent."""

        def scaled(value: float | None, by: float) -> float | None:
            return None if value is None else by * value

        return {
            "flights": [list(flight) for flight in self.flights],
            "gravity": self.gravity,
            "drift": self.drift,
            "pulling": scaled(self.pulling, 100.0),
            "friction": self.friction,
            "balance_cm": scaled(self.balance, 100.0),
            "balance_cm_mean": scaled(self.balance_mean, 100.0),
        }


def mechanics(clip: Clip | Examined, contacts: Contacts | None = None) -> Mechanics:
    """Compare a motion with the laws of mechanics.

    The body is the point masses of its segments. In flight nothing but gravity acts on their centre. In support, forces
    follow from its acceleration: they can only push, friction is limited, and the centre of pressure lies in the feet
    that are planted. Turning of segments about themselves is left out, which moves the centre of pressure of a gait by
    centimetres.

    Parameters
    ----------
    clip
        The motion, or what was examined of it; an artificial rest pose in front is left out.
    contacts
        Its foot plants; found if None.

    Returns
    -------
    Mechanics
        None for what the motion has no time for: gravity in a walk, say.

    Raises
    ------
    MotionError
        Where the legs of the skeleton are not known, or contacts belong to another clip.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> run = mechanics(perform("run")[0])
    >>> bool(abs(run.gravity - GRAVITY) < 2.0), bool(run.pulling < 0.05)
    (True, True)
    """
    examined = examine(clip)
    plants = examined.plants if contacts is None else contacts
    if plants.n_frames != examined.clip.n_frames:
        raise MotionError(f"contacts of {plants.n_frames} frames do not belong to a clip of {examined.clip.n_frames}")
    captured = examined.clip.captured
    if captured.n_frames < examined.clip.n_frames:
        plants = plants[examined.clip.n_frames - captured.n_frames :]
    centre = centre_of_mass(captured)
    standing = np.stack([plants.planted(foot) for foot in FEET], axis=1)
    flights = _flights(standing, captured.frame_rate)
    falls = [_fall(centre[first : last + 1], captured.frame_rate) for first, last in flights]
    times = np.array([last - first for first, last in flights], dtype=np.float64)
    pulling, friction, apart = _support(centre, captured, standing)
    row = captured.first_row
    return Mechanics(
        tuple((first + row, last + row) for first, last in flights),
        float(np.average([fall[0] for fall in falls], weights=times)) if falls else None,
        float(np.average([fall[1] for fall in falls], weights=times)) if falls else None,
        pulling,
        float(np.percentile(friction, 95.0)) if len(friction) else None,
        float(np.percentile(apart, 95.0)) if len(apart) else None,
        float(apart.mean()) if len(apart) else None,
    )


def _flights(standing: Bool[np.ndarray, "frames 2"], rate: float) -> list[tuple[int, int]]:
    """First and last frames of the times without a planted foot whose both ends are seen."""
    shortest, last_frame = max(round(_SUPPORT.shortest * rate), 4), len(standing) - 1
    return [
        (first, last)
        for first, last in intervals_of(np.asarray(~standing.any(axis=1)))
        if last - first >= shortest and first > 0 and last < last_frame
    ]


def centre_of_mass(clip: Clip) -> _Track:
    """The centre of mass of a body in every frame, in metres, by the usual shares of its segments.

    Segments whose joints are not known count as none.
    """
    roles = {**find_roles(clip.skeleton), **leg_roles(clip.skeleton)}
    places = clip.positions
    hips = 0.5 * (places[:, roles["left_hip"]] + places[:, roles["right_hip"]])
    shoulders = [places[:, roles[name]] for name in ("left_shoulder", "right_shoulder") if name in roles]
    top = sum(shoulders) / len(shoulders) if shoulders else places[:, roles.get("chest", roles.get("hips", 0))]
    parts = [(_TRUNK, 0.5 * (hips + top)), (_HEAD, places[:, roles["head"]] if "head" in roles else top)]
    for upper, lower, mass, at in _LIMBS:
        for side in ("left", "right"):
            ends = [roles.get(f"{side}_{name}") for name in (upper, lower)]
            if ends[0] is not None and ends[1] is not None:
                parts.append((mass, (1.0 - at) * places[:, ends[0]] + at * places[:, ends[1]]))
    return np.asarray(sum(mass * place for mass, place in parts) / sum(mass for mass, _ in parts))


def _fall(centre: _Track, rate: float) -> tuple[float, float]:
    """Downward acceleration in a flight, and the change of velocity over the ground."""
    cut = int(_SUPPORT.trimmed * len(centre))
    inner = centre[cut : len(centre) - cut]
    times = np.arange(len(inner)) / rate
    curves = np.polynomial.polynomial.polyfit(times, inner, 2)
    return -2.0 * float(curves[2, 1]), 2.0 * float(np.hypot(*curves[2, ::2])) * float(times[-1])


def _support(
    centre: _Track, clip: Clip, standing: Bool[np.ndarray, "frames 2"]
) -> tuple[float | None, Float[np.ndarray, " firm"], Float[np.ndarray, " firm"]]:
    """How often feet would pull, friction, and the distance of the centre of pressure from the feet that carry."""
    window = max(2 * (round(_SUPPORT.window * clip.frame_rate) // 2) + 1, 5)
    nothing = np.zeros(0)
    if clip.n_frames < window:
        return None, nothing, nothing
    pushes = scipy.signal.savgol_filter(centre, window, 3, deriv=2, delta=1.0 / clip.frame_rate, axis=0)
    pushes[:, 1] += GRAVITY
    inner = np.zeros(clip.n_frames, dtype=bool)
    inner[window // 2 : clip.n_frames - window // 2] = True  # a window that is not whole is extrapolated
    carried = standing.any(axis=1) & inner
    if not carried.any():
        return None, nothing, nothing
    firm = carried & (pushes[:, 1] > _SUPPORT.pressed * GRAVITY)
    places = foot_places(clip, leg_roles(clip.skeleton))
    floor = np.where(standing.repeat(2, axis=1), places[..., 1], np.inf).min(axis=1)
    pressure = centre[firm, ::2] - ((centre[firm, 1] - floor[firm]) / pushes[firm, 1])[:, None] * pushes[firm, ::2]
    apart = _from_feet(pressure, places[firm][..., ::2], standing[firm].repeat(2, axis=1))
    horizontal = np.hypot(pushes[firm, 0], pushes[firm, 2])
    pulling = float((pushes[carried, 1] < 0.0).mean())
    return pulling, horizontal / pushes[firm, 1], np.maximum(apart - _SUPPORT.foot, 0.0)


def _from_feet(
    places: Float[np.ndarray, "frames 2"], points: Float[np.ndarray, "frames 4 2"], used: Bool[np.ndarray, "frames 4"]
) -> _Signal:
    """Distance from the hull of up to four points: 0 inside, else that from the nearest line between two of them."""
    nearest = np.full(len(places), np.inf)
    for first, second in combinations(range(4), 2):
        begin, along = points[:, first], points[:, second] - points[:, first]
        size = np.maximum((along**2).sum(axis=1), 1e-12)
        share = np.clip(((places - begin) * along).sum(axis=1) / size, 0.0, 1.0)
        away = np.linalg.norm(places - begin - share[:, None] * along, axis=1)
        nearest = np.where(used[:, first] & used[:, second], np.minimum(nearest, away), nearest)
    for corners in combinations(range(4), 3):
        sides = []
        for i in range(3):
            begin, end = points[:, corners[i]], points[:, corners[(i + 1) % 3]]
            ahead, to = end - begin, places - begin
            sides.append(ahead[:, 0] * to[:, 1] - ahead[:, 1] * to[:, 0])
        inside = (np.min(sides, axis=0) >= 0.0) | (np.max(sides, axis=0) <= 0.0)
        nearest = np.where(inside & used[:, list(corners)].all(axis=1), 0.0, nearest)
    return nearest
