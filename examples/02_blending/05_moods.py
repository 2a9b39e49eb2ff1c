"""
How do I add mood as a third axis?
==================================

Turn and speed make a plane; mood is a third axis. Networks of the same walks in three moods are stacked in layers, and
points between the layers blend them. If only one motion of a network has moods, its node can be a blend (a cascade).
"""

import numpy as np

import mocapella as mo
from mocapella.actor import perform
from mocapella.measure.footskate import footing
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.pictures.networks import draw_volume
from mocapella.playback.record import record_with_contacts

PLACES = {"slow": (0.0, 0.8), "fast": (0.0, 1.5), "left": (40.0, 1.2), "right": (-40.0, 1.2)}
MOODS = {"sad": -1.0, "normal": 0.0, "happy": 1.0}


def walks(mood: str) -> mo.Network:
    """Four walks in one mood, at turn and speed."""
    clips = [perform("walk", speed=v, turn=np.radians(w), style=mood)[0] for w, v in PLACES.values()]
    cycles = mo.synchronise([mo.prepare(clip) for clip in clips])
    nodes = [mo.Node(n, at, mo.analyse(c, 10)) for (n, at), c in zip(PLACES.items(), cycles, strict=True)]
    return mo.Network(nodes, [("slow", "fast", "left"), ("slow", "fast", "right")])


# %%
# Networks that were made apart begin their cycles anywhere, so they are brought into step first.

normal = walks("normal")
layers = [mo.in_step_with(walks(mood), normal) for mood in MOODS]
volume = mo.layered(layers, list(MOODS.values()), names=list(MOODS))
draw_volume(volume, "moods.png")

# %%
# From sad to happy in four seconds, on a slight curve.

player = mo.Player(volume, point=(0.0, 1.1, -1.0))
mo.record(player, seconds=1.0)
player.point = (15.0, 1.2, 1.0)
cheered = mo.record(player, seconds=4.0, frame_rate=60)
mo.save(cheered, "cheered.bvh")
draw_contact_sheet(cheered, "cheered.png")
mo.save(volume, "moods.moca")

# %%
# Between the moods feet stand as they do in each of them.

slips = []
for mood in np.linspace(-1.0, 1.0, 7):
    clip, contacts = record_with_contacts(mo.Player(volume, point=(15.0, 1.2, mood)), seconds=2.0)
    slips.append(footing(clip, contacts).slip_mm_max)
print(f"planted feet slid by {max(slips):.2f} mm at most")

# %%
# In a cascade one node of a network is a blend of another. Its point is moved with the player's own: two numbers for
# the outer network, two more for the inner one.

corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
slow = [mo.Node(m, at, one.node("slow").spectrum) for m, at, one in zip(MOODS, corners, layers, strict=True)]
cascade = mo.Cascade(normal, {"slow": mo.Network(slow)}, {"slow": (1.0, 0.0)})
print(cascade.axes)
player = mo.Player(cascade, point=(0.0, 0.9, 1.0, 0.0))
player.point = (0.0, 0.9, 0.0, 1.0)
happier = mo.record(player, seconds=1.5, frame_rate=30)
print(f"{happier.seconds:.1f} s of a slow walk that becomes happy")
