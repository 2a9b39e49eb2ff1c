"""
How do I make a gesture angry, or a walk tired?
===============================================

The effect of a feeling on one gesture can be measured and applied to another. Gaits are harmonics, so their feelings
can be added and subtracted: between two gaits, beyond them, or the tiredness of a walk given to a run.
"""

from matplotlib.figure import Figure

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.editing.feelings.gait_quality import interpolate, transfer_quality
from mocapella.editing.feelings.periods import basic_periods, end_speed
from mocapella.pictures.edited import draw_beside

# %%
# Drinking has four basic periods, between rests of the hand. An angry drink is compared with a neutral one, period by
# period: how long they last, how far the hand goes, how far the joints swing from the straight way; and how the body is
# held.

drink, angry = (perform("drink", style=style, imperfections=CLEAN)[0] for style in ("normal", "angry"))
profile = mo.learn_profile(drink, angry)
print("an angry period lasts", ", ".join(f"{ratio:.2f}" for ratio in profile.durations), "times as long")

# %%
# The same done to a neutral knock: it is quicker and leans forward, and its blows, which cannot become much quicker,
# become longer.

knock = perform("knock", imperfections=CLEAN)[0]
furious = mo.apply_profile(knock, profile)
print(f"the knock takes {knock.seconds:.2f} s, the angry one {furious.seconds:.2f} s")
draw_beside([knock, furious], "knocks.png", titles=["a knock", "an angry knock"], poses=9)
mo.save(furious, "angry_knock.bvh")

figure = Figure(figsize=(9, 4), layout="constrained")
for axes, (name, clip) in zip(figure.subplots(2, 1), {"drink": drink, "angry drink": angry}.items(), strict=True):
    found = basic_periods(clip, at_most=4)
    speed = end_speed(clip, found.end)
    axes.plot([i / clip.frame_rate for i in range(len(speed))], speed)
    for frame in found.frames:
        axes.axvline(frame / clip.frame_rate, color="#c9ced8")
    axes.set(title=name, ylabel="hand, m/s", xlim=(0.0, drink.seconds))
figure.savefig("periods.png", dpi=90)

# %%
# Gaits: a normal and a tired walk, what lies between them, and beyond both ends.

walk, tired, run = (
    mo.prepare(perform(action, style=style, imperfections=CLEAN)[0])
    for action, style in (("walk", "normal"), ("walk", "tired"), ("run", "normal"))
)
made = {f"{amount:+.1f}": interpolate(walk, other=tired, amount=amount) for amount in (-0.5, 0.0, 0.5, 1.0, 1.5)}
for amount, gait in made.items():
    print(f"{amount} tired: {gait.duration:.2f} s a cycle, {gait.speed:.2f} m/s")
draw_beside(
    [gait.to_clip() for gait in made.values()], "walks.png", titles=[f"{amount} tired" for amount in made], poses=8
)

# %%
# What a tired walk has over a walk, given to a run; then its feet are held.

tired_run = transfer_quality(run, plain=walk, special=tired)
held = mo.edit(tired_run, mo.Edit("lock_feet")).result
print(f"a run: {run.speed:.2f} m/s; a tired run: {tired_run.speed:.2f} m/s, {tired_run.duration:.2f} s a cycle")
mo.save(held.to_clip(3), "tired_run.bvh")
