"""
How do I give a walk another style?
===================================

One capture has the right path but the wrong style; another one has the style but another path. The steps of the second
are averaged, and each step of the first walk is blended with the averaged step of the same foot.
"""

import numpy as np
from matplotlib.figure import Figure

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.measure.footskate import footing
from mocapella.pictures.bodies import draw_figure, links

walk, _ = perform("walk", speed=1.3, turn=0.35, cycles=6.0, imperfections=CAPTURED, seed=3)
mood, _ = perform("walk", style="sad", cycles=6.0, imperfections=CAPTURED, seed=5)

# %%
# The averaged motion has one stance of each foot: from where it lands to where the other one does.

sad = mo.average_stances(mood)
print(sad)
print(f"made of {sad.left.count} stances of the left foot and {sad.right.count} of the right")

# %%
# Arms, trunk and head alone leave the steps as they were. The whole body takes over how far a step gets, too, and still
# goes the way of the walk.

half = mo.blend_stances(walk, sad, 0.5)
full = mo.blend_stances(walk, sad, 1.0)
upper = mo.blend_stances(walk, sad, 1.0, part="upper")
mo.save(full, "sad.bvh")
shown = {"as captured": walk, "upper body sad": upper, "half sad": half, "sad": full}
for name, clip in shown.items():
    slip = footing(clip).slip_mm_mean
    print(f"{name:15} {mo.find_period(clip).seconds:.2f} s a cycle, planted feet slip by {slip:.0f} mm on average")

# %%
# The same moments of all four, from the side, and their ways from above.

MOMENTS = np.arange(60, 60 + 8 * 22, 22)
figure = Figure(figsize=(10, 9), layout="constrained")
rows = figure.subplots(len(shown), 2, width_ratios=(3.4, 1))
for (name, clip), (side, above) in zip(shown.items(), rows, strict=True):
    points = np.concatenate([clip.positions, clip.end_positions], axis=1) - clip.root_positions[:, None] * [1, 0, 1]
    yaws = np.arctan2(*np.diff(clip.root_positions[:, ::2], axis=0, append=np.nan).T)
    for i, frame in enumerate(MOMENTS):
        ahead = points[frame, :, 0] * np.sin(yaws[frame]) + points[frame, :, 2] * np.cos(yaws[frame])
        draw_figure(side, 1.1 * i + ahead, points[frame, :, 1], links(clip.skeleton))
    side.set_title(name, loc="left", fontsize=10)
    side.set_axis_off()
    above.plot(walk.root_positions[:, 2], walk.root_positions[:, 0], color="#c9ced8")
    above.plot(clip.root_positions[:, 2], clip.root_positions[:, 0])
    for axes in (side, above):
        axes.set_aspect("equal")
figure.savefig("restyled.png", dpi=90)

# %%
# Averaged motions can be blended among themselves first, and kept for other walks of the same person.

happy = mo.average_stances(perform("walk", style="happy", cycles=6.0)[0])
mo.save(sad.blended(happy, 0.3), "bittersweet.moca")
print(mo.load("bittersweet.moca"))
