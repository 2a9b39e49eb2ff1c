"""Labels of motions as words of the command line: ``speed=1.1``, ``tired=0,0.5,1``."""

from __future__ import annotations

from mocapella.errors import MotionError


def label_pair(text: str) -> tuple[str, str]:
    """A label and what stands for it. ``text`` is ``NAME=VALUE``."""
    name, sign, number = text.partition("=")
    if not sign or not name:
        raise MotionError(expected="a label and its number, such as speed=1.1", got=repr(text))
    return name.strip(), number.strip()


def label_number(name: str, text: str) -> float:
    """The number of a label."""
    try:
        return float(text)
    except ValueError:
        raise MotionError(expected=f"a number for {name}", got=repr(text)) from None


def labelled(text: str) -> tuple[str, list[float]]:
    """A label and the numbers of several motions. ``text`` is ``NAME=A,B,…``."""
    name, numbers = label_pair(text)
    return name, [label_number(name, one) for one in numbers.split(",")]
