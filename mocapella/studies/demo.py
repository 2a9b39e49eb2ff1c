"""The main job and the tour, from captures to a report."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.actor import CAPTURED, CLEAN, Truth, capture
from mocapella.blending.network import Network
from mocapella.building.build import Built, build, build_network
from mocapella.errors import MotionError
from mocapella.files.disk import replacing
from mocapella.files.formats import load, save
from mocapella.geometry.angles import TURN
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.find import find_transition
from mocapella.hybrid.network import HybridNetwork
from mocapella.measure.description import describe
from mocapella.measure.feet import footing
from mocapella.measure.paths import distance, lateral_errors
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.playback.as_played import built_as_played
from mocapella.playback.modes import Entry
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.steering.guides import Followed, follow
from mocapella.steering.tour import Tour
from mocapella.storage.networks import load_hybrid, load_network, save_hybrid, save_network

# The tour of the demo: captured changes between walking and running, played one after the other, unattended.

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
    draft = HybridBuilder({"walking": walking, "running": build([files[name] for name in RUNS]).network})
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
    from mocapella.pictures.bodies import draw_contact_sheet
    from mocapella.pictures.networks import draw_hybrid, draw_states

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
    """Let the actor perform, write what was captured, and say what there is: ``path``, ``frames``, ``seconds``."""
    make_folder(folder)
    files = []
    for name in names:
        progress(name)
        flaws = CLEAN if clean else CAPTURED
        clip, truth = capture(name, seed=seed, frame_rate=rate, imperfections=flaws)
        path = folder / f"{name.replace(' ', '-')}.{suffix}"
        save(clip, path)
        path.with_suffix(".truth.json").write_text(json.dumps(describe_truth(truth), indent=1) + "\n")
        files.append({"path": str(path), "frames": clip.n_frames, "seconds": clip.seconds})
    return files


def describe_truth(truth: Truth) -> dict[str, Any]:
    """The right answers as JSON: seconds, metres and degrees, frames counted from 0, intervals with both ends."""
    return {
        "action": truth.action,
        "style": truth.style,
        "period": truth.period,
        "period_after": truth.period_after,
        "speed": truth.speed,
        "turn_per_second": math.degrees(truth.turn),
        "contacts": {point: rows.tolist() for point, rows in truth.contacts.items()},
        "boundaries": truth.boundaries.tolist(),
        "dropouts": list(truth.dropouts),
        "jumps": list(truth.jumps),
    }


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; ``MotionError`` where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MotionError(f"cannot make the folder {folder}: {error.strerror or error}") from None


# The main job: raw captures in, a character that walks along a path and goes on a tour out, all of it to look at.

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
    places = np.stack([2.2 * np.sin(TURN * along) * np.sin(np.pi * along) ** 0.5, 18.0 * along], axis=1)
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
    from mocapella.pictures.bodies import draw_contact_sheet, draw_moving_picture
    from mocapella.pictures.networks import draw_network, draw_way

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


# What the main job measured, as a page to read and as JSON.


def write_report(job: Job) -> Path:
    """Write ``report.md`` into the job's folder."""
    path = job.folder / "report.md"
    with replacing(path) as file:
        file.write(_page(job).encode())
    return path


def describe_job(job: Job) -> dict[str, Any]:
    """What ``demo --json`` says."""
    return {
        "folder": str(job.folder),
        "captures": job.captures,
        "network": describe(job.built),
        "figures": job.figures,
        "states": describe_states(job.toured.states),
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


# The hybrid network of the demonstrations: the embedded actor walks, runs, changes between them, twirls and stands.

PACES = ("slow", "medium", "fast")
WAYS = ("straight", "left", "right", "sharp left", "sharp right")
BLOCKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {block: tuple(f"{pace} {gait} {way}" for pace in PACES for way in WAYS)
     for block, gait in (("walking", "walk"), ("running", "run"))}
)  # fmt: skip
ARCS: Mapping[str, tuple[str, str | None]] = MappingProxyType(
    {
        "walk-run": ("walking", "running"),
        "run-walk": ("running", "walking"),
        "walk-twirl-walk": ("walking", None),
        "run-twirl-run": ("running", None),
        "walk-stand": ("walking", "standing"),
        "stand-walk": ("standing", "walking"),
    }
)
SHOWN_MODES: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "blend": ("b", ()),
        "change": ("c", ("walk-run", "run-walk", "walk-stand", "stand-walk")),
        "twirl": ("t", ("walk-twirl-walk", "run-twirl-run")),
    }
)


def demo_hybrid(
    *,
    standing: bool = False,
    mirrored: bool = True,
    seed: int = 0,
    clips: Mapping[str, Clip] = MappingProxyType({}),
    progress: Callable[[str], None] = lambda name: None,
) -> HybridNetwork:
    """A block of walks and a block of runs, two ways between them and a twirl in each, in three operating modes.

    In the mode ``"blend"`` both blocks are whole and no arc is open; ``"change"`` opens the ways from one block to the
    other, ``"twirl"`` the twirls. Keys b, c and t switch between them.

    Parameters
    ----------
    standing
        Add standing, as a block of its own, with the ways there and back.
    mirrored
        Let every change be played mirrored where that comes round sooner.
    seed
        Of the actor's habits.
    clips
        Captures by name that are to be taken instead of new ones.
    progress
        Told each capture's name as its turn comes.
    """

    def captured(name: str) -> Clip:
        progress(name)
        return clips[name] if name in clips else capture(name, seed=seed)[0]

    arcs = [name for name, ends in ARCS.items() if standing or "standing" not in ends]
    draft = HybridBuilder({block: build_network([captured(name) for name in names]) for block, names in BLOCKS.items()})
    for name in arcs:
        source, target = ARCS[name]
        stood = source == "standing"
        change = find_transition(captured(name), name=name)
        draft = draft.with_transition(change, source, target, mirrored=mirrored and not stood, at_once=stood)
    opened = {mode: (key, [name for name in names if name in arcs]) for mode, (key, names) in SHOWN_MODES.items()}
    return draft.finished([draft.mode(mode, names, key=key) for mode, (key, names) in opened.items()])
