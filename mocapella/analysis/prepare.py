"""From a captured clip to a cycle that is ready for a network, in one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from mocapella.analysis.closing.cyclify import closing_method, cyclify
from mocapella.analysis.closing.displacement import Closing, symmetric
from mocapella.analysis.closing.planted import without_limp
from mocapella.analysis.cycles.averaged import averaged_cycles
from mocapella.analysis.cycles.find import TURN_SCALE, Turning, find_cycle
from mocapella.analysis.cycles.raw_cycle import RawCycle, mark_cycle
from mocapella.analysis.cycles.slope import slope_of
from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.fourier import smoothed
from mocapella.analysis.plants.gait_rules import check_plants
from mocapella.analysis.treadmill import examine_travelling
from mocapella.checks import explained
from mocapella.errors import MotionError, Option
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.cycle import Cycle, Decision

Repetitions = Literal["all", "best"] | None
_NO_MEAN = "no steps of left and right in turn repeat one and a half times, so there is no mean of repetitions"
_TURNING = math.radians(20.0)  # a clip that changes heading by more than this was captured for the turn


@dataclass(frozen=True, eq=False)
class Selection:
    """The cycle that was taken of a clip, not yet closed, and what was decided on the way to it."""

    cycle: RawCycle
    decisions: tuple[Decision, ...]


@explained
def prepare(
    clip: Clip | Examined,
    *,
    turning: Turning = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    frames: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
    method: Closing | str = "symmetric",
    layout: str = "quaternion",
    clean: bool = True,
    limp: bool = False,
    smooth: float | int = 0.0,
    repetitions: Repetitions = None,
) -> Cycle:
    """Clean a clip, find its best cycle and close it; every choice can be overruled and is on record in the cycle.

    Parameters
    ----------
    clip
        As it was captured, or what was examined of it before; an artificial rest pose in front is left out. A plain
        clip that walks in place, as on a treadmill, is given the travel of its feet, with a warning.
    turning, speed, turn, within
        What ``find_cycle`` is asked for.
    frames
        The first frame of the cycle and the one that shows the same pose a cycle later, where they are known: then
        nothing is searched.
    contacts
        The clip's foot plants, where they are known better than ``find_plants`` would find them.
    method, layout
        How ``cyclify`` closes the cycle and writes its rotations.
    clean
        Bridge short gaps and one-frame jumps first, and give a motion in place the travel of its feet.
    limp
        Bend the legs afterwards so that planted feet are as far below the pelvis as captured; for cycles that close
        badly.
    smooth
        Leave out harmonics smaller than this share of the largest of their joint; 0.1 is the published one.
    repetitions
        ``"best"`` cuts the best cycle out of the clip, ``"all"`` fits one to all repetitions of a steady stretch, which
        averages noise away; None does so where the clip is noisy: from 1.4° or 6 mm from frame to frame on.

    Returns
    -------
    Cycle
        Closed, with what was decided on the way.

    Raises
    ------
    MotionError
        Where there is no cycle, or options contradict each other.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> cycle = prepare(perform("walk", speed=1.3)[0], layout="euler")
    >>> [decision.step for decision in cycle.decisions]
    ['ask', 'find', 'select', 'cyclify']
    """
    way = closing_method(method)
    if limp and way is not symmetric:
        raise MotionError(f"a limp is mended in cycles that are closed symmetric, not {way.name}")
    examined = examine_travelling(clip, clean=True) if clean else examine(clip)
    asked: dict[str, Any] = {"turning": turning, "speed": speed, "turn": turn, "within": within, "frames": frames}
    selection = select(examined, **asked, contacts=contacts, clean=clean, repetitions=repetitions)
    words = [f"{name} {wish}" for name, wish in asked.items() if wish is not None]
    words += ["plants as given"] if contacts is not None else []
    words += [f"repetitions {repetitions}"] if repetitions is not None else []
    words += [f"method {way.name.replace(' ', '_')}", f"layout {layout}", *([] if clean else ["not cleaned"])]
    return closed(selection, words, method=way, layout=layout, limp=limp, smooth=smooth)


def closed(
    selection: Selection,
    words: Sequence[str] = (),
    *,
    method: Closing | str = "symmetric",
    layout: str = "quaternion",
    limp: bool = False,
    smooth: float | int = 0.0,
) -> Cycle:
    """The cycle of a selection, its ends brought together.

    ``method``, ``layout``, ``limp`` and ``smooth`` are as in ``prepare``.
    """
    cycle = cyclify(selection.cycle, method=closing_method(method), layout=layout)
    if limp:
        cycle = without_limp(cycle, selection.cycle)
    if smooth:
        cycle = smoothed(cycle, smooth)
    asking = Decision("ask", "; ".join([*selection.cycle.clip.report.asked, *words]))
    odd = [
        Decision("plants", f"doubtful: {doubt.message}", {"frames": float(len(doubt.frames))})
        for doubt in check_plants(selection.cycle.contacts, first_row=selection.cycle.start_row)
    ]
    mean = [selection.cycle.averaged.decision] if selection.cycle.averaged is not None else []
    return replace(cycle, decisions=(asking, *selection.decisions, *mean, *odd, *cycle.decisions))


def select(
    clip: Clip | Examined,
    *,
    turning: Turning = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    frames: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
    clean: bool = True,
    repetitions: Repetitions = None,
) -> Selection:
    """The cycle that ``prepare`` closes.

    Raises ``MotionError`` where there is none, or where options contradict each other.
    """
    wishes = {"turning": turning, "speed": speed, "turn": turn, "within": within}
    if frames is not None:
        for name, wish in wishes.items():
            if wish is not None:
                marked, other = Option("frames", frames), Option(name, wish)
                text = f"{marked} say which cycle is meant, so {other} has nothing to choose"
                raise MotionError(text, option=(marked, other))
    examined = examine(clip)
    if contacts is not None and contacts.n_frames != (n_frames := examined.clip.n_frames):
        raise MotionError(expected=f"plants over the {n_frames} frames of the clip", got=contacts.n_frames)
    motion, mended = cleaned(examined) if clean else (examined, ())
    if frames is not None:
        cycle = mark_cycle(motion, frames, contacts=contacts)
        return Selection(cycle, (*mended, _noted(cycle, "marked by hand")))
    if repetitions == "all" or (repetitions is None and motion.noise.is_high):
        means = averaged_cycles(motion, turning=turning, speed=speed, turn=turn, within=within, contacts=contacts)
        if means:
            return selected(means[0], mended)
        if repetitions == "all":
            raise MotionError(_NO_MEAN, helps="repetitions='best' looks for a single cycle")
    cycle = find_cycle(motion, turning=turning, speed=speed, turn=turn, within=within, contacts=contacts)
    steered = any(wish is not None for wish in (turning, turn, within))
    return selected(cycle, mended, steered=steered)


def selected(cycle: RawCycle, mended: Sequence[Decision] = (), *, steered: bool = False) -> Selection:
    """The selection of a cycle that was found; ``steered`` where a turn was asked for."""
    if cycle.averaged is not None:
        return Selection(cycle, (*mended, _noted(cycle, "the mean of its repetitions")))
    return Selection(cycle, (*mended, _noted(cycle, "the best of its cycles", "" if steered else _hint(cycle))))


def turning_of(
    clip: Clip | Examined,
    turning: Turning = None,
    *,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    frames: tuple[int, int] | None = None,
) -> Turning:
    """The ``turning`` that a network asks of a clip: its turn, where it was captured for one."""
    if turning is not None or any(wish is not None for wish in (turn, within, frames)):
        return turning
    yaws = examine(clip).clip.captured.headings
    return "own" if abs(yaws[-1] - yaws[0]) > _TURNING else None


def cleaned(clip: Clip | Examined) -> tuple[Examined, tuple[Decision, ...]]:
    """The clip with short gaps and one-frame jumps bridged, and what was done, now or when it was read.

    Returns the clip itself where there was nothing to bridge.
    """
    mended = examine(clip).cleaned
    done = [finding for finding in mended.clip.report.findings if finding.code.startswith("repaired-")]
    return mended, tuple(Decision("clean", found.message, {"frames": float(len(found.frames))}) for found in done)


def _noted(cycle: RawCycle, how: str, hint: str = "") -> Decision:
    return Decision("find", f"{how}: {cycle.seconds:.3f} s, {cycle.n_steps} steps{hint}", figures_of(cycle))


def figures_of(cycle: RawCycle) -> dict[str, float]:
    """The figures of a cycle that was found, for the record."""
    noise = cycle.examined.noise if cycle.averaged is None else cycle.averaged.noise
    return {"speed_m_s": cycle.speed, "turn_rad": cycle.turn, "closing_m": cycle.closing,
            "steps": float(cycle.n_steps), "unlikeness": cycle.unlikeness, "slope_rad": slope_of(cycle),
            "noise_mm": noise.millimetres, "noise_deg": noise.degrees}  # fmt: skip


def _hint(cycle: RawCycle) -> str:
    """A note for clips that turn while their best cycle does not, where no turn was asked for."""
    way = cycle.clip.captured.headings
    turn = float(way[-1] - way[0])
    if abs(turn - cycle.turn) <= TURN_SCALE:
        return ""
    return (
        f"; it turns by {np.degrees(cycle.turn):+.0f}°, the clip by {np.degrees(turn):+.0f}° in all: "
        "turning=True takes the sharpest"
    )
