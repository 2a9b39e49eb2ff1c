"""Pages within a notebook's output.

An output is stored in the notebook's file, so it is kept small: at most 20 s of a clip at 60 frames a second, and
the viewer, deflated, about 260 kB in all. It is shown in a frame that has no access to the notebook around it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from mocapella.errors import MotionError
from mocapella.studio.page.content import content_of
from mocapella.studio.page.document import document, embeddable


class _Output(NamedTuple):
    """Limits of an output."""

    seconds: float = 20.0  # of a clip; a longer one says in the frame that it goes on
    frame_rate: float = 60.0  # frames per second
    largest: int = 3_000_000  # bytes; the plain text is shown instead of a larger one
    height: int = 420  # pixels


_OUTPUT = _Output()


def inline_html(value: Any) -> str | None:
    """An ``iframe`` element with a whole page in it, as a notebook's output; never raises.

    ``value`` is a clip, a cycle, a spectrum, a network in the plane, a hybrid network or a player. Returns None where
    no page can be made: the viewer is not built, or the value has nothing to show.
    """
    try:
        content = content_of(value, seconds=_OUTPUT.seconds, frame_rate=_OUTPUT.frame_rate)
        text = document(content, title=str(getattr(value, "name", "")) or type(value).__name__, compact=True)
    except MotionError:
        return None
    frame = embeddable(text)
    if len(frame["srcdoc"]) > _OUTPUT.largest:
        return None
    style = f"width: 100%; height: {_OUTPUT.height}px; border: 0; border-radius: 8px"
    return f'<iframe sandbox="{frame["sandbox"]}" style="{style}" srcdoc="{frame["srcdoc"]}"></iframe>'
