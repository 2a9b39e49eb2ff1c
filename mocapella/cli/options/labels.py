"""Labels of motions as words of the command line: ``speed=1.1``, ``tired=0,0.5,1``."""

from __future__ import annotations

from mocapella.errors import MotionError


def label_pair(text: str) -> tuple[str, str]:
    """A label and what stands for it.

    Parameters
    ----------
    text
        ``NAME=VALUE``.

    Returns
    -------
    name, value
        Without blanks around them.

    Raises
    ------
    MotionError
        Where a part is missing.
    """
    name, sign, number = text.partition("=")
    if not sign or not name:
        raise MotionError(expected="a label and its number, such as speed=1.1", got=repr(text))
    return name.strip(), number.strip()


def label_number(name: str, text: str) -> float:
    """The number of a label.

    Parameters
    ----------
    name
        Of the label, for the message.
    text
        The number.

    Returns
    -------
    float
        Its value.

    Raises
    ------
    MotionError
        Where it is none.
    """
    try:
        return float(text)
    except ValueError:
        raise MotionError(expected=f"a number for {name}", got=repr(text)) from None


def labelled(text: str) -> tuple[str, list[float]]:
    """A label and the numbers of several motions.

    Parameters
    ----------
    text
        ``NAME=A,B,…``.

    Returns
    -------
    name, numbers
        One for each motion, in order.
    """
    name, numbers = label_pair(text)
    return name, [label_number(name, one) for one in numbers.split(",")]
