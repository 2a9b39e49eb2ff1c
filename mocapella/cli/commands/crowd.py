"""``mocapella crowd``: many characters of a stored network, as a file, a picture or a page."""

from __future__ import annotations

from pathlib import Path

import click

from mocapella.blending.network import Network
from mocapella.cli.options import FILE, Command, expert_option
from mocapella.cli.options.blending_points import all_blocks
from mocapella.cli.options.numbers import NumberRange
from mocapella.cli.options.outputs import PICTURES, check_outputs, outputs_option
from mocapella.cli.printing import Json, command, progress, say
from mocapella.crowd.control import RandomChanges, rings
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.gltf import write_crowd
from mocapella.crowd.played import play_crowd
from mocapella.crowd.starting import refuse_too_many
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.pictures.film import film_crowd, film_encoder
from mocapella.pictures.ground import draw_crowd
from mocapella.studio.page.document import write_document
from mocapella.studio.page.steerable import crowd_content


@click.command(cls=Command, example="mocapella crowd walk.moca --count 500 --seconds 20 -o crowd.glb")
@click.argument("source", metavar="NET.moca", type=FILE)
@click.option("--count", type=click.IntRange(1), default=200, help="How many characters.")
@click.option("--seconds", type=NumberRange(0.0, 3600.0, min_open=True), default=10.0, help="How long to play.")
@outputs_option(
    metavar="OUT", help="A .glb, a film (.mp4), a picture (.png, .svg, .pdf) or a page (.html); repeat it for several."
)
@click.option("--walk", type=click.Choice(["rings", "anyhow"]), default="rings",
              help="rings: along rings, avoiding each other; anyhow: each at a random blending point.")  # fmt: skip
@click.option("--speed", type=NumberRange(0.1, 10.0), default=1.3, help="Metres per second on rings.")
@click.option("--rate", type=NumberRange(1.0, 240.0), default=15.0, help="Frames per second of the file.")
@expert_option("--noise", type=NumberRange(0.0, 1.0), default=0.05, help="Random variation of trunk and arms, radians.")
@expert_option("--seed", type=click.IntRange(0), default=0, help="Seed of all random choices.")
@expert_option("--threads", type=click.IntRange(1, 256), default=1, help="Threads of the native core.")
@expert_option("--engine", type=click.Choice(["auto", "native", "numpy"]), default="auto", help="Engine of the crowd.")
@click.option("--block", metavar="NAME",
              help="Hybrid network: only this block; all blocks and transitions if left out.")  # fmt: skip
@expert_option("--mode", metavar="NAME", help="Hybrid network: the mode to play; its first if left out.")
@expert_option("--changes", type=NumberRange(0.0, 600.0), default=4.0,
              help="Hybrid network: random transitions per minute of each character.")  # fmt: skip
@command
def crowd(source: Path, count: int, seconds: float, outputs: tuple[Path, ...], walk: str, speed: float, rate: float,
          noise: float, seed: int, threads: int, engine: str, block: str | None, mode: str | None,
          changes: float) -> Json:  # fmt: skip
    """Play many characters of a network with held feet.

    A .glb has one body, shared by all characters, and one animation. A film (.mp4) shows the crowd in perspective; it
    needs ffmpeg, from pip install 'mocapella[film]' or from the system. A picture shows the crowd at the end, from
    above with its paths, and in perspective.

    A page (.html) contains the network and the engine, as WebAssembly: in the browser the crowd walks on for as long as
    one looks, along rings, at random or to where one clicks, and the number of characters can be changed. It needs no
    server.
    """
    check_outputs(outputs, (".glb", ".mp4", ".html", *PICTURES), [source])
    pages = [output for output in outputs if output.suffix.lower() == ".html"]
    if any(output.suffix.lower() == ".mp4" for output in outputs):
        film_encoder()
    network = all_blocks(source, block)
    refuse_too_many(count, _n_joints(network))
    page = crowd_content(network, count, speed=speed, noise=noise, changes=changes, seed=seed) if pages else {}
    start = rings(count, speed=speed) if walk == "rings" else {}
    if isinstance(network, HybridNetwork):
        start["controller"] = RandomChanges(changes, seed=seed, then=start.get("controller"))
    many = Crowd(network, count, seed=seed, noise=noise, threads=threads, engine=engine, mode=mode, **start)
    with progress("playing", round(seconds * 60)) as tick:
        played = play_crowd(many, seconds, keep_rate=rate, tick=tick)
    for output in outputs:
        if output.suffix.lower() == ".glb":
            write_crowd(many.skeleton, played.poses, played.frame_rate, output)
        elif output in pages:
            write_document(page, output, title=source.stem)
        elif output.suffix.lower() == ".mp4":
            with progress("drawing", len(played.poses)) as tick:
                film_crowd(many.skeleton, played.poses, played.frame_rate, output, tick=tick)
        else:
            title = f"{count:,} characters after {seconds:g} s"
            draw_crowd(many.skeleton, played.poses[-1], played.ways, output, title=title)
    say(
        f"{', '.join(map(str, outputs))}: {count:,} characters, {played.n_frames} frames at 60 Hz, {many.engine}",
        f"  {played.ns_per_character:,.0f} ns a character and step",
        f"  planted feet slip {played.slip_mm_max:.2f} mm at most, 99 % of plants {played.slip_mm_p99:.2f}",
    )
    return {
        "path": str(outputs[0]),
        "files": list(map(str, outputs)),
        "characters": count,
        "frames": played.n_frames,
        "engine": many.engine,
        "ns_per_character": round(played.ns_per_character, 1),
        "slip_mm_max": round(played.slip_mm_max, 3),
        "slip_mm_p99": round(played.slip_mm_p99, 3),
    }


def _n_joints(network: Network | HybridNetwork) -> int:
    if isinstance(network, HybridNetwork):
        return network.skeleton.n_joints
    return network.layout.skeleton.n_joints if network.layout else 1
