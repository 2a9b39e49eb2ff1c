"""
How does a character stop, stand and start again?
=================================================

A standing motion has no steps to synchronise with, so it cannot be blended with walks. Stopping and starting are
captured transitions between a block of walks and a block of standing made of the same captures. A transition from
standing does not wait for a phase of the cycle: it begins at once.
"""

import mocapella as mo
from mocapella.actor import capture
from mocapella.hybrid.builder import HybridBuilder
from mocapella.measure.footskate import footing
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.pictures.ground import draw_states
from mocapella.playback.record import record_with_contacts
from mocapella.steering.tour import Tour

WALKS = [f"{pace} walk {way}" for pace in ("slow", "fast") for way in ("straight", "left", "right")]
RUNS = [f"{pace} run straight" for pace in ("slow", "fast")] + ["medium run left", "medium run right"]

# %%
# Blocks are ordinary networks. A block that is not there yet, standing, is founded on the first change to lead there.

draft = HybridBuilder({name: mo.build_network([capture(one)[0] for one in names]) for name, names in
               (("walking", WALKS), ("running", RUNS))})  # fmt: skip
for name, source, target in (
    ("walk-stand", "walking", "standing"),
    ("stand-walk", "standing", "walking"),
    ("walk-run", "walking", "running"),
    ("run-walk", "running", "walking"),
):
    change = mo.find_transition(capture(name)[0], name=name)
    draft = draft.with_transition(change, source, target, mirrored=source != "standing", at_once=source == "standing")
    print(f"{change}: left at frame {change.leave}, arrived at {change.arrive}")
hybrid = draft.finished([draft.mode("blend"), draft.mode("change", [arc.name for arc in draft.arcs])])
mo.save(hybrid, "person.moca")

# %%
# Walk, stop, stand, set off, run, walk.

tour = Tour(hybrid, ["walk-stand", "stand-walk", "walk-run", "run-walk"], pause=1.2)
player = mo.Player(hybrid, (0.0, 1.2), block=tour.start)
clip, contacts = record_with_contacts(player, frame_rate=120, script=tour)
draw_states(clip, player.states, "stand-walk-run.png", title="walk, stand, walk, run, walk")

# %%
# When each change was left for, and when the walk went on; and how far planted feet slid on the way.

for entry in player.states[1:]:
    if entry.state != "waiting":
        word = "leaves for" if entry.state == "change" else "arrives from"
        print(f"{entry.time:6.2f} s  {word:12} {entry.arc}")
print(f"planted feet slid {footing(clip, contacts).slip_mm_max:.2f} mm at most")

# %%
# Stopping and setting off.

begun, ended = player.states[2].time, player.states[6].time
stop = clip[int(120 * (begun - 0.2)) : int(120 * (ended + 0.4))]
draw_contact_sheet(stop.renamed("stop and go"), "stop-and-go.png", poses=22)
