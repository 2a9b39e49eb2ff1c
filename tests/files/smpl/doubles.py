"""Files as AMASS has them, made of other motions: its own may not be handed on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mocapella as mo
from mocapella.files.smpl.smpl_body import default_body
from mocapella.geometry import quaternions

PELVIS = np.array([0.002, -0.22, 0.028])  # where a model's pelvis lies beside its origin
Y_TO_Z = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
VERTICES = 80


def performed(clip: mo.Clip, count: int = 24, size: float = 1.0) -> mo.Clip:
    """A motion carried over to a body with SMPL's joints, of any size."""
    return mo.retarget(clip, default_body(count).scaled(size))


def arrays(clip: mo.Clip, *, style: str = "amass") -> dict[str, np.ndarray]:
    """What an AMASS file of a clip on such a body holds; z up."""
    rotations = np.array(clip.rotations_wxyz)
    rotations[:, 0] = quaternions.multiply(quaternions.from_matrix(Y_TO_Z), rotations[:, 0])
    poses = quaternions.to_rotvec(quaternions.shortest(rotations)).reshape(clip.n_frames, -1)
    trans = clip.root_positions @ Y_TO_Z.T - PELVIS
    common = {"gender": np.array("neutral"), "betas": np.zeros(16), "trans": trans}
    rate = np.array(clip.frame_rate)
    if style == "amass":
        return common | {"poses": poses, "mocap_framerate": rate, "dmpls": np.zeros((clip.n_frames, 8))}
    own = common | {"root_orient": poses[:, :3], "pose_body": poses[:, 3:66], "mocap_frame_rate": rate}
    if poses.shape[1] == 165:
        own |= {"pose_jaw": poses[:, 66:69], "pose_eye": poses[:, 69:75], "pose_hand": poses[:, 75:]}
    return own


def model(path: Path, body: mo.Skeleton) -> Path:
    """A body model of random vertices whose joints are those of a skeleton; its second shape makes it taller."""
    rng = np.random.default_rng(5)
    joints = body.rest_positions - body.rest_positions[0] + PELVIS
    vertices = rng.normal(size=(VERTICES, 3))
    regressor = joints @ np.linalg.pinv(vertices)
    shapes = np.zeros((VERTICES, 3, 10))
    shapes[:, :, 1] = 0.1 * vertices
    np.savez(path, v_template=vertices, J_regressor=_exact(regressor, vertices, joints), shapedirs=shapes)
    return path


def _exact(regressor: np.ndarray, vertices: np.ndarray, joints: np.ndarray) -> np.ndarray:
    np.testing.assert_allclose(regressor @ vertices, joints, atol=1e-9)
    return regressor
