"""Networks and measurements for the tests of crowds."""

from __future__ import annotations

from functools import cache

import numpy as np

from mocapella.analysis.fourier import analyse
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from tests.playback.samples import walking_cycles


@cache
def walks(**options) -> Network:
    nodes = [Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=8)) for c in walking_cycles()]
    return Network(nodes, **options)


def foot_points(crowd):
    """Heels and toes of all characters: (characters, 4, 3), metres."""
    legs = crowd.tables.legs
    feet = crowd.poses()[:, [leg.joints[-1] for leg in legs]]
    ends = np.array([[leg.heel, leg.toe] for leg in legs])
    places = np.einsum("nfij,fpj->nfpi", feet[..., :3], ends) + feet[:, :, None, :, 3]
    return places.reshape(len(crowd), 4, 3)


def slips(tracks, planted):
    """How far each plant slid, metres: tracks (frames, characters, 4, 3), planted (frames, characters, 4)."""
    out = []
    for character in range(tracks.shape[1]):
        for point in range(4):
            mask = planted[:, character, point].astype(int)
            edges = np.flatnonzero(np.diff([0, *mask, 0]))
            for first, last in zip(edges[::2], edges[1::2], strict=True):
                if last - first >= 3 and first > 0:
                    way = tracks[first:last, character, point][:, [0, 2]]
                    out.append(np.linalg.norm(way - way[0], axis=1).max())
    return np.array(out)


def played(crowd, frames, dt=1 / 60, each=lambda frame: None):
    """Foot points, plants and joints of all frames."""
    tracks, planted, joints = [], [], []
    for frame in range(frames):
        each(frame)
        crowd.step(dt)
        tracks.append(foot_points(crowd))
        planted.append(crowd.planted)
        joints.append(crowd.poses()[..., 3].copy())
    return np.array(tracks), np.array(planted), np.array(joints)
