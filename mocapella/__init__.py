"""Motion capture in harmony: a few short clips become a character one can steer."""

from mocapella.errors import FormatError, MotionError, MotionWarning, SkeletonError
from mocapella.files.formats import load, save
from mocapella.motion.clip import Clip, concatenate
from mocapella.motion.pose import Pose
from mocapella.motion.report import Finding, Report
from mocapella.motion.roles import find_roles
from mocapella.motion.skeleton import Skeleton

__version__ = "0.1.0"

__all__ = [
    "Clip",
    "Finding",
    "FormatError",
    "MotionError",
    "MotionWarning",
    "Pose",
    "Report",
    "Skeleton",
    "SkeletonError",
    "__version__",
    "concatenate",
    "find_roles",
    "load",
    "save",
]
