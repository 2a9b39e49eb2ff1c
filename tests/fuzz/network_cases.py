"""One case of the fuzzer of stored networks: damaged by a number, loaded, and played if it can be."""

from __future__ import annotations

import tracemalloc
import warnings
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.hybrid.builder import HybridBuilder
from tests.fuzz.cases import MOST_SECONDS, time_limit
from tests.fuzz.network_damage import DAMAGES

MOST_MEMORY = 64 * 1024**2  # bytes that loading and playing a file of less than one million may hold at once
_RATE = 30.0  # frames per second; small files are damaged where it matters
_WALKS = ((0.9, 0.0), (1.6, 0.0), (1.2, 0.6))


@cache
def stored_networks() -> tuple[bytes, ...]:
    """A hybrid network, twice as likely as the others, a plain one, one in space and a cascade, as files."""
    import tempfile

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
        return hybrid, hybrid, plain, space, path.read_bytes()


def make_network_case(seed: int, number: int) -> bytes:
    """Case ``number`` of a run: the same for the same seed."""
    rng = Random(f"{seed}/network/{number}")
    content = rng.choice(stored_networks())
    return rng.choice(DAMAGES)(content, rng)


def run_network_case(content: bytes, folder: Path) -> str:
    """What became of a case: "refused", "played", or "refused to play"; anything else raises."""
    path = folder / "damaged.moca"
    path.write_bytes(content)
    with warnings.catch_warnings(record=True) as caught, time_limit(MOST_SECONDS):
        warnings.simplefilter("always")
        outcome = _outcome(path)
    for warning in caught:
        assert issubclass(warning.category, mo.MotionWarning), f"{warning.category.__name__}: {warning.message}"
    return outcome


def run_in_little_memory(content: bytes, folder: Path) -> str:
    """The same, with an eye on memory, which takes three times as long."""
    tracemalloc.start()
    try:
        outcome = run_network_case(content, folder)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < MOST_MEMORY, f"{most:,} bytes for a file of {len(content):,}"
    return outcome


def _outcome(path: Path) -> str:
    network = refusal = None
    try:
        network = mo.load_network(path)
    except mo.FormatError as error:  # nothing else refuses a file
        refusal = error
    try:
        if network is not None:
            _play(network)
    except mo.MotionError as error:
        refusal = error
    if refusal is None:
        return "played"
    assert len(str(refusal)) < 1000, f"a message of {len(str(refusal))} letters"
    assert network or str(refusal).startswith(f"{path}: "), f"no place: {refusal}"
    return "refused to play" if network else "refused"


def _play(network: mo.Network | mo.HybridNetwork | mo.Cascade) -> None:
    """A second of its first block, then its first arc, where there is one."""
    if isinstance(network, mo.Cascade):
        player = mo.Player(network, [x for one in (network.outer, *network.inner.values()) for x in one.nodes[0].at])
    elif isinstance(network, mo.Network):
        player = mo.Player(network, tuple(network.points.mean(axis=0)))
    elif network.arcs:
        arc = network.arcs[0]
        mode = next(mode.name for mode in network.modes if arc.name in mode.arcs)
        at = network.block(arc.source.block).network.node(arc.source.node).at
        player = mo.Player(network, at, block=arc.source.block, mode=mode)
    else:
        name = next(iter(network.blocks))
        player = mo.Player(network, network.block(name).network.nodes[0].at, block=name)
    for _ in range(16):
        pose = player.step(0.25)
        assert np.isfinite(pose.root_position).all(), "a root that is nowhere"
        assert np.isfinite(pose.rotations_wxyz).all(), "rotations that are no numbers"
