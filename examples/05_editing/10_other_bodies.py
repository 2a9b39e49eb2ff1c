"""
How do I put a walk on another body?
====================================

A capture belongs to a body: its joints, their names and lengths, and its rest pose. Retargeted to another body, it
keeps its poses and its steps, in proportion to leg length.
"""

import numpy as np

import mocapella as mo
from mocapella.actor import perform
from mocapella.measure.footskate import footing
from mocapella.pictures.edited import draw_beside

walk = perform("walk", speed=1.3, turn=0.3)[0]

# %%
# A child, and a rig that has other names, arms that hang at rest, and one joint in its back instead of four.

child = perform("walk", height=1.25)[0].skeleton
SIDES = (("Left", 1.0), ("Right", -1.0))
rows = [("Pelvis", "", (0, 1.0, 0)), ("Chest", "Pelvis", (0, 0.35, 0)), ("Head", "Chest", (0, 0.3, 0))]
for side, x in SIDES:
    rows += [
        (f"{side}UpperArm", "Chest", (0.19 * x, 0.15, 0)),
        (f"{side}LowerArm", f"{side}UpperArm", (0.02 * x, -0.3, 0)),
        (f"{side}Hand", f"{side}LowerArm", (0, -0.27, 0.02)),
        (f"{side}UpperLeg", "Pelvis", (0.1 * x, -0.05, 0)),
        (f"{side}LowerLeg", f"{side}UpperLeg", (0, -0.36, 0)),
        (f"{side}Foot", f"{side}LowerLeg", (0, -0.5, 0)),
    ]
names = [name for name, *_ in rows]
ends = {"Head": (0, 0.2, 0)} | {f"{side}Foot": (0, -0.08, 0.2) for side, _ in SIDES}
ends |= {f"{side}Hand": (0, -0.17, 0) for side, _ in SIDES}
rig = mo.Skeleton.of(
    names,
    [names.index(above) if above else -1 for _, above, _ in rows],
    np.array([offset for *_, offset in rows], dtype=float),
    ends={joint: np.array(place, dtype=float) for joint, place in ends.items()},
)

# %%
# Feet are held where they rest in the capture.

made = {"as captured": walk}
for name, skeleton in (("a child", child), ("another rig", rig)):
    made[name] = mo.retarget(walk, skeleton, lock_feet=True)
plants = mo.find_plants(walk)
for name, clip in made.items():
    slip = footing(clip, plants).slip_mm_max
    print(f"{name:12} {clip.skeleton.n_joints:2} joints, planted feet slip by {slip:.1f} mm at most")
draw_beside(list(made.values()), "bodies.png", titles=list(made), poses=8)
mo.save(made["another rig"], "walk_on_rig.bvh")

# %%
# There and back, every joint of the legs is where it was.

back = mo.retarget(mo.retarget(walk, rig), walk.skeleton)
legs = [joint for role, joint in mo.find_roles(walk.skeleton).items() if role.endswith(("hip", "knee", "ankle"))]
off = np.linalg.norm(back.positions - walk.positions, axis=-1)[:, legs]
print(f"there and back: {1000 * off.max():.3f} mm")

# %%
# Captures of several bodies make one network: all are carried to the skeleton that most of them have.

tall = perform("walk", height=1.95, speed=1.6)[0].renamed("tall")
network = mo.build_network([walk.renamed("walk"), perform("walk", speed=0.9)[0].renamed("slow"), tall])
print(network)
