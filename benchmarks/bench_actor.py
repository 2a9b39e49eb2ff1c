"""How long the actor takes: one clip, and the whole repertoire, on one core."""

import pytest

from mocapella.actor import CAPTURED, captures, perform


@pytest.mark.parametrize("action", ["walk", "run", "walk-twirl-walk", "drink"])
def test_one_clip(benchmark, action):
    clip, _ = benchmark(perform, action, imperfections=CAPTURED)
    benchmark.extra_info["frames"] = clip.n_frames
    benchmark.extra_info["microseconds per frame"] = 1e6 * benchmark.stats["mean"] / clip.n_frames


def test_whole_repertoire(benchmark):
    clips = benchmark.pedantic(lambda: list(captures()), rounds=3)
    benchmark.extra_info["clips"] = len(clips)
    benchmark.extra_info["frames"] = sum(clip.n_frames for _, clip, _ in clips)
