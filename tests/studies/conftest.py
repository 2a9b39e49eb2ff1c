"""Fixtures that these tests share with others."""

from tests.analysis.conftest import walk
from tests.measure.conftest import network, walks

__all__ = ["network", "walk", "walks"]
