"""The page docs/performance.md, made of what ``mocapella bench`` printed of crowds and of players.

mocapella bench crowd --json > crowd.json
mocapella bench player --json > player.json
python -m benchmarks.performance_page crowd.json player.json
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from benchmarks.benches.crowd import RECORDED

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
# Measured elsewhere; on the page where the bench did not measure the peer itself.
ELSEWHERE = (
    (
        "ozz",
        "ozz-animation 0.15: three clips blended, local to model",
        RECORDED["ozz"],
        "10,000 characters, one thread",
    ),
    ("ozz", "ozz-animation 0.15 with the foot IK of its samples", RECORDED["ozz, feet"], "the same run"),
    ("three.js", "three.js animation mixer in Node 20, without feet", RECORDED["three.js"], "1,000 characters"),
)


def page(found: dict, players: dict | None = None) -> str:
    """The page as Markdown; of players the times of steps, where those were measured."""
    machine = ", ".join(str(value) for value in found["machine"].values())
    lines = [
        "# Performance",
        "",
        "This page lists the cost of a crowd and of a single character. `mocapella bench crowd --json` and",
        f"`python -m benchmarks.performance_page` write it. Measured on: {machine}.",
        "",
        "## Crowds",
        "",
        "Times are per character and step, with locked feet, triangle search and everything else. They are the",
        "processor time of the fastest of several rounds, with the engines measured alternately. Rows with",
        "*threads* are wall time; in Node it is the smaller of both. Other work on the machine slows everything",
        "down, so compare figures within the table.",
        "",
        "*Mark* is the target. *Beside it* has other libraries, measured in the same run, and published or",
        "recorded figures, measured on other machines.",
        "",
        "| what | value | unit | mark | beside it |",
        "|---|---:|---|---:|---|",
    ]
    lines += [
        f"| {row['name']} | {figure(row['value'])} | {row['unit']} | {row.get('mark', '')} | {_beside(row)} |"
        for row in found["rows"]
    ]
    lines += _players(players) if players else []
    measured = " ".join(name for row in found["rows"] for name in row.get("peers", ()))
    absent = [row for peer, *row in ELSEWHERE if peer not in measured]
    return "\n".join([*lines, *(_elsewhere(absent) if absent else []), ""])


def _beside(row: dict) -> str:
    """Peers of the same run, then the published figure, then the note."""
    parts = [f"{name}: {figure(value)}" for name, value in row.get("peers", {}).items()]
    parts += [f"published or recorded: {figure(row['published'])}"] if "published" in row else []
    return "; ".join([*parts, *([row["note"]] if row.get("note") else [])])


def _elsewhere(rows: list[list]) -> list[str]:
    return [
        "",
        "## Measured elsewhere",
        "",
        "Other libraries, measured on another machine and in other runs, in nanoseconds per character:",
        "",
        "| what | ns | how |",
        "|---|---:|---|",
        *(f"| {name} | {figure(value)} | {how} |" for name, value, how in rows),
    ]


def _players(found: dict) -> list[str]:
    machine = ", ".join(str(value) for value in found["machine"].values())
    rows = [
        {**row, "name": row["name"].removesuffix(": processor time, fastest")}
        for row in found["rows"]
        if row["unit"] in ("µs", "×", "%") and not re.search("S-shaped|wall time|median", row["name"])
    ]
    return [
        "",
        "## One character",
        "",
        "`mocapella bench player` measures a step of a `Player` from Python: blending point, blend, gait, root,",
        "feet and pose: processor time of the fastest round, both engines alternately in one process. In the rows",
        f"*point moving*, the point gets a new target at every step. Measured on: {machine}.",
        "",
        "| what | value | unit | target |",
        "|---|---:|---|---:|",
        *(f"| {row['name']} | {figure(row['value'])} | {row['unit']} | {row.get('mark', '')} |" for row in rows),
    ]


def figure(value: float) -> str:
    """A number with as many digits as matter."""
    return f"{value:,.0f}" if value >= 100.0 else f"{value:,.2f}"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crowd", type=Path)
    parser.add_argument("player", type=Path, nargs="?")
    given = parser.parse_args()
    PAGE.write_text(page(*(json.loads(path.read_text()) for path in (given.crowd, given.player) if path is not None)))


if __name__ == "__main__":
    main()
