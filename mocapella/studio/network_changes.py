"""Changes of the network: each is stored by its project, and is one call of ``hybrid``, made or written as Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import msgspec

from mocapella.errors import NetworkError
from mocapella.hybrid import arranging, rejoining
from mocapella.hybrid.arranging import Playable
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.quoting import python_literal
from mocapella.studio.messages.fields import Number, Point, Text


class Expression(str):
    """Python that stands for a value."""

    __slots__ = ()


@runtime_checkable
class Clips(Protocol):
    """The clips of a project as changes need them: motions where a change is made, expressions where it is written."""

    def cycle(self, clip: str) -> Any:
        """The closed cycle of a clip."""

    def transition(self, clip: str, name: str) -> Any:
        """The transition that a clip shows."""


class _Call(NamedTuple):
    """A function that makes a network of another, and what it takes beside it."""

    function: Callable[..., Playable]
    arguments: tuple[Any, ...]
    options: dict[str, Any]


class _Change(msgspec.Struct, frozen=True, kw_only=True, tag_field="change"):
    """A change: its fields, in their order, are what its function takes after the network."""

    block: Text = ""
    function: ClassVar[Callable[..., Playable]]
    words: ClassVar[str]  # for undo, with fields of the change

    @property
    def label(self) -> str:
        """The change in words, for undo."""
        return self.words.format(self)

    @property
    def quick(self) -> bool:
        """Whether it reads no clip and takes milliseconds, so that it can be made while a character walks."""
        return not getattr(self, "clip", "")

    def call(self, clips: Clips) -> _Call:
        """The call that makes the change."""
        values = tuple(getattr(self, name) for name in self.__struct_fields__ if name != "block")
        return _Call(type(self).function, values, _given(block=self.block))

    def apply(self, network: Playable, clips: Clips) -> Playable:
        """A network with the change made. Raises ``MotionError`` where it does not fit."""
        function, arguments, options = self.call(clips)
        return function(network, *arguments, **options)

    def python(self, clips: Clips) -> str:
        """The statement that makes the change; ``clips`` gives expressions."""
        function, arguments, options = self.call(clips)
        words = ["network", *map(_written, arguments), *(f"{name}={_written(options[name])}" for name in options)]
        return f"network = {function.__module__.rpartition('.')[2]}.{function.__name__}({', '.join(words)})"


def _given(**options: Any) -> dict[str, Any]:
    """Options without the empty ones, which are left to the function."""
    return {name: value for name, value in options.items() if value is not None and value != ""}


def _written(value: Any) -> str:
    """A value as Python, numbers to six digits."""
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple) and all(isinstance(number, float) for number in value):
        return f"({', '.join(map(_written, value))})"
    return python_literal(value)


class Moved(_Change, frozen=True, tag="moved"):
    """A node lies elsewhere."""

    node: Text
    at: Point
    function, words = arranging.moved, "move {0.node}"


class Renamed(_Change, frozen=True, tag="renamed"):
    """A node has another name."""

    node: Text
    name: Text
    function, words = arranging.renamed, "rename {0.node}"


class Added(_Change, frozen=True, tag="added"):
    """A node was added: the cycle of a clip, or the blend at its place."""

    name: Text
    at: Point | None
    clip: Text = ""
    words = "add {0.name}"

    def call(self, clips: Clips) -> _Call:
        """The call that adds a cycle or a blend."""
        if self.clip:
            options = {**_given(at=self.at), "name": self.name, **_given(block=self.block)}
            return _Call(rejoining.with_cycle, (clips.cycle(self.clip),), options)
        if self.at is None:
            raise NetworkError(f"{self.name!r} has neither a clip nor a place; say where the blend is taken")
        return _Call(rejoining.with_blend, (self.at,), {"name": self.name, **_given(block=self.block)})


class Removed(_Change, frozen=True, tag="removed"):
    """A node was taken out."""

    node: Text
    function, words = rejoining.without_node, "remove {0.node}"


class TriangleAdded(_Change, frozen=True, tag="triangle_added"):
    """Three nodes were joined."""

    nodes: tuple[Text, Text, Text]
    function, words = rejoining.with_triangle, "add a triangle"


class TriangleRemoved(_Change, frozen=True, tag="triangle_removed"):
    """A triangle was taken out."""

    nodes: tuple[Text, Text, Text]
    function, words = rejoining.without_triangle, "remove a triangle"


class Flipped(_Change, frozen=True, tag="flipped"):
    """Two triangles have the other diagonal."""

    nodes: tuple[Text, Text]
    words = "flip an edge"

    def call(self, clips: Clips) -> _Call:
        """The call that takes both ends of the edge."""
        return _Call(rejoining.flipped, self.nodes, _given(block=self.block))


class Turned(_Change, frozen=True, tag="turned"):
    """The motion of a node begins later."""

    node: Text
    degrees: Number
    function, words = arranging.turned, "offset of {0.node}"


class Joined(_Change, frozen=True, tag="joined"):
    """The change that a clip shows joins blocks."""

    clip: Text
    name: Text
    source: Text = ""
    target: Text = ""
    key: Text = ""
    words = "join by {0.name}"

    def call(self, clips: Clips) -> _Call:
        """The call that joins blocks by a transition."""
        transition = clips.transition(self.clip, self.name)
        options = _given(source=self.source, target=self.target, key=self.key)
        return _Call(rejoining.with_change, (transition,), options)


class _ArcChange(_Change, frozen=True):
    """A change of an arc, which hybrid networks alone have, in no block."""

    arc: Text

    def call(self, clips: Clips) -> _Call:
        """The call that makes the change, without a block."""
        return super().call(clips)._replace(options={})

    def apply(self, network: Playable, clips: Clips) -> Playable:
        """A hybrid network with the change made."""
        if not isinstance(network, HybridNetwork):
            raise NetworkError("this network has no arcs; a captured change makes one")
        return super().apply(network, clips)


class Zoned(_ArcChange, frozen=True, tag="zoned"):
    """An arc has another trigger zone."""

    zone: Number
    function, words = arranging.with_zone, "zone of {0.arc}"


class ArcRemoved(_ArcChange, frozen=True, tag="arc_removed"):
    """An arc was taken out."""

    function, words = arranging.without_arc, "remove {0.arc}"


Change = (
    Moved | Renamed | Added | Removed | TriangleAdded | TriangleRemoved | Flipped | Turned | Zoned | Joined | ArcRemoved
)
