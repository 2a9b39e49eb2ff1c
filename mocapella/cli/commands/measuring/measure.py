"""``mocapella measure``: the measures of a stored network, in numbers and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
from rich.text import Text

from mocapella.blending.cascade import Cascade
from mocapella.blending.network import Network
from mocapella.blending.rules import RULES
from mocapella.cli.commands.measuring.pictures import PICTURES, Shown
from mocapella.cli.options import FILE, Command, Options, expert_option
from mocapella.cli.options.outputs import check_output
from mocapella.cli.printing import Json, command, progress, say, table
from mocapella.errors import MotionError
from mocapella.hybrid.block import unwarned
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.measure.distortion_maps import COLUMNS, ROWS, save_maps
from mocapella.measure.footskate import SLIPPING
from mocapella.measure.measures import NETWORK, MeasuredNetwork, figures
from mocapella.measure.traced_points import FEET_TRACED, FootPoint
from mocapella.storage.values import load_network
from mocapella.studies.published import by_rule

_LISTED = "\n".join(f"{key:22}{measure.unit:9}{measure.about}" for key, measure in NETWORK.items())


def grid_size(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """``161x41``: columns and rows; ``25`` is as many of both."""
    if value is None:
        return None
    columns, x, rows = value.lower().partition("x")
    rows = rows if x else columns
    if not (columns.isdecimal() and rows.isdecimal() and int(columns) > 0 and int(rows) > 0):
        raise click.BadParameter(f"expected columns and rows such as {COLUMNS}x{ROWS}, got {value!r}")
    return int(columns), int(rows)


_pictures = Options(
    *(
        click.option(f"--{name}", metavar=picture.metavar, type=FILE, help=picture.about)
        for name, picture in PICTURES.items()
    )
)


@click.command(cls=Command, example="mocapella measure walk.moca --map map.png",
               epilog=f"\b\nThe measures, by JSON key, with units:\n{_LISTED}")  # fmt: skip
@click.argument("source", metavar="NET.moca", type=FILE)
@click.option("--grid", metavar="N|COLSxROWS", callback=grid_size,
              help=f"Grid of points at which distortion is measured, {COLUMNS}x{ROWS} if left out; if given, "
                   "feet are played there too.")  # fmt: skip
@expert_option("--against", type=click.Choice(list(RULES)), default="streamlined",
              help="The rule to compare with; its largest distortion is the scale of hotspots.")  # fmt: skip
@expert_option("--joint", type=click.Choice(FEET_TRACED), default="ankle",
              help="What stands for a foot in maps and pictures; the end is the tip of the toes.")  # fmt: skip
@expert_option("--play/--no-play", default=True,
              help="Play the network at nodes, between them and at the points of --grid to measure feet.")  # fmt: skip
@expert_option("--data", metavar="OUT", type=FILE, help="Write the maps as .npz, .json or .csv.")
@_pictures
@expert_option("--at", type=(float, float), metavar="X Y",
              help="The blending point of these pictures; if left out that of the largest distortion.")  # fmt: skip
@expert_option("--dof", metavar="NAME", help="The dof of --phases; the left hip's last one if left out.")
@click.option("--block", metavar="NAME", help="Hybrid network: measure only this block.")
@command
def measure(source: Path, grid: tuple[int, int] | None, against: str, joint: FootPoint, play: bool, data: Path | None,
            at: tuple[float, float] | None, dof: str | None, block: str | None,
            **pictures: Path | None) -> Json:  # fmt: skip
    """Measure the quality of a network.

    Distortion (UHD) is how much the traces of planted feet deviate in direction from the mean of the nodes' own traces,
    in radians, summed over both feet. It is printed for ankles, toe joints, ends of the legs and hands. Hotspots are
    points with at least 67 % of the largest distortion of the rule --against without single-source harmonics. In a
    hybrid network every block is measured.
    """
    check_output(data, [".npz", ".json", ".csv"], [source])
    for name, path in pictures.items():
        check_output(path, PICTURES[name].suffixes, [source])
    networks = _networks(source, block)
    of_all_blocks = block is None and "" not in networks
    asked = {name: path for name, path in pictures.items() if path is not None}
    if of_all_blocks and (data is not None or asked):
        raise MotionError(f"data and pictures are of one block; name it by --block: {', '.join(networks)}")

    def measured(name: str) -> Json:
        network = networks[name]
        with unwarned():  # nodes of transitions are in no triangle, on purpose
            before = by_rule(network, RULES[against])
        subject = MeasuredNetwork(network, before, grid, joint, play, partial(progress, "playing"))
        if data is not None:
            save_maps({"before": subject.change.before, "after": subject.change.after}, data)
        for picture, path in asked.items():
            PICTURES[picture].draw(Shown(subject, (against, name or source.stem), at, dof), path)
        return figures(NETWORK, subject)

    if not of_all_blocks:
        answer = measured(next(iter(networks)))
        _print(answer)
        return answer
    blocks = {name: _or_reason(measured, name) for name in networks}
    for name, answer in blocks.items():
        say(Text(name, style="bold"))
        _print(answer)
    return _over_blocks(blocks)


def _networks(source: Path, block: str | None) -> dict[str, Network]:
    """The networks to measure: blocks of a hybrid network by name, or one network under the empty name."""
    playable = load_network(source)
    if isinstance(playable, HybridNetwork):
        blocks = {name: part.network for name, part in playable.blocks.items()}
        if block is not None and block not in blocks:
            raise MotionError(f"no block {block!r}; there are {', '.join(blocks)}")
        return blocks if block is None else {block: blocks[block]}
    if block is not None:
        raise MotionError(f"{source.name} is a plain network; only a hybrid one has blocks")
    network = playable.network if isinstance(playable, Cascade) else playable
    if network.n_axes != 2:
        raise MotionError(f"{source.name} lies in space, and maps are measured in a plane; measure one of its layers")
    return {"": network}


def _or_reason(measured: Callable[[str], Json], name: str) -> Json:
    """The measures of a block, or the reason why it has none: some blocks have no steps."""
    try:
        return measured(name)
    except MotionError as error:
        return {"reason": str(error)}


def _over_blocks(blocks: dict[str, Json]) -> Json:
    """All blocks by name, and each measure for all of them; ``MotionError`` if none was measured."""
    measured = [figures for figures in blocks.values() if "reason" not in figures]
    if not measured:
        raise MotionError("; ".join(f"{name}: {figures['reason']}" for name, figures in blocks.items()))
    merged = {key: measure.over_blocks for key, measure in NETWORK.items() if measure.over_blocks is not None}
    return {**{key: merge([figures[key] for figures in measured]) for key, merge in merged.items()}, "blocks": blocks}


def _print(answer: Json) -> None:
    if "reason" in answer:
        say(answer["reason"])
        return
    ssh, before, feet = answer["single_source"], answer["before"], answer["feet"]
    upper = "blended" if ssh is None else f"H{ssh['first']} to H{ssh['last']} single-source"
    rows = {"rule": f"{answer['rule']}, {answer['harmonics']} harmonics, {upper}"}
    for name, distortion in (("distortion", answer["uhd"]), (f"before ({before['rule']})", before)):
        rows[name] = "mean {mean:.4f}, max {max:.4f} rad, {hotspots} hotspots of {samples}".format(**distortion)
    rows["worst at"] = _point(answer["uhd"]["worst"])
    if answer["liveliness"] is not None:
        rows["liveliness"] = "mean {mean:.3f}, least {min:.3f}".format(**answer["liveliness"])
    for key, measure in NETWORK.items():
        if isinstance(answer[key], float):
            rows[key] = f"{answer[key]:.2f} {measure.unit}: {measure.about}"
    if feet is not None:
        slipping = f"{feet['slipping']} of {len(feet['places'])} with more than {SLIPPING:g} mm of slip"
        rows["places played"] = f"{slipping}, the largest at {_point(feet['slip_at'])}"
    changes = answer["change"]["table"]
    shares = [
        (f"{word} %", *(f"{row[f'{word}_percent']:.1f}" for row in changes))
        for word in ("improved", "worsened", "unchanged")
    ]
    thresholds = (f">{row['threshold_percent']:.0f}" for row in changes)
    say(
        table((), rows.items()),
        table(("distortion by what is traced, mean / max", before["rule"], answer["rule"]), _by_point(answer)),
        table(("threshold, % of the max before", *thresholds), shares),
    )


def _by_point(answer: Json) -> Iterator[tuple[str, str, str]]:
    """A row for every point of the body that was traced: before and now."""
    for point, traced in answer["uhd_points"].items():
        if traced is not None:
            before, now = ("{mean:.3f} / {max:.3f}".format(**summary) for summary in (traced["before"], traced))
            yield point, before, now


def _point(values: list[float]) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
