"""The console: commands by name, a line each."""

from __future__ import annotations

COMMANDS: dict[str, str] = {}
