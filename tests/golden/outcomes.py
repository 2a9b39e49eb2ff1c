"""Compute the outcomes: everything goes through the command line, so that no inner name is needed to get at it.

``python -m tests.golden before.json`` writes a digest of every outcome; run on two checkouts of one machine, the two
files are equal where not a bit has changed. Digests of floating-point results differ between processors, so the test
beside this file compares a short summary with a tolerance instead.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from click.testing import CliRunner

import mocapella as mo
from mocapella.cli import main

WALKS = ("15", "17", "19", "21", "24", "26", "27", "29", "31", "33", "47", "58")
RUNS = ("35", "36", "37", "39", "41", "43", "45", "46", "49", "51", "53", "55")
VOLATILE = {"seconds_taken", "took", "sinusoids_per_second"}  # times of a run, not outcomes


@dataclass(frozen=True)
class Outcome:
    """One outcome: its exact bytes, and a few numbers or words that sum it up."""

    digest: str
    summary: object


def outcomes(data: Path, folder: Path, *, small: bool = False) -> Iterator[tuple[str, Outcome]]:
    """Every outcome by name; ``folder`` takes the files that are made, ``small`` leaves out what takes long."""
    runs = _Runs(data, folder)
    yield from runs.networks(small=small)
    yield from runs.recordings(small=small)
    yield from runs.answers(small=small)
    yield from runs.errors()


class _Runs:
    def __init__(self, data: Path, folder: Path) -> None:
        self.data, self.folder = data, folder
        self.made: dict[str, Path] = {}

    def call(self, *words: object) -> tuple[int, str, str]:
        done = CliRunner().invoke(main, [str(word) for word in words])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        # Only the folders differ from machine to machine.
        out, err = (
            text.replace(str(self.folder), "OUT").replace(str(self.data), "DATA") for text in (done.stdout, done.stderr)
        )
        return done.exit_code, out, err

    def subject(self, numbers: tuple[str, ...]) -> list[Path]:
        return [self.data / "cmu-bvh" / "16" / f"16_{number}.bvh" for number in numbers]

    def networks(self, *, small: bool) -> Iterator[tuple[str, Outcome]]:
        """Six stored networks: walks, runs, the actor's, a hybrid one, a volume, a cascade."""
        self.call("demo", "-o", self.folder / "demo", "--json")
        self.made["actor"] = self.folder / "demo" / "walking.moca"
        self.made["hybrid"] = self.folder / "demo" / "person.moca"
        sets = {"walks": WALKS[:4] if small else WALKS} | ({} if small else {"runs": RUNS})
        for name, numbers in sets.items():
            self.made[name] = self.folder / f"{name}.moca"
            code, out, err = self.call("build", *self.subject(numbers), "-o", self.made[name], "--json")
            assert code == 0, err
            yield f"build {name}", _answer(out, err)
        captures = self.folder / "demo" / "captures"
        pace = ("slow", "medium", "fast")
        for i, speed in enumerate(pace):
            self.call("cycles", captures / f"{speed}-walk-straight.bvh", "-o", self.folder / f"{speed}.moca")
            self.call(
                "cycles", captures / f"{speed}-walk-left.bvh", "--turning", "-o", self.folder / f"{speed}-left.moca"
            )
            assert (self.folder / f"{speed}-left.moca").exists(), i
        flat = {"slow": (0.0, 0.8), "fast": (0.0, 1.6), "slow-left": (25.0, 0.9)}
        low = "".join(_node(f"low {name}", file=f"{name}.moca", at=[*at, 0.0]) for name, at in flat.items())
        high = "".join(_node(f"high {name}", file=f"{name}.moca", at=[*at, 1.0]) for name, at in flat.items())
        inner = "".join(_node(name, file=f"{name}.moca", at=list(at)) for name, at in flat.items())
        outer = "".join(
            _node(name, file=f"{name}.moca", at=at) for name, at in (("medium", [0.0, 1.2]), ("fast-left", [25.0, 1.5]))
        )
        cascade = _node("inside", network="inner.moca", point=[5.0, 1.0], at=[0.0, 0.7]) + outer
        for name, text in {"inner": inner, "volume": low + high, "cascade": cascade}.items():
            (self.folder / f"{name}.toml").write_text(text)
            self.made[name] = self.folder / f"{name}.moca"
            code, out, err = self.call("build", self.folder / f"{name}.toml", "-o", self.made[name], "--json")
            assert code == 0, err
            yield f"build {name}", _answer(out, err)
        for name, path in self.made.items():
            yield f"{name}.moca", Outcome(hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size // 100_000)

    def recordings(self, *, small: bool) -> Iterator[tuple[str, Outcome]]:
        """Eight recordings of ten seconds: still points, scripts, a path, arcs, in space, in a cascade."""
        moving = self.folder / "moving.csv"
        moving.write_text("time,x,y\n0,0,0.9\n2,20,1.4\n3,-25,1.1\n3,10,1.6\n6,0,0.8\n8,30,1.5\n10,0,1.2\n")
        path = self.folder / "path.csv"
        path.write_text("x,z\n0,0\n0,3\n2,5\n5,5\n6,8\n3,10\n")
        calls = {
            "actor still": ("actor", "--point", 5, 1.2),
            "actor moving": ("actor", "--script", moving),
            "actor path": ("actor", "--path", path),
            "walks moving": ("walks", "--script", moving),
            "walks anchored": ("walks", "--point", 10, 1.2, "--feet", "anchored"),
            "runs still": ("runs", "--point", 5, 3.0),
            "hybrid arcs": ("hybrid", "--trigger", "run-walk", "--trigger", "walk-twirl-walk"),
            "volume": ("volume", "--point", 5, 1.1, 0.4),
            "cascade": ("cascade", "--point", 5, 1.2, 5, 1.0),
        }
        for name, (network, *words) in calls.items():
            if small and network == "runs":
                continue
            out = self.folder / f"{name.replace(' ', '-')}.bvh"
            timed = [] if "--trigger" in words or "--path" in words else ["--seconds", 10]
            code, answer, err = self.call("play", self.made[network], "-o", out, "--rate", 60, *words, *timed, "--json")
            assert code == 0, (name, err)
            yield f"play {name}", _answer(answer, err)
            clip = mo.load(out)
            exact = hashlib.sha256(out.read_bytes()).hexdigest()
            yield f"{name}.bvh", Outcome(exact, np.round(clip.root_positions[::60], 6).tolist())

    def answers(self, *, small: bool) -> Iterator[tuple[str, Outcome]]:
        """What every command says about four files."""
        files = {
            "07_01.amc": self.data / "cmu-asfamc" / "07" / "07_01.amc",
            "16_17.bvh": self.data / "cmu-bvh" / "16" / "16_17.bvh",
            "104_01.bvh": self.data / "cmu-bvh" / "104" / "104_01.bvh",
            "actor.bvh": self.folder / "demo" / "captures" / "medium-walk-left.bvh",
        }
        for name, path in files.items():
            words: dict[str, tuple[object, ...]] = {
                "info": (), "period": (), "plants": (), "cycles": (),
                "convert": (self.folder / f"converted-{name}.glb",),
                "render": (self.folder / "picture.png", "--poses", 4),
            }  # fmt: skip
            for command, more in words.items():
                code, out, err = self.call(command, path, *more, "--json")
                yield f"{command} {name}", _answer(out, err, code)
            converted = (self.folder / f"converted-{name}.glb").read_bytes()
            # Processors round differently, and a number written in one digit less makes a file shorter.
            yield f"{name}.glb", Outcome(hashlib.sha256(converted).hexdigest(), round(len(converted), -3))
        restyled = self.folder / "restyled.bvh"
        pair = (files["16_17.bvh"], self.data / "cmu-bvh" / "16" / "16_47.bvh")
        code, out, err = self.call("restyle", *pair, "-o", restyled, "--ratio", 0.5, "--json")
        yield "restyle", _answer(out, err, code)
        yield "restyled.bvh", Outcome(hashlib.sha256(restyled.read_bytes()).hexdigest(), restyled.stat().st_size)
        for name in ("actor", "hybrid") if not small else ("actor",):
            code, out, err = self.call("measure", self.made[name], "--grid", 5, "--json")
            yield f"measure {name}", _answer(out, err, code)

    def errors(self) -> Iterator[tuple[str, Outcome]]:
        """What is said about files, options and specs that are wrong."""
        actor = self.made["actor"]
        broken = self.folder / "broken.bvh"
        broken.write_text("HIERARCHY\nRUUT hips\n{\n")
        calls: dict[str, tuple[object, ...]] = {
            "no file": ("info", self.folder / "none.bvh"),
            "keyword": ("info", broken),
            "unknown suffix": ("convert", broken, self.folder / "a.xyz"),
            "no cycle": (
                "cycles",
                self.data / "cmu-bvh" / "16" / "16_15.bvh",
                "--within",
                0,
                20,
                "-o",
                self.folder / "x.moca",
            ),
            "no method": ("build", broken, "-o", self.folder / "x.moca", "--method", "smoth"),
            "no interpolant": ("build", broken, "-o", self.folder / "x.moca", "--interpolant", "naturl"),
            "no point": ("play", actor, "-o", self.folder / "x.bvh", "--point", "nan", 1),
            "no arc": ("play", self.made["hybrid"], "-o", self.folder / "x.bvh", "--trigger", "fly"),
            "no network": ("measure", broken),
        }
        for name, words in calls.items():
            code, out, err = self.call(*words)
            yield f"error: {name}", _answer(out, err, code)
        for i, text in enumerate(SPECS):
            spec = self.folder / "wrong.toml"
            spec.write_text(text)
            code, out, err = self.call("build", spec, "-o", self.folder / "x.moca")
            yield f"spec error {i}", _answer(out, err, code)


def _node(name: str, **keys: object) -> str:
    return "\n".join(["[[nodes]]", *(f"{key} = {value!r}" for key, value in {"name": name, **keys}.items()), ""])


_BLOCK = '[[blocks]]\nname = "walk"\nnetwork = "inner.moca"\n[[transitions]]\nname = "go"\nfile = "none.bvh"\n'
_GOOD = _node("a", file="slow.moca", at=[0.0, 0.8]) + _node("b", file="fast.moca", at=[0.0, 1.6])
SPECS = (
    "harmonic = 8\n" + _GOOD,
    "harmonics = 0\n" + _GOOD,
    'rule = "phasr"\n' + _GOOD,
    'outside = "clmp"\n' + _GOOD,
    'axes = "speed"\n' + _GOOD,
    'layout = "eular"\n' + _GOOD,
    'interpolant = "naturl"\n' + _GOOD,
    "even = 1\n" + _GOOD,
    "[single_source]\nfirst = 99\n" + _GOOD,
    _GOOD + 'method = "smoth"\n',
    _GOOD + "offset = 1e99\n",
    _GOOD + "speed = nan\n",
    _GOOD + "frames = [5, 1]\n",
    _GOOD + 'triangles = [["a", "b", "c"]]\n',
    'triangles = [["a", "b", "c"]]\n' + _GOOD,
    _GOOD + _node("a", file="slow.moca"),
    _GOOD + _node("c", base="a"),
    _GOOD + _node("c", base="a", plus="b", minus="a", scale=60),
    _GOOD + _node("c", file="../outside.bvh"),
    _GOOD + _node("c", file="none.bvh"),
    _GOOD + _node("c", network="inner.moca"),
    '[[layers]]\nname = "a"\nnetwork = "inner.moca"\n',
    "[[nodes]\n",
    "nodes = 3\n",
    '[[blocks]]\nname = "walk"\n[[transitions]]\nname = "go"\n',
    _BLOCK + 'sorce = "walk"\n',
    _BLOCK + 'source = "run"\n',
    _BLOCK + 'source = "walk"\ntremor = -1\n',
)


def _answer(out: str, err: str, code: int = 0) -> Outcome:
    try:
        said = _steady(json.loads(out))
    except json.JSONDecodeError:
        said = out
    exact = json.dumps([code, said, err], sort_keys=True)
    return Outcome(
        hashlib.sha256(exact.encode()).hexdigest(), {"code": code, "says": _brief(said), "err": err.splitlines()[:3]}
    )


def _steady(value: object) -> object:
    """A JSON value without what differs from run to run."""
    if isinstance(value, dict):
        return {key: _steady(inner) for key, inner in value.items() if key not in VOLATILE}
    return [_steady(inner) for inner in value] if isinstance(value, list) else value


def _brief(value: object, depth: int = 3) -> object:
    """The first entries of every list and the keys of every object, to be read by a person."""
    if isinstance(value, dict):
        return {key: _brief(inner, depth - 1) for key, inner in value.items()} if depth else sorted(value)
    if isinstance(value, list):
        return [_brief(inner, depth - 1) for inner in value[:4]] if depth else len(value)
    return float(f"{value:.6g}") if isinstance(value, float) else value


def digests(data: Path, folder: Path, say: Callable[[str], object] = lambda _: None) -> dict[str, str]:
    """The digest of every outcome."""
    found = {}
    for name, outcome in outcomes(data, folder):
        say(f"{outcome.digest[:12]}  {name}")
        found[name] = outcome.digest
    return found
