"""Which native core is loaded, and what is said where it does not fit."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from mocapella.crowd import native
from mocapella.crowd.crowd import Crowd
from mocapella.errors import MotionWarning
from mocapella.playback.native import player_core
from mocapella.playback.player import Player
from tests.crowd.samples import walks

CACHED = player_core.player_core, player_core.fitting_core, player_core.warn_of_version, native.native_library


class OtherCore:
    """A core whose structures are of other sizes than ours."""

    def __init__(self):
        self.player_sizes, self.crowd_sizes = MagicMock(return_value=1), MagicMock(return_value=1)


@pytest.fixture
def package(monkeypatch):
    """Put something else in the place of mocapella_native for a while."""

    def put(instead):
        monkeypatch.setitem(sys.modules, "mocapella_native", instead)

    for cached in CACHED:
        cached.cache_clear()
    yield put
    for cached in CACHED:
        cached.cache_clear()


@pytest.mark.parametrize(("who", "make"), [("players", lambda: Player(walks())), ("crowds", lambda: Crowd(walks(), 2))])
def test_a_core_of_another_version_is_told_once_with_a_remedy(package, who, make):
    package(SimpleNamespace(library=lambda: ("AVX2", OtherCore())))
    with pytest.warns(MotionWarning, match=f"so {who} run in NumPy.*pip install") as told:
        engines = [make().engine for _ in range(2)]
    assert engines == ["numpy", "numpy"]
    assert len(told) == 1


def test_a_core_that_is_not_installed_is_no_warning(package, recwarn):
    package(None)
    assert [Player(walks()).engine, Crowd(walks(), 2).engine] == ["numpy", "numpy"]
    assert not [one for one in recwarn if isinstance(one.message, MotionWarning)]
