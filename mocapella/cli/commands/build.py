"""``mocapella build``: motion files or a spec made into a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click
from rich.progress import Progress
from rich.table import Table

from mocapella.blending.interpolants import KNOWN, Interpolant, interpolant_of
from mocapella.blending.network import Network
from mocapella.blending.rules import RULES
from mocapella.blending.single_source.settings import SingleSource
from mocapella.building.build import HARMONICS, built_as_played
from mocapella.building.build import build as build_from
from mocapella.building.placement import AXES
from mocapella.building.spec.hybrid import describes_hybrid, read_hybrid_spec
from mocapella.building.spec.make import BuiltHybrid, build_hybrid_spec, build_spec
from mocapella.building.spec.network import describes_layers, read_layers, read_spec
from mocapella.cli.answers import as_json, command, err, out, print_json
from mocapella.cli.options.cycles import layout_option, method_option
from mocapella.cli.options.files import motion_files, reading_options
from mocapella.errors import NetworkError
from mocapella.hybrid.network import Arc, ArcEnd
from mocapella.hybrid.seams import Seam, arc_seams
from mocapella.measure.description import describe, node_row
from mocapella.playback.gaits import played_rates
from mocapella.storage.networks import Origin
from mocapella.storage.values import save

# ``mocapella build`` for a spec with transitions: a hybrid network, stored and described.


def describe_hybrid(built: BuiltHybrid) -> dict[str, Any]:
    """What ``build --json`` says of a hybrid network: as of a plain one, with the block of everything beside it."""
    blocks = built.hybrid.blocks
    nodes = [
        {**node_row(node, built.origins.get(name, {}).get(node.name, Origin()).source), "block": name}
        for name, block in blocks.items()
        for node in block.network.nodes
    ]
    triangles = [
        list(names) for block in blocks.values() for names in (*block.plain, *block.buffers) if len(names) == 3
    ]
    segments = [list(names) for block in blocks.values() for names in block.plain if len(names) == 2]
    modes = [{"name": mode.name, "key": mode.key, "arcs": sorted(mode.arcs)} for mode in built.hybrid.modes]
    arcs = [_arc(arc, arc_seams(built.hybrid, arc)) for arc in built.hybrid.arcs]
    answer = {"nodes": nodes, "triangles": triangles, "arcs": arcs, "blocks": list(blocks), "modes": modes}
    return {**answer, "segments": segments} if segments else answer


def print_arcs(arcs: list[dict[str, Any]]) -> None:
    """The arcs as a table."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("arc", "from", "to", "rows", "seconds", "seams"):
        table.add_column(heading)
    for arc in arcs:
        ends = [f"{arc[end]['block']}: {arc[end]['node']}" for end in ("source", "target")]
        seams = " and ".join(f"{seam['pose_cm']:.1f} cm, {seam['velocity']:.0f}°/s" for seam in arc["seams"])
        table.add_row(arc["name"], *ends, f"{arc['leave']}–{arc['arrive']}", f"{arc['seconds']:.2f}", seams)
    out.print(table)


def draw_blocks(built: BuiltHybrid, picture: Path) -> list[Path]:
    """Draw every block, as the mode that opens most arcs shows it, into ``MAP-walking.png`` for ``MAP.png``."""
    from mocapella.pictures.networks import draw_network

    mode = max(built.hybrid.modes, key=lambda one: len(one.arcs))
    files = []
    for name in built.hybrid.blocks:
        path = picture.with_stem(f"{picture.stem}-{name}")
        draw_network(built.hybrid.network(name, mode.name), path, title=f"{name}, in the mode {mode.name}")
        files.append(path)
    return files


def _arc(arc: Arc, seams: tuple[Seam, Seam]) -> dict[str, Any]:
    change = arc.transition
    row = change.clip.first_row
    return {
        "name": arc.name,
        "source": _stop(arc.source),
        "target": _stop(arc.target),
        "leave": change.leave + row,
        "arrive": change.arrive + row,
        "seconds": change.seconds,
        "loop": None if change.loop is None else [frame + row for frame in change.loop],
        "zone": arc.zone,
        "key": arc.key,
        "mirrored": arc.mirrored is not None,
        "at_once": arc.at_once,
        "clip": change.clip.source or change.clip.name,
        "seams": [
            {
                "at": end,
                "pose_cm": 100.0 * one.pose,
                "angle": math.degrees(one.turn),
                "velocity": math.degrees(one.velocity),
            }
            for end, one in zip(("leave", "arrive"), seams, strict=True)
        ],
    }


def _stop(stop: ArcEnd) -> dict[str, str]:
    return {"block": stop.block, "node": stop.node}


# ``mocapella build``: captures become a network one can steer.


def _interpolant(context: click.Context, parameter: click.Parameter, name: str) -> Interpolant | None:
    try:
        return interpolant_of(name)
    except NetworkError as error:
        raise click.BadParameter(str(error)) from None


@click.command()
@click.argument("sources", metavar="FILE…|SPEC.toml", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="NET.moca", required=True, type=click.Path(path_type=Path))
@click.option("--harmonics", type=click.IntRange(min=1), default=HARMONICS, show_default=True, help="Kept per motion.")
@click.option("--mirror/--no-mirror", default=True, help="Mirror turns whose other side is missing.")
@click.option("--substitute", is_flag=True, help="Make missing turns at other speeds by C + (B − A).")
@click.option("--keep-all", is_flag=True, help="Keep several takes of nearly the same motion.")
@click.option("--even", is_flag=True, help="Even out what single takes did by chance, among those in one folder.")
@click.option("--turning/--straight", default=None, help="Look for turns, or for straight stretches, in all files.")
@click.option("--axes", type=click.Choice(list(AXES)), default="turn-speed", show_default=True,
              help="By what motions are laid out; stride-speed is for those that go straight.")  # fmt: skip
@click.option("--as-played/--as-captured", default=None,
              help="Lay motions out by the speeds at which feet carry them, or by those of captured roots; as played, "
                   "if left out, wherever files are laid out by turn and speed.")  # fmt: skip
@click.option("--rule", type=click.Choice(list(RULES)), default="lively", show_default=True, help="How to mix.")
@click.option(
    "--single-source",
    type=click.Choice(["default", "measured"]),
    help="Take upper harmonics whole from one motion each, from 6 on or as the measured distortion asks for.",
)
@click.option(
    "--outside",
    type=click.Choice(["clamp", "extrapolate"]),
    default="clamp",
    show_default=True,
    help="What points outside of the network give.",
)
@click.option("--interpolant", metavar="NAME", default="triangles", show_default=True, callback=_interpolant,
              help=f"By which weights nodes count: {KNOWN}.")  # fmt: skip
@method_option
@layout_option
@click.option("--cache", type=click.Path(path_type=Path), help="A folder that keeps prepared cycles for the next time.")
@click.option("--folder", type=click.Path(path_type=Path), help="Where the files of SPEC.toml lie, if not beside it.")
@click.option("--map", "picture", metavar="MAP.png", type=click.Path(path_type=Path),
              help="Draw the network, too; of a hybrid one every block, into MAP-NAME.png.")  # fmt: skip
@reading_options
@as_json
@command
def build(
    sources: tuple[Path, ...],
    output: Path,
    harmonics: int,
    mirror: bool,
    substitute: bool,
    keep_all: bool,
    even: bool,
    turning: bool | None,
    axes: str,
    as_played: bool | None,
    rule: str,
    single_source: str | None,
    outside: Literal["clamp", "extrapolate"],
    interpolant: Interpolant | None,
    method: str,
    layout: str,
    cache: Path | None,
    folder: Path | None,
    picture: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Make a network of motion FILEs, or of what SPEC.toml describes, and store it.

    Every motion is prepared, put in step with the others and placed by its turn (x, degrees per second, left positive)
    and speed (y, m/s), or with --axes stride-speed by its stride (x, metres a cycle) and speed. A folder stands for all
    motion files below it. A spec says everything itself; of the options only --as-played, --folder, --cache, --map and
    --json count then. One with [[transitions]] makes a hybrid network, one with [[layers]] or nodes at three
    coordinates a network in space, one with nodes that are blends of stored networks a cascade.
    """
    specs = [path for path in sources if path.suffix.lower() == ".toml"]
    if specs and len(sources) > 1:
        raise click.UsageError("a spec says everything: give one SPEC.toml alone, or motion files")
    if specs and describes_hybrid(specs[0]):
        if as_played:
            raise NetworkError("a hybrid network is not laid out as played; its changes fit the places of its nodes")
        _build_hybrid(specs[0], output, folder, picture, as_json)
        return
    if specs:
        parts = read_layers(specs[0]).layers if describes_layers(specs[0]) else read_spec(specs[0]).nodes
        with _progress(len(parts), as_json) as tick:
            built = build_spec(specs[0], folder=folder, cache=cache, progress=tick)
    else:
        files = motion_files(sources)
        with _progress(len(files), as_json) as tick:
            built = build_from(
                files,
                harmonics=harmonics,
                mirror=mirror,
                substitute=substitute,
                thin=not keep_all,
                even=even,
                turning=turning,
                axes=AXES[axes],
                method=method,
                layout=layout,
                rule=RULES[rule],
                outside=outside,
                interpolant=interpolant,
                cache=cache,
                reading=options,
                progress=tick,
            )
    built = built_as_played(built, played_rates, bool(as_played) if specs else as_played)
    if single_source is not None and not specs:
        built = replace(built, network=_with_single_source(built.network, single_source))
    if built.cascade is None:
        save(built.network, output, origins=built.origins)
    else:
        save(built.cascade, output, origins=built.origins)
    if picture is not None:
        _draw(built.network, picture)
    answer = describe(built)
    answer["files"] = [str(path) for path in (output, picture) if path is not None]
    if as_json:
        print_json(answer)
        return
    out.print(_table(answer["nodes"]))
    out.print(f"{output}: {built.cascade or built.network!r}", markup=False)
    _print_pictures(answer["files"])


def _build_hybrid(spec: Path, output: Path, folder: Path | None, picture: Path | None, as_json: bool) -> None:
    described = read_hybrid_spec(spec)
    with _progress(len(described.blocks) + len(described.transitions), as_json) as tick:
        built = build_hybrid_spec(spec, folder=folder, progress=tick)
    save(built.hybrid, output, origins=built.origins)
    pictures = [] if picture is None else draw_blocks(built, picture)
    answer = describe_hybrid(built)
    answer["files"] = [str(path) for path in (output, *pictures)]
    if as_json:
        print_json(answer)
        return
    out.print(_table(answer["nodes"]))
    print_arcs(answer["arcs"])
    out.print(f"{output}: {built.hybrid!r}")
    _print_pictures(answer["files"])


def _draw(network: Network, picture: Path) -> None:
    from mocapella.pictures.networks import draw_network, draw_volume

    (draw_network if network.n_axes == 2 else draw_volume)(network, picture)


def _print_pictures(files: list[str]) -> None:
    """Name what was written beside the network."""
    for path in files[1:]:
        out.print(f"{path}: map")


def _with_single_source(network: Network, how: str) -> Network:
    if how == "default":
        return network.with_single_source(SingleSource())
    from mocapella.blending.single_source.setup import set_up
    from mocapella.measure.distortion import Yardstick

    return set_up(network, lambda other, points: Yardstick(network, points).measure(other).scores)


def _table(nodes: list[dict[str, Any]]) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("node")
    axes = ("x", "y", "z")[: max((len(node["at"]) for node in nodes), default=2)]
    for heading in (*axes, "m/s", "turn °", "seconds"):
        table.add_column(heading, justify="right")
    table.add_column("from")
    for node in nodes:
        numbers = (f"{node['speed']:.2f}", f"{node['turn']:+.1f}", f"{node['seconds']:.2f}")
        table.add_row(node["name"], *(f"{x:.2f}" for x in node["at"]), *numbers, node["source"])
    return table


@contextmanager
def _progress(total: int, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A bar on standard error, for people; told a name, it goes one on."""
    with Progress(console=err, transient=True, disable=quiet or not err.is_terminal) as bar:
        task = bar.add_task("preparing", total=total)

        def tick(name: str) -> None:
            bar.update(task, advance=1, description=f"preparing {name}")

        yield tick
