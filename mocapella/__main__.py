"""``python -m mocapella``: the command line, for those who have no script of that name on their path."""

from mocapella.cli.main import main

main(prog_name="mocapella")
