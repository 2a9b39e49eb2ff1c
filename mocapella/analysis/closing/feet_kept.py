"""Close a cycle so that feet stand as they were captured, and make up for the gap while they swing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Bool, Float

from mocapella.analysis.closing.cyclify import Cut, Shares, symmetric
from mocapella.analysis.plants.ground import track_feet
from mocapella.geometry import quaternions
from mocapella.geometry.curves import smoothstep
from mocapella.motion import kinematics
from mocapella.motion.contacts import FEET, intervals_of
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, N_ROOT_DOFS, YAW_RATE
from mocapella.motion.travel import path_of_rates
from mocapella.rig.reaching import Leg, reach_for
from mocapella.rig.roles import find_roles

SHORTEST_SWING = 0.1  # seconds: a foot that is off the ground for less has no time to go anywhere else

Frames = Float[np.ndarray, "closed dofs"]
Rotations = Float[np.ndarray, "closed joints 4"]
Places = Float[np.ndarray, "closed 3"]


@dataclass(frozen=True)
class FeetKept:
    """Close a cut symmetrically, then bend the legs so that feet that stand move over the ground no more than captured.

    Displaced joint angles carry standing feet along, and who is moved by the feet goes slower for it. Here each foot
    follows its captured way over the ground, displaced by a share of the gap between its ends that changes only while
    the foot swings. All shares are chosen so that a foot is displaced as little to one side as to the other over the
    round, as the rest of the body is. A leg that would have to be longer than it is leaves its foot behind. A ground
    that rises over the round is levelled.

    Where no plants or no legs are known, the feet are left as ``symmetric`` leaves them, and ``said`` tells so.
    """

    name: ClassVar[str] = "feet kept"

    def __call__(self, cut: Cut) -> Frames:
        """The cut with its ends brought together."""
        closed = symmetric(cut)
        if cut.contacts is None or _missing(cut):
            return closed
        layout, skeleton = cut.layout, cut.layout.skeleton
        legs, shares = _legs(cut), {side: _shares_of(cut, side) for side in FEET}
        gap = layout.displacement(cut.dofs[0], cut.dofs[-1])
        for side, leg in legs.items():
            # The whole leg swings when its foot does, so that little is left to reach for, and toes bend as captured.
            own = layout.displaced(cut.dofs, shares[side][:, None] * gap)
            for joint in _below(cut, leg.hip):
                closed[:, layout.columns(joint)] = own[:, layout.columns(joint)]
        rotations = np.array(layout.rotations(closed))
        roots = _upright(closed)
        for side, (places, feet) in _captured_feet(cut).items():
            goals, turned = _displaced(cut, shares[side], places, feet)
            reach_for(skeleton, roots, rotations, legs[side], goals, turned, gently=True)
        written = layout.dofs(rotations, np.zeros((len(closed), N_ROOT_DOFS)))
        written = layout.matched(written, closed.mean(axis=0))
        for leg in legs.values():
            for joint in leg:
                closed[:, layout.columns(joint)] = written[:, layout.columns(joint)]
        return closed

    def said(self, cut: Cut) -> str:
        """What becomes of the feet, for the record."""
        if cut.contacts is None:
            return "the feet were left alone, for nobody knows when they stand"
        if missing := _missing(cut):
            return f"the feet were left alone, for the skeleton has no {missing}"
        apart = {side: np.linalg.norm(places[-1] - places[0]) for side, (places, _) in _captured_feet(cut).items()}
        return "while they swing, feet make up for " + ", ".join(f"{1000 * apart[s]:.0f} mm ({s})" for s in FEET)


feet_kept = FeetKept()
"""As ``symmetric``, with legs that bend so that standing feet rest over the ground as captured; for sharp turns."""


def _missing(cut: Cut) -> str:
    """The joints of the legs that the skeleton does not tell, in words."""
    roles = find_roles(cut.layout.skeleton)
    return ", ".join(f"{side}_{part}" for side in FEET for part in Leg._fields if f"{side}_{part}" not in roles)


def _legs(cut: Cut) -> dict[str, Leg]:
    roles = find_roles(cut.layout.skeleton)
    return {side: Leg(*(roles[f"{side}_{part}"] for part in Leg._fields)) for side in FEET}


def _below(cut: Cut, joint: int) -> list[int]:
    """The joint and all that hang on it."""
    skeleton = cut.layout.skeleton
    return [other for other in range(skeleton.n_joints) if joint in skeleton.path(other)]


def _upright(dofs: Frames) -> Places:
    """Places of a root that goes nowhere: the feet are looked at from where the character is."""
    roots = np.zeros((len(dofs), 3))
    roots[:, 1] = dofs[:, HEIGHT]
    return roots


def _captured_feet(cut: Cut) -> dict[str, tuple[Places, Float[np.ndarray, "closed 4"]]]:
    """Where the ankles were captured and how they were turned, seen from the root, over a ground that is level."""
    layout = cut.layout
    places, world = kinematics.forward(layout.skeleton, _upright(cut.dofs), layout.rotations(cut.dofs))
    ankles = [leg.ankle for leg in _legs(cut).values()]
    seen = places[:, ankles]
    gaps = [float(cut.dofs[-1, HEIGHT] - cut.dofs[0, HEIGHT]), *(seen[-1, :, 1] - seen[0, :, 1]).tolist()]
    seen[..., 1] -= _hills(cut, ankles, (min(0.0, *gaps), max(0.0, *gaps)))
    return {side: (seen[:, i], world[:, ankles[i]]) for i, side in enumerate(FEET)}


def _hills(cut: Cut, joints: list[int], most: tuple[float, float]) -> Float[np.ndarray, "closed joints"]:
    """How much higher the ground is under these joints than in the middle of the round, metres.

    A found ground is a guess: over the round it rises within ``most`` only, what the root and the feet rise by, so that
    what closes already stays as it is.
    """
    taken = cut.clip[cut.start : cut.start + cut.n_frames + 1]
    tracks = track_feet(cut.clip.captured)
    first, last = tracks.level(taken.root_positions[[0, -1]]).tolist()
    believed = float(np.clip(last - first, *most)) / (last - first) if last != first else 0.0
    return np.asarray(believed * (tracks.level(taken.positions[:, joints]) - 0.5 * (first + last)))


def _displaced(
    cut: Cut, shares: Shares, places: Places, feet_wxyz: Float[np.ndarray, "closed 4"]
) -> tuple[Places, Float[np.ndarray, "closed 4"]]:
    """The way of a foot with these shares of the gap between its ends added, which lie still on the ground.

    What is added is fixed to the ground as long as the share stays, though the character turns; over the round it turns
    along, so that both ends see the gap alike.
    """
    rates = cut.dofs[:-1]
    _, yaws = path_of_rates(rates[:, AHEAD] + 1j * rates[:, LEFT], rates[:, YAW_RATE], cut.clip.frame_rate)
    heading = quaternions.about_y((yaws[-1] - yaws[0]) * (shares[0] - shares) - yaws)
    turn = quaternions.multiply(feet_wxyz[-1], quaternions.conjugate(feet_wxyz[0]))
    gap, twist = places[-1] - places[0], quaternions.to_rotvec(quaternions.shortest(turn))
    goals = places + quaternions.rotate(heading, shares[:, None] * gap)
    turns = quaternions.from_rotvec(quaternions.rotate(heading, shares[:, None] * twist))
    return np.asarray(goals), quaternions.multiply(turns, feet_wxyz)


def _shares_of(cut: Cut, side: str) -> Shares:
    assert cut.contacts is not None
    return swing_shares(cut.contacts.planted(side), max(round(SHORTEST_SWING * cut.clip.frame_rate), 1))


def swing_shares(planted: Bool[np.ndarray, " closed"], shortest: int) -> Float[np.ndarray, " closed"]:
    """The share of the gap that each frame of a foot's round takes: it stays while the foot stands, and falls by 1.

    Swings take what they last of it, setting in and out gently; one over the seam is one swing. Those of less than
    ``shortest`` frames take nothing, unless there are no others. The mean over the round is 0, as it is for the body
    that the foot belongs to. A foot that never lifts, or never stands, takes the gap evenly.
    """
    n = len(planted) - 1
    lifted = [(max(first - 1, 0), min(last + 1, n)) for first, last in intervals_of(~planted)]
    if not lifted or not planted.any():
        return np.asarray(0.5 - np.arange(n + 1) / n)
    swings = [[swing] for swing in lifted]
    if len(swings) > 1 and not (planted[0] or planted[-1]):
        swings = [*swings[1:-1], [*swings[-1], *swings[0]]]
    lengths = [sum(last - first for first, last in parts) for parts in swings]
    least = min(shortest, max(lengths))
    total = sum(length for length in lengths if length >= least)
    falls = np.zeros(n)
    for parts, length in zip(swings, lengths, strict=True):
        if length >= least:
            along = np.arange(length + 1) / length
            steps = np.diff(smoothstep(along)) * length / total
            for first, last in parts:
                falls[first:last] += steps[: last - first]
                steps = steps[last - first :]
    fallen = np.concatenate([[0.0], np.cumsum(falls)])
    return np.asarray(fallen.mean() - fallen)
