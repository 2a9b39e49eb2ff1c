"""The first message to a page: what this server can do."""

from __future__ import annotations

from mocapella import __version__
from mocapella.analysis.closing.cyclify import CLOSING_METHODS
from mocapella.blending.rules import RULES
from mocapella.files.conventions import UNITS
from mocapella.files.format_table import READABLE
from mocapella.rig.names import ROLES
from mocapella.studio.console import COMMANDS
from mocapella.studio.messages.answers import Hello
from mocapella.studio.messages.frames import PLACES
from mocapella.studio.opened_folder import LARGEST_UPLOAD
from mocapella.studio.session import Session
from mocapella.studio.stage import RATE
from mocapella.studio.toolbox import edit_kinds
from mocapella.studio.workers.destinations import DESTINATIONS, FORMAT_ROWS, NAMES


def hello(session: Session) -> Hello:
    """The first message."""
    return Hello(
        version=__version__,
        folder=session.folder.root.name,
        rate=RATE,
        rules=tuple(RULES),
        closings=tuple(CLOSING_METHODS),
        units=tuple(UNITS),
        roles=tuple(ROLES),
        suffixes=tuple(sorted({*READABLE, ".asf", ".moca"})),
        upload_limit=LARGEST_UPLOAD,
        destinations=DESTINATIONS,
        library="" if session.library is None else session.library.name,
        formats=FORMAT_ROWS,
        namings=NAMES,
        edits=edit_kinds(),
        commands=tuple(COMMANDS),
        frame=dict(PLACES),
    )
