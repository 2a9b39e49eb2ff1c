"""The same motions in other places, under a character that is being played."""

import numpy as np
import pytest

from mocapella.blending.network import Network
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.measure.footskate import footing
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.playback.player import Player

RATE = 60


def played(player, seconds, before_frame=lambda frame: None):
    """The clip that a player makes, its plants as it has them, while something else is done to it."""
    roots, rotations, planted = [], [], []
    for frame in range(round(seconds * RATE)):
        before_frame(frame)
        pose = player.step(1.0 / RATE)
        roots.append(pose.root_position)
        rotations.append(pose.rotations_wxyz)
        planted.append(player.planted)
    masks = np.array(planted)
    contacts = Contacts.from_masks({point: masks[:, i] for i, point in enumerate(FOOT_POINTS)})
    return Clip(player.skeleton, np.array(roots), np.array(rotations), frame_rate=float(RATE)), contacts


def largest_turn(clip):
    """The furthest any joint turns from one frame to the next, degrees."""
    return float(np.degrees(quaternions.angle_between(clip.rotations_wxyz[1:], clip.rotations_wxyz[:-1]).max()))


def dragged(network, by):
    """The network with its node in the middle moved."""
    node = network.nodes[len(network.nodes) // 2]
    return network.moved({node.name: tuple(np.add(node.at, by))})


def test_a_node_that_is_moved_changes_the_blend_at_once(network):
    player = Player(network, point=(0.1, 1.2))
    player.step(0.5)
    moved = dragged(network, (0.02, 0.05))
    player.network = moved
    assert player.network is moved
    player.step(1.0 / RATE)
    np.testing.assert_allclose(player.spectrum.coefficients, moved.blend((0.1, 1.2)).coefficients, atol=1e-12)
    assert np.abs(player.spectrum.coefficients - network.blend((0.1, 1.2)).coefficients).max() > 1e-4


def test_while_a_node_is_dragged_the_body_follows_without_a_leap_and_no_foot_slides(network):
    player = Player(network, point=(0.1, 1.2))
    usual = largest_turn(played(player, 2.0)[0])
    aside = 0.0

    def drag(frame):
        nonlocal aside
        aside = 0.25 * np.sin(frame / 15.0)
        player.network = dragged(network, (aside, 0.5 * aside))

    clip, contacts = played(player, 3.0, drag)
    assert largest_turn(clip) < 1.2 * usual
    assert footing(clip, contacts).slip_mm_max < 1.0
    np.testing.assert_allclose(
        player.spectrum.coefficients,
        dragged(network, (aside, 0.5 * aside)).blend((0.1, 1.2)).coefficients,
        atol=1e-12,
    )


def test_what_would_change_much_glides(network):
    elsewhere = network.moved({node.name: tuple(np.add(node.at, (0.6, 0.3))) for node in network.nodes})
    player = Player(network, point=(0.0, 1.4))
    usual = largest_turn(played(player, 2.0)[0])
    player.network = elsewhere
    wanted = elsewhere.blend((0.0, 1.4)).coefficients
    player.step(1.0 / RATE)
    assert np.abs(player.spectrum.coefficients - wanted).max() > 0.01
    clip, contacts = played(player, 2.0)
    assert largest_turn(clip) < 1.5 * usual
    assert footing(clip, contacts).slip_mm_max < 1.0
    np.testing.assert_allclose(player.spectrum.coefficients, wanted, atol=1e-9)


@pytest.mark.parametrize("frames", [1, 5, 24])
def test_who_changes_his_mind_while_it_glides_makes_nothing_leap(network, frames):
    player = Player(network, point=(0.0, 1.4))
    usual = largest_turn(played(player, 2.0)[0])

    def to_and_fro(frame):
        if frame % frames == 0:
            aside = 0.7 if frame // frames % 2 else -0.7
            player.network = network.moved({node.name: (node.at[0] + aside, node.at[1]) for node in network.nodes})

    clip, contacts = played(player, 2.0, to_and_fro)
    assert largest_turn(clip) < 1.5 * usual
    assert footing(clip, contacts).slip_mm_max < 1.0


def test_a_network_that_passes_under_the_point_leaves_it_where_it_is(network):
    player = Player(network, point=(0.1, 1.2))
    player.network = network.moved({node.name: (node.at[0] - 5.0, node.at[1]) for node in network.nodes})
    played(player, 1.0)
    player.network = network
    played(player, 1.0)
    assert player.point == (0.1, 1.2)
    np.testing.assert_allclose(player.spectrum.coefficients, network.blend((0.1, 1.2)).coefficients, atol=1e-9)


def test_other_motions_are_refused_and_nothing_changes(network, walk, hybrid):
    player = Player(network, point=(0.1, 1.2))
    player.step(0.3)
    before = player.snapshot().to_json()
    first = network.nodes[0].name
    for other in (network.with_spectra({first: walk}), Network(network.nodes[:3]), Network(network.nodes, harmonics=4)):
        with pytest.raises(MotionError, match=r"same motions.*network\.moved"):
            player.network = other
    assert player.network is network
    assert player.snapshot().to_json() == before
    lone = Player(hybrid)
    with pytest.raises(MotionError, match="same motions"):
        lone.network = network
