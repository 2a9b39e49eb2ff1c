"""The command line: commands parse, call one function and print."""

from mocapella.cli.main import main

__all__ = ["main"]
