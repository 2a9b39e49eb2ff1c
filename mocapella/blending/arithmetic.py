"""Sums and differences of motions: what a left turn has over the straight walk can be added to a run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mocapella.arrays import owned
from mocapella.blending.blend import with_like_signs
from mocapella.blending.contacts import blend_contacts
from mocapella.blending.given import spectra_given
from mocapella.errors import NetworkError
from mocapella.motion.spectrum import Spectrum
from mocapella.reals import real_or_nan, shown

SHORTEST = 0.25  # of the base's duration: what a sum may at least last


def with_quality(
    base: Spectrum, plain: Spectrum, special: Spectrum, scale: float | int = 1.0, *, name: str = ""
) -> Spectrum:
    """``base + scale · (special − plain)``: the base motion with what the special one has over the plain one.

    A slow left turn is ``with_quality(slow, walk, walk_left)``. All must be in step. Durations are reckoned alike, and
    foot plants too where all three know theirs, as begin and length of arcs; other harmonics than all have are left
    out. Scale 0 gives the base, a special motion that equals the plain one as well.

    Raises
    ------
    NetworkError
        Where the scale is no finite number, or the sum would last less than a quarter of what the base does.
    """
    if not math.isfinite(real_or_nan(scale)):
        raise NetworkError(f"expected a scale that is a finite number, got {shown(scale)}; 1 adds the whole difference")
    base_, plain_, special_ = with_like_signs(spectra_given([base, plain, special]))
    rows = min(spectrum.n_harmonics for spectrum in (base, plain, special)) + 1
    duration = base.duration + scale * (special.duration - plain.duration)
    if not duration >= SHORTEST * base.duration:
        raise NetworkError(
            f"the sum would last {duration:.3g} s, the base {base.duration:.3g} s; a smaller scale than {scale:g} helps"
        )
    coefficients = base_.coefficients[:rows] + scale * (special_.coefficients[:rows] - plain_.coefficients[:rows])
    contacts = base.contacts
    if contacts is not None and plain.contacts is not None and special.contacts is not None:
        weights = np.array([1.0, -scale, scale])
        contacts = blend_contacts([contacts, plain.contacts, special.contacts], weights)
    return replace(
        base_, coefficients=owned(coefficients), duration=duration, contacts=contacts, name=name or base.name
    )
