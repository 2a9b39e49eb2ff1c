"""Specs of networks for the fuzzer, plain, layered and hybrid, and files of joint roles: read, built and played."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

import mocapella as mo
from mocapella.building.spec.hybrid import describes_hybrid
from mocapella.building.spec.make import build_spec
from mocapella.building.spec.make_hybrid import build_hybrid_spec
from tests.fuzz.cases import Files, Kind, judge_clip, judge_play
from tests.fuzz.document_damage import damaged_toml
from tests.fuzz.edit_cases import motions
from tests.fuzz.network_cases import stored_networks

_SPECS = (
    b"""harmonics = 6
rule = "lively"
outside = "clamp"
triangles = [["walk", "other", "left"]]

[single_source]
first = 4

[[nodes]]
name = "walk"
file = "walk.bvh"
at = [0.0, 1.3]
speed = 1.3
frame_rate = 30

[[nodes]]
name = "other"
file = "other.bvh"
at = [0.0, 0.9]
frames = [0, 80]
unit = "cm"
offset = 2.0

[[nodes]]
name = "left"
network = "network.moca"
point = [0.0, 1.2]
at = [1.0, 1.0]
""",
    b"""axes = "stride-speed"
even = true
layout = "quaternion"

[[nodes]]
name = "walk"
file = "walk.bvh"
mirrored = true
turn = -10.0
method = "smooth"

[[nodes]]
name = "other"
file = "other.bvh"
frames = [10, 45]
exact = true
limp = true
kind = "slow"

[[nodes]]
name = "sum"
base = "walk"
plus = "walk"
minus = "other"
scale = 0.5
""",
    b"""[[layers]]
name = "low"
network = "network.moca"
height = 0.0

[[layers]]
name = "high"
network = "network.moca"
height = 1.0
""",
    b"""[[blocks]]
name = "walking"
network = "network.moca"

[[blocks]]
name = "striding"
network = "network.moca"

[[transitions]]
name = "over"
computed = true
source = "walking"
target = "striding"
threshold = 0.5
zone = 0.9
key = "o"

[[transitions]]
name = "back"
computed = true
source = "striding"
target = "walking"
target_at = [0.0, 1.2]
at_once = true

[[modes]]
name = "blend"

[[modes]]
name = "armed"
key = "a"
arcs = ["over", "back"]
""",
)

_ROLES = b"""[roles]
hips = "Hips"
left_hip = "LeftUpLeg"
left_knee = "LeftLeg"
left_ankle = "LeftFoot"
right_hip = "RightUpLeg"
right_knee = "RightLeg"
right_ankle = "RightFoot"
head = "Head"
"""


@cache
def _samples() -> list[Files]:
    beside = {**motions(), "network.moca": stored_networks()[-1]}
    specs = [{**beside, "spec.toml": text} for text in _SPECS]
    return [*specs, {**motions(), "roles.toml": _ROLES}]


def _damaged(files: Files, rng: Random) -> Files:
    name = "spec.toml" if "spec.toml" in files else "roles.toml"
    return {**files, name: damaged_toml(files[name], rng)}


def _build(folder: Path) -> str:
    if (folder / "roles.toml").exists():
        judge_clip(mo.load(folder / "walk.bvh", roles=folder / "roles.toml"))
        return "loaded"
    spec, cache_folder = folder / "spec.toml", Path(tempfile.gettempdir()) / "mocapella-fuzz-cycles"
    if describes_hybrid(spec):
        hybrid = build_hybrid_spec(spec).hybrid
        block = next(iter(hybrid.blocks))
        judge_play(mo.Player(hybrid, hybrid.block(block).network.nodes[0].at, block=block), seconds=1.0)
        return "built"
    network = build_spec(spec, cache=cache_folder).network
    judge_play(mo.Player(network, network.nodes[0].at), seconds=1.0)
    return "built"


SPECS = Kind(_samples, _damaged, _build)
