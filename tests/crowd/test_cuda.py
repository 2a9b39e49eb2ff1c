from __future__ import annotations

import sys

import numpy as np
import pytest

from mocapella.crowd import gaits
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.cuda.packing import packed
from mocapella.crowd.cuda.source import NOTHING, SHARED_BYTES, TRAVEL, Sizes, source_of
from mocapella.crowd.detail import Level
from mocapella.errors import MotionError
from tests.crowd.samples import walks, with_fingers
from tests.crowd.stand_in import StandIn
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
    words = packed(sizes).coefficients
    feet = words[0, -256 * 2 * sizes.foot_tiles :].reshape(2, sizes.foot_tiles, 2, 32, 4)
    words = words[0, : -feet.size].reshape(2 * sizes.eights, sizes.tiles, 2, 32, 4)
    rng = np.random.default_rng(0)
    weights, phase = rng.dirichlet(np.ones(3)), rng.uniform(0.0, 2.0 * np.pi)
    waves = np.ones(2 * harmonics + 1)
    waves[1::2], waves[2::2] = (f(phase * np.arange(1, harmonics + 1)) for f in (np.cos, np.sin))
    want = np.einsum("m,k,mkd->d", weights, waves, tables.coefficients[tables.triangles[0]].astype(np.float64))
    basis = basis_of(harmonics, sizes.tiles, weights, phase)
    got = np.zeros((2 * sizes.eights, 16))
    for piece in range(2 * sizes.eights):
        for tile in range(sizes.tiles):
            got[piece] += sum(of_threads(words[piece, tile, part]) for part in range(2)) @ basis[tile]
    for quad, joint in enumerate(sizes.order):
        if joint == NOTHING:
            continue
        column = tables.n_plain - 4 if joint == TRAVEL else tables.columns[joint]
        eight, row = divmod(quad, 8)
        own = [got[2 * eight + pair, row + 8 * half] for pair in range(2) for half in range(2)]
        np.testing.assert_allclose(own, want[column : column + 4], atol=2e-6)
    bare = np.zeros(16 * sizes.foot_tiles)
    bare[: 2 * harmonics : 2], bare[1 : 2 * harmonics : 2], bare[2 * harmonics] = waves[1::2], waves[2::2], 1.0
    bare = bare.reshape(sizes.foot_tiles, 16)
    by_corner = np.zeros((2, 16))
    for piece in range(2):
        for tile in range(sizes.foot_tiles):
            by_corner[piece] += sum(of_threads(feet[piece, tile, part]) for part in range(2)) @ bare[tile]
    moved = weights @ by_corner.reshape(4, 8)[:3]
    np.testing.assert_allclose(moved, want[tables.n_columns : tables.n_columns + 8], atol=2e-6)


def basis_of(harmonics, tiles, weights, phase):
    """A basis in the order that harmonics.cu says: three weights of four harmonics at a time, the rest, the means."""
    whole, rest = divmod(harmonics, 4)
    waves = {k: (np.cos(k * phase), np.sin(k * phase)) for k in range(1, harmonics + 1)}
    slots = [[weights[m] * np.array(waves[4 * a + t + 1]) for t in range(4)] for a in range(whole) for m in range(3)]
    means = [(weights[0], weights[1]), (weights[2], 0.0), (0.0, 0.0)]
    for left in range(2 * tiles - 3 * whole):
        wave = np.array(waves[4 * whole + 1 + left]) if left < rest else np.zeros(2)
        slots.append([*(weights[m] * wave for m in range(3)), np.array(means[min(left, 2)])])
    # thread t of slot s lies in rows 8 (s mod 2) + 2 t of tile s / 2
    return np.array(slots).reshape(tiles, 16)


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
    assert sizes.teams >= 1
    assert sizes.shared_bytes <= SHARED_BYTES
    assert sorted(joint for joint in sizes.order if joint != NOTHING) == list(range(-1, n_joints))
    for first in range(0, n_joints, sizes.window):  # quaternions of a window do not share a place
        window = range(first, min(first + sizes.window, n_joints))
        early = [joint for joint in sizes.order[: 8 * sizes.resident] if joint >= 0]
        places = {sizes.quad(joint) for joint in {*early, *window}}
        assert len(places) == len({*early, *window})
        assert max(places) < 8 * sizes.staged
        assert max(~place for place in places) < 3 * len(window)
    text = source_of(sizes)
    assert "\nBODY\n" not in text
    assert f"#define JOINTS {n_joints}\n" in text


@pytest.mark.parametrize("n_joints", [23, 24, 31, 67, 128])
def test_warps_walk_every_joint_once_and_each_after_its_parent(n_joints):
    tables = Crowd(walks() if n_joints == 23 else with_fingers(n_joints), 1).tables
    parents = tables.skeleton.parents.tolist()
    sizes = Sizes(tables)
    ways, rounds, kept, awaits = sizes.walks
    written = [visit.joint for way in ways for visit in way if not visit.silent]
    assert sorted(written) == list(range(n_joints))
    assert awaits
    ahead = [visit.joint for visit in ways[2]]
    shared = ahead[: [visit.awaited for visit in ways[2]].index(True) + 1]  # what warp 3 finds
    done: set[int] = set()
    for window in range(sizes.windows):
        for first in range(4 * rounds[window], 4 * rounds[window + 1], 4):
            for warp, way in enumerate(ways[first : first + 4]):
                seen: list[int] = []
                for visit in way:
                    assert visit.joint // sizes.window == window
                    parent = parents[visit.joint]
                    if visit.kept_from >= 0:
                        assert visit.kept_from == parent
                        assert parent in kept
                        assert parent in {*done, *seen, *(shared if first == 0 and warp == 3 else ())}
                    elif parent >= 0:
                        assert seen[-1] == parent
                    seen.append(visit.joint)
            done |= {visit.joint for way in ways[first : first + 4] for visit in way}


def test_without_cupy_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MotionError, match=r"pip install 'mocapella\[cuda\]'.*Crowd"):
        Crowd(walks(), 2).on_gpu()


def moved(device, n):
    """By how many seconds the launches that were written down moved each character; forgets them."""
    out = np.zeros(n)
    for name, arguments in device.launched:
        if name == "place":
            rows, seconds = arguments[4], arguments[6]
            out[rows if isinstance(rows, np.ndarray) else slice(None)] += seconds
    device.launched.clear()
    return out


@pytest.mark.parametrize("noise", [0.0, 0.05])  # without noise steps are recorded and replayed
def test_a_gpu_moves_each_character_when_the_processor_does(monkeypatch, noise):
    device = StandIn()
    monkeypatch.setitem(sys.modules, "cupy", device)
    detail = (Level(every=2), Level(harmonics=5, every=3), Level())
    theirs = Crowd(walks(), 90, seed=3, detail=detail, noise=noise)
    theirs.levels[30:60], theirs.levels[60:] = 1, 2
    theirs.resting[:10] = True
    theirs.step(1 / 60)  # the GPU takes over in the middle of its rounds
    ours = theirs.on_gpu()
    rng, whole, passed = np.random.default_rng(0), np.zeros(90), 0.0
    for frame in range(40):
        dt = 1 / 60 if frame < 30 else float(rng.uniform(0.0, 0.05))
        before = theirs.positions
        theirs.step(dt)
        ours.step(dt)
        seconds = moved(device, 90)
        np.testing.assert_array_equal(seconds > 0.0, (theirs.positions != before).any(axis=1))
        whole, passed = whole + seconds, passed + dt
        np.testing.assert_allclose(whole[60:], passed, rtol=1e-5)
    np.testing.assert_array_equal(whole[:10], 0.0)
    assert np.abs(whole[10:] - passed).max() < 3 * 0.05
    ours.choose(levels=np.full(90, 2), resting=np.arange(90) % 2 == 0)
    ours.step(1 / 60)
    np.testing.assert_array_equal(moved(device, 90) > 0.0, np.arange(90) % 2 == 1)


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
def test_levels_of_a_crowd_and_their_update_rates_go_to_the_gpu():
    detail = (Level(every=2), Level(harmonics=5, every=3))
    theirs = Crowd(walks(), 90, seed=3, detail=detail)
    theirs.levels[45:] = 1
    theirs.resting[:10] = True
    theirs.step(1 / 60)
    ours = theirs.on_gpu()
    for _ in range(30):
        before = ours.positions.get()
        theirs.step(1 / 60)
        ours.step(1 / 60)
        moved = (ours.positions.get() != before).any(axis=1)
        assert 30 < np.count_nonzero(moved) < 35  # 35 / 2 and 45 / 3
        np.testing.assert_allclose(ours.positions.get(), theirs.positions, atol=2e-4)
    np.testing.assert_array_equal(ours.positions.get()[:10], theirs.positions[:10])


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
