"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich.table import Table

Printed = Callable[[dict[str, Any]], list[Table | str]]  # an answer as tables and lines for the terminal


def table_of(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: Sequence[str] = ()) -> Table:
    """A table for the terminal.

    The first column and those with heads in ``left`` are aligned left, others right.
    """
    table = Table(
        title=title, title_justify="left", min_width=len(title), box=None, header_style="bold", padding=(0, 2, 0, 0)
    )
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i and head not in left else "left")
    for row in rows:
        table.add_row(*row)
    return table
