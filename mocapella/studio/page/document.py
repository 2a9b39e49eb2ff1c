"""One HTML file that holds the viewer and what it shows, and loads nothing from elsewhere.

The viewer's script is embedded deflated; a few lines of loader inflate it and run it. A Content-Security-Policy in the
page allows these two scripts by their digests, where the engine is in the page its WebAssembly, and no connection.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from mocapella.errors import MotionError
from mocapella.files.disk import read_bytes, replacing
from mocapella.quoting import html_text, json_in_html
from mocapella.studio.page.content import Json, content_of, is_steerable
from mocapella.studio.page.steerable import steered_content

STATIC = Path(__file__).parents[1] / "static"
_DATA, _VIEWER = "mocapella-data", "mocapella-viewer"  # ids of the elements that hold them

# Inflates the viewer and runs it as a script of its own. Plain words where a browser is too old for it.
_LOADER = f"""
(async () => {{
  const say = (text) => {{ document.body.textContent = text }}
  if (typeof DecompressionStream === 'undefined') {{ say('This page needs a newer browser (2023 or later).'); return }}
  try {{
    const text = document.getElementById('{_VIEWER}').textContent
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
    const script = document.createElement('script')
    script.textContent = await new Response(stream).text()
    document.body.append(script)
  }} catch (error) {{ say('The viewer in this page is damaged: ' + error) }}
}})()
"""


def write_page(
    value: Any, path: str | PathLike[str], *, title: str = "", frame_rate: float | None = None, steerable: bool = False
) -> tuple[int, bool]:
    """Write a page that shows a value, in one file that opens from disk.

    Parameters
    ----------
    value
        A clip, a cycle, a spectrum, a network, a hybrid network or a player, as ``content_of`` takes it.
    path
        Where to; it appears only once it is complete.
    title
        Of the page; the value's name if empty.
    frame_rate
        The most frames per second to keep; all if None.
    steerable
        Whether the engine itself is put into the page, as WebAssembly, and plays the network there; otherwise a page
        of a network has recorded loops, and mixes them.

    Returns
    -------
    tuple[int, bool]
        The file's bytes, and whether the page can be steered.

    Raises
    ------
    MotionError
        For values that cannot be shown or steered, and where the viewer or the library was not built.
    """
    content = steered_content(value) if steerable else content_of(value, frame_rate=frame_rate)
    name = title or str(getattr(value, "name", "")) or Path(path).stem
    return write_document(content, path, title=name), is_steerable(content)


def write_document(content: Json, path: str | PathLike[str], *, title: str) -> int:
    """Write a page of some content, as ``content_of`` gives it. Returns the file's bytes."""
    data = document(content, title=title).encode()
    with replacing(path) as file:
        file.write(data)
    return len(data)


def document(content: Json, *, title: str, compact: bool = False) -> str:
    """The HTML text of a page of some content, as ``content_of`` gives it.

    ``compact`` pages fit a small frame within another page, such as a notebook's output. Raises ``MotionError`` where
    the viewer was not built.
    """
    viewer, style, digest = _viewer(STATIC)
    given = msgspec.json.encode({**content, "title": title, "compact": compact}).decode()
    wasm = " 'wasm-unsafe-eval'" if "wasm" in content else ""  # lets WebAssembly run, no other evaluation
    scripts = f"'sha256-{_digest(_LOADER)}' 'sha256-{digest}'{wasm}"
    policy = f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:"
    return (
        '<!doctype html>\n<html lang="en" data-theme="dark">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<title>{html_text(title)}</title>\n<link rel="icon" href="data:,">\n<style>{style}</style>\n</head>\n'
        "<body>\n"
        f'<div id="app"></div>\n<script type="application/json" id="{_DATA}">{json_in_html(given)}</script>\n'
        f'<script type="text/plain" id="{_VIEWER}">{viewer}</script>\n<script>{_LOADER}</script>\n</body>\n</html>\n'
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@lru_cache(maxsize=2)
def _viewer(folder: Path) -> tuple[str, str, str]:
    """The built viewer: its script deflated, in base64; its style; the digest of its script."""
    try:
        script, style = (read_bytes(folder / f"viewer.{kind}").decode() for kind in ("js", "css"))
    except MotionError:
        raise MotionError(
            f"the viewer of pages is not built: there is no {folder / 'viewer.js'}",
            helps="in a checkout run make web; a wheel brings it along",
        ) from None
    return base64.b64encode(zlib.compress(script.encode(), 9)).decode(), style, _digest(script)


def embeddable(text: str) -> dict[str, Any]:
    """Attributes ``srcdoc`` and ``sandbox`` of an ``iframe`` without access to the page around it."""
    return {"srcdoc": html_text(text), "sandbox": "allow-scripts allow-downloads"}
