"""Networks and measurements for the tests of crowds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from mocapella.analysis.fourier import analyse
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.motion.layout import QuaternionLayout
from mocapella.motion.skeleton import Skeleton
from tests.playback.samples import walking_cycles


@cache
def walks(harmonics=8, **options) -> Network:
    nodes = [Node(c.name, (c.turn / c.duration, c.speed), analyse(c, harmonics=harmonics)) for c in walking_cycles()]
    return Network(nodes, **options)


@cache
def with_fingers(n):
    """The walks with so many joints, those added hanging on the hands."""
    plain = walks()
    skeleton = plain.layout.skeleton
    more = n - skeleton.n_joints
    hands = [skeleton.names.index(name) for name in ("LeftHand", "RightHand")]
    larger = Skeleton.of(
        [*skeleton.names, *(f"finger{i}" for i in range(more))],
        [*skeleton.parents.tolist(), *(hands[i % 2] for i in range(more))],
        np.concatenate([skeleton.offsets, np.full((more, 3), 0.02)]),
    )
    rng = np.random.default_rng(1)
    nodes = []
    for node in plain.nodes:
        spectrum = node.spectrum
        fingers = 0.02 * rng.normal(size=(spectrum.n_harmonics + 1, 4 * more)).astype(np.complex128)
        fingers[0, ::4] = 1.0
        own = np.concatenate([spectrum.coefficients[:, :-4], fingers, spectrum.coefficients[:, -4:]], axis=1)
        nodes.append(Node(node.name, node.at, replace(spectrum, coefficients=own, layout=QuaternionLayout(larger))))
    return Network(nodes)


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
