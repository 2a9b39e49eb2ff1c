"""``python -m mocapella``: the command line, where no script of that name is on the path."""

from mocapella.cli.main import main

main(prog_name="mocapella")
