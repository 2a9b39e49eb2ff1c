"""``mocapella demo --turns`` and ``--rectangle``: small networks of short captures, steered, with pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mocapella.actor import capture
from mocapella.blending.network import Network
from mocapella.building.build import build
from mocapella.errors import MotionError
from mocapella.files.disk import make_folder
from mocapella.gait.root_motion import played_rates
from mocapella.measure.footskate import footing
from mocapella.measure.ground_path import distance
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.pictures.ground import draw_way
from mocapella.pictures.hybrid_drawing import draw_hybrid
from mocapella.pictures.networks import draw_network
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.steering.tour import Tour
from mocapella.storage.values import load, save
from mocapella.studies.demo import RATE, STANDING, Progress, joined

_SHORT = 3.5  # seconds that are kept of a capture
_SWEEP = 24.0  # seconds in which the turn goes to one side, to the other, and back
_ROUND = 20.0  # seconds in which the point goes round the rectangle
_TWO = ("medium walk straight", "medium walk sharp left")
_CORNERS = ("slow walk sharp left", "fast walk sharp left", "fast walk sharp right", "slow walk sharp right")


class _Along:
    """Leads the blending point along corners at an even pace, once, and is done at the last."""

    def __init__(self, corners: Sequence[tuple[float, float]], seconds: float) -> None:
        self._corners, self._seconds = np.array(corners), seconds
        self.done = False

    def steer(self, player: Player, time: float | int) -> tuple[float, float]:
        """Where the point is to be."""
        share = min(time / self._seconds, 1.0) * (len(self._corners) - 1)
        self.done = time >= self._seconds
        x, y = (float(np.interp(share, np.arange(len(self._corners)), self._corners[:, axis])) for axis in (0, 1))
        return x, y


def run_turns(folder: Path, *, seed: int = 0, progress: Progress = lambda name, steps: None) -> dict[str, Any]:
    """Turn continuously to either side, from a short straight walk and a short turn to the left.

    Captures, network, motion, pictures and a report go into ``folder``. Returns ``captures``, ``nodes`` and ``figures``
    of the walk, with the range of turns that it has.
    """
    make_folder(folder)
    progress("walking", 3)
    files = _captured(folder, _TWO, seed)
    network = build(files, measure=played_rates).network
    save(network, folder / "turns.moca")
    progress("walking", 0)
    turns = network.points[:, 0]
    left, right = (network.points[i].tolist() for i in (np.argmax(turns), np.argmin(turns)))
    middle = (0.0, float(network.points[np.argmin(np.abs(turns)), 1]))
    stops = [middle, (left[0], left[1]), middle, (right[0], right[1]), middle]
    player = Player(network, middle)
    clip, contacts = record_with_contacts(player, seconds=_SWEEP, frame_rate=RATE, script=_Along(stops, _SWEEP))
    progress("walking", 0)
    figures = _figures(clip, contacts)
    pictures: dict[str, Callable[[Path], None]] = {
        "map.png": lambda path: draw_network(network, path, title="two captures, and the mirror image of the turn"),
        "way.png": lambda path: draw_way(clip, path, title="seen from above"),
        "sheet.png": lambda path: draw_contact_sheet(clip, path),
    }
    return _told(folder, "turns", clip, figures, files, network, pictures)


def run_rectangle(folder: Path, *, seed: int = 0, progress: Progress = lambda name, steps: None) -> dict[str, Any]:
    """Walk round a rectangle of four walks, slow and fast to either side; then stand still, and walk on.

    Captures, networks, motions, pictures and a report go into ``folder``. Returns ``captures``, ``nodes`` and
    ``figures`` of the walk round the rectangle, and ``stand`` of the way to a stand and back.
    """
    make_folder(folder)
    progress("walking", 3)
    files = _captured(folder, _CORNERS, seed)
    network = build(files, measure=played_rates, mirror=False).network
    save(network, folder / "rectangle.moca")
    progress("walking", 0)
    corners = [
        (float(x), float(y)) for x, y in network.points[[network.names.index(Path(file).stem) for file in files]]
    ]
    guide = _Along([*corners, corners[0]], _ROUND)
    clip, contacts = record_with_contacts(Player(network, corners[0]), seconds=_ROUND, frame_rate=RATE, script=guide)
    progress("walking", 0)
    hybrid = joined({"walking": network}, STANDING, lambda name: capture(name, seed=seed)[0], measure=played_rates)
    save(hybrid, folder / "person.moca")
    tour = Tour(hybrid, list(STANDING), pause=2.0)
    player = Player(hybrid, block=tour.start)
    stood, plants = record_with_contacts(player, frame_rate=RATE, script=tour)
    save(stood.renamed("stand"), folder / "stand.bvh")
    save(stood.renamed("stand"), folder / "stand.glb")
    progress("walking", 0)
    pictures: dict[str, Callable[[Path], None]] = {
        "map.png": lambda path: draw_network(network, path, title="four walks at the corners of a rectangle"),
        "person.png": lambda path: draw_hybrid(hybrid, path, title="walking and standing"),
        "way.png": lambda path: draw_way(clip, path, title="round the rectangle"),
        "stand.png": lambda path: draw_contact_sheet(stood, path),
    }
    answer = _told(folder, "rectangle", clip, _figures(clip, contacts), files, network, pictures)
    return answer | {"stand": _figures(stood, plants)}


def _captured(folder: Path, names: Sequence[str], seed: int) -> list[Path]:
    """Short captures of the actor, as files."""
    files = []
    for name in names:
        clip = capture(name, seed=seed)[0]
        path = folder / f"{name.replace(' ', '-')}.bvh"
        save(clip[: round(_SHORT * clip.frame_rate)], path)
        files.append(path)
    return files


def _figures(clip: Clip, contacts: Contacts) -> dict[str, float]:
    """How long, how far, how the turn goes over a second, and how well feet stand."""
    feet = footing(clip, contacts)
    second = round(clip.frame_rate)
    turns = np.degrees(clip.headings[second:] - clip.headings[:-second])
    return {
        "seconds": clip.seconds,
        "distance_m": distance(clip),
        "turn_left_deg_s": float(turns.max()),
        "turn_right_deg_s": float(-turns.min()),
        "slip_mm_max": feet.slip_mm_max,
        "penetration_mm_max": feet.penetration_mm_max,
    }


def _told(
    folder: Path,
    name: str,
    clip: Clip,
    figures: dict[str, float],
    files: Sequence[Path],
    network: Network,
    pictures: dict[str, Callable[[Path], None]],
) -> dict[str, Any]:
    """Write the motion and its pictures, and say what there is; without matplotlib there are no pictures."""
    for suffix in ("bvh", "glb"):
        save(clip.renamed(name), folder / f"{name}.{suffix}")
    drawn = []
    for title, draw in pictures.items():
        try:
            draw(folder / title)
        except MotionError:
            break
        drawn.append(str(folder / title))
    captures = [{"path": str(file), "seconds": load(file).seconds} for file in files]
    nodes = [{"name": node, "at": at} for node, at in zip(network.names, network.points.tolist(), strict=True)]
    return {"captures": captures, "nodes": nodes, "figures": figures, "pictures": drawn}


def steered_report(answer: dict[str, Any]) -> str:
    """What was made of which captures, in lines. ``answer`` is that of ``run_turns`` or ``run_rectangle``."""
    lines = [f"{len(answer['captures'])} captures, {len(answer['nodes'])} nodes"]
    lines += [f"  {Path(one['path']).name}: {one['seconds']:.1f} s" for one in answer["captures"]]
    told = {"walked": answer["figures"]} | ({"to a stand and on": answer["stand"]} if "stand" in answer else {})
    lines += [
        f"{title}: {way['seconds']:.1f} s, {way['distance_m']:.1f} m, up to {way['turn_left_deg_s']:.0f}°/s to the "
        f"left and {way['turn_right_deg_s']:.0f}°/s to the right, feet slid {way['slip_mm_max']:.2f} mm and sank "
        f"{way['penetration_mm_max']:.2f} mm at most"
        for title, way in told.items()
    ]
    return "\n".join(lines)
