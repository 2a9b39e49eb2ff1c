"""``mocapella demo``: from raw captures to a character that walks a path and goes on a tour, with a report."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.actor import CAPTURED, CLEAN, Truth, capture
from mocapella.blending.network import Network
from mocapella.building.build import build
from mocapella.building.layout.as_played import Measure
from mocapella.building.layout.steps import Built
from mocapella.files.disk import make_folder, replacing
from mocapella.gait.root_motion import played_rates
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.hybrid.transition_search import find_transition
from mocapella.measure.description import describe
from mocapella.measure.footskate import footing
from mocapella.measure.ground_path import distance, lateral_errors
from mocapella.motion.clip import Clip
from mocapella.pictures.bodies import draw_contact_sheet, draw_moving_picture
from mocapella.pictures.ground import draw_states, draw_way
from mocapella.pictures.hybrid_drawing import draw_hybrid
from mocapella.pictures.networks import draw_network
from mocapella.playback.modes import Entry
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.steering.follow import Followed, follow
from mocapella.steering.tour import Tour
from mocapella.storage.values import load, save

PACES = ("slow", "medium", "fast")
WAYS = ("straight", "left", "right", "sharp left", "sharp right")
WALKS = tuple(f"{pace} walk {way}" for pace in PACES for way in WAYS)
RUNS = tuple(f"{pace} run {way}" for pace in ("slow", "fast") for way in ("straight", "sharp left", "sharp right"))
CHANGES = {  # capture → the blocks it leads from and to
    "walk-run": ("walking", "running"),
    "run-walk": ("running", "walking"),
    "walk-twirl-walk": ("walking", None),
    "run-twirl-run": ("running", None),
}
STANDING = {"walk-stand": ("walking", "standing"), "stand-walk": ("standing", "walking")}
_MODES = {  # key and open arcs, by name
    "blend": ("b", ()),
    "change": ("c", ("walk-run", "run-walk", "walk-stand", "stand-walk")),
    "twirl": ("t", ("walk-twirl-walk", "run-twirl-run")),
}
_TOUR = ("run-walk", "walk-twirl-walk")
_START = (0.0, 3.0)  # where the tour begins: straight ahead at 3 m/s
_PAUSE = 1.5  # seconds
_FILM = 5.0  # seconds of moving picture
_TOUR_RATE = 12.0  # frames per second of the moving picture of the tour
RATE = 60.0  # frames per second of what is played

Progress = Callable[[str, int], None]  # called with a name and its number of steps, then with each name and 0


# The embedded actor's captures as files, each with its ground truth beside it.


def write_captures(
    names: Sequence[str],
    folder: Path,
    *,
    suffix: str = "bvh",
    rate: float = 120.0,
    clean: bool = False,
    seed: int = 0,
    progress: Callable[[str], None] = lambda name: None,
) -> list[dict[str, Any]]:
    """Write captures of the embedded actor, each with its ground truth as ``.truth.json`` beside it.

    ``folder`` is made where it is missing. ``suffix`` is the format, ``"bvh"`` or ``"amc"``. ``progress`` is called
    with each name before it is performed. Returns ``path``, ``frames`` and ``seconds`` of each file.
    """
    make_folder(folder)
    files = []
    for name in names:
        progress(name)
        clip, truth = capture(name, seed=seed, frame_rate=rate, imperfections=CLEAN if clean else CAPTURED)
        path = folder / f"{name.replace(' ', '-')}.{suffix}"
        save(clip, path)
        path.with_suffix(".truth.json").write_text(json.dumps(_describe_truth(truth), indent=1) + "\n")
        files.append({"path": str(path), "frames": clip.n_frames, "seconds": clip.seconds})
    return files


def _describe_truth(truth: Truth) -> dict[str, Any]:
    """Ground truth for JSON: seconds, metres and degrees, frames counted from 0, intervals with both ends."""
    return {
        **{key: getattr(truth, key) for key in ("action", "style", "period", "period_after", "speed")},
        "turn_per_second": math.degrees(truth.turn),
        "contacts": {point: rows.tolist() for point, rows in truth.contacts.items()},
        "boundaries": truth.boundaries.tolist(),
        "dropouts": list(truth.dropouts),
        "jumps": list(truth.jumps),
    }


# The hybrid networks of the demonstrations: walking and running, changes between them and twirls.


@cache  # tables, experiments and pages of one program share them: they take seconds, and nothing changes them
def demo_blocks() -> Mapping[str, Built]:
    """The networks of the actor's walks and runs, of fifteen captures each, by the names of their blocks."""
    gaits = {"walking": "walk", "running": "run"}
    return {block: build([capture(take.replace("walk", gait))[0] for take in WALKS]) for block, gait in gaits.items()}


@cache
def demo_hybrid(*, standing: bool = False, mirrored: bool = True) -> HybridNetwork:
    """A hybrid network of the actor's captures: fifteen walks, fifteen runs, two ways between them, a twirl in each.

    In the mode ``"blend"`` both blocks are whole and no arc is open; ``"change"`` opens the ways from one block to the
    other, ``"twirl"`` the twirls. Keys b, c and t switch between them. Its blocks are ``"walking"`` and ``"running"``,
    with ``standing`` also ``"standing"`` and the ways there and back. With ``mirrored`` a change is played mirrored
    where its mirrored start comes sooner.
    """
    networks = {name: built.network for name, built in demo_blocks().items()}
    arcs = {**CHANGES, **STANDING} if standing else CHANGES
    return joined(networks, arcs, lambda name: capture(name)[0], mirrored=mirrored)


def joined(
    networks: Mapping[str, Network],
    arcs: Mapping[str, tuple[str, str | None]],
    captured: Callable[[str], Clip],
    *,
    mirrored: bool = True,
    measure: Measure | None = None,
) -> HybridNetwork:
    """Networks joined by captured changes, in the three modes of the demonstrations, as far as their arcs are there.

    ``networks`` are by block, ``captured`` by name; ``arcs`` say of each captured change which blocks it leads from and
    to. ``mirrored`` and ``measure`` are as ``demo_hybrid`` and ``build`` take them.
    """
    builder = HybridBuilder(networks, measure=measure)
    for name, (source, target) in arcs.items():
        stood = source == "standing"
        change = find_transition(captured(name), name=name)
        builder = builder.with_transition(change, source, target, mirrored=mirrored and not stood, at_once=stood)
    modes = {mode: (key, [name for name in names if name in arcs]) for mode, (key, names) in _MODES.items()}
    return builder.finished([builder.mode(mode, names, key=key) for mode, (key, names) in modes.items()])


# The job.


@dataclass(frozen=True, eq=False)
class Toured:
    """A tour through a hybrid network, as played."""

    hybrid: HybridNetwork
    clip: Clip
    states: Sequence[Entry]
    figures: dict[str, float]


@dataclass(frozen=True, eq=False)
class Job:
    """Files and figures that the main job made."""

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
    """Capture, prepare, build, store, steer, change, write, draw and measure; everything is written into ``folder``.

    ``suffix``, ``rate``, ``clean`` and ``seed`` are as ``write_captures`` takes them. ``progress`` is called with a
    name and a number of steps where a stage begins, with a name and 0 at each step.
    """
    make_folder(folder)
    names = (*WALKS, *RUNS, *CHANGES)
    progress("performing", len(names))

    def step(name: str) -> None:
        progress(name, 0)

    raw = folder / "captures"
    captures = write_captures(names, raw, suffix=suffix, rate=rate, clean=clean, seed=seed, progress=step)
    progress("preparing", len(WALKS))
    began = time.perf_counter()
    files_of = {name: str(one["path"]) for name, one in zip(names, captures, strict=True)}
    built = build([files_of[name] for name in WALKS], measure=played_rates, progress=step)
    building = time.perf_counter() - began
    save(built.network, folder / "walking.moca", origins=built.origins)
    progress("walking", 1)
    path, speeds = winding_path()
    walked = follow(load(folder / "walking.moca"), np.column_stack([path, speeds]), frame_rate=RATE)
    _save_motion(walked.clip, folder, "walk")
    progress("changing", 1)
    toured = run_tour(folder, built.network, files_of)
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
    drawn, missing = _draw(folder, built.network, walked, toured, path, speeds)
    figures = {"build_seconds": building, **_measured(walked, path), **toured.figures}
    return Job(folder, captures, built, walked, toured, figures, files | drawn, missing)


def winding_path() -> tuple[Float[np.ndarray, "points 2"], Float[np.ndarray, " points"]]:
    """An S over some twenty metres (x, z), and the speed wanted along it: slower in the curves, faster between them."""
    along = np.linspace(0.0, 1.0, 200)
    places = np.stack([2.2 * np.sin(2.0 * np.pi * along) * np.sin(np.pi * along) ** 0.5, 18.0 * along], axis=1)
    return places, 1.25 + 0.3 * np.cos(4.0 * np.pi * along)


def run_tour(folder: Path, walking: Network, files: Mapping[str, str]) -> Toured:
    """Join a walking network with captured runs and changes, store that, and play the tour.

    ``files`` are the captures of ``RUNS`` and ``CHANGES``, by name.
    """
    running = build([files[name] for name in RUNS], measure=played_rates).network
    networks = {"walking": walking, "running": running}
    person = joined(networks, CHANGES, lambda name: load(files[name]), measure=played_rates)
    save(person, folder / "person.moca")
    hybrid = load(folder / "person.moca")
    tour = Tour(hybrid, _TOUR, pause=_PAUSE)
    player = Player(hybrid, _START, block=tour.start)
    clip, contacts = record_with_contacts(player, frame_rate=RATE, script=tour)
    _save_motion(clip, folder, "tour")
    feet = footing(clip, contacts)
    figures = {
        "tour_seconds": clip.seconds,
        "tour_slip_mm_max": feet.slip_mm_max,
        "tour_penetration_mm_max": feet.penetration_mm_max,
    }
    return Toured(hybrid, clip, player.states, figures)


def _save_motion(clip: Clip, folder: Path, name: str) -> None:
    for suffix in ("bvh", "glb"):
        save(clip.renamed(name), folder / f"{name}.{suffix}")


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
) -> tuple[dict[str, str], str]:
    """Draw the walk and the tour: what was drawn, by name; without matplotlib nothing, and what helps."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return {}, "no pictures were drawn: they need an extra package, pip install 'mocapella[plots]'"
    clip = walked.clip.renamed("walk")
    draw_way(clip, folder / "path.png", wanted=path, speeds=speeds, title="the path, and the way the character took")
    draw_network(network, folder / "network.png", track=walked.points, title="the network, and the way of its point")
    draw_contact_sheet(clip, folder / "walk.png", poses=12)
    draw_moving_picture(clip[: int(_FILM * clip.frame_rate)], folder / "walk.gif")
    rate, last = toured.clip.frame_rate, toured.states[-2:]
    twirl = toured.clip[int((last[0].time - 0.4) * rate) : int((last[1].time + 0.4) * rate)]
    draw_hybrid(toured.hybrid, folder / "person.png", title="person.moca")
    draw_states(toured.clip, toured.states, folder / "tour.png", title="a run, a walk, a twirl, a walk")
    draw_contact_sheet(twirl.renamed("twirl"), folder / "twirl.png", poses=16)
    draw_moving_picture(toured.clip, folder / "tour.gif", frame_rate=_TOUR_RATE)
    drawn = {
        "path.png": "the path it was to follow, and the way it took",
        "network.png": "a map of the network, and the way of the blending point",
        "walk.png": "poses along the way",
        "walk.gif": "its first seconds, moving",
        "person.png": "a map of the hybrid network",
        "tour.png": "the way through it, and what was played when",
        "tour.gif": "the tour, moving",
        "twirl.png": "the twirl, pose by pose",
    }
    return drawn, ""


# The report.


def write_report(job: Job) -> Path:
    """Write the figures of a job as ``report.md`` into its folder. ``job`` is as ``run_main_job`` returns it."""
    path = job.folder / "report.md"
    with replacing(path) as file:
        file.write(_page(job).encode())
    return path


def describe_job(job: Job) -> dict[str, Any]:
    """A job for JSON. ``job`` is as ``run_main_job`` returns it. Returns what ``demo --json`` prints."""
    return {
        "folder": str(job.folder),
        "captures": job.captures,
        "network": describe(job.built),
        "figures": job.figures,
        "states": [entry._asdict() for entry in job.toured.states],
        "files": [str(job.folder / name) for name in (*job.files, "report.md")],
        "missing": job.missing,
    }


def _page(job: Job) -> str:
    f, network = job.figures, job.built.network
    frame_ms = 1000.0 / RATE
    rows = [
        ("captures", f"{len(job.captures)}, {sum(one['seconds'] for one in job.captures):.0f} s in all"),
        ("network", f"{len(network.nodes)} nodes, {len(network.triangles)} triangles, {network.n_harmonics} harmonics"),
        ("prepared and built in", f"{f['build_seconds']:.2f} s"),
        ("walked", f"{f['distance_m']:.1f} m in {f['seconds']:.1f} s"),
        ("planted feet slid", f"{f['slip_mm_max']:.2f} mm at most, {f['slip_mm_mean']:.2f} mm on average"),
        ("feet sank into the ground", f"{f['penetration_mm_max']:.2f} mm at most"),
        ("feet about to rest moved", f"{f['approach_m_s_max']:.2f} m/s at most, in the three frames before"),
        (
            "beside the path",
            f"{100 * f['path_error_m_mean']:.1f} cm on average, {100 * f['path_error_m_max']:.1f} at most",
        ),
        ("off the wanted speed", f"{100 * f['speed_error_mean']:.1f} % on average"),
        ("cost of a frame", f"{f['step_ms_mean']:.2f} ms, {100 * f['step_ms_mean'] / frame_ms:.1f} % of one at 60 Hz"),
    ]
    lines = ["# A character that walks", "", "| measured | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows), ""]
    lines += _tour(job)
    lines += ["| file | |", "|---|---|", *(f"| {name} | {what} |" for name, what in job.files.items()), ""]
    if job.missing:
        lines += [f"Missing: {job.missing}.", ""]
    return "\n".join(lines)


def _tour(job: Job) -> list[str]:
    """What was played on the tour, and when."""
    f, states = job.figures, job.toured.states
    told = [f"| {entry.time:.2f} s | {entry.state} | {entry.arc} | {entry.block} | {entry.mode} |" for entry in states]
    return [
        f"A tour of {f['tour_seconds']:.1f} s through the hybrid network, unattended; planted feet slid "
        f"{f['tour_slip_mm_max']:.2f} mm at most:",
        "",
        "| from | state | arc | block | mode |",
        "|---|---|---|---|---|",
        *told,
        "",
    ]
