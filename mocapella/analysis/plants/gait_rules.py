"""What plants of two feet can look like: short ones, gaps, one inside the other, steps that do not alternate."""

from __future__ import annotations

import itertools

import numpy as np
from jaxtyping import Bool

from mocapella.motion.contacts import FEET, FOOT_POINTS, Contacts, Interval, intervals_of
from mocapella.motion.report import Finding

SHORT_SHARE = 0.5  # of the longest plant of a point: one that lasts less is short


def close_gaps(masks: Bool[np.ndarray, "frames points"], longest: int) -> Bool[np.ndarray, "frames points"]:
    """The plants with gaps of at most ``longest`` frames between them filled."""
    return ~drop_short(~masks, longest)


def drop_short(masks: Bool[np.ndarray, "frames points"], longest: int) -> Bool[np.ndarray, "frames points"]:
    """The plants without those of at most ``longest`` frames; one that an end of the clip cuts off is kept."""
    out = masks.copy()
    for column in out.T:
        for first, last in intervals_of(column):
            if first > 0 and last < len(column) - 1 and last - first + 1 <= longest:
                column[first : last + 1] = False
    return out


def run_on(mask: Bool[np.ndarray, " frames"], further: Bool[np.ndarray, " frames"]) -> Bool[np.ndarray, " frames"]:
    """The plants made longer at their ends, as long as ``further`` holds."""
    out = mask.copy()
    for _, last in intervals_of(mask):
        ends = np.flatnonzero(~further[last + 1 :])
        out[last + 1 : last + 1 + ends[0] if len(ends) else None] = True
    return out


def drop_enclosed(contacts: Contacts) -> Contacts:
    """Contacts without plants that lie wholly inside one of the other foot (FPL-05): a foot passing by, not resting.

    It is for gaits: someone who stands on one leg and taps with the other does rest it.
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
                short = min(last - first, end - begin) + 1 <= SHORT_SHARE * longest
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
    """What is implausible in the plants of a gait (FPL-10), each with its frames; empty where all is well.

    Walking feet overlap: there is no frame in which neither rests. Running feet never rest together. Both come down in
    turn, and none rests wholly within a plant of the other. Whether the gait is a run is told from the plants, by
    whether both rest together or neither does more often, unless ``running`` says so. Feet that never rest at all, as
    in a loop that walks in place, are told as such. Frames that are not ``sound`` are not looked at; those of the
    findings are counted from ``first_row``.
    """
    usable = np.ones(contacts.n_frames, dtype=bool) if sound is None else sound
    left, right = (contacts.planted(foot) for foot in FEET)
    both, neither = left & right & usable, ~(left | right) & usable
    if running is None:
        running = int(neither.sum()) > int(both.sum())
    found: list[tuple[str, str, np.ndarray]] = []
    if neither.any() and neither.sum() == usable.sum():
        found.append(("no-plants", "neither foot ever rests, as if on a treadmill or in the air", neither))
    elif running:
        found.append(("both-planted", "both feet rest at once in a run", both))
    else:
        found.append(("flight", "neither foot rests in a walk", neither))
    for foot, other in (FEET, FEET[::-1]):
        inside, missed = (np.zeros(contacts.n_frames, dtype=bool) for _ in range(2))
        around, plants = contacts.foot(other), contacts.foot(foot)
        for a, b in plants:
            inside[a : b + 1] = any(c < a and b < d for c, d in around)
        for (_, end), (begin, _) in itertools.pairwise(plants):
            if not any(c <= begin and end <= d for c, d in around) and usable[end:begin].all():
                missed[end + 1 : begin] = not contacts.planted(other)[end + 1 : begin].any()
        found.append(("enclosed", f"the {foot} foot rests within one plant of the {other}", inside))
        found.append(("missed-step", f"the {foot} foot rests twice, the {other} not between", missed))
    return [_finding(code, words, mask, first_row) for code, words, mask in found if mask.any()]


def _finding(code: str, message: str, mask: Bool[np.ndarray, " frames"], first_row: int) -> Finding:
    frames = tuple(int(frame) + first_row for frame in np.flatnonzero(mask))
    runs = [(a + first_row, b + first_row) for a, b in intervals_of(mask)]
    spans = ", ".join(f"{a}–{b}" if b > a else f"{a}" for a, b in runs)
    return Finding(code, f"{message}: frames {spans}", frames)


def _other(name: str) -> str:
    return "right" if name.startswith("left") else "left"
