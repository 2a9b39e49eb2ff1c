"""Take out the limp that closing a cycle can leave: feet that no longer reach the ground, or reach below it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from mocapella.analysis.closing.cyclify import symmetric
from mocapella.analysis.cycles.find import RawCycle
from mocapella.analysis.plants.detect import find_plants
from mocapella.arrays import owned
from mocapella.errors import MotionError
from mocapella.geometry.curves import smoothstep
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import HEIGHT, N_ROOT_DOFS
from mocapella.rig.names import SIDES
from mocapella.rig.reaching import Leg, reach_for
from mocapella.rig.roles import find_roles

_SHORTEST_RAMP = 0.1  # seconds in which a foot may make up for what is missing

Heights = Float[np.ndarray, " frames"]
Rotations = Float[np.ndarray, "frames joints 4"]


def without_limp(cycle: Cycle, captured: RawCycle | Clip) -> Cycle:
    """The cycle with hips, knees and ankles bent so that feet that stand are as far below the pelvis as captured.

    Closing a cycle moves joint angles by a little each, and feet by what comes of it. Here each ankle gets its captured
    distance below the pelvis back, by bending the knee and swinging the leg; the foot keeps its slope. Where that
    distance differs from one end of the cycle to the other, a foot makes up for it while it swings, so that it stands
    as it was captured. One that stands at the seam itself has two distances there: it takes the mean, and comes back to
    its own within the stance. All other joints stay as they are.

    Parameters
    ----------
    cycle
        A cycle as ``cyclify`` closed it symmetrically, not yet synchronised.
    captured
        What it was made of: the found cycle, or the frames with the one that closes them.
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
    roles = find_roles(cycle.skeleton)
    legs = [Leg(*(roles.get(side + part, -1) for part in Leg._fields)) for side in SIDES]
    if any(joint < 0 for leg in legs for joint in leg):
        raise MotionError("correcting a limp needs the roles hip, knee and ankle of both legs; name these joints")
    rotations = np.array(cycle.rotations_wxyz)
    dofs = np.array(cycle.dofs)
    largest = 0.0
    contacts = captured.contacts if isinstance(captured, RawCycle) else find_plants(cut)
    shortest = max(int(_SHORTEST_RAMP * cut.frame_rate), 1)
    for side, leg in zip(SIDES, legs, strict=True):
        below = cut.root_positions[:, 1] - cut.positions[:, leg.ankle, 1]
        ramp = _ramp(contacts.planted(side.rstrip("_")), shortest)
        heights = cycle.dofs[:, HEIGHT] - (below + (below[-1] - below[0]) * ramp)[:-1]
        largest = max(largest, _reach_for(cycle, rotations, leg, heights))
    written = cycle.layout.dofs(rotations, np.zeros((cycle.n_frames, N_ROOT_DOFS)))
    written = cycle.layout.matched(written, cycle.dofs.mean(axis=0))
    for leg in legs:
        for joint in leg:
            at = cycle.layout.columns(joint)
            dofs[:, at] = written[:, at]
    text = f"legs bent so that the feet keep their heights; the largest correction was {1000 * largest:.1f} mm"
    return replace(cycle, dofs=owned(dofs)).decided("limp", text, largest_m=largest)


def _ramp(planted: Bool[np.ndarray, " closed"], shortest: int) -> Float[np.ndarray, " closed"]:
    """What each frame takes of the difference between the ends: 0 where the foot stands, 1 less at the last than first.

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
        return np.asarray(np.where(frames <= first, 1.0, 0.0) - _ease(along))
    lifted = first + np.flatnonzero(~planted[first:last])
    if len(lifted) == 0:
        return np.asarray(0.5 - frames / n)
    begin, end = (min(max(length, shortest), n // 2) for length in (int(lifted[0]), n - int(lifted[-1])))
    return np.asarray(0.5 * _ease(1.0 - frames / begin) - 0.5 * _ease(1.0 - (n - frames) / end))


def _ease(share: Float[np.ndarray, " frames"]) -> Float[np.ndarray, " frames"]:
    """From 0 to 1, starting and stopping gently; no less and no more beyond."""
    return smoothstep(np.clip(share, 0.0, 1.0))


def _reach_for(cycle: Cycle, rotations: Rotations, leg: Leg, heights: Heights) -> float:
    """Bend the leg in ``rotations`` until its ankle is at these heights; the largest move, metres."""
    roots = np.zeros((cycle.n_frames, 3))
    roots[:, 1] = cycle.dofs[:, HEIGHT]
    places, _ = kinematics.forward(cycle.skeleton, roots, rotations)
    top, middle, end = (places[:, joint] for joint in leg)
    longest = 0.9999 * (np.linalg.norm(middle - top, axis=-1) + np.linalg.norm(end - middle, axis=-1))
    goals = _within_reach(top, end, heights, longest)
    reach_for(cycle.skeleton, roots, rotations, leg, goals)
    return float(np.abs(goals - end).max())


def _within_reach(
    top: Float[np.ndarray, "frames 3"], end: Float[np.ndarray, "frames 3"], heights: Heights, longest: Heights
) -> Float[np.ndarray, "frames 3"]:
    """The ankle at its new height, drawn in under the hip as far as a leg that is too short needs it."""
    across = (end - top) * np.array([1.0, 0.0, 1.0])
    room = np.sqrt(np.maximum(longest**2 - (heights - top[:, 1]) ** 2, 0.0))
    wide = np.linalg.norm(across, axis=-1)
    goal = top + across * (np.minimum(wide, room) / np.where(wide > 0.0, wide, 1.0))[:, None]
    goal[:, 1] = heights
    return np.asarray(goal)
