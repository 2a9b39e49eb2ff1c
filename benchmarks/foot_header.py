"""Foot constants for the native core: ``python -m benchmarks.foot_header`` writes native/src/foot_constants.h."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from mocapella.gait.foot_constants import FOOT, FootConstants

HEADER = Path(__file__).resolve().parents[1] / "native" / "src" / "foot_constants.h"
_FIELD = re.compile(r"    (?:(?P<name>\w+): float = .*?  )?# (?P<comment>.*)")
_OPENING = """\
// Constants of foot plants, leg IK, toes and root motion by feet.
// Written by python -m benchmarks.foot_header from mocapella/gait/foot_constants.py; change them there.
#pragma once

namespace foot {
"""


def header() -> str:
    """The header's text: the fields of ``FootConstants`` with their comments, in the same order."""
    lines = []
    for line in inspect.getsource(FootConstants).splitlines():
        if (field := _FIELD.fullmatch(line)) is None:
            continue
        name, comment = field["name"], field["comment"]
        if name is None:
            lines += ["", f"// {comment}"]
        else:
            lines.append(f"constexpr double {name.upper()} = {getattr(FOOT, name)!r};  // {comment}")
    return _OPENING + "\n".join(lines[1:]) + "\n}  // namespace foot\n"


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
