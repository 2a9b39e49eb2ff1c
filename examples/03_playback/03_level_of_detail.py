"""
How cheap can a distant character be?
=====================================

At a distance neither upper harmonics nor sixty frames per second are visible. Harmonics and frame rate can be chosen
for every character at any moment: a cycle has the same duration, turn and travel at every level of detail.
"""

import time

import numpy as np
from matplotlib.figure import Figure

import mocapella as mo
from mocapella.actor import capture

clips = [capture(f"{pace} walk {way}")[0] for pace in ("slow", "fast") for way in ("straight", "sharp left")]
network = mo.build_network(clips)
full = network.blend((25.0, 1.3))
phases = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)


def places(spectrum):
    """Where the joints are, root on root, metres."""
    cycle = mo.synthesise(spectrum, len(phases)).to_clip()
    return cycle.positions - cycle.root_positions[:, None]


# %%
# The levels, best first. A cycle is synthesised with as many frames as its rate needs; the best of thirty goes counts.
# Then a player walks four rounds in steps of that size: they lead equally far and turn equally much.

levels = [(10, 100), (8, 100), (5, 50), (3, 50), (2, 25), (1, 25)]
costs = np.full((30, len(levels)), np.inf)
for go in range(len(costs)):  # all levels in turn, so that a busy moment of the machine meets them alike
    for i, (harmonics, rate) in enumerate(levels):
        own = full.truncated(harmonics)
        began = time.perf_counter()
        rotations = mo.synthesise(own, round(own.duration * rate)).rotations_wxyz
        costs[go, i] = 1e6 * (time.perf_counter() - began) / own.duration
costs = costs.min(axis=0)
errors = [100.0 * np.linalg.norm(places(full.truncated(h)) - places(full), axis=-1).mean() for h, _ in levels]

print("harmonics    Hz   error   cost of a second   way of four rounds   turn")
for (harmonics, rate), error, cost in zip(levels, errors, costs, strict=True):
    player = mo.Player(full.truncated(harmonics), feet="velocity")  # slides of distant feet are not visible, either
    steps = round(4.0 * full.duration * rate)
    way = [player.centre]
    for _ in range(steps):
        player.step(4.0 * full.duration / steps)
        way.append(player.centre)
    metres, turn = np.linalg.norm(np.diff(way, axis=0), axis=1).sum(), np.degrees(player.heading)
    print(f"{harmonics:9d} {rate:5d} {error:4.2f} cm {cost:15.0f} µs {metres:18.2f} m {turn:5.1f}°")

# %%
# Cost and error beside each other.

figure = Figure(figsize=(9, 4), layout="constrained")
names = [f"{harmonics} × {rate} Hz" for harmonics, rate in levels]
for axes, values, title in zip(
    figure.subplots(1, 2),
    (costs, errors),
    ("µs to synthesise a second of walking", "cm that joints are beside those of full detail"),
    strict=True,
):
    bars = axes.barh(names, values, color=["#2f7d4f" if values is costs else "#d6483b"])
    axes.bar_label(bars, fmt="%.2f" if values is errors else "%.0f", padding=3)
    axes.set_title(title, fontsize=10, loc="left")
    axes.invert_yaxis()
    axes.margins(x=0.18)
figure.savefig("level-of-detail.png", dpi=90)
