"""Networks, recordings, answers and error messages are what they were when they were frozen.

``MOCAPELLA_FREEZE=1 pytest tests/golden`` freezes them anew; look at the difference before it is committed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FROZEN = Path(__file__).with_name("frozen.json")
RELATIVE = 1e-4  # between processors; a change that is meant moves figures by more


def unlike(before: object, now: object, place: str = "") -> list[str]:
    """Where two JSON values differ by more than rounding."""
    if isinstance(before, dict) and isinstance(now, dict):
        return [line for key in {**before, **now} for line in unlike(before.get(key), now.get(key), f"{place}.{key}")]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [line for i, pair in enumerate(zip(before, now, strict=True)) for line in unlike(*pair, f"{place}[{i}]")]
    if isinstance(before, float) or isinstance(now, float):
        return [] if before == pytest.approx(now, rel=RELATIVE, abs=RELATIVE) else [f"{place}: {before} → {now}"]
    return [] if before == now else [f"{place}: {before} → {now}"]


@pytest.mark.data
def test_outcomes_are_what_they_were(data_folder, tmp_path):
    # In a process of its own, without shapes checked on every call: that would take ten times as long.
    words = [sys.executable, "-m", "tests.golden", "--summary", str(tmp_path / "now.json")]
    subprocess.run(
        words, check=True, env={**os.environ, "MOCAPELLA_DATA": str(data_folder)}, cwd=ROOT, stdout=subprocess.DEVNULL
    )
    now = json.loads((tmp_path / "now.json").read_text())
    if os.environ.get("MOCAPELLA_FREEZE"):
        FROZEN.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n")
    assert unlike(json.loads(FROZEN.read_text()), now) == []
