"""
How do I request a walk by numbers?
===================================

None of these captures walks at 1.1 m/s round a curve. A library blends what it has until a character with locked feet
moves as requested. It says what the answer is made of, and what is out of reach.
"""

from pathlib import Path

import mocapella as mo
from mocapella.library.ingest import add_captures
from mocapella.pictures.edited import draw_beside

# %%
# Four captures in a folder. Words in file names are moods: one of them is tired.

folder = Path("captures")
folder.mkdir(exist_ok=True)
takes = {
    "slow": {"speed": 0.9},
    "fast": {"speed": 1.7},
    "left": {"speed": 1.2, "turn": 0.6},
    "tired": {"style": "tired"},
}
for name, wishes in takes.items():
    mo.save(mo.example("walk", frame_rate=60.0, **wishes), folder / f"walk_{name}.bvh")

library = mo.Library.at("library", create=True)
print(add_captures(library, [folder], workers=0))

# %%
# A motion by numbers: the figures in ``had`` are measured on the frames of the clip.

answer = library.request(kind="walk", speed=1.1, curvature=-0.2, mood={"tired": 0.5}, height=1.6)
for part in answer.made_of:
    print(f"{part.weight:+.2f} {part.clip} {' '.join(part.modifiers)}")
print({key: round(value, 3) for key, value in answer.had.items() if isinstance(value, float)})
mo.save(answer.clip, "tired_curve.bvh")

# %%
# What cannot be had is named, with the nearest that can.

print(library.request(kind="walk", speed=4.0).reason)

# %%
# A virtual clip is a recipe: a capture, and modifiers in order. ``sync_mirror`` goes to the other side in phase with
# the original, so that both can be mixed to any curve between them.

library.define("right", "walk_left", [{"modifier": "sync_mirror"}])
library.define(
    "mild", "right", [{"modifier": "to_curvature", "parameters": {"curvature": 0.1}, "inputs": ["walk_left"]}]
)
draw_beside(
    [library.make("walk_left"), library.make("right"), answer.clip],
    "clips.png",
    titles=["captured", "mirrored in phase", "asked for: 1.1 m/s, a right curve, half tired, 1.60 m tall"],
)
print([one.name for one in library.shelf.listed() if one.layer == "virtual"])
library.close()
