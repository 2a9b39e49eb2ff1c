"""A small motion file and a way to run commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import mocapella as mo
from mocapella.cli import main
from mocapella.geometry import quaternions

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Run ``mocapella`` with these words."""

    def call(*words: object) -> Result:
        return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)

    return call


@pytest.fixture
def answer(run: Run) -> Callable[..., dict]:
    """Run a command with --json; what it printed, parsed."""

    def call(*words: object) -> dict:
        result = run(*words, "--json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return call


@pytest.fixture
def swinging() -> mo.Clip:
    """A person-sized figure that swings its legs, 40 frames."""
    names = ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot", "Spine", "Neck", "Head"]
    offsets = [[0, 0.9, 0], [0.1, 0, 0], [0, -0.43, 0], [0, -0.4, 0], [-0.1, 0, 0], [0, -0.43, 0], [0, -0.4, 0]]
    offsets += [[0, 0.2, 0], [0, 0.35, 0], [0, 0.08, 0]]
    ends = {"LeftFoot": [0, -0.07, 0.15], "RightFoot": [0, -0.07, 0.15], "Head": [0, 0.2, 0]}
    skeleton = mo.Skeleton.of(names, [-1, 0, 1, 2, 0, 4, 5, 0, 7, 8], offsets, ends=ends)
    phase = np.linspace(0, 2 * np.pi, 40)
    rotations = np.tile(quaternions.IDENTITY, (40, 10, 1))
    for joint, sign in ((1, 1.0), (4, -1.0)):
        rotations[:, joint] = quaternions.from_rotvec(np.outer(0.4 * sign * np.sin(phase), [1.0, 0.0, 0.0]))
    roots = np.stack([np.zeros(40), np.full(40, 0.9), np.linspace(0, 1.2, 40)], axis=1)
    return mo.Clip(skeleton, roots, rotations, frame_rate=30.0, name="swing")


@pytest.fixture
def bvh(tmp_path: Path, swinging: mo.Clip) -> Path:
    path = tmp_path / "swing.bvh"
    mo.save(swinging, path)
    return path


@pytest.fixture
def table(tmp_path: Path) -> Callable[[str], Path]:
    """Write a table and say where it is."""

    def write(text: str) -> Path:
        path = tmp_path / "table.csv"
        path.write_text(text)
        return path

    return write
