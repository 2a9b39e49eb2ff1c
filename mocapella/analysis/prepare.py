"""From a captured clip to a cycle that is ready for a network, in one call."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from mocapella.analysis.closing.cyclify import Closing, cyclify, symmetric
from mocapella.analysis.closing.limp import without_limp
from mocapella.analysis.closing.methods import method_name, named_method
from mocapella.analysis.cycles.find import TURN_SCALE, RawCycle, find_cycle, mark_cycle
from mocapella.analysis.fourier import smoothed
from mocapella.analysis.plants.gait_rules import check_plants
from mocapella.analysis.synchronise import synchronise
from mocapella.cleaning.repair import repaired
from mocapella.errors import MotionError, Option
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.motion.cycle import Cycle, Decision

TURNING = math.radians(20.0)  # who has changed heading by more than this over the clip was captured for the turn


@dataclass(frozen=True, eq=False)
class Selection:
    """The cycle that was taken of a clip, not yet closed, and what was decided on the way to it."""

    found: RawCycle
    decisions: tuple[Decision, ...]


def prepare(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    frames: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
    method: Closing | str = symmetric,
    layout: str = "quaternion",
    clean: bool = True,
    limp: bool = False,
    smooth: float | int = 0.0,
) -> Cycle:
    """Clean a clip, find its best cycle and close it; every choice can be overruled and is on record in the cycle.

    Parameters
    ----------
    clip
        As it was captured; an artificial rest pose in front is left out.
    turning, speed, turn, within
        What ``find_cycle`` is asked for.
    frames
        The first frame of the cycle and the one that shows the same pose a cycle later, where you know them: nothing
        is looked for.
    contacts
        The clip's foot plants, where they are known better than ``find_plants`` would find them.
    method, layout
        How ``cyclify`` closes the cycle, as a function or by its name, and writes its rotations.
    clean
        Bridge short gaps and one-frame jumps first.
    limp
        Bend the legs afterwards so that standing feet are as far below the pelvis as captured; for cycles that close
        badly.
    smooth
        Leave out harmonics smaller than this share of the largest of their joint; 0.1 is the published one.
    """
    way = named_method(method)
    if limp and way is not symmetric:
        raise MotionError(f"a limp is mended in cycles that are closed symmetric, not {method_name(way)}")
    asked = {"turning": turning, "speed": speed, "turn": turn, "within": within, "frames": frames}
    selection = select(
        clip,
        turning=turning,
        speed=speed,
        turn=turn,
        within=within,
        frames=frames,
        contacts=contacts,
        clean=clean,
    )
    cycle = cyclify(selection.found, method=way, layout=layout)
    if limp:
        cycle = without_limp(cycle, selection.found)
    if smooth:
        cycle = smoothed(cycle, smooth)
    words = [f"{name} {wish}" for name, wish in asked.items() if wish is not None]
    words += ["plants as given"] if contacts is not None else []
    words += [f"method {method_name(way)}", f"layout {layout}", *([] if clean else ["not cleaned"])]
    asking = Decision("ask", "; ".join([*clip.report.asked, *words]))
    odd = [
        Decision("plants", f"doubtful: {doubt.message}", {"frames": float(len(doubt.frames))})
        for doubt in check_plants(selection.found.contacts, first_row=selection.found.start_row)
    ]
    return replace(cycle, decisions=(asking, *selection.decisions, *odd, *cycle.decisions))


def prepare_set(
    clips: Iterable[Clip], *, method: Closing | str = symmetric, layout: str = "quaternion", clean: bool = True
) -> list[Cycle]:
    """The best cycle of every clip, closed, all in step with the first."""
    return synchronise([prepare(clip, method=method, layout=layout, clean=clean) for clip in clips])


def select(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    frames: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
    clean: bool = True,
) -> Selection:
    """The cycle that ``prepare`` closes; what is asked for means the same there.

    Raises
    ------
    MotionError
        Where there is none, or where wishes contradict each other.
    """
    wishes = {"turning": turning, "speed": speed, "turn": turn, "within": within}
    if frames is not None:
        for name, wish in wishes.items():
            if wish is not None:
                marked, other = Option("frames", frames), Option(name, wish)
                text = f"{marked} say which cycle is meant, so {other} has nothing to choose"
                raise MotionError(text, option=(marked, other))
    if contacts is not None and contacts.n_frames != clip.n_frames:
        raise MotionError(f"expected plants over the {clip.n_frames} frames of the clip, got {contacts.n_frames}")
    whole, mended = cleaned(clip) if clean else (clip, ())
    if frames is not None:
        found = mark_cycle(whole, frames, contacts=contacts)
        return Selection(found, (*mended, _noted(found, "marked by hand")))
    found = find_cycle(whole, turning=turning, speed=speed, turn=turn, within=within, contacts=contacts)
    steered = any(wish is not None for wish in (turning, turn, within))
    return Selection(found, (*mended, _noted(found, "the best of its cycles", "" if steered else _hint(found))))


def turning_of(
    clip: Clip,
    turning: bool | None = None,
    *,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    frames: tuple[int, int] | None = None,
) -> bool | None:
    """What a network asks of a clip: its turn, where nobody says otherwise and it was captured for one."""
    if turning is not None or any(wish is not None for wish in (turn, within, frames)):
        return turning
    yaws = clip.captured.headings
    return True if abs(yaws[-1] - yaws[0]) > TURNING else None


def cleaned(clip: Clip) -> tuple[Clip, tuple[Decision, ...]]:
    """The clip with short gaps and one-frame jumps bridged, and what was done, now or when it was read."""
    mended = repaired(clip)
    done = [finding for finding in mended.report.findings if finding.code.startswith("repaired-")]
    steps = tuple(Decision("clean", finding.message, {"frames": float(len(finding.frames))}) for finding in done)
    return (clip if mended.report == clip.report else mended), steps


def _noted(found: RawCycle, how: str, hint: str = "") -> Decision:
    text = f"{how}: {found.seconds:.3f} s, {found.n_steps} steps{hint}"
    numbers = {"speed_m_s": found.speed, "turn_rad": found.turn, "closing_m": found.closing, "steps": found.n_steps}
    return Decision("find", text, {key: float(value) for key, value in numbers.items()})


def _hint(found: RawCycle) -> str:
    """What to say where a clip turns, its best cycle does not, and nobody asked for either."""
    way = found.clip.captured.headings
    whole = float(way[-1] - way[0])
    if abs(whole - found.turn) <= TURN_SCALE:
        return ""
    return (
        f"; it turns by {np.degrees(found.turn):+.0f}°, the clip by {np.degrees(whole):+.0f}° in all: "
        "turning=True takes the sharpest"
    )
