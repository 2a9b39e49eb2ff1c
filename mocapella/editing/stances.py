"""A clip cut into stances: from where a foot lands to where the next one does.

Heel and toe of a foot count as one. Plants of both feet overlap in a walk and leave gaps in a run, so they cannot tell
which frames belong to which foot. Landings can: what lies between two of them is the turn of the foot that landed
first, and every frame belongs to exactly one.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mocapella.errors import MotionError
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts

CUT_OFF = 0.06  # seconds: a plant that begins so near to the start of a clip may have begun before it
SHORTEST = 0.06  # seconds between two landings; what lands closer together lands at once
PAUSE = 2.0  # times as long as is usual for its foot: in between someone stands about
ODD = 1.5  # times as long, or as short, as is usual: such a step shows little of a gait
STANDING = 0.5  # of what is usual for its foot: who has both feet down for so long stands about, too


@dataclass(frozen=True)
class Stance:
    """One foot's turn to carry: the frames from its landing up to the next landing.

    The first and the last stance of a clip are cut off by its ends. They go on beyond as far as is usual for the foot,
    or without end where someone stands there.
    """

    foot: str  # "left" or "right"
    first: int  # frames of the clip, both within
    last: int
    begin: float  # the frame of the landing; before the clip where its start cuts the stance off
    end: float  # the frame of the next landing; after the clip where its end cuts the stance off
    usual: float  # frames that stances of this foot last
    complete: bool  # all of it lies in the clip, the next landing included
    pause: bool  # it lasts too long to be one step, or has both feet down for too long

    @property
    def n_frames(self) -> int:
        """How many frames of the clip belong to it."""
        return self.last - self.first + 1


def find_stances(clip: Clip, contacts: Contacts) -> tuple[Stance, ...]:
    """The stances of a clip, in order; together they hold every frame once.

    Feet take turns as a rule. One that lands twice running has two stances in a row. Of two feet that land at once the
    one that stays for longer counts.

    Raises
    ------
    MotionError
        Where the contacts belong to another clip, or there are not two landings to tell how long a step takes.
    """
    if contacts.n_frames != clip.n_frames:
        raise MotionError(f"contacts of {contacts.n_frames} frames do not belong to a clip of {clip.n_frames}")
    landings = _landings(contacts, clip.frame_rate)
    if len(landings) < 2:
        raise MotionError(
            f"{clip!r} shows {len(landings)} landing{'s' * (len(landings) != 1)} of a foot, a step takes two; "
            "give a longer clip, or its plants where they were not found"
        )
    inner = [(foot, b - a) for (a, foot), (b, _) in itertools.pairwise(landings)]
    usual = {foot: _usual([n for own, n in inner if own == foot] or [n for _, n in inner]) for foot in FEET}
    both = contacts.planted("left") & contacts.planted("right")
    (start, foot), (stop, lasting) = landings[0], landings[-1]
    before = FEET[1 - FEET.index(foot)]
    bounds = [(0, start, before), *((a, b, f) for (a, f), (b, _) in itertools.pairwise(landings))]
    bounds.append((stop, clip.n_frames, lasting))
    found = []
    for a, b, f in bounds:
        pause = bool(b - a > PAUSE * usual[f] or both[a:b].sum() > STANDING * usual[f])
        further = np.inf if pause else usual[f]  # who stands where the clip is cut off may have stood for ever
        begin = float(a) if a else min(0.0, b - further)
        end = float(b) if b < clip.n_frames else max(float(b), a + further)
        found.append(Stance(f, a, b - 1, begin, end, usual[f], complete=a > 0 and b < clip.n_frames, pause=pause))
    return tuple(found)


def steady(stances: Sequence[Stance], foot: str) -> list[Stance]:
    """The stances of a foot that show its gait: whole, about as long as usual, and not next to someone standing.

    Those that are not so count where there are no others.
    """
    own = [
        (before.pause or after.pause, stance)
        for before, stance, after in zip(stances, stances[1:], stances[2:], strict=False)
        if stance.foot == foot and after.foot != foot
    ]
    ordinary = [one for one in own if not one[1].pause and 1.0 / ODD < one[1].n_frames / one[1].usual < ODD]
    amid = [stance for stands, stance in ordinary if not stands]
    return amid or [stance for _, stance in ordinary or own]


def _landings(contacts: Contacts, frame_rate: float) -> list[tuple[int, str]]:
    """Frame and foot of every landing, in order; the first frames of a clip show none."""
    plants = sorted((first, last, foot) for foot in FEET for first, last in contacts.foot(foot))
    out: list[tuple[int, int, str]] = []
    for first, last, foot in plants:
        if first <= CUT_OFF * frame_rate:
            continue
        if out and first - out[-1][0] < SHORTEST * frame_rate:
            if last > out[-1][1]:
                out[-1] = (out[-1][0], last, foot)
            continue
        out.append((first, last, foot))
    return [(first, foot) for first, _, foot in out]


def _usual(lengths: Sequence[int]) -> float:
    return float(np.median(lengths))
