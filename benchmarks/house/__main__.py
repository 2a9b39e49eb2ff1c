"""Print the figures of the code with their limits; ``--help`` says what else."""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from benchmarks.house.figures import dialect, docstring_share, figures
from benchmarks.house.sources import ROOT, Module, modules
from benchmarks.house.walks import walks


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house", description=__doc__)
    parser.add_argument("--list", metavar="WORDS", help="what a figure counts: part of its name")
    parser.add_argument("--in", dest="package", default="", metavar="PACKAGE", help="only lines that begin with this")
    parser.add_argument("--dialect", action="store_true", help="local names that do not say what they hold, by module")
    parser.add_argument("--packages", action="store_true", help="files, lines and docstrings of every package")
    parser.add_argument("--walks", nargs="*", type=Path, metavar="CLIP", help="files that the main calls pass through")
    words = parser.parse_args()
    sources = modules()
    if words.walks is not None:
        captures = ROOT.parent / "shared" / "data" / "cmu-bvh" / "16"
        for name, walk in walks(words.walks or [captures / f"16_{number}.bvh" for number in (15, 21, 47)]):
            print(f"{name:22} {walk.files:3} files {len(walk.visits):4} functions {walk.returns:3} returns")
    elif words.list is not None:
        for figure in figures(sources):
            if words.list in figure.name:
                print(figure.name, *(line for line in figure.listed if line.startswith(words.package)), sep="\n  ")
    elif words.dialect:
        counts = dialect(sources)
        for name, count in counts.most_common():
            if name.startswith(words.package):
                print(f"{count:4} {name}")
    elif words.packages:
        print_packages(sources)
    else:
        for figure in figures(sources):
            mark = "" if figure.is_kept else "  over"
            print(f"{figure.name:36} {figure.value:8,.6g} of {figure.limit:,}{mark}")
        print(f"{'local names of the dialect':36} {dialect(sources).total():8,}")


def print_packages(sources: list[Module]) -> None:
    packages: dict[str, list[Module]] = defaultdict(list)
    for module in sources:
        packages[module.package].append(module)
    print(f"{'package':12} files   lines    code  docstrings  longest file (lines)")
    for name, members in [*packages.items(), ("all", sources)]:
        longest = max(members, key=lambda module: module.source.count("\n"))
        lines, code = sum(module.source.count("\n") for module in members), sum(m.code_lines for m in members)
        share = f"{docstring_share(members):10.1%}"
        print(f"{name:12} {len(members):5} {lines:7} {code:7}  {share}  {longest.name} {longest.source.count(chr(10))}")


if __name__ == "__main__":
    main()
