"""What evening out does to motions that are meant to differ, and why one person's walks are hard to predict."""

from __future__ import annotations

import numpy as np

from benchmarks.left_out import HARMONICS, cycles_of, joint_error, tasks
from mocapella.actor import CAPTURED, CLEAN, capture, perform
from mocapella.actor.request import STYLES
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise, synchronised_to
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.blending.rules import phasor_blend
from mocapella.building.layout.evening import smooth_nodes
from mocapella.motion import kinematics

FRAMES = 60
NEAR = 0.15  # m/s: styles are compared where they go at nearly one speed


def style_sets(folder, strides):
    """Networks of several styles: name, cycles, the style of each, and the same without chance where that is known."""
    styles = list(STYLES)
    own = [(style, prepare(capture(f"{style} walk")[0])) for style in styles]
    yield "actor, 8 styles", [cycle for _, cycle in own], styles, [clean(style, cycle) for style, cycle in own]
    for some, speeds in ((("normal", "sad", "marching"), 5), (("tired", "sad"), 5), (styles, 3)):
        takes = [(style, float(v)) for style in some for v in np.linspace(0.8, 1.6, speeds)]
        kinds = [style for style, _ in takes]
        cycles = [performed(style, v, seed, CAPTURED) for seed, (style, v) in enumerate(takes)]
        yield f"actor, {len(some)} styles at {speeds} speeds", cycles, kinds, list(map(clean, kinds, cycles))
    emotions = cycles_of(folder, [f"cmu-bvh/82/82_{i}.bvh" for i in (10, 12, 13)])
    yield "82, three emotions", emotions, [cycle.name for cycle in emotions], None
    manners = cycles_of(folder, [f"cmu-bvh/137/137_{i}.bvh" for i in (16, 20, 24, 29, 42)])
    yield "137, five styles", manners, [cycle.name for cycle in manners], None
    yield "08, walks and strides", cycles_of(folder, strides), ["walk", "walk", "stride", "stride"], None


def performed(style, speed, seed, imperfections):
    return prepare(perform("walk", style=style, speed=speed, seed=seed, imperfections=imperfections)[0])


def clean(style, cycle):
    """What the actor would have done without chance."""
    return performed(style, cycle.speed, 0, CLEAN)


def network_of(cycles):
    spectra = [analyse(cycle, HARMONICS) for cycle in synchronise(cycles)]
    places = [(0.0, cycle.speed) for cycle in cycles]
    return Network([Node(str(i), at, one) for i, (at, one) in enumerate(zip(places, spectra, strict=True))],
                   rule=phasor_blend)  # fmt: skip


def motions_of(network):
    return [synthesise(node.spectrum, FRAMES) for node in network.nodes]


def apart(network, kinds):
    """How far apart motions of different styles are that go at nearly one speed, cm; of all, where none do."""
    made = motions_of(network)
    pairs = [(i, j) for i in range(len(made)) for j in range(i) if kinds[i] != kinds[j]]
    speeds = network.points[:, 1]
    near = [(i, j) for i, j in pairs if abs(speeds[i] - speeds[j]) < NEAR]
    return np.array([joint_error(made[i], made[j]) for i, j in near or pairs])


def print_styles(folder, strides):
    """How much of the difference between styles is left once their network is evened out."""
    print("styles in one network: how far apart they are at nearly one speed (cm), and how much of that is left evened")
    print("out, all takes as one kind and by named kinds; truth: how far apart the actor's are without chance;")
    print("off: how far takes are from that truth, as captured, evened out as one kind, evened out by kinds")
    columns = ("takes", "apart", "one kind", "named", "truth", "off", "one kind", "named")
    print(f"\n{'':30}" + "".join(f"{name:>10}" for name in columns))
    for name, cycles, kinds, truths in style_sets(folder, strides):
        network = network_of(cycles)
        three = (
            network,
            smooth_nodes(network),
            smooth_nodes(network, kinds=dict(zip(network.names, kinds, strict=True))),
        )
        before, one, named = (apart(made, kinds) for made in three)
        kept = [f"{100.0 * np.mean(after / before):.0f} %" for after in (one, named)]
        print(f"{name:30}{len(cycles):10d}{before.mean():10.2f}{kept[0]:>10}{kept[1]:>10}", end="")
        if truths is not None:
            off = [[joint_error(*pair) for pair in zip(motions_of(made), truths, strict=True)] for made in three]
            truth = apart(network_of(truths), kinds).mean()
            print(f"{truth:10.2f}" + "".join(f"{np.mean(own):10.2f}" for own in off), end="")
        print()


def print_joints(folder, strides):
    """Where the blends of one person's walks are off, joint by joint; how much of that is posture, and who is alike."""
    cycles = cycles_of(folder, strides)
    print("08, straight walks: stride lengths " + ", ".join(
        f"{cycle.name} {cycle.speed * cycle.duration:.2f} m at {cycle.speed:.2f} m/s" for cycle in cycles))  # fmt: skip
    for task in tasks(cycles):
        place = task.network().place(task.case.point)
        shares = zip(place.nodes.tolist(), place.weights, strict=True)
        made_of = " + ".join(f"{w:.2f} {task.case.others[i].name}" for i, w in shares)
        print(f"\n{task.case.target.name} = {made_of}", end=": ")
        print(f"{task.blended()[0]:.2f} cm, evened {task.blended(even=smooth_nodes)[0]:.2f}, best {task.best():.2f}")
        alone = (f"{other.name} {joint_error(other, task.case.target):.2f}" for other in task.case.others)
        print("  each of the others played instead: " + ", ".join(alone))
        made = synthesise(task.network().blend(task.case.point), FRAMES)
        off = 100.0 * (places(made) - places(synchronised_to(task.case.target, [made])))
        rows = zip(made.skeleton.names, np.linalg.norm(off, axis=-1).mean(axis=0),
                   np.linalg.norm(off.mean(axis=0), axis=-1), strict=True)  # fmt: skip
        worst = sorted(rows, key=lambda row: -row[1])
        print("  cm, of which mean posture: " + ", ".join(
            f"{name} {error:.1f} ({mean:.1f})" for name, error, mean in worst
            if not any(word in name.lower() for word in ("hand", "finger", "thumb")) and error >= 1.0))  # fmt: skip


def places(cycle):
    """Where all joints are, root on root."""
    made = synthesise(analyse(cycle), FRAMES)
    return kinematics.forward(cycle.skeleton, np.zeros((FRAMES, 3)), made.rotations_wxyz)[0]
