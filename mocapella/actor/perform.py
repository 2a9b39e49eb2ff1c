"""``perform``: a clip of an action at a speed, turn rate and style, with its ground truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType

import numpy as np
from jaxtyping import Float, Int

from mocapella.actor import course, gestures, request, scenes, transitions
from mocapella.actor.imperfections import CLEAN, Imperfections, Quirks, reframe, spoil
from mocapella.actor.request import GAITS, IDLES, TRANSITIONS, TURNS, Request
from mocapella.actor.scenes import Scene
from mocapella.arrays import freeze, readonly
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.motion.clip import Clip

_SCENES = {  # action → how it is laid out in time; all others are gestures
    **dict.fromkeys(GAITS, scenes.travel),
    **dict.fromkeys(TURNS, gestures.turn_round),
    **dict.fromkeys(IDLES, gestures.stay),
    **dict.fromkeys(TRANSITIONS, transitions.change),
}


def perform(
    action: str,
    *,
    speed: float | None = None,
    turn: float | None = None,
    style: str = "normal",
    slope: float = 0.0,
    height: float = 1.75,
    seed: int = 0,
    frame_rate: float = 120.0,
    seconds: float | None = None,
    cycles: float | None = None,
    target: tuple[float, float, float] | None = None,
    imperfections: Imperfections = CLEAN,
) -> tuple[Clip, Truth]:
    """A clip of the embedded actor, and its ground truth.

    Parameters
    ----------
    action
        ``"walk"`` or ``"run"``; a turn on the spot: ``"turn"``; idles: ``"stand"``, ``"look-around"``,
        ``"twist"``, ``"dance"``; changes: ``"walk-run"``, ``"run-walk"``, ``"walk-twirl-walk"``, ``"run-twirl-run"``,
        ``"stand-walk"``, ``"walk-stand"``; gestures: ``"drink"``, ``"knock"``, ``"reach"``.
    speed, turn
        Metres and radians per second, turns to the left positive. A change starts from this ``speed``; on the spot it
        is 0.
    style
        Of walking and running, such as ``"tired"``; a gesture may be ``"normal"`` or ``"angry"``.
    slope
        Radians by which the ground rises ahead.
    height
        Of the actor, metres.
    seconds, cycles
        Length, one or the other; three or four cycles by default. Changes and gestures take their own time.
    target
        Where the right wrist reaches, metres from the chest joint (left, up, ahead).
    seed
        Of the random flaws and habits.
    frame_rate
        Frames per second.
    imperfections
        ``CLEAN`` has none, ``CAPTURED`` those of an ordinary capture.

    Returns
    -------
    Clip
        The motion.
    Truth
        Period, speed, turn rate, foot contacts and more, as planned.

    Raises
    ------
    MotionError
        Where a body cannot do what is asked; the message names the possible range.

    Examples
    --------
    >>> clip, truth = perform("walk", speed=1.3, turn=0.4)
    >>> clip.n_frames, round(truth.period, 3), sorted(truth.contacts)
    (525, 1.094, ['left_heel', 'left_toe', 'right_heel', 'right_toe'])
    """
    asked = request.check(
        action,
        speed=speed,
        turn=turn,
        style=style,
        slope=slope,
        height=height,
        frame_rate=frame_rate,
        seconds=seconds,
        cycles=cycles,
        target=target,
        seed=seed,
    )
    quirks = Quirks(imperfections, seed)
    set_up = _SCENES.get(asked.action, gestures.gesture)(asked, quirks)
    poses = scenes.pose(set_up.course, asked.skeleton, quirks, slope=asked.slope, gesture=set_up.gesture)
    clip = Clip(
        asked.skeleton,
        poses.roots[set_up.shown],
        poses.local_wxyz[set_up.shown],
        frame_rate=asked.frame_rate,
        name=action if style == "normal" else f"{action} {style}",
    )
    clip, yaw = reframe(clip, quirks, sloping=asked.slope != 0.0)
    clip, dropouts, jumps = spoil(clip, quirks)
    normal = quaternions.rotate(quaternions.about_y(yaw), np.array([0.0, np.cos(asked.slope), -np.sin(asked.slope)]))
    return clip, _tell(asked, set_up, poses, normal, dropouts, jumps)


def _tell(
    asked: Request,
    set_up: Scene,
    poses: scenes.Poses,
    normal: Float[np.ndarray, 3],
    dropouts: tuple[int, ...],
    jumps: tuple[int, ...],
) -> Truth:
    way, shown = set_up.course, set_up.shown
    times = way.times[shown]
    contacts = {}
    for side, steps in zip(("left", "right"), poses.steps, strict=True):
        contacts[f"{side}_heel"] = course.intervals(steps.heel_strike, steps.heel_off, times)
        contacts[f"{side}_toe"] = course.intervals(steps.toe_strike, steps.toe_off, times)
    span = max(float(times[-1] - times[0]), 1e-9)
    gone = np.linalg.norm(np.diff(way.places[shown.start : shown.stop], axis=0), axis=-1).sum()
    return Truth(
        action=asked.action,
        style=asked.style,
        period=_period(set_up, span),
        speed=float(gone / span),
        turn=float((way.headings[shown][-1] - way.headings[shown][0]) / span),
        phases=(TURN * (way.cycles % 1.0) if set_up.phases is None else set_up.phases)[shown],
        contacts=contacts,
        ground_normal=normal,
        boundaries=_boundaries(set_up, times),
        period_after=set_up.period_after,
        dropouts=dropouts,
        jumps=jumps,
    )


def _period(set_up: Scene, span: float) -> float | None:
    """Seconds per cycle; where the pace drifts, what it was on average."""
    if set_up.period is None or set_up.change is not None:
        return set_up.period
    cycles = set_up.course.cycles[set_up.shown]
    return span / float(cycles[-1] - cycles[0]) if len(cycles) > 1 else set_up.period


def _boundaries(set_up: Scene, times: Float[np.ndarray, " frames"]) -> Int[np.ndarray, "boundaries 2"]:
    """First and last frames of the cycle before a change, of the change, and of the cycle after it."""
    if set_up.change is None:
        return np.zeros((0, 2), dtype=np.int64)
    begin, end = set_up.change
    edges = np.array([begin - (set_up.period or 0.0), begin, end, end + (set_up.period_after or 0.0)])
    frames = np.clip(np.searchsorted(times, edges - 1e-9), 0, len(times))
    return np.stack([frames[:-1], frames[1:] - 1], axis=-1).astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """Ground truth of a performed clip; frames count from 0, intervals hold their first and last frame."""

    action: str
    style: str
    period: float | None  # seconds per cycle; of the old motion in a transition, None if nothing repeats
    speed: float  # metres per second along the way, mean of the clip
    turn: float  # radians per second, left positive, mean of the clip
    phases: Float[np.ndarray, " frames"]  # cycle phase, 0 … 2π; 0 is the left foot's first contact
    contacts: Mapping[str, Int[np.ndarray, "contacts 2"]]  # left_heel, left_toe, right_heel, right_toe
    ground_normal: Float[np.ndarray, 3]  # the ground passes through the origin, square to this
    boundaries: Int[np.ndarray, "boundaries 2"] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    # of a transition: before, change, after
    period_after: float | None = None  # of a transition: seconds per cycle of the new motion
    dropouts: tuple[int, ...] = ()  # frames in which the root was lost
    jumps: tuple[int, ...] = ()  # frames in which a joint jumped

    def __post_init__(self) -> None:
        freeze(self, np.float64, "phases", "ground_normal")
        freeze(self, np.int64, "boundaries")
        frozen = {name: readonly(rows, np.int64) for name, rows in self.contacts.items()}
        object.__setattr__(self, "contacts", MappingProxyType(frozen))

    def __reduce__(self) -> tuple[object, ...]:
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return partial(Truth, **{**values, "contacts": dict(self.contacts)}), ()  # what is only read cannot be pickled

    def planted(self, contact: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Frame by frame, whether a heel or toe (``"left_heel"``) is planted."""
        down = np.zeros(len(self.phases), dtype=bool)
        for first, last in self.contacts[contact]:
            down[first : last + 1] = True
        return down

    def __repr__(self) -> str:
        period = "no period" if self.period is None else f"period {self.period:.3f} s"
        return f"Truth({self.action!r}, {self.style}, {period}, {self.speed:.2f} m/s, {self.turn:+.2f} rad/s)"
