"""Blending points on the command line: as many numbers as the network has axes."""

from __future__ import annotations

from typing import Any

import click

from mocapella.blending.cascade import Cascade
from mocapella.blending.hybrid import HybridNetwork
from mocapella.blending.network import Network

Playable = Network | HybridNetwork | Cascade

MOST_AXES = 64
_JOIN = ","


class PointsCommand(click.Command):
    """A command with options of type ``POINT``: all numbers that follow one belong to it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hand each point over as one word, for an option takes a fixed number of them."""
        options = {name for param in self.params if isinstance(param.type, _Point) for name in param.opts}
        words: list[str] = []
        left = list(args)
        while left:
            word = left.pop(0)
            words.append(word)
            if word in options:
                numbers: list[str] = []
                while left and _is_number(left[0]) and len(numbers) < MOST_AXES:
                    numbers.append(left.pop(0))
                words.append(_JOIN.join(numbers))
        return super().parse_args(ctx, words)


class _Point(click.ParamType[tuple[float, ...]]):
    """Two numbers or more."""

    name = "point"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        numbers = [word for word in str(value).split(_JOIN) if word]
        if len(numbers) < 2:
            self.fail(f"expected two numbers or more, such as 20 1.3, got {' '.join(numbers) or 'none'}", param, ctx)
        return tuple(float(number) for number in numbers)


POINT = _Point()


def axes_of(playable: Playable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the coordinates of a blending point are called in tables: those it must have, and those it may have."""
    if isinstance(playable, Cascade):
        own = playable.outer.n_axes
        names = tuple(name.lower() for name in playable.axes)
        return names[:own], names[own:]
    return ("x", "y", "z")[: playable.n_axes] if isinstance(playable, Network) else ("x", "y"), ()


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
