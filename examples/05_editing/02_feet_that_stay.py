"""
How do I stop feet from sliding?
================================

Captured feet slide by millimetres, edited ones by centimetres. Foot lock holds each foot in one place while it rests:
the root moves only as far as the legs need, and the legs bend to reach their feet.
"""

import numpy as np
from matplotlib.figure import Figure

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.analysis.plants.tracks import foot_places
from mocapella.editing.feet.lock import lock
from mocapella.editing.feet.root import drift, follow_feet
from mocapella.measure.footskate import footing
from mocapella.rig.legs import leg_roles

walk, _ = perform("walk", speed=1.3, cycles=3.0, imperfections=CAPTURED, seed=3)
# A root that goes a tenth too fast, as when a walk is put onto a longer path.
sliding = mo.Clip(
    walk.skeleton, walk.root_positions * [1.1, 1.0, 1.1], walk.rotations_wxyz, walk.frame_rate, name="walk"
)
plants = mo.find_plants(walk)

# %%
# The simple way moves only the root. It needs no joints, but what the root gathers up takes it away from its path.

by_root = follow_feet(sliding, contacts=plants)
done = lock(sliding, constraints=plants)
shown = {"sliding": sliding, "root only": by_root, "locked": done.clip}
for name, clip in shown.items():
    feet = footing(clip, plants)
    print(f"{name:10} slips by {feet.slip_mm_max:6.2f} mm at most, its root ends {drift(sliding, clip):.2f} m away")
print(f"the root was moved by up to {1000 * np.abs(done.root_shift).max():.0f} mm, and no leg was too short")

# %%
# How far the left toe goes over the ground: while it rests, only the locked one stays.

figure = Figure(figsize=(9, 6), layout="constrained")
for (name, clip), axes in zip(shown.items(), figure.subplots(len(shown), 1, sharex=True), strict=True):
    toe = foot_places(clip, leg_roles(clip.skeleton))[:, 1]
    axes.plot(1000 * np.linalg.norm(np.diff(toe, axis=0), axis=-1) * clip.frame_rate / 1000, linewidth=1)
    axes.fill_between(range(clip.n_frames), 0, 4, where=plants.planted("left_toe"), alpha=0.15)
    axes.set(title=name, ylabel="m/s", ylim=(0, 1))
axes.set_xlabel("frame; shaded where the left toe rests")
figure.savefig("feet.png", dpi=90)

# %%
# The same as a list of edits, which can be stored and applied again.

edited = mo.edit(sliding, mo.Edit("lock_feet", constraints={"left_toe": [[60, 90]]}))
mo.save_edits(edited.edits, "edits.toml")
print(mo.load_edits("edits.toml"))
