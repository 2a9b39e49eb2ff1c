"""The joints of SMPL, SMPL+H and SMPL-X, and a body for them that needs no licensed file.

The body models themselves may not be handed on. Lengths of segments are those of Drillis and Contini (1966) in the form
in which Winter's textbook gives them, as shares of the height; the rest pose is the T-pose of the models, y up, facing
+z. A user who has a model gets its joints from it.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from mocapella.files.smpl.npz import Archive
from mocapella.motion.skeleton import Skeleton
from mocapella.rig.names import ARM, LEG, SIDES

HEIGHT = 1.70  # metres, of the default body
_MOST_BETAS = 400  # numbers of a shape; models have up to 300

# Joint, parent, and the offset from it in metres; of the left side where there are two.
_BODY = (
    ("pelvis", -1, (0.0, 0.11 + 0.491 * HEIGHT, 0.0)),
    ("left_hip", 0, (0.068, -0.04, 0.0)),
    ("right_hip", 0, (-0.068, -0.04, 0.0)),
    ("spine1", 0, (0.0, 0.11, -0.02)),
    ("left_knee", 1, (0.035, -0.245 * HEIGHT, 0.0)),
    ("right_knee", 2, (-0.035, -0.245 * HEIGHT, 0.0)),
    ("spine2", 3, (0.0, 0.135, 0.005)),
    ("left_ankle", 4, (-0.01, -0.246 * HEIGHT, -0.02)),
    ("right_ankle", 5, (0.01, -0.246 * HEIGHT, -0.02)),
    ("spine3", 6, (0.0, 0.06, 0.01)),
    ("left_foot", 7, (0.02, -0.05, 0.13)),
    ("right_foot", 8, (-0.02, -0.05, 0.13)),
    ("neck", 9, (0.0, 0.2, -0.02)),
    ("left_collar", 9, (0.08, 0.115, -0.015)),
    ("right_collar", 9, (-0.08, 0.115, -0.015)),
    ("head", 12, (0.0, 0.075, 0.03)),
    ("left_shoulder", 13, (0.11, 0.03, -0.005)),
    ("right_shoulder", 14, (-0.11, 0.03, -0.005)),
    ("left_elbow", 16, (0.186 * HEIGHT - 0.05, -0.01, -0.01)),
    ("right_elbow", 17, (-0.186 * HEIGHT + 0.05, -0.01, -0.01)),
    ("left_wrist", 18, (0.146 * HEIGHT, 0.005, 0.0)),
    ("right_wrist", 19, (-0.146 * HEIGHT, 0.005, 0.0)),
)
_HANDS = (("left_hand", 20, (0.085, -0.01, -0.01)), ("right_hand", 21, (-0.085, -0.01, -0.01)))
_FACE = (
    ("jaw", 15, (0.0, -0.01, 0.02)),
    ("left_eye_smplhf", 15, (0.032, 0.04, 0.07)),
    ("right_eye_smplhf", 15, (-0.032, 0.04, 0.07)),
)
_FINGERS = (
    ("index", (0.095, -0.01, 0.025), (0.033, 0.0, 0.0), (0.023, 0.0, 0.0)),
    ("middle", (0.100, -0.007, 0.003), (0.033, 0.0, 0.0), (0.024, 0.0, 0.0)),
    ("pinky", (0.080, -0.017, -0.040), (0.020, 0.0, 0.0), (0.017, 0.0, 0.0)),
    ("ring", (0.090, -0.010, -0.020), (0.030, 0.0, 0.0), (0.024, 0.0, 0.0)),
    ("thumb", (0.025, -0.015, 0.030), (0.025, 0.0, 0.020), (0.025, 0.0, 0.012)),
)
_SIDED = {"clavicle": "collar", "toe": "foot"}  # roles that the models call otherwise
ROLES_OF = {"hips": "pelvis", "spine": "spine1", "chest": "spine3", "neck": "neck", "head": "head"} | {
    side + part: side + _SIDED.get(part, part) for side in SIDES for part in (*LEG, *ARM)
}
"""Role → joint."""
COUNTS = (22, 24, 52, 55)  # joints of the body alone, of SMPL, SMPL+H and SMPL-X


def default_body(count: int) -> Skeleton:
    """A person of average build with the joints of a model, one of ``COUNTS``, in its T-pose with ends, in metres."""
    rows = [*_BODY]
    if count == 24:
        rows += _HANDS
    elif count > 24:
        rows += _FACE if count == 55 else ()
        for side, sign, wrist in (("left", 1.0, 20), ("right", -1.0, 21)):
            for finger, *steps in _FINGERS:
                for i, (x, y, z) in enumerate(steps):
                    rows.append((f"{side}_{finger}{i + 1}", len(rows) - 1 if i else wrist, (sign * x, y, z)))
    names, parents, offsets = zip(*rows, strict=True)
    ends = [("head", (0.0, 0.1753, 0.01)), ("left_foot", (0.0, -0.02, 0.08)), ("right_foot", (0.0, -0.02, 0.08))]
    if count == 22:
        ends += [("left_wrist", (0.18, 0.0, 0.0)), ("right_wrist", (-0.18, 0.0, 0.0))]
    elif count == 24:
        ends += [("left_hand", (0.1, 0.0, 0.0)), ("right_hand", (-0.1, 0.0, 0.0))]
    places = [(name, np.array(offset)) for name, offset in ends]
    return Skeleton.of(names, np.array(parents), np.array(offsets), ends=places)


def body_of_model(model: Archive, betas: Float[np.ndarray, " betas"], count: int) -> Skeleton:
    """The body that a user's own model file gives for some shape.

    ``model`` has ``v_template`` (vertices, 3), ``J_regressor`` (joints, vertices) and ``shapedirs`` (vertices, 3,
    betas), as the ``.npz`` files of SMPL+H and SMPL-X have them. Raises ``FormatError`` where arrays are missing,
    pickled, or do not fit each other.
    """
    missing = [name for name in ("v_template", "J_regressor", "shapedirs") if name not in model]
    if missing:
        model.fail(f"is not a body model: it has no {', '.join(missing)}")
    template, regressor, shapes = model["v_template"], model["J_regressor"], model["shapedirs"]
    n = len(template)
    if template.shape != (n, 3) or regressor.ndim != 2 or regressor.shape[1] != n or shapes.shape[:2] != (n, 3):
        model.fail("is not a body model: its template, regressor and shapes do not fit each other")
    if len(regressor) < count:
        model.fail(f"is a model of {len(regressor)} joints, the motion has {count}; name that of SMPL+H or SMPL-X")
    used = min(len(betas), shapes.shape[2] if shapes.ndim == 3 else 0, _MOST_BETAS)
    with np.errstate(all="ignore"):
        vertices = template.astype(np.float64)
        if used:
            vertices = vertices + shapes[:, :, :used].astype(np.float64) @ betas[:used]
        joints = regressor[:count].astype(np.float64) @ vertices
    if not (np.isfinite(joints).all() and np.abs(joints).max() < 100.0):
        model.fail("is not a body model: its joints lie nowhere")
    body = default_body(count)
    offsets = joints.copy()
    offsets[1:] -= joints[body.parents[1:]]
    return Skeleton.of(body.names, body.parents, offsets)
