"""Browsers run beside the other tests: begun with the session, looked at by its last tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.browser.beside import LIMIT, ROOT, Results, missing, out_of

USERS = {"test_studio_page.py": "studio", "test_panels.py": "panels"}
_begun = pytest.StashKey[subprocess.Popen[bytes]]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of what a browser did come last, when it is done."""
    items.sort(key=lambda item: item.path.name in USERS)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the browsers that collected tests ask for; of several workers the first does."""
    names = {USERS[item.path.name]: None for item in session.items if item.path.name in USERS}
    if session.config.option.collectonly or missing() or not names or _worker() not in ("", "gw0"):
        return
    folder = _folder(session.config)
    folder.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-m", "tests.browser.beside", str(folder), *names]
    with (folder / "errors.txt").open("wb") as errors:
        session.config.stash[_begun] = subprocess.Popen(words, cwd=ROOT, stderr=errors, start_new_session=True)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Another worker may still wait for what this one has begun."""
    begun = session.config.stash.get(_begun, None)
    if begun is None:
        return
    if begun.poll() is None and (exitstatus == pytest.ExitCode.INTERRUPTED or not _worker()):
        os.killpg(begun.pid, signal.SIGTERM)
    begun.wait()


def _worker() -> str:
    return os.environ.get("PYTEST_XDIST_WORKER", "")


def _folder(config: pytest.Config) -> Path:
    base = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    return (base.parent if _worker() else base) / "beside"


def _results(config: pytest.Config, name: str) -> Results:
    """What a program found, by scenario, as soon as it is done."""
    if reason := missing():
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    folder = _folder(config)
    end = time.monotonic() + 2 * LIMIT + 60
    while not (folder / f"{name}.said").exists():
        begun = config.stash.get(_begun, None)
        if (begun is not None and begun.poll()) or time.monotonic() > end:
            pytest.fail(f"{name} left nothing: {(folder / 'errors.txt').read_text()[-2000:]}")
        time.sleep(0.2)
    written = out_of(folder, name) / "results.json"
    assert written.is_file(), (folder / f"{name}.said").read_text()[-2000:]
    return json.loads(written.read_text())


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> Results:
    """Scenarios of ``studio.mjs`` by name."""
    return _results(pytestconfig, "studio")


@pytest.fixture(scope="session")
def panels(pytestconfig: pytest.Config) -> Results:
    """Scenarios of ``panels.mjs`` by name."""
    return _results(pytestconfig, "panels")
