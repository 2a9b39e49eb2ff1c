"""``mocapella play``: a stored network, played and written as a motion file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from mocapella.blending.cascade import Cascade
from mocapella.cli.answers import as_json, command, out, print_json
from mocapella.cli.options.files import Table, read_table
from mocapella.cli.options.points import (
    POINT,
    Playable,
    PointsCommand,
    Resumed,
    Start,
    moving_options,
    read_script,
    stored,
    warn_of_points_outside,
)
from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import replacing
from mocapella.files.formats import WRITABLE, save
from mocapella.hybrid.network import HybridNetwork
from mocapella.measure.feet import footing
from mocapella.measure.paths import distance, lateral_errors, turned
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.playback.modes import Entry
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.playback.settings import FEET_MODES, Feet
from mocapella.steering.guides import Followed, follow
from mocapella.steering.tour import Tour
from mocapella.storage.values import load_network

LONGEST = 3600.0  # seconds
MOST_TIMES = 100  # that a change is repeated
FURTHEST = 2000.0  # metres of a path: half an hour of walking
_SECONDS = 10.0


@click.command(cls=PointsCommand)
@click.argument("source", metavar="NET.moca", type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="OUT", required=True, type=click.Path(path_type=Path), help=".bvh or .glb")
@click.option("--point", type=POINT, metavar="X Y …", help="Stay at this blending point.")
@click.option(
    "--script", metavar="FILE.csv", type=click.Path(path_type=Path), help="Points by time: time,x,y[,z][,key]."
)
@click.option("--path", "way", metavar="FILE.csv", type=click.Path(path_type=Path), help="A path: x,z[,speed].")
@click.option("--smooth", is_flag=True, help="A smooth curve through the places of --path, not straight lines.")
@click.option("--radius", type=click.FloatRange(0.0, 100.0), metavar="METRES",
              help="By which corners of --path are rounded; else as tightly as the network turns.")  # fmt: skip
@click.option("--trigger", "arcs", metavar="ARC", multiple=True, help="Take this arc; again for the next.")
@click.option("--times", metavar="N", multiple=True, type=click.IntRange(1, MOST_TIMES),
              help="How often a change is repeated, where it can be; said once for all arcs, or for each.")  # fmt: skip
@click.option("--anywhere", is_flag=True, help="Take arcs from where the point is, not from their nodes.")
@click.option("--block", metavar="NAME", help="Of a hybrid network: the block to begin in, else its first.")
@click.option("--mode", metavar="NAME", help="Of a hybrid network: the operating mode to begin in, else its first.")
@click.option("--seconds", type=click.FloatRange(0.0, LONGEST, min_open=True), help="How long; what is asked, else 10.")
@click.option("--rate", type=click.FloatRange(1.0, 1000.0), default=60.0, show_default=True, help="Frames per second.")
@click.option("--feet", type=click.Choice(FEET_MODES), default="held", show_default=True, help="How feet stand.")
@moving_options
@click.option("--save-state", "saved", metavar="FILE.json", type=click.Path(path_type=Path), help="Store how it ends.")
@click.option("--resume", metavar="FILE.json", type=click.Path(path_type=Path), help="Go on from a stored end.")
@as_json
@command
def play(
    source: Path,
    output: Path,
    point: tuple[float, ...] | None,
    script: Path | None,
    way: Path | None,
    smooth: bool,
    radius: float | None,
    arcs: tuple[str, ...],
    times: tuple[int, ...],
    anywhere: bool,
    block: str | None,
    mode: str | None,
    seconds: float | None,
    rate: float,
    feet: Feet,
    ease: float | None,
    pace: float | None,
    saved: Path | None,
    resume: Path | None,
    as_json: bool,
) -> None:
    """Let a character play a network, and write what it does.

    Say where to go with one of --point, --script and --path. Points are in the plane of the network: where it was built
    by itself, x is the turn in degrees per second, left positive, and y the speed in m/s. A network in space has a
    third axis, z; a cascade those of its inner points after its own, or none of them.

    In a hybrid network the keys of a script switch modes and take arcs; in rows with a key, x and y may be empty, which
    leaves the point where it is. --trigger takes arcs one after the other, in a mode that opens them, beginning at
    --point or at the first arc's own node; --times repeats what can be repeated of a change, as a twirl goes round, and
    --anywhere leaves without travelling to an arc's node. A path is walked in one block, without changes.

    With --script and --trigger the point goes to where it is sent as gently as --ease and as slowly as --pace have it.

    A path is straight lines from place to place. Corners are rounded as tightly as the network turns; those that nearly
    lead back are gone round in a loop. What is asked for and cannot be had, a point outside the network, a speed, a
    bend, is said on standard error.

    With --resume a character goes on as if it had never been stored: its first frame is the last one written then, and
    a script goes on at its time.
    """
    if sum(given is not None for given in (point, script, way)) > 1 or (arcs and (script or way)):
        raise click.UsageError("say where to go with one of --point, --script, --path and --trigger")
    if point is None and script is None and way is None and not arcs and resume is None:
        raise click.UsageError("say where to go with one of --point, --script, --path and --trigger")
    if (smooth or radius is not None) and way is None:
        raise click.UsageError("--smooth and --radius are about paths; name one with --path")
    if (times or anywhere) and not arcs:
        raise click.UsageError("--times and --anywhere are about arcs; name one with --trigger")
    if len(times) > 1 and len(times) != len(arcs):
        raise click.UsageError(f"say --times once, or once for each of the {len(arcs)} arcs; got {len(times)}")
    if resume is not None and (block is not None or mode is not None or point is not None):
        raise click.UsageError("who resumes is where it was; leave --point, --block and --mode out")
    eased = ease is not None or pace is not None
    if eased and script is None and not arcs:
        raise click.UsageError("--ease and --pace are about a point that is sent about by --script or --trigger")
    if eased and resume is not None:
        raise click.UsageError("who resumes moves its point as it did; leave --ease and --pace out")
    if way is not None and (resume is not None or saved is not None):
        raise click.UsageError("a walk along a path is not stored; leave --save-state and --resume out")
    if output.suffix.lower() not in WRITABLE:
        raise MotionError(f"cannot write {output.name}: expected a suffix of {', '.join(WRITABLE)}")
    network = load_network(source)
    if not isinstance(network, HybridNetwork) and (block is not None or mode is not None or arcs):
        raise MotionError(f"{source} is a plain network; only a hybrid one has blocks, modes and arcs")
    start = Start(block, mode, feet, ease, pace, None if resume is None else stored(resume))
    walked: dict[str, Any] = {}
    if way is not None:
        followed, states = _follow(network, way, seconds, rate, start, smooth, radius)
        clip, contacts, walked = followed.clip, followed.contacts, {"path": describe_walk(followed)}
    else:
        if script is not None:
            player, clip, contacts = _perform(network, script, seconds, rate, start)
        elif arcs:
            assert isinstance(network, HybridNetwork)
            tour = Tour(network, arcs, times=times if len(times) > 1 else (*times, 1)[0], anywhere=anywhere)
            player, clip, contacts = _tour(tour, point, seconds, rate, start)
        else:
            player = start.player(network, point or ())
            warn_of_points_outside(network, [] if point is None else [point])
            clip, contacts = record_with_contacts(player, seconds=seconds or _SECONDS, frame_rate=rate)
        states = player.states
        if saved is not None:
            with replacing(saved) as file:
                file.write(player.snapshot().to_json())
    save(clip.renamed(output.stem), output)
    answer = {**describe(clip, contacts, states), **walked}
    if as_json:
        print_json(answer)
        return
    out.print(
        f"{output}: {answer['frames']} frames, {answer['seconds']:.1f} s, {answer['distance']:.2f} m, "
        f"turned {answer['turn']:+.0f}°, feet slid {answer['slip_mm_max']:.2f} mm at most"
    )
    if isinstance(network, HybridNetwork):
        for entry in states:
            out.print(f"{entry.time:8.2f} s  {entry.state:8} {entry.arc:20} {entry.block}, {entry.mode}", markup=False)


def describe(clip: Clip, contacts: Contacts, states: Sequence[Entry]) -> dict[str, Any]:
    """What ``play --json`` says of what was played.

    The last frame lasts as long as the others and is taken to get as far as they do on average, so that ``distance``
    and ``turn`` are those of all ``seconds``, at any rate.
    """
    feet = footing(clip, contacts)
    lasting = clip.n_frames / max(clip.n_frames - 1, 1)
    return {
        "frames": clip.n_frames,
        "seconds": clip.seconds,
        "distance": lasting * distance(clip),
        "turn": lasting * math.degrees(turned(clip)),
        "slip_mm_max": feet.slip_mm_max,
        "penetration_mm_max": feet.penetration_mm_max,
        "floating_mm_max": feet.floating_mm_max,
        "approach_m_s_max": feet.approach,
        "states": [entry._asdict() for entry in states],
    }


def describe_walk(followed: Followed) -> dict[str, Any]:
    """What ``play --path --json`` says of the path: how much of it was walked, how far beside it."""
    errors = lateral_errors(followed.clip, followed.path.places)
    return {
        "length": followed.path.length,
        "walked": followed.walked,
        "finished": followed.finished,
        "error_mean": float(errors.mean()),
        "error_max": float(errors.max()),
    }


def _perform(
    network: Playable, path: Path, seconds: float | None, rate: float, start: Start
) -> tuple[Player, Clip, Contacts]:
    """Play a script of blending points and keys."""
    script, last_line = read_script(path, network)
    frames = 0 if start.stored is None else round(start.stored.state.time * rate)
    lasting = script.times[-1] - frames / rate if seconds is None else seconds
    if not 0.0 < lasting <= LONGEST:
        raise FormatError(path, last_line, f"the script ends at {script.times[-1]:g} s; say how long with --seconds")
    player = start.player(network, script.points[0] or ())
    warn_of_points_outside(network, [point for point in script.points if point is not None])
    led = script if start.stored is None else Resumed(script.since(frames / rate), frames, rate)
    clip, contacts = record_with_contacts(player, seconds=lasting, frame_rate=rate, script=led)
    return player, clip, contacts


def _tour(
    tour: Tour, point: tuple[float, ...] | None, seconds: float | None, rate: float, start: Start
) -> tuple[Player, Clip, Contacts]:
    """Take arcs one after the other."""
    hybrid, arcs = tour.hybrid, tour.arcs
    if start.block not in (None, tour.start):
        raise MotionError(f"arc {arcs[0]!r} begins in block {tour.start!r}, not in {start.block!r}")
    node = hybrid.block(tour.start).network.node(hybrid.arc(arcs[0]).source.node)
    player = replace(start, block=tour.start).player(hybrid, node.at if point is None else point)
    clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=rate, script=tour)
    return player, clip, contacts


def _follow(
    network: Playable,
    path: Path,
    seconds: float | None,
    rate: float,
    start: Start,
    smooth: bool,
    radius: float | None,
) -> tuple[Followed, tuple[Entry, ...]]:
    """Walk along a path in one block, to its end or for some seconds."""
    table = read_table(path, ("x", "z"), ("speed",), least=2)
    columns = [_numbers(table, "x"), _numbers(table, "z")]
    _refuse_too_far(table)
    speeds = table.column("speed")
    if any(speed is not None for speed in speeds):
        for speed, line in zip(speeds, table.lines, strict=True):
            if speed is None or speed <= 0.0:
                raise FormatError(path, line, "expected a speed above 0 in every row, or in none")
        columns.append(_numbers(table, "speed"))
    block, mode = "", ""
    if isinstance(network, HybridNetwork):
        block, mode = start.block or next(iter(network.blocks)), start.mode or network.modes[0].name
        network = network.network(block, mode)
    if isinstance(network, Cascade):
        network = network.network
    if network.n_axes != 2:
        raise MotionError("a path is walked in a network in the plane, not in space; take one of the layers it has")
    rows = list(zip(*columns, strict=True))
    followed = follow(network, rows, smooth=smooth, radius=radius, seconds=seconds, rate=rate, feet=start.feet)
    return followed, (Entry(0.0, "network", "", block, mode),)


def _refuse_too_far(table: Table) -> None:
    places = list(zip(_numbers(table, "x"), _numbers(table, "z"), strict=True))
    length = 0.0
    for before, after, line in zip(places, places[1:], table.lines[1:], strict=False):
        length += math.dist(before, after)
        if length > FURTHEST:
            raise FormatError(
                table.path, line, f"the path is {length:.0f} m long here; at most {FURTHEST:.0f} m are walked"
            )


def _numbers(table: Table, name: str) -> list[float]:
    return [0.0 if value is None else value for value in table.column(name)]
