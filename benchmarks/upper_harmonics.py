"""The experiment on upper harmonics with every rule that was tried: ``python -m benchmarks.upper_harmonics``."""

from __future__ import annotations

from benchmarks.candidate_rules import ALL
from benchmarks.captures import data_folder
from benchmarks.tables.single_source import made, printed
from mocapella.cli.printing import err, out
from mocapella.studies.paper_tables import Sources


def main() -> None:
    """Judge all candidates on CMU's walks where there are some, else on the actor's, and print the tables."""
    sources = Sources(data_folder(), lambda words: err.print(f"{words} …"))
    for part in printed(made(sources, candidates=ALL)):
        out.print(part)
        out.print()


if __name__ == "__main__":
    main()
