"""What the comments of the C header leave unsaid."""

from __future__ import annotations

import re

_PROTOTYPE = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\n)?MOCAPELLA_EXPORT ([^;(]*?)(\w+)\(([^;]*)\);", re.S)


def unsaid(header: str) -> list[str]:
    """A line for each prototype without a comment right above it, or with one that does not name all arguments."""
    lines = []
    for comment, _, name, arguments in _PROTOTYPE.findall(header):
        names = re.findall(r"(\w+)(?:\[\d*\])?\s*(?:,|$)", "" if arguments == "void" else arguments)
        silent = [argument for argument in names if not re.search(rf"\b{argument}s?\b", comment)]
        if not comment.strip():
            lines.append(f"{name}: no comment")
        elif silent:
            lines.append(f"{name}: {', '.join(silent)}")
    return lines
