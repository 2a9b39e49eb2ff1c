"""Gaits worked out once and interpolated, beside gaits worked out anew for every blend: cost and quality.

    python -m benchmarks.baked_gaits [--cells N] [FOLDER]

FOLDER holds the captures, ``../shared/data`` or ``$MOCAPELLA_DATA`` if left out. What feet make of a blend
(``gaits.cycle_by_feet``) is worked out where weights are multiples of 1/8, each when it is first needed, and taken as
linear in the cells between these. Kuhn's division cuts a segment, a triangle or a tetrahedron into such cells, in the
same way from both sides of what two of them share. Gaits are still worked out anew with single-source harmonics, which
leap from node to node, beside nodes with their own time, outside of the network, and among more nodes than a triangle
has, as with smoother interpolants and while weights fade.

Printed, exact first: processor time of a step whose point moves; on a grid over the walks and the runs of
``benchmarks.quality_playing`` the most slip held and found, the acceleration of the root, and how much the bending of
knees changes from frame to frame. What came of it stands in docs/decisions.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from benchmarks.captures import data_folder
from benchmarks.quality_knees import figures
from benchmarks.quality_playing import NETWORKS, RATE, grid_points, network_of, push
from mocapella.blending.network import Network
from mocapella.blending.paired_plants import Schedule, paired
from mocapella.blending.places import Place
from mocapella.gait.cycle_on_ground import N_SAMPLES, ORDERS, CycleOnGround
from mocapella.gait.resting import Plant, plants_of
from mocapella.gait.root_motion import cycle_by_feet
from mocapella.geometry.angles import TURN, wrap
from mocapella.measure.footskate import footing
from mocapella.motion.contacts import FOOT_POINTS, CycleContacts
from mocapella.motion.spectrum import Spectrum
from mocapella.playback import blend as blend_module
from mocapella.playback.player import Player
from mocapella.playback.record import record_with_contacts
from mocapella.playback.settings import PlayerSettings
from mocapella.rig.legs import leg_dofs

PARTS = 8  # of an edge between two nodes
_REMEMBERED = 16  # networks, of some megabytes each where all of it is gone through
_ROUNDING = 1e-9  # of weights
_FEET, _TABLE, _BEARINGS = 6 * N_SAMPLES, 14 * N_SAMPLES, 18 * N_SAMPLES  # ends in a row; then lift and plants
_PLANT = 5  # numbers of a plant
STEPS, ROUNDS = 120, 30


@lru_cache(maxsize=_REMEMBERED)
def _lattice_of(network: Network, settings: PlayerSettings) -> _Lattice | None:
    return None if network.single_source is not None else _Lattice(network, settings)


class _Vertex(NamedTuple):
    """What feet make of one blend."""

    plants: tuple[tuple[Plant, ...], ...]
    numbers: Float[np.ndarray, " numbers"]  # harmonics of the feet and of the root's velocity, bearings, lift


class _Cell(NamedTuple):
    """The corners of a cell, row by row: their numbers, then their plants."""

    rows: Float[np.ndarray, "corners numbers"]
    schedule: Schedule | None  # how plants are paired; None where each foot point rests once at every corner


class _Lattice:
    """The gaits of one network's blends."""

    def __init__(self, network: Network, settings: PlayerSettings) -> None:
        assert network.layout is not None
        self._bank, self._rule, self._settings = network.bank, network.rule, settings
        self._legs = leg_dofs(network.layout)
        self._n_corners = network.corners.shape[1]
        self._in_step = [node.synchronised for node in network.nodes]
        self._vertices: dict[tuple[tuple[int, int], ...], _Vertex] = {}
        self._cells: dict[tuple[int, ...], _Cell | None] = {}

    def cycle(self, place: Place, spectrum: Spectrum) -> CycleOnGround | None:
        """The blend at a place on its way; None where that is not interpolated."""
        nodes, weights = place.nodes.tolist(), place.weights.tolist()
        if min(weights) < -_ROUNDING:
            return None
        # Weights cumulated from the last node on, in parts: where the cell begins, and how far on the place lies.
        total, begin, beyond = 0.0, [], []
        for weight in weights[:0:-1]:
            total += PARTS * weight if weight > 0.0 else 0.0
            whole = min(int(total), PARTS - 1)
            begin.append(whole)
            beyond.append(total - whole)
        order = sorted(range(len(beyond) - 1, -1, -1), key=beyond.__getitem__, reverse=True)
        key = (*nodes, *begin, *order)
        if key not in self._cells:
            self._cells[key] = self._cell(nodes, begin, order)
        cell = self._cells[key]
        if cell is None:
            return None
        left, shares = 1.0, []
        for axis in order:
            shares.append(left - beyond[axis])
            left = beyond[axis]
        shares.append(left)
        numbers = np.array(shares).dot(cell.rows)
        mean, real, imaginary, *edges = numbers[_BEARINGS:].tolist()
        plants: tuple[tuple[Plant, ...], ...]
        if cell.schedule is None:
            plants = tuple([(Plant(edges[i] % TURN, *edges[i + 1 : i + _PLANT]),) for i in range(0, 20, _PLANT)])
        else:
            contacts = cell.schedule.contacts(edges)
            plants = plants_of(tuple(map(contacts.point, FOOT_POINTS)), spectrum.duration, self._settings)
        harmonics = numbers[:_TABLE].view(np.complex128)
        feet, velocities = harmonics[:_FEET].reshape(6, N_SAMPLES), harmonics[_FEET:]
        bearings = numbers[_TABLE:_BEARINGS].reshape(N_SAMPLES, len(FOOT_POINTS))
        return CycleOnGround.of(spectrum, plants, velocities, (mean, complex(real, imaginary)), feet, bearings)

    def _cell(self, nodes: list[int], begin: list[int], order: list[int]) -> _Cell | None:
        """The cell from a vertex on, along the axes of cumulated weights one after the other."""
        if len(nodes) > self._n_corners or not all(self._in_step[node] for node in nodes):
            return None
        ends = [0, *begin, PARTS]
        corners = [self._vertex(nodes, ends)]
        for axis in order:
            ends[axis + 1] += 1
            corners.append(self._vertex(nodes, ends))
        numbers = np.stack([corner.numbers for corner in corners])
        plants = [corner.plants for corner in corners]
        if all(len(own) == 1 and own[0].length < TURN for each in plants for own in each):
            edges = np.array([[number for own in each for number in own[0][:_PLANT]] for each in plants])
            edges[:, ::_PLANT] = edges[0, ::_PLANT] + wrap(edges[:, ::_PLANT] - edges[0, ::_PLANT])
            return _Cell(np.concatenate([numbers, edges], axis=1), None)
        arcs = [[tuple(plant[:2] for plant in own) for own in each] for each in plants]
        schedule = paired([CycleContacts(**dict(zip(FOOT_POINTS, each, strict=True))) for each in arcs])
        return _Cell(np.concatenate([numbers, schedule.edges], axis=1), schedule)

    def _vertex(self, nodes: list[int], ends: list[int]) -> _Vertex:
        """What feet make of a blend, by where the parts of each node end, from the last node on."""
        counts = np.diff(ends)[::-1].tolist()
        key = tuple(sorted((node, count) for node, count in zip(nodes, counts, strict=True) if count))
        known = self._vertices.get(key)
        if known is None:
            own, parts = np.array(key).T
            spectrum = self._bank.mix(own, parts / PARTS, self._rule)
            cycle = cycle_by_feet(spectrum, self._legs, self._settings)
            even, (mean, swing) = cycle.course.even, cycle.lifting
            velocities = cycle.table[-1, :N_SAMPLES] * (1j * (ORDERS + even))
            if cycle.course.steady:
                velocities[-round(even)] = cycle.course.steady
            harmonics = np.concatenate([cycle.table[:6, :N_SAMPLES].ravel(), velocities]).view(np.float64)
            numbers = np.concatenate([harmonics, cycle.bearings.ravel(), [mean, swing.real, swing.imag]])
            known = self._vertices[key] = _Vertex(cycle.plants, numbers)
        return known


class Switch:
    """Lets players take their gaits from the lattice, or not."""

    def __init__(self) -> None:
        self.on, self.network, self.place = False, None, None
        self._own, self._clocked = blend_module.own_time_nodes, blend_module.clocked
        blend_module.own_time_nodes, blend_module.clocked = self._see_network, self._see_place
        blend_module.cycle_by_feet = self._gait

    def _see_network(self, network):
        self.network = network
        return self._own(network)

    def _see_place(self, spectrum, own, place):
        self.place = place
        return self._clocked(spectrum, own, place)

    def _gait(self, spectrum, part, settings):
        if self.on and isinstance(self.network, Network) and self.place is not None:
            lattice = _lattice_of(self.network, settings)
            found = None if lattice is None else lattice.cycle(self.place, spectrum)
            if found is not None:
                return found
        return cycle_by_feet(spectrum, part, settings)


def print_cost(network, switch):
    """The processor time of a moving step, by turns with and without the lattice."""
    low, high = network.points.min(axis=0), network.points.max(axis=0)
    middle, reach = 0.5 * (low + high), 0.3 * (high - low)
    times = {False: [], True: []}
    players = {}
    for switch.on in times:
        players[switch.on] = Player(network, point=tuple(middle))
    for _ in range(ROUNDS):
        for switch.on, own in times.items():
            began = time.process_time()
            for i in range(STEPS):
                players[switch.on].point = tuple(middle + reach * (np.sin(i / 9), np.cos(i / 7)))
                players[switch.on].step(1.0 / RATE)
            own.append(1e6 * (time.process_time() - began) / STEPS)
    (exact, usual), (baked, baked_usual) = ((min(own), float(np.median(own))) for own in times.values())
    print(f"moving step: {exact:.0f} µs ({usual:.0f} median) → {baked:.0f} ({baked_usual:.0f}), {baked / exact:.2f} ×")


def print_quality(network, cells, switch):
    """What a point at rest gives at every place of a grid."""
    for switch.on, label in ((False, "exact"), (True, "baked")):
        rows = []
        for point in grid_points(network, cells):
            player = Player(network, point=point)
            seconds = 2.2 * player.spectrum.duration
            clip, contacts = record_with_contacts(player, seconds=seconds, frame_rate=RATE)
            held, found = footing(clip, contacts).slip_mm_max, footing(clip).slip_mm_max
            rows.append((held, found, push(clip), figures(clip)["jerk"][:2].max()))
        (held, found, pushed, jerk), mean = np.max(rows, axis=0), np.mean(rows, axis=0)
        print(
            f"  {label}: slip held {held:.2f}, found {found:.2f} mm at most; root {pushed:.1f} m/s² at most, "
            f"{mean[2]:.2f} on average; knees {jerk:.1f}° at most, {mean[3]:.2f}° on average",
            flush=True,
        )


def main() -> None:
    """Print exact beside baked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--cells", type=int, default=9)
    asked = parser.parse_args()
    folder = asked.folder or data_folder()
    if folder is None:
        raise SystemExit("set MOCAPELLA_DATA to the folder of real captures, or name it")
    warnings.simplefilter("ignore")
    switch = Switch()
    for name in ("walking", "running"):
        network, _ = network_of(folder, NETWORKS[name])
        print(f"{name}, {asked.cells} × {asked.cells} places: ", end="")
        print_cost(network, switch)
        print_quality(network, asked.cells, switch)


if __name__ == "__main__":
    main()
