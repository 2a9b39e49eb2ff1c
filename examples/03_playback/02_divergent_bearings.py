"""
What is half-way between a left turn and a right turn?
======================================================

One walk turns left, one right, until their headings are more than half a turn apart. Averaging positions makes a
character that slows down, stops and walks backwards; averaging headings flips it round. Blending the length and the
turn of each step does neither. Nor does aligning one body with the other on the ground in every frame, as registration
curves do, but that needs alignments for every pair of motions.
"""

import numpy as np
from matplotlib.figure import Figure

import mocapella as mo
from mocapella.actor import perform
from mocapella.editing.trajectory import blend_frames, blend_trajectories
from mocapella.studies.published import blend_aligned

left = perform("walk", speed=1.2, turn=0.75, seconds=5.0, frame_rate=60.0)[0]
right = perform("walk", speed=1.2, turn=-0.6, seconds=5.0, frame_rate=60.0)[0]
ways = [clip.root_positions[:, ::2] for clip in (left, right)]
shares = (0.25, 0.5, 0.75)


def length(way):
    return np.linalg.norm(np.diff(way, axis=0), axis=1).sum()


# %%
# Three ways of blending, at three shares of the left turn. A path that folds is shorter than either of its sources.

naive = {share: share * ways[0] + (1.0 - share) * ways[1] for share in shares}
by_steps = {share: blend_trajectories(ways[0].copy(), ways[1].copy(), share) for share in shares}
aligned = {share: blend_aligned(left, right, share).root_positions[:, ::2] for share in shares}
print(f"left {length(ways[0]):.2f} m, right {length(ways[1]):.2f} m")
for share in shares:
    lengths = [f"{length(blends[share]):.2f} m" for blends in (naive, aligned, by_steps)]
    print(f"{share:.0%} left: places {lengths[0]}, bodies laid over each other {lengths[1]}, steps {lengths[2]}")

# %%
# The whole body goes along: joints and tilt are blended directly, the heading step by step.

mo.save(blend_frames(left, right, 0.5), "divergent.bvh")

# %%
# On the left the places, in the middle bodies laid over each other, on the right the steps; a dot every half second
# shows the speed.

figure = Figure(figsize=(15, 6), layout="constrained")
for axes, blends, title in zip(
    figure.subplots(1, 3, sharex=True, sharey=True),
    (naive, aligned, by_steps),
    (
        "places blended: paths fold back, one stands still",
        "bodies laid over each other: paths go on",
        "steps blended: paths go on, at the speed of both",
    ),
    strict=True,
):
    for way, colour in zip(ways, ("#1f77b4", "#d6483b"), strict=True):
        axes.plot(way[:, 1], way[:, 0], color=colour, linewidth=2.5, alpha=0.5)
    for way in blends.values():
        axes.plot(way[:, 1], way[:, 0], color="#1d2433", linewidth=1.2)
        axes.plot(way[::30, 1], way[::30, 0], "o", color="#f2c230", markeredgecolor="#1d2433", markersize=5)
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel("z, metres")
    axes.set_ylabel("x, metres: left is up")
    axes.set_aspect("equal")
    axes.grid(color="#eef0f4")
figure.savefig("divergent-bearings.png", dpi=90)
