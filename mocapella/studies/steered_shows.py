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
from mocapella.pictures.networks import draw_network
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.storage.values import load, save
from mocapella.studies.demo import RATE, Progress

_SHORT = 3.5  # seconds that are kept of a capture
_SWEEP = 24.0  # seconds in which the turn goes to one side, to the other, and back
_ROUND = 20.0  # seconds in which the point goes round a network
_TWO = ("medium walk straight", "medium walk sharp left")
_THREE = ("fast walk straight", "fast walk sharp left", "slow walk straight")
_IDLES = ("dance", "twist", "stand", "look-around")


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
    """Walk round a rectangle that three short captures make, then blend four motions on the spot (figures 5.11, 5.12).

    The captures are a fast straight walk, a fast turn to the left and a slow straight walk; turns to the right are
    mirror images, the slow turn is the slow walk with what distinguishes the fast turn from the fast walk. Captures,
    networks, motions, pictures and a report go into ``folder``. Returns ``captures``, ``nodes`` and ``figures`` of the
    walk round the rectangle, and the same of the motions on the spot as ``idle``.
    """
    make_folder(folder)
    progress("walking", 2)
    files = _captured(folder, _THREE, seed)
    network = build(files, measure=played_rates, substitute=True).network
    clip, contacts = _round(network)
    pictures: dict[str, Callable[[Path], None]] = {
        "map.png": lambda path: draw_network(network, path, title="a rectangle of walks, from three captures"),
        "way.png": lambda path: draw_way(clip, path, title="round the rectangle"),
    }
    save(network, folder / "rectangle.moca")
    answer = _told(folder, "rectangle", clip, _figures(clip, contacts), files, network, pictures)
    progress("walking", 0)
    idles = _captured(folder, _IDLES, seed, seconds=None)
    idle = build(idles).network
    stayed, plants = _round(idle)
    pictures = {
        "idle-map.png": lambda path: draw_network(idle, path, title="dancing, twisting, and two ways of standing"),
        "idle.png": lambda path: draw_contact_sheet(stayed.renamed("idle"), path),
    }
    save(idle, folder / "idle.moca")
    answer["idle"] = _told(folder, "idle", stayed, _figures(stayed, plants), idles, idle, pictures)
    progress("walking", 0)
    return answer


def _round(network: Network) -> tuple[Clip, Contacts]:
    """A character whose point goes once round all nodes of a network, and its plants."""
    apart = (network.points - network.points.mean(axis=0)) / np.ptp(network.points, axis=0)
    order = np.argsort(np.arctan2(apart[:, 1], apart[:, 0]))
    stops = [(float(x), float(y)) for x, y in network.points[[*order, order[0]]]]
    player = Player(network, stops[0])
    return record_with_contacts(player, seconds=_ROUND, frame_rate=RATE, script=_Along(stops, _ROUND))


def _captured(folder: Path, names: Sequence[str], seed: int, *, seconds: float | None = _SHORT) -> list[Path]:
    """Captures of the actor as files, short ones unless ``seconds`` is None."""
    files = []
    for name in names:
        clip = capture(name, seed=seed)[0]
        path = folder / f"{name.replace(' ', '-')}.bvh"
        save(clip if seconds is None else clip[: round(seconds * clip.frame_rate)], path)
        files.append(path)
    return files


def _figures(clip: Clip, contacts: Contacts) -> dict[str, float]:
    """How long, how far on the way and from its start, how the turn goes over a second, and how well feet stand."""
    feet = footing(clip, contacts)
    second = round(clip.frame_rate)
    turns = np.degrees(clip.headings[second:] - clip.headings[:-second])
    return {
        "seconds": clip.seconds,
        "distance_m": distance(clip),
        "farthest_m": float(np.abs(clip.ground_path - clip.ground_path[0]).max()),
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
    lines = []
    for title, part in {"walked": answer, "on the spot": answer.get("idle")}.items():
        if part is None:
            continue
        way = part["figures"]
        lines += [f"{len(part['captures'])} captures, {len(part['nodes'])} nodes"]
        lines += [f"  {Path(one['path']).name}: {one['seconds']:.1f} s" for one in part["captures"]]
        lines += [
            f"{title}: {way['seconds']:.1f} s, {way['distance_m']:.1f} m, up to {way['farthest_m']:.2f} m away, turns "
            f"up to {way['turn_left_deg_s']:.0f}°/s to the left and {way['turn_right_deg_s']:.0f}°/s to the right, "
            f"feet slid {way['slip_mm_max']:.2f} mm and sank {way['penetration_mm_max']:.2f} mm at most"
        ]
    return "\n".join(lines)
