"""The project and its network written to files: for people, and for worker processes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from mocapella.files.disk import make_folder
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.storage.values import save
from mocapella.studio.project import FILE_NAME, save_project
from mocapella.studio.workers.derivation import noted

if TYPE_CHECKING:
    from mocapella.studio.session import Session


async def save_session(session: Session, path: str) -> list[Path]:
    """Write the project and its network, to a relative ``path``.

    An empty path stands for where it was saved before, else for the project's name.
    """
    name = path or session.path or f"{file_stem(session.project.name)}.moca"
    if not name.lower().endswith(".moca"):
        name += ".moca"
    place = session.folder.path(name)
    history, network = session.history, session.network

    def write() -> list[Path]:
        make_folder(place.parent)
        with noted():
            save(network, place)
        beside = place.parent / FILE_NAME
        save_project(history, beside)
        return [place, beside]

    files = await asyncio.to_thread(write)
    session.path, session.saved_at = name, history.project
    session.broadcast(session.state())
    return files


async def network_file(session: Session) -> str:
    """The present network as a file that a worker can read."""
    network, number = session.network, session.network_revision
    # A few walks of the actor are played until all of it is there, by the same project: they are another file.
    kind = "hybrid" if isinstance(network, HybridNetwork) else "plain"
    path = session.cache / f"played-{session.project.network_part().key()}-{kind}-{number}.moca"

    def write() -> None:
        make_folder(session.cache)
        with noted():
            save(network, path)

    if not path.is_file():
        await asyncio.to_thread(write)
    return str(path)


def file_stem(name: str) -> str:
    """A project's name as the name of a file: letters, digits, ``-`` and ``_``."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name).strip("-") or "untitled"
