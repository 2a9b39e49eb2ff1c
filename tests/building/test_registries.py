"""A blend rule or an interpolant is one function and one line in one dictionary: everything else reads that place."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.interpolants import INTERPOLANTS
from mocapella.blending.rules import RULES, phasor_blend
from mocapella.building.spec.make import build_spec
from mocapella.cli.main import main
from mocapella.errors import FormatError, MotionError

SPEC = 'rule = "{rule}"\ninterpolant = "{interpolant}"\n' + "".join(
    f'[[nodes]]\nname = "{name}"\nfile = "{name}.bvh"\n' for name in ("slow", "fast")
)


def loudest_blend(coefficients, weights):
    """Of every harmonic the largest that a node has, whatever the weights."""
    mixed = phasor_blend(coefficients, weights)
    loudest = np.abs(coefficients).max(axis=0)
    out = loudest * np.exp(1j * np.angle(mixed))
    out[..., 0, :] = mixed[..., 0, :]
    return out


def first_alone(points):
    """Weights that give the first node everything."""
    return lambda point: np.eye(len(points))[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("takes")
    for name, speed in (("slow", 0.9), ("fast", 1.5)):
        mo.save(perform("walk", speed=speed, imperfections=CLEAN)[0], place / f"{name}.bvh")
    return place


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setitem(RULES, "loudest", loudest_blend)
    monkeypatch.setitem(INTERPOLANTS, "first", first_alone)


def spec(folder, rule="loudest", interpolant="first"):
    path = folder / "spec.toml"
    path.write_text(SPEC.format(rule=rule, interpolant=interpolant))
    return path


def run(*words):
    return CliRunner().invoke(main, ["build", *map(str, words)])


def test_a_registered_rule_is_known_to_specs_and_files(folder, registered):
    network = build_spec(spec(folder)).network
    assert (network.rule, network.interpolant) == (loudest_blend, first_alone)
    mo.save(network, folder / "network.moca")
    again = mo.load_network(folder / "network.moca")
    assert (again.rule, again.interpolant) == (loudest_blend, first_alone)


def test_a_registered_rule_is_known_to_the_command_line(folder, registered):
    output = folder / "built.moca"
    told = run(folder / "slow.bvh", folder / "fast.bvh", "-o", output, "--rule", "loudest", "--json")
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["written"] == [str(output)]
    assert mo.load_network(output).rule is loudest_blend
    assert run(folder / "slow.bvh", "-o", output, "--interpolant", "first").exit_code == 0
    assert "between|loudest" in "".join(run("--help").output.split())


def test_what_is_not_registered_is_refused_with_what_there_is(folder, registered):
    with pytest.raises(FormatError, match=r"did you mean 'loudest'\? There are lively, .*, loudest"):
        build_spec(spec(folder, rule="loudst"))
    with pytest.raises(FormatError, match="there is no interpolant 'frst'; did you mean 'first'"):
        build_spec(spec(folder, interpolant="frst"))
    assert "'loudest'" in run(folder / "slow.bvh", "-o", folder / "x.moca", "--rule", "loudst").output
    node = mo.Node("a", (0.0, 0.0), mo.Spectrum(np.ones((2, 1), complex), 1.0))
    with pytest.raises(MotionError, match=r"one of lively, .*, loudest, got 'loudst'"):
        mo.Network([node], rule="loudst")


def test_names_are_forgotten_with_their_registration(folder):
    with pytest.raises(FormatError, match="rule: there is no 'loudest'"):
        build_spec(spec(folder))
