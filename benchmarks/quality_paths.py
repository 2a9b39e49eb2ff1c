"""How well characters keep to paths: shapes that cross themselves, turn sharply and lead back, on several networks.

``python benchmarks/quality_paths.py [FOLDER]`` prints one row per network and path; ``--pictures FOLDER`` draws them.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.captures import data_folder
from mocapella.actor import capture
from mocapella.blending.network import Network
from mocapella.building.build import build
from mocapella.measure.footskate import footing
from mocapella.measure.ground_path import lateral_errors
from mocapella.pictures.ground import draw_way
from mocapella.steering.follow import follow
from mocapella.storage.values import load
from mocapella.studies.demo import WALKS

TAKES = (11, 13, 15, 17, 19, 21, 23, 24, 25, 26, 27, 29, 31, 47, 58)
STRAIGHT = (15, 21, 47, 58)
RANDOM = 10  # polylines
SPEED = 1.1  # m/s
RATE = 30.0  # frames per second


def paths() -> dict[str, tuple[np.ndarray, bool]]:
    """Rows of places, and whether a smooth curve goes through them."""
    angles = np.linspace(0.0, np.pi, 9)
    first = [(3.0 - 3.0 * np.cos(a), 3.0 * np.sin(a)) for a in angles]
    second = [(9.0 - 3.0 * np.cos(a), -3.0 * np.sin(a)) for a in angles[1:]]
    round_ = np.linspace(0.0, 2.0 * np.pi, 41)
    spiral = np.linspace(0.0, 4.0 * np.pi, 81)
    found = {
        "S of half circles, 3 m": (np.array(first + second), True),
        "square, 5 m": (np.array([(0, 0), (0, 5), (5, 5), (5, 0), (0, 0)]), False),
        "square, 5 m, smooth": (np.array([(0, 0), (0, 5), (5, 5), (5, 0), (0, 0)]), True),
        "circle, 2 m": (np.stack([2.0 - 2.0 * np.cos(round_), 2.0 * np.sin(round_)], axis=1), False),
        "figure eight": (np.stack([3.0 * np.sin(2.0 * round_), 6.0 * np.sin(round_)], axis=1), False),
        "hairpin": (np.array([(0, 0), (0, 5), (0, 0)]), False),
        "two corners 1 m apart": (np.array([(0, 0), (0, 5), (1, 5), (1, 0)]), False),
        "zigzag": (np.array([(0, 0), (1, 2), (-1, 4), (1, 6), (-1, 8)]), False),
        "spiral, 0.5 to 4 m": (
            ((4.0 - 3.5 * spiral / spiral[-1]) * np.stack([-np.cos(spiral), np.sin(spiral)])).T,
            False,
        ),
    }
    for seed in range(RANDOM):
        rng = np.random.default_rng(seed)
        turns = np.cumsum(rng.uniform(-np.pi, np.pi, 6))
        hops = rng.uniform(1.5, 5.0, 6)[:, None] * np.stack([np.sin(turns), np.cos(turns)], axis=1)
        found[f"random polyline {seed}"] = (np.concatenate([np.zeros((1, 2)), np.cumsum(hops, axis=0)]), False)
    return found


def networks(folder: Path | None) -> dict[str, Network]:
    """The demo's network, alone and with a turn on the spot; with captures subject 16's, and one of straight walks."""
    found = {
        "demo": build([capture(name)[0] for name in WALKS]).network,
        "demo, turn on the spot": build([capture(name)[0] for name in (*WALKS, "turn left")]).network,
    }
    if folder is not None:
        own = {take: load(folder / "cmu-bvh" / "16" / f"16_{take:02d}.bvh") for take in {*TAKES, *STRAIGHT}}
        found["16"] = build([own[take] for take in TAKES]).network
        found["16, straight walks"] = build([own[take] for take in STRAIGHT]).network
    return found


def walk(network: Network, rows: np.ndarray, smooth: bool, picture: Path | None) -> dict[str, float]:
    """Follow one path, and measure."""
    table = np.column_stack([rows, np.full(len(rows), SPEED)])
    walked = follow(network, table, smooth=smooth, frame_rate=RATE)
    errors = lateral_errors(walked.clip, walked.path.places)
    off = np.abs(walked.speeds / walked.wanted - 1.0)
    if picture is not None:
        draw_way(walked.clip, picture, wanted=walked.path.places, title=picture.stem)
    return {
        "length": walked.path.length,
        "share": walked.walked / walked.path.length,
        "finished": float(walked.finished),
        "seconds": walked.clip.seconds,
        "mean": float(errors.mean()),
        "most": float(errors.max()),
        "speed": float(off.mean()),
        "slip": footing(walked.clip, walked.contacts).slip_mm_max,
    }


def main() -> None:
    """Print a table for people and for the documentation."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=data_folder())
    parser.add_argument("--only", nargs="+", default=[], help="networks")
    parser.add_argument("--paths", nargs="+", default=[], help="paths, by how their names begin")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| network | path | length, m | walked | seconds | beside it: mean, m | most, m | off the speed | slip, mm |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, network in networks(options.folder).items():
        if options.only and name not in options.only:
            continue
        chance = []
        began = time.perf_counter()
        for path, (rows, smooth) in paths().items():
            if options.paths and not any(path.startswith(word) for word in options.paths):
                continue
            picture = None
            if options.pictures is not None:
                options.pictures.mkdir(parents=True, exist_ok=True)
                picture = options.pictures / f"{name} {path}.png".replace(" ", "_").replace(",", "")
            found = walk(network, rows, smooth, picture)
            if path.startswith("random"):
                chance.append(found)
                if not options.paths:
                    continue
            print_row(name, path, found)
        if chance:
            average = {key: float(np.mean([one[key] for one in chance])) for key in chance[0]}
            average |= {key: max(one[key] for one in chance) for key in ("most", "slip")}
            print_row(name, f"{len(chance)} random polylines", average)
            print(f"{name}: {sum(one['finished'] for one in chance):.0f} of {len(chance)} random polylines finished")
        print(f"{name}: all in {time.perf_counter() - began:.0f} s", flush=True)


def print_row(name: str, path: str, found: dict[str, float]) -> None:
    walked = "all" if found["finished"] == 1.0 else f"{math.floor(100.0 * found['share'])} %"
    print(
        f"| {name} | {path} | {found['length']:.1f} | {walked} | {found['seconds']:.1f} | {found['mean']:.3f} | "
        f"{found['most']:.2f} | {100.0 * found['speed']:.1f} % | {found['slip']:.2f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
