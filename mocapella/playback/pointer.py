"""The blending point in time: eased, gliding, limited."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from mocapella.blending.network import Network
from mocapella.blending.places import Place
from mocapella.blending.sliding import brought_in, slide
from mocapella.checks import finite_numbers
from mocapella.errors import MotionError
from mocapella.geometry.curves import smoothstep
from mocapella.motion.spectrum import Spectrum

# The blending point on its way to where it was sent: at once, but never with a jerk.

Point = tuple[float, ...]
Coordinates = Sequence[float | int] | np.ndarray

_ARRIVED = 1e-7  # of the distance it was sent over, or of 1 where that is less


class EasedPoint(NamedTuple):
    """A point that follows a goal like a weight on a damped spring that never overshoots.

    ``ease`` is the time in seconds after which nine tenths of the way are gone; 0 jumps. ``pace`` is the most it may
    move per second, in units of the plane.
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

    def sent(self, goal: Point) -> EasedPoint:
        """The same point with another goal."""
        return EasedPoint(self.point, goal, self.velocity, self.ease, self.pace)

    def after(self, dt: float) -> EasedPoint:
        """The point ``dt`` seconds later; without a pace, exactly the same in one step as in many."""
        point, goal, velocity, ease, pace = self
        if point == goal:
            return self
        still = (0.0,) * len(goal)
        if ease <= 0.0:
            wanted, velocity = goal, still
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
        if math.dist(wanted, goal) < _ARRIVED * scale and math.hypot(*velocity) < 1e-4 * scale:
            wanted, velocity = goal, still
        return EasedPoint(wanted, goal, velocity, ease, pace)

    def held_back(self, ahead: EasedPoint, share: float) -> EasedPoint:
        """Only ``share`` of the way, 0 … 1, to where the point would have been."""
        point = tuple(p + share * (q - p) for p, q in zip(self.point, ahead.point, strict=True))
        return EasedPoint(point, ahead.goal, tuple(share * v for v in ahead.velocity), ahead.ease, ahead.pace)


def checked_point(point: Coordinates, like: Point | None = None) -> Point:
    """A blending point as floats; refuses what is no place in the plane."""
    place = finite_numbers(point, "a blending point is given by finite coordinates, such as (0.4, 0.3)")
    if not place or (like is not None and len(place) != len(like)):
        expected = f"{len(like)} coordinates" if like else "coordinates"
        raise MotionError(f"expected a blending point of {expected}, got {place}")
    return place


# A blend on its way from one set of weights to another, when the triangles under the blending point change.

SECONDS = 0.5  # in which the old weights are gone, where the body can follow so quickly


@dataclass(frozen=True)
class Glide:
    """The weights that nodes had before, and how long ago that was.

    Weights of a triangle put its corners' mean where the point is, so weights that glide move the point evenly.
    """

    nodes: tuple[int, ...]
    weights: tuple[float, ...]
    age: float = 0.0  # seconds

    @classmethod
    def of(cls, place: Place) -> Glide:
        """Away from a place."""
        return cls(tuple(place.nodes.tolist()), tuple(place.weights.tolist()))

    @property
    def done(self) -> bool:
        """Whether nothing is left of the old weights."""
        return self.age >= SECONDS

    def after(self, dt: float) -> Glide:
        """The same, ``dt`` seconds later."""
        return replace(self, age=self.age + dt)

    def towards(self, place: Place, network: Network) -> Place:
        """A place with what is left of the old weights mixed in, and the point that they make."""
        old = smoothstep(max(0.0, 1.0 - self.age / SECONDS))
        shares = np.zeros(len(network.nodes))
        np.add.at(shares, list(self.nodes), old * np.array(self.weights))
        np.add.at(shares, place.nodes, (1.0 - old) * place.weights)
        nodes = np.flatnonzero(shares)
        point = tuple((shares @ network.points).tolist())
        return Place(place.triangle, nodes, shares[nodes], point, place.inside)


# The blending point of one character, in what is open to it.

CROSSING = 1.0  # seconds that a point takes at least across its network to a node it was called to
MOST, ENOUGH = 1.1, 0.5  # of what a body bears: a way that asks for more is too long, for less too short
TRIES = 8  # at most, until it is neither
_LEAP = 0.01  # of the network's spread: further than the point goes, and this, is over a gap


@runtime_checkable
class Blender(Protocol):
    """What a player plays: anything that makes a spectrum of a blending point, such as a network."""

    def blend(self, point: Point) -> Spectrum:
        """The motion at a blending point."""
        ...


class Pointer:
    """A blending point on its way to where it was sent, and the motion that it asks for.

    Parameters
    ----------
    network
        What gives motions to points; a single spectrum is the motion of all.
    point
        Where it starts.
    ease, pace
        As an ``EasedPoint``'s.
    """

    def __init__(
        self, network: Blender | Spectrum, point: Coordinates, ease: float = 0.3, pace: float = math.inf
    ) -> None:
        self.network = network
        self.pace = pace  # its own; on its way to a node it may be slower
        self.aim: Place | None = None  # where the point is, or has slid to along the outline
        start = self._in_reach(checked_point(point))
        self.eased = EasedPoint(start, start, tuple(0.0 for _ in start), ease, pace)
        self.place: Place | None = None  # what is blended: the same, unless it glides there
        self.glide: Glide | None = None
        self.spectrum = self.blended()

    @property
    def point(self) -> Point:
        """Where it is."""
        return self.eased.point

    def checked(self, point: Coordinates) -> Point:
        """A point in the same plane, brought into a network that clamps; refuses what is none, or cannot be blended."""
        return self._in_reach(checked_point(point, like=self.eased.point))

    def send(self, goal: Point) -> None:
        """Send it somewhere."""
        self.eased = self.eased.sent(goal)

    def call(self, goal: Point) -> None:
        """Send it somewhere, no faster than a network is crossed."""
        size = float(np.linalg.norm(np.ptp(self.known.points, axis=0)))
        self.eased = self.eased.sent(goal)._replace(pace=min(self.pace, max(size, 1e-6) / CROSSING))

    def release(self, goal: Point) -> None:
        """Send it somewhere at its own pace again."""
        self.eased = self.eased.sent(goal)._replace(pace=self.pace)

    def put_on(self, network: Network, node: str) -> None:
        """Put it on a node of another network, which counts alone there.

        Where nothing that is open touches the node, the blend glides from it to the nearest place that is.
        """
        index = network.index(node)
        at = network.nodes[index].at
        still = tuple(0.0 for _ in at)
        self.network, self.aim = network, network.place(at)
        self.eased = self.eased._replace(point=at, goal=at, velocity=still, pace=self.pace)
        alone = abs(float(self.aim.weights[self.aim.nodes == index].sum()) - 1.0) < 1e-9
        self.glide = None if alone else Glide((index,), (1.0,))
        self.spectrum = self.blended()

    def open(self, network: Network) -> None:
        """Other triangles are open: what was blended so far glides into what they make of it."""
        before = self.known_place
        here, goal = network.place(before.point), network.place(self.eased.goal).point
        still = tuple(0.0 for _ in goal)
        self.network, self.glide = network, Glide.of(before)
        self.aim = here
        self.eased = self.eased._replace(point=here.point, goal=goal, velocity=still)
        self.spectrum = self.blended()

    def rearrange(self, network: Network) -> None:
        """The same motions lie elsewhere, or are joined otherwise; the point is, and goes, where it was and did."""
        aim = network.place(self.eased.point)
        network.blend(aim)  # refuses now what cannot be blended there, while all is as it was
        self.network, self.aim = network, aim
        self.spectrum = self.blended()

    def glide_from(self, place: Place) -> None:
        """Glide to what is asked for now, from what was blended at a place before."""
        self.glide = Glide.of(place)
        self.spectrum = self.blended()

    def swap(self, network: Network) -> None:
        """The same triangles with another motion on a node that does not count here."""
        self.network = network
        self.spectrum = self.blended()

    def move(self, dt: float, give: float, load: Callable[[Spectrum], float]) -> bool:
        """Go on for ``dt`` seconds, no faster than by the share ``give``, nor further than a body bears.

        ``load`` says how many times more than that a motion would ask for; True where there is another motion then.
        Where the outline has a gap and the point comes to the other side of it, the blend glides over. What cannot be
        blended is an error, and the point stays where it was.
        """
        ahead = self.eased.after(dt)
        if ahead.point == self.eased.point and self.glide is None:
            self.eased = ahead
            return False
        if give < 1.0:
            ahead = self.eased.held_back(ahead, give)
        before = self.eased, self.glide, self.aim, self.place, self.spectrum
        try:
            self._approach(ahead, give * dt, load)
        except MotionError:
            self.eased, self.glide, self.aim, self.place, self.spectrum = before
            raise
        return True

    def _approach(self, ahead: EasedPoint, seconds: float, load: Callable[[Spectrum], float]) -> None:
        """Go to where it would be in so many seconds, or as far as a body bears.

        A blend changes unevenly along the way: in the sliver of a triangle between nodes that lie close together all of
        it may change. So where the way has to end is looked for. That does not take the point's impetus.
        """
        start, gliding, aim, place = self.eased, self.glide, self.aim, self.place
        share, low, high, steep = 1.0, 0.0, 1.0, 1.0
        for _ in range(TRIES):
            self.eased = ahead if share == 1.0 else start.held_back(ahead, share)._replace(velocity=ahead.velocity)
            self.glide = None if gliding is None or gliding.done else gliding.after(share * seconds)
            self.aim = aim
            self.spectrum = self.blended()
            if share == 1.0 and place is not None and self._leapt(aim, start):
                gliding = self.glide = Glide.of(place)
                self.spectrum = self.blended()
            asked = load(self.spectrum)
            if asked > MOST:
                high = share
            elif share == 1.0 or asked > ENOUGH:
                break
            else:
                low = share
            share = low + (high - low) * (0.5 if low else min(max(1.0 / asked, 0.05), steep))
            steep = 0.2  # where it did not help to shorten the way evenly, all of the change is near its beginning

    def blended(self) -> Spectrum:
        """The motion that is asked for; in a network also the place, near the last one, so found at once."""
        network = self.network
        if isinstance(network, Network):
            point = self.eased.point
            self.aim = aim = network.place(point) if self.aim is None else slide(network, self.aim, point)
            self.place = aim if self.glide is None else self.glide.towards(aim, network)
            return network.blend(self.place)
        return network if isinstance(network, Spectrum) else network.blend(self.eased.point)

    def _in_reach(self, point: Point) -> Point:
        network = self.network
        if not isinstance(network, Network):
            return point
        if network.outside == "clamp":
            return brought_in(network, point, self.aim)
        network.blend(point)  # refuses now what would have to be refused on the way
        return point

    def _leapt(self, aim: Place | None, start: EasedPoint) -> bool:
        """Whether the place went further than the point did, away from an aim."""
        now = self.aim
        if aim is None or now is None or (aim.inside and now.inside):
            return False
        scale = self.known.mesh.scale
        far = np.linalg.norm(scale * np.subtract(now.point, aim.point))
        return bool(far > _LEAP + 2.0 * np.linalg.norm(scale * np.subtract(self.eased.point, start.point)))

    @property
    def known(self) -> Network:
        """The network, where it is one of triangles."""
        assert isinstance(self.network, Network)
        return self.network

    @property
    def known_place(self) -> Place:
        """Where it lies in the network."""
        assert self.place is not None
        return self.place
