"""
How do I play a thousand characters?
====================================

A crowd plays many characters of one network, each with its own blending point and with locked feet. Here a thousand
characters follow rings, every second ring in the other direction, and avoid each other.
"""

import numpy as np

import mocapella as mo
from mocapella.actor import capture
from mocapella.crowd.control import rings
from mocapella.crowd.played import play_crowd
from mocapella.pictures.ground import draw_crowd

ways = ("straight", "sharp left", "sharp right")
network = mo.build_network([capture(f"{pace} walk {way}")[0] for pace in ("slow", "fast") for way in ways])
crowd = mo.Crowd(network, 1000, noise=0.05, **rings(1000, speed=1.3))

# %%
# Four seconds, and how far any planted foot slid.

played = play_crowd(crowd, 4.0, frame_rate=30.0)
print(f"{crowd.engine}: planted feet slip {played.slip_mm_max:.1f} mm at most")
print(f"{np.hypot(*(played.ways[-1] - played.ways[0]).T).mean():.1f} m on average")
draw_crowd(crowd.skeleton, played.poses[-1], played.ways, "crowd.png", title="1,000 characters after 4 s")
