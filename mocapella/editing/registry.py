"""The edits there are: for each a function that makes a motion of a motion, and its parameters.

A new edit is a function ``edit(clip, *, option=…) -> Clip`` in this package and an entry in ``EDITS``; the command
line, edit files and ``mocapella.edit`` read this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from mocapella.editing.parameters import Parameter
from mocapella.rig.parts import PARTS

_WAYS = ("warp", "stances", "length", "keys", "frames")  # ways to align two motions, ``clip_blend.WAYS``


@dataclass(frozen=True)
class Editor:
    """One kind of edit."""

    home: str  # where its function is: "module:function", imported when first used
    about: str  # what it does, in a sentence without a stop
    parameters: Mapping[str, Parameter] = field(default_factory=dict)  # the function's keyword arguments
    main: str = ""  # the parameter that a value without a name stands for on the command line
    group: Literal["edit", "filter"] = "edit"  # filters are --filter NAME:VALUES, others have an option of their own
    cycles: bool = False  # whether it takes a Cycle and returns one, too

    @property
    def function(self) -> Callable[..., Any]:
        """The function: a clip first, then the parameters by keyword."""
        module, _, name = self.home.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"mocapella.editing.{module}"), name)
        return found


def _seconds(about: str, default: float) -> Parameter:
    return Parameter("number", about, default, least=0.0, most=5.0, unit="s")


_PATH_OPTIONS = {
    "keep_length": Parameter("flag", "keep the length of steps", True),
    "femurs": Parameter("flag", "swing the thighs further where the path is longer", False),
    "lock_feet": Parameter("flag", "hold the feet where they rest afterwards", True),
}

EDITS: Mapping[str, Editor] = {
    "lock_feet": Editor(
        "feet.lock:lock_feet",
        "hold feet in one place each time they rest",
        {
            "constraints": Parameter(
                "table", "ends to hold → [first, last] or [first, last, x, y, z]; found if left out"
            ),
            "zone": _seconds("time in which a limb leaves and regains its way", 0.25),
            "smoothing": _seconds("width over which the way of the root is smoothed", 0.08),
            "stretch": Parameter("number", "share by which a limb too short may grow", 0.03, least=0.0, most=0.5),
            "level": Parameter("flag", "put feet on level ground at height 0", False),
        },
        cycles=True,
    ),
    "path": Editor(
        "paths:follow_path",
        "lead the motion along another path",
        {"points": Parameter("points", "a .csv file of x,z in metres", required=True), **_PATH_OPTIONS},
        main="points",
    ),
    "bend": Editor(
        "paths:bend_path",
        "drag handles of the path elsewhere",
        {
            "moves": Parameter("points", "rows of handle, x and z in metres", required=True),
            **_PATH_OPTIONS,
            "keep_length": Parameter("flag", "keep the length of steps", False),
        },
        main="moves",
    ),
    "follow_feet": Editor(
        "feet.root_only:follow_feet",
        "move the root alone so that planted feet stay",
        {"vertical": Parameter("flag", "put heights right, too", True)},
    ),
    "cut": Editor(
        "basic:cut",
        "keep the frames from one to another",
        {
            "first": Parameter("whole", "the first frame kept, a row of the file", 0, least=0),
            "last": Parameter("whole", "the last frame kept; the end if left out", least=0),
        },
        main="first",
    ),
    "resample": Editor(
        "basic:resample",
        "the same motion at another frame rate",
        {"rate": Parameter("number", "frames per second", required=True, least=1.0, most=10_000.0, unit="Hz")},
        main="rate",
    ),
    "turn": Editor(
        "basic:turn",
        "turn the whole motion about its first place",
        {"angle": Parameter("number", "left positive", required=True, least=-3600.0, most=3600.0, unit="°")},
        main="angle",
    ),
    "mirror": Editor("basic:mirror", "exchange left and right", cycles=True),
    "repair": Editor("basic:repair", "bridge lost frames and one-frame jumps"),
    "blend": Editor(
        "clip_blend:blend_clips",
        "blend with another motion, aligned in time",
        {
            "second": Parameter("clip", "the motion to blend with", required=True),
            "weight": Parameter("numbers", "of the other motion; several are spread over the blend", (0.5,)),
            "align": Parameter("word", "how frames correspond", "warp", choices=tuple(_WAYS)),
            "keys": Parameter("points", "for align=keys: pairs of rows of the two motions", ()),
        },
        main="second",
    ),
    "join": Editor(
        "join:join_clips",
        "go over into another motion where the same feet rest and poses agree",
        {
            "second": Parameter("clip", "the motion that follows", required=True),
            "at": Parameter(
                "numbers", "row of this motion and row of the other where they meet; found if left out", ()
            ),
            "window": Parameter(
                "number", "time over which one goes over into the other", 0.3, least=0.01, most=5.0, unit="s"
            ),
        },
        main="second",
    ),
    "retime": Editor(
        "clip_blend:retime",
        "show the motion in the time of another",
        {
            "other": Parameter("clip", "the motion whose time is taken", required=True),
            "align": Parameter("word", "how frames correspond", "warp", choices=tuple(_WAYS[:-1])),
            "keys": Parameter("points", "for align=keys: pairs of rows of the two motions", ()),
        },
        main="other",
    ),
    "feel": Editor(
        "feelings.profile:feel",
        "give a gesture the feeling that an emotional performance of another has over a neutral one",
        {
            "neutral": Parameter("clip", "a gesture performed neutrally"),
            "emotional": Parameter("clip", "the same gesture with a feeling"),
            "profile": Parameter("table", "what was learnt from two such motions, instead of these"),
            "strength": Parameter("number", "0 none, 1 as learnt, more exaggerates", 1.0, least=-4.0, most=4.0),
            "periods": Parameter("numbers", "rows between which basic periods lie; found if left out", ()),
        },
        main="neutral",
    ),
    "interpolate": Editor(
        "feelings.gaits:interpolate",
        "a gait between this one and another, or beyond, by harmonics",
        {
            "other": Parameter("clip", "the same gait with a feeling", required=True),
            "amount": Parameter("number", "0 this one, 1 the other, beyond exaggerates", 0.5, least=-4.0, most=4.0),
        },
        main="other",
        cycles=True,
    ),
    "quality": Editor(
        "feelings.gaits:transfer_quality",
        "give a gait what a special one has over a plain one, by harmonics",
        {
            "plain": Parameter("clip", "another gait without the quality", required=True),
            "special": Parameter("clip", "that gait with the quality", required=True),
            "amount": Parameter("number", "how much of it", 1.0, least=-4.0, most=4.0),
            "harmonics": Parameter("numbers", "first and last harmonic that change; all if left out", (), least=0.0),
        },
        main="plain",
        cycles=True,
    ),
    "stride": Editor(
        "feelings.gaits:stride",
        "longer or shorter strides of a gait, taken more quickly or more slowly",
        {
            "length": Parameter("number", "factor of how far legs swing", 1.0, least=0.05, most=3.0),
            "pace": Parameter("number", "factor of strides per second", 1.0, least=0.34, most=3.0),
        },
        main="length",
        cycles=True,
    ),
    "retarget": Editor(
        "retarget:retarget",
        "carry the motion to another skeleton",
        {
            "skeleton": Parameter("clip", "a motion that has the skeleton, or an .asf", required=True),
            "importance": Parameter("table", "end → 0 captured angles … 1 its place; left_wrist = 1.0 say", {}),
            "pins": Parameter("table", "end → x, y, z in metres", {}, unit="m"),
            "lock_feet": Parameter("flag", "hold feet where they rest in the source", True),
        },
        main="skeleton",
        cycles=True,
    ),
    "restyle": Editor(
        "basic:restyle",
        "blend each step with the averaged step of another motion",
        {
            "style": Parameter("clip", "the motion whose manner is taken on", required=True),
            "ratio": Parameter("number", "0 the motion itself, 1 the other manner", 0.5, least=-4.0, most=4.0),
            "part": Parameter("word", "of the body", "all", choices=tuple(PARTS)),
        },
        main="style",
    ),
}
