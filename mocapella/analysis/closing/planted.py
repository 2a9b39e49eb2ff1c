"""Planted feet kept as captured in a closed cycle: while closing it, or by bending the legs afterwards."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from mocapella.analysis.closing.displacement import ClosingMethod, Cut, Shares, symmetric
from mocapella.analysis.cycles.raw_cycle import RawCycle
from mocapella.analysis.examined import examine
from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.curves import smoothstep
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, intervals_of
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import AHEAD, HEIGHT, LEFT, N_ROOT_DOFS, YAW_RATE, Layout
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.travel import path_of_rates
from mocapella.rig.limb_ik import LimbJoints, reach_for
from mocapella.rig.roles import find_roles

_SHORTEST_SWING = 0.1  # seconds: in a shorter swing a foot is not moved

Frames = Float[np.ndarray, "closed dofs"]
Heights = Float[np.ndarray, " frames"]
Places = Float[np.ndarray, "frames 3"]
Rotations = Float[np.ndarray, "frames joints 4"]
Turns = Float[np.ndarray, "frames 4"]


def _close_with_feet_kept(cut: Cut) -> Frames:
    """Close a cut symmetrically, then bend the legs so that planted feet move over the ground no more than captured.

    Displacing joint angles moves planted feet, and a character whose root motion follows its feet becomes slower. Here
    each foot follows its captured path over the ground, displaced by a share of the gap between its ends that changes
    only while the foot swings. The mean share over the cycle is 0, as it is for the rest of the body. A leg that would
    have to be longer than it is leaves its foot behind. A ground that rises over the cycle is levelled.

    Where plants or legs are not known, the feet are left as ``symmetric`` leaves them, and the record says so.
    """
    closed = symmetric(cut)
    if cut.contacts is None or _missing(cut.layout.skeleton):
        return closed
    layout, skeleton = cut.layout, cut.layout.skeleton
    shortest = max(round(_SHORTEST_SWING * cut.source.clip.frame_rate), 1)
    legs = _legs(skeleton)
    shares = {side: swing_shares(cut.contacts.planted(side), shortest) for side in FEET}
    gap = layout.displacement(cut.dofs[0], cut.dofs[-1])
    for side, leg in legs.items():
        # The whole leg swings when its foot does, so that little is left to reach for, and toes bend as captured.
        displaced = layout.displaced(cut.dofs, shares[side][:, None] * gap)
        for joint in range(skeleton.n_joints):
            if leg.hip in skeleton.path(joint):
                closed[:, layout.columns(joint)] = displaced[:, layout.columns(joint)]
    rotations = np.array(layout.rotations(closed))
    roots = _in_place(closed)
    for side, (places, feet) in _captured_feet(cut).items():
        goals, turned = _displaced(cut, shares[side], places, feet)
        reach_for(skeleton, roots, rotations, legs[side], goals, turned, gently=True)
    return _with_legs(layout, closed, rotations, legs.values())


def _feet_note(cut: Cut) -> str:
    """A note on the feet, for the record."""
    if cut.contacts is None:
        return "the feet were left alone, since their plants are not known"
    if missing := _missing(cut.layout.skeleton):
        return f"the feet were left alone, for the skeleton has no {missing}"
    apart = {side: np.linalg.norm(places[-1] - places[0]) for side, (places, _) in _captured_feet(cut).items()}
    return "while they swing, feet make up for " + ", ".join(f"{1000 * apart[s]:.0f} mm ({s})" for s in FEET)


feet_kept = ClosingMethod("feet kept", _close_with_feet_kept, note=_feet_note)
"""As ``symmetric``, with legs that bend so that planted feet rest over the ground as captured; for sharp turns."""


def _missing(skeleton: Skeleton) -> str:
    """The joints of the legs that play no known role, in words."""
    roles = find_roles(skeleton)
    return ", ".join(f"{side}_{part}" for side in FEET for part in LimbJoints._fields if f"{side}_{part}" not in roles)


def _legs(skeleton: Skeleton) -> dict[str, LimbJoints]:
    roles = find_roles(skeleton)
    return {side: LimbJoints(*(roles[f"{side}_{part}"] for part in LimbJoints._fields)) for side in FEET}


def _in_place(dofs: Float[np.ndarray, "frames dofs"]) -> Places:
    """Root positions that stay above the origin: feet are seen from where the character is."""
    roots = np.zeros((len(dofs), 3))
    roots[:, 1] = dofs[:, HEIGHT]
    return roots


def _with_legs(
    layout: Layout, dofs: Float[np.ndarray, "frames dofs"], rotations: Rotations, legs: Iterable[LimbJoints]
) -> Float[np.ndarray, "frames dofs"]:
    """Dofs with those of hips, knees and ankles taken from rotations."""
    out = np.array(dofs)
    written = layout.matched(layout.dofs(rotations, np.zeros((len(dofs), N_ROOT_DOFS))), dofs.mean(axis=0))
    for joint in itertools.chain.from_iterable(legs):
        out[:, layout.columns(joint)] = written[:, layout.columns(joint)]
    return out


def _captured_feet(cut: Cut) -> dict[str, tuple[Places, Turns]]:
    """Captured places and rotations of the ankles, seen from the root, over a ground that is level."""
    layout = cut.layout
    places, world = kinematics.forward(layout.skeleton, _in_place(cut.dofs), layout.rotations(cut.dofs))
    ankles = [leg.ankle for leg in _legs(layout.skeleton).values()]
    seen = places[:, ankles]
    gaps = [float(cut.dofs[-1, HEIGHT] - cut.dofs[0, HEIGHT]), *(seen[-1, :, 1] - seen[0, :, 1]).tolist()]
    seen[..., 1] -= _hills(cut, ankles, (min(0.0, *gaps), max(0.0, *gaps)))
    return {side: (seen[:, i], world[:, ankles[i]]) for i, side in enumerate(FEET)}


def _hills(cut: Cut, joints: list[int], most: tuple[float, float]) -> Float[np.ndarray, "closed joints"]:
    """How much higher the ground is under these joints than in the middle of the cycle, metres.

    The ground is an estimate, so over the cycle it rises within ``most`` only, what the root and the feet rise by: a
    cycle that closes already stays as it is.
    """
    taken = cut.source.clip[cut.start : cut.start + cut.n_frames + 1]
    tracks = cut.source.captured.feet
    first, last = tracks.level(taken.root_positions[[0, -1]]).tolist()
    believed = float(np.clip(last - first, *most)) / (last - first) if last != first else 0.0
    return np.asarray(believed * (tracks.level(taken.positions[:, joints]) - 0.5 * (first + last)))


def _displaced(cut: Cut, shares: Shares, places: Places, feet_wxyz: Turns) -> tuple[Places, Turns]:
    """Places and rotations of a foot with these shares of the gap between its ends added.

    While a share is constant, what it adds is fixed to the ground, though the character turns; over the cycle it turns
    along, so that both ends see the gap alike.
    """
    rates = cut.dofs[:-1]
    _, yaws = path_of_rates(rates[:, AHEAD] + 1j * rates[:, LEFT], rates[:, YAW_RATE], cut.source.clip.frame_rate)
    heading = quaternions.about_y((yaws[-1] - yaws[0]) * (shares[0] - shares) - yaws)
    turn = quaternions.multiply(feet_wxyz[-1], quaternions.conjugate(feet_wxyz[0]))
    gap, twist = places[-1] - places[0], quaternions.to_rotvec(quaternions.shortest(turn))
    goals = places + quaternions.rotate(heading, shares[:, None] * gap)
    turns = quaternions.from_rotvec(quaternions.rotate(heading, shares[:, None] * twist))
    return np.asarray(goals), quaternions.multiply(turns, feet_wxyz)


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
            steps = np.diff(smoothstep(np.arange(length + 1) / length)) * length / total
            for first, last in parts:
                falls[first:last] += steps[: last - first]
                steps = steps[last - first :]
    fallen = np.concatenate([[0.0], np.cumsum(falls)])
    return np.asarray(fallen.mean() - fallen)


# The same for heights alone, in a cycle that is closed already: closing can leave feet that no longer reach the ground,
# or reach below it.


def without_limp(cycle: Cycle, captured: RawCycle | Clip) -> Cycle:
    """The cycle with hips, knees and ankles bent so that planted feet are as far below the pelvis as captured.

    Closing a cycle changes each joint angle a little, and these changes add up at the feet. Here each ankle gets its
    captured distance below the pelvis back, by bending the knee and swinging the leg; the foot keeps its slope. Where
    that distance differs from one end of the cycle to the other, a foot makes up for it while it swings, so that it
    stands as it was captured. One that stands at the seam itself has two distances there: it takes the mean, and comes
    back to its own within the stance. All other joints stay as they are.

    ``cycle`` was closed symmetrically by ``cyclify`` and is not yet synchronised; ``captured`` is the found cycle that
    it was made of, or its frames with the one that closes them.
    """
    cut = captured.cut if isinstance(captured, RawCycle) else captured
    if cut.n_frames != cycle.n_frames + 1 or cycle.offset != 0.0:
        raise MotionError(
            f"expected the {cycle.n_frames + 1} frames the cycle was closed from, not yet shifted; got {cut.n_frames} "
            f"frames and an offset of {cycle.offset:g}"
        )
    closed = [decision.text for decision in cycle.decisions if decision.step == "cyclify"]
    if closed and not closed[-1].startswith(f"closed ({symmetric.name})"):
        raise MotionError(
            f"a limp is mended in cycles that are closed ({symmetric.name}), since heights are closed in the same way; "
            f"this one was {closed[-1].partition(';')[0]}"
        )
    if _missing(cycle.skeleton):
        raise MotionError("correcting a limp needs the roles hip, knee and ankle of both legs; name these joints")
    rotations, legs = np.array(cycle.rotations_wxyz), _legs(cycle.skeleton)
    contacts = captured.contacts if isinstance(captured, RawCycle) else examine(cut).plants
    shortest = max(int(_SHORTEST_SWING * cut.frame_rate), 1)
    largest = 0.0
    for side, leg in legs.items():
        below = cut.root_positions[:, 1] - cut.positions[:, leg.ankle, 1]
        ramp = _ramp(contacts.planted(side), shortest)
        heights = cycle.dofs[:, HEIGHT] - (below + (below[-1] - below[0]) * ramp)[:-1]
        largest = max(largest, _lift_foot(cycle, rotations, leg, heights))
    dofs = _with_legs(cycle.layout, cycle.dofs, rotations, legs.values())
    text = f"legs bent so that the feet keep their heights; the largest correction was {1000 * largest:.1f} mm"
    return replace(cycle, dofs=owned(dofs)).decided("limp", text, largest_m=largest)


def _ramp(planted: Bool[np.ndarray, " closed"], shortest: int) -> Float[np.ndarray, " closed"]:
    """Share of the difference between the ends for each frame: 0 where the foot stands, 1 less at the last than first.

    A foot that stands at both ends, or has no more than ``shortest`` frames to swing there, takes half of it there and
    less within the stance; one that never lifts, or never stands, takes it evenly.
    """
    n = len(planted) - 1
    frames, stands = np.arange(n + 1), np.flatnonzero(planted)
    if len(stands) == 0:
        return np.asarray(0.5 - frames / n)
    first, last = int(stands[0]), int(stands[-1])
    swing = n - last + first
    if swing >= shortest:
        along = np.where(frames <= first, n - last + frames, np.maximum(frames - last, 0)) / swing
        return np.asarray(np.where(frames <= first, 1.0, 0.0) - _eased(along))
    lifted = first + np.flatnonzero(~planted[first:last])
    if len(lifted) == 0:
        return np.asarray(0.5 - frames / n)
    begin, end = (min(max(length, shortest), n // 2) for length in (int(lifted[0]), n - int(lifted[-1])))
    return np.asarray(0.5 * _eased(1.0 - frames / begin) - 0.5 * _eased(1.0 - (n - frames) / end))


def _eased(share: Heights) -> Heights:
    """From 0 to 1, starting and stopping gently; constant beyond."""
    return smoothstep(np.clip(share, 0.0, 1.0))


def _lift_foot(cycle: Cycle, rotations: Rotations, leg: LimbJoints, heights: Heights) -> float:
    """Bend the leg in ``rotations`` until its ankle is at these heights; the largest move, metres."""
    roots = _in_place(cycle.dofs)
    places, _ = kinematics.forward(cycle.skeleton, roots, rotations)
    top, middle, end = (places[:, joint] for joint in leg)
    longest = 0.9999 * (np.linalg.norm(middle - top, axis=-1) + np.linalg.norm(end - middle, axis=-1))
    goals = _within_reach(top, end, heights, longest)
    reach_for(cycle.skeleton, roots, rotations, leg, goals)
    return float(np.abs(goals - end).max())


def _within_reach(top: Places, end: Places, heights: Heights, longest: Heights) -> Places:
    """The ankle at its new height, drawn in under the hip as far as a leg that is too short needs it."""
    across = (end - top) * np.array([1.0, 0.0, 1.0])
    room = np.sqrt(np.maximum(longest**2 - (heights - top[:, 1]) ** 2, 0.0))
    wide = np.linalg.norm(across, axis=-1)
    goal = top + across * (np.minimum(wide, room) / np.where(wide > 0.0, wide, 1.0))[:, None]
    goal[:, 1] = heights
    return np.asarray(goal)
