"""The blending point in time: eased towards its goal, limited by how fast joints may change, with fading weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple, Protocol, runtime_checkable

import msgspec
import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.blending.sliding import brought_in, slide
from mocapella.checks import finite_numbers
from mocapella.errors import MotionError
from mocapella.geometry.curves import smoothstep
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.harmonic_count import approached, arrived, limited, played_count
from mocapella.playback.settings import Number, PlayerSettings, Seconds

Point = tuple[float, ...]
_Index = Annotated[int, msgspec.Meta(ge=-1, le=10**6)]  # of a node or a triangle; −1 where there is none
Coordinates = Sequence[float | int] | np.ndarray


class _PointLimits(NamedTuple):
    """Limits by which a moving point has arrived, and by which the length of its step is searched for."""

    arrived: float = 1e-7  # of the goal's distance from 0, or of 1 where that is less: the point is at its goal
    too_much: float = 1.1  # of the allowed rate of change: a step that needs more is too long
    enough: float = 0.5  # of it: a shortened step that needs less is too short
    tries: int = 8  # steps tried at most
    leap: float = 0.01  # of the network's extent: a place that moves that much further than the point jumped over a gap


LIMITS = _PointLimits()


class EasedPoint(NamedTuple):
    """A point that follows a goal like a weight on a damped spring that never overshoots.

    ``ease`` is the time in seconds in which it covers 90 % of the way; 0 jumps. ``pace`` is its largest speed, in units
    of the plane per second.
    """

    point: Point
    goal: Point
    velocity: Point
    ease: float = 0.3
    pace: float = math.inf

    @property
    def resting(self) -> bool:
        """Whether the point is where it was sent."""
        return self.point == self.goal

    def after(self, dt: float) -> EasedPoint:
        """The point ``dt`` seconds later; without a pace, exactly the same in one step as in many."""
        point, goal, velocity, ease, pace = self
        if point == goal:
            return self
        if ease <= 0.0:
            wanted, velocity = goal, _still(goal)
        else:
            stiffness = 3.89 / ease  # (1 + x) exp(−x) = 0.1 at x = 3.89
            decay = math.exp(-stiffness * dt)
            moved, slowed = [], []
            for p, g, v in zip(point, goal, velocity, strict=True):
                pull = v + stiffness * (p - g)
                moved.append(g + (p - g + pull * dt) * decay)
                slowed.append((v - stiffness * pull * dt) * decay)
            wanted, velocity = tuple(moved), tuple(slowed)
        step = math.dist(wanted, point)
        if step > pace * dt:
            share = pace * dt / step
            wanted = tuple(p + share * (w - p) for p, w in zip(point, wanted, strict=True))
            speed = math.hypot(*velocity)
            velocity = tuple(v * min(1.0, pace / speed) if speed else v for v in velocity)
        scale = max(1.0, max(map(abs, goal)))
        if math.dist(wanted, goal) < LIMITS.arrived * scale and math.hypot(*velocity) < 1e-4 * scale:
            wanted, velocity = goal, _still(goal)
        return EasedPoint(wanted, goal, velocity, ease, pace)

    def held_back(self, ahead: EasedPoint, share: float) -> EasedPoint:
        """The point moved by only ``share``, 0 … 1, of this step."""
        point = tuple(p + share * (q - p) for p, q in zip(self.point, ahead.point, strict=True))
        return EasedPoint(point, ahead.goal, tuple(share * v for v in ahead.velocity), ahead.ease, ahead.pace)


def checked_point(point: Coordinates, like: Point | None = None) -> Point:
    """A blending point as floats; ``MotionError`` for what is no place in the plane."""
    place = finite_numbers(point, "a blending point is given by finite coordinates, such as (0.4, 0.3)")
    if not place or (like is not None and len(place) != len(like)):
        expected = f"{len(like)} coordinates" if like else "coordinates"
        raise MotionError(f"expected a blending point of {expected}, got {place}")
    return place


@runtime_checkable
class Blender(Protocol):
    """Anything that gives a spectrum for a blending point, the same for the same point, such as a network."""

    def blend(self, point: Point) -> Spectrum:
        """The motion at a blending point."""
        ...


class WeightedPlace(msgspec.Struct, frozen=True):
    """A place of a network as plain numbers: its triangle, the nodes that count, and how much."""

    triangle: _Index
    nodes: tuple[_Index, ...]
    weights: tuple[Number, ...]
    point: tuple[Number, ...]
    inside: bool

    @classmethod
    def of(cls, place: Place) -> WeightedPlace:
        """The numbers of a place."""
        nodes, weights = tuple(place.nodes.tolist()), tuple(place.weights.tolist())
        return cls(place.triangle, nodes, weights, place.point, place.inside)

    @property
    def place(self) -> Place:
        """The same as a ``Place``."""
        return Place(self.triangle, np.array(self.nodes), np.array(self.weights), self.point, self.inside)


class WeightFade(msgspec.Struct, frozen=True):
    """The weights that nodes had before triangles or places changed, and how long ago that was.

    The weighted mean of the corners is the point itself, so fading weights move the point evenly.
    """

    nodes: tuple[_Index, ...]
    weights: tuple[Number, ...]
    age: Seconds = 0.0

    @classmethod
    def of(cls, place: Place) -> WeightFade:
        """A fade that begins with the weights at a place."""
        return cls(tuple(place.nodes.tolist()), tuple(place.weights.tolist()))

    def later(self, seconds: float, duration: float) -> WeightFade | None:
        """The fade some seconds later; None once its duration is over."""
        return None if self.age >= duration else WeightFade(self.nodes, self.weights, self.age + seconds)

    def towards(self, place: Place, network: Network, seconds: float) -> Place:
        """A place with the fading old weights mixed in, and the point that these weights make."""
        old = smoothstep(max(0.0, 1.0 - self.age / seconds))
        shares = np.zeros(len(network.nodes))
        np.add.at(shares, list(self.nodes), old * np.array(self.weights))
        np.add.at(shares, place.nodes, (1.0 - old) * place.weights)
        nodes = np.flatnonzero(shares)
        return Place(place.triangle, nodes, shares[nodes], tuple((shares @ network.points).tolist()), place.inside)


_Count = Annotated[float, msgspec.Meta(ge=0.0, le=1e6)]


class PointState(msgspec.Struct, frozen=True):
    """The blending point of one character."""

    point: tuple[Number, ...]
    goal: tuple[Number, ...]
    velocity: tuple[Number, ...]
    pace: float | None = None  # its limit on the way to the node of a triggered arc; None: the settings'
    aim: WeightedPlace | None = None  # where it is in a network, or has slid to along the outline
    fade: WeightFade | None = None
    harmonics: _Count | None = None  # the fractional number while it changes; None: the settings'

    @property
    def steady(self) -> bool:
        """Whether neither weights fade nor the number of harmonics changes."""
        return self.fade is None and self.harmonics is None

    def sent(self, goal: Point) -> PointState:
        """The same point with another goal."""
        return PointState(self.point, goal, self.velocity, self.pace, self.aim, self.fade, self.harmonics)

    def called(self, goal: Point, network: Network, settings: PlayerSettings) -> PointState:
        """The same, sent to the node of a triggered arc at the speed of ``PlayerSettings.crossing``."""
        size = float(np.linalg.norm(np.ptp(network.points, axis=0)))
        pace = min(_limit(settings.pace), max(size, 1e-6) / settings.crossing)
        return PointState(self.point, goal, self.velocity, pace, self.aim, self.fade, self.harmonics)


class Blended(NamedTuple):
    """A blending point, its place, the place that is blended (the same, unless weights fade), and the motion there."""

    at: PointState
    aim: Place | None
    place: Place | None
    spectrum: Spectrum


def checked_goal(network: Blender | Spectrum, point: Coordinates, at: PointState | None = None) -> Point:
    """A point to send the blending point to, brought into a network that clamps.

    ``at`` is where it is; None to begin with. Raises ``MotionError`` for what is no point of the plane, or cannot be
    blended.
    """
    goal = checked_point(point, like=None if at is None else at.point)
    if not isinstance(network, Network):
        return goal
    if network.outside == "clamp":
        return brought_in(network, goal, None if at is None or at.aim is None else at.aim.place)
    network.blend(goal)  # raises now what would otherwise be raised on the way
    return goal


def start_at(network: Blender | Spectrum, point: Coordinates, settings: PlayerSettings) -> Blended:
    """A blending point that rests at a point of a network."""
    goal = checked_goal(network, point)
    return blended(network, PointState(goal, goal, _still(goal)), settings)


def put_on_node(network: Network, node: str, settings: PlayerSettings) -> Blended:
    """A blending point on a node of another network, with weight 1 on that node.

    Where no open triangle touches the node, the blend fades from it to the nearest open place.
    """
    index = network.index(node)
    goal = network.nodes[index].at
    aim = network.place(goal)
    alone = abs(float(aim.weights[aim.nodes == index].sum()) - 1.0) < 1e-9
    fade = None if alone else WeightFade((index,), (1.0,))
    return _blended_at(network, PointState(goal, goal, _still(goal), None, None, fade), aim, settings)


def open_in(network: Network, before: Blended, settings: PlayerSettings) -> Blended:
    """The same point with other open triangles: the weights before fade into the new ones."""
    at, place = before.at, before.place
    assert place is not None
    here, goal = network.place(place.point), network.place(at.goal).point
    moved = PointState(here.point, goal, _still(goal), at.pace, None, WeightFade.of(place), at.harmonics)
    return _blended_at(network, moved, here, settings)


def rearranged_in(network: Network, at: PointState, settings: PlayerSettings) -> Blended:
    """The same point in a network whose nodes have moved or whose triangles have changed."""
    aim = network.place(at.point)
    network.blend(aim)  # raises now where the point cannot be blended there
    return _blended_at(network, at, aim, settings)


def blended(network: Blender | Spectrum, at: PointState, settings: PlayerSettings) -> Blended:
    """The blend of a network at a point; the search for its place starts at the last one."""
    return _blended_at(network, at, None if at.aim is None else at.aim.place, settings)


def move_point(
    network: Blender | Spectrum,
    before: Blended,
    settings: PlayerSettings,
    dt: float,
    give: float,
    load: Callable[[Spectrum, Place | None], float],
) -> Blended:
    """A blending point ``dt`` seconds later, slowed by the share ``give`` and limited by how fast joints may change.

    A blend changes unevenly along the way: in a thin triangle between close nodes all of it may change. So the end of
    this step is searched for; the point keeps its velocity. Where the outline has a gap and the point comes to its
    other side, weights fade.

    ``give`` is the share of its step that planted feet allow, 0 … 1. ``load`` returns the rate of change towards a
    motion within this step, as a multiple of the allowed rate. Returns the same motion object where the point rests.
    Raises ``MotionError`` where the motion on its way cannot be blended.
    """
    at = before.at
    pace = _limit(settings.pace if at.pace is None else at.pace)
    here = EasedPoint(at.point, at.goal, at.velocity, settings.ease, pace)
    ahead = here.after(dt)
    if ahead.point == here.point and at.steady:
        return before if ahead is here else before._replace(at=_eased(at, ahead, None, None))
    if give < 1.0:
        ahead = here.held_back(ahead, give)
    aim, fading, seconds = before.aim, at.fade, give * dt
    share, low, high, steep = 1.0, 0.0, 1.0, 1.0
    for _ in range(LIMITS.tries):
        there = ahead if share == 1.0 else here.held_back(ahead, share)._replace(velocity=ahead.velocity)
        fade = None if fading is None else fading.later(share * seconds, settings.fade)
        count = approached(at.harmonics, settings, share * seconds)
        reached = _blended_at(network, _eased(at, there, fade, count), aim, settings)
        if share == 1.0 and before.place is not None and _leapt(network, aim, reached, here.point):
            fading = WeightFade.of(before.place)
            reached = blended(network, _eased(reached.at, there, fading, count), settings)
        asked = load(reached.spectrum, reached.place)
        if asked > LIMITS.too_much:
            high = share
        elif share == 1.0 or asked > LIMITS.enough:
            break
        else:
            low = share
        share = low + (high - low) * (0.5 if low else min(max(1.0 / asked, 0.05), steep))
        steep = 0.2  # where halving did not help, most of the change is near the beginning
    return reached


def _limit(pace: float | None) -> float:
    return math.inf if pace is None else pace


def _still(point: Point) -> Point:
    return (0.0,) * len(point)


def _eased(at: PointState, there: EasedPoint, fade: WeightFade | None, harmonics: float | None) -> PointState:
    return PointState(there.point, there.goal, there.velocity, at.pace, at.aim, fade, harmonics)


def _blended_at(network: Blender | Spectrum, at: PointState, aim: Place | None, settings: PlayerSettings) -> Blended:
    """The blend of a network at a point; ``aim`` is the place before."""
    count = played_count(at.harmonics, settings)
    if not isinstance(network, Network):
        spectrum = network if isinstance(network, Spectrum) else network.blend(at.point)
        left = arrived(at.harmonics, settings, spectrum)
        reached = at if left is at.harmonics else msgspec.structs.replace(at, harmonics=left)
        return Blended(reached, None, None, limited(spectrum, count))
    aim = network.place(at.point) if aim is None else slide(network, aim, at.point)
    place = aim if at.fade is None else at.fade.towards(aim, network, settings.fade)
    spectrum = network.blend(place)
    left = arrived(at.harmonics, settings, spectrum)
    reached = PointState(at.point, at.goal, at.velocity, at.pace, WeightedPlace.of(aim), at.fade, left)
    return Blended(reached, aim, place, limited(spectrum, count))


def _leapt(network: Blender | Spectrum, aim: Place | None, reached: Blended, start: Point) -> bool:
    """Whether the place went further than the point did."""
    there = reached.aim
    if aim is None or there is None or (aim.inside and there.inside):
        return False
    assert isinstance(network, Network)
    scale = network.mesh.scale
    far = np.linalg.norm(scale * np.subtract(there.point, aim.point))
    return bool(far > LIMITS.leap + 2.0 * np.linalg.norm(scale * np.subtract(reached.at.point, start)))
