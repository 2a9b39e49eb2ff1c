"""Pictures that an example has written, put on its page of the gallery."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

PICTURES = ("*.png", "*.gif")
EXAMPLES = Path(__file__).parent.parent / "examples"
KEPT = set(EXAMPLES.rglob("*"))  # when the manual begins to be built


def written_pictures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Move what the last lines of an example drew to where its page looks for pictures.

    Examples write files, as their readers would; so nothing is left in their folder.
    """
    del block
    folder = Path(block_vars["src_file"]).parent
    written = sorted(
        (path for pattern in PICTURES for path in folder.glob(pattern)), key=lambda path: path.stat().st_mtime
    )
    shown = []
    for path in written:
        goal = Path(next(block_vars["image_path_iterator"])).with_suffix(path.suffix)
        shutil.move(path, goal)
        shown.append(str(goal))
    return str(figure_rst(shown, gallery_conf["src_dir"]))


def without_motions(gallery_conf: dict[str, Any], example: str) -> None:
    """Remove what an example has saved beside itself: motions, edits, a library."""
    del gallery_conf, example
    for path in sorted(set(EXAMPLES.rglob("*")) - KEPT, reverse=True):  # files before their folders
        if "__pycache__" not in path.parts:
            path.rmdir() if path.is_dir() else path.unlink()
