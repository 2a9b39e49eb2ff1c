"""Pictures that an example has written, put on its page of the gallery."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

PICTURES = ("*.png", "*.gif")


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
    """Remove the motions that an example has saved beside itself."""
    for folder in gallery_conf["examples_dirs"]:
        for pattern in ("*.bvh", "*.glb", "*.moca", "*.csv", "*.json"):
            for path in (Path(gallery_conf["src_dir"]) / folder).rglob(pattern):
                path.unlink()
    del example
