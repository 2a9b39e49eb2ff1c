"""Options of the command line, declared once for all commands that take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
