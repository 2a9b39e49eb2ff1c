"""The page docs/performance.md, made of what ``mocapella bench`` printed of crowds and of players.

mocapella bench crowd --json > crowd.json
mocapella bench player --json > player.json
python -m benchmarks.performance_page crowd.json player.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
# Figures of peers that were measured elsewhere, and are not part of the bench.
ELSEWHERE = (
    ("ozz-animation 0.15: three clips sampled and blended, local to model", 2483.0, "one thread, 10,000 characters"),
    ("ozz-animation 0.15 with the foot IK of its samples", 3074.0, "the same run"),
    ("three.js animation mixer in Node 20, without feet", 22300.0, "1,000 characters"),
)


def page(found: dict, players: dict | None = None) -> str:
    """The page as Markdown; of players the times of steps, where those were measured."""
    machine = ", ".join(str(value) for value in found["machine"].values())
    lines = [
        "# Performance",
        "",
        "What a step of a crowd costs, feet held, triangle search and everything else included. Processor time of the",
        "fastest of several rounds, engines in turn; rows with *wall time* are wall time.",
        f"Measured on: {machine}. Made by `mocapella bench crowd --json` and `python -m benchmarks.performance_page`;",
        "other work on the machine makes all figures worse, so ratios within the table count.",
        "",
        "| what | value | unit |",
        "|---|---:|---|",
    ]
    lines += [f"| {row['name']} | {figure(row['value'])} | {row['unit']} |" for row in found["rows"]]
    lines += _players(players) if players else []
    lines += [
        "",
        "## Measured elsewhere",
        "",
        "Peers, on another machine and in other runs, nanoseconds a character:",
        "",
        "| what | ns | how |",
        "|---|---:|---|",
        *(f"| {name} | {figure(value)} | {how} |" for name, value, how in ELSEWHERE),
        "",
    ]
    return "\n".join(lines)


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
