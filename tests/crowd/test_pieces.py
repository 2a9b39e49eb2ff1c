from __future__ import annotations

import numpy as np
import pytest

from mocapella.blending.network import Network
from mocapella.blending.rules import RULES
from mocapella.blending.single_source.ssh import SingleSource
from mocapella.crowd.crowd import Crowd
from mocapella.motion import kinematics
from mocapella.playback.player import Player
from mocapella.steering.calibration import calibrated
from tests.crowd.samples import foot_points, slips, walks

SHARES = np.array([[0.23, 0.46, 0.31], [0.61, 0.06, 0.33]])  # of a triangle's nodes: at no corner of a cell
KINDS = [
    *({"rule": rule} for rule in RULES if rule not in ("naive", "lively")),  # lively is what test_crowd.py plays
    {"interpolant": "natural"},
    {"outside": "extrapolate"},
    {"single_source": SingleSource(first=5)},
]


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_networks_of_every_kind_are_played_as_players_do(options):
    _goes_as_players_do(Network(_triangle(), **options))


def test_calibrated_networks_are_played_as_players_do():
    _goes_as_players_do(calibrated({node.name: node.spectrum for node in _triangle()}))


def _triangle():
    """The walks of one triangle: cells of others cost time and show nothing more."""
    return [walks().nodes[i] for i in walks().corners[0]]


def test_the_naive_rule_is_played_as_players_do_above_the_legs():
    """Feet of such blends slide by decimetres while they stand: where they are held depends on when they began to."""
    crowd, ours, theirs, _ = _played(Network(_triangle(), rule="naive"))
    skeleton = crowd.skeleton
    hips = {leg.joints[leg.hip] for leg in crowd.tables.legs}
    above = [joint for joint in range(skeleton.n_joints) if not hips & set(skeleton.path(joint))]
    assert _apart(ours, theirs)[:, :, above].mean(axis=(0, 2)).max() < 1e-3


def _goes_as_players_do(network):
    _, ours, theirs, slid = _played(network)
    assert _apart(ours, theirs).mean(axis=(0, 2)).max() < 1e-3
    ways = [np.linalg.norm(np.diff(one[:, :, 0, ::2], axis=0), axis=-1).sum(axis=0) for one in (ours, theirs)]
    np.testing.assert_allclose(ways[0], ways[1], rtol=2e-3)
    assert slid.max() < 1e-3


def _apart(ours, theirs):
    return np.linalg.norm((ours - ours[:, :, :1]) - (theirs - theirs[:, :, :1]), axis=-1)


def _played(network):
    """Joints of a crowd and of players at the same points, and how far the crowd's planted feet slide."""
    points = [tuple(shares @ network.points[network.corners[0]]) for shares in SHARES]
    players = [Player(network, point=point) for point in points]
    n = len(points)
    headings = np.array([player.heading for player in players])
    crowd = Crowd(network, n, points=points, phases=np.zeros(n), positions=np.zeros((n, 2)), headings=headings)
    ours, theirs, tracks, planted = [], [], [], []
    for _ in range(50):
        crowd.step(1 / 60)
        ours.append(crowd.poses()[..., 3].copy())
        tracks.append(foot_points(crowd))
        planted.append(crowd.planted)
        poses = [player.step(1 / 60) for player in players]
        roots = np.array([pose.root_position for pose in poses])
        rotations = np.array([pose.rotations_wxyz for pose in poses])
        theirs.append(kinematics.forward(crowd.skeleton, roots, rotations)[0])
    return crowd, np.array(ours), np.array(theirs), slips(np.array(tracks), np.array(planted))
