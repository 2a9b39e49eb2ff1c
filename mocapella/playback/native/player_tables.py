"""A network packed for the native player: harmonics, mesh, foot plants and legs as arrays of float64."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from mocapella.blending.bank import NodeBank
from mocapella.blending.network import Network
from mocapella.blending.rules import FittedLively, NodeRows, phasor_blend
from mocapella.errors import MotionError
from mocapella.geometry.mesh import line_through
from mocapella.geometry.simplices import weight_maps
from mocapella.motion.layout import Layout, QuaternionLayout
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.blend import known_legs
from mocapella.playback.native import player_core
from mocapella.playback.own_time import OwnTimeNodes, own_time_nodes
from mocapella.rig.legs import Leg

_LANES = 8  # columns are filled up to a multiple of so many
_ROOM = 8  # columns more for what nodes with their own time add to path and heading


@dataclass(frozen=True, eq=False)
class NativeTables:
    """The constant tables of a network that the native core plays."""

    network: Network | Spectrum
    layout: Layout
    own: OwnTimeNodes | None
    footed: bool  # whether its legs are known
    packed: player_core.Tables
    kept: tuple[np.ndarray, ...]  # what the packed tables point into
    room: int  # bytes of a character's record

    @property
    def address(self) -> int:
        """Where the core finds them."""
        return ctypes.addressof(self.packed)


@lru_cache(maxsize=64)
def tables_of(network: Network | Spectrum) -> NativeTables | None:
    """The tables of a network or a single motion.

    Returns None where the core is not installed, and for networks that it does not play: dofs other than quaternions,
    rules other than lively and phasor, weights by an interpolant, single-source harmonics, very large skeletons.
    """
    core = player_core.player_core()
    bank, own_time = _bank(network), own_time_nodes(network)
    if core is None or bank is None or not isinstance(bank.layout, QuaternionLayout):
        return None
    rule, turned, nodes = bank.fitted(network.rule if isinstance(network, Network) else phasor_blend)
    rows = bank.coefficients.shape[1]
    if isinstance(rule, FittedLively):
        first, free = min(rule.first, rows), rule.free
    elif isinstance(network, Spectrum) or network.rule is phasor_blend:
        first, free = rows, np.zeros(bank.layout.n_dofs)
    else:
        return None
    out = player_core.Tables(abi=player_core.ABI, turned=int(turned), first=first, needed=nodes.n_needed, rows=rows)
    arrays = _blending(out, bank, nodes, free) | _mesh(out, network) | _own_time(out, own_time)
    footed = _legs(out, bank.layout)
    packed = []
    for i, name in enumerate(player_core.ARRAYS):
        kind = np.int32 if name in player_core.INTEGERS else np.float64
        array = np.ascontiguousarray(arrays[name] if arrays[name].size else np.zeros(1), dtype=kind)
        packed.append(array)
        setattr(out, name, array.ctypes.data)
        out.size[i] = array.size
    room = core.player_room(ctypes.addressof(out))
    return NativeTables(network, bank.layout, own_time, footed, out, tuple(packed), room) if room > 0 else None


def _bank(network: Network | Spectrum) -> NodeBank | None:
    """The nodes of a network, or a motion as a bank of one; None where they are not mixed by weights alone."""
    if isinstance(network, Spectrum):
        return NodeBank.of([network])
    if network.interpolant is not None or network.single_source is not None:
        return None
    return network.bank


def _blending(
    out: player_core.Tables, bank: NodeBank, nodes: NodeRows, free: Float[np.ndarray, " dofs"]
) -> dict[str, np.ndarray]:
    """The arrays that are mixed: harmonics, durations, foot plants."""
    layout, schedule = bank.layout, bank.schedule
    assert layout is not None
    n_nodes, rows, n_dofs = bank.coefficients.shape
    stride = -(-n_dofs // _LANES) * _LANES
    split = np.zeros((n_nodes, rows, 2, stride))
    coefficients = nodes.coefficients(rows)
    split[:, :, 0, :n_dofs], split[:, :, 1, :n_dofs] = coefficients.real, coefficients.imag
    gaps = np.full(4, -1.0)
    for point, least in () if schedule is None else schedule.least_gaps:
        gaps[point] = least
    points = np.array(() if schedule is None else schedule.numbers, dtype=np.int32)
    out.nodes, out.joints, out.stride, out.plants = n_nodes, layout.skeleton.n_joints, stride, len(points)
    out.scheduled = int(schedule is not None)
    return {
        "coefficients": split,
        "late": nodes.values[:, : 1 + nodes.n_needed],
        "timing": bank.timing,
        "free": np.pad(free, (0, stride - n_dofs)),
        "gap": gaps,
        "plant_point": points,
    }


def _mesh(out: player_core.Tables, network: Network | Spectrum) -> dict[str, np.ndarray]:
    """Where nodes lie, and what joins them."""
    nothing, none = np.zeros(0), np.zeros(0, dtype=np.int32)
    if isinstance(network, Spectrum) or len(network.nodes) == 1:
        points = np.zeros((1, 2)) if isinstance(network, Spectrum) else network.points
        out.single = out.simplices = out.corners = out.mesh_axes = 1
        out.axes = points.shape[1]
        lone: dict[str, np.ndarray] = dict.fromkeys(("border_simplex", "edge"), none)
        ends = {"corner": np.zeros(1), "neighbour": np.full(1, -1), "scale": np.ones(1), "map": np.array([1.0, 0.0])}
        return lone | ends | {"point": points, "along": np.zeros(2 * points.shape[1] + 1)}
    mesh, line, points = network.mesh, line_through(network.points), network.points
    n_axes, mesh_axes = points.shape[1], mesh.points.shape[1]
    faces = mesh.scale * mesh.points[mesh.border]
    out.axes, out.mesh_axes, out.line, out.corners = n_axes, mesh_axes, int(line is not None), mesh.corners.shape[1]
    out.simplices, out.border, out.clamp = len(mesh.corners), len(mesh.border), int(network.outside == "clamp")
    out.convex = int(mesh_axes == 2 and mesh.convex)
    return {
        "corner": mesh.corners,
        "neighbour": mesh.neighbours,
        "border_simplex": mesh.border_simplices,
        "map": weight_maps(mesh.points[mesh.corners]),
        "point": points,
        "edge": nothing if mesh_axes > 2 else (faces if mesh_axes == 2 else np.repeat(faces, 2, axis=1)),
        "scale": mesh.scale,
        "along": np.zeros(2 * n_axes + 1) if line is None else np.array([*line.first, *line.along, line.length]),
    }


def _own_time(out: player_core.Tables, own_time: OwnTimeNodes | None) -> dict[str, np.ndarray]:
    if own_time is None:
        return {"swing": np.zeros(0), "own_rate": np.zeros(0), "own_node": np.zeros(0)}
    out.own = len(own_time.nodes)
    swings = np.zeros((out.own, out.rows - 1, 2, out.stride + _ROOM))
    for i, harmonics in enumerate(own_time.swings):
        for part, values in enumerate((harmonics.real, harmonics.imag)):
            swings[i, :, part, : values.shape[1] - 3] = values[:, :-3]
            swings[i, :, part, out.stride : out.stride + 3] = values[:, -3:]
    return {"swing": swings, "own_rate": np.array(own_time.rates), "own_node": np.array(own_time.nodes)}


def _legs(out: player_core.Tables, layout: Layout) -> bool:
    """Fill in the legs; False where they are not known, or too long a chain."""
    try:
        legs = known_legs(layout.skeleton)
    except MotionError:
        return False
    if len(legs[0].joints) > player_core.CHAIN:
        return False
    for side, leg in enumerate(legs):
        out.leg[side] = _leg(leg)
    out.legs = 1
    return True


def _leg(leg: Leg) -> Any:
    bends = leg.tip is not None and leg.toe_joint is not None
    out = player_core.Leg(len(leg.joints), leg.hip, leg.knee, leg.toe_joint if bends else -1)
    for i, (joint, offset) in enumerate(zip(leg.joints, leg.offsets, strict=True)):
        out.joint[i] = joint
        out.offset[i] = (ctypes.c_double * 3)(*offset)
    places = {"heel": leg.heel, "ball": leg.toe, "tip": leg.tip or (0.0,) * 3, "hinge": leg.hinge, "across": leg.across}
    for name, place in places.items():
        setattr(out, name, (ctypes.c_double * 3)(*place))
    for name in player_core.LEG_LENGTHS:
        setattr(out, name, getattr(leg, name))
    return out
