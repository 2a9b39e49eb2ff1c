"""``mocapella build``: motion files or a spec made into a network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mocapella.blending.cascade import Cascade
from mocapella.blending.interpolants import Interpolant, interpolant_names, interpolant_of
from mocapella.blending.network import Network
from mocapella.blending.rules import RULES
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.building.build import HARMONICS
from mocapella.building.build import build as build_from
from mocapella.building.layout.placement import AXES
from mocapella.building.layout.steps import Built, built_as_played
from mocapella.building.spec.hybrid import describes_hybrid, read_hybrid_spec
from mocapella.building.spec.make import build_spec
from mocapella.building.spec.make_hybrid import BuiltHybrid, build_hybrid_spec
from mocapella.building.spec.network_spec import describes_layers, read_layers, read_spec
from mocapella.building.spec.spec_folder import SpecFolder
from mocapella.checks import counted
from mocapella.cli.options import FILE, Command, Named, Options, expert_option
from mocapella.cli.options.cycle_choice import preparing_options
from mocapella.cli.options.motion_files import motion_files, reading_options
from mocapella.cli.options.outputs import PICTURES, check_outputs, outputs_option
from mocapella.cli.printing import Json, command, doubt, progress, say, table
from mocapella.errors import MotionError, NetworkError
from mocapella.gait.root_motion import played_rates
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.check import Check, check_blocks
from mocapella.measure.description import describe, describe_hybrid
from mocapella.pictures import PlotsMissingError
from mocapella.storage.values import save

if TYPE_CHECKING:
    from mocapella.blending.single_source.setup import Comparison


def _interpolant(context: click.Context, parameter: click.Parameter, name: str) -> Interpolant | None:
    try:
        return interpolant_of(name)
    except NetworkError as error:
        raise click.BadParameter(str(error)) from None


# The keyword arguments of ``building.build.build``, under the same names.
_building = Options(
    expert_option("--harmonics", type=click.IntRange(min=1), default=HARMONICS, help="Harmonics kept of every motion."),
    click.option("--mirror/--no-mirror", default=True, help="Mirror turns that were captured to one side only."),
    expert_option("--substitute", is_flag=True, help="Make missing turns at other speeds by C + (B − A)."),
    expert_option("--thin/--keep-all", default=True, help="Leave out takes of nearly the same motion, or keep them."),
    expert_option("--merge/--no-merge", default=None,
                 help="Use the mean of takes of nearly the same motion, or the best take. If left out: the mean, where "
                      "it predicts held-out takes better."),
    expert_option("--even", is_flag=True, help="Smooth random differences between takes of one folder."),
    click.option("--turning/--straight", default=None,
                 help="Use the sharpest turn, or the straightest part, of every file."),
    click.option("--axes", type=Named(AXES), default=None,
                 help="Axes of the plane; stride-speed and velocity (left, ahead) are for motions that go straight. "
                      "If left out: velocity where straight motions go different ways, else turn-speed."),
    click.option("--rule", type=Named(RULES), default="lively", help="The blend rule."),
    expert_option("--outside", type=click.Choice(["clamp", "extrapolate"]), default="clamp",
                 help="How points outside the network are handled."),
    expert_option("--interpolant", metavar="NAME", default="triangles", callback=_interpolant,
                 help=f"How nodes are weighted: {interpolant_names()}."),
    expert_option("--strict", is_flag=True,
                 help="Stop if a file cannot be used or has another skeleton, instead of leaving it out or "
                      "retargeting it, or if what is played is not as captured."),
    preparing_options,
    click.option("--cache", type=FILE, help="A folder that keeps prepared cycles for the next build."),
)  # fmt: skip


@click.command(cls=Command, example="mocapella build captures/*.bvh -o walk.moca --map walk.png")
@click.argument("sources", metavar="FILE…|SPEC.toml", nargs=-1, required=True, type=FILE)
@outputs_option(metavar="NET.moca",
                help="The network to write. Repeat it for several; a .png, .svg or .pdf is its map.")  # fmt: skip
@_building
@expert_option("--as-played/--as-captured", default=None,
              help="Place motions by the speed at which they are played, or by that of the captured root. If left out: "
                   "as played, where files are placed by turn and speed.")  # fmt: skip
@expert_option("--single-source", type=click.Choice(["default", "measured"]),
              help="Take each upper harmonic from one motion: from 6 on, or where measured distortion asks "
                   "for it.")  # fmt: skip
@expert_option("--folder", type=FILE, help="The folder of the files that SPEC.toml names, if not its own.")
@click.option("--map", "picture", metavar="MAP.png", type=FILE,
              help="Draw the network; for a hybrid network every block, as MAP-NAME.png.")  # fmt: skip
@reading_options
@command
def build(sources: tuple[Path, ...], outputs: tuple[Path, ...], as_played: bool | None, single_source: str | None,
          folder: Path | None, picture: Path | None, **options: Any) -> Json:  # fmt: skip
    """Build a network from motion files or a spec.

    Every motion is prepared, synchronised with the others and placed by its turn (x, degrees per second, left positive)
    and speed (y, m/s), or with --axes stride-speed by its stride (x, metres per cycle) and speed. Straight walks of
    which some go backwards or to a side are placed by velocity: to the left (x) and ahead (y, m/s). A folder stands for
    all motion files in it and below. With a spec only --as-played, --folder, --cache, --map and --json have an effect;
    the spec says the rest. A spec with [[transitions]] makes a hybrid network, one with [[layers]] or nodes at three
    coordinates a network in space, one with nodes that are blends of stored networks a cascade.
    """
    spec = next((path for path in sources if path.suffix.lower() == ".toml"), None)
    if spec is not None and len(sources) > 1:
        raise click.UsageError("give either one SPEC.toml or motion files")
    files = _Files.of(outputs, picture, sources if spec is None else [spec, *SpecFolder.of(spec, folder).named()])
    if spec is not None and describes_hybrid(spec):
        return _build_hybrid(spec, files, folder, as_played is not False, strict=options["strict"])
    more: Json = {}
    if spec is not None:
        parts = read_layers(spec).layers if describes_layers(spec) else read_spec(spec).nodes
        with progress("preparing", len(parts)) as tick:
            built = build_spec(spec, folder=folder, cache=options["cache"], progress=tick)
        built = built_as_played(built, played_rates, bool(as_played))
    else:
        motions = motion_files(sources)
        with progress("preparing", len(motions)) as tick:
            built = build_from(motions, **_building.of(options), reading=reading_options.of(options), progress=tick)
        with progress("placing", None):
            built = built_as_played(built, played_rates, as_played)
            if single_source == "default":
                built = replace(built, network=built.network.with_single_source(SingleSource()))
            elif single_source == "measured":
                network, held_out = _set_up(built.network)
                more = {"single_source": held_out._asdict()}
                built = replace(built, network=network)
    answer = _store(built, files, strict=options["strict"])
    if more:
        say("{points} points that were not sampled: {better:.1%} less distorted by single-source harmonics, "
            "{worse:.2%} more, by {worst:.4f} rad at most".format_map(more["single_source"]))  # fmt: skip
    return {**answer, **more}


@dataclass(frozen=True)
class _Files:
    """What to write: the network, under one name or several, and maps of it."""

    networks: tuple[Path, ...]
    maps: tuple[Path, ...]

    @classmethod
    def of(cls, outputs: tuple[Path, ...], picture: Path | None, read: Sequence[Path]) -> _Files:
        """Sorted by suffix; an error where one cannot be written, or none is a network.

        Where maps cannot be drawn at all, a warning says so, and the network is written.
        """
        networks = [path for path in outputs if path.suffix.lower() not in PICTURES]
        maps = [path for path in (*outputs, picture) if path is not None and path not in networks]
        check_outputs(networks, [".moca", *PICTURES], read)
        if not networks:
            raise MotionError(f"{maps[0]} is a map of the network; name a .moca for the network, too")
        try:
            check_outputs(maps, PICTURES, read)
        except PlotsMissingError as error:
            doubt(f"no map is drawn: {error}")
            maps = []
        return cls(tuple(networks), tuple(maps))

    def save(self, network: Network | Cascade | HybridNetwork, origins: Mapping[str, Any]) -> None:
        """Write the network under every name."""
        for path in self.networks:
            save(network, path, origins=origins)


def _build_hybrid(spec: Path, files: _Files, folder: Path | None, as_played: bool, *, strict: bool) -> Json:
    described = read_hybrid_spec(spec)
    with progress("preparing", len(described.blocks) + len(described.transitions)) as tick:
        built = build_hybrid_spec(spec, folder=folder, measure=played_rates if as_played else None, progress=tick)
    check = _checked({name: block.network for name, block in built.hybrid.blocks.items()}, strict=strict)
    files.save(built.hybrid, built.origins)
    maps = [path for picture in files.maps for path in _draw_blocks(built, picture)]
    return _told(describe_hybrid(built), files.networks, maps, repr(built.hybrid), check)


def _store(built: Built, files: _Files, *, strict: bool) -> Json:
    check = _checked({"": built.network}, strict=strict)
    files.save(built.cascade or built.network, built.origins)
    for picture in files.maps:
        from mocapella.pictures.networks import draw_network, draw_volume

        (draw_network if built.network.n_axes == 2 else draw_volume)(built.network, picture)
    _tell_motions(built)
    return _told(describe(built), files.networks, files.maps, repr(built.cascade or built.network), check)


def _checked(networks: Mapping[str, Network], *, strict: bool) -> Check | None:
    """What playing networks shows, with a warning where something is wrong; None where they cannot be played.

    With ``strict`` an error says what is wrong.
    """
    try:
        with progress("playing", None):
            check = check_blocks(networks)
    except MotionError as error:
        doubt(f"what was built was not played: {error}")
        return None
    if strict:
        check.refuse()
    if check.findings:
        doubt(f"played, {counted(len(check.findings), 'figure')} above the limits: {check.verdict}")
    return check


def _draw_blocks(built: BuiltHybrid, picture: Path) -> list[Path]:
    """Draw every block in the mode that opens most arcs; ``MAP.png`` becomes ``MAP-walking.png``."""
    from mocapella.pictures.networks import draw_network

    mode = max(built.hybrid.modes, key=lambda candidate: len(candidate.arcs))
    files = {name: picture.with_stem(f"{picture.stem}-{name}") for name in built.hybrid.blocks}
    for name, path in files.items():
        draw_network(built.hybrid.network(name, mode.name), path, title=f"{name}, in the mode {mode.name}")
    return list(files.values())


def _set_up(network: Network) -> tuple[Network, Comparison]:
    """The network with single-source harmonics set up by the distortion, and what that is worth elsewhere."""
    from mocapella.blending.single_source.setup import compared, set_up
    from mocapella.measure.distortion import Yardstick

    def score(other: Network, points: Any) -> Any:
        return Yardstick(network, points).measure(other).scores

    changed = set_up(network, score)
    return changed, compared(changed, score)


def _told(answer: Json, networks: Sequence[Path], maps: Sequence[Path], about: str, check: Check | None) -> Json:
    """The answer with the files written and what playing showed, also printed as text."""
    tell_nodes(answer)
    say(*(f"{path}: {about}" for path in networks), *(f"{path}: map" for path in maps))
    findings = () if check is None else check.findings
    say(*(() if check is None else check.lines()))
    written = [str(path) for path in (*networks, *maps)]
    return {**answer, "written": written, "check": [finding.to_dict() for finding in findings]}


def _tell_motions(built: Built) -> None:
    """Print what every motion was taken for, where some are not in the network."""
    told = [motion for motion in built.motions if motion.reason]
    if told:
        kinds = Counter(motion.kind for motion in built.motions)
        say(table(("not a node", "kind", "why"), [(motion.title, motion.kind, motion.reason) for motion in told]))
        say(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))


def tell_nodes(answer: Json) -> None:
    """Print tables of nodes and arcs from an answer of ``describe`` or ``describe_hybrid``."""
    nodes, arcs = answer["nodes"], answer["arcs"]
    axes = (">x", ">y", ">z")[: max((len(node["at"]) for node in nodes), default=2)]
    rows = [
        (node["name"], *(f"{x:.2f}" for x in node["at"]), f"{node['speed']:.2f}", f"{node['turn']:+.1f}",
         f"{node['seconds']:.2f}", node["source"])
        for node in nodes
    ]  # fmt: skip
    say(table(("node", *axes, ">m/s", ">turn °", ">seconds", "from"), rows))
    if arcs:
        say(table(("arc", "from", "to", "rows", "seconds", "seams"), map(_arc_row, arcs)))


def _arc_row(arc: Json) -> tuple[str, ...]:
    ends = (f"{arc[end]['block']}: {arc[end]['node']}" for end in ("source", "target"))
    seams = " and ".join(f"{seam['pose_cm']:.1f} cm, {seam['velocity']:.0f}°/s" for seam in arc["seams"])
    return (arc["name"], *ends, f"{arc['leave']}–{arc['arrive']}", f"{arc['seconds']:.2f}", seams)
