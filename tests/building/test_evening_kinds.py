"""Takes of two styles in one network: evened out each with its own kind, however the network is described."""

from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CAPTURED, capture, perform
from mocapella.analysis.prepare import prepare
from mocapella.building.build import build
from mocapella.building.layout.evening import smooth_nodes
from mocapella.building.spec.make import build_spec
from mocapella.building.spec.make_hybrid import build_hybrid_spec
from mocapella.hybrid.buffer_places import motion_distance
from mocapella.storage.values import save

SPEEDS = (0.9, 1.2, 1.5)
STYLES = ("normal", "sad")
NAMES = [f"{style}-{i}" for style in STYLES for i in range(len(SPEEDS))]
KINDS = {name: name.partition("-")[0] for name in NAMES}


@pytest.fixture(scope="module")
def takes():
    """Three takes each of a normal and a sad walk, captured into folders of their own."""
    out = []
    for seed, name in enumerate(NAMES):
        speed = SPEEDS[seed % len(SPEEDS)]
        clip, _ = perform("walk", speed=speed, style=KINDS[name], seed=seed, imperfections=CAPTURED)
        out.append(replace(prepare(clip), name=name, source=f"{KINDS[name]}/{name}.bvh"))
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory, takes):
    """The same as files."""
    place = tmp_path_factory.mktemp("styles")
    for style in STYLES:
        (place / style).mkdir()
    for take in takes:
        save(take, place / KINDS[take.name] / f"{take.name}.moca")
    return place


@pytest.fixture(scope="module")
def from_takes(takes):
    """What ``build`` makes of all takes, with options."""
    return lambda **options: build(takes, thin=False, mirror=False, **options).network


@pytest.fixture(scope="module")
def as_captured(from_takes):
    return from_takes()


def same_motions(one, other):
    for name in NAMES:
        mine, yours = (made.node(name).spectrum.coefficients for made in (one, other))
        np.testing.assert_allclose(mine, yours, atol=1e-9)


def described(folder, head, **keys):
    lines = [head]
    for name in NAMES:
        lines += ["[[nodes]]", f'name = "{name}"', f'file = "{KINDS[name]}/{name}.moca"']
        lines += [f'{key} = "{value}"' for key, value in keys.items()]
    path = folder / "net.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def style_distance(network):
    pairs = [(f"normal-{i}", f"sad-{i}") for i in range(len(SPEEDS))]
    return np.mean([motion_distance(*(network.node(name).spectrum for name in pair)) for pair in pairs])


def test_styles_in_folders_of_their_own_survive(from_takes, as_captured):
    even = from_takes(even=True)
    same_motions(even, smooth_nodes(as_captured, kinds=KINDS))
    assert style_distance(even) > 0.9 * style_distance(as_captured)
    assert style_distance(smooth_nodes(as_captured)) < 0.5 * style_distance(as_captured)
    moved = [abs(even.node(n).spectrum.coefficients - as_captured.node(n).spectrum.coefficients).max() for n in NAMES]
    assert min(moved) > 1e-3


def test_turns_mirrored_and_made_are_of_the_kind_of_what_they_were_made_from(takes):
    turn, _ = perform("walk", speed=1.5, turn=0.6, imperfections=CAPTURED)
    left = replace(prepare(turn, turning=True), name="left", source="normal/left.bvh")
    sources = [*reversed(takes), left]
    even, built = (build(sources, substitute=True, thin=False, even=even) for even in (True, False))
    origins = {name: origin.source for name, origin in built.origins.items()}
    assert "left mirrored" in origins
    assert any(source.startswith("sad-0 + (left") for source in origins.values())
    kinds = {name: "sad" if source.startswith("sad") else "normal" for name, source in origins.items()}
    for node, other in zip(even.network.nodes, smooth_nodes(built.network, kinds=kinds).nodes, strict=True):
        np.testing.assert_allclose(node.spectrum.coefficients, other.spectrum.coefficients, atol=1e-9)


def test_a_spec_evens_out_as_build_does(folder, as_captured):
    even = build_spec(described(folder, "even = true")).network
    same_motions(even, smooth_nodes(as_captured, kinds=KINDS))
    same_motions(build_spec(described(folder, "even = false")).network, as_captured)


def test_a_kind_that_a_spec_names_counts_for_more_than_folders(folder, as_captured):
    even = build_spec(described(folder, "even = true", kind="walk")).network
    same_motions(even, smooth_nodes(as_captured))


def test_a_sum_is_of_the_kind_of_its_base(folder):
    path = described(folder, "even = true")
    more = '[[nodes]]\nname = "more"\nbase = "sad-1"\nplus = "normal-2"\nminus = "normal-1"\nat = [0.0, 1.25]\n'
    path.write_text(path.read_text() + more)
    even = build_spec(path).network
    path.write_text(path.read_text().replace("even = true", "even = false"))
    same_motions(even, smooth_nodes(build_spec(path).network, kinds={**KINDS, "more": "sad"}))


def test_a_block_of_a_hybrid_network_evens_out_as_build_does(folder, from_takes):
    mo.save(capture("walk-twirl-walk")[0], folder / "twirl.bvh")
    path = folder / "hybrid.toml"
    files = [f"{KINDS[name]}/{name}.moca" for name in NAMES]
    path.write_text(
        f'[[blocks]]\nname = "walking"\nfiles = {files}\nkeep_all = true\nmirror = false\neven = true\n'
        '[[transitions]]\nname = "twirl"\nfile = "twirl.bvh"\nsource = "walking"\nboundaries = [286, 650]\n'
        '[[modes]]\nname = "armed"\narcs = ["twirl"]\n'
    )
    same_motions(build_hybrid_spec(path).hybrid.network("walking", "armed"), from_takes(even=True))
