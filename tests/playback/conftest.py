"""Walks and runs of the actor, made into spectra and networks, for the tests of playback."""

from __future__ import annotations

import pytest

from mocapella.actor import capture, perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.build import build
from mocapella.hybrid.builder import HybridBuilder
from mocapella.hybrid.find import find_transition
from mocapella.hybrid.network import HybridNetwork
from mocapella.motion.cycle import Cycle
from mocapella.motion.spectrum import Spectrum

PACES = ((-0.6, 0.9), (0.6, 0.9), (0.0, 1.6), (0.0, 1.1))  # turn rate, speed


@pytest.fixture(scope="session")
def cycles() -> list[Cycle]:
    clips = [perform("walk", speed=speed, turn=turn)[0].renamed(f"{turn} {speed}") for turn, speed in PACES]
    return synchronise([prepare(clip) for clip in clips])


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
    """Walks in quaternions, runs in Euler angles and standing; ways between them, and a twirl that can be repeated."""
    walks = [capture(name)[0] for name in ("slow walk straight", "fast walk straight", "medium walk sharp left")]
    runs = [capture(name)[0] for name in ("slow run straight", "fast run straight", "medium run sharp left")]
    draft = HybridBuilder({"walking": build(walks).network, "running": build(runs, layout="euler").network})
    for name, source, target in (
        ("walk-run", "walking", "running"),
        ("run-walk", "running", "walking"),
        ("walk-twirl-walk", "walking", None),
        ("walk-stand", "walking", "standing"),
        ("stand-walk", "standing", "walking"),
    ):
        key = {"walk-run": "r", "walk-twirl-walk": "x"}.get(name, "")
        draft = draft.with_transition(
            find_transition(capture(name)[0]), source, target, key=key, mirrored=name == "walk-run"
        )
    changes = ["walk-run", "run-walk", "walk-stand", "stand-walk"]
    return draft.finished(
        [
            draft.mode("change", changes, key="c"),
            draft.mode("twirl", ["walk-twirl-walk"], key="t"),
            draft.mode("blend", key="b"),
        ]
    )
