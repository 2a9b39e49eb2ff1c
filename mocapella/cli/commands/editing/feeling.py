"""``mocapella feeling``: learn from two performances of a gesture what a feeling does to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.outputs import check_output, output_option
from mocapella.cli.printing import Json, command, say, table
from mocapella.editing.edit_files import save_edits
from mocapella.editing.edits import Edit
from mocapella.editing.feelings.posture import HELD
from mocapella.editing.feelings.profile import learn_profile
from mocapella.editing.feelings.reshaping import CATEGORIES
from mocapella.editing.retarget import on_body
from mocapella.files.formats import read_motion


@click.command(cls=Command, example="mocapella feeling drink.bvh angry_drink.bvh -o angry.toml")
@click.argument("neutral", metavar="NEUTRAL", type=FILE)
@click.argument("emotional", metavar="EMOTIONAL", type=FILE)
@output_option("goal", metavar="PROFILE.toml",
               help="Write the profile as an edit, for mocapella edit IN --edits PROFILE.toml -o OUT.")  # fmt: skip
@click.option("--strength", type=float, default=1.0, help="Strength of the feeling in that edit: 0 none, 1 as learnt.")
@expert_option("--end", metavar="ROLE", help="The end of a limb that leads the gesture, such as right_wrist.")
@reading_options
@command
def feeling(
    neutral: Path, emotional: Path, goal: Path | None, strength: float, end: str | None, **options: Any
) -> Json:
    """Learn what a feeling does to a gesture.

    NEUTRAL and EMOTIONAL show the same gesture. Its basic periods are compared one by one: their duration, their
    timing, how far the hand goes, and how far trunk, shoulder, elbow and hand swing away from the straight line; and so
    is the posture of trunk, head and the other arm. EMOTIONAL is retargeted if it is of another body than NEUTRAL.
    """
    check_output(goal, [".toml"], [neutral, emotional])
    calm, felt = (read_motion(path, **options) for path in (neutral, emotional))
    felt, notes = on_body(felt, calm.skeleton)
    profile = learn_profile(calm, felt, end=end)
    if goal is not None:
        save_edits([Edit("feel", profile=profile.plain(), strength=strength)], goal)
    rows = [
        (str(i + 1), *(f"{ratio:.2f}" for ratio in (profile.durations[i], profile.ranges[i], *profile.amplitudes[i])))
        for i in range(profile.n_periods)
    ]
    posture = np.degrees(profile.posture).round(2) + 0.0
    say(table(("period", ">time", ">range", *(f">{part}" for part in CATEGORIES)), rows), *notes)
    turns = [(part, *(f"{angle:+.1f}" for angle in turn)) for part, turn in zip(HELD, posture, strict=True)]
    say(table(("posture, °", ">forward", ">turned left", ">tilted right"), turns))
    if goal is not None:
        say(f"{goal}: {profile.name}, {profile.n_periods} periods")
    return {
        "name": profile.name,
        "periods": profile.n_periods,
        "durations": profile.durations.tolist(),
        "ranges": profile.ranges.tolist(),
        "amplitudes": {part: profile.amplitudes[:, i].tolist() for i, part in enumerate(CATEGORIES)},
        "posture": {part: turn.tolist() for part, turn in zip(HELD, posture, strict=True)},
        "retargeted": list(notes),
        "path": None if goal is None else str(goal),
    }
