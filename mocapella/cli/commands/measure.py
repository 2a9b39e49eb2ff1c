"""``mocapella measure``: how good a stored network is, in numbers and pictures."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
import numpy as np
from rich.progress import Progress
from rich.table import Table

from mocapella.blending.cascade import Cascade
from mocapella.blending.network import Network
from mocapella.blending.rules import RULES, rule_name
from mocapella.cli.answers import as_json, command, err, out, print_json
from mocapella.errors import MotionError
from mocapella.hybrid.network import HybridNetwork, unwarned
from mocapella.measure.distortion import FOOT_JOINTS, FootJoint
from mocapella.measure.feet import SLIPPING, Trial, grid_places, trial_places, try_out
from mocapella.measure.left_out import Improvement
from mocapella.measure.maps import COLUMNS, ROWS, DistortionMap, Survey, save_maps
from mocapella.measure.network import phase_differences
from mocapella.storage.values import load_network
from mocapella.studies.upper_harmonics import by_rule

_PLAYED = {
    "slip_mm_max": "{:.2f} mm at most",
    "penetration_mm_max": "{:.2f} mm at most",
    "floating_mm_max": "{:.2f} mm at most, feet that are held",
    "approach_m_s_max": "feet still move {:.2f} m/s over the ground at most, in the three frames before they rest",
    "closing_cm_max": "{:.3f} cm at most",
    "sync_deg_max": "nodes that share an edge are {:.1f}° out of step at most",
}
_FILE = click.Path(path_type=Path)


def grid_size(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    """``161x41``: columns and rows; ``25`` is as many of both."""
    columns, x, rows = value.lower().partition("x")
    rows = rows if x else columns
    if not (columns.isdecimal() and rows.isdecimal() and int(columns) > 0 and int(rows) > 0):
        raise click.BadParameter(f"expected columns and rows such as {COLUMNS}x{ROWS}, got {value!r}")
    return int(columns), int(rows)


@click.command()
@click.argument("source", metavar="NET.moca", type=_FILE)
@click.option(
    "--grid",
    metavar="N|COLSxROWS",
    callback=lambda ctx, param, value: None if value is None else grid_size(ctx, param, value),
    help=f"Points to measure distortion at, {COLUMNS}x{ROWS} if left out; feet are played at those asked for here.",
)
@click.option("--against", type=click.Choice(list(RULES)), default="streamlined", show_default=True,
              help="The rule that counts as before; its largest distortion is the scale of hotspots.")  # fmt: skip
@click.option("--joint", type=click.Choice(FOOT_JOINTS), default="ankle", show_default=True, help="What is traced.")
@click.option("--play/--no-play", "played", default=True,
              help="Play it at nodes, between them and at points of --grid, to see how its feet stand.")  # fmt: skip
@click.option("--data", metavar="OUT", type=_FILE, help="Write the maps as .npz, .json or .csv.")
@click.option("--map", metavar="OUT.png", type=_FILE, help="Draw the maps of distortion, before and after.")
@click.option("--columns", metavar="OUT.png", type=_FILE, help="Draw the largest and mean distortion by column.")
@click.option("--traces", metavar="OUT", type=_FILE, help="Draw the foot traces at one point, or write them as .csv.")
@click.option("--contributions", metavar="OUT.png", type=_FILE, help="Draw what each harmonic adds at one point.")
@click.option(
    "--phases", metavar="OUT.png", type=_FILE, help="Draw phase angles of the two nodes nearest to one point."
)
@click.option("--at", type=(float, float), metavar="X Y", help="That point; the worst before if left out.")
@click.option("--block", metavar="NAME", help="Of a hybrid network this block only.")
@click.option("--dof", metavar="NAME", help="The dof for --phases; the left hip's last if left out.")
@as_json
@command
def measure(
    source: Path,
    grid: tuple[int, int] | None,
    against: str,
    joint: FootJoint,
    played: bool,
    data: Path | None,
    at: tuple[float, float] | None,
    block: str | None,
    dof: str | None,
    as_json: bool,
    **pictures: Path | None,
) -> None:
    """Measure how much the blends of a network distort, whether its feet stand, and whether its nodes are in step.

    Distortion (UHD) is how far the traces of planted feet wriggle about the mean of the nodes' own traces, in radians,
    both feet together. Hotspots are points with at least 67 % of the largest distortion that the rule named by
    --against has without single-source harmonics. Of a hybrid network every block is measured.
    """
    networks = _networks(source, block)
    asked = {name: path for name, path in pictures.items() if path is not None}
    if block is None and "" not in networks and (data is not None or asked):
        raise MotionError(f"data and pictures are of one block; name it by --block: {', '.join(networks)}")
    measured = functools.partial(_measured, grid=grid, against=against, joint=joint, played=played, quiet=as_json)
    if block is not None or "" in networks:
        (network,) = networks.values()
        found = measured(network, block or source.stem, data=data, asked=asked, at=at, dof=dof)
    else:
        found = _together({name: _or_reason(measured, network, name) for name, network in networks.items()})
    if as_json:
        print_json(found)
        return
    for name, one in found.get("blocks", {"": found}).items():
        if name:
            out.print(f"[bold]{name}[/bold]")
        if "reason" in one:
            out.print(one["reason"])
        else:
            out.print(_figures(one))
            out.print(table_7_4(one["change"]["table"]))


def _networks(source: Path, block: str | None) -> dict[str, Network]:
    """What is to be measured by name: the blocks of a hybrid network, or the one network, which has none."""
    playable = load_network(source)
    if not isinstance(playable, HybridNetwork):
        if block is not None:
            raise MotionError(f"{source.name} is a plain network; only a hybrid one has blocks")
        if isinstance(playable, Cascade):
            playable = playable.network
        if playable.n_axes != 2:
            raise MotionError(
                f"{source.name} lies in space, and maps are measured in a plane; measure one of its layers"
            )
        return {"": playable}
    blocks = {name: one.network for name, one in playable.blocks.items()}
    if block is None:
        return blocks
    if block not in blocks:
        raise MotionError(f"no block {block!r}; there are {', '.join(blocks)}")
    return {block: blocks[block]}


def _measured(
    network: Network,
    label: str,
    *,
    grid: tuple[int, int] | None,
    against: str,
    joint: FootJoint,
    played: bool,
    quiet: bool,
    data: Path | None = None,
    asked: Mapping[str, Path] = MappingProxyType({}),
    at: tuple[float, float] | None = None,
    dof: str | None = None,
) -> dict[str, Any]:
    with unwarned():  # nodes of transitions are in no triangle, on purpose
        before = by_rule(network, RULES[against])
    columns, rows = grid or (COLUMNS, ROWS)
    survey = Survey(network, columns=columns, rows=rows, joint=joint)
    change = Improvement(survey.map(before), survey.map())
    if data is not None:
        save_maps({"before": change.before, "after": change.after}, data)
    if asked:
        from mocapella.cli.commands.measure_pictures import draw

        draw(network, before, change, asked, at=at, dof=dof, joint=joint, labels=(against, label))
    trial = None
    if played:
        places = [*trial_places(network), *(() if grid is None else grid_places(network, columns, rows))]
        with _progress(len(places), quiet) as tick:
            trial = try_out(network, places, progress=tick)
    return describe(network, against, change, trial)


def _or_reason(measured: Callable[..., dict[str, Any]], network: Network, name: str) -> dict[str, Any]:
    """What was measured of a block, or why it cannot be: some only stand."""
    try:
        return measured(network, name)
    except MotionError as error:
        return {"reason": str(error)}


def _together(blocks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """All blocks by name, and over them the worst of each; ``MotionError`` where none can be measured."""
    known = [one for one in blocks.values() if "reason" not in one]
    if not known:
        raise MotionError("; ".join(f"{name}: {one['reason']}" for name, one in blocks.items()))
    uhd = [one["uhd"] for one in known]
    samples = sum(one["samples"] for one in uhd)
    single = {key: known[0][key] for key in ("rule", "harmonics", "single_source")}
    return {
        **{key: value if all(one[key] == value for one in known) else None for key, value in single.items()},
        "uhd": {
            "mean": sum(one["mean"] * one["samples"] for one in uhd) / samples,
            "max": max(one["max"] for one in uhd),
            "hotspots": sum(one["hotspots"] for one in uhd),
            "samples": samples,
        },
        **{key: max((one[key] for one in known if one[key] is not None), default=None) for key in _PLAYED},
        "blocks": blocks,
    }


def describe(network: Network, against: str, change: Improvement, trial: Trial | None) -> dict[str, Any]:
    """What ``measure --json`` says; null where nothing was played or there is no upper band."""
    after, steps = change.after, phase_differences(network)
    return {
        "rule": rule_name(network.rule),
        "harmonics": network.n_harmonics,
        "single_source": _single_source(network),
        "uhd": _uhd(after, change.before.max) | {"worst": list(after.worst)},
        "before": {"rule": against, **_uhd(change.before, change.before.max)},
        "change": {key: change.to_dict()[key] for key in ("hotspots_gone_percent", "table")},
        "liveliness": _liveliness(after),
        "trace_turned_deg_max": math.degrees(float(np.nanmax(after.turned))),
        "slip_mm_max": None if trial is None else trial.slip_mm_max,
        "penetration_mm_max": None if trial is None else trial.penetration_mm_max,
        "floating_mm_max": None if trial is None else trial.floating_mm_max,
        "approach_m_s_max": None if trial is None else trial.approach_max,
        "closing_cm_max": None if trial is None else trial.closing_cm_max,
        "sync_deg_max": math.degrees(float(steps.max())) if len(steps) else 0.0,
        "feet": None if trial is None else trial.to_dict(),
    }


def _uhd(found: DistortionMap, scale: float) -> dict[str, Any]:
    return {"mean": found.mean, "max": found.max, "hotspots": found.hotspots(scale), "samples": found.samples}


def _liveliness(found: DistortionMap) -> dict[str, float] | None:
    if not found.has_upper_band:
        return None
    kept = found.liveliness()
    return {"mean": float(np.nanmean(kept)), "min": float(np.nanmin(kept))}


def _single_source(network: Network) -> dict[str, Any] | None:
    own = network.single_source
    if own is None:
        return None
    return {
        "first": own.first,
        "last": network.n_harmonics if own.last is None else own.last,
        "winners": [list(pair) for pair in own.winners],
        "abstaining": list(own.abstaining),
        "structure": own.structure,
        "override": own.override is not None,
    }


def _figures(answer: dict[str, Any]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    uhd, before = answer["uhd"], answer["before"]
    ssh = answer["single_source"]
    upper = "blended" if ssh is None else f"H{ssh['first']} to H{ssh['last']} single-source"
    table.add_row("rule", f"{answer['rule']}, {answer['harmonics']} harmonics, {upper}")
    for name, found in (("distortion", uhd), (f"before ({before['rule']})", before)):
        told = (
            f"mean {found['mean']:.4f}, max {found['max']:.4f} rad, {found['hotspots']} hotspots of {found['samples']}"
        )
        table.add_row(name, told)
    table.add_row("worst at", ", ".join(f"{value:.3g}" for value in uhd["worst"]))
    if answer["liveliness"] is not None:
        table.add_row("liveliness", "mean {mean:.3f}, least {min:.3f}".format(**answer["liveliness"]))
    for key, told in _PLAYED.items():
        if answer[key] is not None:
            table.add_row(key.split("_")[0], told.format(answer[key]))
    if answer["feet"] is not None:
        feet = answer["feet"]
        told = f"{feet['slipping']} of {len(feet['places'])} with more than {SLIPPING:g} mm of slip"
        table.add_row("places played", f"{told}, the worst at {', '.join(f'{value:.3g}' for value in feet['slip_at'])}")
    return table


def table_7_4(rows: list[dict[str, float]]) -> Table:
    """Table 7.4: a column for each threshold."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("threshold, % of the max before")
    for row in rows:
        table.add_column(f"{row['threshold_percent']:.0f}", justify="right")
    for word in ("improved", "worsened", "unchanged"):
        table.add_row(f"{word} %", *(f"{row[f'{word}_percent']:.1f}" for row in rows))
    return table


@contextmanager
def _progress(total: int, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar on standard error, for people."""
    with Progress(console=err, transient=True, disable=quiet or not err.is_terminal) as bar:
        task = bar.add_task("playing", total=total)
        yield lambda: bar.update(task, advance=1)
