"""``mocapella plants``: foot plants of heels and toes by a chosen test, and what is doubtful about them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import msgspec

from mocapella.analysis.plants.detect import LEARNERS, PLANT_TESTS, doubts, find_plants
from mocapella.analysis.treadmill import examine_travelling
from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.printing import Json, command, doubt, quiet, say
from mocapella.errors import MotionError
from mocapella.files.disk import read_bytes
from mocapella.files.formats import read_motion
from mocapella.motion.contacts import FOOT_POINTS, Interval

_INTERVALS = re.compile(r"(\w+):((?:\d+-\d+(?:,\d+-\d+)*)?)")
_LARGEST = 16 << 20  # bytes of a file of plants
_MARKS = "POINT:FIRST-LAST[,FIRST-LAST…] or a FILE as plants --json writes it; may be repeated."


@click.command(cls=Command, example="mocapella plants walk.bvh --override right_toe:7-68,136-195")
@click.argument("source", metavar="FILE", type=FILE)
@click.option("--method", type=click.Choice([*PLANT_TESTS, *LEARNERS]), help="The test, or with --seeds the learner.")
@expert_option("--seeds", multiple=True, metavar="MARKS", help=f"Foot plants that are known, to learn from: {_MARKS}")
@click.option("--override", multiple=True, metavar="MARKS", help=f"Foot plants to use instead of those found: {_MARKS}")
@expert_option("--gait", is_flag=True, help="Join short plants, and drop those within a plant of the other foot.")
@reading_options
@command
def plants(
    source: Path, method: str | None, seeds: tuple[str, ...], override: tuple[str, ...], gait: bool, **options: Any
) -> Json:
    """Find when heels and toes rest on the ground.

    Each plant is given by its first and last planted frame, as rows of the file. In a walk in place, as on a treadmill,
    a foot counts as planted while it moves with the belt.
    """
    if bool(seeds) != (method in LEARNERS) and not (seeds and method is None):
        raise click.UsageError(
            f"--seeds teach by {' or '.join(LEARNERS)}; without them --method is one of {', '.join(PLANT_TESTS)}"
        )
    examined = examine_travelling(read_motion(source, **options))
    clip = examined.clip
    contacts = find_plants(
        examined,
        method=None if seeds else method,
        seeds=read_marks(seeds, clip.first_row) if seeds else None,
        learn=method if seeds and method is not None else "speed",
        gait=gait,
        override=read_marks(override, clip.first_row) if override else None,
    )
    findings = doubts(examined, contacts)
    answer: Json = {point: rows(contacts.point(point), clip.first_row) for point in FOOT_POINTS}
    say(*(f"{point:12}" + "  ".join(f"{a}–{b}" for a, b in intervals) for point, intervals in answer.items()))
    for finding in () if quiet() else findings:
        doubt(finding.message)
    return answer | {
        "report": [
            {"code": finding.code, "message": finding.message, "frames": list(finding.frames)} for finding in findings
        ]
    }


def read_marks(words: tuple[str, ...], first_row: int) -> dict[str, list[Interval]]:
    """Plants as they stand on the command line, or in a file that is named there, as frames of the clip."""
    marked: dict[str, list[Interval]] = {}
    for word in words:
        for point, intervals in _read(word).items():
            marked.setdefault(point, []).extend((first - first_row, last - first_row) for first, last in intervals)
    return {point: sorted(intervals) for point, intervals in marked.items()}


def _read(word: str) -> dict[str, list[Interval]]:
    match = _INTERVALS.fullmatch(word)
    if match:
        pairs = [part.split("-") for part in match[2].split(",") if part]
        return {match[1]: [(int(first), int(last)) for first, last in pairs]}
    path = Path(word)
    if not path.is_file():
        raise MotionError(f"{word!r} is neither a file nor plants of a point; write left_heel:63-113,197-243")
    try:
        told = msgspec.json.decode(read_bytes(path, most=_LARGEST), type=dict[str, Any])
        return msgspec.convert({p: told[p] for p in told if p != "report"}, dict[str, list[tuple[int, int]]])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as reason:
        raise MotionError(f"{path} holds no plants, as plants --json writes them: {reason}") from None


def rows(intervals: tuple[Interval, ...], first_row: int) -> list[list[int]]:
    """Intervals of frames as the file's own rows."""
    return [[first + first_row, last + first_row] for first, last in intervals]
