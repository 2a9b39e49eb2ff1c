"""Motion capture in harmony: a few short clips become a character one can steer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mocapella.analysis.cycles import find_cycle, find_cycles
    from mocapella.analysis.cyclify import cyclify
    from mocapella.analysis.fourier import analyse, synthesise
    from mocapella.analysis.mirror import mirrored
    from mocapella.analysis.period import find_period
    from mocapella.analysis.plants import find_plants
    from mocapella.analysis.prepare import prepare
    from mocapella.analysis.synchronise import synchronise
    from mocapella.blending.build import build_network
    from mocapella.blending.cascade import Cascade
    from mocapella.blending.cascade_store import save_cascade
    from mocapella.blending.draft import Draft
    from mocapella.blending.find_transition import find_transition
    from mocapella.blending.flight import with_flight
    from mocapella.blending.hybrid import HybridNetwork
    from mocapella.blending.hybrid_store import load_playable, save_hybrid
    from mocapella.blending.network import Network, Node
    from mocapella.blending.single_source import SingleSource
    from mocapella.blending.store import load_network, save_network
    from mocapella.blending.volume import Volume, in_step_with, layered
    from mocapella.editing.average import average_stances
    from mocapella.editing.averaged import AveragedMotion
    from mocapella.editing.averaged_store import load_averaged, save_averaged
    from mocapella.editing.stance_blend import blend_stances
    from mocapella.errors import FormatError, MotionError, MotionWarning, SkeletonError
    from mocapella.files.cycle_store import load_cycle, save_cycle
    from mocapella.files.formats import load, save
    from mocapella.motion.clip import Clip, concatenate
    from mocapella.motion.contacts import Contacts
    from mocapella.motion.cycle import Cycle
    from mocapella.motion.pose import Pose
    from mocapella.motion.report import Finding, Report
    from mocapella.motion.roles import find_roles
    from mocapella.motion.skeleton import Skeleton
    from mocapella.motion.spectrum import Spectrum
    from mocapella.playback.as_played import as_played
    from mocapella.playback.player import Player
    from mocapella.playback.record import record
    from mocapella.playback.tour import Tour

# Where each public name lives. It is imported when first asked for, so that reading a file does not wait for scipy.
_HOMES = {
    "analysis.cycles": ("find_cycle", "find_cycles"),
    "analysis.cyclify": ("cyclify",),
    "analysis.fourier": ("analyse", "synthesise"),
    "analysis.mirror": ("mirrored",),
    "analysis.period": ("find_period",),
    "analysis.plants": ("find_plants",),
    "analysis.prepare": ("prepare",),
    "analysis.synchronise": ("synchronise",),
    "blending.build": ("build_network",),
    "blending.cascade": ("Cascade",),
    "blending.cascade_store": ("save_cascade",),
    "blending.draft": ("Draft",),
    "blending.find_transition": ("find_transition",),
    "blending.flight": ("with_flight",),
    "blending.hybrid": ("HybridNetwork",),
    "blending.hybrid_store": ("load_playable", "save_hybrid"),
    "blending.network": ("Network", "Node"),
    "blending.single_source": ("SingleSource",),
    "blending.store": ("load_network", "save_network"),
    "blending.volume": ("Volume", "in_step_with", "layered"),
    "editing.average": ("average_stances",),
    "editing.averaged": ("AveragedMotion",),
    "editing.averaged_store": ("load_averaged", "save_averaged"),
    "editing.stance_blend": ("blend_stances",),
    "errors": ("FormatError", "MotionError", "MotionWarning", "SkeletonError"),
    "files.cycle_store": ("load_cycle", "save_cycle"),
    "files.formats": ("load", "save"),
    "motion.clip": ("Clip", "concatenate"),
    "motion.contacts": ("Contacts",),
    "motion.cycle": ("Cycle",),
    "motion.pose": ("Pose",),
    "motion.report": ("Finding", "Report"),
    "motion.roles": ("find_roles",),
    "motion.skeleton": ("Skeleton",),
    "motion.spectrum": ("Spectrum",),
    "playback.as_played": ("as_played",),
    "playback.player": ("Player",),
    "playback.record": ("record",),
    "playback.tour": ("Tour",),
}
_MODULES = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    """Import a public name from its home, once."""
    if name not in _MODULES:
        raise AttributeError(f"module 'mocapella' has no attribute {name!r}")
    value = getattr(import_module(f"mocapella.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
