"""Numbers as values of options, and labels with numbers: ``speed=1.1``, ``tired=0,0.5,1``."""

from __future__ import annotations

import math
from typing import Any

import click

from mocapella.errors import MotionError


class NumberRange(click.FloatRange):
    """A range of numbers without ``nan``, which Click's own range holds: it is neither below nor above any limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a value that is no number of the range is wrong usage."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


def label_pair(text: str) -> tuple[str, str]:
    """The label and the value of ``NAME=VALUE``."""
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
    """The label and the numbers of ``NAME=A,B,…``, a number for each motion."""
    name, numbers = label_pair(text)
    return name, [label_number(name, number) for number in numbers.split(",")]
