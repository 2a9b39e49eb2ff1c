"""The registry of edits: for each a function from a motion to a motion, and its parameters.

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
    cycles: bool = False  # whether it takes a Cycle, too
    why_no_cycles: str = ""  # why not, and what does instead
    in_time: bool = True  # whether every frame still shows the moment it showed before
    holds_plants: bool = False  # whether plants found before earlier edits serve it better than those of its input

    @property
    def function(self) -> Callable[..., Any]:
        """The function: a clip first, then the parameters by keyword."""
        module, _, name = self.home.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"mocapella.editing.{module}"), name)
        return found


def _seconds(about: str, default: float) -> Parameter:
    return Parameter("number", about, default, least=0.0, most=5.0, unit="s")


def _second(about: str) -> Parameter:
    """Another motion that mixes with the edited one, and therefore has to be of its skeleton."""
    return Parameter("clip", about, required=True, on_body_of="motion")


_DOFS = Parameter("words", "joints, roles, parts or angles such as left_knee.x; all if left out", (), names_joints=True)
_SOLVERS = ("damped_least_squares", "pseudo_inverse", "transpose", "cyclic_descent", "constraint_projection")
_PATH_OPTIONS = {
    "keep_length": Parameter("flag", "keep the length of steps", True),
    "femurs": Parameter("flag", "swing the thighs further where the path is longer", False),
    "lock_feet": Parameter("flag", "hold the feet where they rest afterwards", True),
    "fill": Parameter("flag", "add steps where the path is too long for them", False),
}

EDITS: Mapping[str, Editor] = {
    "lock_feet": Editor(
        "feet.lock:lock_feet",
        "lock feet in place while they are planted",
        {
            "constraints": Parameter(
                "table", "ends to hold → [first, last] or [first, last, x, y, z]; found if left out"
            ),
            "zone": _seconds("fade of the correction before and after each rest", 0.25),
            "smoothing": _seconds("width over which the shift of the root is smoothed", 0.08),
            "stretch": Parameter(
                "number", "share by which a limb that is too short may grow", 0.03, least=0.0, most=0.5
            ),
            "level": Parameter("flag", "put feet on level ground at height 0", False),
        },
        holds_plants=True,
        cycles=True,
    ),
    "path": Editor(
        "paths:follow_path",
        "move the motion onto another path",
        {"points": Parameter("points", "a .csv file of x,z in metres", required=True), **_PATH_OPTIONS},
        main="points",
        cycles=True,
    ),
    "bend": Editor(
        "paths:bend_path",
        "bend the path by moving its handles",
        {
            "moves": Parameter("points", "rows of handle, x and z in metres", required=True),
            **_PATH_OPTIONS,
            "keep_length": Parameter("flag", "keep the length of steps", False),
        },
        main="moves",
        why_no_cycles="a cycle has no handles, it goes along its own arc; path leads rounds of it along points",
    ),
    "incline": Editor(
        "feet.incline:incline",
        "lead the motion up or down a slope, feet held; the opposite slope levels one that was captured on a slope",
        {"slope": Parameter("number", "up positive", 5.0, least=-45.0, most=45.0, unit="°")},
        main="slope",
        in_time=False,
        why_no_cycles="a cycle has level ground; lead a clip up or down",
    ),
    "threshold": Editor(
        "filters.frequency:threshold",
        "remove weak frequencies: noise and spikes",
        {
            "share": Parameter(
                "number", "of the strongest frequency, below which one is removed", 0.1, least=0.0, most=1.0
            ),
            "gain": Parameter("number", "of those that remain", 1.0, least=0.0, most=10.0),
            "dofs": _DOFS,
        },
        main="share",
        group="filter",
        cycles=True,
    ),
    "frequencies": Editor(
        "filters.frequency:frequencies",
        "amplify bands of frequencies in all signals or in some",
        {"bands": Parameter("points", "rows of lowest Hz, highest Hz and gain", required=True), "dofs": _DOFS},
        main="bands",
        group="filter",
        cycles=True,
    ),
    "exaggerate": Editor(
        "filters.frequency:exaggerate",
        "make the whole body's motion larger about its mean pose",
        {
            "gain": Parameter("number", "1 is the motion itself", required=True, least=0.0, most=4.0),
            "travel": Parameter("flag", "travel as far as the longer steps take it", True),
        },
        main="gain",
        group="filter",
        cycles=True,
    ),
    "speed": Editor(
        "filters.frequency:speed",
        "slower or faster, at the same frame rate",
        {"factor": Parameter("number", "2 is twice as fast", required=True, least=0.05, most=20.0)},
        main="factor",
        group="filter",
        cycles=True,
        in_time=False,
    ),
    "bands": Editor(
        "filters.bands:band_gains",
        "amplify octave bands, the finest detail first",
        {"gains": Parameter("numbers", "of bands 0, 1, 2, …", required=True, least=-100.0, most=100.0), "dofs": _DOFS},
        main="gains",
        group="filter",
        cycles=True,
    ),
    "preset": Editor(
        "filters.bands:preset",
        "a ready-made set of band gains",
        {
            "name": Parameter(
                "word", "which one", required=True, choices=("twitch", "follow_through", "squash", "calm")
            ),
            "amount": Parameter("number", "0 is the motion itself", 1.0, least=0.0, most=10.0),
        },
        main="name",
        group="filter",
        cycles=True,
    ),
    "band_blend": Editor(
        "filters.bands:band_blend",
        "blend with another motion band by band",
        {
            "other": _second("the motion to blend with"),
            "weights": Parameter("points", "rows of its share in bands 0, 1, 2, …, spread over time", required=True),
        },
        main="other",
        in_time=False,
        why_no_cycles="the bands of a cycle are its harmonics; interpolate blends two gaits by these",
    ),
    "waveshape": Editor(
        "filters.shapes:waveshape",
        "limit signals by their value, or bend them by a curve",
        {
            "dofs": Parameter("words", "angles such as left_knee.x, or height", required=True, names_joints=True),
            "low": Parameter("number", "lower limit, degrees or metres"),
            "high": Parameter("number", "upper limit, degrees or metres"),
            "soft": Parameter("number", "how far within a limit it begins to bend", 0.0, least=0.0, most=1000.0),
            "shape": Parameter("points", "instead of limits: rows of a value and what becomes of it", ()),
        },
        main="dofs",
        group="filter",
        cycles=True,
    ),
    "displace": Editor(
        "filters.shapes:displace",
        "move signals to key values and keep their detail",
        {
            "keys": Parameter("table", "dof → rows of frame and value", required=True, names_joints=True),
            "span": _seconds("before and after the keys; 0 for all of the motion", 0.0),
        },
        main="keys",
        group="filter",
        cycles=True,
    ),
    "warp": Editor(
        "filters.shapes:warp",
        "scale and shift signals through keys, and warp time through pairs",
        {
            "keys": Parameter("table", "dof → rows of frame, value and, if given, factor", names_joints=True),
            "times": Parameter("points", "rows of a frame and the frame at which it is shown", ()),
            "tension": Parameter("number", "of the splines", 0.0, least=0.0, most=1.0),
        },
        main="keys",
        group="filter",
        in_time=False,
        why_no_cycles="it leads from a beginning to an end, which a cycle has not; displace and speed edit cycles",
    ),
    "limits": Editor(
        "filters.joint_limits:clamp_limits",
        "keep joints within their limits",
        {"defaults": Parameter("flag", "limit knees and elbows for which the file says nothing", True)},
        cycles=True,
    ),
    "reach": Editor(
        "filters.reaching:reach",
        "move a joint to a place at one frame",
        {
            "joint": Parameter("word", "by name or role", required=True, names_joints=True),
            "frame": Parameter("whole", "a row of the file", required=True, least=0),
            "place": Parameter("numbers", "x, y, z", required=True, unit="m"),
            "base": Parameter("word", "the first joint that turns; the third above if left out", "", names_joints=True),
            "span": _seconds("before and after over which the change grows and goes", 0.5),
            "solver": Parameter("word", "how the chain is solved", "damped_least_squares", choices=_SOLVERS),
        },
        main="joint",
        cycles=True,
    ),
    "pose": Editor(
        "filters.posing:pose",
        "drag a joint to a place at one frame; the body follows, pins stay",
        {
            "joint": Parameter("word", "by name or role", required=True, names_joints=True),
            "frame": Parameter("whole", "a row of the file", required=True, least=0),
            "place": Parameter("numbers", "x, y, z", required=True, unit="m"),
            "pins": Parameter(
                "words", "joints that stay where they are", ("left_ankle", "right_ankle"), names_joints=True
            ),
            "span": _seconds("before and after over which the change grows and goes", 0.5),
        },
        main="joint",
        cycles=True,
    ),
    "follow_feet": Editor(
        "feet.root_only:follow_feet",
        "move only the root so that planted feet stay in place",
        {"vertical": Parameter("flag", "put heights right, too", True)},
        cycles=True,
    ),
    "treadmill": Editor(
        "basic:off_treadmill",
        "add to a motion in place the travel that its feet imply",
        why_no_cycles="a cycle was closed with the travel it had; give its clip the travel first",
    ),
    "cut": Editor(
        "basic:cut",
        "keep the frames from one to another",
        {
            "first": Parameter("whole", "the first frame kept, a row of the file", 0, least=0),
            "last": Parameter("whole", "the last frame kept; the end if left out", least=0),
        },
        main="first",
        in_time=False,
        why_no_cycles="without some of its frames a cycle does not close",
    ),
    "resample": Editor(
        "basic:resample",
        "the same motion at another frame rate",
        {"rate": Parameter("number", "frames per second", required=True, least=1.0, most=10_000.0, unit="Hz")},
        main="rate",
        in_time=False,
        cycles=True,
    ),
    "turn": Editor(
        "basic:turn",
        "turn the whole motion about its first place",
        {"angle": Parameter("number", "left positive", required=True, least=-3600.0, most=3600.0, unit="°")},
        main="angle",
        why_no_cycles="a cycle has no heading on the ground",
    ),
    "mirror": Editor("basic:mirror", "exchange left and right", cycles=True, in_time=False),
    "sync_mirror": Editor(
        "synced:sync_mirror",
        "mirror a gait in phase: the same foot steps first",
        cycles=True,
        in_time=False,
    ),
    "repair": Editor(
        "basic:repair",
        "interpolate lost frames and one-frame jumps",
        why_no_cycles="the frames of a cycle were repaired before it was closed",
    ),
    "blend": Editor(
        "clip_blend:blend_clips",
        "blend with another motion, aligned in time",
        {
            "second": _second("the motion to blend with"),
            "weight": Parameter("numbers", "of the other motion; several are spread over the blend", (0.5,)),
            "align": Parameter("word", "how frames correspond", "warp", choices=tuple(_WAYS)),
            "keys": Parameter("points", "for align=keys: pairs of rows of the two motions", ()),
        },
        main="second",
        in_time=False,
        why_no_cycles="it aligns motions that do not repeat; interpolate blends two gaits",
    ),
    "join": Editor(
        "join:join_clips",
        "continue with another motion where the same feet rest and poses agree",
        {
            "second": _second("the motion that follows"),
            "at": Parameter(
                "numbers", "row of this motion and row of the other where they meet; found if left out", ()
            ),
            "window": Parameter("number", "time of the crossover between the two", 0.3, least=0.01, most=5.0, unit="s"),
        },
        main="second",
        why_no_cycles="a motion joined to another does not repeat",
    ),
    "retime": Editor(
        "clip_blend:retime",
        "take over the timing of another motion",
        {
            "other": Parameter("clip", "the motion whose timing is used", required=True),
            "align": Parameter("word", "how frames correspond", "warp", choices=tuple(_WAYS[:-1])),
            "keys": Parameter("points", "for align=keys: pairs of rows of the two motions", ()),
        },
        main="other",
        in_time=False,
        why_no_cycles="synchronise brings cycles into one time; speed changes it",
    ),
    "feel": Editor(
        "feelings.profile:feel",
        "give a gesture the feeling learnt from a neutral and an emotional performance of another",
        {
            "neutral": Parameter("clip", "a gesture performed neutrally"),
            "emotional": Parameter("clip", "the same gesture with a feeling", on_body_of="neutral"),
            "profile": Parameter("table", "what was learnt from two such motions, instead of these"),
            "strength": Parameter("number", "0 none, 1 as learnt, more exaggerates", 1.0, least=-4.0, most=4.0),
            "periods": Parameter("numbers", "rows between which basic periods lie; found if left out", ()),
        },
        main="neutral",
        why_no_cycles="gestures do not repeat; interpolate and quality give gaits a feeling",
    ),
    "interpolate": Editor(
        "feelings.gait_quality:interpolate",
        "a gait between this one and another, or beyond, by harmonics",
        {
            "other": _second("the same gait with a feeling"),
            "amount": Parameter("number", "0 this one, 1 the other, beyond exaggerates", 0.5, least=-4.0, most=4.0),
        },
        main="other",
        cycles=True,
        in_time=False,
    ),
    "quality": Editor(
        "feelings.gait_quality:transfer_quality",
        "add the difference between a special and a plain gait, by harmonics",
        {
            "plain": _second("another gait without the quality"),
            "special": _second("that gait with the quality"),
            "amount": Parameter("number", "how much of it", 1.0, least=-4.0, most=4.0),
            "harmonics": Parameter("numbers", "first and last harmonic that change; all if left out", (), least=0.0),
        },
        main="plain",
        cycles=True,
        in_time=False,
    ),
    "stride": Editor(
        "feelings.gait_quality:stride",
        "longer or shorter strides of a gait, taken more quickly or more slowly",
        {
            "length": Parameter("number", "factor of how far legs swing", 1.0, least=0.05, most=3.0),
            "pace": Parameter("number", "factor of strides per second", 1.0, least=0.34, most=3.0),
        },
        main="length",
        cycles=True,
        in_time=False,
    ),
    "retarget": Editor(
        "retarget:retarget",
        "move the motion onto another skeleton",
        {
            "skeleton": Parameter("clip", "a motion that has the skeleton, or an .asf", required=True),
            "importance": Parameter(
                "table", "end → 0 (keep captured angles) to 1 (reach its place), such as left_wrist = 1.0", {}
            ),
            "pins": Parameter("table", "end → x, y, z in metres", {}, unit="m"),
            "objects": Parameter("table", "end → x, y, z of an object that it touches in the source", {}, unit="m"),
            "lock_feet": Parameter("flag", "hold feet where they rest in the source", False),
        },
        main="skeleton",
        cycles=True,
    ),
    "restyle": Editor(
        "basic:restyle",
        "blend each step with the averaged step of another motion",
        {
            "style": _second("the motion whose style is used"),
            "ratio": Parameter("number", "0 the motion itself, 1 the other style", 0.5, least=-4.0, most=4.0),
            "part": Parameter("word", "of the body", "all", choices=tuple(PARTS)),
            "lock_feet": Parameter("flag", "hold the feet where they rest afterwards", True),
        },
        main="style",
        cycles=True,
    ),
}
