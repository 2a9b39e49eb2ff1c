"""What commands are made of: options declared once, and help with an example and everyday options.

``--help-all`` lists the options for experts, too. This module imports little more than click: ``mocapella --help`` is
printed before any command is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

FILE = click.Path(path_type=Path)

library_folder = click.option(
    "--library", "folder", type=FILE, default=Path("mocapella-library"), envvar="MOCAPELLA_LIBRARY", metavar="DIR",
    help="The folder of the library; also $MOCAPELLA_LIBRARY.",
)  # fmt: skip


class Options:
    """Options that commands share: a decorator that adds all of them, in this order."""

    def __init__(self, *options: Callable[..., Any]) -> None:
        self._options = options

        @self
        def sample() -> None: ...

        self.names = tuple(option.name for option in reversed(sample.__click_params__))  # type: ignore[attr-defined]

    def __call__(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Add the options to a command."""
        for option in reversed(self._options):
            run = option(run)
        return run

    def of(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of a command's values that belong to these options."""
        return {name: values[name] for name in self.names}


class Named(click.Choice[str]):
    """A parameter that is one of the names in a registry, read when it is used; its value is the registry's entry."""

    def __init__(self, registry: Mapping[str, Any]) -> None:
        super().__init__(list(registry))
        self._registry = registry

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """All names that are registered now, for ``--help``."""
        self.choices = tuple(self._registry)
        return super().get_metavar(param, ctx)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The entry of that name."""
        self.choices = tuple(self._registry)
        return self._registry[super().convert(value, param, ctx)]


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
        return [*params, _help_all(hidden=not any(isinstance(param, _Expert) for param in params)), help_option]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example, then the options."""
        if self.example:
            with formatter.section("Example"):  # on a line of its own, however long, so that it can be copied
                formatter.write(f"{'':{formatter.current_indent}}{self.example}\n")
        super().format_options(ctx, formatter)


class Group(Command, click.Group):
    """A command with commands of its own."""

    command_class = Command


def _help_all(*, hidden: bool) -> click.Option:
    def show(ctx: click.Context, option: click.Parameter, given: bool) -> None:
        if given and not ctx.resilient_parsing:
            ctx.meta[_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=show, hidden=hidden,
                        help="List all options, also those for experts.")  # fmt: skip
