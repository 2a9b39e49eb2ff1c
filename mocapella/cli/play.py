"""``mocapella play``: a stored network, played and written as a motion file."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import click

from mocapella.blending.network import Network
from mocapella.blending.store import load_network
from mocapella.cli.answers import as_json, command, out, print_json
from mocapella.cli.following import follow
from mocapella.cli.tables import Table, read_table
from mocapella.errors import FormatError, MotionError, MotionWarning
from mocapella.files.formats import save
from mocapella.measure.slip import footing
from mocapella.measure.way import distance, turned
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.playback.player import FEET_MODES, Feet, Player
from mocapella.playback.record import record_with_contacts
from mocapella.playback.script import Script

FORMATS = (".bvh", ".glb", ".gltf", ".amc")
LONGEST = 3600.0  # seconds
FURTHEST = 2000.0  # metres of a path: half an hour of walking
_SECONDS = 10.0


@click.command()
@click.argument("source", metavar="NET.moca", type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="OUT", required=True, type=click.Path(path_type=Path), help=".bvh or .glb")
@click.option("--point", type=(float, float), metavar="X Y", help="Stay at this blending point.")
@click.option("--script", metavar="FILE.csv", type=click.Path(path_type=Path), help="Points by time: time,x,y[,key].")
@click.option("--path", "way", metavar="FILE.csv", type=click.Path(path_type=Path), help="A path: x,z[,speed].")
@click.option("--seconds", type=click.FloatRange(0.0, LONGEST, min_open=True), help="How long; what is asked, else 10.")
@click.option("--rate", type=click.FloatRange(1.0, 1000.0), default=60.0, show_default=True, help="Frames per second.")
@click.option("--feet", type=click.Choice(FEET_MODES), default="held", show_default=True, help="How feet stand.")
@as_json
@command
def play(
    source: Path,
    output: Path,
    point: tuple[float, float] | None,
    script: Path | None,
    way: Path | None,
    seconds: float | None,
    rate: float,
    feet: Feet,
    as_json: bool,
) -> None:
    """Let a character play a network, and write what it does.

    Say where to go with one of --point, --script and --path. Points are in the plane of the network: where it was built
    by itself, x is the turn in degrees per second, left positive, and y the speed in m/s.
    """
    if sum(given is not None for given in (point, script, way)) != 1:
        raise click.UsageError("say where to go with one of --point, --script and --path")
    if output.suffix.lower() not in FORMATS:
        raise MotionError(f"cannot write {output.name}: expected a suffix of {', '.join(FORMATS)}")
    network = load_network(source)
    if way is not None:
        clip, contacts = _follow(network, way, seconds, rate, feet)
    elif script is not None:
        clip, contacts = _perform(network, script, seconds, rate, feet)
    else:
        assert point is not None
        player = Player(network, point=point, feet=feet)
        clip, contacts = record_with_contacts(player, seconds=seconds or _SECONDS, frame_rate=rate)
    save(clip.renamed(output.stem), output)
    answer = describe(clip, contacts)
    if as_json:
        print_json(answer)
        return
    out.print(
        f"{output}: {answer['frames']} frames, {answer['seconds']:.1f} s, {answer['distance']:.2f} m, "
        f"turned {answer['turn']:+.0f}°, feet slid {answer['slip_mm_max']:.2f} mm at most"
    )


def describe(clip: Clip, contacts: Contacts) -> dict[str, Any]:
    """What ``play --json`` says of what was played."""
    feet = footing(clip, contacts)
    return {
        "frames": clip.n_frames,
        "seconds": clip.seconds,
        "distance": distance(clip),
        "turn": math.degrees(turned(clip)),
        "slip_mm_max": feet.slip_mm_max,
        "penetration_mm_max": feet.penetration_mm_max,
        "states": [{"time": 0.0, "state": "network"}],
    }


def _perform(network: Network, path: Path, seconds: float | None, rate: float, feet: Feet) -> tuple[Clip, Contacts]:
    """Play a script of blending points."""
    table = read_table(path, ("time", "x", "y"), word="key")
    _refuse_backward(table)
    if any(table.words):
        text = "keys start transitions, and this network has none; they are left out"
        warnings.warn(text, MotionWarning, stacklevel=2)
    script = Script.of(list(zip(*(_numbers(table, name) for name in ("time", "x", "y")), strict=True)))
    lasting = script.times[-1] if seconds is None else seconds
    if not 0.0 < lasting <= LONGEST:
        raise FormatError(path, table.lines[-1], f"the script ends at {lasting:g} s; say how long with --seconds")
    player = Player(network, point=script.at(0.0), feet=feet)
    return record_with_contacts(player, seconds=lasting, frame_rate=rate, script=script)


def _follow(network: Network, path: Path, seconds: float | None, rate: float, feet: Feet) -> tuple[Clip, Contacts]:
    """Walk along a path, to its end or for some seconds."""
    table = read_table(path, ("x", "z"), ("speed",), least=2)
    columns = [_numbers(table, "x"), _numbers(table, "z")]
    _refuse_too_far(table)
    speeds = table.column("speed")
    if any(speed is not None for speed in speeds):
        for speed, line in zip(speeds, table.lines, strict=True):
            if speed is None or speed <= 0.0:
                raise FormatError(path, line, "expected a speed above 0 in every row, or in none")
        columns.append(_numbers(table, "speed"))
    followed = follow(network, list(zip(*columns, strict=True)), seconds=seconds, rate=rate, feet=feet)
    return followed.clip, followed.contacts


def _refuse_too_far(table: Table) -> None:
    places = list(zip(_numbers(table, "x"), _numbers(table, "z"), strict=True))
    length = 0.0
    for before, after, line in zip(places, places[1:], table.lines[1:], strict=False):
        length += math.dist(before, after)
        if length > FURTHEST:
            raise FormatError(
                table.path, line, f"the path is {length:.0f} m long here; at most {FURTHEST:.0f} m are walked"
            )


def _refuse_backward(table: Table) -> None:
    times = _numbers(table, "time")
    for before, after, line in zip(times, times[1:], table.lines[1:], strict=False):
        if after < before:
            raise FormatError(table.path, line, f"time runs forward; {after:g} s comes after {before:g} s")


def _numbers(table: Table, name: str) -> list[float]:
    return [0.0 if value is None else value for value in table.column(name)]
