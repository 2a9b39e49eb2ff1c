"""Cycles that are the mean of all repetitions in a stretch of a clip, in place of one that is cut out of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mocapella.analysis.cycles.find import Turning, wish_costs
from mocapella.analysis.cycles.raw_cycle import Averaged, RawCycle, count_steps, frame_range
from mocapella.analysis.cycles.search import Candidates
from mocapella.analysis.cycles.slope import SLOPED
from mocapella.analysis.examined import Examined
from mocapella.analysis.plants.agreed import agreed_arcs
from mocapella.analysis.regression.fit import Fit
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FOOT_POINTS, Contacts, CycleContacts
from mocapella.motion.cycle import Decision

_ROUNDS = 3  # of the cycle, one after the other: the middle one is taken, and has frames on both sides


def averaged_cycles(
    examined: Examined,
    *,
    turning: Turning = None,
    speed: float | None = None,
    turn: float | None = None,
    within: tuple[int, int] | None = None,
    contacts: Contacts | None = None,
) -> list[RawCycle]:
    """The cycles of a clip, each fitted to all its repetitions, best first; empty where nothing repeats.

    Wishes are as ``find_cycles`` takes them; they choose between steady stretches, not between single cycles.
    ``contacts`` are plants of the clip that are known: each repetition has a vote.
    """
    first, last = (0, examined.clip.n_frames - 1) if within is None else frame_range(within, examined.clip, "within")
    part = examined.part(first, last + 1)
    fits = part.fits
    if not fits:
        return []
    starts = np.array([_first_frame(fit, part) for fit in fits])
    lengths = np.minimum([fit.cycle().n_frames for fit in fits], part.clip.n_frames - 1 - starts)
    candidates = Candidates(starts, lengths, np.array([_unlikeness(fit) for fit in fits]), np.zeros(len(fits)))
    order = np.arange(len(fits))  # the steadiest first
    if any(wish is not None for wish in (turning, speed, turn)):
        order = np.argsort(wish_costs(part, candidates, turning=turning, speed=speed, turn=turn), kind="stable")
    plants = None if contacts is None else contacts[first : last + 1]
    return [_raw_cycle(fits[i], part, plants) for i in order]


def _raw_cycle(fit: Fit, examined: Examined, contacts: Contacts | None) -> RawCycle:
    """A fitted cycle, repeated, so that it has frames on both sides; on a slope it climbs as the capture does."""
    cycle, source = fit.cycle(), examined.clip
    n = cycle.n_frames
    clip = cycle.to_clip(_ROUNDS)
    climb = fit.climb if abs(fit.climb) > cycle.speed * math.tan(SLOPED) else 0.0
    rise = climb * np.arange(clip.n_frames) / clip.frame_rate
    repeated = replace(
        clip,
        root_positions=clip.root_positions + rise[:, None] * [0.0, 1.0, 0.0],
        name=source.name,
        source=source.source,
        report=replace(source.report.without_rows(), n_rest_frames=0),
        first_row=source.first_row + _first_frame(fit, examined) - n,
    )
    arcs = fit.plants if contacts is None else _voted(fit, examined, contacts)
    phases = TURN * np.arange(n + 1) / n
    plants = Contacts.from_masks({point: arcs.planted(point, phases) for point in FOOT_POINTS})
    return RawCycle(
        examined=Examined(repeated),
        start=n,
        n_frames=n,
        speed=cycle.speed,
        turn=cycle.turn,
        closing=fit.left,
        unlikeness=_unlikeness(fit),
        n_steps=count_steps(plants),
        contacts=plants,
        averaged=Averaged(examined.noise, _noted(fit, examined)),
    )


def _offset(fit: Fit, examined: Examined) -> int:
    """The frame of the examined clip at which the clip begins that a cycle was fitted to."""
    return fit.signals.clip.first_row - examined.clip.first_row


def _first_frame(fit: Fit, examined: Examined) -> int:
    """The first frame of the stretch at which a cycle begins."""
    phases = fit.stretch.phases
    begins = TURN * math.ceil(phases[0] / TURN - 1e-9)
    first: int = _offset(fit, examined) + fit.frames.start
    return first + round(float(np.interp(begins, phases, np.arange(len(phases)))))


def _voted(fit: Fit, examined: Examined, contacts: Contacts) -> CycleContacts:
    """Plants of a clip that are known, agreed on by the repetitions of a cycle."""
    first = _offset(fit, examined) + fit.frames.start
    taken = contacts[first : first + len(fit.stretch.phases)]
    masks = np.stack([taken.planted(point) for point in FOOT_POINTS], axis=1)
    return agreed_arcs(fit.cycle(), masks, fit.stretch.phases, trust=1.0)


def _unlikeness(fit: Fit) -> float:
    """The error that noise leaves, where 1 is how far any two frames of the cycle are apart."""
    n_joints = fit.signals.clip.skeleton.n_joints
    return fit.left / max(float(np.sqrt((np.abs(fit.harmonics) ** 2).sum() / n_joints)), 1e-9)


def _noted(fit: Fit, examined: Examined) -> Decision:
    noise, rows = examined.noise, _offset(fit, examined) + examined.clip.first_row
    first, last = fit.frames.start + rows, fit.frames.stop - 1 + rows
    text = (
        f"the mean of {fit.repetitions:.1f} repetitions, rows {first} to {last}: of noise of {noise} they leave "
        f"{100.0 * fit.left:.1f} cm; one differs from their mean by {100.0 * fit.spread:.1f} cm"
    )
    numbers = {"repetitions": fit.repetitions, "pace": fit.pace, "noise_mm": noise.millimetres,
               "noise_deg": noise.degrees, "left_cm": 100.0 * fit.left, "spread_cm": 100.0 * fit.spread,
               "harmonics": float(fit.n_above), "first": float(first), "last": float(last)}  # fmt: skip
    return Decision("regress", text, numbers)
