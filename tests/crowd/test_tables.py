from __future__ import annotations

import cmath
import math
import os
from dataclasses import replace

import numpy as np
import pytest

from mocapella.blending.network import Network
from mocapella.crowd import gaits as columns
from mocapella.crowd.gaits import Gaits
from mocapella.crowd.tables import CrowdTables
from mocapella.gait.root_motion import cycle_by_feet
from mocapella.geometry.angles import TURN
from mocapella.motion.contacts import FOOT_POINTS, CycleContacts
from mocapella.playback.native import player_core
from mocapella.playback.settings import DEFAULTS
from mocapella.rig.legs import leg_dofs, legs_of
from tests.crowd.samples import walks


@pytest.fixture
def core():
    """The native core of players; where it is missing tests are skipped, or fail in CI."""
    if player_core.player_core() is None:
        reason = "no native core: pip install ./native"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("rule", ["lively", "phasor"])
@pytest.mark.parametrize("strides", [1, 2])
def test_the_core_and_numpy_make_the_same_tables(rule, strides, monkeypatch):
    nodes = [replace(node, spectrum=_strides(node.spectrum, strides)) for node in walks(6).nodes[:3]]
    by_core = CrowdTables.of(Network(nodes, rule=rule), coarse=True)
    monkeypatch.setattr("mocapella.crowd.cutting.deriving.NativeBlends", _Nobody)
    by_numpy = CrowdTables.of(Network(nodes, rule=rule), coarse=True)
    for name in ("gaits", "rates", "coefficients"):
        np.testing.assert_allclose(getattr(by_core, name), getattr(by_numpy, name), atol=1e-6, err_msg=name)


@pytest.mark.usefixtures("core")
def test_gaits_are_derived_by_the_core_where_it_is_installed(monkeypatch):
    monkeypatch.setattr("mocapella.crowd.cutting.deriving.cycle_by_feet", None)
    assert CrowdTables.of(Network(walks().nodes[:3]), coarse=True).n_plants == 1


@pytest.mark.parametrize("strides", [1, 2, 3])
def test_the_numbers_of_a_gait_are_those_of_its_cycle(strides):
    """One by one and in other words: speeds and heights where plants begin and end, and the soles of heels."""
    spectra = [_strides(node.spectrum, strides) for node in walks(6).nodes[:3]]
    layout = spectra[0].layout
    legs = legs_of(layout.skeleton)
    cycles = [cycle_by_feet(spectrum, leg_dofs(layout)) for spectrum in spectra]
    gaits = Gaits(cycles, np.array([0.1, 0.2, 0.3]), legs, DEFAULTS)
    assert gaits.n_plants == strides
    rows = gaits.rows(np.array([[0, 1, 2]]))[0]
    soles = columns.PLANTS + len(FOOT_POINTS) * strides * columns.N_PLANT
    for row, cycle, late in zip(rows, cycles, gaits.lateness, strict=True):
        assert row[columns.LATENESS] == late
        assert row[columns.DURATION] == cycle.spectrum.duration
        held = row[columns.PLANTS : soles].reshape(len(FOOT_POINTS), strides, columns.N_PLANT)
        lying = row[soles:].reshape(2, strides, columns.N_SOLE)
        for point, plants in enumerate(cycle.plants):
            assert len(plants) == strides
            for plant in plants:
                slot = int(np.argmin(np.abs(np.exp(1j * held[point, :, columns.START]) - cmath.exp(1j * plant.start))))
                np.testing.assert_allclose(held[point, slot], _numbers(cycle, point, plant, held[point, slot], legs))
                if point % 2 == 0:
                    stands = _stands(cycle, point, plant, legs[point // 2])
                    np.testing.assert_allclose(lying[point // 2, slot, columns.STANDS], stands, atol=1e-12)


def test_the_travel_of_a_gait_is_what_feet_add_to_the_blended_velocity():
    spectrum = walks().nodes[0].spectrum
    cycle = cycle_by_feet(spectrum, leg_dofs(spectrum.layout))
    gaits = Gaits([cycle], np.zeros(1), legs_of(spectrum.layout.skeleton), DEFAULTS)
    numbers = gaits.rows(np.array([[0]]))[0, 0, columns.TRAVEL : columns.PLANTS].reshape(2, -1)
    phases = np.linspace(0.0, 6.0, 7)
    found = numbers[:, 0, None] + sum(
        numbers[:, 2 * h - 1, None] * np.cos(h * phases) + numbers[:, 2 * h, None] * np.sin(h * phases)
        for h in range(1, columns.TRAVEL_HARMONICS + 1)
    )
    step = 1e-5
    for i, phase in enumerate(phases.tolist()):
        ways = [cycle.way(phase + off) for off in (-step, step)]
        velocity = (ways[1][1] - ways[0][1]) / (2.0 * step) * cmath.exp(-1j * cycle.way(phase)[0])
        ahead, left = spectrum.at(np.array(phase))[-3:-1] / cycle.rate
        np.testing.assert_allclose(found[:, i], [velocity.real - ahead, velocity.imag - left], atol=2e-3)


class _Nobody:
    @classmethod
    def of(cls, *_):
        return None


def _strides(spectrum, n):
    """The same motion with so many of its cycles for one."""
    coefficients = np.zeros((n * spectrum.n_harmonics + 1, spectrum.n_dofs), dtype=np.complex128)
    coefficients[::n] = spectrum.coefficients
    arcs = [
        tuple(sorted(((start + TURN * i) / n, length / n) for start, length in own for i in range(n)))
        for own in map(spectrum.contacts.point, FOOT_POINTS)
    ]
    return replace(spectrum, coefficients=coefficients, duration=n * spectrum.duration, contacts=CycleContacts(*arcs))


def _numbers(cycle, point, plant, found, legs):
    """The numbers of a plant, one by one; its start is a phase that was found, whole turns beside its own."""
    assert math.isclose(math.remainder(found[columns.START] - plant.start, TURN), 0.0, abs_tol=1e-9)
    speeds = []
    for phase in plant.edges:
        speed = cycle.touch(point, phase).speed * cmath.exp(-1j * cycle.way(phase)[0])
        speeds += [speed.real, speed.imag]
    landing = min(DEFAULTS.touchdown * cycle.rate, DEFAULTS.touchdown_share * plant.length)
    high, low = (_over(cycle, point, phase, legs[point // 2]) for phase in (plant.start, plant.start + landing))
    return [found[columns.START], plant.length, plant.approach, plant.release, *speeds, max(low, high - DEFAULTS.hover)]


def _over(cycle, point, phase, leg):
    heel = point - point % 2
    return min(cycle.height(heel, phase) - leg.heel_height, cycle.height(heel + 1, phase) - leg.toe_height)


def _stands(cycle, heel, plant, leg):
    """The tilt of a foot in the middle of the longest time in which its heel and its toe stand."""
    best, middle = 0.0, None
    for toe in cycle.plants[heel + 1]:
        for turns in (-TURN, 0.0, TURN):
            begin = max(plant.start, toe.start + turns)
            end = min(plant.start + plant.length, toe.start + turns + toe.length)
            if end - begin > best:
                best, middle = end - begin, 0.5 * (begin + end)
    if middle is None:
        return 0.0
    tilt = cycle.height(heel, middle) - cycle.height(heel + 1, middle) - leg.heel_height + leg.toe_height
    return DEFAULTS.sole_tilt * math.tanh(tilt / DEFAULTS.sole_tilt)
