from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mocapella.library.index import WindowIndex


def all_compared(numbers, clips, asked, most):
    """The nearest window of each capture, by comparing all."""
    apart = np.linalg.norm(asked[:, None].astype(np.float64) - numbers[None].astype(np.float64), axis=-1).min(axis=0)
    out = {}
    for place in np.argsort(apart, kind="stable"):
        out.setdefault(int(clips[place]), float(apart[place]))
    return list(out.values())[:most]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 300), most=st.integers(1, 30), spread=st.floats(0.01, 3.0))
def test_an_index_finds_what_comparing_all_finds(seed, n, most, spread):
    rng = np.random.default_rng(seed)
    numbers = (rng.normal(size=(n, 40)) * spread * rng.uniform(0.0, 1.0, 40)).astype(np.float16)
    clips = rng.integers(0, max(1, n // 3), n)
    asked = (numbers[rng.integers(0, n, 5)].astype(np.float32) + 0.1 * rng.normal(size=(5, 40))).astype(np.float32)
    places, squares = WindowIndex.of(numbers, clips, np.zeros(n, dtype=np.int64)).nearest(asked, most)
    wanted = all_compared(numbers, clips, asked, most)
    np.testing.assert_allclose(np.sqrt(squares), wanted, atol=5e-3)
    assert len(set(clips[places].tolist())) == len(places)


def test_nothing_is_found_among_nothing():
    index = WindowIndex.of(np.zeros((0, 40), np.float16), np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert len(index.numbers) == 0


def test_a_library_that_grows_is_searched_anew(tmp_path):
    import mocapella as mo
    from mocapella.library.ingest import add_captures
    from mocapella.library.queries import find_like

    walk, run = (mo.example(kind, frame_rate=30.0) for kind in ("walk", "run"))
    mo.save(walk, tmp_path / "walk.bvh")
    with mo.Library.at(tmp_path / "library", create=True) as library:
        assert find_like(library, walk) == []
        add_captures(library, [tmp_path / "walk.bvh"], workers=0)
        assert len(find_like(library, run)) == 1
        mo.save(run, tmp_path / "run.bvh")
        add_captures(library, [tmp_path / "run.bvh"], workers=0)
        found = find_like(library, run)
        assert found[0].name == "run"
        assert found[0].score == pytest.approx(0.0, abs=0.02)
        assert library.index is library.index
