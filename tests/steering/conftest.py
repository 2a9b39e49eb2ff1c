"""Fixtures that these tests share with others."""

from tests.playback.conftest import cycles, hybrid, network, walk

__all__ = ["cycles", "hybrid", "network", "walk"]
