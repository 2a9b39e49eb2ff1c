"""Messages in the words of the command line: options where the library names its arguments."""

from __future__ import annotations

import re

_WORDS = (
    (r"load\(path, roles=\{[^}]*\}\)", "--roles FILE.toml"),
    (r"load\(path, clean=True\)", "--clean"),
    (r"clean=True\b", "--clean"),
    (r"partial=True\b", "--partial"),
    (r"turning=True\b", "--turning"),
    (r"turning=False\b", "--straight"),
    (r"\b(within|frames)=\((\w+), (\w+)\)", r"--\1 \2 \3"),
    (r"\b(unit|frame_rate|speed|turn)=", lambda found: f"--{'rate' if found[1] == 'frame_rate' else found[1]} "),
)


def in_options(message: str) -> str:
    """A message with the arguments of our functions written as options.

    >>> in_options("say frames=(first, last), or load(path, clean=True)")
    'say --frames first last, or --clean'
    """
    for pattern, words in _WORDS:
        message = re.sub(pattern, words, message)
    return message
