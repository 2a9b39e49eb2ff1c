"""
What happens to quick movements when two motions are blended?
=============================================================

Two walks whose sixth harmonics, six oscillations per cycle, have opposite phases. They cancel half-way between the two,
so their direction in the blend is not defined there.
"""

import numpy as np
from matplotlib.figure import Figure

import mocapella as mo
from mocapella.actor import capture
from mocapella.blending.rules import phasor_blend, streamlined_blend
from mocapella.measure.distortion import Yardstick
from mocapella.measure.distortion_maps import energies, liveliness

clips = [capture(name)[0] for name in ("sixth harmonic walk", "opposed sixth harmonic walk")]
pair = mo.build_network(clips, mirror=False, thin=False)

# %%
# Four ways to blend them. The thesis keeps magnitudes large whatever the phase angles (*streamlined*), and then takes
# upper harmonics whole from one of the two (*single-source*). Phasors average the motions phase by phase. The default,
# *lively*, does the same with feet in step, and gives back what that takes from arms, trunk and head.

ways = {
    "streamlined": mo.Network(pair.nodes, rule=streamlined_blend),
    "streamlined, single-source": mo.Network(pair.nodes, rule=streamlined_blend, single_source=mo.SingleSource()),
    "phasor": mo.Network(pair.nodes, rule=phasor_blend),
    "lively": mo.Network(pair.nodes),
}

# %%
# Distortion is how far planted feet wriggle about the mean of both walks, liveliness how much of harmonics 6 to 10 is
# left.

shares = np.linspace(0.0, 1.0, 61)
points = np.outer(1.0 - shares, pair.points[0]) + np.outer(shares, pair.points[1])
yardstick = Yardstick(pair, points)
own = energies(pair.bank.coefficients)

figure = Figure(figsize=(11, 7), layout="constrained")
across, alive, *feet = figure.subplot_mosaic([["d", "d", "l", "l"], list("abce")], height_ratios=(1.0, 1.2)).values()
for axes, (name, network) in zip(feet, ways.items(), strict=True):
    blends = network.coefficients_at(points)
    distortion = yardstick.measure(network).scores
    kept = liveliness(energies(blends), own, yardstick.weights)
    across.plot(shares, distortion, label=name)
    alive.plot(shares, kept)
    trace = yardstick.traces(30, blends[30])[-1]  # the right foot, half-way
    axes.plot(100 * trace.reference[:, 0], 100 * trace.reference[:, 1], "k--", linewidth=0.8)
    axes.plot(100 * trace.blend[:, 0], 100 * trace.blend[:, 1], color=across.lines[-1].get_color())
    axes.set_title(name, fontsize=9)
    axes.invert_xaxis()
    print(f"{name:28} distortion {distortion.mean():.3f} rad, at most {distortion.max():.3f}; "
          f"liveliness {kept.mean():.2f}, at least {kept.min():.2f}")  # fmt: skip
across.set_title("distortion from one walk to the other, rad", fontsize=9)
across.legend(fontsize=8, frameon=False)
alive.set_title("liveliness", fontsize=9)
alive.set_ylim(bottom=0.0)
feet[0].set_ylabel("way of the right foot half-way, cm; dashed: ideal", fontsize=8)
figure.savefig("single-source.png", dpi=90)
