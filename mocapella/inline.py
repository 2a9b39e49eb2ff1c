"""How values show themselves in a notebook: the page of ``mocapella page``, in a frame within the output."""

from __future__ import annotations

from importlib import import_module


class ShownInline:
    """A value that notebooks show as a moving character; other places show its ``repr``."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """A frame with the page of this value; None, and so the plain text, where no page can be made of it."""
        # Imported by name: the studio is a higher layer.
        html: str | None = import_module("mocapella.studio.page.notebook").inline_html(self)
        return html
