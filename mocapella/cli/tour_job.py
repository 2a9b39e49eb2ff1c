"""The tour of the demo: captured changes between walking and running, played one after the other, unattended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mocapella.blending.build import build
from mocapella.blending.draft import Draft
from mocapella.blending.find_transition import find_transition
from mocapella.blending.hybrid import HybridNetwork
from mocapella.blending.hybrid_store import load_hybrid, save_hybrid
from mocapella.blending.network import Network
from mocapella.files.formats import load, save
from mocapella.measure.slip import footing
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.playback.tour import Tour
from mocapella.playback.transit import Entry

RUNS = tuple(f"{pace} run {way}" for pace in ("slow", "fast") for way in ("straight", "sharp left", "sharp right"))
CHANGES = {  # capture → the blocks it leads from and to
    "walk-run": ("walking", "running"),
    "run-walk": ("running", "walking"),
    "walk-twirl-walk": ("walking", None),
    "run-twirl-run": ("running", None),
}
MODES = {  # key and what is open, by name
    "blend": ("b", ()),
    "change": ("c", ("walk-run", "run-walk")),
    "twirl": ("t", ("walk-twirl-walk", "run-twirl-run")),
}
TOUR = ("run-walk", "walk-twirl-walk")
_START = (0.0, 3.0)  # where the tour begins: straight ahead at 3 m/s
_PAUSE = 1.5  # seconds


@dataclass(frozen=True, eq=False)
class Toured:
    """What a character did on its tour."""

    hybrid: HybridNetwork
    clip: Clip
    contacts: Contacts
    states: Sequence[Entry]
    figures: dict[str, float]


def run_tour(folder: Path, walking: Network, files: Mapping[str, str], *, rate: float) -> Toured:
    """Join a walking network with captured runs and changes, store that, and play the tour.

    ``files`` are the captures of ``RUNS`` and ``CHANGES``, by name.
    """
    draft = Draft({"walking": walking, "running": build([files[name] for name in RUNS]).network})
    for name, (source, target) in CHANGES.items():
        change = find_transition(load(files[name]), name=name)
        draft = draft.with_transition(change, source, target, mirrored=True)
    modes = [draft.mode(name, arcs, key=key) for name, (key, arcs) in MODES.items()]
    save_hybrid(draft.finished(modes), folder / "person.moca")
    hybrid = load_hybrid(folder / "person.moca")
    tour = Tour(hybrid, TOUR, pause=_PAUSE)
    player = Player(hybrid, _START, block=tour.start)
    clip, contacts = record_with_contacts(player, frame_rate=rate, script=tour)
    for suffix in ("bvh", "glb"):
        save(clip.renamed("tour"), folder / f"tour.{suffix}")
    feet = footing(clip, contacts)
    figures = {
        "tour_seconds": clip.seconds,
        "tour_slip_mm_max": feet.slip_mm_max,
        "tour_penetration_mm_max": feet.penetration_mm_max,
    }
    return Toured(hybrid, clip, contacts, player.states, figures)


def draw_tour(folder: Path, toured: Toured) -> dict[str, str]:
    """Draw the hybrid network, the way through it, and the twirl; what was drawn, by name."""
    from mocapella.pictures.contact_sheet import draw_contact_sheet
    from mocapella.pictures.hybrid_map import draw_hybrid
    from mocapella.pictures.state_way import draw_states

    rate, last = toured.clip.frame_rate, toured.states[-2:]
    twirl = toured.clip[int((last[0].time - 0.4) * rate) : int((last[1].time + 0.4) * rate)]
    draw_hybrid(toured.hybrid, folder / "person.png", title="person.moca")
    draw_states(toured.clip, toured.states, folder / "tour.png", title="a run, a walk, a twirl, a walk")
    draw_contact_sheet(twirl.renamed("twirl"), folder / "twirl.png", poses=16)
    return {
        "person.png": "a map of the hybrid network",
        "tour.png": "the way through it, and what was played when",
        "twirl.png": "the twirl, pose by pose",
    }


def describe_states(states: Sequence[Entry]) -> list[dict[str, Any]]:
    """A player's log for JSON."""
    return [entry._asdict() for entry in states]
