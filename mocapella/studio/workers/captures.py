"""The captured stretch behind a node of a network, as it was read, and where in the cycle it begins."""

from __future__ import annotations

import base64

import msgspec
import numpy as np
from jaxtyping import Float
from msgspec.structs import replace

from mocapella.actor.repertoire import capture, repertoire
from mocapella.analysis.prepare import prepare, turning_of
from mocapella.errors import MotionError
from mocapella.files.format_table import split_animation
from mocapella.files.formats import with_animation
from mocapella.geometry.angles import TURN
from mocapella.hybrid.arranging import Playable, network_in
from mocapella.hybrid.hybrid_network import HybridNetwork
from mocapella.motion.clip import Clip
from mocapella.motion.cycle import Cycle
from mocapella.motion.skeleton import Skeleton
from mocapella.motion.spectrum import Spectrum
from mocapella.rig.roles import find_roles
from mocapella.rig.symmetry import mirrored_clip
from mocapella.storage.stored_networks import load_with_origins
from mocapella.storage.values import load_network
from mocapella.studio.opened_folder import Folder
from mocapella.studio.project import ClipChoice
from mocapella.studio.views.pose_packing import clip_points, joints_by_role, packed, spectrum_points
from mocapella.studio.workers.derivation import choices_of, examined_clip, noted

MIRRORED = " mirrored"  # what the name of a mirror image ends with
_PHASES = 64  # poses by which a stretch is laid over its node
_FINER = 32  # parts into which their distance is divided
_ALIKE = ("left_ankle", "right_ankle", "left_knee", "right_knee", "left_wrist", "right_wrist")


class CaptureJob(msgspec.Struct, frozen=True):
    """A node whose capture is looked for."""

    folder: Folder
    network: str  # path of a .moca file
    block: str
    node: str
    clip: ClipChoice | None  # of the project, that it was made of
    called: str  # the node's name before the user renamed it
    actor: bool  # whether the network is the embedded actor's
    file: str = ""  # the network that was opened, whose file says where nodes came from; relative


class CapturedStretch(msgspec.Struct, frozen=True):
    """The frames of a capture that a node was made of."""

    source: str  # in words
    first_row: int  # of the file
    frames: int  # of the cycle; one more row is given
    frame_rate: float
    offset: float  # radians of the node's cycle phase at which the first row stands
    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: list[tuple[float, float, float]]
    ends: list[tuple[str, tuple[float, float, float]]]
    roles: dict[str, str]
    roots: str  # float64 (frames + 1, 3), metres, as captured
    rotations: str  # float32 (frames + 1, joints, 4)

    def skeleton(self) -> Skeleton:
        """The skeleton of the capture."""
        ends = [(joint, np.array(offset)) for joint, offset in self.ends]
        skeleton = Skeleton.of(self.names, np.array(self.parents), np.array(self.offsets), ends=ends)
        return skeleton.with_roles(self.roles)

    def root_positions(self) -> Float[np.ndarray, "rows 3"]:
        """Where the root was, metres."""
        return np.frombuffer(base64.b64decode(self.roots), "<f8").reshape(-1, 3)

    def rotations_wxyz(self) -> Float[np.ndarray, "rows joints 4"]:
        """Local rotations."""
        return np.frombuffer(base64.b64decode(self.rotations), "<f4").astype(float).reshape(-1, len(self.names), 4)


def captured_stretch(job: CaptureJob) -> CapturedStretch:
    """The stretch of a capture that a node was made of, as read, with its own travel, before any edit or closing.

    Raises ``MotionError`` where no capture of the node is at hand.
    """
    playable = load_network(job.network)
    assert isinstance(playable, Playable)
    with noted():
        clip, start, n, source = _found(job, playable)
    motion = network_in(playable, job.block).node(job.node).spectrum
    part = clip[start : start + n + 1]
    skeleton = part.skeleton
    return CapturedStretch(
        source=source,
        first_row=part.first_row,
        frames=n,
        frame_rate=part.frame_rate,
        offset=_offset(part, motion),
        names=skeleton.names,
        parents=tuple(map(int, skeleton.parents)),
        offsets=[(x, y, z) for x, y, z in skeleton.offsets.tolist()],
        ends=[
            (skeleton.names[joint], (x, y, z))
            for joint, (x, y, z) in zip(skeleton.end_joints.tolist(), skeleton.end_offsets.tolist(), strict=True)
        ],
        roles=joints_by_role(skeleton),
        roots=packed(part.root_positions, "<f8"),
        rotations=packed(part.rotations_wxyz, "<f4"),
    )


def _found(job: CaptureJob, playable: Playable) -> tuple[Clip, int, int, str]:
    """The clip, the first frame and the number of frames of the cycle, and where it comes from."""
    if isinstance(playable, HybridNetwork):
        for arc in playable.arcs:
            if (arc.source.block, arc.source.node) == (job.block, job.node):
                change = arc.transition
                start = max(0, change.leave - change.before.n_frames)
                return change.clip, start, change.leave - start, change.name
    if job.clip is not None:
        return _of_choice(job.clip, job.folder, job.called)
    name = job.called.removesuffix(MIRRORED)
    if job.actor and name in repertoire():
        clip = capture(name)[0]
        cycle = prepare(clip, turning=turning_of(clip))
        return (*_rows(cycle, clip, job.called), f"{name}, by the embedded actor")
    if job.file:
        return _of_file(job)
    raise MotionError(f"no capture of {job.node!r} is at hand")


def _of_choice(choice: ClipChoice, folder: Folder, called: str) -> tuple[Clip, int, int, str]:
    edited = examined_clip(choice, folder)
    cycle = prepare(edited, **choices_of(choice, edited))
    raw = examined_clip(replace(choice, edits=(), plants=None), folder)
    if raw.clip.n_frames != edited.clip.n_frames:  # an edit of time: rows are no longer the same
        cycle = prepare(raw, **choices_of(replace(choice, edits=(), frames=None, plants=None), raw))
    return (*_rows(cycle, raw.clip, called), choice.path)


def _of_file(job: CaptureJob) -> tuple[Clip, int, int, str]:
    """By the origins that a network's file keeps, where the capture lies in the opened folder."""
    folder = job.folder
    origin = load_with_origins(folder.path(job.file))[1].get(job.called)
    source, animation = split_animation(origin.source if origin is not None and not origin.reckoned else "")
    beside = [folder.path(job.file).parent / source.name, folder.root / source.name] if source.name else []
    place = next((path for path in beside if path.is_file() and not path.is_symlink()), None)
    if place is None or origin is None:
        raise MotionError(f"the capture of {job.node!r} does not lie in the opened folder")
    place = with_animation(place, animation)
    choice = ClipChoice(job.node, folder.name(place))
    examined = examined_clip(choice, folder)
    cycle = prepare(examined, **choices_of(choice, examined))
    clip, start, n = _rows(cycle, examined.clip, job.called)
    if 0 <= origin.start_row - examined.clip.first_row < examined.clip.n_frames - n:
        start = origin.start_row - examined.clip.first_row
    return clip, start, n, folder.name(place)


def _rows(cycle: Cycle, clip: Clip, called: str) -> tuple[Clip, int, int]:
    start = max(0, cycle.start_row - clip.first_row)
    shown = mirrored_clip(clip) if called.endswith(MIRRORED) else clip
    n = round(cycle.duration * clip.frame_rate)
    return shown, start, max(1, min(n, clip.n_frames - 1 - start))


def _offset(part: Clip, motion: Spectrum) -> float:
    """The cycle phase of a node's motion that looks most like the first row of its capture, radians."""
    frames = np.linspace(0, part.n_frames - 1, _PHASES, endpoint=False).round().astype(int).tolist()
    assert motion.layout is not None
    captured_roles, theirs = find_roles(part.skeleton), find_roles(motion.layout.skeleton)
    roles = [role for role in _ALIKE if role in captured_roles and role in theirs]
    if not roles:
        return 0.0
    seen = np.fft.rfft(_signals(clip_points(part, frames), [captured_roles[role] for role in roles]), axis=0)
    shown = np.fft.rfft(_signals(spectrum_points(motion, _PHASES), [theirs[role] for role in roles]), axis=0)
    likeness = np.fft.irfft((np.conj(seen) * shown).sum(axis=1), _PHASES * _FINER)
    return float(TURN * np.argmax(likeness) / len(likeness))


def _signals(points: Float[np.ndarray, "phases points 3"], joints: list[int]) -> Float[np.ndarray, "phases signals"]:
    """Places of some joints about their mean, as shares of the largest deviation."""
    signals = points[:, joints].reshape(len(points), -1)
    signals = signals - signals.mean(axis=0)
    return np.asarray(signals / max(float(np.abs(signals).max()), 1e-9))
