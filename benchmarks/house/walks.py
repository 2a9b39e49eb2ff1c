"""How many files the main calls pass through."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.house.sources import PACKAGE


class Walk:
    """Which files and functions of the package a call passes through, in order."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.visits: list[str] = []  # the file of every function when it is called first

    def of(self, call: Callable[[], object]) -> object:
        """Make a call and note its way; what it returns."""
        sys.setprofile(self._profile)
        try:
            return call()
        finally:
            sys.setprofile(None)

    def _profile(self, frame: object, event: str, _: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        if event != "call" or not code.co_filename.startswith(str(PACKAGE)) or code.co_name.startswith("<"):
            return
        key = code.co_filename[len(str(PACKAGE)) + 1 :], code.co_qualname
        if key not in self.calls:
            self.visits.append(key[0])
        self.calls[key] += 1

    @property
    def files(self) -> int:
        """How many files it passes through."""
        return len(set(self.visits))

    @property
    def returns(self) -> int:
        """How often a function that is called first lies in a file that had been left."""
        seen: set[str] = set()
        count, last = 0, ""
        for file in self.visits:
            count += file != last and file in seen
            seen.add(file)
            last = file
        return count


def walks(paths: list[Path]) -> Iterator[tuple[str, Walk]]:
    """The six lines and steps of both engines, each as a walk; everything is imported beforehand."""
    import pkgutil
    from importlib import import_module

    import mocapella as mo
    from mocapella.studies.benches.player_cost import engines

    for info in pkgutil.walk_packages(mo.__path__, "mocapella."):
        if "__main__" not in info.name:
            import_module(info.name)
    everything: list[Walk] = []

    def walked(call: Callable[[], object]) -> tuple[Walk, object]:
        walk = Walk()
        value = walk.of(call)
        everything.append(walk)
        return walk, value

    walk, clip = walked(lambda: mo.load(paths[0]))
    yield "load", walk
    walk, raw = walked(lambda: mo.find_cycle(clip))
    yield "find_cycle", walk
    walk, cycle = walked(lambda: mo.cyclify(raw))
    yield "cyclify", walk
    others = [mo.cyclify(mo.find_cycle(mo.load(path))) for path in paths[1:]]
    walk, cycles = walked(lambda: mo.synchronise([cycle, *others]))
    yield "synchronise", walk
    walk, spectra = walked(lambda: [mo.analyse(one, harmonics=8) for one in cycles])
    yield "analyse", walk
    places = ((0.0, 0.0), (1.0, 0.0), (0.5, 1.0))
    nodes = [mo.Node(str(i), *pair) for i, pair in enumerate(zip(places, spectra, strict=True))]
    walk, network = walked(lambda: mo.Network(nodes))
    yield "Network", walk
    before = len(everything)
    for engine in engines():  # the default comes last: it records, and counts for the six lines
        del everything[before:]
        walk, player = walked(partial(mo.Player, network, point=(0.4, 0.3), engine=engine))
        yield f"Player, {engine}", walk
        yield f"  step at rest, {engine}", walked(partial(player.step, 1 / 60))[0]
        yield f"  step moving, {engine}", walked(partial(_moving_step, player))[0]
    walk, take = walked(lambda: mo.record(player, seconds=1, frame_rate=60))
    yield "record, 1 s", walk
    yield "save", walked(lambda: mo.save(take, "/tmp/walk-of-the-house.bvh"))[0]
    whole = Walk()
    whole.visits = [file for walk in everything for file in walk.visits]
    yield "six lines and a step", whole
    with tempfile.TemporaryDirectory() as folder:
        yield from _commands(paths, Path(folder))


def _commands(paths: list[Path], folder: Path) -> Iterator[tuple[str, Walk]]:
    """Commands, each as a walk; what they print is not shown."""
    from mocapella.cli import main

    clips, library = [str(path) for path in paths], ["--library", str(folder / "library")]
    for name, words in {
        "build": ["build", *clips, "-o", str(folder / "net.moca")],
        "edit": ["edit", clips[0], "--lock-feet", "-o", str(folder / "edited.bvh")],
        "": ["library", "add", *clips, *library],
        "request": ["library", "request", "speed=1.2", "-o", str(folder / "made.bvh"), *library],
    }.items():
        walk = Walk()
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            walk.of(partial(main, [*words, "--json"]))
        if name:
            yield name, walk


def _moving_step(player: Any) -> object:
    player.point = (0.6, 0.2)
    return player.step(1 / 60)
