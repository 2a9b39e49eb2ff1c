"""
How do I filter a motion?
=========================

Joints over time are signals. Weak frequencies can be removed, bands amplified, values limited, and keys added. Each
edit is a record; a list of edits is a file.
"""

import mocapella as mo
from mocapella.actor import CAPTURED, perform
from mocapella.measure.comparison import edited_figures
from mocapella.pictures.edited import draw_edited

walk, _ = perform("walk", speed=1.2, cycles=4.0, imperfections=CAPTURED, seed=3)
lock = mo.Edit("lock_feet")
edits = {
    "calm": [mo.Edit("threshold", share=0.1, gain=1.1), lock],
    "exaggerated": [mo.Edit("exaggerate", gain=1.5), lock],
    "swinging": [mo.Edit("bands", gains=[1, 1, 1, 1, 2.5, 2.5, 2.5], dofs=["upper"])],
    "nervous": [mo.Edit("preset", name="twitch", amount=0.5), lock],
    "squash": [mo.Edit("preset", name="squash"), lock],
    "stiff": [mo.Edit("waveshape", dofs=["left_knee.x", "right_knee.x"], high=40.0, soft=10.0), lock],
    "waving": [mo.Edit("displace", keys={"left_shoulder.x": [[240, -120]]}, span=0.8)],
    "slow": [mo.Edit("speed", factor=0.7)],
}

# %%
# Feet are locked where the walk's own rest, whatever the filter did to them.

for name, wanted in edits.items():
    done = mo.edit(walk, wanted, limits=name == "exaggerated")
    before, after = edited_figures(done).values()
    slips = f"{before['slip_mm_max']:5.1f} → {after['slip_mm_max']:5.2f} mm slip"
    print(f"{name:12} {slips}, {after['seconds']:.2f} s, edits: {', '.join(one.name for one in done.edits)}")
    if name in ("exaggerated", "swinging", "squash"):
        draw_edited(done, f"{name}.png", title=name)

# %%
# Cycles are filtered as periods, and nothing ever changes the original.

cycle = mo.prepare(walk)
louder = mo.edit(cycle, mo.Edit("exaggerate", gain=1.3))
print(louder.result, louder.undone().result is cycle)
