"""Node programs that use the studio as a person does, run beside the other tests: they wait more than they compute.

``python -m tests.browser.beside FOLDER studio panels`` runs these two, one after the other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mocapella as mo
from mocapella.actor import perform
from mocapella.library.ingest import add_captures
from mocapella.library.store import Library
from mocapella.studio.page.document import STATIC
from tests.conftest import find_data

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
Results = dict[str, dict[str, Any]]  # what a program found, by scenario
LIMIT = 900  # seconds a program may take on a busy machine


def chromium() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


def missing() -> str:
    """Why no browser can be driven here; empty where one can."""
    if shutil.which("node") is None or not (ROOT / "web/node_modules/playwright-core").is_dir():
        return "no node with playwright-core: make web installs it"
    if not (STATIC / "index.html").is_file() or not (STATIC / "viewer.js").is_file():
        return "the studio's page is not built: make web"
    return "" if chromium() else "no chromium: apt-get install chromium"


def out_of(folder: Path, name: str) -> Path:
    """Where a program writes its results and pictures: $MOCAPELLA_SCREENS, where they are to be kept."""
    kept = os.environ.get("MOCAPELLA_SCREENS")
    return (Path(kept).resolve() if kept else folder) / name


def _drive(program: str, out: Path, environment: dict[str, str]) -> str:
    """Run a node program that writes into ``out``; what it said."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").unlink(missing_ok=True)
    every = {
        **os.environ,
        "PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "CHROMIUM": str(chromium()),
        **environment,
    }
    words = ["node", str(HERE / program), str(out)]
    try:
        run = subprocess.run(words, env=every, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        return f"{program} took more than {LIMIT} s\n{(late.stdout or b'').decode()}{(late.stderr or b'').decode()}"
    return run.stdout + run.stderr


def _studio(folder: Path) -> str:
    data = find_data()
    captures = "" if data is None else str(data / "cmu-bvh" / "16")
    return _drive("studio.mjs", out_of(folder, "studio"), {"CAPTURES": captures})


def _panels(folder: Path) -> str:
    clips, library = folder / "clips", folder / "library"
    clips.mkdir(parents=True)
    takes = {"slow": (0.9, 0.0), "fast": (1.6, 0.0), "left": (1.2, 0.4), "right": (1.3, -0.5)}
    for name, (speed, turn) in takes.items():
        mo.save(perform("walk", speed=speed, turn=turn, seconds=4.0, frame_rate=60.0)[0], clips / f"{name}.bvh")
    text = (clips / "slow.bvh").read_text().splitlines()
    text[-20] = text[-20].replace(text[-20].split()[3], "nanx", 1)
    (clips / "broken.bvh").write_text("\n".join(text))
    with Library.at(library, create=True) as opened:
        add_captures(opened, sorted(clips.glob("*.bvh")), workers=0)  # the broken one is noted, and stops nothing
    return _drive("panels.mjs", out_of(folder, "panels"), {"CLIPS": str(clips), "MOCAPELLA_LIBRARY": str(library)})


PROGRAMS: dict[str, Callable[[Path], str]] = {"studio": _studio, "panels": _panels}


def main(folder: Path, names: list[str]) -> None:
    for name in names:
        try:
            said = PROGRAMS[name](folder)
        except Exception as error:  # whoever waits for the result is to read why there is none
            said = f"{type(error).__name__}: {error}"
        (folder / f"{name}.part").write_text(said)
        (folder / f"{name}.part").rename(folder / f"{name}.said")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
