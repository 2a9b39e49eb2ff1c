"""Changes of motion to look at: a contact sheet through each, and what root and feet do at its joins."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mocapella.analysis.plants.tracks import foot_places
from mocapella.motion.clip import Clip
from mocapella.motion.contacts import FOOT_POINTS, Contacts
from mocapella.pictures import canvas
from mocapella.pictures.bodies import draw_contact_sheet
from mocapella.playback.player import Player
from mocapella.rig.legs import leg_roles

_POSES = 24


def draw_change(folder: Path, name: str, clip: Clip, contacts: Contacts, player: Player) -> None:
    """Write ``NAME.png`` and ``NAME_traces.png`` of what a player did through its first change."""
    folder.mkdir(parents=True, exist_ok=True)
    leave, arrive = (entry.time for entry in player.states[2:4])
    rate = clip.frame_rate
    first, last = max(0, int((leave - 0.7) * rate)), min(clip.n_frames - 1, int((arrive + 1.1) * rate))
    frames = np.linspace(first, last, _POSES).astype(int).tolist()
    draw_contact_sheet(clip.renamed(name), folder / f"{name}.png", frames=frames)
    figure = canvas.figure(12.0, 9.0)
    times = np.arange(clip.n_frames) / rate
    speeds = rate * np.linalg.norm(np.diff(clip.root_positions[:, ::2], axis=0), axis=1)
    turning = np.degrees(rate * np.diff(np.unwrap(clip.headings)))
    places = foot_places(clip, leg_roles(clip.skeleton))
    foot_speeds = rate * np.linalg.norm(np.diff(places[..., ::2], axis=0), axis=-1)
    rows = figure.subplots(5, 1, sharex=True)
    rows[0].plot(times[1:], speeds, color=canvas.INK)
    rows[1].plot(times[1:], turning, color=canvas.INK)
    rows[2].plot(times, clip.root_positions[:, 1], color=canvas.INK)
    for i, point in enumerate(FOOT_POINTS):
        colour = canvas.LEFT if point.startswith("left") else canvas.RIGHT
        style = "-" if point.endswith("heel") else "--"
        rows[3].plot(times, places[:, i, 1], style, color=colour, label=point.replace("_", " "))
        rows[4].plot(times[1:], foot_speeds[:, i], style, color=colour)
        down = contacts.planted(point)
        rows[3].plot(times[down], np.full(down.sum(), -0.02 - 0.01 * i), ".", markersize=2, color=colour)
    rows[3].legend(fontsize=7, ncols=4, frameon=False)
    words = ("root speed, m/s", "turning, °/s", "root height, m", "foot heights, m", "foot speeds, m/s")
    for axes, word in zip(rows, words, strict=True):
        axes.set_ylabel(word, fontsize=8)
        for time in (leave, arrive):
            axes.axvline(time, color=canvas.PALE, linestyle=":")
    rows[-1].set_xlabel(f"{name}, seconds; dotted: the change begins and has ended", fontsize=8)
    canvas.save_figure(figure, folder / f"{name}_traces.png")
