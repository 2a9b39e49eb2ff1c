"""Damage files of every kind and use them: ``python -m tests.fuzz [--seconds 60] [--seed S] [--kind NAME]…``.

A finding is printed with its seed, and its files are kept. Repeat one case with ``--seed S --kind NAME --case N``, or
the files of a finding with ``--kind NAME --files FOLDER``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.campaign import Campaign, usable
from tests.fuzz.cases import judged, write_files
from tests.fuzz.kinds import KINDS
from tests.seeds import add_seed


def main() -> int:
    """Exit status 1 where anything was found."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to go on")
    parser.add_argument("--cases", type=int, help="and after how many cases to end")
    add_seed(parser)
    parser.add_argument("--kind", action="append", choices=KINDS, help="all kinds if left out")
    parser.add_argument("--case", type=int, help="run this case alone and let its error through")
    parser.add_argument("--files", type=Path, help="run the files of this folder alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"), help="folder that they are kept in")
    given = parser.parse_args()
    if given.case is not None or given.files is not None:
        return _repeat(parser, given)
    print(f"seed {given.seed}", flush=True)
    campaign = Campaign(given.seed, dict(usable(given.kind or [*KINDS])), given.findings.absolute())
    return 0 if campaign.run(given.seconds, given.jobs, given.cases) else 1


def _repeat(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    if given.kind is None or len(given.kind) != 1:
        parser.error("name one --kind")
    name = given.kind[0]
    folder = Path(tempfile.mkdtemp(prefix="mocapella-fuzz-"))
    if given.files is None:
        files = KINDS[name].case(name, given.seed, given.case)
    else:
        kept = {path.relative_to(given.files).as_posix(): path for path in given.files.rglob("*") if path.is_file()}
        files = {place: path.read_bytes() for place, path in kept.items() if place != "finding.txt"}
    write_files(folder, files)
    print(f"the files are in {folder}", flush=True)
    print(judged(KINDS[name].run, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
