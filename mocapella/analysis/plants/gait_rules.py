"""Rules that plants of a gait obey: merged where they are one, dropped where they cannot be, checked."""

from __future__ import annotations

import itertools

import numpy as np
from jaxtyping import Bool

from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts, Interval, intervals_of
from mocapella.motion.report import Finding

_SHORT_SHARE = 0.5  # of the longest plant of a point: one that lasts less is short


def drop_enclosed(contacts: Contacts) -> Contacts:
    """Contacts without plants that lie wholly inside one of the other foot (FPL-05): a foot passing by, not resting.

    For gaits only: a foot that taps while the other stands does rest.
    """

    def kept(name: str) -> tuple[Interval, ...]:
        other = contacts.foot(_other(name))
        return tuple((a, b) for a, b in contacts.point(name) if not any(c < a and b < d for c, d in other))

    return Contacts(contacts.n_frames, **{name: kept(name) for name in FOOT_POINTS})


def merge_near(contacts: Contacts, longest_gap: int) -> Contacts:
    """Contacts with short plants joined that follow each other (FPL-05).

    Two plants of a point are one where the gap between them is at most ``longest_gap``, one of them is short for this
    point, and the other foot does not rest in the gap.
    """

    def joined(name: str) -> tuple[Interval, ...]:
        other = contacts.planted(_other(name))
        intervals = contacts.point(name)
        longest = max((b - a + 1 for a, b in intervals), default=0)
        out: list[Interval] = []
        for first, last in intervals:
            if out:
                begin, end = out[-1]
                short = min(last - first, end - begin) + 1 <= _SHORT_SHARE * longest
                if short and first - end - 1 <= longest_gap and not other[end + 1 : first].any():
                    out[-1] = (begin, last)
                    continue
            out.append((first, last))
        return tuple(out)

    return Contacts(contacts.n_frames, **{name: joined(name) for name in FOOT_POINTS})


def check_plants(
    contacts: Contacts,
    *,
    running: bool | None = None,
    sound: Bool[np.ndarray, " frames"] | None = None,
    first_row: int = 0,
) -> list[Finding]:
    """Findings about implausible plants of a gait (FPL-10); empty where all are plausible.

    Walking feet overlap: there is no frame in which neither rests. Running feet never rest together. Both come down in
    turn, and none rests wholly within a plant of the other. Feet that never rest at all, as in a loop that walks in
    place, have a finding of their own.

    ``running`` says whether it is a run; if None, it is one where neither foot rests more often than both do. ``sound``
    marks the frames to look at, all if None. Frames of the findings count from ``first_row``, the source's row of frame
    0. There is one finding for each kind of doubt and foot.
    """
    usable = np.ones(contacts.n_frames, dtype=bool) if sound is None else sound
    left, right = (contacts.planted(foot) for foot in FEET)
    both, neither = left & right & usable, ~(left | right) & usable
    if running is None:
        running = int(neither.sum()) > int(both.sum())
    doubts: list[tuple[str, str, np.ndarray]] = []
    if neither.any() and neither.sum() == usable.sum():
        doubts.append(("no-plants", "neither foot ever rests, as if on a treadmill or in the air", neither))
    elif running:
        doubts.append(("both-planted", "both feet rest at once in a run", both))
    else:
        doubts.append(("flight", "neither foot rests in a walk", neither))
    for foot, other in (FEET, FEET[::-1]):
        inside, missed = _out_of_turn(contacts, foot, other, usable)
        doubts.append(("enclosed", f"the {foot} foot rests within one plant of the {other}", inside))
        doubts.append(("missed-step", f"the {foot} foot rests twice, the {other} not between", missed))
    return [_finding(code, words, mask, first_row) for code, words, mask in doubts if mask.any()]


def _out_of_turn(
    contacts: Contacts, foot: str, other: str, usable: Bool[np.ndarray, " frames"]
) -> tuple[Bool[np.ndarray, " frames"], Bool[np.ndarray, " frames"]]:
    """Frames in which a foot rests within one plant of the other, and frames between two of its plants in a row."""
    inside, missed = (np.zeros(contacts.n_frames, dtype=bool) for _ in range(2))
    around, plants = contacts.foot(other), contacts.foot(foot)
    for a, b in plants:
        inside[a : b + 1] = any(c < a and b < d for c, d in around)
    for (_, end), (begin, _) in itertools.pairwise(plants):
        if not any(c <= begin and end <= d for c, d in around) and usable[end:begin].all():
            missed[end + 1 : begin] = not contacts.planted(other)[end + 1 : begin].any()
    return inside, missed


def _finding(code: str, message: str, mask: Bool[np.ndarray, " frames"], first_row: int) -> Finding:
    frames = tuple(int(frame) + first_row for frame in np.flatnonzero(mask))
    runs = [(a + first_row, b + first_row) for a, b in intervals_of(mask)]
    spans = ", ".join(f"{a}–{b}" if b > a else f"{a}" for a, b in runs)
    return Finding(code, f"{message}: {'frames' if len(frames) > 1 else 'frame'} {spans}", frames)


def _other(name: str) -> str:
    return "right" if name.startswith("left") else "left"
