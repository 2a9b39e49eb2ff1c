"""Animations of a file by name: named apart, and chosen by name, number or pattern."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

Wanted = str | int | Sequence[str | int] | None  # names, numbers from 0 on, or patterns such as ``"Walk*"``

_LONGEST = 120  # letters of a name; those of strangers may be of any length
_MOST_NAMES = 20  # listed in a message


def named_apart(names: Sequence[str]) -> list[str]:
    """Names that differ, without what all have in common before and after a ``|``, as in ``Armature|Walk``.

    An animation without a name is called by its number. Slashes, which part folders in paths, and ``|``, which parts
    modifiers in libraries, become ``_``.
    """
    words = [name.split("|") for name in names]
    shortest = min(map(len, words), default=0)
    for end in (0, -1):
        while shortest > 1 and len({parts[end] for parts in words}) == 1 and len(words) > 1:
            words, shortest = [parts[1:] if end == 0 else parts[:-1] for parts in words], shortest - 1
    named: dict[str, int] = {}  # name → the number that the next of the same name gets
    for number, parts in enumerate(words):
        plain = re.sub(r"[/\\|]", "_", "|".join(parts)[:_LONGEST]).strip() or f"animation {number}"
        name = plain
        while name in named:
            name, named[plain] = f"{plain}_{named[plain]}", named[plain] + 1
        named[name] = 2
    return list(named)


def matching(names: Sequence[str], wanted: Wanted) -> list[int]:
    """The numbers of the animations that are asked for, in order; all if None.

    Each wish is a name, as the file has it or as ``named_apart`` does, else a number, also in digits, else a pattern.
    Raises ``ValueError`` where there is none for a wish.
    """
    if wanted is None:
        return list(range(len(names)))
    short, numbers = named_apart(names), set()
    for wish in [wanted] if isinstance(wanted, str | int) else wanted:
        fitting = [i for i, spellings in enumerate(zip(names, short, strict=True)) if wish in spellings]
        if not fitting and str(wish).isdecimal():
            fitting = [int(wish)] if int(wish) < len(names) else []
        elif not fitting:
            pairs = enumerate(zip(names, short, strict=True))
            fitting = [i for i, pair in pairs if any(fnmatchcase(name, str(wish)) for name in pair)]
        if not fitting:
            raise ValueError(f"has no animation {wish!r}; there are {_listed(short) or 'none'}")
        numbers.update(fitting)
    return sorted(numbers)


def one_of(names: Sequence[str], counts: Sequence[int], wanted: Wanted) -> int | None:
    """The number of the one animation that is asked for; if None the first with at least half as much as any.

    ``counts`` are what each has: keys, or channels. None where no animation has any. Raises ``ValueError`` where none
    or several are asked for.
    """
    if wanted is None:
        most = max(counts, default=0)
        return next((i for i, count in enumerate(counts) if count and 2 * count >= most), None)
    first, *more = matching(names, wanted)
    if more:
        several = _listed([named_apart(names)[i] for i in (first, *more)])
        raise ValueError(f"one animation is to be read, and {wanted!r} fits {several}; name one of them")
    return first


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
