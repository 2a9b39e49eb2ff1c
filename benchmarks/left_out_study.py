"""What a blend is worth: every take is left out and predicted by the others, in four ways.

    python -m benchmarks.left_out_study [16 35 actor …] [--clips] [--even] [--cache FOLDER]

*Ours* is the network that ``build`` makes of the other takes. *Plain* is a time-domain blend of the same takes, all in
step, by Delaunay's triangles of captured turn and speed (neighbours by speed where all go straight), with the mean
cadence. *Nearest* plays the nearest take. *Naive* is ours with the naive rule. Only takes inside the range of the
others are predicted. All are asked for the take's own turn and speed, measured as their own nodes are: ours by played
rates, the others by captured ones. Errors are mean distances of joints, seen from the hips and the line through them;
takes and measures stand in ``left_out_study.toml``.
"""

from __future__ import annotations

import argparse
import tomllib
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.spatial import Delaunay
from scipy.stats import binomtest

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.actor import capture, repertoire
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.blending.bank import blend
from mocapella.blending.network import Network
from mocapella.blending.rules import naive_blend, phasor_blend
from mocapella.building.build import HARMONICS, build
from mocapella.building.layout.steps import in_step
from mocapella.building.sources import gather
from mocapella.gait.root_motion import played_rates
from mocapella.motion import kinematics
from mocapella.motion.layout import HEIGHT
from mocapella.motion.travel import stands, straight, turn_and_speed
from mocapella.rig.legs import leg_roles
from mocapella.storage.stored_cycles import CycleCache

METHODS = ("ours", "plain", "nearest", "naive")
FIXED: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())

Shape = Float[np.ndarray, "frames joints 3"]


@dataclass(frozen=True)
class Prediction:
    """A take that was left out: errors of its predictions in cm, and how much too long two periods are."""

    source: str
    take: str
    gait: str
    errors: tuple[float, ...]  # in the order of METHODS
    periods: tuple[float, ...]  # of ours and plain, as shares of the take's own


def shape(spectrum: mo.Spectrum) -> Shape:
    """Where joints are round the cycle, seen from the hips and the line through them."""
    n_frames = FIXED["frames"]
    played = synthesise(spectrum, n_frames)
    root = np.zeros((n_frames, 3))
    root[:, 1] = played.dofs[:, HEIGHT]
    places = kinematics.forward(played.skeleton, root, played.rotations_wxyz)[0]
    roles = leg_roles(played.skeleton)
    across = places[:, roles["left_hip"]] - places[:, roles["right_hip"]]
    heading = np.exp(1j * (np.pi / 2 - np.arctan2(across[:, 0], across[:, 2])))[:, None]
    from_root = places - places[:, :1] * [1.0, 0.0, 1.0]
    flat = (from_root[..., 0] - 1j * from_root[..., 2]) / heading
    seen = np.stack([flat.real, from_root[..., 1], -flat.imag], axis=-1)
    names = played.skeleton.names
    return seen[:, [i for i, name in enumerate(names) if not any(word in name.lower() for word in FIXED["without"])]]


def apart(predicted: Shape, captured: Shape) -> float:
    """Mean distance of joints at the best common phase, cm."""
    shifts = range(FIXED["frames"])
    return 100.0 * min(
        float(np.linalg.norm(np.roll(predicted, shift, 0) - captured, axis=-1).mean()) for shift in shifts
    )


def takes_of(source: str, data: Path, cache: Path | None) -> list[mo.Cycle]:
    """The cycles of a person that travel, on one skeleton."""
    words = FIXED["actor"].get(source)
    if words is not None:
        names = [
            name for name in repertoire() if name.split()[0] in ("slow", "medium", "fast") and name.split()[1] in words
        ]
        clips = [capture(name)[0].renamed(name) for name in names]
        return list(gather(clips).cycles)
    files = [data / name for name in FIXED["files"][source]]
    cycles = gather(files, cache=None if cache is None else CycleCache(cache)).cycles
    return [cycle for cycle in cycles if not stands(cycle)]


def plain_weights(places: Float[np.ndarray, "takes 2"], point: Float[np.ndarray, "2"], chain: bool) -> dict[int, float]:
    """Weights of the triangle, or of the two neighbours by speed, around a point; none outside."""
    if chain:
        order = np.argsort(places[:, 1])
        for below, above in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
            low, high = places[below, 1], places[above, 1]
            if low <= point[1] <= high and low < high:
                share = float((point[1] - low) / (high - low))
                return {below: 1.0 - share, above: share}
        return {}
    mesh = Delaunay(places / FIXED["scale"])
    triangle = int(mesh.find_simplex(point / FIXED["scale"]))
    if triangle < 0:
        return {}
    shares = mesh.transform[triangle, :2] @ (point / FIXED["scale"] - mesh.transform[triangle, 2])
    return dict(zip(mesh.simplices[triangle].tolist(), [*shares.tolist(), 1.0 - float(shares.sum())], strict=True))


def predictions(source: str, cycles: Sequence[mo.Cycle], **options: Any) -> Iterator[Prediction]:
    """Every take inside the range of the others, predicted by them; ``options`` are those of ``build``."""
    chain = all(straight(cycle) for cycle in cycles)
    places = np.array([turn_and_speed(cycle) for cycle in cycles])
    together = [analyse(cycle, FIXED["plain_harmonics"]) for cycle in in_step(cycles)]
    shapes = [shape(spectrum) for spectrum in together]
    for target, cycle in enumerate(cycles):
        others = [i for i in range(len(cycles)) if i != target]
        weights = plain_weights(places[others], places[target], chain)
        if not weights:
            continue
        parts = [others[i] for i in weights]
        shares = np.array(list(weights.values()))
        plain = blend([together[i] for i in parts], shares, rule=phasor_blend)
        cadence = float(shares @ [1.0 / cycles[i].duration for i in parts])
        nearest = min(others, key=lambda i: float(np.linalg.norm((places[i] - places[target]) / FIXED["scale"])))
        network = build([cycles[i] for i in others], measure=played_rates, **options).network
        turn, speed = played_rates(analyse(cycle, HARMONICS))
        point = (0.0 if chain else float(np.degrees(turn)), speed)
        ours = network.blend(point)
        errors = [apart(seen, shapes[target]) for seen in (shape(ours), shape(plain), shapes[nearest])]
        gait = "runs" if cycle.speed >= FIXED["running"] else "walks"
        yield Prediction(
            source,
            cycle.name,
            gait,
            (*errors, _naive_error(network, point, shapes[target])),
            (ours.duration / cycle.duration - 1.0, 1.0 / cadence / cycle.duration - 1.0),
        )


def _naive_error(network: Network, point: tuple[float, float], captured: Shape) -> float:
    """The error of the network with the naive rule, averaged over where the cycles begin."""
    errors = []
    for start in np.linspace(0.0, 2.0 * np.pi, FIXED["beginnings"], endpoint=False):
        nodes = [replace(node, spectrum=node.spectrum.starting_at(start)) for node in network.nodes]
        naive = Network(nodes, network.triangles if network.corners.shape[1] == 3 else None, rule=naive_blend)
        errors.append(apart(shape(naive.blend(point)), captured))
    return float(np.mean(errors))


def print_rows(rows: Sequence[Prediction]) -> None:
    """A line for each source and gait, then gaits and all together."""
    print(
        f"{'':16}{'takes':>6}"
        + "".join(f"{name:>9}" for name in METHODS)
        + "".join(f"{f'to {name}':>22}" for name in METHODS[1:])
        + "   period: ours, plain"
    )
    for source in dict.fromkeys(row.source for row in rows):
        for gait in ("walks", "runs"):
            print_line(f"{source}, {gait}", [row for row in rows if (row.source, row.gait) == (source, gait)])
    for gait in ("walks", "runs"):
        print_line(f"all {gait}", [row for row in rows if row.gait == gait])
    print_line("all", rows)


def print_line(title: str, rows: Sequence[Prediction]) -> None:
    """Mean errors, and against each other way how many are better and worse, with the sign test's p."""
    if not rows:
        return
    errors, periods = (np.array([getattr(row, name) for row in rows]) for name in ("errors", "periods"))
    tests = []
    for other in errors.T[1:]:
        gain = other - errors[:, 0]
        better, worse = int((gain > FIXED["equal"]).sum()), int((gain < -FIXED["equal"]).sum())
        chance = binomtest(better, better + worse).pvalue if better + worse else 1.0
        tests.append(f"{f'{better}, {worse}':>9} (p {chance:5.3f})")
    means = "".join(f"{mean:9.2f}" for mean in errors.mean(axis=0))
    bias = ", ".join(f"{100 * mean:+.1f} %" for mean in periods.mean(axis=0))
    print(f"{title:16}{len(rows):6}{means}" + "".join(f"{test:>22}" for test in tests) + f"   {bias}")


def print_study(
    data: Path, sources: Sequence[str] = (), *, clips: bool = False, cache: Path | None = None, **options: Any
) -> None:
    """The study of some sources, or of all; ``clips`` prints a line for each take, ``options`` are of ``build``."""
    print("takes left out: mean error of joints, cm; better, worse and sign test of ours against the others")
    rows: list[Prediction] = []
    for source in sources or (*FIXED["files"], *FIXED["actor"]):
        for row in predictions(source, takes_of(source, data, cache), **options):
            rows.append(row)
            if clips:
                errors = "".join(f"  {name} {error:.2f}" for name, error in zip(METHODS, row.errors, strict=True))
                print(f"  {row.take:26}{errors}  period {row.periods[0]:+.1%}, plain {row.periods[1]:+.1%}", flush=True)
    print_rows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="*", help="sources of left_out_study.toml, all of them by default")
    parser.add_argument("--clips", action="store_true", help="a line for each take")
    parser.add_argument("--even", action="store_true", help="with the nodes of ours smoothed, as `build --even` does")
    parser.add_argument("--cache", type=Path, help="folder in which prepared cycles are kept")
    words = parser.parse_args()
    data = data_folder()
    if data is None:
        raise SystemExit("no real captures: neither $MOCAPELLA_DATA nor ../shared/data is a folder")
    warnings.simplefilter("ignore")
    print_study(data, words.sources, clips=words.clips, cache=words.cache, even=words.even)


if __name__ == "__main__":
    main()
