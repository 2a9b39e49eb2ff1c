"""All commands and all answers: what the server reads, and what the page reads."""

from __future__ import annotations

from typing import Any, Union

from mocapella.studio.messages import answers, commands, details, library_messages, steering_commands
from mocapella.studio.messages.fields import Answer, Command

_MODULES = (commands, steering_commands, library_messages, answers, details)


def _every(base: type) -> Any:
    """The union of all messages of a kind, in the order of their declarations; private ones hold fields of others."""
    kinds = (value for module in _MODULES for value in vars(module).values() if isinstance(value, type))
    members = (kind for kind in kinds if issubclass(kind, base) and kind is not base and kind.__name__[0] != "_")
    return Union[tuple(dict.fromkeys(members))]  # noqa: UP007


AnyCommand = _every(Command)
AnyAnswer = _every(Answer)
