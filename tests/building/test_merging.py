"""Takes of nearly one thing become their mean, where that predicts takes better; styles stay apart."""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pytest

from mocapella.actor import CAPTURED, CLEAN, perform
from mocapella.analysis.fourier import analyse, synthesise
from mocapella.analysis.likeness import joint_error
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.places import Node
from mocapella.building.build import build
from mocapella.building.layout.merging import near_takes_as_one
from mocapella.building.layout.placement import TURN_AND_SPEED, joined
from mocapella.errors import MotionWarning
from mocapella.measure.description import describe
from mocapella.storage.stored_networks import load_with_origins
from mocapella.storage.values import load, save


@functools.cache
def take(style, seed, speed=1.1):
    clip = perform("walk", style=style, speed=speed, seed=seed, imperfections=CAPTURED)[0]
    return prepare(clip.renamed(f"{style} {seed}"))


@functools.cache
def clean(style):
    return prepare(perform("walk", style=style, speed=1.1, imperfections=CLEAN)[0])


def merged(cycles, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return near_takes_as_one(cycles, TURN_AND_SPEED, **options)


def test_the_mean_of_takes_is_nearer_to_what_was_meant_than_any_take():
    takes = [take("normal", seed) for seed in range(6)]
    (mean,), names = merged(takes)
    assert sum(map(len, names.values())) == 5
    assert joint_error(mean, clean("normal")) < 0.8 * min(joint_error(one, clean("normal")) for one in takes)
    assert mean.speed == pytest.approx(np.mean([one.speed for one in takes]), rel=1e-3)
    assert mean.duration == pytest.approx(np.mean([one.duration for one in takes]), rel=1e-6)
    assert mean.decisions[-1].step == "merge"
    assert mean.contacts is not None


@pytest.mark.parametrize("styles", [("tired", "sad"), ("normal", "marching")])
def test_styles_in_one_folder_are_not_mixed(styles):
    takes = [take(style, 100 * k + i) for k, style in enumerate(styles) for i in range(4)]
    (mean,), names = merged(takes, merge=True)
    ((leader, others),) = names.items()
    style = leader.split()[0]
    assert all(other.startswith(style) for other in others)
    other = next(one for one in styles if one != style)
    assert joint_error(mean, clean(style)) < joint_error(mean, clean(other))


def test_takes_of_different_things_are_not_merged_though_they_are_as_fast():
    bent = take("normal", 0)
    moves = bent.layout.displacement(bent.dofs, bent.dofs) + 0.1  # half a rotation vector a joint: about 20 degrees
    dofs = np.concatenate([bent.layout.displaced(bent.dofs, moves)[:, :-4], bent.dofs[:, -4:]], axis=1)
    crouching = replace(bent, dofs=dofs, name="crouching")
    kept, names = merged([bent, crouching], merge=True)
    assert names == {}
    assert len(kept) == 1


def test_a_take_on_its_own_stays_as_it_is_and_what_is_not_wanted_is_not_merged():
    takes = [take("normal", seed) for seed in range(4)]
    far = take("normal", 9, 1.7)
    kept, names = merged([*takes, far], merge=False)
    assert names == {}
    assert len(kept) == 2
    assert all(any(one is cycle for cycle in (*takes, far)) for one in kept)
    kept, names = merged([*takes, far])
    assert any(one is far for one in kept)


def test_what_was_merged_is_said_stored_and_told_by_json(tmp_path):
    takes = [take("normal", seed) for seed in range(4)]
    with pytest.warns(MotionWarning, match=r"merged, .*: normal \d \+ normal \d \+ normal \d \+ normal \d"):
        built = build([*takes, take("normal", 9, 1.7)])
    node = next(node for node in describe(built)["nodes"] if "merged" in node)
    assert len(node["merged"]) == 3
    save(built.network, tmp_path / "net.moca", origins=built.origins)
    assert load_with_origins(tmp_path / "net.moca")[1][node["name"]].merged == tuple(node["merged"])


def test_captured_walks_left_out_are_predicted_no_worse_than_by_the_nearest_capture(data_folder):
    names = ("01", "02", "07", "12", "29", "33")
    cycles = [prepare(load(data_folder / "cmu-bvh" / "35" / f"35_{name}.bvh")) for name in names]
    errors = []
    for i in (1, 2, 5):
        others = cycles[:i] + cycles[i + 1 :]
        nodes = [Node(one.name, (0.0, one.speed), analyse(one, 10)) for one in synchronise(merged(others)[0])]
        blend = joined(nodes, axes=TURN_AND_SPEED).blend((0.0, cycles[i].speed))
        nearest = min(others, key=lambda one: abs(one.speed - cycles[i].speed))
        made = synthesise(blend, cycles[i].n_frames)
        errors.append((joint_error(made, cycles[i]), joint_error(nearest, cycles[i])))
    ours, theirs = np.mean(errors, axis=0)
    assert ours <= theirs
