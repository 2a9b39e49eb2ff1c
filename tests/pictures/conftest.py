"""A small network of walks, to draw."""

import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform


@pytest.fixture(scope="package")
def walks():
    return [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(f"{v} {w}") for v, w in
            ((0.9, 0.0), (1.6, 0.0), (1.3, 0.6))]  # fmt: skip


@pytest.fixture(scope="package")
def network(walks):
    return mo.build_network(walks, mirror=False)
