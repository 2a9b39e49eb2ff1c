from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from mocapella.crowd.crowd import Crowd
from mocapella.crowd.image import memory_image, step_image
from tests.crowd.samples import walks

BUILT = Path(__file__).parents[2] / "native" / "build" / "crowd.wasm"


def test_the_tables_in_memory_are_those_of_the_interface():
    crowd = Crowd(walks(), 1)
    image = memory_image(crowd.tables)
    numbers = np.frombuffer(image, dtype="<i4", count=13)
    assert numbers[1:3].tolist() == [crowd.tables.n_joints, crowd.tables.n_harmonics]
    pointers = np.frombuffer(image, dtype="<u4", count=15, offset=52)
    found = np.frombuffer(image, dtype="<f4", count=crowd.tables.coefficients.size, offset=int(pointers[0]))
    np.testing.assert_array_equal(found, crowd.tables.coefficients.ravel())
    assert len(step_image(crowd.tables, crowd._step_of(0, 0.1))) == 40


def test_web_assembly_does_what_the_other_engines_do(tmp_path):
    node = shutil.which("node")
    if node is None or not BUILT.exists():
        pytest.skip("needs Node.js and native/build/crowd.wasm: make wasm")
    crowd = Crowd(walks(), 101, seed=1)
    crowd.points[...] = crowd.points[::-1].copy()
    crowd._take_goals()
    step = crowd._step_of(0, 1 / 60)
    about = {"characters": 101, "joints": 23, "triangles": len(crowd.tables.triangles), "steps": 60, "rounds": 0}
    (tmp_path / "about.json").write_text(json.dumps(about))
    for name, data in (
        ("tables", memory_image(crowd.tables)),
        ("step", step_image(crowd.tables, step)),
        ("records", crowd._records.tobytes()),
        ("goals", crowd._goals.tobytes()),
    ):
        (tmp_path / f"{name}.bin").write_bytes(data)
    script = Path(__file__).with_name("wasm.mjs")
    subprocess.run([node, script, BUILT, tmp_path], check=True, capture_output=True, timeout=60)
    found = np.fromfile(tmp_path / "poses.bin", dtype="<f4").reshape(crowd.poses().shape)
    for _ in range(60):
        crowd.step(1 / 60)
    apart = np.abs(found - crowd.poses()).max(axis=(1, 2, 3))
    assert np.quantile(apart, 0.95) < 5e-5
    assert np.median(apart) < 1e-5
