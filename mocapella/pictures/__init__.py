"""Motion for the eye: still pictures of clips and of what is known about them. Needs matplotlib."""

from importlib.util import find_spec

from mocapella.errors import MotionError


class PlotsMissingError(MotionError):
    """Matplotlib is not installed."""


def check_matplotlib() -> None:
    """Raise ``PlotsMissingError`` with what to install where matplotlib is missing; it is not imported."""
    if find_spec("matplotlib") is None:
        raise PlotsMissingError("pictures need an extra package: pip install 'mocapella[plots]'")
