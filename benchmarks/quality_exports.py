"""Every loop that is exported: how it closes, whether planted feet stay, on our body and on others.

    python -m benchmarks.quality_exports [FOLDER OF CAPTURES]

Loops are written, read back and posed: the step into the closing key and the change of step across it, each as a share
of the largest elsewhere in the loop (1 where its fastest moment is the seam); how far the closing pose is from the
first; how far planted feet slide; how far joints in the file are from ours.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import mocapella as mo
from benchmarks.captures import data_folder
from mocapella.exporting.grid import BlendGrid, blend_grid, carried_grid
from mocapella.exporting.targets import export_grid
from mocapella.files.gltf.skinned_character import Character, read_character
from mocapella.measure.measures import MOTION, MeasuredMotion, figures
from mocapella.motion.clip import Clip

_WALKS = ("16_15", "16_17", "16_21", "16_31", "16_47", "16_58", "16_35", "16_36", "16_45")


def step_at_the_seam(clip: Clip) -> float:
    """The step into the closing frame as a share of the largest other step; root mean square over the joints."""
    steps = np.sqrt((np.diff(clip.positions, axis=0) ** 2).sum(axis=-1).mean(axis=-1))
    return float(steps[-1] / max(float(steps[:-1].max()), 1e-9))


def bend_at_the_seam(clip: Clip) -> float:
    """The largest change from a step to the next across the seam, as a share of the largest elsewhere; joints alike."""
    there = np.concatenate([clip.positions, _onwards(clip)])
    bends = np.sqrt((np.diff(there, 2, axis=0) ** 2).sum(axis=-1).mean(axis=-1))
    seam = slice(clip.n_frames - 3, clip.n_frames)  # steps into and out of the closing frame
    return float(bends[seam].max() / max(float(np.delete(bends, seam).max()), 1e-12))


def _onwards(clip: Clip) -> np.ndarray:
    """The first frames of the next round, which begins where this one closes."""
    turn = np.exp(1j * (clip.headings[-1] - clip.headings[0]))
    first = clip.positions[1:3]
    ground = clip.ground_path[-1] + (first[..., 2] + 1j * first[..., 0] - clip.ground_path[0]) * turn
    return np.stack([ground.imag, first[..., 1], ground.real], axis=-1)


def closing_gap(clip: Clip) -> float:
    """Metres by which the closing frame differs from the first, both seen from their own root's place and heading."""
    ends = []
    for frame in (0, -1):
        place, turn = clip.ground_path[frame], np.exp(-1j * clip.headings[frame])
        seen = (clip.positions[frame, :, 2] + 1j * clip.positions[frame, :, 0] - place) * turn
        ends.append(np.stack([seen.real, seen.imag, clip.positions[frame, :, 1]], axis=-1))
    return float(np.abs(ends[1] - ends[0]).max())


def rows_of(title: str, grid: BlendGrid, character: Character | None) -> list[dict[str, float]]:
    """Figures of every loop in the file, read back."""
    rows = []
    slips = [figures(MOTION, MeasuredMotion(loop.clip, loop.contacts), ("slip_mm_max",)) for loop in grid.loops]
    with TemporaryDirectory() as folder:
        export_grid(grid, Path(folder), "three", character=character, animations="replace")
        for number, loop in enumerate(grid.loops):
            read = mo.load(Path(folder) / "character.glb", animation=number)
            own = [i for i, name in enumerate(loop.clip.skeleton.names) if name in read.skeleton.names]
            names = [read.skeleton.index(loop.clip.skeleton.names[i]) for i in own]
            rows.append(
                {
                    "error_mm": 1000.0 * float(np.abs(read.positions[:, names] - loop.clip.positions[:, own]).max()),
                    "seam": step_at_the_seam(read),
                    "bend": bend_at_the_seam(read),
                    "gap_mm": 1000.0 * closing_gap(loop.clip),
                    "slip_mm": slips[number]["slip_mm_max"],
                }
            )
    worst = {key: max(row[key] for row in rows) for key in rows[0]}
    print(
        f"{title:42} {len(rows):5d} {worst['seam']:8.3f} {worst['bend']:8.3f} "
        f"{worst['gap_mm']:10.5f} {worst['slip_mm']:9.3f} {worst['error_mm']:11.5f}"
    )
    return rows


def main() -> None:
    from tests.characters import write_character

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else data_folder()
    networks = {
        "the embedded actor": mo.build_network(
            [mo.example("walk", speed=v, turn=w) for v, w in ((0.8, 0.0), (1.2, 0.6), (1.2, -0.6), (1.7, 0.0))]
        )
    }
    files = [] if folder is None else [path for name in _WALKS for path in sorted(folder.rglob(f"{name}.bvh"))[:1]]
    if files:
        networks["CMU subject 16, walks"] = mo.build_network(files[:6])
        networks["CMU subject 16, runs"] = mo.build_network(files[6:])
    print(f"{'':42} loops   step ×   bend ×   closing mm   slip mm   file to ours, mm")
    with TemporaryDirectory() as place:
        own = read_character(write_character(Path(place) / "small.glb", size=0.6))
        tall = read_character(write_character(Path(place) / "tall.vrm", size=1.2, vrm=1, arms=60.0))
        for title, network in networks.items():
            grid = blend_grid(network, columns=4, rows=4)
            rows_of(title, grid, None)
            for name, character in (("a small character in centimetres", own), ("a tall VRM character", tall)):
                rows_of(f"  onto {name}", carried_grid(grid, character.skeleton), character)


if __name__ == "__main__":
    main()
