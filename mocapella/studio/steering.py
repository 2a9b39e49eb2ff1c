"""Steering: commands that act on the stage of a connection at once, each with its line of API; guides along paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mocapella.blending.network import Network
from mocapella.gait.root_motion import played_rates
from mocapella.quoting import python_call, python_literal
from mocapella.steering.calibration import Calibration
from mocapella.steering.follow import usual_speed
from mocapella.steering.guides import Follower
from mocapella.steering.path import Path
from mocapella.studio.messages import commands as c
from mocapella.studio.messages import steering_commands as s
from mocapella.studio.messages.fields import Command
from mocapella.studio.workers.derivation import noted

if TYPE_CHECKING:
    from mocapella.studio.connection import Connection


def _point(here: Connection, command: s.SetPoint) -> str:
    character = here.stage.character(command.character)
    character.player.point = character.network.place(command.at).point
    character.steering = (0.0, 0.0)
    x, y = command.at
    return f"player.point = ({x:.6g}, {y:.6g})"


def _steer(here: Connection, command: s.Steer) -> str:
    here.stage.character(command.character).steering = (command.turn, command.speed)
    return ""


def _play(here: Connection, command: s.Play) -> str:
    here.stage.playing = command.playing
    if here.stage.recording is None:
        here.stage.rate = command.rate
    return ""


def _step(here: Connection, command: s.StepFrame) -> str:
    here.stage.step_frames(command.frames)
    return "pose = player.step(1 / 60)" if command.frames > 0 else ""


def _scrub(here: Connection, command: s.Scrub) -> str:
    here.stage.scrub(command.character, command.phase)
    return f"pose = mo.Player(network, player.point, phase={math.radians(command.phase):.6g}).step(0)"


def _onion(here: Connection, command: s.Onion) -> str:
    here.stage.ghosts, here.stage.spacing = command.ghosts, command.spacing
    return ""


def _reset(here: Connection, command: s.Reset) -> str:
    character = here.stage.character(command.character)
    character.put(start=character.start, phase=0.0)
    return "player = mo.Player(network)"


def _trigger(here: Connection, command: s.Trigger) -> str:
    here.stage.character(command.character).player.trigger(command.arc, times=command.times)
    times = command.times if command.times != 1 else None
    return python_call("player.trigger", python_literal(command.arc), times=times)


def _mode(here: Connection, command: s.SetMode) -> str:
    here.stage.character(command.character).player.mode = command.mode
    here.tell_states()
    return f"player.mode = {python_literal(command.mode)}"


def _press(here: Connection, command: s.Press) -> str:
    here.stage.character(command.character).player.press(command.key)
    here.tell_states()
    return python_call("player.press", python_literal(command.key))


def _cancel(here: Connection, command: c.Cancel) -> str:
    here.session.pool.stop(command.job)
    return ""


STEERING: dict[type[Command], Callable[[Connection, Any], str]] = {
    s.SetPoint: _point,
    s.Steer: _steer,
    s.Play: _play,
    s.StepFrame: _step,
    s.Scrub: _scrub,
    s.Onion: _onion,
    s.Reset: _reset,
    s.Trigger: _trigger,
    s.SetMode: _mode,
    s.Press: _press,
    c.Cancel: _cancel,
    c.Ping: lambda here, command: "",
}
AT_ONCE = {s.SetPoint, s.StepFrame, s.Scrub, s.Trigger}  # commands whose pose is sent at once


def make_follower(network: Network, rows: Sequence[tuple[float, float, float]]) -> tuple[Follower, list[str]]:
    """A guide along a path drawn on the ground, with notes on speeds and bends that the network does not have.

    ``rows`` are x, z (metres) and speed (m/s; 0 for the usual one). Raises ``MotionError`` where the path cannot be
    followed.
    """
    usual = usual_speed(network)
    with noted() as notes:
        path = Path.smooth([(x, z, speed if speed > 0.0 else usual) for x, z, speed in rows])
        follower = Follower(path, Calibration(network, measure=played_rates), speed=usual)
        doubts = follower.plan.doubts(follower.turning)
    return follower, [*notes, *doubts]
