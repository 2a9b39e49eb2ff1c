"""A blending point goes no faster than a body bears, even where the blend changes all at once."""

from __future__ import annotations

import numpy as np
import pytest

from mocapella.blending.network import Network, Node
from mocapella.errors import NetworkError
from mocapella.motion.spectrum import Spectrum
from mocapella.playback.pointer import MOST, Pointer
from tests.blending.samples import spectrum, star

BEARABLE = 0.05  # of the change in a step


class Sliver:
    """Two motions with next to nothing between them, as nodes make it that lie side by side."""

    width = 0.01

    def blend(self, point: tuple[float, ...]) -> Spectrum:
        share = min(max((point[0] - 0.5) / self.width, 0.0), 1.0)
        return Spectrum(np.array([[share + 0j]]), duration=1.0)


def level(spectrum: Spectrum) -> float:
    return float(spectrum.coefficients[0, 0].real)


def moves(pointer: Pointer, give: float = 1.0, steps: int = 200) -> list[float]:
    """What is blended after each step on the way."""
    levels = [level(pointer.spectrum)]

    def load(spectrum: Spectrum) -> float:
        return abs(level(spectrum) - levels[-1]) / BEARABLE

    for _ in range(steps):
        pointer.move(1 / 60, give, load)
        levels.append(level(pointer.spectrum))
    return levels


@pytest.mark.parametrize("goal", [0.505, 0.6, 3.0])
def test_no_step_changes_more_than_is_bearable_however_thin_the_triangle(goal):
    pointer = Pointer(Sliver(), (0.0,))
    pointer.send((goal,))
    levels = moves(pointer)
    assert np.abs(np.diff(levels)).max() <= MOST * BEARABLE + 1e-9
    np.testing.assert_allclose(pointer.point, (goal,))


def test_a_point_held_up_in_a_sliver_goes_on_as_quickly_as_before():
    pointer, free = Pointer(Sliver(), (0.0,)), Pointer(Sliver(), (0.0,))
    pointer.send((3.0,))
    free.send((3.0,))
    moves(pointer, steps=60)
    for _ in range(60 - round(1.3 / BEARABLE)):  # a change of 1 takes so many steps, and a few as it comes and goes
        free.move(1 / 60, 1.0, lambda _: 0.0)
    assert pointer.point[0] >= free.point[0]


def test_a_point_that_may_not_move_stays_though_it_was_sent():
    pointer = Pointer(Sliver(), (0.0,))
    pointer.send((1.0,))
    moves(pointer, give=0.0, steps=10)
    assert pointer.point == (0.0,)
    assert pointer.follower.goal == (1.0,)


def test_between_the_points_of_a_star_the_blend_slides_and_then_glides_over_the_gap():
    network = star()
    tip, other = network.nodes[1].at, network.nodes[3].at
    pointer = Pointer(network, tip)
    pointer.send(other)
    weights = []
    for _ in range(240):
        pointer.move(1 / 60, 1.0, lambda _: 0.0)
        shares = np.zeros(len(network.nodes))
        shares[pointer.known_place.nodes] = pointer.known_place.weights
        weights.append(shares)
    assert np.abs(np.diff(weights, axis=0)).max() < 0.12
    np.testing.assert_allclose(pointer.known_place.point, other, atol=1e-6)


def test_what_cannot_be_blended_leaves_the_point_where_it_was():
    nodes = [Node("short", (0.0, 0.0), spectrum(0, duration=0.5)), Node("long", (1.0, 0.0), spectrum(1, duration=1.0))]
    pointer = Pointer(Network(nodes, outside="extrapolate"), (0.5, 0.0), ease=0.0)
    pointer.send((-40.0, 0.0))
    before = pointer.point, pointer.known_place, pointer.spectrum
    with pytest.raises(NetworkError, match="would last"):
        pointer.move(1 / 60, 1.0, lambda _: 0.0)
    assert (pointer.point, pointer.known_place, pointer.spectrum) == before
    pointer.send((0.7, 0.0))
    pointer.move(1 / 60, 1.0, lambda _: 0.0)
    assert pointer.point == (0.7, 0.0)
