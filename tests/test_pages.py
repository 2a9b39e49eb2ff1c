"""Every block of Python in the manual runs as it stands, one after the other on each page, and every command is one.

The commands of the tutorial and of the pages for tools are run, those of other pages parsed.
"""

import importlib
import os
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest

import mocapella as mo
from mocapella.actor import capture, perform
from mocapella.cli import main
from mocapella.exporting.embedding import RUNTIME, WASM
from mocapella.studio.page.document import STATIC
from tests.scripts import run_script

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
DOCS = ROOT / "docs"
MANUAL = [
    ROOT / "README.md",
    *(page for place in (".", "quality", "theory", "tools") for page in sorted((DOCS / place).glob("*.md"))),
]
PAGES = [page for page in MANUAL if BLOCK.search(page.read_text())]
FENCED = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUN = [DOCS / "tutorial.md", *sorted((DOCS / "tools").glob("*.md"))]
TAKES = ("medium walk straight", "medium walk left", "fast walk right")  # of the tutorial, which has nine
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
    run_script(blocks, page.name, files)


def test_the_first_example_runs_as_pasted_into_an_empty_folder(tmp_path):
    run_script(BLOCK.search((ROOT / "README.md").read_text())[1], "README.md", tmp_path)
    assert mo.load(tmp_path / "walking.bvh").n_frames == 600


def commands(page):
    """The lines of a page's blocks that call mocapella, without comments."""
    blocks = [block[2] for block in FENCED.finditer(page.read_text()) if block[1] in ("", "sh")]
    lines = [line for block in blocks for line in block.splitlines()]
    return [re.split(r"\s+# ", line)[0] for line in lines if line.startswith("mocapella ")]


def parsed(words):
    """Refuse words that no command takes."""
    command, context = main, main.make_context("mocapella", [], resilient_parsing=True)
    words = list(words)
    while isinstance(command, click.Group):
        name = words.pop(0)
        command = command.get_command(context, name)
        assert command is not None, f"there is no command {name}"
    if "--help" not in words:
        command.make_context(command.name, words, parent=context)


@pytest.mark.parametrize("page", [page for page in MANUAL if commands(page)], ids=lambda page: page.stem)
def test_every_command_of_a_page_is_one(page):
    for line in commands(page):
        if "COMMAND" in line or "…" in line:
            continue
        try:
            parsed(shlex.split(line)[1:])
        except (click.ClickException, AssertionError) as error:
            pytest.fail(f"{line}: {getattr(error, 'message', error)}")


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    """A folder with captures, and the network that the pages for tools begin with."""
    place = tmp_path_factory.mktemp("book")
    (place / "captures").mkdir()
    clips = [capture(name)[0] for name in TAKES]
    for name, clip in zip(TAKES, clips, strict=True):
        mo.save(clip, place / "captures" / f"{name.replace(' ', '-')}.bvh")
    mo.save(mo.build_network(clips), place / "walk.moca")
    mo.save(clips[0], place / "walk.bvh")
    return place


def matching(pattern):
    return sorted(str(path) for path in Path().glob(pattern))


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_the_commands_of_the_tutorial_and_of_pages_for_tools_run_in_turn(page, captures, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    lines = [line for line in commands(page) if "--captures" not in line]
    if any("--steerable" in line or "--for wasm" in line for line in lines):
        missing = [path for path in (RUNTIME / WASM, STATIC / "viewer.js") if not path.is_file()]
        if missing and not os.environ.get("CI"):
            lines = [line for line in lines if "--steerable" not in line and "--for wasm" not in line]
    shutil.copytree(captures, tmp_path, dirs_exist_ok=True)
    table = re.search(r"^```\n(x,z,speed\n.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    if table is not None:
        (tmp_path / "way.csv").write_text(table[1])
    monkeypatch.chdir(tmp_path)
    for line in lines:
        words = [file for word in shlex.split(line)[1:] for file in (matching(word) if "*" in word else [word])]
        main(words, standalone_mode=False)
    written = {
        word for line in lines for word in re.findall(r"-o (\S+)|\S+\.bvh (\S+\.png)", line) for word in word if word
    }
    assert written
    for name in written:
        assert (tmp_path / name).exists()


def test_every_page_of_the_manual_stands_in_its_table_of_contents():
    index = (DOCS / "index.md").read_text()
    assert re.findall(r":caption: (\S+)", index) == ["Start", "How-to", "Theory", "Reference", "Gallery"]
    listed = set(re.findall(r"^([a-z/-]+)$", index, re.MULTILINE))
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in MANUAL[1:]} - {"index"}
    assert pages == listed - {"gallery/index"}


def test_every_picture_of_the_manual_is_there_and_used():
    shown = {
        (page.parent / found).resolve()
        for page in MANUAL
        for found in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text())
    }
    assert [path for path in shown if not path.is_file()] == []
    unused = {path.resolve() for path in (DOCS / "pictures").glob("*") if path.suffix in (".png", ".gif")} - shown
    assert unused == set()


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
