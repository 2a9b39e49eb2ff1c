"""Clips that are loops as a whole: the last frame shows the first again, or leads on to it, as animators store them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from mocapella.geometry import quaternions
from mocapella.motion.clip import Clip


@dataclass(frozen=True)
class _LoopTest:
    """Limits within which a clip is a loop."""

    seconds: tuple[float, float] = (0.3, 4.0)  # the least and the most that a loop of a gait lasts
    same: float = 0.2  # of a usual step from frame to frame: a last pose no further off is the first again
    next_round: float = 0.1  # seconds of the next round that tell how it goes on
    fewest: int = 6  # frames
    still: float = 0.01  # of the body's height: what moves no further stands
    off: float = 0.8  # of the steps beside: how far the next pose may be from where these lead


_LOOP = _LoopTest()


def whole_loop(clip: Clip) -> tuple[Clip, tuple[int, int]] | None:
    """A clip that is a loop with the beginning of its next round, and the frames of the loop in it.

    Returns the clip going on for a tenth of a second, its first frame and the one that shows the same pose a round
    later; None for a motion that does not lead back to its beginning. An artificial rest pose in front is no part of a
    loop.
    """
    captured = clip.captured
    if captured.n_frames < _LOOP.fewest or not _LOOP.seconds[0] <= captured.seconds <= _LOOP.seconds[1]:
        return None
    yaws, roots = captured.headings, captured.root_positions
    places = captured.positions - (roots * [1.0, 0.0, 1.0])[:, None]
    seen = quaternions.rotate(quaternions.about_y(-yaws)[:, None], places)
    steps = np.diff(seen, axis=0)
    if float(_sizes(seen - seen[0]).max()) < _LOOP.still * float(np.ptp(seen[..., 1])):
        return None
    closed = _size(seen[-1] - seen[0]) <= _LOOP.same * float(np.median(_sizes(steps)))
    # The next frame is as far on as the first and the last step lead; where it is there, both steps are alike.
    off = steps[0] - steps[-1] if closed else seen[0] - seen[-1] - 0.5 * (steps[0] + steps[-1])
    if _size(off) > _LOOP.off * max(_size(steps[0]), _size(steps[-1])):
        return None
    turn, place = float(yaws[-1] - yaws[0]), roots[-1]
    if not closed:
        turn += 0.5 * float(yaws[1] - yaws[0] + yaws[-1] - yaws[-2])
        first_step = quaternions.rotate(quaternions.about_y(turn), roots[1] - roots[0])
        place = place + 0.5 * (roots[-1] - roots[-2] + first_step)
    turned, more = quaternions.about_y(turn), max(3, int(_LOOP.next_round * clip.frame_rate) + 2)
    rotations = np.array(captured.rotations_wxyz[:more])
    rotations[:, 0] = quaternions.multiply(turned, rotations[:, 0])
    places = quaternions.rotate(turned, roots[:more] - roots[0]) + place * [1.0, 0.0, 1.0] + roots[0] * [0.0, 1.0, 0.0]
    last = clip.n_frames - 1 if closed else clip.n_frames
    going_on = replace(
        clip,
        root_positions=np.concatenate([clip.root_positions[:last], places]),
        rotations_wxyz=np.concatenate([clip.rotations_wxyz[:last], rotations]),
        slides=np.concatenate([clip.slides[:last], captured.slides[:more]]),
    )
    return going_on, (clip.n_frames - captured.n_frames, last)


def _size(step: Float[np.ndarray, "joints 3"]) -> float:
    """The mean way of all joints, metres."""
    return float(_sizes(step))


def _sizes(steps: Float[np.ndarray, "*steps joints 3"]) -> Float[np.ndarray, "*steps"]:
    return np.asarray(np.linalg.norm(steps, axis=-1).mean(axis=-1))
