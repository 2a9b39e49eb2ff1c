"""Contacts as tests of plants compare them."""

import numpy as np

from mocapella.motion.contacts import FOOT_POINTS, Contacts


def overlap(found, true):
    """Mean over the four points of shared frames by frames of either."""
    shares = []
    for name in FOOT_POINTS:
        a, b = found.planted(name), true.planted(name)
        shares.append((a & b).sum() / max((a | b).sum(), 1) if (a | b).any() else 1.0)
    return float(np.mean(shares))


def contacts_of(n_frames, rows):
    return Contacts(n_frames, **dict(zip(FOOT_POINTS, rows, strict=True)))


def contacts_from(masks):
    return Contacts.from_masks({name: masks[:, i] for i, name in enumerate(FOOT_POINTS)})


def true_contacts(truth):
    return Contacts.from_masks({name: truth.planted(name) for name in FOOT_POINTS})
