"""
How does a character turn round?
================================

A network of walks turns in a curve, a metre and more to the side. A captured turn on the spot is one more node, at its
turn rate and speed 0. The triangles at that node lead from walking to turning without a seam. A character that faces
away from its path turns to it first, and also where the path leads back on itself.
"""

import math

import numpy as np
from matplotlib.figure import Figure

import mocapella as mo
from mocapella.actor import capture
from mocapella.gait.root_motion import played_rates
from mocapella.measure.footskate import footing
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.playback.record import record_with_contacts
from mocapella.rig.roles import find_roles
from mocapella.steering.calibration import Calibration
from mocapella.steering.guides import Follower
from mocapella.steering.path import Path

walks = [capture(f"{pace} walk {way}")[0] for pace in ("slow", "fast") for way in ("straight", "sharp left")]
walking = mo.build_network(walks)
turning = mo.build_network([*walks, capture("turn left")[0]])  # its mirror image turns right
for name in ("turn left", "turn left mirrored"):
    print(name, "at {:+.0f} °/s, {:.2f} m/s".format(*turning.node(name).at))

# %%
# Ten times round at a quarter turn a second. The feet are set down where they stay, the body sways over them.

player = mo.Player(turning, point=(90.0, 0.0))
motion, start, heading = player.spectrum, player.centre, player.heading
cycles = math.ceil(10 * math.tau / motion.turn)
seconds = math.floor(60 * cycles * motion.duration) / 60  # whole frames
round_and_round, contacts = record_with_contacts(player, seconds=seconds, frame_rate=60)
player.step(cycles * motion.duration - seconds)  # the rest of the last frame
places = round_and_round.root_positions[:, ::2]
print(
    f"turned {math.degrees(player.heading - heading):.1f}°, {math.degrees(cycles * motion.turn):.1f}° by its turn rate"
)
print(f"{1000 * math.dist(start, player.centre):.1f} mm from where it began; the root sways by", end=" ")
print(f"{100 * np.linalg.norm(places - places.mean(axis=0), axis=-1).max():.1f} cm to either side")
held, found = footing(round_and_round, contacts).slip_mm_max, footing(round_and_round).slip_mm_max
print(f"feet slide {held:.2f} mm at most where they are held, {found:.2f} mm where plants are found")
draw_contact_sheet(round_and_round[:61], "turning-on-the-spot-poses.png")

# %%
# A path that is looked away from, and one that leads back on itself: with walks alone, then with the turn.

paths = {
    "looked away from": ([(0.0, 0.0), (0.0, 5.0)], math.pi),
    "leading back": ([(0.0, 0.0), (0.0, 4.0), (0.0, 0.0)], 0.0),
}
walked = {}
for what, (rows, heading) in paths.items():
    for label, network in (("walks alone", walking), ("walks and a turn on the spot", turning)):
        rates = Calibration(network, measure=played_rates)
        player = mo.Player(network, point=rates.request(0.0, 1.0).point, heading=heading)
        clip = mo.record(player, script=Follower(Path.of(rows), rates, speed=1.1), frame_rate=60)
        aside = np.abs(clip.root_positions[:, 0]).max()
        print(f"{what}, {label}: {clip.seconds:.1f} s, {aside:.2f} m to the side at most")
        walked[f"{what}, {label}"] = clip, rows
mo.save(clip, "about-turn.bvh")

# %%
# From above: feet (left red, right blue) and root, as they go.

figure = Figure(figsize=(11, 6.2), layout="constrained")
panels = figure.subplots(2, 2, sharex=True, sharey=True).flat
for axes, (label, (clip, rows)) in zip(panels, walked.items(), strict=True):
    roles = find_roles(clip.skeleton)
    for side, colour in (("left", "#d6483b"), ("right", "#1f77b4")):
        x, _, z = clip.positions[:, roles[f"{side}_toe"]].T
        axes.plot(z, x, color=colour, linewidth=0.9)
    axes.plot(clip.root_positions[:, 2], clip.root_positions[:, 0], color="#1d2433", linewidth=1.6)
    axes.plot([z for _, z in rows], [x for x, _ in rows], color="#f2c230", linewidth=5.0, alpha=0.4, zorder=0)
    axes.set_title(f"{label}, {clip.seconds:.1f} s", fontsize=10, loc="left")
    axes.set_ylabel("x, metres: left is up")
    axes.set_aspect("equal")
    axes.grid(color="#eef0f4")
figure.supxlabel("z, metres: the path leads to the right", fontsize=10)
figure.savefig("turning-on-the-spot.png", dpi=110)
