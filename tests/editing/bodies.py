"""Made skeletons of other rigs: Mixamo's names, any number of vertebrae, arms stretched out, lowered or hanging."""

from __future__ import annotations

import numpy as np

import mocapella as mo


def body(size=1.0, *, prefix="mixamorig:", arms=0.0, vertebrae=3, toes=True, thigh=0.42, shank=0.40, arm=0.54):
    """A standing person; ``arms`` are lowered by so many radians from the horizontal."""
    spine = ["Spine", *(f"Spine{i}" for i in range(1, vertebrae))]
    rows = [("Hips", "", (0, 0.95, 0))]
    rows += [(name, above, (0, 0.45 / vertebrae, 0)) for above, name in zip(["Hips", *spine], spine, strict=False)]
    rows += [("Neck", spine[-1], (0, 0.12, 0)), ("Head", "Neck", (0, 0.1, 0.02))]
    for side, x in (("Left", 1.0), ("Right", -1.0)):
        along = x * np.cos(arms), -np.sin(arms), 0.0
        rows += [
            (f"{side}Shoulder", spine[-1], (0.06 * x, 0.08, 0)),
            (f"{side}Arm", f"{side}Shoulder", (0.11 * x, 0, 0)),
            (f"{side}ForeArm", f"{side}Arm", tuple(0.52 * arm * a for a in along)),
            (f"{side}Hand", f"{side}ForeArm", tuple(0.48 * arm * a for a in along)),
            (f"{side}UpLeg", "Hips", (0.09 * x, -0.05, 0)),
            (f"{side}Leg", f"{side}UpLeg", (0, -thigh, 0)),
            (f"{side}Foot", f"{side}Leg", (0, -shank, 0)),
        ]
        rows += [(f"{side}ToeBase", f"{side}Foot", (0, -0.06, 0.13))] if toes else []
    names = [prefix + name for name, *_ in rows]
    parents = [names.index(prefix + above) if above else -1 for _, above, _ in rows]
    ends = {f"{prefix}Head": (0, 0.18, 0)}
    for side, x in (("Left", 1.0), ("Right", -1.0)):
        ends[f"{prefix}{side}Hand"] = (0.18 * x * np.cos(arms), -0.18 * np.sin(arms), 0.0)
        ends[f"{prefix}{side}{'ToeBase' if toes else 'Foot'}"] = (0, 0, 0.07) if toes else (0, -0.06, 0.2)
    offsets = np.array([offset for *_, offset in rows], dtype=np.float64)
    return mo.Skeleton.of(names, parents, offsets, ends={k: np.array(v, dtype=float) for k, v in ends.items()}).scaled(
        size
    )
