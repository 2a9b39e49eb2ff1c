"""
How well does a character follow a path?
========================================

A path is rows of places (x, z; metres) with the speed wanted there. The follower predicts where the character will be a
quarter of a second ahead, when it responds, and asks the network for the turn rate and the speed that keep it on the
path from there.
"""

import numpy as np

import mocapella as mo
from mocapella.actor import capture
from mocapella.gait.root_motion import played_rates
from mocapella.measure.ground_path import lateral_errors
from mocapella.pictures.ground import draw_way
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower
from mocapella.steering.path import Path

ways = ("straight", "sharp left", "sharp right")
network = mo.build_network([capture(f"{pace} walk {way}")[0] for pace in ("slow", "fast") for way in ways])

# %%
# A hairpin, taken slowly.

path = Path.smooth([(0, 0, 1.5), (0, 4, 1.4), (1.5, 6.5, 0.9), (4, 6.5, 0.9), (5.5, 4, 1.4), (5.5, 0, 1.5)])
follower = Follower(path, Calibration(network, measure=played_rates))
player = mo.Player(network, point=(0.0, 1.5), position=path.at(0.0), heading=path.heading(0.0))
walk = mo.record(player, script=follower, frame_rate=60)
mo.save(walk, "path-following.bvh")

# %%
# Walking sways; the error is measured on the root averaged over a step.

errors = lateral_errors(walk, path.places)
print(f"{100 * np.mean(errors):.1f} cm beside the path on average, {100 * np.max(errors):.1f} cm at most")
draw_way(walk, "path-following.png", wanted=path.places, speeds=path.speeds)
