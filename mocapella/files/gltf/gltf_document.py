"""glTF documents: the JSON and the bytes behind it, every size checked before memory is taken."""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn
from urllib.parse import unquote

import msgspec
import numpy as np
from jaxtyping import Float

from mocapella.arrays import owned
from mocapella.errors import FormatError
from mocapella.files.budget import Budget
from mocapella.files.disk import read_bytes

_MAGIC, _JSON, _BIN = b"glTF", 0x4E4F534A, 0x004E4942  # the first bytes of a file and of its chunks


class _Limits(NamedTuple):
    """The largest files that are read."""

    json: int = 64 << 20  # bytes
    nodes: int = 65_536  # of all scenes; characters have some hundreds
    number: float = 1e12  # in any unit: squares and sums of such numbers stay finite


_LIMITS = _Limits()
_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}

_Index = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
_Size = Annotated[int, msgspec.Meta(ge=0, le=2**40)]


class _Struct(msgspec.Struct, frozen=True, rename="camel"):
    """A part of the JSON; what else stands there is left alone."""


class _Buffer(_Struct, frozen=True):
    byte_length: _Size
    uri: str | None = None


class _BufferView(_Struct, frozen=True):
    buffer: _Index
    byte_length: _Size
    byte_offset: _Size = 0
    byte_stride: Annotated[int, msgspec.Meta(ge=1, le=4096)] | None = None
    extensions: dict[str, Any] = {}


class _SparseIndices(_Struct, frozen=True):
    buffer_view: _Index
    component_type: int
    byte_offset: _Size = 0


class _SparseValues(_Struct, frozen=True):
    buffer_view: _Index
    byte_offset: _Size = 0


class _Sparse(_Struct, frozen=True):
    count: _Size
    indices: _SparseIndices
    values: _SparseValues


class _Accessor(_Struct, frozen=True):
    component_type: int
    count: _Size
    type: str
    buffer_view: _Index | None = None
    byte_offset: _Size = 0
    normalized: bool = False
    sparse: _Sparse | None = None


class _Node(_Struct, frozen=True):
    """A node: its place and turn relative to its parent, and its children."""

    name: str = ""
    children: tuple[_Index, ...] = ()
    matrix: tuple[float, ...] | None = None
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)  # x, y, z, w
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    mesh: _Index | None = None
    camera: _Index | None = None


class GltfSkin(_Struct, frozen=True):
    """A skin: the nodes that are joints, and how a mesh is bound to them."""

    joints: tuple[_Index, ...]
    inverse_bind_matrices: _Index | None = None
    name: str = ""


class _Target(_Struct, frozen=True):
    path: str
    node: _Index | None = None


class _Channel(_Struct, frozen=True):
    """A channel: the sampler, the node and the property that it moves."""

    sampler: _Index
    target: _Target


class GltfSampler(_Struct, frozen=True):
    """Keys: accessors of times and values, and how to go from one to the next."""

    input: _Index
    output: _Index
    interpolation: str = "LINEAR"


class GltfAnimation(_Struct, frozen=True):
    """Channels that are played together."""

    channels: tuple[_Channel, ...]
    samplers: tuple[GltfSampler, ...]
    name: str = ""


class _Asset(_Struct, frozen=True):
    version: str


class _Json(_Struct, frozen=True):
    asset: _Asset
    nodes: tuple[_Node, ...] = ()
    skins: tuple[GltfSkin, ...] = ()
    animations: tuple[GltfAnimation, ...] = ()
    accessors: tuple[_Accessor, ...] = ()
    buffer_views: tuple[_BufferView, ...] = ()
    buffers: tuple[_Buffer, ...] = ()


@dataclass(frozen=True, eq=False)
class GltfDocument:
    """A glTF file: its nodes, skins and animations, and the numbers behind them."""

    path: Path
    json: _Json
    budget: Budget
    binary: bytes | None = None  # of a .glb
    text: bytes = b""  # the JSON as it stands in the file
    _loaded: dict[int | Path, bytes] = field(default_factory=dict)  # buffers by number, files by place
    _read: dict[int, np.ndarray] = field(default_factory=dict)  # accessors by number

    def fail(self, reason: str) -> NoReturn:
        """Stop reading."""
        raise FormatError(self.path, 0, reason)

    def everything(self) -> dict[str, Any]:
        """All of the JSON, what is not read here as well; a new value each time."""
        try:
            document: dict[str, Any] = msgspec.json.decode(self.text)
        except RecursionError:
            self.fail("is not glTF: its JSON is nested too deeply")
        except (msgspec.DecodeError, UnicodeDecodeError) as error:  # in parts that are skipped otherwise
            self.fail(f"is not glTF: {error}")
        return document

    @cached_property
    def extensions(self) -> dict[str, Any]:
        """What extensions of glTF say of the whole file, by their names; empty where that is no JSON object."""
        extensions = self.everything().get("extensions")
        return extensions if isinstance(extensions, dict) else {}

    def numbers(self, index: int, kind: str) -> Float[np.ndarray, "rows columns"]:
        """The numbers of an accessor, as floats; normalised integers within −1 … 1, sparse ones filled in.

        They are read once, however many ask for them. Raises ``FormatError`` where its type is not ``kind``
        (``"VEC4"``), it lies outside its buffer, or holds what is no finite number.
        """
        if not index < len(self.json.accessors):
            self.fail(f"names accessor {index}, and there are {len(self.json.accessors)}")
        accessor = self.json.accessors[index]
        columns = _SIZES.get(accessor.type)
        if columns is None or accessor.type != kind:
            self.fail(f"accessor {index} is of type {accessor.type[:20]!r}, expected {kind}")
        if accessor.component_type not in _TYPES:
            self.fail(f"accessor {index} has the component type {accessor.component_type}")
        if index not in self._read:
            self.budget.take_numbers(accessor.count * columns, f"accessor {index} with {accessor.count:,} elements")
            self._read[index] = self._values(index, accessor, columns)
        return self._read[index]

    def _values(self, index: int, accessor: _Accessor, columns: int) -> Float[np.ndarray, "rows columns"]:
        dtype = np.dtype(_TYPES[accessor.component_type])
        if accessor.buffer_view is None:
            raw = np.zeros((accessor.count, columns), dtype)
        else:
            raw = self._rows(accessor.buffer_view, accessor.byte_offset, accessor.count, dtype, columns)
        if accessor.sparse is not None:
            raw = self._filled(index, raw, accessor.sparse)
        values = raw.astype(np.float64)
        if dtype.kind != "f" and accessor.normalized:
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        if not (np.abs(values) <= _LIMITS.number).all():
            self.fail(f"accessor {index} holds a value that is not a usable number")
        return owned(values)

    def _filled(self, index: int, raw: np.ndarray, sparse: _Sparse) -> np.ndarray:
        if sparse.indices.component_type not in (5121, 5123, 5125) or sparse.count > len(raw):
            self.fail(f"accessor {index} is sparse in a way that glTF has not")
        dtype = np.dtype(_TYPES[sparse.indices.component_type])
        rows = self._rows(sparse.indices.buffer_view, sparse.indices.byte_offset, sparse.count, dtype, 1)[:, 0]
        if len(rows) and int(rows.max()) >= len(raw):
            self.fail(f"accessor {index} fills in element {int(rows.max())} of {len(raw)}")
        out = np.array(raw)
        values = sparse.values
        out[rows] = self._rows(values.buffer_view, values.byte_offset, sparse.count, raw.dtype, raw.shape[1])
        return out

    def _rows(self, view: int, offset: int, count: int, dtype: np.dtype[Any], columns: int) -> np.ndarray:
        """Elements of a buffer view, as they are stored."""
        if not view < len(self.json.buffer_views):
            self.fail(f"names buffer view {view}, and there are {len(self.json.buffer_views)}")
        part = self.json.buffer_views[view]
        packed = [name for name in part.extensions if "compression" in name]
        if packed:
            self.fail(f"its motion is packed by {packed[0]}; unpack it first, with gltf-transform or gltfpack -noq")
        width = dtype.itemsize * columns
        stride = part.byte_stride or width
        needed = offset + stride * (count - 1) + width if count else 0
        content = self._buffer(part.buffer)
        if stride < width or needed > part.byte_length or part.byte_offset + part.byte_length > len(content):
            self.fail(f"buffer view {view} ends before the {count:,} elements that are to be in it")
        if count == 0:
            return np.zeros((0, columns), dtype)
        letters = np.frombuffer(content, np.uint8, stride * (count - 1) + width, part.byte_offset + offset)
        rows = np.lib.stride_tricks.as_strided(letters, (count, width), (stride, 1), writeable=False)
        return np.ascontiguousarray(rows).view(dtype)

    def _buffer(self, index: int) -> bytes:
        if not index < len(self.json.buffers):
            self.fail(f"names buffer {index}, and there are {len(self.json.buffers)}")
        if index not in self._loaded:
            buffer = self.json.buffers[index]
            self._loaded[index] = self._content(index, buffer)
            if len(self._loaded[index]) < buffer.byte_length:
                self.fail(
                    f"buffer {index} is to have {buffer.byte_length:,} bytes and has {len(self._loaded[index]):,}"
                )
        return self._loaded[index]

    def _content(self, index: int, buffer: _Buffer) -> bytes:
        if buffer.uri is None:
            if self.binary is None or index != 0:
                self.fail(f"buffer {index} says not where its bytes are")
            return self.binary
        if buffer.uri.startswith("data:"):
            head, comma, text = buffer.uri.partition(",")
            if not comma or not head.endswith(";base64"):
                self.fail(f"buffer {index} is not base64 text")
            try:
                return base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                self.fail(f"buffer {index} is not base64 text")
        place = self.path.parent / unquote(buffer.uri)
        try:
            place = place.resolve()
            inside = place.is_relative_to(self.path.parent.resolve())
        except (OSError, ValueError):
            inside = False
        if not inside or "://" in buffer.uri:
            self.fail(f"buffer {index} is in {buffer.uri[:80]!r}, which is not in the folder of the file")
        if place not in self._loaded:
            self._loaded[place] = read_bytes(place)
            self.budget.grow(len(self._loaded[place]))
        return self._loaded[place]


def read_document(path: Path) -> GltfDocument:
    """A ``.glb`` or ``.gltf`` file; numbers are read when they are asked for."""
    content = read_bytes(path)
    text, binary = _chunks(path, content) if content[:4] == _MAGIC else (content, None)
    if len(text) > _LIMITS.json:
        raise FormatError(path, 0, f"its JSON has {len(text):,} bytes; at most {_LIMITS.json:,} are read")
    try:
        json = msgspec.json.decode(text, type=_Json)
    except RecursionError:
        raise FormatError(path, 0, "is not glTF: its JSON is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise FormatError(path, 0, f"is not glTF: {error}") from None
    if not json.asset.version.startswith("2."):
        raise FormatError(path, 0, f"is glTF {json.asset.version[:10]!r}; expected version 2")
    if len(json.nodes) > _LIMITS.nodes:
        raise FormatError(path, 0, f"has {len(json.nodes):,} nodes; at most {_LIMITS.nodes:,} are read")
    return GltfDocument(path, json, Budget(path, len(content)), binary, text)


def _chunks(path: Path, content: bytes) -> tuple[bytes, bytes | None]:
    """The JSON and the first binary chunk of a ``.glb``."""
    if len(content) < 20 or struct.unpack_from("<I", content, 4)[0] != 2:
        raise FormatError(path, 0, "is not binary glTF of version 2")
    total = min(struct.unpack_from("<I", content, 8)[0], len(content))
    chunks: dict[int, bytes] = {}
    at = 12
    while at + 8 <= total:
        length, kind = struct.unpack_from("<II", content, at)
        if at + 8 + length > total:
            raise FormatError(path, 0, f"ends within a chunk of {length:,} bytes")
        chunks.setdefault(kind, content[at + 8 : at + 8 + length])
        at += 8 + length
    if _JSON not in chunks:
        raise FormatError(path, 0, "holds no JSON")
    return chunks[_JSON], chunks.get(_BIN)
