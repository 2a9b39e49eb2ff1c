"""Every ready-made capture, performed without a flaw, once for all tests."""

import pytest

from mocapella.actor import CLEAN, captures


@pytest.fixture(scope="session")
def clean():
    return {name: (clip, truth) for name, clip, truth in captures(imperfections=CLEAN)}
