"""The main job: raw captures in, a character that walks along a path and goes on a tour out, all of it to look at."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.build import Built, build
from mocapella.blending.network import Network
from mocapella.blending.store import load_network, save_network
from mocapella.cli.captures import make_folder, write_captures
from mocapella.cli.following import Followed, follow
from mocapella.cli.tour_job import CHANGES, RUNS, Toured, draw_tour, run_tour
from mocapella.files.formats import save
from mocapella.measure.slip import footing
from mocapella.measure.way import distance, lateral_errors
from mocapella.playback.as_played import built_as_played

WALKS = tuple(
    f"{pace} walk {way}"
    for pace in ("slow", "medium", "fast")
    for way in ("straight", "left", "right", "sharp left", "sharp right")
)
RATE = 60.0  # frames per second of what is played
_FILM = 5.0  # seconds of moving picture

Progress = Callable[[str, int], None]  # what is being done, and how many steps are to come


@dataclass(frozen=True, eq=False)
class Job:
    """What the main job made, and what was measured on the way."""

    folder: Path
    captures: list[dict[str, Any]]
    built: Built
    walked: Followed
    toured: Toured
    figures: dict[str, float]
    files: dict[str, str]  # name → what it is
    missing: str = ""  # what could not be made, and what helps


def run_main_job(
    folder: Path,
    *,
    suffix: str = "bvh",
    rate: float = 120.0,
    clean: bool = False,
    seed: int = 0,
    progress: Progress = lambda what, steps: None,
) -> Job:
    """Capture, prepare, build, store, steer, change, write, draw and measure; everything lands in one folder."""
    make_folder(folder)
    names = (*WALKS, *RUNS, *CHANGES)
    progress("performing", len(names))
    captures = write_captures(
        names,
        folder / "captures",
        suffix=suffix,
        rate=rate,
        clean=clean,
        seed=seed,
        progress=lambda name: progress(name, 0),
    )
    progress("preparing", len(WALKS))
    began = time.perf_counter()
    files_of = {name: str(one["path"]) for name, one in zip(names, captures, strict=True)}
    built = built_as_played(build([files_of[name] for name in WALKS], progress=lambda name: progress(name, 0)))
    building = time.perf_counter() - began
    save_network(built.network, folder / "walking.moca", origins=built.origins)
    progress("walking", 1)
    path, speeds = winding_path()
    walked = follow(load_network(folder / "walking.moca"), np.column_stack([path, speeds]), rate=RATE)
    save(walked.clip.renamed("walk"), folder / "walk.bvh")
    save(walked.clip.renamed("walk"), folder / "walk.glb")
    progress("changing", 1)
    toured = run_tour(folder, built.network, files_of, rate=RATE)
    files = {
        "captures": f"{len(captures)} raw captures of the embedded actor, each with its ground truth",
        "walking.moca": f"the network: {len(built.network.nodes)} nodes, {len(built.network.triangles)} triangles",
        "walk.bvh": "the character on its path, for any animation program",
        "walk.glb": "the same with a body, for any glTF viewer",
        "person.moca": "walking and running joined by captured changes: a hybrid network",
        "tour.bvh": "a run, the change to a walk, a twirl, a walk, played through it unattended",
        "tour.glb": "the same with a body",
    }
    progress("drawing", 1)
    missing = _draw(folder, built.network, walked, toured, path, speeds, files)
    figures = {"build_seconds": building, **_measured(walked, path), **toured.figures}
    return Job(folder, captures, built, walked, toured, figures, files, missing)


def winding_path() -> tuple[Float[np.ndarray, "points 2"], Float[np.ndarray, " points"]]:
    """An S over some twenty metres (x, z), and the speed wanted along it: slower in the curves, faster between them."""
    along = np.linspace(0.0, 1.0, 200)
    places = np.stack([2.2 * np.sin(2.0 * np.pi * along) * np.sin(np.pi * along) ** 0.5, 18.0 * along], axis=1)
    return places, 1.25 + 0.3 * np.cos(4.0 * np.pi * along)


def _measured(walked: Followed, path: Float[np.ndarray, "points 2"]) -> dict[str, float]:
    clip, feet = walked.clip, footing(walked.clip, walked.contacts)
    errors = lateral_errors(clip, path)
    off = np.abs(walked.speeds / walked.wanted - 1.0)
    return {
        "frames": float(clip.n_frames),
        "seconds": clip.seconds,
        "distance_m": distance(clip),
        "slip_mm_max": feet.slip_mm_max,
        "slip_mm_mean": feet.slip_mm_mean,
        "penetration_mm_max": feet.penetration_mm_max,
        "approach_m_s_max": feet.approach,
        "path_error_m_mean": float(errors.mean()),
        "path_error_m_max": float(errors.max()),
        "speed_error_mean": float(off.mean()),
        "step_ms_mean": 1000.0 * walked.seconds_per_step,
    }


def _draw(
    folder: Path,
    network: Network,
    walked: Followed,
    toured: Toured,
    path: Float[np.ndarray, "points 2"],
    speeds: Float[np.ndarray, " points"],
    files: dict[str, str],
) -> str:
    """Draw what there is to see; without matplotlib nothing is drawn, and the answer says what helps."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return "no pictures were drawn: they need an extra package, pip install 'mocapella[plots]'"
    from mocapella.pictures.contact_sheet import draw_contact_sheet
    from mocapella.pictures.moving import draw_moving_picture
    from mocapella.pictures.network_map import draw_network, draw_way

    clip = walked.clip.renamed("walk")
    draw_way(clip, folder / "path.png", wanted=path, speeds=speeds, title="the path, and the way the character took")
    draw_network(network, folder / "network.png", track=walked.points, title="the network, and the way of its point")
    draw_contact_sheet(clip, folder / "walk.png", poses=12)
    draw_moving_picture(clip[: int(_FILM * clip.frame_rate)], folder / "walk.gif")
    files |= {
        "path.png": "the path it was to follow, and the way it took",
        "network.png": "a map of the network, and the way of the blending point",
        "walk.png": "poses along the way",
        "walk.gif": "its first seconds, moving",
        **draw_tour(folder, toured),
    }
    return ""
