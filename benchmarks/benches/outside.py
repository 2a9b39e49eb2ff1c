"""Peers that are programs of their own: three.js in Node, beside our WebAssembly, and ozz-animation."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.exporting.embedding import export_embedded
from mocapella.studies.benches.file_cost import walk

_CLONE = Path(__file__).parents[2]
_OZZ = Path("benchmarks") / "peers" / "build" / "ozz_feet"  # made by `make peers`
_SECONDS = 120.0  # after which a program is given up
_FRAMES = 34  # of a clip, about a cycle


def three_folder(clone: Path = _CLONE) -> Path | None:
    """The folder of three.js: where Node is told to look, then that of the tests and that of the studio's page.

    Returns None where it is not, or Node is not.
    """
    told = [Path(folder) for folder in os.environ.get("NODE_PATH", "").split(os.pathsep) if folder]
    folders = (*told, clone / "tests" / "js" / "node_modules", clone / "web" / "node_modules")
    found = (folder / "three" for folder in folders if (folder / "three" / "build" / "three.module.js").is_file())
    return next(found, None) if shutil.which("node") else None


def in_node(network: Network, count: int, rounds: int) -> dict[str, float]:
    """Steps of so many characters in Node, all in turn, in ns a character; the fastest of ``rounds`` counts.

    ``mixer`` is that of three.js with three clips and no feet, ``wasm`` ours with feet held, ``relaxed`` the same with
    relaxed SIMD. What is not on this machine is left out. ``by_option`` is 1 where Node runs relaxed SIMD only by an
    option, which is set for this.
    """
    three = three_folder()
    node = shutil.which("node")
    if node is None:
        return {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            export_embedded(network, folder / "embedded", "wasm")
            embedded = str(folder / "embedded")
        except MotionError:  # the library for other programs is not built
            embedded = "-"
        motion = folder / "motion.json"
        motion.write_text(json.dumps(_motion()))
        script = Path(__file__).with_name("mixer.mjs")
        words = [node, str(script), str(motion), str(count), str(rounds), str(three or "-"), embedded]
        return _answer(words)


def ozz(count: int, rounds: int, clone: Path = _CLONE) -> dict[str, float]:
    """Steps of characters by ozz-animation, in ns a character; empty where ``make peers`` has not built the comparison.

    ``blend`` samples three clips, blends them and brings them into the model's space, ``feet`` bends both legs as well.
    The figures are the fastest of ``rounds`` counts, of characters of 23 joints.
    """
    program = clone / _OZZ
    return _answer([str(program), str(count), str(rounds)]) if program.is_file() else {}


def _answer(words: list[str]) -> dict[str, float]:
    """The JSON that a program prints; a program that fails is an error with its last line."""
    try:
        run = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise MotionError(f"{Path(words[0]).name} is given up after {_SECONDS:.0f} s") from None
    if run.returncode != 0:
        reason = next((line for line in run.stderr.splitlines() if "Error" in line), "no reason given")
        raise MotionError(f"{Path(words[0]).name}, a peer of the bench, failed: {reason}")
    return {str(name): float(value) for name, value in json.loads(run.stdout).items()}


def _motion() -> dict[str, Any]:
    """Three clips of a walk, as three.js wants them."""
    clip = walk(3 * _FRAMES)
    xyzw = clip.rotations_wxyz[..., [1, 2, 3, 0]].reshape(3, _FRAMES, clip.skeleton.n_joints, 4)
    roots = clip.root_positions.reshape(3, -1)
    clips = [
        {"rotations": one.swapaxes(0, 1).reshape(one.shape[1], -1).tolist(), "roots": root.tolist()}
        for one, root in zip(xyzw, roots, strict=True)
    ]
    times = [frame / 30.0 for frame in range(_FRAMES)]
    skeleton = clip.skeleton
    return {"parents": skeleton.parents.tolist(), "offsets": skeleton.offsets.tolist(), "times": times, "clips": clips}
