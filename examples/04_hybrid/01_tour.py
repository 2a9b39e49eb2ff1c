"""
How does a character change from a run to a walk and a twirl?
=============================================================

Blending cannot turn a walk into a twirl. A hybrid network has blocks for blending, here walking and running, and arcs
between them: captured transitions. A tour plays arcs one after the other: the blending point moves to the arc's node,
waits for the frame at which the transition begins, and reappears where it ends.
"""

import numpy as np

import mocapella as mo
from mocapella.measure.footskate import footing
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.pictures.ground import draw_states
from mocapella.pictures.hybrid_drawing import draw_hybrid
from mocapella.playback.record import record_with_contacts
from mocapella.steering.tour import Tour
from mocapella.studies.demo import demo_hybrid

hybrid = demo_hybrid()
draw_hybrid(hybrid, "tour-network.png", title="walking and running")

# %%
# From a run by way of a walk into a twirl, and on.

tour = Tour(hybrid, ["run-walk", "walk-twirl-walk"], pause=1.5)
player = mo.Player(hybrid, (0.0, 2.8), block=tour.start)
clip, contacts = record_with_contacts(player, frame_rate=60, script=tour)
mo.save(clip, "tour.bvh")
for entry in player.states:
    print(f"{entry.time:6.2f} s  {entry.state:8} {entry.arc:16} in {entry.block}, mode {entry.mode}")
feet = footing(clip, contacts)
print(f"{clip.seconds:.1f} s; planted feet slid {feet.slip_mm_max:.2f} mm at most")

# %%
# The way from above. Arrows show where the body faces: in the twirl they go once round.

draw_states(clip, player.states, "tour.png", title="a run, the change to a walk, a walk, a twirl, a walk")

# %%
# The twirl, from the last step before it to the first step after.

begun, ended = player.states[-2].time, player.states[-1].time
twirl = clip[int(60 * (begun - 0.4)) : int(60 * (ended + 0.4))]
draw_contact_sheet(twirl.renamed("twirl"), "tour-twirl.png", poses=18)

# %%
# Twirls can be repeated. A change begins when the cycle before it comes round to its first frame; of a change and its
# mirror image the one that comes round sooner is played.

again = mo.Player(hybrid, (-6.0, 1.2), block="walking", mode="twirl")
again.trigger("walk-twirl-walk", times=3)
mo.record(again, seconds=12, frame_rate=60)
print(f"three twirls in a row turned it by {abs(np.degrees(again.heading)):.0f}°")
for arc in hybrid.arcs:
    wait = 0.5 * hybrid.before(arc).duration
    print(f"{arc.name:16} waits {wait:.2f} s on average, {0.5 * wait:.2f} s where its mirror image may be played too")
