"""Walks and runs of the actor, made into spectra and networks, for the tests of playback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.native.player_core import player_core
from tests.playback.samples import small_hybrid, walking_cycles

# Tests that step players and take little time are run on both engines; all others on the one that players have here.
# ``MOCAPELLA_ENGINE=numpy pytest tests/playback`` runs all of them on the other.
ON_BOTH_ENGINES = {
    "test_arriving", "test_detail", "test_feet", "test_knees", "test_locks", "test_long_steps", "test_loop",
    "test_own_time", "test_player", "test_pointer", "test_resting", "test_straight_knees",
}  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if Path(metafunc.module.__file__).stem in ON_BOTH_ENGINES and not os.environ.get("MOCAPELLA_ENGINE"):
        metafunc.fixturenames.append("engine")
        metafunc.parametrize("engine", ["native", "numpy"], indirect=True)


@pytest.fixture
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The engine of all players that a test makes."""
    if request.param == "native" and player_core() is None:
        reason = "no native core: pip install ./native"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    monkeypatch.setenv("MOCAPELLA_ENGINE", request.param)
    return str(request.param)


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
