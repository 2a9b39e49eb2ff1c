"""``mocapella restyle``: one motion blended with the style of another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.analysis.examined import examine
from mocapella.analysis.plants.detect import find_plants
from mocapella.cli.commands.plants import read_marks
from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.motion_files import reading_options
from mocapella.cli.options.outputs import check_output, check_outputs, outputs_option, write_all
from mocapella.cli.printing import Json, command, say
from mocapella.editing.averaged import AveragedMotion, average_stances, gait_plants
from mocapella.editing.basic import restyled_feet
from mocapella.editing.retarget import on_body
from mocapella.editing.stance_blend import blend_stances
from mocapella.files.format_table import WRITABLE
from mocapella.files.formats import read_motion
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FEET, Contacts
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.parts import PARTS
from mocapella.storage.stored_averages import AVERAGED
from mocapella.storage.values import save

_DIGITS = 6  # feet that are held slip by less than is worth writing
_MEASURES = ("distance", "slip_mm_mean", "slip_mm_max")


@click.command(cls=Command, example="mocapella restyle walk.bvh sad.bvh -o half_sad.bvh --ratio 0.5")
@click.argument("source", metavar="CLIP", type=FILE)
@click.argument("style", metavar="STYLE", type=FILE)
@outputs_option(metavar="OUT", help="The motion file to write; repeat it for several.")
@click.option("--ratio", type=float, default=0.5, help="Share of STYLE: 0 none, 1 all of it.")
@click.option("--part", type=click.Choice(PARTS, case_sensitive=False), default="all",
              help="The part of the body to blend.")  # fmt: skip
@expert_option("--with", "others", metavar="OTHER RATIO", type=(FILE, float), multiple=True,
              help="Blend STYLE with another one first; may be repeated.")  # fmt: skip
@expert_option("--save-style", type=FILE, help="Store the averaged motion of STYLE as .moca, to be used as a STYLE.")
@click.option("--lock-feet/--no-lock-feet", "hold", default=True, help="Lock the feet where those of CLIP rest.")
@expert_option("--plants", "marks", multiple=True, metavar="MARKS", help="Foot plants of CLIP, as plants --override.")
@expert_option("--style-plants", multiple=True, metavar="MARKS", help="Foot plants of STYLE, in the same way.")
@reading_options
@command
def restyle(source: Path, style: Path, outputs: tuple[Path, ...], ratio: float, part: str,
            others: tuple[tuple[Path, float], ...], save_style: Path | None, hold: bool, marks: tuple[str, ...],
            style_plants: tuple[str, ...], **options: Any) -> Json:  # fmt: skip
    """Blend a motion with the style of another.

    For example, blend a walk with the steps of a sad walk, or only with its arms. STYLE is a motion file, of which all
    steps are averaged, or a style stored by --save-style. A motion file of another body is retargeted to that of CLIP
    first. CLIP keeps its frames, its heading and the direction of its path; if both legs are blended, the length of the
    path follows from the blended steps.

    Among other edits, and for stored cycles, use mocapella edit IN -o OUT --restyle STYLE,ratio=0.5.
    """
    read = [source, style, *(other for other, _ in others)]
    check_outputs(outputs, WRITABLE, read)
    check_output(save_style, [".moca"], read)
    clip = read_motion(source, **options)
    notes: list[str] = []
    averaged = _averaged(style, style_plants, options, clip.skeleton, notes)
    for other, share in others:
        averaged = averaged.blended(_averaged(other, (), options, clip.skeleton, notes), share)
    marked = _marked(clip, marks)
    changed = blend_stances(clip, averaged, ratio, part=part, contacts=marked)
    examined, plants = gait_plants(clip, marked)
    if hold:
        changed = restyled_feet(changed, plants, ratio, part)
    if save_style is not None:
        save(averaged, save_style)
    files = write_all(changed, outputs)
    before, after = (
        {
            key: round(value, _DIGITS)
            for key, value in figures(MOTION, MeasuredMotion(motion, plants), _MEASURES).items()
        }
        for motion in (examined.clip, changed)
    )
    say(
        f"{', '.join(files['files'])}: {changed.n_frames} frames, {part} {ratio:g} of {averaged.name or style.stem}",
        f"  goes {after['distance']:.2f} m, the original {before['distance']:.2f} m",
        f"  planted feet slip by {after['slip_mm_mean']:.0f} mm, the original's by {before['slip_mm_mean']:.0f} mm",
        *notes,
    )
    return {
        **files,
        "frames": changed.n_frames,
        "seconds": changed.seconds,
        "ratio": ratio,
        "part": part,
        **after,
        "original": before,
        "retargeted": notes,
        "style": {foot: _describe(averaged, foot) for foot in FEET},
    }


def _averaged(
    path: Path, marks: tuple[str, ...], options: dict[str, Any], body: Skeleton, notes: list[str]
) -> AveragedMotion:
    """A stored averaged motion, or that of a motion file, retargeted to this skeleton, which is added to the notes."""
    if path.suffix.lower() == ".moca":
        return AVERAGED.load(path)
    clip = read_motion(path, **options)
    marked = _marked(clip, marks)
    clip, done = on_body(clip, body)
    notes += done
    return average_stances(clip, contacts=marked)


def _marked(clip: Clip, marks: tuple[str, ...]) -> Contacts | None:
    return find_plants(examine(clip), gait=True, override=read_marks(marks, clip.first_row)) if marks else None


def _describe(averaged: AveragedMotion, foot: str) -> dict[str, float]:
    stance = averaged.stances[foot]
    ahead, left = (float(x) for x in stance.step)
    return {"seconds": stance.seconds, "step_m": abs(complex(ahead, left)), "stances": stance.count}
