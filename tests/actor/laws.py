"""What the feet and the joints of every noise-free performance obey."""

import numpy as np

from mocapella.actor import ground_points
from mocapella.geometry import euler

MILLIMETRE = 1e-3
STYLES = ("normal", "tired", "brisk", "sad", "happy", "angry", "relaxed", "marching", "drunk")


def heights(clip, truth):
    """Of heels, balls and tips over the ground; 0 for a ball whose toes are flat."""
    rest = clip.skeleton.rest_positions[clip.skeleton.index("LeftToeBase"), 1]
    return {
        name: points @ truth.ground_normal - (rest if name.endswith("toe") else 0.0)
        for name, points in ground_points(clip).items()
    }


def assert_feet_obey(clip, truth):
    points, above = ground_points(clip), heights(clip, truth)
    for name, low in above.items():
        assert low.min() > -MILLIMETRE, f"{name} goes {-1000 * low.min():.1f} mm into the ground"
    for contact, rows in truth.contacts.items():
        for name in (contact, contact.replace("toe", "tip")):
            for first, last in rows:
                planted = points[name][first : last + 1]
                slip = np.linalg.norm(planted - planted[0], axis=-1).max()
                assert slip < MILLIMETRE, f"{name} slips {1000 * slip:.1f} mm in frames {first} to {last}"
                assert np.abs(above[name][first : last + 1]).max() < MILLIMETRE


def assert_joints_obey(clip):
    skeleton = clip.skeleton
    angles = euler.from_quaternion(clip.rotations_wxyz, "ZXY")
    other = np.stack([angles[..., 0] + np.pi, np.pi - angles[..., 1], angles[..., 2] + np.pi], axis=-1)
    excess = []
    for candidate in (angles, other):  # every rotation has two sets of angles; one of them has to be allowed
        candidate = candidate - 2 * np.pi * np.round(candidate / (2 * np.pi))
        xyz = candidate[..., [1, 2, 0]]
        excess.append(np.maximum(skeleton.limits[..., 0] - xyz, xyz - skeleton.limits[..., 1]).max(axis=-1))
    worst = np.minimum(*excess)
    joint = int(worst.max(axis=0).argmax())
    assert worst.max() < np.radians(0.01), f"{skeleton.names[joint]} is {np.degrees(worst.max()):.1f}° over its limit"
