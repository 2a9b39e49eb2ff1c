from __future__ import annotations

import sys

import numpy as np
import pytest

from mocapella.crowd import gaits
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.cuda.packing import packed
from mocapella.crowd.cuda.source import SHARED_BYTES, Sizes, source_of
from mocapella.crowd.detail import Level
from mocapella.errors import MotionError
from tests.crowd.samples import walks, with_fingers
from tests.gpu import no_gpu

needs_gpu = pytest.mark.skipif(bool(no_gpu()), reason=no_gpu() or "there is one")


def of_threads(words):
    """The 16 × 16 matrix that the registers of a warp's threads hold, by the definition of mma.m16n8k16."""
    halves = np.ascontiguousarray(words).view(np.float16).reshape(32, 4, 2).astype(np.float64)
    out = np.empty((16, 16))
    for lane in range(32):
        group, thread = divmod(lane, 4)
        for register in range(4):
            row = group + 8 * (register % 2)
            column = 2 * thread + 8 * (register // 2)
            out[row, column : column + 2] = halves[lane, register]
    return out


@pytest.mark.parametrize(("n_joints", "harmonics"), [(23, 8), (31, 8), (67, 8), (23, 5), (23, 10)])
def test_threads_multiply_what_the_tables_hold(n_joints, harmonics):
    network = walks(harmonics=harmonics) if n_joints == 23 else with_fingers(n_joints)
    tables = Crowd(network, 1).tables
    sizes = Sizes(tables)
    words = packed(sizes).coefficients.reshape(len(tables.triangles), 2 * sizes.eights + 1, sizes.tiles, 2, 32, 4)
    rng = np.random.default_rng(0)
    weights, phase = rng.dirichlet(np.ones(3)), rng.uniform(0.0, 2.0 * np.pi)
    waves = np.ones(2 * harmonics + 1)
    waves[1::2], waves[2::2] = (f(phase * np.arange(1, harmonics + 1)) for f in (np.cos, np.sin))
    want = np.einsum("m,k,mkd->d", weights, waves, tables.coefficients[tables.triangles[0]].astype(np.float64))
    basis = basis_of(harmonics, sizes.tiles, weights, phase)
    got = np.zeros((2 * sizes.eights + 1, 16))
    for piece in range(2 * sizes.eights + 1):
        for tile in range(sizes.tiles):
            got[piece] += sum(of_threads(words[0, piece, tile, part]) for part in range(2)) @ basis[tile]
    feet = got[-1, :8]
    np.testing.assert_allclose(feet, want[tables.n_columns : tables.n_columns + 8], atol=2e-6)
    for quad, joint in enumerate(sizes.order):
        column = tables.n_plain - 4 if joint < 0 else tables.columns[joint]
        eight, row = divmod(quad, 8)
        own = [got[2 * eight + pair, row + 8 * half] for pair in range(2) for half in range(2)]
        np.testing.assert_allclose(own, want[column : column + 4], atol=2e-6)


def basis_of(harmonics, tiles, weights, phase):
    """A basis in the order that harmonics.cu says: three weights of four harmonics at a time, the rest, the means."""
    whole, rest = divmod(harmonics, 4)
    pairs = [(4 * a + t + 1, m) for a in range(whole) for m in range(3) for t in range(4)]
    pairs += [(4 * whole + 1 + i // 3, i % 3) for i in range(3 * rest)]
    numbers = [(weights[m] * np.cos(k * phase), weights[m] * np.sin(k * phase)) for k, m in pairs]
    numbers += [(weights[0], weights[1]), (weights[2], 0.0)]
    numbers += [(0.0, 0.0)] * (8 * tiles - len(numbers))
    # slot s of thread t is pair 4 s + t, and lies in rows 8 (s mod 2) + 2 t of tile s / 2: these follow one another
    return np.array(numbers).reshape(tiles, 16)


def test_gaits_keep_their_numbers():
    tables = Crowd(walks(), 1).tables
    sizes = Sizes(tables)
    rows = packed(sizes).gaits
    np.testing.assert_array_equal(rows[..., : gaits.PLANTS], tables.gaits[..., : gaits.PLANTS])
    kept = np.sort(rows[..., 24:], axis=-1)
    plants = np.sort(tables.gaits[..., gaits.PLANTS :], axis=-1)
    for ours, theirs in zip(kept.reshape(-1, kept.shape[-1]), plants.reshape(-1, plants.shape[-1]), strict=True):
        assert set(theirs.tolist()) <= set(ours.tolist())


@pytest.mark.parametrize("n_joints", [23, 24, 31, 67, 128])
@pytest.mark.parametrize("half", [False, True])
def test_every_body_gets_room_and_each_joint_one_place_at_a_time(n_joints, half):
    tables = Crowd(walks() if n_joints == 23 else with_fingers(n_joints), 1).tables
    sizes = Sizes(tables, half)
    assert sizes.warps >= 1
    assert sizes.shared_bytes <= SHARED_BYTES
    assert sorted(sizes.order) == list(range(-1, n_joints))
    early = [sizes.quad(joint) for joint in sizes.order if sizes.order.index(joint) < 8 * sizes.resident]
    assert early == list(range(len(early)))
    text = source_of(sizes)
    assert "\nBODY\n" not in text
    assert f"#define JOINTS {n_joints}\n" in text


def test_without_cupy_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MotionError, match=r"pip install 'mocapella\[cuda\]'.*Crowd"):
        Crowd(walks(), 2).on_gpu()


@needs_gpu
@pytest.mark.parametrize("n_joints", [23, 31, 67])
def test_a_gpu_does_what_the_processor_does(n_joints):
    network = walks() if n_joints == 23 else with_fingers(n_joints)
    theirs = Crowd(network, 333, seed=3, noise=0.05, detail=(Level(), Level(harmonics=5, joints=0.4)))
    ours = theirs.on_gpu()
    levels = np.arange(333) % 5 == 0
    theirs.levels[:] = levels
    ours.choose(levels=levels.astype(np.int32))
    rng = np.random.default_rng(4)
    apart, same = [], []
    for frame in range(80):
        if frame % 20 == 0:
            goals = rng.uniform((-0.6, 0.9), (0.6, 1.6), (333, 2)).astype(np.float32)
            theirs.points[...] = goals
            ours.points = goals
        ours.poses().fill(np.nan)
        theirs.step(1 / 30)
        ours.step(1 / 30)
        apart.append(np.abs(ours.poses().get() - theirs.poses()).max(axis=(1, 2, 3)))
        same.append(ours.planted.get() == theirs.planted)
    assert np.quantile(apart, 0.99) < 2e-4
    assert np.median(apart) < 2e-5
    assert np.mean(same) > 0.999


@needs_gpu
def test_points_that_are_no_numbers_stop_nobody_on_a_gpu():
    crowd = Crowd(walks(), 64, seed=1).on_gpu()
    crowd.points[::2] = np.nan
    for _ in range(30):
        crowd.step(1 / 60)
    assert crowd.faults.get()[::2].all()
    assert not crowd.faults.get()[1::2].any()
    assert np.isfinite(crowd.poses().get()).all()


@needs_gpu
def test_resting_characters_of_a_gpu_stay_and_others_go():
    crowd = Crowd(walks(), 100, seed=1).on_gpu()
    before = crowd.positions.get()
    crowd.choose(resting=np.arange(100) < 50)
    for _ in range(60):
        crowd.step(1 / 60)
    way = np.hypot(*(crowd.positions.get() - before).T)
    assert (way[:50] == 0.0).all()
    assert (way[50:] > 0.5).all()


@needs_gpu
def test_other_shapes_and_levels_are_refused_on_a_gpu():
    crowd = Crowd(walks(), 10).on_gpu()
    with pytest.raises(MotionError, match=r"\(10, 2\)"):
        crowd.points = np.zeros((3, 2))
    with pytest.raises(MotionError, match="levels of detail from 0 to"):
        crowd.choose(levels=np.full(10, 9))
