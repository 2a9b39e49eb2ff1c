"""Pages within a notebook's output.

An output is stored in the notebook's file, so it is kept small: at most 20 s of a clip at 60 frames a second, and
the viewer, deflated, about 260 kB in all. It is shown in a frame that has no access to the notebook around it.
"""

from __future__ import annotations

from typing import Any

from mocapella.errors import MotionError
from mocapella.studio.page.content import content_of
from mocapella.studio.page.document import document, embeddable

_SECONDS = 20.0  # of a clip; a longer one says in the frame that it goes on
_FRAME_RATE = 60.0
_LARGEST = 3_000_000  # bytes of an output; the plain text is shown instead of a larger one
_HEIGHT = 420  # pixels


def inline_html(value: Any) -> str | None:
    """A frame that shows a value, as a notebook's output.

    ``value`` is a clip, a cycle, a spectrum, a network in the plane, a hybrid network or a player. Returns an
    ``iframe`` element with the whole page in it; None where no page can be made: the viewer is not built, or the value
    has nothing to show. An output never raises.
    """
    try:
        content = content_of(value, seconds=_SECONDS, frame_rate=_FRAME_RATE)
        text = document(content, title=str(getattr(value, "name", "")) or type(value).__name__, compact=True)
    except MotionError:
        return None
    frame = embeddable(text)
    if len(frame["srcdoc"]) > _LARGEST:
        return None
    style = f"width: 100%; height: {_HEIGHT}px; border: 0; border-radius: 8px"
    return f'<iframe sandbox="{frame["sandbox"]}" style="{style}" srcdoc="{frame["srcdoc"]}"></iframe>'
