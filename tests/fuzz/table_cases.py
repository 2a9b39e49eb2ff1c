"""Tables of blending points and of paths, and stored states of players, for the fuzzer: read and played."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

import mocapella as mo
from mocapella.cli.options.blending_points import stored
from mocapella.cli.options.csv_tables import read_path, read_script
from mocapella.playback.record import record
from mocapella.steering.follow import follow
from tests.fuzz.cases import Files, Kind, judge_clip, judge_play
from tests.fuzz.document_damage import ODD_NUMBERS, ODD_TEXTS, damaged_json
from tests.fuzz.mutations import damaged
from tests.fuzz.network_cases import stored_networks

_HYBRID, _PLAIN, _SPACE = 0, 2, 3  # places among the stored networks
_SCRIPT = b"time,x,y,key\n0,0,1.2,\n0.2,5,1.1,\n0.4,,,c\n0.5,-5,1.3,b\n"
_SPACE_SCRIPT = b"# in space\ntime,x,y,z\n0,0,1.2,0.5\n0.5,0,1,1\n"
_PATH = b"x,z,speed\n0,0,1.1\n0,2,1.2\n1.5,3,1.0\n"
_PLACES = b"0,0\n0,1.5\n1,2\n"
_SECONDS = 0.5  # played


@cache
def _network(number: int) -> mo.Network | mo.HybridNetwork | mo.Cascade:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.moca"
        path.write_bytes(stored_networks()[number])
        return mo.load_network(path)


@cache
def _tables() -> list[Files]:
    files: list[Files] = [{"path.csv": _PATH}, {"path.csv": _PLACES}, {"space.csv": _SPACE_SCRIPT}]
    files += [{"script.csv": _SCRIPT}] * 2
    for name, number in (("plain.json", _PLAIN), ("hybrid.json", _HYBRID)):
        network = _network(number)
        block = next(iter(network.blocks)) if isinstance(network, mo.HybridNetwork) else None
        nodes = (network.block(block).network if block else network).nodes
        player = mo.Player(network, nodes[0].at, block=block)
        for _ in range(7):
            player.step(0.1)
        files.append({name: player.snapshot().to_json()})
    return files


def _damaged(files: Files, rng: Random) -> Files:
    ((name, content),) = files.items()
    if name.endswith(".json"):
        return {name: damaged_json(content, rng)}
    if rng.random() < 0.4:
        return {name: damaged(content, [_SCRIPT, _PATH], rng)}
    rows = [line.split(b",") for line in content.splitlines()]
    for _ in range(rng.choice((1, 1, 2, 4))):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = str(rng.choice((*ODD_NUMBERS, *ODD_TEXTS, rng.uniform(-9, 9)))).encode(
            errors="replace"
        )
    return {name: b"\n".join(b",".join(row) for row in rows)}


def _play(folder: Path) -> str:
    path = next(iter(folder.glob("*.csv")), None) or next(folder.glob("*.json"))
    if path.suffix == ".json":
        network = _network(_PLAIN if path.stem == "plain" else _HYBRID)
        judge_play(mo.Player.resumed(network, stored(path)), seconds=1.0)
        return "resumed"
    if path.stem == "path":
        network = _network(_PLAIN)
        assert isinstance(network, mo.Network)
        judge_clip(follow(network, read_path(path), seconds=_SECONDS, frame_rate=20.0).clip)
        return "followed"
    network = _network(_SPACE if path.stem == "space" else _HYBRID)
    script = read_script(path, network)[0]
    block = next(iter(network.blocks)) if isinstance(network, mo.HybridNetwork) else None
    player = mo.Player(network, script.points[0] or (), block=block)
    judge_clip(record(player, seconds=_SECONDS, frame_rate=20.0, script=script))
    return "played"


TABLES = Kind(_tables, _damaged, _play)
