"""
How do I make a clip of joint positions?
========================================

Pose estimators and gait laboratories give positions, not rotations: seventeen points per frame, some of them noisy,
some missing. ``fit_positions`` fits rotations to them, and reports how good the fit is.
"""

import numpy as np

import mocapella as mo

walk = mo.example("walk", speed=1.3, frame_rate=60.0)
roles = mo.find_roles(walk.skeleton)
names = [role for role in roles if role not in ("spine", "chest", "left_clavicle", "right_clavicle")]
positions = walk.positions[:, [roles[role] for role in names]]

# %%
# A camera sees them with a noise of 3 mm, and misses a hand for a moment.

rng = np.random.default_rng(1)
seen = positions + rng.normal(scale=0.003, size=positions.shape)
seen[40:46, names.index("left_wrist")] = np.nan

clip = mo.fit_positions(seen, names, frame_rate=60.0, name="walk")
for finding in clip.report.findings:
    print(f"{finding.code}: {finding.message}")

# %%
# The clip is one like any other: it closes, it is analysed, it walks on.

cycle = mo.cyclify(mo.find_cycle(clip))
player = mo.Player(mo.Network([mo.Node("walk", (0.0, 0.0), mo.analyse(cycle, harmonics=8))]))
recording = mo.record(player, seconds=3.0, frame_rate=60)
print(recording)
mo.draw(recording).savefig("positions.png")
