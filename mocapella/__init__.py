"""Motion capture in harmony: a few short clips become a character that can be steered."""

import importlib as _importlib
import typing as _typing

__version__ = "0.1.0"

if _typing.TYPE_CHECKING:
    from mocapella.actor.repertoire import example
    from mocapella.analysis.closing.cyclify import cyclify
    from mocapella.analysis.cycles.find import find_cycle, find_cycles
    from mocapella.analysis.fourier import analyse, synthesise
    from mocapella.analysis.period import find_period
    from mocapella.analysis.plants.detect import find_plants
    from mocapella.analysis.prepare import prepare
    from mocapella.analysis.synchronise import synchronise
    from mocapella.blending.cascade import Cascade
    from mocapella.blending.network import Network
    from mocapella.blending.places import Node
    from mocapella.blending.single_source.ssh import SingleSource
    from mocapella.blending.volume import Volume, in_step_with, layered
    from mocapella.building.build import build_network
    from mocapella.crowd.control import Avoidance, FollowPaths, RandomChanges
    from mocapella.crowd.crowd import Crowd
    from mocapella.crowd.detail import Level
    from mocapella.editing.averaged import average_stances
    from mocapella.editing.clip_blend import blend_clips, retime
    from mocapella.editing.edit_files import load_edits, save_edits
    from mocapella.editing.edits import Edit, Edited, edit
    from mocapella.editing.feelings.profile import apply_profile, learn_profile
    from mocapella.editing.feet.lock import lock_feet
    from mocapella.editing.join import join_clips
    from mocapella.editing.matched_frames import align_clips
    from mocapella.editing.retarget import retarget
    from mocapella.editing.stance_blend import blend_stances
    from mocapella.errors import FormatError, MotionError, MotionWarning, SkeletonError
    from mocapella.files.points.fit import fit_positions
    from mocapella.hybrid.builder import HybridBuilder
    from mocapella.hybrid.hybrid_network import HybridNetwork
    from mocapella.hybrid.transition_search import find_transition
    from mocapella.library.store import Library
    from mocapella.motion.clip import Clip, concatenate
    from mocapella.motion.contacts import Contacts
    from mocapella.motion.cycle import Cycle
    from mocapella.motion.pose import Pose
    from mocapella.motion.report import Finding, Report
    from mocapella.motion.skeleton import Skeleton
    from mocapella.motion.spectrum import Spectrum
    from mocapella.parametric.space import MotionSpace
    from mocapella.pictures.draw import draw
    from mocapella.playback.player import Player
    from mocapella.playback.record import record
    from mocapella.rig.roles import find_roles
    from mocapella.rig.symmetry import mirrored
    from mocapella.steering.tour import Tour
    from mocapella.storage.values import load, load_all, load_cycle, load_network, save

# The module of each public name. It is imported on first use, so that reading a file does not wait for scipy.
_HOMES = {
    "actor.repertoire": "example",
    "analysis.closing.cyclify": "cyclify",
    "analysis.cycles.find": "find_cycle find_cycles",
    "analysis.fourier": "analyse synthesise",
    "analysis.period": "find_period",
    "analysis.plants.detect": "find_plants",
    "analysis.prepare": "prepare",
    "analysis.synchronise": "synchronise",
    "blending.cascade": "Cascade",
    "blending.network": "Network",
    "blending.places": "Node",
    "blending.single_source.ssh": "SingleSource",
    "building.build": "build_network",
    "blending.volume": "Volume in_step_with layered",
    "editing.matched_frames": "align_clips",
    "crowd.control": "Avoidance FollowPaths RandomChanges",
    "crowd.crowd": "Crowd",
    "crowd.detail": "Level",
    "editing.averaged": "average_stances",
    "editing.clip_blend": "blend_clips retime",
    "editing.edit_files": "load_edits save_edits",
    "editing.edits": "Edit Edited edit",
    "editing.feet.lock": "lock_feet",
    "editing.feelings.profile": "apply_profile learn_profile",
    "editing.join": "join_clips",
    "editing.retarget": "retarget",
    "editing.stance_blend": "blend_stances",
    "errors": "FormatError MotionError MotionWarning SkeletonError",
    "files.points.fit": "fit_positions",
    "hybrid.builder": "HybridBuilder",
    "hybrid.transition_search": "find_transition",
    "hybrid.hybrid_network": "HybridNetwork",
    "library.store": "Library",
    "motion.clip": "Clip concatenate",
    "motion.contacts": "Contacts",
    "motion.cycle": "Cycle",
    "motion.pose": "Pose",
    "motion.report": "Finding Report",
    "motion.skeleton": "Skeleton",
    "motion.spectrum": "Spectrum",
    "parametric.space": "MotionSpace",
    "pictures.draw": "draw",
    "playback.player": "Player",
    "playback.record": "record",
    "rig.roles": "find_roles",
    "rig.symmetry": "mirrored",
    "steering.tour": "Tour",
    "storage.values": "load load_all load_cycle load_network save",
}
_MODULES = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> _typing.Any:
    """Import a public name from its home, once."""
    if name not in _MODULES:
        raise AttributeError(f"module 'mocapella' has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"mocapella.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
