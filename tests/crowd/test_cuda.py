from __future__ import annotations

import copy
import sys

import numpy as np
import pytest

import mocapella as mo
from mocapella.crowd import gaits
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.cuda.crowd import CudaCrowd
from mocapella.crowd.cuda.packing import packed
from mocapella.crowd.cuda.source import NOTHING, SHARED_BYTES, TRAVEL, Sizes, source_of
from mocapella.crowd.detail import Level
from mocapella.crowd.tables import CrowdTables
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
@pytest.mark.parametrize("gain", [1.0, 1.7])
def test_threads_multiply_what_the_tables_hold(n_joints, harmonics, gain):
    network = walks(harmonics=harmonics) if n_joints == 23 else with_fingers(n_joints)
    tables = Crowd(network, 1).tables
    sizes = Sizes(tables)
    assert 0 < sizes.fine < sizes.tiles  # harmonics that are large enough, and others
    words = packed(sizes).coefficients[0]
    rng = np.random.default_rng(0)
    weights, phase = rng.dirichlet(np.ones(3)), rng.uniform(0.0, 2.0 * np.pi)
    waves = np.ones(2 * harmonics + 1)
    waves[1::2], waves[2::2] = (f(phase * np.arange(1, harmonics + 1)) for f in (np.cos, np.sin))
    gains = np.where((np.arange(2 * harmonics + 1) + 1) // 2 >= tables.first, gain, 1.0)
    own = tables.coefficients[tables.triangles[0]].astype(np.float64)
    plain, gained = (np.einsum("m,k,mkd->d", weights, waves * more, own) for more in (1.0, gains))
    want = np.where(np.arange(len(plain)) < tables.n_plain, plain, gained)
    bases = [basis_of(harmonics, sizes.tiles, weights, waves * more) for more in (np.ones_like(gains), gains)]
    got = np.zeros((2 * sizes.eights, 16))
    for eight in range(sizes.eights):
        some_plain = 32 * eight < tables.n_plain or not sizes.upper
        for tile in range(sizes.tiles):
            first = 4 * (eight * sizes.tile_at(sizes.tiles) + sizes.tile_at(tile))
            for piece, matrix in enumerate(pieces_of(sizes, words[first:], tile)):
                got[2 * eight + piece] += matrix @ bases[0 if some_plain or tile < sizes.gained else 1][tile]
            if eight == sizes.shared_eight and tile >= sizes.gained:
                first = sizes.eights * sizes.tile_at(sizes.tiles) - sizes.tile_at(sizes.gained) + sizes.tile_at(tile)
                for piece, matrix in enumerate(pieces_of(sizes, words[4 * first :], tile)):
                    got[2 * eight + piece] += matrix @ bases[1][tile]
    for quad, joint in enumerate(sizes.order):
        if joint == NOTHING:
            continue
        column = tables.n_plain - 4 if joint == TRAVEL else tables.columns[joint]
        eight, row = divmod(quad, 8)
        found = [got[2 * eight + pair, row + 8 * half] for pair in range(2) for half in range(2)]
        most = 2e-5 if joint < 23 else 1e-4  # fingers are short, so halves do for more of their harmonics
        np.testing.assert_allclose(found, want[column : column + 4], atol=most)
    feet = words[4 * sizes.coefficients :].reshape(sizes.foot_tiles, 2, 32, 4)
    bare = np.zeros(16 * sizes.foot_tiles)
    bare[0], bare[2 : 2 * harmonics + 2] = 1.0, waves[1:]
    moved = sum(
        sum(of_threads(feet[tile, part]) for part in range(2)) @ bare.reshape(-1, 16)[tile]
        for tile in range(sizes.foot_tiles)
    )
    at = slice(tables.n_columns, tables.n_columns + 8)
    by_corner = np.einsum("k,mkd->md", waves, own[..., at])
    np.testing.assert_allclose(moved.reshape(2, 8), by_corner[1:] - by_corner[0], atol=2e-6)


def pieces_of(sizes, words, tile):
    """The two matrices of a tile of eight quaternions; those that count less without what halves leave."""
    parts = 2 if tile < sizes.fine else 1
    own = words[: 2 * parts * 128].reshape(2, parts, 32, 4)
    return [sum(of_threads(own[piece, part]) for part in range(parts)) for piece in range(2)]


def basis_of(harmonics, tiles, weights, waves):
    """A basis in the order that harmonics.cu says: the weights, then harmonic by harmonic those of three corners."""
    pairs = [weights[:2], (weights[2], 0.0)]
    pairs += [weights[m] * waves[2 * k - 1 : 2 * k + 1] for k in range(1, harmonics + 1) for m in range(3)]
    pairs += [(0.0, 0.0)] * (8 * tiles - len(pairs))
    return np.array(pairs).reshape(tiles, 16)


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
    assert sizes.pairs >= 1
    assert sizes.shared_bytes <= SHARED_BYTES
    assert sorted(joint for joint in sizes.order if joint != NOTHING) == list(range(-1, n_joints))
    for first in range(0, n_joints, sizes.window):  # quaternions of a window do not share a place
        window = range(first, min(first + sizes.window, n_joints))
        early = [joint for joint in sizes.order[: 8 * sizes.resident] if joint >= 0]
        places = {sizes.quad(joint) for joint in {*early, *window}}
        assert len(places) == len({*early, *window})
        assert max(places) < 8 * sizes.staged
    late = {sizes.quad(visit.joint) for way in sizes.walks.ways[2:4] for visit in way}
    pieces = range(sizes.shared_at, sizes.shared_at + 6 * len(sizes.walks.shared))
    assert not late & set(pieces)  # what is written by both warps takes no place that is still read
    assert pieces.stop <= 8 * sizes.staged
    text = source_of(sizes)
    assert "\nBODY\n" not in text
    assert f"#define JOINTS {n_joints}\n" in text


@pytest.mark.parametrize("n_joints", [23, 24, 31, 67, 128])
@pytest.mark.parametrize("half", [False, True])
def test_warps_walk_every_joint_once_and_each_after_its_parent(n_joints, half):
    check_ways(Sizes(Crowd(walks() if n_joints == 23 else with_fingers(n_joints), 1).tables, half))


# legs first; many fingers; few joints
@pytest.mark.parametrize(
    "name", ["cmu-asfamc/05/05_01.amc", "makehuman/walk1.bvh", "odd-bvh/AnimatedDrawings-zombie.bvh"]
)
@pytest.mark.parametrize("half", [False, True])
def test_warps_share_captured_skeletons_in_the_same_way(data_folder, name, half):
    tables = CrowdTables.of(mo.analyse(mo.prepare(mo.load(data_folder / name)), harmonics=6))
    sizes = Sizes(tables, half)
    check_ways(sizes)
    check_pieces(sizes)
    assert sizes.pairs


def check_ways(sizes):
    """Every joint is written once, and begins where its parent is known; no slot is touched by both warps at once."""
    parents = sizes.tables.skeleton.parents.tolist()
    ways, rounds, slots, _ = sizes.walks
    written = [visit.joint for way in ways for visit in way if not visit.silent]
    assert sorted(written) == list(range(len(parents)))
    done: set[int] = set()
    held: dict[int, int] = {}  # the joint in each slot
    for window in range(sizes.windows):
        for first in range(2 * rounds[window], 2 * rounds[window + 1], 2):
            both = ways[first : first + 2]
            wrote = [{visit.keeps for visit in way if visit.keeps >= 0} for way in both]
            touched = [
                {*own, *(visit.reads for visit in way if visit.reads >= 0)}
                for own, way in zip(wrote, both, strict=True)
            ]
            assert not wrote[0] & touched[1]
            assert not wrote[1] & touched[0]
            assert all(0 <= slot < slots for slot in {*touched[0], *touched[1]})
            for way in both:
                seen: list[int] = []
                for visit in way:
                    assert visit.silent or visit.joint // sizes.window == window
                    parent = parents[visit.joint]
                    if visit.kept_from >= 0:
                        assert visit.kept_from == parent
                        assert held[visit.reads] == parent
                        assert parent in {*done, *seen}
                    elif parent >= 0:
                        assert seen[-1] == parent
                    seen.append(visit.joint)
                    held |= {visit.keeps: visit.joint} if visit.keeps >= 0 else {}
            done |= {visit.joint for way in ways[first : first + 2] for visit in way}


@pytest.mark.parametrize("n_joints", [23, 31, 67])
@pytest.mark.parametrize("half", [False, True])
def test_a_piece_of_joints_is_written_by_one_warp_at_once_unless_both_share_it(n_joints, half):
    check_pieces(Sizes(Crowd(walks() if n_joints == 23 else with_fingers(n_joints), 1).tables, half))


def check_pieces(sizes):
    n_joints = sizes.tables.n_joints
    for first in range(0, n_joints, sizes.piece):
        own = range(first, min(first + sizes.piece, n_joints))
        writers = [
            (number, [visit.joint for visit in way if not visit.silent and visit.joint in own])
            for number, way in enumerate(sizes.walks.ways)
        ]
        writers = [(number, joints) for number, joints in writers if joints]
        if first in sizes.walks.shared:
            assert [number for number, _ in writers] == [2, 3]
            continue
        ((number, joints),) = writers
        assert joints == list(own)
        visits = [visit.joint for visit in sizes.walks.ways[number] if not visit.silent]
        assert visits[visits.index(own[0]) :][: len(own)] == list(own)  # nothing else is written in between


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


def test_a_crowd_on_a_gpu_is_steered_as_one_on_the_processor(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", StandIn())
    check_steering(Crowd(walks(), 50, seed=1), lambda array: array)


def check_steering(theirs, to_host):
    """Points for turn rates and speeds, also beyond what there is, are those of the processor."""
    ours = theirs.on_gpu()
    rng = np.random.default_rng(0)
    turns, speeds = rng.uniform(-2.0, 2.0, len(theirs)), rng.uniform(0.0, 3.0, len(theirs))
    turns[3] = np.nan
    for own in ((turns, speeds), (0.2, speeds), (turns, 1.2), (-0.3, 1.1)):
        theirs.steer(*own)
        ours.steer(*own)
        np.testing.assert_allclose(to_host(ours.points), theirs.points, atol=1e-5)
        assert bool(to_host(ours.faults)[3]) == np.isnan(np.broadcast_to(own[0], len(theirs))[3])
    with pytest.raises(MotionError, match=r"speeds of shape \(50,\)"):
        ours.steer(0.0, np.zeros(3))


@needs_gpu
def test_a_gpu_is_steered_with_arrays_of_its_own():
    check_steering(Crowd(walks(), 50, seed=1), lambda array: array.get())


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
    apart, turned, same = [], [], []
    for frame in range(80):
        if frame % 20 == 0:
            goals = rng.uniform((-0.6, 0.9), (0.6, 1.6), (333, 2)).astype(np.float32)
            theirs.points[...] = goals
            ours.points = goals
        ours.poses().fill(np.nan)
        theirs.step(1 / 30)
        ours.step(1 / 30)
        off = np.abs(ours.poses().get() - theirs.poses())
        apart.append(off[..., 3].max(axis=(1, 2)))
        turned.append(off[..., :3].max(axis=(1, 2, 3)))
        same.append(ours.planted.get() == theirs.planted)
    assert np.quantile(apart, 0.99) < 2e-4
    assert np.median(apart) < 2e-5
    assert np.quantile(turned, 0.99) < 5e-4  # of fingers that shake at all frequencies, which take half precision
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


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_crowd_on_a_gpu_is_not_copied(copied):
    with pytest.raises(MotionError, match="copy the Crowd that it was made of"):
        copied(object.__new__(CudaCrowd))
