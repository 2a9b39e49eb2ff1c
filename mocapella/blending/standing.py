"""Standing about as a cycle: a little of it, repeated without a seam."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Shaped

from mocapella.analysis.cyclify import cyclify, end_moved, start_moved
from mocapella.analysis.root import cut_dofs
from mocapella.arrays import owned
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts, round_cycle
from mocapella.motion.cycle import TURN, Cycle
from mocapella.motion.layout import layout_of

SHORTEST_LOOP = 1.0  # seconds; less than that, repeated from the start, looks like a twitch


def idle(clip: Clip, frames: tuple[int, int], *, at_end: bool, layout: str, contacts: Contacts) -> Cycle:
    """A cycle of what somebody does who stands between two frames, both included.

    ``at_end``: the last frame stays as captured and is where the cycle ends; otherwise the first one, where it begins.
    A stretch of a second or more is closed by moving its other end. A shorter one is played there and back, so that it
    lasts twice as long and closes by itself.
    """
    first, last = frames
    if last - first >= SHORTEST_LOOP * clip.frame_rate:
        return cyclify(clip, frames, method=start_moved if at_end else end_moved, layout=layout, contacts=contacts)
    return _there_and_back(clip, frames, at_end, layout, contacts)


def _there_and_back(clip: Clip, frames: tuple[int, int], at_end: bool, kind: str, contacts: Contacts) -> Cycle:
    first, last = frames
    layout = layout_of(kind, clip.skeleton)
    there = cut_dofs(clip[first : last + 1], layout)
    there[:, -3:] = 0.0  # to and fro, whoever stands gets nowhere
    dofs = _and_back(there)
    masks = {point: _and_back(contacts.planted(point)[first : last + 1]) for point in FOOT_POINTS}
    closed = {point: np.append(mask, mask[0]) for point, mask in masks.items()}
    made = Cycle(
        layout=layout,
        dofs=owned(np.ascontiguousarray(dofs)),
        frame_rate=clip.frame_rate,
        contacts=round_cycle(Contacts.from_masks(closed)),
        name=clip.name,
        source=clip.source,
        start_row=clip.first_row + (last if at_end else first),
    )
    if at_end:
        made = replace(made.starting_at(TURN * (last - first) / made.n_frames), offset=0.0)
    text = f"rows {clip.first_row + first} to {clip.first_row + last} of {clip.name!r}, played there and back"
    return made.decided("select", text, start=first + clip.first_row, frames=made.n_frames)


def _and_back(rows: Shaped[np.ndarray, " frames *rest"]) -> Shaped[np.ndarray, " round *rest"]:
    return np.concatenate([rows, rows[-2:0:-1]])
