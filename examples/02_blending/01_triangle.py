"""
What is between three captures?
===============================

A slow walk, a fast walk and a marching one are the corners of a triangle. Every point of the triangle is a motion: the
nearer a corner, the larger the weight of its motion.
"""

import numpy as np
from matplotlib.figure import Figure

import mocapella as mo
from mocapella.actor import perform
from mocapella.pictures.bodies import draw_figure, links

captures = {
    "slow": perform("walk", speed=0.8),
    "fast": perform("walk", speed=1.8),
    "marching": perform("walk", speed=1.2, style="marching"),
}
clips = [clip.renamed(name) for name, (clip, truth) in captures.items()]

# %%
# One cycle of each, closed and put in step; its harmonics are the node.

cycles = mo.synchronise([mo.prepare(clip) for clip in clips])
corners = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.9)]
nodes = [mo.Node(c.name, at, mo.analyse(c, harmonics=8)) for c, at in zip(cycles, corners, strict=True)]
network = mo.Network(nodes)

# %%
# The centre has a third of each, in harmonics, in duration and in when its feet are planted.

centre = network.place((0.5, 0.3))
print({network.names[i]: round(float(w), 2) for i, w in zip(centre.nodes, centre.weights, strict=True)})
blend = network.blend(centre)
print(f"a cycle of {blend.duration:.2f} s at {blend.speed:.2f} m/s")

# %%
# The same moment of the step all over the triangle: both feet on the ground.

MOMENT = 0  # of 48

figure = Figure(figsize=(9, 8), layout="constrained")
axes = figure.add_subplot()
axes.fill(*zip(*corners, strict=True), facecolor="#f1f4f9", edgecolor="#9aa5b8")
rows = [(i / 4, j / 4) for i in range(5) for j in range(5 - i)]
places = [tuple(a * (1 - u - v) + b * u + c * v for a, b, c in zip(*corners, strict=True)) for u, v in rows]
for x, y in places:
    walk = mo.synthesise(network.blend((x, y)), 48).to_clip()
    points = np.concatenate([walk.positions[MOMENT], walk.end_positions[MOMENT]]) - walk.root_positions[MOMENT]
    draw_figure(axes, x + 0.1 * points[:, 2], y + 0.1 * points[:, 1], links(walk.skeleton))
for node in nodes:
    text = f"{node.name}\n{node.spectrum.speed:.1f} m/s, {node.spectrum.duration:.2f} s"
    axes.annotate(text, node.at, (0, -70), textcoords="offset points", ha="center", fontsize=9)
axes.set_axis_off()
axes.set_aspect("equal")
axes.margins(0.12)
figure.savefig("triangle.png", dpi=90)
