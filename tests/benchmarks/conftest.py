"""A network of walks, as the tests of measures have it."""

from tests.measure.conftest import network, walks

__all__ = ["network", "walks"]
