"""The layout of a network: axes, places of motions, well-shaped triangles, resolution near the centre."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from jaxtyping import Float, Int

from mocapella.blending.interpolants import Interpolant
from mocapella.blending.network import Network
from mocapella.blending.places import Node, Outside
from mocapella.blending.rules import BlendRule, lively_blend
from mocapella.checks import NETWORK, real_or_nan, refuse_other, shown
from mocapella.errors import NetworkError, warn
from mocapella.geometry import triangulation
from mocapella.geometry.mesh import line_through
from mocapella.motion.cycle import Cycle
from mocapella.motion.layout import YAW_RATE
from mocapella.motion.spectrum import Spectrum
from mocapella.motion.travel import STANDING, STRAIGHT, direction, go_one_way, stands, straight, turn_and_speed

# What the two coordinates of a network tell of its motions.
#
# In a network laid out by turn and speed a point is a readable request: 20 degrees a second to the
# left at 1.3 m/s. Motions that all go straight still differ in two things: how fast they go, and how far a stride takes
# them. People do several things at one speed, short quick steps or long slow ones, and a blend of both is neither.
# Walks ahead, back and to the sides differ in where they go: a point of their network is a velocity.

Places = Float[np.ndarray, "motions 2"]

_SQUARE = math.radians(10.0)  # a motion this near to ahead, back or a side goes exactly there


@dataclass(frozen=True)
class Axes:
    """The two quantities by which motions are placed."""

    name: str  # in words
    measure: Callable[[Cycle | Spectrum], tuple[float, float]]
    least: tuple[float, float]  # least spread: smaller differences between takes are not enlarged to a network
    titles: tuple[str, str]  # with units, as they stand beside a picture
    turns: bool  # whether one of them is the turn, so that motions may turn
    middle: float | None = None  # |x| below which a motion belongs to neither side; None where x has no sides
    ways: bool = False  # whether they give the direction of travel, so that motions may go in different directions

    def scaled(self, places: Places) -> Places:
        """The places with both axes counted by their spread, so that unlike units can be compared."""
        return np.asarray(places / np.maximum(np.ptp(places, axis=0), self.least))


def stride_and_speed(motion: Cycle | Spectrum) -> tuple[float, float]:
    """How far a motion goes in a cycle, which is two steps (metres), and how fast (m/s)."""
    return motion.speed * motion.duration, motion.speed


def _velocity(motion: Cycle | Spectrum) -> tuple[float, float]:
    """How fast a motion goes to the left of where it faces, and how fast ahead (both m/s)."""
    return motion.velocity


def squared(cycle: Cycle) -> Cycle:
    """A straight motion that all but goes ahead, back or to a side, with the heading for which it goes exactly so.

    People go some degrees aside of where their hips face, and blends of them would walk crabwise.
    """
    if stands(cycle) or not straight(cycle):
        return cycle
    way = direction(cycle)
    off = way - math.pi / 2 * round(way / (math.pi / 2))
    return cycle.facing(off) if 0.0 < abs(off) < _SQUARE else cycle


TURN_AND_SPEED = Axes(
    "turn and speed",
    turn_and_speed,
    least=(60.0, 0.5),
    titles=("turn, degrees per second (left positive, drawn to the left)", "speed, m/s"),
    turns=True,
    middle=STRAIGHT,
)
STRIDE_AND_SPEED = Axes(
    "stride and speed", stride_and_speed, least=(0.5, 0.5), titles=("stride, metres a cycle", "speed, m/s"), turns=False
)
LEFT_AND_AHEAD = Axes(
    "velocity",
    _velocity,
    least=(0.5, 0.5),
    titles=("velocity to the left, m/s (drawn to the left)", "velocity ahead, m/s"),
    turns=False,
    middle=STANDING,
    ways=True,
)
AXES: Mapping[str, Axes] = MappingProxyType(
    {"turn-speed": TURN_AND_SPEED, "stride-speed": STRIDE_AND_SPEED, "velocity": LEFT_AND_AHEAD}
)


def axes_for(motions: Sequence[Cycle | Spectrum]) -> Axes:
    """The default axes for motions: velocity for straight ones of which some go back or aside, else turn and speed."""
    if not all(straight(motion) for motion in motions):
        return TURN_AND_SPEED
    one_way = all(go_one_way(motion, other) for motion, other in itertools.combinations(motions, 2))
    return TURN_AND_SPEED if one_way else LEFT_AND_AHEAD


def going_the_usual_way(motions: Sequence[Cycle | Spectrum], axes: Axes) -> list[int]:
    """The motions that go in the direction of most, in order; all of them where the axes give the direction.

    Of equally many that go ahead and another way it is those that go ahead.
    """
    if axes.ways or not motions:
        return list(range(len(motions)))
    groups = [[i for i, other in enumerate(motions) if go_one_way(motion, other)] for motion in motions]
    ahead = [math.cos(direction(motion)) for motion in motions]
    return groups[max(range(len(motions)), key=lambda i: (len(groups[i]), ahead[i]))]


def warn_of_turns(motions: Mapping[str, Cycle | Spectrum], axes: Axes) -> None:
    """Warn of motions that turn, where the axes do not include the turn."""
    turning = [] if axes.turns else [name for name, motion in motions.items() if not straight(motion)]
    if turning:
        warn(f"places by {axes.name} do not tell that these turn, so blends turn by chance: {', '.join(turning)}")


# Where motions lie in the plane by what they do, and which triangles make a sound network of them.

APART = 0.08  # of the network's spread: motions nearer than this are takes of one thing


def places_of(motions: Sequence[Cycle | Spectrum], axes: Axes = TURN_AND_SPEED) -> list[tuple[float, float]]:
    """Where motions lie together.

    Where turns count and none of them turns all lie at x = 0: the little they turn by chance would make triangles too
    thin to steer in. Where all stand they lie in a ring.
    """
    if all(stands(motion) for motion in motions):
        return ring(len(motions))
    places = [axes.measure(motion) for motion in motions]
    if axes.turns and all(straight(motion) for motion in motions):
        return [(0.0, speed) for _, speed in places]
    return places


def straightened(motions: Mapping[str, Spectrum], axes: Axes = TURN_AND_SPEED) -> dict[str, Spectrum]:
    """The motions with the accidental turn removed from straight ones, so that a straight walk stays straight.

    That is where ``places_of`` puts them at x = 0, and where axes tell nothing of turns. The accidental turn of
    a straight walk, up to 8 degrees a second, adds up to a circle otherwise; planted feet are held as before.
    """
    moving = [motion for motion in motions.values() if not stands(motion)]
    if not moving or (axes.turns and not all(straight(motion) for motion in moving)):
        return dict(motions)
    out = dict(motions)
    for name, motion in motions.items():
        if straight(motion):
            coefficients = np.array(motion.coefficients)
            coefficients[0, YAW_RATE] = 0.0
            out[name] = replace(motion, coefficients=coefficients)
    return out


def drop_near_duplicates(
    places: Places, doubts: Sequence[float], kinds: Sequence[str] | None = None, axes: Axes = TURN_AND_SPEED
) -> list[int]:
    """The motions to keep so that no two lie at nearly one place: of several takes the least doubtful.

    ``doubts`` are any numbers that are smaller for a better take. Motions of different ``kinds`` are no takes of one
    thing, wherever they lie; without kinds all are of one. The answer is in order.
    """
    spots = axes.scaled(places)
    best: list[int] = []
    for i in sorted(range(len(places)), key=lambda i: (doubts[i], i)):
        alike = [j for j in best if kinds is None or kinds[i] == kinds[j]]
        if all(np.hypot(*(spots[i] - spots[j])) >= APART for j in alike):
            best.append(i)
    return sorted(best)


def ring(count: int) -> list[tuple[float, float]]:
    """Places for motions on the spot: evenly round the origin, at distance 1, with a pair at the bottom."""
    angles = [-math.pi / 2 + math.pi * (2 * i - 1) / count for i in range(count)]
    return [(0.0, 0.0)] if count == 1 else [(round(math.cos(a), 12), round(math.sin(a), 12)) for a in angles]


def sound_triangles(points: Places, axes: Axes = TURN_AND_SPEED) -> Int[np.ndarray, "triangles 3"] | None:
    """Delaunay's triangles without slivers along the outline; None where points on one line have none.

    Three motions at nearly one speed span a triangle too thin to steer in: a slight change of speed would go from the
    left turn over the straight walk to the right turn. Without it points there go to the nearest edge. A triangle whose
    node would be left without any stays.
    """
    if line_through(points) is not None:
        return None
    return triangulation.without_slivers(axes.scaled(points), triangulation.delaunay(points))


def joined(
    nodes: Sequence[Node],
    triangles: Sequence[Sequence[str]] | None = None,
    *,
    axes: Axes | None,
    rule: BlendRule | str = lively_blend,
    outside: Outside = "clamp",
    interpolant: Interpolant | str | None = None,
) -> Network:
    """A network of these nodes; if placed by ``axes`` and without given triangles, with well-shaped ones.

    ``axes`` is None where nodes are placed by hand. ``triangles`` are names of nodes in threes. ``rule``, ``outside``
    and ``interpolant`` are as ``Network`` takes them.
    """
    rows: Sequence[Sequence[str | int]] | None = triangles
    if triangles is None and axes is not None and len(nodes) >= 3:
        sound = sound_triangles(np.array([node.at for node in nodes]), axes)
        rows = None if sound is None else sound.tolist()
    return Network(nodes, rows, rule=rule, outside=outside, interpolant=interpolant)


# The resolution of a network near a line through it: nodes are moved outwards or inwards, its borders stay.
#
# Slight turns lie between straight ahead and the sharpest turn. Moved outwards they leave the blending point more room
# near straight ahead, where steering has to be precise, and the sharpest turns stay as sharp as before.

_SIDE = 1e-9  # of the network's extent: a node nearer to the centre line lies on it


def stretch_axis(network: Network, fineness: float | int, *, centre: float | int = 0.0, axis: int = 0) -> Network:
    """The same motions and triangles with a finer resolution near a line: nodes beside it move outwards.

    Parameters
    ----------
    network
        In the plane. Nodes on the line, and the outermost on each side of it, stay; those between move along the axis.
    fineness
        About how many times finer the resolution is near the line: 2 gives a turn twice the room there, ½ half of it.
        Blends are linear within a triangle, so the effect depends on the nodes: one half-way out moves to two thirds
        with 2, to three quarters with 3. Without nodes between there is nothing to move.
    centre, axis
        The line: where this coordinate has this value. By default straight ahead in a network laid out by turns.

    Raises
    ------
    NetworkError
        For a fineness that is not above 0, another axis, nodes that all lie on the line, or triangles that would cross
        once their nodes are moved.
    """
    if not (0.0 < real_or_nan(fineness) < math.inf and math.isfinite(real_or_nan(centre))):
        given = f"{shown(fineness)} and {shown(centre)}"
        raise NetworkError(f"expected a fineness above 0 and a centre that is a number, got {given}")
    refuse_other(network, Network, NETWORK)
    if network.n_axes != 2 or axis not in (0, 1):
        raise NetworkError(f"expected a network in the plane and axis 0 or 1, got {network!r} and {axis}")
    apart = network.points[:, axis] - centre
    reach = float(np.abs(apart).max())
    if not reach > 0.0:
        raise NetworkError("all nodes lie on the centre line, so no side has any room to give")
    places = {}
    for sign in (1.0, -1.0):
        side = np.flatnonzero(sign * apart > _SIDE * reach)
        if not side.size:
            continue
        border = float(np.abs(apart[side]).max())
        for node in side.tolist():
            share = abs(float(apart[node])) / border
            # Slope ``fineness`` at the centre, 1 at the border, and rising all the way.
            moved = fineness * share / (1.0 + (fineness - 1.0) * share)
            at = list(network.nodes[node].at)
            at[axis] = centre + sign * border * moved
            places[network.names[node]] = at
    return network.moved(places)
