"""The registry of edits: for each a function from a motion to a motion, and how interfaces offer it.

A new edit is a function ``edit(clip, *, option=…) -> Clip`` in this package and an entry in ``EDITS``; the command
line, edit files, the studio and ``mocapella.edit`` read this table. Names, defaults, kinds, limits and help of the
parameters are those of the function: see ``parameters_of``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Any, Literal

from mocapella.editing.parameters import Parameter, parameters_of


class _Parameters(Mapping[str, Parameter]):
    """Parameters of an edit, read from its function when first looked at: importing all edits takes half a second."""

    def __init__(self, home: str) -> None:
        self._home = home

    @cached_property
    def function(self) -> Callable[..., Any]:
        module, _, name = self._home.partition(":")
        function: Callable[..., Any] = getattr(import_module(f"mocapella.editing.{module}"), name)
        return function

    @cached_property
    def _by_name(self) -> dict[str, Parameter]:
        return parameters_of(self.function)

    def __getitem__(self, name: str) -> Parameter:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)


@dataclass(frozen=True)
class Editor:
    """One kind of edit."""

    home: str  # where its function is: "module:function", imported when first used
    about: str  # what it does, in a sentence without a stop
    main: str = ""  # the parameter that a value without a name stands for on the command line
    group: Literal["edit", "filter"] = "edit"  # filters are --filter NAME:VALUES, too
    why_no_cycles: str = ""  # why it does not take cycles, and what does instead; empty where it does
    in_time: bool = True  # whether every frame still shows the moment it showed before
    holds_plants: bool = False  # whether plants found before earlier edits serve it better than those of its input
    growth: Callable[[float, Mapping[str, Any]], float] | None = None  # of frame rate and values: times as many frames

    @property
    def cycles(self) -> bool:
        """Whether it takes a Cycle, too."""
        return not self.why_no_cycles

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The function's keyword arguments, except those that only Python can give."""
        return _Parameters(self.home)

    @property
    def function(self) -> Callable[..., Any]:
        """The function: a clip first, then the parameters by keyword."""
        assert isinstance(self.parameters, _Parameters)
        return self.parameters.function


_filter = partial(Editor, group="filter")

EDITS: Mapping[str, Editor] = {
    "lock_feet": Editor("feet.lock:lock_feet", "lock feet in place while they are planted", holds_plants=True),
    "path": Editor("paths:follow_path", "move the motion onto another path", main="points"),
    "bend": Editor("paths:bend_path", "bend the path by moving its handles", main="moves",
        why_no_cycles="a cycle has no handles, it goes along its own arc; path leads rounds of it along points"),
    "incline": Editor("feet.incline:incline",
        "lead the motion up or down a slope, feet held; the opposite slope levels one that was captured on a slope",
        main="slope", in_time=False, why_no_cycles="a cycle has level ground; lead a clip up or down"),
    "threshold": _filter("filters.frequency:threshold", "remove weak frequencies: noise and spikes", main="share"),
    "frequencies": _filter("filters.frequency:frequencies", "amplify bands of frequencies in all signals or in some",
        main="bands"),
    "exaggerate": _filter("filters.frequency:exaggerate", "make the whole body's motion larger about its mean pose",
        main="gain"),
    "speed": _filter("filters.frequency:speed", "slower or faster, at the same frame rate", main="factor",
        in_time=False, growth=lambda rate, given: 1.0 / given["factor"]),
    "bands": _filter("filters.bands:band_gains", "amplify octave bands, the finest detail first", main="gains"),
    "preset": _filter("filters.bands:preset", "a ready-made set of band gains", main="name"),
    "band_blend": Editor("filters.bands:band_blend", "blend with another motion band by band", main="other",
        in_time=False, why_no_cycles="the bands of a cycle are its harmonics; interpolate blends two gaits by these"),
    "waveshape": _filter("filters.shapes:waveshape", "limit signals by their value, or bend them by a curve",
        main="dofs"),
    "displace": _filter("filters.shapes:displace", "move signals to key values and keep their detail", main="keys"),
    "warp": _filter("filters.shapes:warp", "scale and shift signals through keys, and warp time through pairs",
        main="keys", in_time=False,
        why_no_cycles="it leads from a beginning to an end, which a cycle has not; displace and speed edit cycles"),
    "limits": Editor("filters.joint_limits:clamp_limits", "keep joints within their limits"),
    "reach": Editor("filters.reaching:reach", "move a joint to a place at one frame", main="joint"),
    "pose": Editor("filters.posing:pose", "drag a joint to a place at one frame; the body follows, pins stay",
        main="joint"),
    "follow_feet": Editor("feet.root:follow_feet", "move only the root so that planted feet stay in place"),
    "treadmill": Editor("basic:off_treadmill", "add to a motion in place the travel that its feet imply",
        why_no_cycles="a cycle was closed with the travel it had; give its clip the travel first"),
    "cut": Editor("basic:cut", "keep the frames from one to another", main="first", in_time=False,
        why_no_cycles="without some of its frames a cycle does not close"),
    "resample": Editor("basic:resample", "the same motion at another frame rate", main="rate", in_time=False,
        growth=lambda rate, given: given["rate"] / rate),
    "turn": Editor("basic:turn", "turn the whole motion about its first place", main="angle",
        why_no_cycles="a cycle has no heading on the ground"),
    "mirror": Editor("basic:mirror", "exchange left and right", in_time=False),
    "sync_mirror": Editor("synced:sync_mirror", "mirror a gait in phase: the same foot steps first", in_time=False),
    "repair": Editor("basic:repair", "interpolate lost frames and one-frame jumps",
        why_no_cycles="the frames of a cycle were repaired before it was closed"),
    "blend": Editor("clip_blend:blend_clips", "blend with another motion, aligned in time", main="second",
        in_time=False, why_no_cycles="it aligns motions that do not repeat; interpolate blends two gaits"),
    "join": Editor("join:join_clips", "continue with another motion where the same feet rest and poses agree",
        main="second", why_no_cycles="a motion joined to another does not repeat"),
    "retime": Editor("clip_blend:retime", "take over the timing of another motion", main="other", in_time=False,
        why_no_cycles="synchronise brings cycles into one time; speed changes it"),
    "feel": Editor("feelings.profile:feel",
        "give a gesture the feeling learnt from a neutral and an emotional performance of another", main="neutral",
        why_no_cycles="gestures do not repeat; interpolate and quality give gaits a feeling"),
    "interpolate": Editor("feelings.gait_quality:interpolate",
        "a gait between this one and another, or beyond, by harmonics", main="other", in_time=False),
    "quality": Editor("feelings.gait_quality:transfer_quality",
        "add the difference between a special and a plain gait, by harmonics", main="plain", in_time=False),
    "stride": Editor("feelings.gait_quality:stride",
        "longer or shorter strides of a gait, taken more quickly or more slowly", main="length", in_time=False),
    "retarget": Editor("retarget:retarget", "move the motion onto another skeleton", main="skeleton"),
    "restyle": Editor("basic:restyle", "blend each step with the averaged step of another motion", main="style"),
}  # fmt: skip
