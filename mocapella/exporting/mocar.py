"""Networks as ``.mocar`` files: all that the C library of ``native/include/mocapella.h`` needs to play a character.

A file is little-endian: a head of 32 bytes (magic, version, number of sections, bytes, CRC-32 of what follows), 32
bytes for each section (name, kind, count, place), then the sections, each at a multiple of 16 bytes. Sections stand in
groups: one for each block, one for each way to or from a captured change, and one for the changes.
``docs/embedding.md`` lists them.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike

import numpy as np

from mocapella.blending.network import Network
from mocapella.crowd.native import ABI, LEG_PLACES, SETTINGS, core_arrays, core_legs, core_numbers, fits
from mocapella.crowd.rates import RateTable
from mocapella.crowd.tables import CrowdTables
from mocapella.errors import MotionError
from mocapella.exporting.played_changes import PlayedChange, played_changes
from mocapella.files.disk import replacing
from mocapella.hybrid.hybrid_network import ArcEnd, HybridNetwork
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.native.player_core import LEG_LENGTHS

SUFFIX = ".mocar"
_VERSION = 2  # of the format, in the head of a file
_MAGIC = b"\x89MOCAR\n\x1a"
LARGEST = 2**28  # bytes, as the library has it
_HEAD = struct.Struct("<8sIIQII")
_ENTRY = struct.Struct("<16sIIII")
Sections = list[tuple[str, np.ndarray]]
_KINDS = {"u1": 0, "i4": 1, "f4": 2, "f8": 3}
# The arrays of the core's tables, in the order of native/src/crowd.h.
_CORE = (
    "coefficients", "triangle", "neighbour", "map", "point", "energy", "product", "seconds", "gait", "parent",
    "offset", "column", "left_chain", "right_chain", "noisy",
)  # fmt: skip


def write_mocar(network: Network | Spectrum | HybridNetwork, path: str | PathLike[str]) -> int:
    """Write a network for the C library.

    Parameters
    ----------
    network
        In the plane; a single motion is a network of one node. Of a hybrid network all blocks and captured changes.
    path
        Where to; the file appears only once it is complete.

    Returns
    -------
    int
        The file's bytes.

    Raises
    ------
    MotionError
        For what a crowd cannot play, skeletons of more than 128 joints, and networks that give too large a file.
    """
    data = mocar_bytes(network)
    with replacing(path) as file:
        file.write(data)
    return len(data)


def mocar_bytes(network: Network | Spectrum | HybridNetwork) -> bytes:
    """A network as the bytes of a ``.mocar`` file.

    A single motion is a network of one node. Of a hybrid network all blocks and captured changes. The result is about a
    megabyte for 25 nodes; some 15 to 55 where the rule is no weighted mean of harmonics.

    Examples
    --------
    >>> from mocapella.actor import perform
    >>> from mocapella.analysis.fourier import analyse
    >>> from mocapella.analysis.prepare import prepare
    >>> data = mocar_bytes(analyse(prepare(perform("walk", speed=1.3)[0]), harmonics=6))
    >>> data[:8], int.from_bytes(data[16:24], "little") == len(data)
    (b'\\x89MOCAR\\n\\x1a', True)
    """
    return packed(_hybrid_sections(network) if isinstance(network, HybridNetwork) else _block("", network))


def packed(sections: Sequence[tuple[str, np.ndarray]]) -> bytes:
    """Named arrays as the bytes of a ``.mocar`` file.

    ``sections`` are bytes, 32-bit whole numbers, single and double precision. A name may come again in another group.
    Raises ``MotionError`` for a file larger than the library reads.
    """
    place = _HEAD.size + _ENTRY.size * len(sections)
    entries, body = [], bytearray()
    for name, array in sections:
        body += bytes(-(place + len(body)) % 16)
        kind = _KINDS[array.dtype.newbyteorder("=").str[1:]]
        entries.append(_ENTRY.pack(name.encode("ascii"), kind, array.size, place + len(body), 0))
        body += array.astype(array.dtype.newbyteorder("<")).tobytes()
    rest = b"".join(entries) + bytes(body)
    size = _HEAD.size + len(rest)
    if size > LARGEST:
        raise MotionError(
            expected=f"a network of at most {LARGEST / 1e6:.0f} MB for the C library",
            got=f"{size / 1e6:.0f} MB",
            helps="take fewer harmonics, or one block",
        )
    return _HEAD.pack(_MAGIC, _VERSION, len(sections), size, zlib.crc32(rest), 0) + rest


def _block(name: str, network: Network | Spectrum) -> Sections:
    """A network that is steered: its tables, its plane, and blending points by turn rate and speed."""
    tables = _tables(network)
    skeleton, rates = tables.skeleton, RateTable.of(tables)
    names, points, triangles, outline, loops = _plane(network)
    sizes = len(skeleton.end_joints), len(names), len(triangles), len(outline), len(rates.points)
    return [
        ("block", _text([name])),
        *_core(tables, sizes, (*rates.low, *rates.high)),
        ("node_triangles", triangles),
        ("rates", tables.rates.astype(np.float32)),
        ("rate_points", rates.points.astype(np.float32)),
        ("joint_names", _text(skeleton.names)),
        ("end_joints", skeleton.end_joints.astype(np.int32)),
        ("end_offsets", skeleton.end_offsets.astype(np.float32)),
        ("node_names", _text(names)),
        ("node_points", points),
        ("outline", outline),
        ("outline_loops", loops),
    ]


def _tables(network: Network | Spectrum, *, coarse: bool = False) -> CrowdTables:
    tables = CrowdTables.of(network, coarse=coarse)
    if not fits(tables):
        raise MotionError(expected="a skeleton of at most 128 joints", got=f"{tables.n_joints} joints")
    return tables


def _core(tables: CrowdTables, sizes: tuple[int, ...], rates: tuple[float, ...]) -> Sections:
    """What the core plays: sizes of all sections, the plane, and the arrays of its tables."""
    numbers = (*core_numbers(tables)[1:], *sizes, ABI)
    settings = [getattr(tables.settings, name) for name in SETTINGS]
    return [
        ("numbers", np.array(numbers, dtype=np.int32)),
        ("plane", np.array([*tables.centre, tables.size, *rates], dtype=np.float64)),
        *zip(_CORE, core_arrays(tables), strict=True),
        ("settings", np.array(settings, dtype=np.float32)),
        ("legs", np.frombuffer(_legs(tables), dtype=np.uint8)),
    ]


def _hybrid_sections(hybrid: HybridNetwork) -> Sections:
    """All blocks, the ways to and from captured changes, and the changes."""
    names, played = list(hybrid.blocks), played_changes(hybrid)
    sections = [section for name in names for section in _block(name, hybrid.block(name).network)]
    if not played:
        return sections
    ways = _Ways(hybrid, sections, n_parts=len(names))
    words, recordings, frames = [], [], 0
    for number, change in enumerate(played):
        if not change.mirrored:
            words.append(ways.words(change, number))
        recordings.append([ways.out_of(change), frames, len(change.yaws)])
        frames += len(change.yaws)
    return [*sections, *_change_sections(played, words, recordings)]


@dataclass
class _Ways:
    """The ways to and from captured changes, whose sections are added to those of the blocks."""

    hybrid: HybridNetwork
    sections: Sections
    n_parts: int  # blocks and ways so far
    _parts: dict[tuple[ArcEnd, tuple[tuple[str, ...], ...]], int] = field(default_factory=dict)  # by node and triangles

    def words(self, change: PlayedChange, number: int) -> list[int]:
        """The whole numbers of an arc, whose first recording is this one."""
        arc = change.arc
        ends = [value for end in (arc.source, arc.target) for value in _numbers(self.hybrid, end)]
        return [*ends, self._into(change), number, len(arc.versions), int(arc.at_once)]

    def _into(self, change: PlayedChange) -> int:
        """The part in which the node of a change is reached: its block, or a way with the triangles round it."""
        source = change.arc.source
        block, triangles = self.hybrid.block(source.block), _triangles_round(self.hybrid, source, change.mode)
        if set(map(frozenset, triangles)) <= set(map(frozenset, block.plain)):
            return list(self.hybrid.blocks).index(source.block)
        if (source, triangles) not in self._parts:
            self._parts[source, triangles] = self._add(source, block.network.limited_to(triangles))
        return self._parts[source, triangles]

    def out_of(self, change: PlayedChange) -> int:
        """The part in which a character goes on after a change."""
        target = change.arc.target
        entered = self.hybrid.network(target.block, change.mode, taken=change.arc)
        return self._add(target, entered.limited_to(_triangles_round(self.hybrid, target, change.mode)))

    def _add(self, end: ArcEnd, network: Network) -> int:
        self.sections += _way(self.hybrid, end, network)
        self.n_parts += 1
        return self.n_parts - 1


def _change_sections(played: list[PlayedChange], words: list[list[int]], recordings: list[list[int]]) -> Sections:
    """The captured changes: names and numbers of their arcs, and the frames of all recordings."""
    arcs = [change.arc for change in played if not change.mirrored]
    frames = sum(len(change.yaws) for change in played)
    data = [[change.phase, change.arrive, *change.to, change.frame_rate] for change in played]
    plants = [change.planted @ (1 << np.arange(4)) for change in played]
    return [
        ("changes", np.array([len(arcs), len(played), frames], dtype=np.int32)),
        ("change_names", _text([arc.name for arc in arcs])),
        ("change_words", np.array(words, dtype=np.int32)),
        ("change_zones", np.array([arc.zone for arc in arcs], dtype=np.float64)),
        ("recording_words", np.array(recordings, dtype=np.int32)),
        ("recording_data", np.array(data)),
        ("frames", np.concatenate([_frames(change) for change in played])),
        ("frame_plants", np.concatenate(plants).astype(np.uint8)),
    ]


def _way(hybrid: HybridNetwork, end: ArcEnd, network: Network) -> Sections:
    """The triangles round the node of a captured change, by which it is reached or left."""
    block, node = _numbers(hybrid, end)
    tables = _tables(network, coarse=True)
    triangles = _plane(network)[2]
    return [
        ("way", np.array([block, node], dtype=np.int32)),
        *_core(tables, (0, len(network.nodes), len(triangles), 0, 0), (0.0, 0.0, 1.0, 1.0)),
        ("node_triangles", triangles),
    ]


def _triangles_round(hybrid: HybridNetwork, end: ArcEnd, mode: str) -> tuple[tuple[str, ...], ...]:
    return tuple(names for names in hybrid.network(end.block, mode).triangles if end.node in names)


def _numbers(hybrid: HybridNetwork, end: ArcEnd) -> tuple[int, int]:
    """The numbers of a block and of its node."""
    return list(hybrid.blocks).index(end.block), hybrid.block(end.block).network.index(end.node)


def _frames(played: PlayedChange) -> np.ndarray:
    """Places to the left and ahead, heights, headings and local rotations, a row a frame."""
    rotations = played.rotations_wxyz.reshape(len(played.yaws), -1)
    return np.concatenate(
        [played.places, played.heights[:, None], played.yaws[:, None], rotations], axis=1, dtype=np.float32
    )


def _plane(network: Network | Spectrum) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Names and places of the nodes, triangles with −1 for missing corners, and the outline with its loops."""
    if not isinstance(network, Network):
        none = np.zeros((0, 2))
        alone = np.array([[0, -1, -1]], dtype=np.int32)
        return [network.name or "motion"], np.zeros((1, 2)), alone, none, np.zeros(0, dtype=np.int32)
    corners = network.corners
    triangles = np.full((len(corners), 3), -1, dtype=np.int32)
    triangles[:, : corners.shape[1]] = corners
    loops = network.outline if corners.shape[1] == 3 else ()
    rows = [(number, node) for number, loop in enumerate(loops) for node in loop]
    outline = network.points[[node for _, node in rows]] if rows else np.zeros((0, 2))
    numbers = np.array([number for number, _ in rows], dtype=np.int32)
    return list(network.names), np.asarray(network.points, dtype=np.float64), triangles, outline, numbers


def _legs(tables: CrowdTables) -> bytes:
    """Both legs as native/src/crowd.h has them."""
    out = b""
    for leg in core_legs(tables):
        out += struct.pack("<4i", leg.hip, leg.knee, leg.ankle, leg.toe)
        out += struct.pack("<15f", *(value for name in LEG_PLACES for value in getattr(leg, name)))
        out += struct.pack("<7f", *(getattr(leg, name) for name in LEG_LENGTHS))
    return out


def _text(names: list[str] | tuple[str, ...]) -> np.ndarray:
    """Names one after the other, each ended by a zero."""
    text = b"".join(name.replace("\0", " ").encode("utf-8", "replace") + b"\0" for name in names)
    return np.frombuffer(text, dtype=np.uint8)
