"""``mocapella export``: a network as a folder for an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mocapella.blending.network import Network
from mocapella.checks import counted
from mocapella.cli.options import FILE, Command
from mocapella.cli.options.blending_points import all_blocks, chosen_network
from mocapella.cli.options.motion_files import onto_of, onto_options
from mocapella.cli.options.numbers import NumberRange
from mocapella.cli.options.outputs import output_option
from mocapella.cli.printing import Json, command, say, tracked
from mocapella.errors import MotionError
from mocapella.exporting.embedding import EMBEDDED, export_embedded
from mocapella.exporting.grid import BlendGrid, blend_grid, carried_grid
from mocapella.exporting.mocar import SUFFIX
from mocapella.exporting.targets import TARGETS, export_grid, loop_facts
from mocapella.hybrid.hybrid_network import HybridNetwork


@click.command(cls=Command, example="mocapella export walk.moca --for godot -o game")
@click.argument("source", metavar="NET.moca", type=FILE)
@output_option("folder", metavar="FOLDER", required=True, help="The folder to write, or a .mocar file for c and wasm.")
@click.option("--for", "target", type=click.Choice([*TARGETS, *EMBEDDED]), required=True, help="The target program.")
@click.option("--grid", type=(click.IntRange(2, 32), click.IntRange(2, 32)), metavar="COLUMNS ROWS",
              help="Grid of loops over the network, in addition to its nodes; 5 5 if left out.")  # fmt: skip
@click.option("--rate", type=NumberRange(1.0, 1000.0), help="Approximate frames per second; 30 if left out.")
@click.option("--block", metavar="NAME",
              help="A block of a hybrid network; its first if left out, with c and wasm all.")  # fmt: skip
@onto_options
@command
def export(source: Path, folder: Path, target: str, grid: tuple[int, int] | None, rate: float | None, block: str | None,
           **options: Any) -> Json:  # fmt: skip
    """Write a network as a folder for an engine.

    The folder contains a character with closed loops of the network on a grid, with a root bone on the ground and
    locked feet; grid.json, with the place, duration and speed of each loop; and the scripts or resource files that make
    a blend space of the loops. All loops start at the same cycle phase.

    With --onto the loops are retargeted to your own character, with locked feet, and character.glb is a copy of it; the
    grid has the speeds of this character.

    With --for c or wasm the folder contains no loops, but the network itself as a .mocar file, and the library that
    plays it: C and C++ sources, or WebAssembly and its JavaScript module. A .mocar file of a hybrid
    network has all blocks and the captured changes between them, unless --block is given.
    """
    onto = onto_of(options)
    alone = target in EMBEDDED and folder.suffix.lower() == SUFFIX
    if folder.exists() and not folder.is_dir() and not alone:
        raise MotionError(f"cannot write into {folder}: it is a file")
    if target in EMBEDDED:
        if grid is not None or rate is not None or onto is not None:
            raise click.UsageError(f"--grid, --rate and --onto concern loops; --for {target} writes the network itself")
        return _embedded(source, folder, target, block)
    network, others = chosen_network(source, block)
    if others:
        say(f"one block of a hybrid network; --block names another: {', '.join(others)}")
    loops = _loops(network, grid, rate, uniform=TARGETS[target].uniform)
    if onto is None:
        files = export_grid(loops, folder, target)
    else:
        loops = carried_grid(loops, onto.character.skeleton)
        files = export_grid(loops, folder, target, character=onto.character, animations=onto.animations)
    seconds = [loop.seconds for loop in loops.loops]
    say(
        f"{folder}: {len(seconds)} loops for {target}, {min(seconds):.2f} to {max(seconds):.2f} s",
        *(f"  {Path(file['path']).name}" for file in files),
    )
    return {"files": files, "grid": [loop_facts(loop) for loop in loops.loops]}


def _loops(network: Network, grid: tuple[int, int] | None, rate: float | None, *, uniform: bool) -> BlendGrid:
    """Loops of a network, on a grid and at a rate of their own where none is asked for."""
    asked: dict[str, Any] = {} if rate is None else {"frame_rate": rate}
    if grid is not None:
        asked |= {"columns": grid[0], "rows": grid[1]}
    return blend_grid(network, **asked, uniform=uniform, progress=lambda points: tracked("recording", points))


def _embedded(source: Path, folder: Path, target: str, block: str | None) -> Json:
    """Write a network, or a hybrid one with its captured changes, for programs that embed the library."""
    network = all_blocks(source, block)
    files = export_embedded(network, folder, target)
    if isinstance(network, HybridNetwork):
        told = f"{counted(len(network.blocks), 'block')} and {counted(len(network.arcs), 'captured change')}"
    else:
        told = counted(len(network.nodes), "motion")
    say(f"{folder}: {told} for {target}", *(f"  {file['path']}" for file in files))
    return {"files": files, "grid": []}
