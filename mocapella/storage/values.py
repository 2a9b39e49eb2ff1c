"""``load`` and ``save`` for every value: motion files by suffix, ``.moca`` files by content."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mocapella.checks import explained, shown
from mocapella.errors import MotionError
from mocapella.files.animations import Wanted
from mocapella.files.formats import read_motion, used_motions, write_motion
from mocapella.files.moca import read_moca
from mocapella.motion.clip import Clip

if TYPE_CHECKING:
    from mocapella.blending.cascade import Cascade
    from mocapella.blending.network import Network
    from mocapella.editing.averaged import AveragedMotion
    from mocapella.files.gltf.skinned_character import Character
    from mocapella.graphs.graph import MotionGraph
    from mocapella.hybrid.hybrid_network import HybridNetwork
    from mocapella.motion.cycle import Cycle
    from mocapella.storage.records import Kind

# Format → the class of its values, and the module of this package that reads and writes it. That is imported when first
# needed, so that reading a motion file does not wait for scipy.
_FORMATS = {
    "cycle": ("Cycle", "stored_cycles"),
    "network": ("Network", "stored_networks"),
    "cascade": ("Cascade", "stored_networks"),
    "hybrid": ("HybridNetwork", "stored_hybrids"),
    "averaged": ("AveragedMotion", "stored_averages"),
    "graph": ("MotionGraph", "stored_graphs"),
}
_NETWORKS = ("network", "cascade", "hybrid")
_WITHOUT_CHARACTER = ("unit", "skeleton", "names", "bones", "body")  # options of files that hold motions alone
_OF_MOTIONS = (*_WITHOUT_CHARACTER, "loop", "in_place", "root_motion", "onto")


@explained
def load(
    path: str | PathLike[str],
    *,
    unit: str | None = None,
    up: str | None = None,
    skeleton: str | PathLike[str] | None = None,
    roles: str | PathLike[str] | Mapping[str, str] | None = None,
    frame_rate: float | None = None,
    animation: Wanted = None,
    clean: bool = False,
    partial: bool = False,
) -> Any:
    """Read a file: a motion file gives a clip, a ``.moca`` file the value that was saved in it.

    Stored values come back bit for bit.

    A clip is in metres, y up, its rotations are quaternions; its report says what was inferred and what is doubtful.

    Parameters
    ----------
    path
        A ``.moca`` file, or a motion file of any format in ``mocapella.files.format_table.FORMATS``; an ``.asf`` file
        alone gives its rest pose. ``"pack.glb#Walk"`` is the animation ``Walk`` of a file. The other parameters are for
        motion files.
    unit
        The file's length unit, ``m``, ``cm``, ``mm``, ``inch``, ``ft``, ``dm``, ``cmu`` or ``mmd``; inferred from the
        body's height if None.
    up
        The axis of the file that points up, ``x``, ``y``, ``z``, ``-x``, ``-y`` or ``-z``; inferred from how the body
        stands if None.
    skeleton
        The ``.asf`` of an ``.amc``; if None the only one beside it, else the one whose name is the beginning of the
        motion's name. For an ``.npz`` the body model, a file of the user's; a default body if None. For a ``.trc`` or
        ``.c3d`` a static trial, from which markers of knees and ankles are taken that the motion lacks.
    roles
        Roles of joints, role → joint name, or a TOML file of them; instead of those that are inferred.
    frame_rate
        Frames per second of an ``.amc``, which states none, CMU's 120 if None; of others that of the file if None.
    animation
        Of a file with several: the name of an animation, a pattern such as ``"Walk*"`` that fits one of them, or its
        number from 0 on; the first that moves the body if None. ``load_all`` reads all of them.
    clean
        Interpolate lost frames and one-frame jumps; the report lists every frame touched.
    partial
        Use the frames of a file that ends too early, instead of raising an error.

    Returns
    -------
    Clip, Cycle, Network, Volume, Cascade, HybridNetwork, AveragedMotion or MotionGraph
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
    options = dict(locals())
    del options["path"]
    if Path(path).suffix.lower() == ".moca":
        _refuse_options("motion files", _given(load, options), *options)
        return _loaded(path, *_FORMATS)
    return read_motion(path, **options)


@explained
def load_all(path: str | PathLike[str], **options: Any) -> list[Clip]:
    """Read all motions of a file, as asset packs have them: one clip for each animation.

    Skeleton, root, up axis and unit are decided for all of them at once, and the file is opened once.

    Parameters
    ----------
    path
        A motion file; of formats that hold one motion this gives one clip.
    **options
        Those of ``load`` for motion files. ``animation`` chooses some, by names, numbers from 0 on or patterns such as
        ``"Walk*"``, one of them or a list.

    Returns
    -------
    list of Clip
        In the order of the file. Where it has several, each is named ``file#animation``. Unless they are chosen, poses
        in which nothing moves are left out beside motions, and of identical ones all but the first.

    Raises
    ------
    FormatError
        Where the file or one of its animations is not what it should be, or an animation that is chosen is not there.

    Warns
    -----
    MotionWarning
        Where an animation is left out, or a motion is usable but doubtful.

    Examples
    --------
    >>> import tempfile
    >>> import mocapella as mo
    >>> file = f"{tempfile.mkdtemp()}/pack.glb"
    >>> mo.save([mo.example("walk").renamed("Walk"), mo.example("run").renamed("Run")], file)
    >>> [clip.name for clip in mo.load_all(file)]
    ['pack#Walk', 'pack#Run']
    >>> mo.load(f"{file}#Run").name
    'pack#Run'
    """
    return [motion.read() for motion in used_motions(path, **options)]


@explained
def save(
    value: Clip | Cycle | Sequence[Clip | Cycle] | Network | Cascade | HybridNetwork | AveragedMotion | MotionGraph,
    path: str | PathLike[str],
    *,
    unit: str | None = None,
    skeleton: str | PathLike[str] | None = None,
    loop: bool | None = None,
    in_place: bool = False,
    names: str = "as-captured",
    root_motion: str = "hips",
    bones: str = "limbs",
    body: bool = True,
    onto: Character | str | PathLike[str] | None = None,
    animations: str = "keep",
    origins: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write a value: clips and cycles as motion files, everything but clips as ``.moca``.

    The file is there complete or not at all.

    Parameters
    ----------
    value
        A clip, cycle, network (also a volume), cascade, hybrid network, averaged motion or motion graph; for glTF also
        several clips or cycles of one skeleton, each an animation of its own.
    path
        The file: ``.moca``, or for a motion one of a format with a writer in ``mocapella.files.format_table.FORMATS``.
        All options but ``origins`` are for motions.
    unit
        For BVH: the length unit; the one the clip was read in if it came from BVH, else centimetres.
    skeleton
        For AMC: the ``.asf`` to write beside it; named as the motion if None.
    loop
        The motion repeats: in glTF its last key equals the first, and its name ends in ``-loop``. If None, cycles do
        and clips do not.
    in_place
        For BVH and glTF: without travel over the ground.
    names
        Joint names by convention: ``vrm``, ``godot``, ``unreal``, ``mixamo``, or ``as-captured``.
    root_motion
        For glTF, which bone travels: ``hips``, a ``root`` on the ground, ``none``.
    bones
        For glTF: ``limbs`` lays bones along limbs and stands the rest pose on the ground; ``as-captured`` leaves both.
    body
        For glTF: whether a plain body is written.
    onto
        A skinned character, ``.glb`` or ``.vrm``: the motions are retargeted to it, with feet held, and written into a
        copy of it, ``.glb`` or ``.vrm``, whose mesh, skin, materials and textures stay as they are.
    animations
        Of such a character: ``keep`` those that it has, or ``replace`` them.
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
    >>> folder = tempfile.mkdtemp()
    >>> cycle = mo.prepare(mo.example("walk"))
    >>> mo.save(cycle, f"{folder}/walk.moca")
    >>> type(mo.load(f"{folder}/walk.moca")).__name__
    'Cycle'
    >>> mo.save(cycle, f"{folder}/walk.glb", root_motion="root", names="unreal")  # one closed loop
    """
    given = _given(save, locals())
    motions = _as_clips(value, Path(path).suffix.lower())
    if motions is not None:
        _save_motions(*motions, path, given)
        return
    classes = {kind.__name__ for kind in type(value).__mro__}
    format = next((format for format, (name, _) in _FORMATS.items() if name in classes), None)
    _refuse_options("motion files", given, *_OF_MOTIONS)
    if format is None:
        raise MotionError(expected="a clip, a cycle, a network or an averaged motion", got=shown(value))
    if format not in _NETWORKS:
        _refuse_options("networks", given, "origins")
    _kind(format).write(value, path, **({"origins": origins} if origins else {}))


def _given(call: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The options among the arguments of a call that differ from the defaults of its signature."""
    parameters = inspect.signature(call).parameters.values()
    options = [option for option in parameters if option.kind is option.KEYWORD_ONLY]
    return {option.name: arguments[option.name] for option in options if arguments[option.name] != option.default}


def _save_motions(clips: Clip | list[Clip], loops: bool, path: str | PathLike[str], given: Mapping[str, Any]) -> None:
    """Write motions as a file of their own, or onto a character; they loop as ``loops`` says, unless an option does."""
    _refuse_options("networks", given, "origins")
    options = {"loop": loops, **given}
    if "onto" not in given:
        _refuse_options("motions that go onto a character", given, "animations")
        write_motion(clips, path, **options)
        return
    from mocapella.storage.stored_characters import save_onto

    _refuse_options("files without a character of their own", given, *_WITHOUT_CHARACTER)
    save_onto([clips] if isinstance(clips, Clip) else clips, path, options.pop("onto"), **options)


def _closed(cycle: Cycle) -> Clip:
    """A round of a cycle, and the frame that begins the next."""
    return cycle.to_clip(2)[: cycle.n_frames + 1]


def _as_clips(value: Any, suffix: str) -> tuple[Clip | list[Clip], bool] | None:
    """A value as clips of a motion file, and whether they repeat; None where it is stored as ``.moca``."""
    from mocapella.motion.cycle import Cycle

    if isinstance(value, Clip):
        return value, False
    if isinstance(value, Cycle) and suffix != ".moca":
        return _closed(value), True
    if isinstance(value, list | tuple) and value and all(isinstance(motion, Clip | Cycle) for motion in value):
        clips = [motion if isinstance(motion, Clip) else _closed(motion) for motion in value]
        return clips, all(isinstance(motion, Cycle) for motion in value)
    return None


@explained
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


@explained
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
    kind: Kind[Any, Any] = import_module(f"mocapella.storage.{_FORMATS[format][1]}").KINDS[format]
    return kind


def _refuse_options(meant: str, given: Iterable[str], *names: str) -> None:
    """Raise ``MotionError`` where one of these options was given to a value that has no use for it."""
    refused = [name for name in given if name in names]
    if refused:
        raise MotionError(f"{' and '.join(refused)} {'is' if len(refused) == 1 else 'are'} for {meant} only")
