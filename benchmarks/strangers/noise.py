"""Noisy doubles of walks and runs: cycles cut out of them, and those that are prepared, beside the clean truth.

Noise is correlated (0.5 at 1/30 s) and the same in all joints. The truth knows nothing of cycles that are found: the
clean capture at its own rate, cut where one ankle is furthest ahead of the other, the mean of these rounds.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

import mocapella as mo
from benchmarks.strangers.folders import SETS, actors_walks, between, predicted
from mocapella.actor import CAPTURED, perform
from mocapella.analysis.examined import examine
from mocapella.building.takes import cycles_in, motion_of
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import FEET, FOOT_POINTS, intervals_of
from mocapella.motion.travel import straight

WALKS = ("35_02", "35_07", "35_12", "35_29", "35_33", "16_11", "16_15", "16_31", "16_47", "82_10", "82_12", "137_42")
ACTED = (("walk", 1.0, 3), ("run", 3.5, 2))  # action, speed, seed: plants are known
LEVELS = ((0.0, 0.0), (1.0, 0.5), (3.0, 2.0), (6.0, 4.0))  # degrees of all joints, centimetres of the root
PHASES = 120  # at which rounds are compared
RATE = 30.0  # Hz of the doubles

Rounds = Float[np.ndarray, "phases joints 3"]


@dataclass(frozen=True, eq=False)
class Truth:
    """What is known of a take without noise."""

    clip: mo.Clip  # as captured
    events: list[int]  # frames at which rounds begin
    rounds: list[Rounds]
    plants: mo.Contacts  # at ``RATE``

    @property
    def seconds(self) -> float:
        """Per round."""
        return (self.events[-1] - self.events[0]) / len(self.rounds) / self.clip.frame_rate


@dataclass(frozen=True)
class Figures:
    """How good a cycle is; played figures are NaN where it was not played."""

    error: float  # cm, mean distance of all joints
    period: float  # % off
    speed: float  # % off
    steps: int
    plants: float  # overlap
    root: float = np.nan  # m/s², 99th percentile
    knee: float = np.nan  # °/s², likewise
    slip: float = np.nan  # mm, of toes that are low and slow, by a rule that knows nothing of our plants
    held: float = np.nan  # mm, of the plants that we find in what is played


def noisy(clip: mo.Clip, degrees: float, centimetres: float, seed: int) -> mo.Clip:
    """A clip with correlated noise on all joints and on the root's place."""
    if not degrees and not centimetres:
        return clip
    keep, rng = 0.5 ** (30.0 / clip.frame_rate), np.random.default_rng(seed)
    noise = rng.normal(size=(clip.n_frames, clip.skeleton.n_joints + 1, 3))
    for row in range(1, len(noise)):
        noise[row] = keep * noise[row - 1] + np.sqrt(1.0 - keep**2) * noise[row]
    turns = quaternions.from_rotvec(np.radians(degrees) * noise[:, 1:])
    roots = clip.root_positions + 0.01 * centimetres * noise[:, 0]
    return replace(clip, root_positions=roots, rotations_wxyz=quaternions.multiply(turns, clip.rotations_wxyz))


def truths(data: Path, *, quick: bool) -> dict[str, Truth]:
    out = {}
    for name in WALKS[::4] if quick else WALKS:
        clip = mo.load(data / f"cmu-bvh/{name.split('_')[0]}/{name}.bvh", clean=True).captured
        out[name] = _truth(clip, mo.find_plants(clip.resampled(RATE)))
    for action, speed, seed in ACTED:
        strength = replace(CAPTURED, noise=0.0)
        clip, known = perform(action, speed=speed, seed=seed, cycles=5.0, frame_rate=120.0, imperfections=strength)
        every = np.round(np.arange(clip.resampled(RATE).n_frames) * 120.0 / RATE).astype(int)
        plants = mo.Contacts.from_masks({point: known.planted(point)[every] for point in FOOT_POINTS})
        out[f"actor's {action}"] = _truth(clip, plants)
    return out


def _truth(clip: mo.Clip, plants: mo.Contacts) -> Truth:
    events = max((_events(clip, sign) for sign in (1.0, -1.0)), key=len)
    yaws = clip.headings
    rounds = [_round(clip.positions[a : b + 1], yaws[a : b + 1]) for a, b in itertools.pairwise(events)]
    return Truth(clip, events, rounds, plants)


def _events(clip: mo.Clip, sign: float) -> list[int]:
    """Frames at which one ankle is furthest ahead of the other, of a run of rounds alike in length."""
    roles, rate = mo.find_roles(clip.skeleton), clip.frame_rate
    yaws = gaussian_filter1d(clip.headings, 0.3 * rate, mode="nearest")
    apart = clip.positions[:, roles["left_ankle"]] - clip.positions[:, roles["right_ankle"]]
    ahead = sign * gaussian_filter1d(apart[:, 2] * np.cos(yaws) + apart[:, 0] * np.sin(yaws), 0.02 * rate)
    peaks = find_peaks(ahead, height=np.quantile(ahead, 0.6), distance=0.4 * rate)[0]
    lengths = np.diff(peaks)
    runs = intervals_of(np.abs(lengths / np.median(lengths) - 1.0) < 0.12) if len(lengths) else ()
    if not runs:
        return []
    first, last = max(runs, key=lambda run: run[1] - run[0])
    return [int(peak) for peak in peaks[first : last + 2]]


def _round(positions: Float[np.ndarray, "closed joints 3"], yaws: Float[np.ndarray, " closed"]) -> Rounds:
    """Places of joints over a round with its closing frame, in a frame that moves and turns evenly with the body."""
    n = len(positions) - 1
    along = np.arange(n + 1) / n
    course = yaws[0] + (yaws[-1] - yaws[0]) * along
    course = course + (yaws - course)[:-1].mean()
    ground = positions[..., 2] + 1j * positions[..., 0]
    steps = np.diff(ground[:, 0]) * np.exp(-0.5j * (course[1:] + course[:-1]))
    way = np.concatenate([[0.0], np.cumsum(steps)])
    sway = way - way[-1] * along
    seen = (ground - ground[:, :1]) * np.exp(-1j * course[:, None]) + (sway - sway[:-1].mean())[:, None]
    places = np.stack([seen.imag, positions[..., 1], seen.real], axis=-1)
    at = np.arange(PHASES) / PHASES * n
    low = at.astype(int)
    return np.asarray(places[low] + (at - low)[:, None, None] * (places[low + 1] - places[low]))


def distance(cycle: mo.Cycle, true: Rounds) -> float:
    """Mean distance of joints in centimetres, at the phase at which it is least."""
    clip, n = cycle.to_clip(2), cycle.n_frames
    harmonics = np.fft.rfft(_round(clip.positions[: n + 1], clip.headings[: n + 1]), axis=0)

    def apart(shift: float) -> float:
        turned = harmonics * np.exp(2j * np.pi * shift / PHASES * np.arange(len(harmonics)))[:, None, None]
        return float(np.linalg.norm(np.fft.irfft(turned, PHASES, axis=0) - true, axis=-1).mean())

    near = min(range(0, PHASES, 4), key=apart)
    return 100.0 * min(apart(near + shift) for shift in np.arange(-4.0, 4.1, 0.5))


def played(cycle: mo.Cycle) -> dict[str, float]:
    """Accelerations and slip of a network of one node, played for five seconds."""
    network = mo.build_network([cycle])
    clip = mo.record(mo.Player(network, point=network.nodes[0].at), seconds=5.5, frame_rate=60)[30:]
    roles, places = mo.find_roles(clip.skeleton), clip.positions
    knees = []
    for side in FEET:
        hip, knee, ankle = (places[:, roles[f"{side}_{part}"]] for part in ("hip", "knee", "ankle"))
        thigh, shank = hip - knee, ankle - knee
        cosines = (thigh * shank).sum(-1) / (np.linalg.norm(thigh, axis=-1) * np.linalg.norm(shank, axis=-1))
        knees.append(np.abs(np.diff(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))), 2)) * 3600.0)
    roots = np.linalg.norm(np.diff(places[:, 0], 2, axis=0), axis=-1) * 3600.0
    toes = [slip for side in FEET for slip in _slips(places[:, roles[f"{side}_toe"]])]
    held = footing(clip, mo.find_plants(clip)).slips
    return {
        "root": float(np.quantile(roots, 0.99)),
        "knee": float(np.quantile(knees, 0.99)),
        "slip": float(np.quantile(toes, 0.95)) if toes else np.nan,
        "held": 1000.0 * float(np.quantile([slip.slid for slip in held], 0.99)) if held else np.nan,
    }


def _slips(toe: Float[np.ndarray, "frames 3"]) -> list[float]:
    """Millimetres that a toe moves while it is within 4 cm of its lowest and slower than 0.3 m/s for 0.13 s."""
    slow = np.linalg.norm(np.gradient(toe, axis=0), axis=1) * 60.0 < 0.3
    low = toe[:, 1] < np.quantile(toe[:, 1], 0.02) + 0.04
    stands = [toe[first + 1 : last][:, [0, 2]] for first, last in intervals_of(slow & low) if last - first >= 7]
    return [1000.0 * float(np.linalg.norm(stand - np.median(stand, axis=0), axis=1).max()) for stand in stands]


def cut_out(clip: mo.Clip) -> mo.Cycle:
    """The best single cycle, with plants by the test of single frames."""
    return mo.prepare(clip, repetitions="best", contacts=mo.find_plants(clip, method="resting"))


def figures(
    make: Callable[[mo.Clip], mo.Cycle], clip: mo.Clip, plants: mo.Contacts, true: Truth, *, play: bool
) -> Figures:
    """The figures of the cycle that a way makes of a clip, whose plants it finds so."""
    cycle = make(clip)
    ends = itertools.pairwise(true.events)
    path, rate = true.clip.ground_path, true.clip.frame_rate
    speed = np.mean([abs(path[b] - path[a]) * rate / (b - a) for a, b in ends])
    return Figures(
        error=distance(cycle, np.mean(true.rounds, axis=0)),
        period=100.0 * abs(cycle.duration / true.seconds - 1.0),
        speed=100.0 * abs(cycle.speed / float(speed) - 1.0),
        steps=0 if cycle.contacts is None else sum(len(cycle.contacts.foot(side)) for side in FEET),
        plants=_overlap(plants, true.plants),
        **(played(cycle) if play else {}),
    )


def _overlap(plants: mo.Contacts, true: mo.Contacts) -> float:
    """Frames in both over frames in either, of all four points together."""
    masks = [np.stack([which.planted(point) for point in FOOT_POINTS]) for which in (plants, true)]
    return float((masks[0] & masks[1]).sum() / max((masks[0] | masks[1]).sum(), 1))


def print_noise(data: Path, *, quick: bool) -> None:
    """Cycles cut out of noisy doubles beside those that ``prepare`` makes, and what it says of their noise."""
    known, seeds = truths(data, quick=quick), range(2 if quick else 5)
    clean = {name: played(mo.prepare(true.clip.resampled(60.0))) for name, true in known.items()}
    print(f"{len(known)} takes at {RATE:.0f} Hz; before: cut out; after: as prepared; worst in brackets")
    titles = ("noise", "", "made", "error cm", "period %", "speed %", "2 steps", "plants", "root ×", "knee ×",
              "slip mm", "held mm")  # fmt: skip
    print("".join(f"{title:>16}" for title in titles))
    for degrees, centimetres in LEVELS:
        rows: dict[str, list[tuple[str, Figures | None]]] = {"before": [], "after": []}
        noise, errors = [], []
        for name, true in known.items():
            plain = true.clip.resampled(RATE)
            for seed in seeds if degrees else (0,):
                clip = noisy(plain, degrees, centimetres, 100 * seed + 30)
                examined = examine(clip)
                ways = {
                    "before": (cut_out, mo.find_plants(clip, method="resting")),
                    "after": (mo.prepare, examined.plants),
                }
                for way, (make, plants) in ways.items():
                    try:
                        rows[way].append((name, figures(make, clip, plants, true, play=seed == 0)))
                    except mo.MotionError:
                        rows[way].append((name, None))
                noise.append((examined.noise.degrees, examined.noise.millimetres))
                if "left_cm" in (told := examined.noise_figures):
                    errors.append(told["left_cm"])
        for way, results in rows.items():
            print(_row(f"{degrees:g}°, {centimetres:g} cm", way, results, clean))
        left = f"; averaging leaves {np.mean(errors):.2f} cm" if errors else ""
        print(f"  told: {np.mean(noise, axis=0)[0]:.1f}°, {np.mean(noise, axis=0)[1]:.1f} mm from frame to frame{left}")
    print("marks at 3°, 2 cm: root ≤ 1.5, held ≤ 1 mm, two steps in all; plants ≥ 0.85; without noise ≥ 0.95\n")


def _row(
    level: str, way: str, results: Sequence[tuple[str, Figures | None]], clean: dict[str, dict[str, float]]
) -> str:
    made = [(name, row) for name, row in results if row is not None]

    def told(values: Sequence[float], *, least: bool = False) -> str:
        sound = [value for value in values if np.isfinite(value)]
        return f"{np.mean(sound):.2f} ({min(sound) if least else max(sound):.2f})" if sound else "-"

    def times(what: str) -> str:
        return told([getattr(row, what) / clean[name][what] for name, row in made])

    cells = [level, way, f"{len(made)}/{len(results)}", told([row.error for _, row in made]),
             told([row.period for _, row in made]), told([row.speed for _, row in made]),
             f"{sum(row.steps == 2 for _, row in made)}/{len(results)}",
             told([row.plants for _, row in made], least=True), times("root"), times("knee"),
             told([row.slip for _, row in made]), told([row.held for _, row in made])]  # fmt: skip
    return "".join(f"{cell:>16}" for cell in cells)


def print_toe_noise(data: Path, *, quick: bool) -> None:
    """Plants at 30 Hz of takes whose toes move by 5 cm along each axis through jitter and slow drift."""
    rows = []
    for true in truths(data, quick=quick).values():
        plain = true.clip.resampled(RATE)
        for seed in range(2 if quick else 5):
            jittery = noisy(plain, 2.0, 0.3, seed)
            drift = np.random.default_rng(1000 + seed).normal(size=(plain.n_frames, 3))
            slow = gaussian_filter1d(drift, 0.5 * RATE, axis=0, mode="nearest")
            roots = jittery.root_positions + 0.01 * slow / slow.std()
            clip = replace(jittery, root_positions=roots)
            moved = [places_of_toes(which) for which in (clip, plain)]
            off = 100.0 * float(np.sqrt(((moved[0] - moved[1]) ** 2).mean()))
            pair = mo.find_plants(clip, method="resting"), mo.find_plants(clip)
            rows.append((off, *(_overlap(plants, true.plants) for plants in pair)))
    toes, before, after = np.mean(rows, axis=0)
    least = np.min(rows, axis=0)
    print(
        f"toes off by {toes:.1f} cm: plants before {before:.3f} ({least[1]:.2f}), after {after:.3f} ({least[2]:.2f})\n"
    )


def places_of_toes(clip: mo.Clip) -> Float[np.ndarray, "frames 2 3"]:
    roles = mo.find_roles(clip.skeleton)
    return np.asarray(clip.positions[:, [roles[f"{side}_toe"] for side in FEET]])


def print_noisy_cycles(data: Path) -> None:
    """All gaits among the captures of the data folder, with 3° and 2 cm at 30 Hz: cycles as long as the clean ones."""
    right = {"before": 0, "after": 0}
    total = 0
    for path in sorted((data / "cmu-bvh").rglob("*.bvh")):
        clip = mo.load(path, clean=True).captured
        if _is_gait(clip):
            total += 1
            double = noisy(clip.resampled(RATE), 3.0, 2.0, 1)
            for way, make in (("before", cut_out), ("after", mo.prepare)):
                with contextlib.suppress(mo.MotionError):
                    right[way] += abs(make(double).duration / mo.prepare(clip).duration - 1.0) < 0.1
    print(
        f"of {total} captured gaits with 3° and 2 cm, right cycles before {right['before']}, after {right['after']}\n"
    )


def _is_gait(clip: mo.Clip) -> bool:
    try:
        cycles = cycles_in(clip, turning=None, method="symmetric", layout="quaternion")
    except mo.MotionError:
        return False
    return all(motion_of(cycle)[0] == "gait" for cycle in cycles)


def _counts(fit: mo.Cycle, cut: mo.Cycle) -> bool:
    """Whether a fit has two repetitions or more, an even pace, and the period of the cut."""
    numbers = next(decision.numbers for decision in fit.decisions if decision.step == "regress")
    even = numbers["repetitions"] >= 2.0 and numbers["pace"] < 0.06
    return even and abs(fit.duration / cut.duration - 1.0) < 0.06


def print_left_out_takes(data: Path) -> None:
    """Clean takes, as they are cut, left out and predicted by networks of the others: of cuts, and of fits."""
    rows = []
    for files in SETS.values():
        takes = actors_walks() if files is None else [mo.load(data / name) for name in files]
        cuts, fits = [], []
        for take in takes:
            with contextlib.suppress(mo.MotionError):
                cuts.append(replace(mo.prepare(take, repetitions="best"), source=""))
                fits.append(cuts[-1])
                fit = mo.prepare(take, repetitions="all")
                fits[-1] = replace(fit, source="") if _counts(fit, cuts[-1]) else cuts[-1]
        ahead = [i for i, cut in enumerate(cuts) if straight(cut)]
        cuts, fits = ([cycles[i] for i in ahead] for cycles in (cuts, fits))
        for i, cut in enumerate(cuts):
            if between(cuts, i):
                rows.append((predicted(cuts, i)[0], predicted([*fits[:i], cut, *fits[i + 1 :]], i)[0]))
    by_cuts, by_fits = np.array(rows).T
    nearer, further = int((by_fits < by_cuts - 1e-9).sum()), int((by_fits > by_cuts + 1e-9).sum())
    print(f"takes left out: {len(rows)}, by networks of cuts {by_cuts.mean():.2f} cm, of fits {by_fits.mean():.2f}, "
          f"nearer in {nearer}, further in {further}\n")  # fmt: skip


def print_left_out_rounds(data: Path) -> None:
    """Clean takes without their first or their last round, which the rest has to predict: cut out, and fitted to all.

    A fit counts where the rest has two rounds or more at an even pace, and its period is that of the cut.
    """
    rows = []
    takes = [mo.load(path, clean=True).captured for path in sorted((data / "cmu-bvh").rglob("*.bvh"))]
    strength = replace(CAPTURED, noise=0.0)
    for action, speed in (("walk", 0.8), ("walk", 1.2), ("walk", 1.6), ("run", 2.5), ("run", 3.5)):
        takes += [perform(action, speed=speed, seed=seed, cycles=5.0, imperfections=strength)[0] for seed in (1, 2)]
    for take in takes:
        true = _truth(take, mo.Contacts(1))
        if len(true.rounds) < 2:
            continue
        ends = ((true.events[1], None, true.rounds[0]), (None, true.events[-2] + 1, true.rounds[-1]))
        for first, after, left_out in ends:
            part = take[first:after].resampled(60.0)
            try:
                cut, fit = (mo.prepare(part, repetitions=which) for which in ("best", "all"))
            except mo.MotionError:
                continue
            rows.append((distance(cut, left_out), distance(fit, left_out), _counts(fit, cut)))
    for title, which in (("all", rows), ("where a fit counts", [row for row in rows if row[2]])):
        cuts, fits, _ = np.array(which).T
        nearer = int((fits < cuts).sum())
        print(f"left out, {title}: {len(which)} cases, cut {cuts.mean():.2f} cm, fitted {fits.mean():.2f}, "
              f"nearer in {nearer}")  # fmt: skip
    print()
