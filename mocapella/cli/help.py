"""Help of commands: an example, everyday options with ``--help``, all options with ``--help-all``.

It imports nothing but click: ``mocapella --help`` is printed before any command is imported.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import click

_ALL = "mocapella.help_all"  # in a context's meta: whether options for experts are listed


class _Expert(click.Option):
    """An option that only ``--help-all`` lists."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Nothing for ``--help``."""
        return super().get_help_record(ctx) if lists_all(ctx) else None


expert_option = partial(click.option, cls=_Expert)
"""``click.option`` for experts: the option works as others do, and is listed under ``--help-all`` only."""


def lists_all(ctx: click.Context) -> bool:
    """Whether ``--help-all`` was given."""
    return bool(ctx.meta.get(_ALL))


class Command(click.Command):
    """A command whose help shows an example, and which knows ``--help-all``."""

    def __init__(self, *args: Any, example: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.example = example  # a line to type

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options, ``--help-all`` and ``--help``."""
        *params, help_option = super().get_params(ctx)
        hidden = not any(isinstance(param, _Expert) for param in params)
        return [*params, _help_all(hidden=hidden), help_option]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example, then the options."""
        _write_example(formatter, self.example)
        super().format_options(ctx, formatter)


class Group(click.Group):
    """A command with commands of its own, whose help shows an example."""

    command_class = Command

    def __init__(self, *args: Any, example: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.example = example  # a line to type

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options, ``--help-all`` and ``--help``."""
        *params, help_option = super().get_params(ctx)
        return [*params, _help_all(hidden=True), help_option]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example, the options, then the commands."""
        _write_example(formatter, self.example)
        super().format_options(ctx, formatter)


def _write_example(formatter: click.HelpFormatter, example: str) -> None:
    """Write an example on a line of its own, however long, so that it can be copied."""
    if example:
        with formatter.section("Example"):
            formatter.write(f"{'':{formatter.current_indent}}{example}\n")


def _help_all(*, hidden: bool) -> click.Option:
    def show(ctx: click.Context, option: click.Parameter, given: bool) -> None:
        if given and not ctx.resilient_parsing:
            ctx.meta[_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        hidden=hidden,
        help="List all options, also those for experts.",
    )
