"""Seeds of programs that try random input: new ones at every run, unless one is given to repeat a run."""

from __future__ import annotations

import argparse
import os


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--seed``."""
    new = int.from_bytes(os.urandom(4), "little")
    parser.add_argument("--seed", type=int, default=new, help="repeats a run; a new one at every run if left out")
