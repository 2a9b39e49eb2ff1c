"""Another network under a character that is being played: the same motions elsewhere, or other motions."""

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.blending.network import Network, Node
from mocapella.errors import MotionError
from mocapella.files.formats import load
from mocapella.geometry import quaternions
from mocapella.measure.slip import footing
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


@pytest.mark.parametrize("lone", [False, True])
def test_other_motions_are_gone_over_to_from_where_it_is(network, lone):
    runs = [analyse(prepare(perform("run", speed=speed)[0]), harmonics=10) for speed in (2.4, 3.2)]
    places = ((0.0, 1.0), (0.0, 2.0))
    other = runs[0] if lone else Network([Node(f"{at}", at, run) for at, run in zip(places, runs, strict=True)])
    player = Player(network, point=(0.0, 1.2))
    played(player, 1.0)
    phase, place = player.phase, player.position
    player.network = other
    assert (player.phase, player.position) == (phase, place)
    clip, contacts = played(player, 2.0)
    own = largest_turn(played(Player(other), 2.0)[0])
    assert largest_turn(clip) < 1.5 * own
    assert footing(clip, contacts).slip_mm_max < 1.0
    assert player.speed > 2.0


def test_what_cannot_be_played_is_refused_and_nothing_changes(network, data_folder):
    player = Player(network, point=(0.1, 1.2))
    player.step(0.3)
    before = player.snapshot().to_json()
    stranger = analyse(prepare(load(data_folder / "cmu-bvh" / "16" / "16_47.bvh")), harmonics=10)
    with pytest.raises(MotionError, match="same skeleton"):
        player.network = stranger
    assert player.network is network
    assert player.snapshot().to_json() == before


def test_a_hybrid_network_is_not_exchanged(hybrid, network):
    player = Player(hybrid)
    with pytest.raises(MotionError, match="modes"):
        player.network = network
    assert player.network is hybrid
