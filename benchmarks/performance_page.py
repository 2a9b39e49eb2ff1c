"""The page docs/performance.md, made of what ``mocapella bench`` printed of crowds and of players.

mocapella bench crowd --json > crowd.json
mocapella bench player --json > player.json
python -m benchmarks.performance_page crowd.json player.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from mocapella.studies.benches.crowd import RECORDED

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
        "What a step of a crowd costs, feet held, triangle search and everything else included. Processor time of the",
        "fastest of several rounds, engines in turn; rows by *threads*: wall time; in Node the smaller of both.",
        f"Measured on: {machine}. Made by `mocapella bench crowd --json` and `python -m benchmarks.performance_page`;",
        "other work on the machine makes all figures worse, so ratios within the table count.",
        "",
        "*Mark* is the target. *Beside it*: peers measured in the same run, and published or recorded figures, which",
        "were measured on other machines.",
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
        "Peers, on another machine and in other runs, nanoseconds a character:",
        "",
        "| what | ns | how |",
        "|---|---:|---|",
        *(f"| {name} | {figure(value)} | {how} |" for name, value, how in rows),
    ]


def _players(found: dict) -> list[str]:
    machine = ", ".join(str(value) for value in found["machine"].values())
    kept = [row for row in found["rows"] if row["unit"] in ("µs", "×", "%") and "S-shaped" not in row["name"]]
    return [
        "",
        "## One character",
        "",
        "What a step of a `Player` costs from Python, on both engines, in turn in one process: blending point, blend,",
        "gait, root, feet and pose; *moving* sends the point somewhere else in every step. `mocapella bench player`",
        "prints it.",
        f"Measured on: {machine}.",
        "",
        "| what | value | unit | target |",
        "|---|---:|---|---:|",
        *(f"| {row['name']} | {figure(row['value'])} | {row['unit']} | {row.get('mark', '')} |" for row in kept),
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
    PAGE.write_text(page(*(json.loads(one.read_text()) for one in (given.crowd, given.player) if one is not None)))


if __name__ == "__main__":
    main()
