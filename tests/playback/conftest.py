"""Walks and runs of the actor, made into spectra and networks, for the tests of playback."""

from __future__ import annotations

import pytest

from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.hybrid.network import HybridNetwork
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from tests.playback.samples import small_hybrid, walking_cycles


@pytest.fixture(scope="session")
def cycles() -> list[Cycle]:
    return walking_cycles()


@pytest.fixture(scope="session")
def walk(cycles) -> Spectrum:
    return analyse(cycles[3], harmonics=10)


@pytest.fixture(scope="session")
def turning(cycles) -> Spectrum:
    return analyse(cycles[1], harmonics=10)


@pytest.fixture(scope="session")
def run() -> Spectrum:
    return analyse(prepare(perform("run", speed=3.0)[0]), harmonics=10)


@pytest.fixture(scope="session")
def network(cycles) -> Network:
    return Network([Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=10)) for c in cycles])


@pytest.fixture(scope="session")
def hybrid() -> HybridNetwork:
    return small_hybrid()
