"""Stored networks for the fuzzer: damaged, loaded, and played if they can be."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.hybrid.builder import HybridBuilder
from tests.fuzz.cases import Files, Kind, judge_play, judge_refusal
from tests.fuzz.network_damage import DAMAGES

_RATE = 30.0  # frames per second; small files are damaged where it matters
_WALKS = ((0.9, 0.0), (1.6, 0.0), (1.2, 0.6))


@cache
def stored_networks() -> tuple[bytes, ...]:
    """As files: a hybrid network, twice, one with single-source harmonics, one in space, a cascade, and a plain one."""
    clips = [
        perform("walk", speed=v, turn=w, frame_rate=_RATE, imperfections=CLEAN)[0].renamed(f"{v:g} {w:g}")
        for v, w in _WALKS
    ]
    network = mo.build_network(clips, harmonics=4)
    draft = HybridBuilder({"walking": network})
    for name, target in (("walk-twirl-walk", None), ("walk-stand", "standing")):
        clip, _ = perform(name, frame_rate=_RATE, imperfections=CLEAN)
        draft = draft.with_transition(mo.find_transition(clip, name=name), "walking", target, mirrored=target is None)
    modes = [draft.mode("blend", key="b"), draft.mode("change", ["walk-twirl-walk", "walk-stand"], key="c")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.moca"
        mo.save(draft.finished(modes), path)
        hybrid = path.read_bytes()
        mo.save(network.with_single_source(mo.SingleSource(first=3)), path)
        plain = path.read_bytes()
        mo.save(mo.layered([network, network], (0, 1)), path)
        space = path.read_bytes()
        mo.save(mo.Cascade(network, {network.names[0]: network}, {network.names[0]: network.nodes[1].at}), path)
        cascade = path.read_bytes()
        mo.save(network, path)
        return hybrid, hybrid, plain, space, cascade, path.read_bytes()


def stored_samples() -> list[Files]:
    """The files, each in a folder of its own."""
    return [{"network.moca": content} for content in stored_networks()]


def damaged_network(files: Files, rng: Random) -> Files:
    """The file with damage of any sort."""
    return {"network.moca": rng.choice(DAMAGES)(files["network.moca"], rng)}


def play_stored(folder: Path) -> str:
    """Load a network and play it: "played", or "refused to play"."""
    path = folder / "network.moca"
    try:
        network = mo.load_network(path)
    except mo.FormatError:
        raise
    except mo.MotionError as error:
        raise AssertionError(f"a file is refused with its place, not so: {error}") from error
    try:
        judge_play(_player(network))
    except mo.MotionError as error:
        judge_refusal(error)
        return "refused to play"
    return "played"


def _player(network: mo.Network | mo.HybridNetwork | mo.Cascade) -> mo.Player:
    """A player in its first block, and the first arc taken, where there is one."""
    if isinstance(network, mo.Cascade):
        return mo.Player(network, [x for one in (network.outer, *network.inner.values()) for x in one.nodes[0].at])
    if isinstance(network, mo.Network):
        return mo.Player(network, tuple(network.points.mean(axis=0)))
    if network.arcs:
        arc = network.arcs[0]
        mode = next(mode.name for mode in network.modes if arc.name in mode.arcs)
        at = network.block(arc.source.block).network.node(arc.source.node).at
        return mo.Player(network, at, block=arc.source.block, mode=mode)
    name = next(iter(network.blocks))
    return mo.Player(network, network.block(name).network.nodes[0].at, block=name)


NETWORKS = Kind(stored_samples, damaged_network, play_stored)
