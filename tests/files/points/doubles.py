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


# A pelvis that knows nothing of the regressions that are judged by it: hip joints as far behind and below its front as
# in 158 scans (Hara et al. 2016: 0.063 leg - 11 mm, 0.078 leg + 9 mm), a width by Seidel et al. (1995: hips lie 14 % of
# it inside of the front), two thirds as deep as wide, and tilted forward by 10 degrees as pelvises are that stand.
TILT, DEPTH, INSIDE = np.radians(10.0), 0.63, 0.36


def landmarks(clip: mo.Clip, misplaced: float = 0.0, seed: int = 0) -> dict[str, np.ndarray]:
    """Places on the skin of a body that move with its joints: ``L knee out``, ``R toe``, ``c7``; metres.

    Each is off by some ``misplaced``, always in the same way for one seed.
    """
    rng = np.random.default_rng(seed)
    roles = mo.find_roles(clip.skeleton)
    places, world = clip.world
    out: dict[str, np.ndarray] = {}

    def put(label: str, origin: np.ndarray, joint: str, offset: tuple[float, float, float]) -> None:
        off = np.array(offset) + rng.normal(scale=misplaced, size=3)
        out[label] = origin + quaternions.rotate(world[:, roles[joint]], off)

    left, right = (places[:, roles[f"{side}_hip"]] for side in ("left", "right"))
    half = 0.5 * float(np.linalg.norm(left - right, axis=1).mean())
    leg = 1.08 * sum(float(np.linalg.norm(clip.skeleton.offsets[roles[f"left_{part}"]])) for part in ("knee", "ankle"))
    width, up, ahead = half / INSIDE, 0.009 + 0.078 * leg, 0.063 * leg - 0.011
    turn = quaternions.from_rotvec(np.array([TILT, 0.0, 0.0]))
    centre = 0.5 * (left + right)
    for label, offset in {
        "L asis": (0.5 * width, up, ahead),
        "R asis": (-0.5 * width, up, ahead),
        "L psis": (0.045, up, ahead - DEPTH * width),
        "R psis": (-0.045, up, ahead - DEPTH * width),
        "sacrum": (0.0, up - 0.01, ahead - DEPTH * width),
        "sacral wand": (0.0, up - 0.01, ahead - DEPTH * width - 0.08),
    }.items():
        put(label, centre, "hips", tuple(quaternions.rotate(turn, np.array(offset))))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for name, joint, (x, y, z) in (
            ("trochanter", "hip", (0.075, 0.0, -0.01)),
            *((f"thigh {i}", "hip", at) for i, at in enumerate(_THIGH)),
            ("thigh wand", "hip", (0.11, -0.27, 0.0)),
            ("shank wand", "knee", (0.10, -0.25, 0.0)),
            ("knee out", "knee", (0.054, 0.0, 0.0)),
            ("knee in", "knee", (-0.050, 0.0, 0.0)),
            ("fibula", "knee", (0.045, -0.03, -0.02)),
            ("tuberosity", "knee", (0.0, -0.06, 0.05)),
            *((f"shank {i}", "knee", at) for i, at in enumerate(_SHANK)),
            ("ankle out", "ankle", (0.040, -0.008, -0.006)),
            ("ankle in", "ankle", (-0.036, 0.006, 0.008)),
            ("heel", "ankle", (0.0, -0.045, -0.05)),
            ("toe", "toe", (0.0, 0.025, 0.0)),
            ("toe in", "toe", (-0.03, 0.02, 0.0)),
            ("toe out", "toe", (0.04, 0.01, -0.03)),
            ("elbow out", "elbow", (0.0, 0.0, 0.035)),
            ("elbow in", "elbow", (0.0, 0.0, -0.035)),
            ("wrist out", "wrist", (0.0, 0.0, 0.028)),
            ("wrist in", "wrist", (0.0, 0.0, -0.028)),
        ):
            moves = f"{side}_{'ankle' if joint == 'toe' else joint}"  # markers of toes are on the foot behind them
            put(f"{side[0].upper()} {name}", places[:, roles[f"{side}_{joint}"]], moves, (sign * x, y, z))
        put(f"{side[0].upper()} shoulder", places[:, roles[f"{side}_shoulder"]], "chest", (0.0, 0.055, 0.0))
        for name, z in (("front", 0.08), ("back", -0.08)):
            put(f"{side[0].upper()} head {name}", places[:, roles["head"]], "head", (sign * 0.07, 0.1, z))
    put("head", places[:, roles["head"]], "head", (0.0, 0.19, 0.0))
    put("c7", places[:, roles["neck"]], "neck", (0.0, 0.0, -0.06))
    put("jugular", places[:, roles["neck"]], "chest", (0.0, -0.05, 0.06))
    put("xiphoid", places[:, roles["chest"]], "chest", (0.0, -0.05, 0.13))
    put("t10", places[:, roles["chest"]], "chest", (0.0, -0.05, -0.11))
    return out


_THIGH = ((0.07, -0.15, 0.02), (0.05, -0.24, 0.07), (0.08, -0.30, -0.01), (0.06, -0.22, -0.05))
_SHANK = ((0.05, -0.12, 0.01), (0.03, -0.20, 0.05), (0.05, -0.27, -0.01), (0.05, -0.18, -0.04))


def _both(pattern: str, **names: str) -> dict[str, str]:
    """Labels of both sides by what they sit on; ``{}`` stands for the side, blanks in landmarks for ``_``."""
    sides = ("l", "r") if pattern.islower() else ("L", "R")
    return {
        pattern.replace("{}", side).replace("*", label): f"{side.upper()} {landmark.replace('_', ' ')}"
        for landmark, label in names.items()
        for side in sides
    }


_FULL_TRUNK = {"C7": "c7", "CLAV": "jugular", "STRN": "xiphoid", "T10": "t10"}
_OPENSIM_LEGS = _both(
    "{}.*", asis="ASIS", thigh_0="Thigh.Upper", thigh_1="Thigh.Front", thigh_2="Thigh.Rear", shank_0="Shank.Upper",
    shank_1="Shank.Front", shank_2="Shank.Rear", heel="Heel", toe="Toe.Tip", toe_in="Toe.Med", toe_out="Toe.Lat",
    shoulder="Acromium", elbow_out="Elbow", wrist_out="Wrist.Lat", wrist_in="Wrist.Med",
) | {"V.Sacral": "sacrum", "Sternum": "jugular", "Top.Head": "head"}  # fmt: skip
_OPENSIM_JOINTS = _both(
    "{}.*", knee_out="Knee.Lat", knee_in="Knee.Med", ankle_out="Ankle.Lat", ankle_in="Ankle.Med"
)  # fmt: skip
_PLUG_IN = _both(
    "{}*", asis="ASI", psis="PSI", thigh_wand="THI", knee_out="KNE", shank_wand="TIB", ankle_out="ANK", heel="HEE",
    toe="TOE", shoulder="SHO", elbow_out="ELB", wrist_out="WRA", wrist_in="WRB", head_front="FHD", head_back="BHD",
) | _FULL_TRUNK  # fmt: skip
_CAST_PELVIS = _both("{}_*", asis="IAS", psis="IPS")
_CAST_JOINTS = _both(
    "{}_*", trochanter="FTC", knee_out="FLE", knee_in="FME", fibula="FAX", tuberosity="TTC", ankle_out="FAL",
    ankle_in="TAM",
)  # fmt: skip
_CAST_FOOT = _both("{}_*", heel="FCC", toe="FM2", toe_in="FM1", toe_out="FM5")
_CLUSTERS = _both(
    "{}_*", **{f"{part}_{i}": f"{part[:2].upper()}{i + 1}" for part in ("thigh", "shank") for i in range(4)}
)

MARKER_SETS: dict[str, dict[str, str]] = {  # label → landmark, as published or as programs export them
    "Plug-in Gait": _PLUG_IN,
    "Plug-in Gait, inner knees and ankles": _PLUG_IN | _both("{}*", knee_in="KNM", ankle_in="MED"),
    "OpenSim gait": _OPENSIM_LEGS | _OPENSIM_JOINTS,
    "OpenSim full body": _both(
        "{}*", asis="ASI", psis="PSI", thigh_0="TH1", thigh_1="TH2", thigh_2="TH3", knee_out="LFC", knee_in="MFC",
        ankle_out="LMAL", ankle_in="MMAL", heel="CAL", toe="TOE", toe_out="MT5", shoulder="ACR", elbow_out="LEL",
        elbow_in="MEL", wrist_out="FAradius", wrist_in="FAulna",
    ) | {"C7": "c7", "CLAV": "jugular"},
    "IOR": _both(
        "{}*", asis="ASIS", psis="PSIS", trochanter="GT", knee_out="LE", knee_in="ME", fibula="HF", tuberosity="TT",
        ankle_out="LM", ankle_in="MM", heel="CA", toe="SM", toe_in="FM", toe_out="VM",
    ),
    "CAST": _CAST_PELVIS | _CAST_JOINTS | _CAST_FOOT | _CLUSTERS | _both("{}_*", shoulder="SAE")
    | {"CV7": "c7", "SJN": "jugular", "SXS": "xiphoid"},
    "Helen Hayes": _both(
        "{}.*", asis="ASIS", thigh_wand="Thigh", knee_out="Knee", shank_wand="Shank", ankle_out="Ankle", heel="Heel",
        toe="Toe", shoulder="Shoulder", elbow_out="Elbow", wrist_out="Wrist",
    ) | {"V.Sacral": "sacral wand", "Top.Head": "head"},
    "Davis": _both(
        "{} *", asis="asis", thigh_wand="bar 1", knee_out="knee 1", shank_wand="bar 2", ankle_out="mall", heel="heel",
        toe="met", shoulder="should",
    ) | {"sacrum": "sacrum", "c7": "c7"},
}  # fmt: skip
# Sets of which knees and ankles are marked in a static trial alone.
WALKING_SETS = {"OpenSim gait": _OPENSIM_LEGS, "CAST": _CAST_PELVIS | _CAST_FOOT | _CLUSTERS}


def markers(
    clip: mo.Clip, labels: dict[str, str], *, misplaced: float = 0.0, noise: float = 0.0, seed: int = 0
) -> dict[str, np.ndarray]:
    """The markers of a set on a body, each off its landmark by ``misplaced`` and in each frame by ``noise``, metres."""
    rng, spots = np.random.default_rng(seed), landmarks(clip, misplaced, seed)
    return {label: spots[spot] + rng.normal(scale=noise, size=(clip.n_frames, 3)) for label, spot in labels.items()}


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
