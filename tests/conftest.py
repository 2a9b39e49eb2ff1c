"""What all tests share: checks of shapes, settings of laws, where the real captures are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests import shapes  # noqa: F401  before anything of the package is imported

# Shapes are checked on every call and machines are busy: how long an example takes says nothing about the law.
settings.register_profile("mocapella", deadline=None)
settings.load_profile("mocapella")


def find_data() -> Path | None:
    named = os.environ.get("MOCAPELLA_DATA")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    places = [Path(named)] if named else [beside]
    return next((place for place in places if place.is_dir()), None)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real captures; tests that need it are skipped, or fail in CI, where it is missing."""
    folder = find_data()
    if folder is None:
        reason = "no real captures: neither $MOCAPELLA_DATA nor ../shared/data is a folder"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
