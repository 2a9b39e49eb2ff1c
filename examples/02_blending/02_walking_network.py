"""
How do three captures make a character that can be steered?
===========================================================

A slow walk, a fast walk and a fast walk to the left. The turn to the right is the mirrored left turn. The slow turns,
which were not captured, are the slow walk plus the difference between the fast turn and the fast walk.
"""

import mocapella as mo
from mocapella.actor import perform
from mocapella.pictures.ground import draw_way
from mocapella.pictures.networks import draw_network

captures = {"slow": (0.9, 0.0), "fast": (1.7, 0.0), "fast left": (1.6, 0.7)}
clips = [perform("walk", speed=speed, turn=turn)[0].renamed(name) for name, (speed, turn) in captures.items()]

# %%
# Every motion lies at how fast it turns (degrees per second, left positive) and how fast it goes (m/s).

network = mo.build_network(clips, substitute=True)
for node in network.nodes:
    print(f"{node.name:32} {node.at[0]:+6.1f} °/s  {node.at[1]:.2f} m/s")
draw_network(network, "walking-network.png")

# %%
# A point between the nodes is a motion of its own. The character answers within a fraction of a second.

player = mo.Player(network, point=(0.0, 1.2))
parts = []
for point in ((0.0, 1.2), (35.0, 1.2), (-35.0, 1.5), (0.0, 1.6)):
    player.point = point
    parts.append(mo.record(player, seconds=2.5, frame_rate=60))
walk = mo.concatenate(parts)
mo.save(walk, "walking-network.bvh")
draw_way(walk, "walking-way.png", title="straight, left, right, straight and faster")
