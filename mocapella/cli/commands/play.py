"""``mocapella play``: a stored network, played and written as a motion file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from jaxtyping import Float

from mocapella.blending.cascade import Cascade
from mocapella.cli.options import FILE, expert_option
from mocapella.cli.options.blending_points import (
    POINT,
    PointsCommand,
    ResumedScript,
    Start,
    middle_of,
    start_options,
    stored,
    warn_of_points_outside,
)
from mocapella.cli.options.csv_tables import Playable, read_path, read_script
from mocapella.cli.options.motion_files import SUFFIXES, Onto, gltf_options, onto_of, onto_options
from mocapella.cli.options.numbers import NumberRange
from mocapella.cli.options.outputs import PICTURES, check_output, check_outputs, outputs_option, write_all
from mocapella.cli.printing import Json, command, progress, say, shares
from mocapella.errors import FormatError, MotionError
from mocapella.files.disk import replacing
from mocapella.files.format_table import WRITABLE
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.ground_path import lateral_errors
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import Contacts
from mocapella.pictures.ground import draw_states, draw_way
from mocapella.playback.modes import Entry
from mocapella.playback.player import Player
from mocapella.playback.record import record_loop, record_with_contacts
from mocapella.steering.follow import follow
from mocapella.steering.tour import Tour
from mocapella.storage.stored_characters import save_onto
from mocapella.storage.values import load_network

LONGEST = 3600.0  # seconds
_MOST_TIMES = 100  # that a change is repeated
_MEASURES = ("distance", "turn", "slip_mm_max", "penetration_mm_max", "floating_mm_max", "approach_m_s_max")


class _Played(NamedTuple):
    """A recording, and the state of its player."""

    clip: Clip
    contacts: Contacts
    states: Sequence[Entry]
    player: Player | None = None  # None of a walk along a path
    path: Json | None = None  # how well a path was followed
    wanted: Float[np.ndarray, "places 2"] | None = None  # the path, (x, z) in metres

    def draw(self, picture: Path) -> None:
        """The way of the root: over the path that it was to follow, or coloured by what the player did."""
        if self.wanted is None:
            draw_states(self.clip, self.states, picture)
        else:
            draw_way(self.clip, picture, wanted=self.wanted)


class _Ticking:
    """A guide that advances a progress bar with every frame, around another guide or none."""

    def __init__(self, script: Any, tick: Callable[[], None]) -> None:
        self._script, self._tick = script, tick

    def steer(self, player: Player, time: float | int) -> tuple[float, ...] | None:
        """Where the guide sends the point, if there is one."""
        self._tick()
        return None if self._script is None else self._script.steer(player, time)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_script"], name)


@dataclass(frozen=True)
class _Asked:
    """What to play: the values of the options that say where the blending point goes."""

    point: tuple[float, ...] | None
    script: Path | None
    path: Path | None
    smooth: bool
    radius: float | None
    arcs: tuple[str, ...]
    times: tuple[int, ...]
    anywhere: bool
    seconds: float | None
    rounds: int | None
    rate: float

    def play(self, network: Playable, start: Start) -> _Played:
        """Play a network as asked."""
        if self.path is not None:
            return self._follow_path(network, self.path, start)
        if self.script is not None:
            return self._perform_script(network, self.script, start)
        if self.arcs:
            assert isinstance(network, HybridNetwork)
            return self._take_arcs(network, start)
        nowhere = self.point is None and start.stored is None
        player = start.player(network, middle_of(network, start.block) if nowhere else self.point or ())
        warn_of_points_outside(network, [] if self.point is None else [self.point])
        if self.rounds is not None:
            clip, contacts = record_loop(player, rounds=self.rounds, frame_rate=self.rate)
            return _Played(clip, contacts, player.states, player)
        return self._recorded(player, self.seconds or 10.0)  # seconds, as --seconds says

    def _recorded(self, player: Player, seconds: float | None, script: Any = None) -> _Played:
        total = None if seconds is None else round(seconds * self.rate) + 1
        with progress("playing", total) as tick:
            guide = _Ticking(script, tick)
            clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=self.rate, script=guide)
        return _Played(clip, contacts, player.states, player)

    def _perform_script(self, network: Playable, path: Path, start: Start) -> _Played:
        script, last_line = read_script(path, network)
        frames = 0 if start.stored is None else round(start.stored.state.time * self.rate)
        seconds = script.times[-1] - frames / self.rate if self.seconds is None else self.seconds
        if not 0.0 < seconds <= LONGEST:
            reason = f"the script ends at {script.times[-1]:g} s; say how long with --seconds"
            raise FormatError(path, last_line, reason)
        player = start.player(network, script.points[0] or ())
        warn_of_points_outside(network, [point for point in script.points if point is not None])
        if start.stored is None:
            return self._recorded(player, seconds, script)
        return self._recorded(player, seconds, ResumedScript(script.since(frames / self.rate), frames, self.rate))

    def _take_arcs(self, hybrid: HybridNetwork, start: Start) -> _Played:
        times = self.times if len(self.times) > 1 else (*self.times, 1)[0]
        tour = Tour(hybrid, self.arcs, times=times, anywhere=self.anywhere)
        if start.block not in (None, tour.start):
            raise MotionError(f"arc {self.arcs[0]!r} begins in block {tour.start!r}, not in {start.block!r}")
        node = hybrid.block(tour.start).network.node(hybrid.arc(self.arcs[0]).source.node)
        player = replace(start, block=tour.start).player(hybrid, node.at if self.point is None else self.point)
        return self._recorded(player, self.seconds, tour)

    def _follow_path(self, network: Playable, path: Path, start: Start) -> _Played:
        rows = read_path(path)
        block, mode = "", ""
        if isinstance(network, HybridNetwork):
            block, mode = start.block or next(iter(network.blocks)), start.mode or network.modes[0].name
            network = network.network(block, mode)
        if isinstance(network, Cascade):
            network = network.network
        if network.n_axes != 2:
            raise MotionError("a path needs a network in the plane; play one of the layers of this one")
        with shares("walking") as tell:
            walked = follow(network, rows, smooth=self.smooth, radius=self.radius, seconds=self.seconds,
                            frame_rate=self.rate, feet=start.feet, progress=tell)  # fmt: skip
        errors = lateral_errors(walked.clip, walked.path.places)
        about = {"length": walked.path.length, "walked": walked.walked, "finished": walked.finished}
        about |= {"error_mean": float(errors.mean()), "error_max": float(errors.max())}
        states = (Entry(0.0, "network", "", block, mode),)
        return _Played(walked.clip, walked.contacts, states, path=about, wanted=walked.path.places)


@click.command(cls=PointsCommand, example="mocapella play walk.moca -o walk.bvh --point 20 1.3")
@click.argument("source", metavar="NET.moca", type=FILE)
@outputs_option(metavar="OUT", help=f"The motion file: {', '.join(WRITABLE)}; repeat it for several.")
@click.option("--point", type=POINT, metavar="X Y …", help="Stay at this blending point.")
@click.option("--script", metavar="FILE.csv", type=FILE, help="Blending points over time: time,x,y[,z][,key].")
@click.option("--path", metavar="FILE.csv", type=FILE, help="A path over the ground: x,z[,speed].")
@expert_option("--smooth", is_flag=True, help="Join the places of --path by a smooth curve instead of straight lines.")
@expert_option("--radius", type=NumberRange(0.0, 100.0), metavar="METRES",
              help="Radius of the corners of --path; if left out, the tightest that the network can turn.")  # fmt: skip
@click.option("--trigger", "arcs", metavar="ARC", multiple=True,
              help="Play this transition (arc); repeat for the next.")  # fmt: skip
@expert_option("--times", metavar="N", multiple=True, type=click.IntRange(1, _MOST_TIMES),
              help="How often to repeat the loop of a change; one number for all arcs, or one for each.")  # fmt: skip
@expert_option("--anywhere", is_flag=True, help="Start transitions from where the point is, not from their nodes.")
@click.option("--seconds", type=NumberRange(0.0, LONGEST, min_open=True),
              help="How long to play; if left out, to the end of the script, path or arcs, or 10 s.")  # fmt: skip
@click.option("--loop", "rounds", type=click.IntRange(1, _MOST_TIMES), metavar="N",
              help="Play exactly N cycles at --point, closed, instead of --seconds.")  # fmt: skip
@click.option("--rate", type=NumberRange(1.0, 1000.0), default=60.0, help="Frames per second.")
@gltf_options
@onto_options
@start_options
@expert_option("--save-state", "saved", metavar="FILE.json", type=FILE,
               help="Store the state of the character at the end.")  # fmt: skip
@expert_option("--resume", metavar="FILE.json", type=FILE, help="Start from a stored state.")
@click.option("--picture", type=FILE, help="Draw the path of the character and the --path: .png, .svg or .pdf.")
@command
def play(source: Path, outputs: tuple[Path, ...], saved: Path | None, resume: Path | None, picture: Path | None,
         **options: Any) -> Json:  # fmt: skip
    """Play a network and write the motion.

    One of --point, --script, --path and --trigger controls the blending point; without any of them it stays in the
    middle. In a network built without a spec, x is the turn in degrees per second, left positive, and y the speed in
    m/s. A network in space has a third axis, z. In a cascade, the coordinates of inner points may follow those of the
    outer point.

    In a hybrid network the keys of a script switch modes and start transitions; in rows with a key, x and y may be
    empty, which keeps the point. --trigger plays transitions (arcs) one after the other, in a mode that opens them,
    starting at --point or at the node of the first arc. --times repeats the repeatable part of a transition, such as
    the turns of a twirl. --anywhere starts a transition without moving to the node of its arc. A path is walked in one
    block, without transitions.

    With --script and --trigger, --ease and --pace set how the point moves to its target.

    The places of a path are joined by straight lines. Corners are rounded as tightly as the network can turn;
    near-reversals become loops. Points outside the network, and speeds and bends that the network cannot reach, are
    reported on standard error.

    With --onto the motion is retargeted to your own character, with locked feet, and OUT is a copy of that character
    with one more animation. The printed figures are measured on that character.

    With --resume playback continues from a stored state: its first frame is the last frame written before, and a script
    continues at the stored time.
    """
    start, style, onto = start_options.of(options), gltf_options.of(options), onto_of(options)
    others = {*start_options.names, *gltf_options.names, *onto_options.names}
    asked = _Asked(**{name: value for name, value in options.items() if name not in others})
    _check_usage(asked, start, saved=saved, resume=resume)
    check_outputs(outputs, WRITABLE if onto is None else SUFFIXES, [source])
    check_output(saved, [".json"], [source])
    check_output(picture, PICTURES, [source])
    network = load_network(source)
    if not isinstance(network, HybridNetwork) and (start["block"] or start["mode"] or asked.arcs):
        raise MotionError(f"{source} is a plain network; only a hybrid one has blocks, modes and arcs")
    played = asked.play(network, Start(**start, stored=None if resume is None else stored(resume)))
    if picture is not None:
        played.draw(picture)
    if saved is not None and played.player is not None:
        with replacing(saved) as file:
            file.write(played.player.snapshot().to_json())
    played = _written(played, outputs, onto, style, loop=asked.rounds is not None)
    answer = _describe(played)
    files = list(map(str, outputs))
    say(
        f"{', '.join(files)}: {answer['frames']} frames, {answer['seconds']:.1f} s, {answer['distance']:.2f} m, "
        f"turned {answer['turn']:+.0f}°, feet slid {answer['slip_mm_max']:.2f} mm at most"
    )
    if isinstance(network, HybridNetwork):
        for entry in played.states:
            say(f"{entry.time:8.2f} s  {entry.state:8} {entry.arc:20} {entry.block}, {entry.mode}")
    return {**answer, "files": files, **({} if picture is None else {"picture": str(picture)})}


def _written(
    played: _Played, outputs: Sequence[Path], onto: Onto | None, style: dict[str, Any], *, loop: bool
) -> _Played:
    """Write a recording, onto a character if there is one, and return the motion that was written."""
    if onto is None:
        write_all(played.clip, outputs, options=style, loop=loop)
        return played
    for output in outputs:
        clip = played.clip.renamed(output.stem)
        clips = save_onto([clip], output, onto.character, contacts=[played.contacts], loop=loop, **onto.style(style))
    return played._replace(clip=clips[0])


def _check_usage(asked: _Asked, start: dict[str, Any], *, saved: Path | None, resume: Path | None) -> None:
    """Raise an error for options that do not go together."""
    faults = (
        *_point_faults(asked),
        *_change_faults(asked),
        *_storing_faults(asked, saved or resume),
        *_resuming_faults(asked, start, resume),
    )
    if faults:
        raise click.UsageError(faults[0])


def _point_faults(asked: _Asked) -> Iterator[str]:
    given = sum(place is not None for place in (asked.point, asked.script, asked.path))
    if given > 1 or (asked.arcs and (asked.script or asked.path)):
        yield "say where to go with one of --point, --script, --path and --trigger, not with several"
    if (asked.smooth or asked.radius is not None) and asked.path is None:
        yield "--smooth and --radius need --path"


def _change_faults(asked: _Asked) -> Iterator[str]:
    if (asked.times or asked.anywhere) and not asked.arcs:
        yield "--times and --anywhere need --trigger"
    if len(asked.times) > 1 and len(asked.times) != len(asked.arcs):
        yield f"say --times once, or once for each of the {len(asked.arcs)} arcs; got {len(asked.times)}"


def _storing_faults(asked: _Asked, stored: Path | None) -> Iterator[str]:
    if asked.rounds is not None and (asked.seconds or asked.script or asked.path or asked.arcs or stored):
        yield "--loop plays cycles at --point; leave out --seconds, --script, --path, --trigger, --save-state, --resume"
    if asked.path and stored:
        yield "a walk along a path cannot be stored; leave out --save-state and --resume"


def _resuming_faults(asked: _Asked, start: dict[str, Any], resume: Path | None) -> Iterator[str]:
    if resume and (asked.point is not None or start["block"] is not None or start["mode"] is not None):
        yield "a resumed character starts where it was stored; leave out --point, --block and --mode"
    if start["ease"] is None and start["pace"] is None:
        return
    if asked.script is None and not asked.arcs:
        yield "--ease and --pace need --script or --trigger"
    if resume:
        yield "a resumed character keeps the ease and pace it was stored with; leave out --ease and --pace"


def _describe(played: _Played) -> Json:
    """The JSON of ``play --json``.

    The last frame lasts as long as the others and is taken to get as far as they do on average, so that ``distance``
    and ``turn`` are those of all ``seconds``, at any rate.
    """
    clip = played.clip
    measured = figures(MOTION, MeasuredMotion(clip, played.contacts), _MEASURES)
    lasting = clip.n_frames / max(clip.n_frames - 1, 1)
    measured |= {key: lasting * measured[key] for key in ("distance", "turn")}
    states = [entry._asdict() for entry in played.states]
    answer = {"frames": clip.n_frames, "seconds": clip.seconds, **measured, "states": states}
    return answer if played.path is None else {**answer, "path": played.path}
