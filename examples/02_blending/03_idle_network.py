"""
How do I blend motions on the spot?
===================================

Standing, looking about, twisting and dancing do not travel, so they cannot be placed by speed and turn. The network
places them evenly around the origin, and blends between them.
"""

import numpy as np

import mocapella as mo
from mocapella.actor import capture
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.pictures.networks import draw_network

network = mo.build_network([capture(name)[0] for name in ("stand", "look-around", "twist", "dance")])
draw_network(network, "idle-network.png")

# %%
# Once round the network, from one corner to the next.

player = mo.Player(network, point=network.nodes[0].at)
parts = []
for node in (*network.nodes[1:], network.nodes[0]):
    player.point = node.at
    parts.append(mo.record(player, seconds=3.0, frame_rate=60))
idle = mo.concatenate(parts)
mo.save(idle, "idle-network.bvh")
draw_contact_sheet(idle, "idle-sheet.png")

# %%
# The blend is there to be seen, and the character has not walked away.

drift = np.linalg.norm(idle.root_positions[-1, [0, 2]] - idle.root_positions[0, [0, 2]])
print(f"{100 * drift:.1f} cm from where it began, after {idle.seconds:.0f} s")
