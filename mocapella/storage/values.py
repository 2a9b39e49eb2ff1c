"""``load`` and ``save`` for every value: motion files by suffix, ``.moca`` files by content."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mocapella.checks import shown
from mocapella.errors import MotionError
from mocapella.files import formats
from mocapella.files.moca import read_moca
from mocapella.motion.clip import Clip

if TYPE_CHECKING:
    from mocapella.blending.cascade import Cascade
    from mocapella.blending.network import Network
    from mocapella.editing.averaged import AveragedMotion
    from mocapella.hybrid.network import HybridNetwork
    from mocapella.motion.cycle import Cycle
    from mocapella.storage.records import Kind

# The module of this package that reads and writes each format. It is imported when first needed, so that
# reading a motion file does not wait for scipy.
_HOMES = {"cycle": "cycles", "network": "networks", "cascade": "networks", "hybrid": "hybrid", "averaged": "averaged"}
_NETWORKS = ("network", "cascade", "hybrid")
# The format of each class of values; of its subclasses as well.
_FORMATS = {
    "Cycle": "cycle",
    "Network": "network",
    "Cascade": "cascade",
    "HybridNetwork": "hybrid",
    "AveragedMotion": "averaged",
}


def load(
    path: str | PathLike[str],
    *,
    unit: str | None = None,
    skeleton: str | PathLike[str] | None = None,
    roles: str | PathLike[str] | Mapping[str, str] | None = None,
    frame_rate: float | None = None,
    clean: bool = False,
    partial: bool = False,
) -> Any:
    """Read a file: a motion file gives a clip, a ``.moca`` file the value that was saved in it.

    Stored values come back bit for bit.

    A clip is in metres, y up, its rotations are quaternions; its report says what was guessed and what is doubtful.

    Parameters
    ----------
    path
        A ``.bvh``, ``.amc`` or ``.moca`` file; an ``.asf`` file alone gives its rest pose. The other parameters are
        for motion files.
    unit
        The file's length unit, ``m``, ``cm``, ``mm``, ``inch``, ``dm`` or ``cmu``; told from the body's height if None.
    skeleton
        The ``.asf`` of an ``.amc``; if None the only one beside it, else the one whose name begins the motion's.
    roles
        Which joint plays which role, role → joint name, or a TOML file that says so; overrules our guess.
    frame_rate
        Frames per second of an ``.amc``, which states none; CMU's 120 if None.
    clean
        Bridge lost frames and one-frame jumps; the report lists every frame touched.
    partial
        Use what there is of a file that ends too early, instead of refusing it.

    Returns
    -------
    Clip, Cycle, Network, Volume, Cascade, HybridNetwork or AveragedMotion
        What the file holds.

    Raises
    ------
    FormatError
        Where the file is not what it should be, with line and reason.

    Warns
    -----
    MotionWarning
        Where a motion is usable but doubtful; the same stands in ``clip.report``.

    Examples
    --------
    >>> import tempfile
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> file = f"{tempfile.mkdtemp()}/walk.bvh"
    >>> mo.save(perform("walk", frame_rate=30.0)[0], file)
    >>> mo.load(file, unit="cm").frame_rate
    30.0
    """
    options: dict[str, Any] = {"unit": unit, "skeleton": skeleton, "roles": roles, "frame_rate": frame_rate}
    if Path(path).suffix.lower() == ".moca":
        _refuse_options("motion files", **options, clean=clean or None, partial=partial or None)
        return _loaded(path, *_HOMES)
    return formats.load(path, **options, clean=clean, partial=partial)


def save(
    value: Clip | Cycle | Network | Cascade | HybridNetwork | AveragedMotion,
    path: str | PathLike[str],
    *,
    unit: str | None = None,
    skeleton: str | PathLike[str] | None = None,
    loop: bool = False,
    in_place: bool = False,
    origins: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write a clip as a motion file, any other value as ``.moca``.

    The file is there complete or not at all.

    Parameters
    ----------
    value
        A clip, cycle, network (also a volume), cascade, hybrid network or averaged motion.
    path
        The file; ``.bvh``, ``.amc``, ``.glb`` or ``.gltf`` for a clip.
    unit
        For BVH: the length unit; the one the clip was read in if it came from BVH, else centimetres.
    skeleton
        For AMC: the ``.asf`` to write beside it; named as the motion if None.
    loop, in_place
        For glTF: a last key equal to the first, and no travel over the ground.
    origins
        For networks: by node, or by block and node, the ``Origin`` of its motion.

    Raises
    ------
    MotionError
        Where the suffix is that of no format, or the value is one that could not be read again.

    Examples
    --------
    >>> import tempfile
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> file = f"{tempfile.mkdtemp()}/walk.moca"
    >>> mo.save(mo.prepare(perform("walk")[0]), file)
    >>> type(mo.load(file)).__name__
    'Cycle'
    """
    if isinstance(value, Clip):
        _refuse_options("networks", origins=origins or None)
        formats.save(value, path, unit=unit, skeleton=skeleton, loop=loop, in_place=in_place)
        return
    _refuse_options("clips", unit=unit, skeleton=skeleton, loop=loop or None, in_place=in_place or None)
    names = (kind.__name__ for kind in type(value).__mro__)
    format = next((_FORMATS[name] for name in names if name in _FORMATS), None)
    if format is None:
        raise MotionError(expected="a clip, a cycle, a network or an averaged motion", got=shown(value))
    if format not in _NETWORKS:
        _refuse_options("networks", origins=origins or None)
    _kind(format).write(value, path, **({"origins": origins} if origins else {}))


def load_cycle(path: str | PathLike[str]) -> Cycle:
    """Read a stored cycle, bit for bit; nothing is prepared again.

    Parameters
    ----------
    path
        The ``.moca`` file.

    Returns
    -------
    Cycle
        The cycle.

    Raises
    ------
    FormatError
        Where the file does not hold a cycle, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import tempfile
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> file = f"{tempfile.mkdtemp()}/walk.moca"
    >>> mo.save(mo.prepare(perform("walk")[0]), file)
    >>> mo.load_cycle(file).frame_rate
    120.0
    """
    cycle: Cycle = _loaded(path, "cycle")
    return cycle


def load_network(path: str | PathLike[str]) -> Network | Cascade | HybridNetwork:
    """Read a stored network of any kind that a player can play: every blend is the same, bit for bit.

    Parameters
    ----------
    path
        The ``.moca`` file.

    Returns
    -------
    Network, Cascade or HybridNetwork
        What the file holds; a network in space is a ``Volume``.

    Raises
    ------
    FormatError
        Where the file does not hold a network, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import tempfile
    >>> import mocapella as mo
    >>> from mocapella.actor import perform
    >>> file = f"{tempfile.mkdtemp()}/walks.moca"
    >>> mo.save(mo.build_network([perform("walk", speed=speed)[0] for speed in (0.9, 1.5)]), file)
    >>> len(mo.load_network(file).nodes)
    2
    """
    network: Network | Cascade | HybridNetwork = _loaded(path, *_NETWORKS)
    return network


def _loaded(path: str | PathLike[str], *kinds: str) -> Any:
    """The value of a ``.moca`` file that holds one of these formats."""
    contents = read_moca(path, *kinds)
    kind = _kind(contents.format)
    return kind.value(*kind.opened(path, contents))


def _kind(format: str) -> Kind[Any, Any]:
    kind: Kind[Any, Any] = import_module(f"mocapella.storage.{_HOMES[format]}").KINDS[format]
    return kind


def _refuse_options(meant: str, **options: object) -> None:
    """Raise ``MotionError`` where an option was given to a value that has no use for it."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise MotionError(f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} for {meant} only")
