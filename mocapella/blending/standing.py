"""Standing about as a cycle: a little of it, repeated without a seam."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.analysis.cyclify import cyclify, end_moved, start_moved
from mocapella.analysis.root import cut_dofs
from mocapella.arrays import owned
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts, round_cycle
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import layout_of

SHORTEST_LOOP = 2.0  # seconds; less than that, repeated from the start, looks like a twitch
BREATH = 4.0  # seconds in which a shorter stretch is played there and back
SWAY = 0.02  # metres: how far any joint of somebody who stands goes in a breath, at most


def idle(clip: Clip, frames: tuple[int, int], *, at_end: bool, layout: str, contacts: Contacts) -> Cycle:
    """A cycle of what somebody does who stands between two frames, both included.

    ``at_end``: the last frame stays as captured and is where the change begins; otherwise the first one, where it ends.
    A stretch of two seconds or more is closed by moving its other end. In a shorter one a person still comes to rest,
    or is about to leave, and that over and over would be a fidget. So it is played there and back in the time of a
    breath, from the frame that stays and no further from it than people sway.
    """
    first, last = frames
    if last - first >= SHORTEST_LOOP * clip.frame_rate:
        return cyclify(clip, frames, method=start_moved if at_end else end_moved, layout=layout, contacts=contacts)
    return _there_and_back(clip, frames, at_end, layout, contacts)


def _there_and_back(clip: Clip, frames: tuple[int, int], at_end: bool, kind: str, contacts: Contacts) -> Cycle:
    first, last = frames
    order = slice(None, None, -1) if at_end else slice(None)
    layout = layout_of(kind, clip.skeleton)
    stretch = clip[first : last + 1]
    there = cut_dofs(stretch, layout)[order]
    there[:, -3:] = 0.0  # to and fro, whoever stands gets nowhere
    away = _from_the_root(stretch)[order]
    furthest = float(np.linalg.norm(away - away[0], axis=-1).max())
    share = min(1.0, SWAY / furthest) if furthest > 0.0 else 1.0
    swings = layout.displacement(np.broadcast_to(there[0], there.shape), there)
    n = max(round(BREATH * clip.frame_rate), 3)
    # Where in the stretch each frame is: slowly off, slowly round the far end, slowly back.
    along = 0.5 * (last - first) * (1.0 - np.cos(2.0 * np.pi * np.arange(n) / n))
    rows = np.arange(last - first + 1)
    swing = np.stack([np.interp(along, rows, column) for column in swings.T], axis=1)
    nearest = np.rint(along).astype(np.intp)
    masks = {point: contacts.planted(point)[first : last + 1][order][nearest] for point in FOOT_POINTS}
    join = clip.first_row + (last if at_end else first)
    made = Cycle(
        layout=layout,
        dofs=owned(layout.displaced(np.repeat(there[:1], n, axis=0), share * swing)),
        frame_rate=clip.frame_rate,
        contacts=round_cycle(Contacts.from_masks({name: np.append(mask, mask[0]) for name, mask in masks.items()})),
        name=clip.name,
        source=clip.source,
        start_row=join,
    )
    text = (
        f"rows {clip.first_row + first} to {clip.first_row + last} of {clip.name!r}, played there and back in "
        f"{BREATH:g} s, {100 * share:.0f} % of the way"
    )
    return made.decided("select", text, start=first + clip.first_row, frames=made.n_frames, share=share)


def _from_the_root(clip: Clip) -> Float[np.ndarray, "frames joints 3"]:
    """Where the joints are, seen from the root, in the world's axes."""
    return np.asarray(clip.positions - clip.positions[:, :1])
