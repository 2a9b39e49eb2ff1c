"""Draw the pictures of the tutorial and of the theory pages, from the embedded actor's captures.

``python docs/draw_theory.py [NAME...]``: all of them, or those whose names are given.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

import mocapella as mo
from mocapella.actor import capture
from mocapella.analysis.fourier import synthesise
from mocapella.blending.rules import phasor_blend, streamlined_blend
from mocapella.measure.distortion_maps import Survey
from mocapella.pictures import canvas
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.pictures.ground import draw_way
from mocapella.pictures.maps import draw_distortion
from mocapella.pictures.networks import draw_network
from mocapella.pictures.signals import draw_closing, draw_foot_traces, draw_plants
from mocapella.rig.legs import legs_of
from mocapella.steering.follow import follow

PICTURES = Path(__file__).parent / "pictures"
TAKES = [f"{pace} walk {way}" for pace in ("slow", "medium", "fast") for way in ("straight", "left", "right")]
WAY = [(0.0, 0.0), (0.0, 4.0), (2.0, 7.0), (6.0, 7.0), (8.0, 4.0), (8.0, 0.0)]  # x, z of the tutorial's way.csv
SPEEDS = [1.0, 1.2, 1.4, 1.2, 1.0, 1.0]
OPPOSED = ("normal walk", "sixth harmonic walk", "opposed sixth harmonic walk")


@cache
def walks() -> mo.Network:
    """The network of the tutorial."""
    return mo.build_network([capture(name)[0].renamed(name.replace(" ", "-")) for name in TAKES])


def tutorial_sheet(path: Path) -> None:
    """One capture, from three sides."""
    draw_contact_sheet(capture("medium walk left")[0].renamed("medium-walk-left"), path)


def tutorial_plants(path: Path) -> None:
    """When its feet rest."""
    draw_plants(capture("medium walk left")[0].renamed("medium-walk-left"), path)


def tutorial_map(path: Path) -> None:
    """The network that is built of nine takes."""
    draw_network(walks(), path, title="walk.moca: nine walks by turn and speed")


def tutorial_way(path: Path) -> None:
    """A character that follows the way of the tutorial."""
    done = follow(walks(), [(x, z, speed) for (x, z), speed in zip(WAY, SPEEDS, strict=True)])
    draw_way(done.clip, path, wanted=np.array(WAY), title="way.glb: the root along way.csv")


def theory_closing(path: Path) -> None:
    """A cycle as captured, and closed."""
    found = mo.find_cycle(capture("medium walk straight")[0].renamed("medium walk"))
    draw_closing(found, mo.cyclify(found), path)


def theory_harmonics(path: Path) -> None:
    """A knee with one, two, four and eight harmonics, their magnitudes, and how far joints are off."""
    cycle = mo.prepare(capture("medium walk straight")[0])
    knee = cycle.layout.skeleton.index(cycle.layout.skeleton.names[mo.find_roles(cycle.skeleton)["left_knee"]])
    whole = mo.analyse(cycle, harmonics=16)
    share = np.arange(cycle.n_frames) / cycle.n_frames
    with canvas.page(path, 11.0, 3.6, "A knee in a walk, as a sum of harmonics") as figure:
        left, middle, right = figure.subplots(1, 3, width_ratios=(2, 1, 1))
        left.plot(share, _bend(cycle, knee), color=canvas.INK, linewidth=2.2, label="captured, closed")
        off = []
        for count in range(1, 13):
            again = synthesise(mo.analyse(cycle, harmonics=count), cycle.n_frames)
            far = np.linalg.norm(_on_the_spot(again) - _on_the_spot(cycle), axis=-1)
            off.append((1000.0 * far.mean(), 1000.0 * far.max()))
            if count in (1, 2, 4, 8):
                left.plot(share, _bend(again, knee), linewidth=1.0, label=f"{count} harmonic{'s' if count > 1 else ''}")
        left.set(xlabel="share of the cycle", ylabel="bend of the left knee, degrees")
        left.legend()
        sizes = 2.0 * np.abs(whole.coefficients[1:13, 4 * knee : 4 * knee + 4])
        middle.bar(np.arange(1, 13), 2.0 * np.degrees(np.linalg.norm(sizes, axis=1)), color=canvas.LEFT)
        middle.set(xlabel="harmonic", title="magnitude, about degrees")
        mean, most = np.array(off).T
        right.semilogy(np.arange(1, 13), mean, "o-", color=canvas.LEFT, markersize=3, label="mean")
        right.semilogy(np.arange(1, 13), most, "o-", color=canvas.RIGHT, markersize=3, label="largest")
        right.set(xlabel="harmonics kept", title="joints off their places, mm")
        right.legend()


def _bend(cycle: mo.Cycle, joint: int) -> np.ndarray:
    """How far a joint is bent, degrees."""
    return np.degrees(2.0 * np.arccos(np.clip(np.abs(cycle.rotations_wxyz[:, joint, 0]), 0.0, 1.0)))


def _on_the_spot(cycle: mo.Cycle) -> np.ndarray:
    """Joints as seen from the root, metres."""
    clip = cycle.to_clip()
    return np.asarray(clip.positions - clip.positions[:, :1])


def theory_blend(path: Path) -> None:
    """One harmonic of two motions: mixed as phasors, and with the mean magnitude."""
    a, b = 1.0 * np.exp(0.3j), 0.7 * np.exp(2.5j)
    weights = np.stack([1.0 - np.linspace(0.0, 1.0, 21), np.linspace(0.0, 1.0, 21)], axis=-1)
    pair = np.array([[[0.0], [a]], [[0.0], [b]]])
    rules = (("phasor", phasor_blend, canvas.LEFT), ("streamlined", streamlined_blend, canvas.RIGHT))
    theta = np.linspace(0.0, 2.0 * np.pi, 200)
    with canvas.page(path, 11.0, 3.6, "One harmonic between two motions, by two rules") as figure:
        plane, *waves = figure.subplots(1, 3)
        for name, rule, colour in rules:
            mixed = rule(pair, weights)[:, 1, 0]
            plane.plot(mixed.real, mixed.imag, "o-", color=colour, markersize=2.5, label=name)
        for value, name in ((a, "first"), (b, "second")):
            plane.annotate("", (value.real, value.imag), (0, 0), arrowprops={"arrowstyle": "->", "color": canvas.INK})
            plane.text(value.real, value.imag, f" {name}", fontsize=8)
        plane.set(aspect="equal", xlim=(-0.8, 1.2), ylim=(-0.5, 1.0), title="length: magnitude, direction: phase angle")
        plane.legend(loc="lower left", ncols=2)
        for axes, (name, rule, colour) in zip(waves, rules, strict=True):
            for value in (a, b):
                axes.plot(theta, (value * np.exp(1j * theta)).real, color=canvas.PALE)
            half = rule(pair, np.array([0.5, 0.5]))[1, 0]
            axes.plot(theta, (half * np.exp(1j * theta)).real, color=colour, linewidth=2.0)
            axes.set(title=f"{name}, half-way", xlabel="cycle phase, rad")


def theory_turns(path: Path) -> None:
    """Turns between a straight walk and a sharp one: two captures, and all that lies between them."""
    takes = ("medium walk straight", "medium walk sharp left")
    cycles = mo.synchronise([mo.prepare(capture(name)[0].renamed(name)) for name in takes])
    network = mo.Network([mo.Node(c.name, (float(i), 0.0), mo.analyse(c, harmonics=8)) for i, c in enumerate(cycles)])
    with canvas.page(
        path, 9.0, 5.0, "Two captures (dark), and blends of them: paths of the root in eight seconds"
    ) as figure:
        axes = figure.add_subplot()
        for share in np.linspace(0.0, 1.0, 9):
            clip = mo.record(mo.Player(network, (float(share), 0.0)), seconds=8, frame_rate=30)
            x, _, z = clip.root_positions.T
            captured = share in (0.0, 1.0)
            axes.plot(z, x, color=canvas.INK if captured else canvas.LEFT, linewidth=1.8 if captured else 1.0)
            axes.annotate(f"{share:.0%}", (z[-1], x[-1]), (4, 0), textcoords="offset points", fontsize=7)
        axes.set(aspect="equal", xlabel="z, metres", ylabel="x, metres (left)")


def theory_path(path: Path) -> None:
    """A winding path, walked at changing speed."""
    angle = np.linspace(0.0, 2.0 * np.pi, 60)
    places = np.stack([4.0 * np.sin(angle), 7.0 * np.sin(0.5 * angle) * np.sin(angle / 2.0 + 0.2)], axis=-1)
    speeds = 1.2 + 0.35 * np.sin(2.0 * angle)
    rows = np.concatenate([places, speeds[:, None]], axis=1)
    done = follow(walks(), rows, smooth=True)
    draw_way(done.clip, path, wanted=places, speeds=speeds, title="A path with wanted speeds: red slow, blue fast")


@cache
def opposed() -> mo.Network:
    """Three walks alike but for a sixth harmonic that moves the feet sideways: none, some, and the same opposed."""
    cycles = mo.synchronise([mo.prepare(capture(name)[0].renamed(name)) for name in OPPOSED])
    places = ((0.0, 1.0), (1.0, 0.0), (-1.0, 0.0))
    nodes = [mo.Node(c.name, at, mo.analyse(c, harmonics=10)) for c, at in zip(cycles, places, strict=True)]
    return mo.Network(nodes, rule=streamlined_blend)


def _single() -> mo.Network:
    return mo.Network(opposed().nodes, opposed().triangles, rule=streamlined_blend, single_source=mo.SingleSource())


def theory_distortion(path: Path) -> None:
    """Where blends distort, with blended and with single-source upper harmonics."""
    survey = Survey(opposed())
    before, after = survey.map(opposed()), survey.map(_single())
    labels = ("all harmonics blended", "upper harmonics from one node")
    draw_distortion(opposed(), before, path, after=after, labels=labels, title="Upper-harmonic distortion")


def theory_traces(path: Path) -> None:
    """Feet under the root at one blend, both ways."""
    draw_foot_traces({"blended": opposed(), "single source": _single()}, (0.15, 0.05), path)


def theory_feet(path: Path) -> None:
    """How far a resting heel slides while the point moves: by the root's velocity alone, and held."""
    with canvas.page(
        path, 9.0, 3.2, "The left heel while it rests; after 1 s the point goes from slow to fast"
    ) as figure:
        slid = figure.add_subplot()
        for feet, colour in (("velocity", canvas.RIGHT), ("held", canvas.LEFT)):
            player = mo.Player(walks(), (0.0, 0.85), feet=feet)
            leg = legs_of(player.skeleton)[0]
            ankle, heel = leg.joints[-1], np.asarray(leg.heel)
            places, down = [], []
            for frame in range(360):
                if frame == 60:
                    player.point = (15.0, 1.6)
                positions, world = player.step(1 / 60).world
                w, v = world[ankle, 0], world[ankle, 1:]
                twice = 2.0 * np.cross(v, heel)
                places.append(positions[ankle] + heel + w * twice + np.cross(v, twice))
                down.append(player.planted[0])
            at, rests = np.array(places), np.array(down)
            seconds = np.arange(360) / 60
            for run in np.split(np.arange(360), np.flatnonzero(np.diff(rests.astype(int))) + 1):
                if rests[run[0]] and len(run) > 3:
                    far = 1000.0 * np.linalg.norm(at[run][:, [0, 2]] - at[run[0], [0, 2]], axis=1)
                    slid.plot(seconds[run], far, color=colour, label=f'feet="{feet}"' if run[0] == 0 else None)
        slid.set(xlabel="seconds", ylabel="slid since it came to rest, mm")
        slid.legend()


DRAWN: dict[str, Callable[[Path], None]] = {
    f"{function.__name__.replace('_', '-')}.png": function
    for function in (
        tutorial_sheet, tutorial_plants, tutorial_map, tutorial_way, theory_closing, theory_harmonics, theory_blend,
        theory_turns, theory_path, theory_distortion, theory_traces, theory_feet,
    )
}  # fmt: skip


def main(names: list[str]) -> None:
    """Draw pictures into ``docs/pictures``."""
    PICTURES.mkdir(exist_ok=True)
    for name in names or list(DRAWN):
        with tempfile.TemporaryDirectory() as folder:  # a picture that fails leaves the old one
            made = Path(folder) / name
            DRAWN[name](made)
            (PICTURES / name).write_bytes(made.read_bytes())
        print(f"{name}: {(PICTURES / name).stat().st_size // 1000} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
