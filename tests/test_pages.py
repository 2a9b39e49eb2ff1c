"""Every block of Python in the manual runs as it stands, one after the other on each page.

Each page in a process of its own, for here every call is checked, which takes several times as long.
"""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mocapella as mo
from mocapella.actor import perform

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if BLOCK.search(page.read_text())]
FILES = {
    "stroll": 0.8,
    "person": 1.1,
    "walk": 1.2,
    "circle-left": 1.2,
    "jog": 1.6,
    "slow": 0.8,
    "fast": 1.6,
    "fast-left": 1.5,
    "sad": 1.0,
    "07_01": 1.3,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The motion files that pages read."""
    place = tmp_path_factory.mktemp("pages")
    for name, speed in FILES.items():
        turn, style = 0.5 if name.endswith("left") else 0.0, "sad" if name == "sad" else "normal"
        height = 1.9 if name == "person" else 1.75
        mo.save(perform("walk", speed=speed, turn=turn, style=style, height=height)[0], place / f"{name}.bvh")
    return place


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run_as_they_stand(page, files):
    text = page.read_text()
    blocks = "\n".join(block[1] for block in BLOCK.finditer(text))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", blocks], cwd=files, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


REFERENCE = re.findall(r"\.\. auto\w+:: (\S+)", (ROOT / "docs" / "api.md").read_text())


def test_the_reference_lists_every_public_name_once():
    public = [name.removeprefix("mocapella.") for name in REFERENCE if name.count(".") == 1]
    assert sorted(public) == sorted(set(mo.__all__) - {"__version__"})
    assert len(set(REFERENCE)) == len(REFERENCE)


@pytest.mark.parametrize("name", REFERENCE)
def test_what_the_reference_lists_is_there_and_says_what_it_is(name):
    home, _, last = name.rpartition(".")
    try:
        found = importlib.import_module(name)
    except ModuleNotFoundError:
        found = getattr(importlib.import_module(home), last)
    assert found.__doc__
