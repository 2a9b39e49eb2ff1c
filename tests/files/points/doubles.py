"""Positions and markers of other motions, written as gait laboratories write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mocapella as mo
from mocapella.geometry import quaternions

Y_TO_Z = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
# Joints as pose estimators name them.
NAMES = {
    "hips": "CHip",
    "neck": "Neck",
    "head": "Head",
    **{
        f"{side}_{role}": f"{side[0].upper()}{name}"
        for side in ("left", "right")
        for role, name in (
            ("hip", "Hip"),
            ("knee", "Knee"),
            ("ankle", "Ankle"),
            ("toe", "BigToe"),
            ("shoulder", "Shoulder"),
            ("elbow", "Elbow"),
            ("wrist", "Wrist"),
        )
    },
}


def joints(clip: mo.Clip, names: dict[str, str] = NAMES) -> dict[str, np.ndarray]:
    """Positions of the joints that have a role and a name."""
    roles = mo.find_roles(clip.skeleton)
    return {name: clip.positions[:, roles[role]] for role, name in names.items() if role in roles}


def markers(clip: mo.Clip, *, inner: bool) -> dict[str, np.ndarray]:
    """Markers round the joints of a body as Plug-in Gait puts them; those inside of knees and ankles on request.

    The pelvis is the one for which Harrington's regression gives the body's hip joints.
    """
    roles = mo.find_roles(clip.skeleton)
    places, world = clip.world
    out: dict[str, np.ndarray] = {}

    def put(label: str, joint: int, offset: tuple[float, float, float]) -> None:
        out[label] = places[:, joint] + quaternions.rotate(world[:, joint], np.array(offset))

    left, right = (places[:, roles[f"{side}_hip"]] for side in ("left", "right"))
    half = 0.5 * float(np.linalg.norm(left - right, axis=1).mean())
    width, depth = (half - 0.0073) / 0.33, 0.15
    centre = 0.5 * (left + right)
    up, ahead = 0.30 * width + 0.0109, 0.24 * depth + 0.0099
    turn = world[:, roles["hips"]]
    for label, offset in {
        "LASI": (0.5 * width, up, ahead),
        "RASI": (-0.5 * width, up, ahead),
        "LPSI": (0.03, up, ahead - depth),
        "RPSI": (-0.03, up, ahead - depth),
    }.items():
        out[label] = centre + quaternions.rotate(turn, np.array(offset))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        letter = side[0].upper()
        put(f"{letter}KNE", roles[f"{side}_knee"], (sign * 0.05, 0.0, 0.0))
        put(f"{letter}ANK", roles[f"{side}_ankle"], (sign * 0.035, 0.0, 0.0))
        if inner:
            put(f"{letter}KNM", roles[f"{side}_knee"], (-sign * 0.05, 0.0, 0.0))
            put(f"{letter}ANM", roles[f"{side}_ankle"], (-sign * 0.035, 0.0, 0.0))
        put(f"{letter}TOE", roles[f"{side}_toe"], (0.0, 0.0, 0.0))
        put(f"{letter}HEE", roles[f"{side}_ankle"], (0.0, -0.05, -0.05))
        above = quaternions.rotate(world[:, roles["chest"]], np.array([0.0, 0.06, 0.0]))
        out[f"{letter}SHO"] = places[:, roles[f"{side}_shoulder"]] + above
        put(f"{letter}ELB", roles[f"{side}_elbow"], (0.0, 0.0, 0.0))
        put(f"{letter}WRA", roles[f"{side}_wrist"], (0.0, 0.0, 0.03))
        put(f"{letter}WRB", roles[f"{side}_wrist"], (0.0, 0.0, -0.03))
        put(f"{letter}FHD", roles["head"], (sign * 0.07, 0.1, 0.08))
        put(f"{letter}BHD", roles["head"], (sign * 0.07, 0.1, -0.08))
    put("C7", roles["neck"], (0.0, 0.0, -0.05))
    put("CLAV", roles["neck"], (0.0, -0.03, 0.06))
    put("STRN", roles["chest"], (0.0, 0.0, 0.12))
    put("T10", roles["chest"], (0.0, 0.0, -0.1))
    return out


def trc(path: Path, points: dict[str, np.ndarray], rate: float, *, unit: str = "mm", z_up: bool = False) -> Path:
    """A TRC file; NaN are empty cells."""
    factor = {"mm": 1000.0, "m": 1.0, "cm": 100.0}[unit]
    table = factor * np.stack(list(points.values()), axis=1) @ (Y_TO_Z.T if z_up else np.eye(3))
    head = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate:.2f}\t{rate:.2f}\t{len(table)}\t{len(points)}\t{unit}\t{rate:.2f}\t1\t{len(table)}",
        "Frame#\tTime\t" + "\t\t\t".join(points) + "\t\t",
        "\t\t" + "\t".join(f"{axis}{i + 1}" for i in range(len(points)) for axis in "XYZ"),
        "",
    ]
    rows = [
        f"{i + 1}\t{i / rate:.5f}\t" + "\t".join("" if np.isnan(value) else f"{value:.4f}" for value in row.ravel())
        for i, row in enumerate(table)
    ]
    path.write_text("\n".join([*head, *rows]) + "\n")
    return path


def c3d(path: Path, points: dict[str, np.ndarray], rate: float, *, prefix: str = "") -> Path:
    """A C3D file in millimetres, z up, written by ezc3d; NaN are points that were not seen."""
    import ezc3d

    table = 1000.0 * np.stack(list(points.values()), axis=1) @ Y_TO_Z.T
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [rate]
    file["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    file["parameters"]["POINT"]["LABELS"]["value"] = [prefix + name for name in points]
    places = np.ones((4, table.shape[1], len(table)))
    places[:3] = table.transpose(2, 1, 0)
    file["data"]["points"] = places
    file.write(str(path))
    return path
