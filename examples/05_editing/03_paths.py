"""
How do I change the path of a capture?
======================================

A straight walk is split into a smooth path and the movement relative to it, and transferred to a bent path. Its steps
keep their length, and its feet are locked.
"""

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.editing.paths import path_handles
from mocapella.measure.comparison import edited_figures, unreachable_frames
from mocapella.pictures.edited import draw_edited

walk, _ = perform("walk", speed=1.2, cycles=5.0, imperfections=CAPTURED, seed=3)

# %%
# A path is a row of places on the ground. ``mocapella edit --path`` reads them from a table.

curve = [(0.0, 0.0), (0.0, 1.5), (1.0, 3.2), (3.0, 4.0)]
done = mo.edit(walk, mo.Edit("path", points=curve))
for when, figures in edited_figures(done).items():
    print(f"{when:7} planted feet slip by {figures['slip_mm_max']:.2f} mm")
draw_edited(done, "path.png", title="a straight walk, led along a curve")

# %%
# Or drag handles of its own path. Too sharp a bend is reported by frame.

print(path_handles(walk).round(2).tolist())
bent = mo.edit(walk, mo.Edit("bend", moves=[[3, 0.4, 0.0], [4, 0.8, 0.0]]))
sharp = mo.edit(walk, mo.Edit("bend", moves=[[3, 6.0, -4.0]]))
torn = len(unreachable_frames(sharp))
print(f"gently bent: {unreachable_frames(bent) or 'all in reach'}; torn: {torn} stretches out of reach")
draw_edited(bent, "bent.png", title="handles dragged to the left")
mo.save(bent.result, "bent.bvh")
