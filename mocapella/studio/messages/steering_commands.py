"""Commands that steer the characters on the stage, their time and their hybrid network."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from mocapella.studio.messages.fields import Command, Count, Name, Number, Point, Text

# Steering and time; no edits. They concern the characters that this connection sees.


class SetPoint(Command, frozen=True, tag="point"):
    """Send the blending point somewhere; outside it stays on the outline. The next pose answers it."""

    at: Point
    character: Count = 0


class Steer(Command, frozen=True, tag="steer"):
    """Keys, a stick or a thumb: the point moves by these rates until told otherwise.

    ``turn`` and ``speed`` run from −1 to 1. With ``hold`` a released stick lets the point go back where it was.
    """

    turn: Annotated[float, msgspec.Meta(ge=-1, le=1)] = 0.0
    speed: Annotated[float, msgspec.Meta(ge=-1, le=1)] = 0.0
    character: Count = 0


class Play(Command, frozen=True, tag="play"):
    """Play or pause, at a rate."""

    playing: bool
    rate: Annotated[float, msgspec.Meta(ge=0.1, le=1.0)] = 1.0


class StepFrame(Command, frozen=True, tag="step"):
    """Pause, and go some frames on or back; back as far as the recent past is kept."""

    frames: Annotated[int, msgspec.Meta(ge=-600, le=600)]


class Scrub(Command, frozen=True, tag="scrub"):
    """Pause, and show the blend at this cycle phase, in place."""

    phase: Annotated[float, msgspec.Meta(ge=0, le=360)]
    character: Count = 0


class Compare(Command, frozen=True, tag="compare"):
    """Show the capture of a node as it was read, in phase beside the first character; an empty name ends it.

    Answered with ``compared``. The closed cycle stands in where no capture of the node is at hand.
    """

    node: Text = ""
    beside: bool = True  # False: in the same place
    block: Text = ""


class Onion(Command, frozen=True, tag="onion"):
    """Show poses before and after the present one: 0 to 8 of each; 0 ends it."""

    ghosts: Annotated[int, msgspec.Meta(ge=0, le=8)]
    spacing: Annotated[float, msgspec.Meta(ge=0.02, le=1.0)] = 0.15  # seconds


class Reset(Command, frozen=True, tag="reset"):
    """Put a character back to the start."""

    character: Count = 0


class Feet(Command, frozen=True, tag="feet"):
    """How feet are locked: feet drive the body, one foot is anchored, or the blended velocity alone: edit."""

    feet: Literal["held", "anchored", "velocity"]


class AddCharacter(Command, frozen=True, tag="add_character"):
    """One more character: edit."""

    at: Point = (0.0, 0.0)  # metres on the ground (x, z)
    heading: Number = 0.0  # degrees


class RemoveCharacter(Command, frozen=True, tag="remove_character"):
    """One character less: edit."""

    character: Count


class Follow(Command, frozen=True, tag="follow"):
    """A path for the character, drawn on the ground; an empty one ends it: edit."""

    path: Annotated[tuple[tuple[Number, Number, Number], ...], msgspec.Meta(max_length=2000)]  # x, z, m/s
    character: Count = 0


# Hybrid networks.


class Trigger(Command, frozen=True, tag="trigger"):
    """Take an arc."""

    arc: Name
    times: Annotated[int, msgspec.Meta(ge=1, le=20)] = 1
    character: Count = 0


class SetMode(Command, frozen=True, tag="mode"):
    """Switch to an operating mode."""

    mode: Name
    character: Count = 0


class Press(Command, frozen=True, tag="press"):
    """Press a key of the hybrid network: a mode or an arc."""

    key: Annotated[str, msgspec.Meta(min_length=1, max_length=20)]
    character: Count = 0


class SetZone(Command, frozen=True, tag="set_zone"):
    """The weight of an arc's node from which on it is taken: edit."""

    arc: Name
    zone: Annotated[float, msgspec.Meta(gt=0, le=1)]


class FindTransition(Command, frozen=True, tag="find_transition"):
    """Find the change in a clip of the project and join blocks by it: edit. A plain network becomes a block first."""

    clip: Name
    source: Text = ""  # block it begins in; empty: found by likeness
    target: Text = ""  # block it ends in; empty: found by likeness
    name: Text = ""
    key: Annotated[str, msgspec.Meta(max_length=20)] = ""


class RemoveArc(Command, frozen=True, tag="remove_arc"):
    """Take an arc out: edit."""

    arc: Name


class AskArc(Command, frozen=True, tag="ask_arc"):
    """Poses, seams and decisions of an arc: answered with ``arc``."""

    arc: Name
