"""From a captured clip to a cycle that is ready for a network, in one call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from mocapella.analysis.cycles import TURN_SCALE, RawCycle, find_cycle
from mocapella.analysis.cyclify import Closing, cyclify, symmetric
from mocapella.analysis.limp import without_limp
from mocapella.analysis.root import headings
from mocapella.analysis.synchronise import synchronise
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle, Decision
from mocapella.motion.faults import repaired


def prepare(
    clip: Clip,
    *,
    turning: bool | None = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    method: Closing = symmetric,
    layout: str = "quaternion",
    clean: bool = True,
    limp: bool = False,
) -> Cycle:
    """Clean a clip, find its best cycle and close it; every choice can be overruled and is on record in the cycle.

    Parameters
    ----------
    clip
        As it was captured; an artificial rest pose in front is left out.
    turning, speed, turn, within
        What ``find_cycle`` is asked for.
    method, layout
        How ``cyclify`` closes the cycle and writes its rotations.
    clean
        Bridge lost frames and one-frame jumps first.
    limp
        Bend the legs afterwards so that the feet keep their captured heights; for cycles that close badly.
    """
    whole, mended = cleaned(clip) if clean else (clip, ())
    found = find_cycle(whole, turning=turning, speed=speed, turn=turn, within=within)
    cycle = cyclify(found, method=method, layout=layout)
    if limp:
        cycle = without_limp(cycle, found)
    steered = any(wish is not None for wish in (turning, turn, within))
    return replace(cycle, decisions=(*mended, _chosen(found, steered=steered), *cycle.decisions))


def prepare_set(
    clips: Iterable[Clip], *, method: Closing = symmetric, layout: str = "quaternion", clean: bool = True
) -> list[Cycle]:
    """The best cycle of every clip, closed, all in step with the first."""
    return synchronise([prepare(clip, method=method, layout=layout, clean=clean) for clip in clips])


def cleaned(clip: Clip) -> tuple[Clip, tuple[Decision, ...]]:
    """The clip with short gaps and one-frame jumps bridged, and what was done, now or when it was read."""
    mended = repaired(clip)
    done = [finding for finding in mended.report.findings if finding.code.startswith("repaired-")]
    steps = tuple(Decision("clean", finding.message, {"frames": float(len(finding.frames))}) for finding in done)
    return (clip if mended.report == clip.report else mended), steps


def _chosen(found: RawCycle, *, steered: bool) -> Decision:
    """What was found, with a hint where a clip turns, its best cycle does not, and nobody asked for either."""
    text = f"the best of its cycles: {found.seconds:.3f} s, {found.n_steps} steps"
    way = headings(found.clip.captured)
    whole = float(way[-1] - way[0])
    if not steered and abs(whole - found.turn) > TURN_SCALE:
        text += (
            f"; it turns by {np.degrees(found.turn):+.0f}°, the clip by {np.degrees(whole):+.0f}° in all: "
            "turning=True takes the sharpest"
        )
    numbers = {"speed_m_s": found.speed, "turn_rad": found.turn, "closing_m": found.closing, "steps": found.n_steps}
    return Decision("find", text, {key: float(value) for key, value in numbers.items()})
