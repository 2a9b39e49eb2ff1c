"""A crowd on a GPU beside the same crowd on the processor, and what a step costs.

    python -m benchmarks.crowds_cuda [check] [marks] [speed] [traffic] [distances]

Needs a GPU. *Check*: both step the same characters, points moving all the while; every step's matrices and foot marks
are compared. *Marks*: the same for eight crowds that begin otherwise: how many foot marks are equal in all of them.
*Speed*: medians of replayed steps, beside a copy of memory. *Traffic*: rows and records of a million characters are
written and read in the order of triangles, with no arithmetic. *Distances*: all pairs of frames of two minutes of
motion, as motion graphs compare them. The networks are the actor's walks on a grid of 5 × 5, with 23 joints and with 67
(made-up fingers).
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import cache, partial

import numpy as np

from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.analysis.synchronise import synchronise
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.crowd.crowd import Crowd
from mocapella.crowd.cuda.crowd import CudaCrowd
from mocapella.crowd.state import Word
from mocapella.graphs.distance import cloud_distances, clouds_of
from mocapella.motion.layout import QuaternionLayout
from mocapella.motion.skeleton import Skeleton

DT = 1.0 / 60.0
MARK = {23: {False: 0.37, True: 0.27}, 67: {False: 1.0, True: None}}  # ms for a million on an H200


@cache
def network_of(n_joints):
    """The actor's walks, five speeds by five turn rates; joints beyond 23 hang on the hands."""
    grid = [(turn, speed) for speed in (0.8, 1.0, 1.2, 1.4, 1.6) for turn in (-0.8, -0.4, 0.0, 0.4, 0.8)]
    cycles = synchronise([prepare(perform("walk", speed=speed, turn=turn)[0]) for turn, speed in grid])
    more = n_joints - cycles[0].skeleton.n_joints
    nodes = []
    rng = np.random.default_rng(1)
    for cycle, at in zip(cycles, grid, strict=True):
        spectrum = analyse(cycle, harmonics=10)
        if more:
            own = 0.02 * rng.normal(size=(11, 4 * more)).astype(np.complex128)
            own[0, ::4] = 1.0
            together = [spectrum.coefficients[:, :-4], own, spectrum.coefficients[:, -4:]]
            skeleton = with_fingers(cycle.skeleton, more)
            spectrum = replace(spectrum, coefficients=np.concatenate(together, 1), layout=QuaternionLayout(skeleton))
        nodes.append(Node(f"{at}", at, spectrum))
    return Network(nodes)


def with_fingers(skeleton, more):
    hands = [skeleton.names.index(name) for name in ("LeftHand", "RightHand")]
    names = [*skeleton.names, *(f"finger{i}" for i in range(more))]
    parents = [*skeleton.parents.tolist(), *(hands[i % 2] for i in range(more))]
    return Skeleton.of(names, parents, np.concatenate([skeleton.offsets, np.full((more, 3), 0.02)]))


def print_check(n_joints, half, n=4000, frames=180, noise=0.0, seed=3):
    """Every step beside the processor's; the number of foot marks that are equal."""
    network = network_of(n_joints)
    theirs = Crowd(network, n, seed=seed, noise=noise)
    ours = CudaCrowd(theirs, half=half)
    rng = np.random.default_rng(seed + 1)
    apart, turned, same, lost = [], [], 0, 0
    for frame in range(frames):
        if frame % 45 == 0:
            goals = rng.uniform(network.points.min(axis=0), network.points.max(axis=0), (n, 2)).astype(np.float32)
            theirs.points[...] = goals
            ours.points = goals
        ours.poses().fill(np.nan)
        theirs.step(DT)
        ours.step(DT)
        got, want = ours.poses().get().astype(np.float64), theirs.poses().astype(np.float64)
        if half:
            want[:, :, ::2, 3] -= want[:, :1, ::2, 3]
        lost += int(np.isnan(got).sum())
        off = np.abs(got - want)
        apart.append(off[..., 3].max(axis=(1, 2)))
        turned.append(off[..., :3].max())
        marks = ours._words(Word.MARKS).get() >> 24, theirs.state.view(np.int32)[:, Word.MARKS] >> 24
        same += int((marks[0] == marks[1]).sum())
    apart = np.array(apart)
    roots = np.abs(ours.positions.get() - theirs.positions).max()
    print(
        f"{n_joints} joints, {'halves' if half else 'floats'}{', noise' if noise else ''}, {n} characters, {frames} "
        f"steps beside {theirs.engine}: places median {np.median(apart):.1e} m, 99.9 % within "
        f"{np.quantile(apart, 0.999):.1e}, most {apart.max():.1e}; rotations {max(turned):.1e}; foot marks equal "
        f"{same} of {n * frames}; not written {lost}; roots at the end {roots:.1e} m",
        flush=True,
    )
    return same


def print_marks(n_joints, n=6000, frames=180, seeds=range(8)):
    """Foot marks of several crowds."""
    same, of = sum(print_check(n_joints, False, n, frames, seed=seed) for seed in seeds), n * frames * len(seeds)
    print(f"{n_joints} joints: foot marks equal {same} of {of}, {100 * same / of:.5f} %", flush=True)


def timed(cupy, call, inner, rounds=25):
    """Milliseconds of a call: the median of rounds of several."""
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    for _ in range(5):
        call()
    out = []
    for _ in range(rounds):
        begin.record()
        for _ in range(inner):
            call()
        end.record()
        end.synchronize()
        out.append(cupy.cuda.get_elapsed_time(begin, end) / inner)
    return float(np.median(out))


def copied_per_second(cupy):
    """Bytes read and written by a copy, GB/s."""
    whole = cupy.zeros(1 << 28, cupy.float32)
    other = cupy.empty_like(whole)
    return 2 * whole.nbytes / timed(cupy, lambda: cupy.copyto(other, whole), 2) / 1e6


def print_speed(cupy, n_joints, half, sizes):
    copied = copied_per_second(cupy)
    cupy.get_default_memory_pool().free_all_blocks()
    for n in sizes:
        crowd = CudaCrowd(Crowd(network_of(n_joints), n, seed=1), half=half)
        rng = np.random.default_rng(2)
        for moving in (False, True):
            low, high = network_of(n_joints).points.min(axis=0), network_of(n_joints).points.max(axis=0)
            if moving:
                crowd.points = rng.uniform(low, high, (n, 2)).astype(np.float32)
            for _ in range(0 if moving else 30):
                crowd.step(DT)
            ms = timed(cupy, lambda crowd=crowd: crowd.step(DT), 20 if n < 200_000 else 3, 15)
            size = n * (n_joints * (24 if half else 48) + 72 + 8 + 8 + 4 + 108 + 96)
            mark = MARK.get(n_joints, {}).get(half) if n == 1_000_000 else 0.010 if n == 10_000 else None
            print(
                f"{n_joints} joints, {'halves' if half else 'floats'}, {n:>9,} characters, "
                f"{'points move' if moving else 'points rest'}: {ms:.4f} ms{f' (mark {mark})' if mark else ''}, "
                f"{n / ms / 1e6:.2f} G/s, {size / ms / 1e6:.0f} GB/s, {100 * size / ms / 1e6 / copied:.0f} % of a copy",
                flush=True,
            )
        del crowd
        cupy.get_default_memory_pool().free_all_blocks()


TRAFFIC = r"""
extern "C" __global__ void __launch_bounds__(512, 1) traffic(float4* __restrict__ records, float4* __restrict__ rows, const int* __restrict__ order, int groups) {
  const int lane = threadIdx.x & 31, warps = gridDim.x * blockDim.x / 32;
  for (int group = (blockIdx.x * blockDim.x + threadIdx.x) / 32; group < groups; group += warps) {
    const int whose = order[32 * group + lane];
    float4* record = records + 5 * (size_t)whose;
    float4 words[5];
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < 5; ++k) words[k] = record[k];
#pragma unroll
    for (int k = 0; k < 5; ++k) sum += words[k].x;
#pragma unroll
    for (int k = 0; k < 5; ++k) { words[k].y += 1e-20f * sum; record[k] = words[k]; }
    float4* to[PIECE];
#pragma unroll
    for (int i = 0; i < PIECE; ++i) to[i] = rows + (size_t)__shfl_sync(0xffffffffu, whose, (32 * i + lane) / PIECE) * STRIDE + (32 * i + lane) % PIECE;
    for (int first = 0; first < STRIDE; first += PIECE)
#pragma unroll
      for (int i = 0; i < PIECE; ++i) __stcg(to[i] + first, make_float4(sum, sum + first, sum * first, (float)i));
  }
}
"""  # noqa: E501


def print_traffic(cupy, n=1_000_000, triangles=32):
    """What a step of 23 joints moves through memory, in pieces of 96 and of 128 bytes."""
    rng = np.random.default_rng(0)
    order = cupy.asarray(np.argsort(rng.integers(0, triangles, n), kind="stable").astype(np.int32))
    records = cupy.zeros((n, 5, 4), cupy.float32)
    blocks = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
    for half in (False, True):
        stride = 36 if half else 72
        rows = cupy.zeros((n, stride, 4), cupy.float32)
        for piece in (6, 8) if not half else (6,):
            options = "-std=c++17", f"-DPIECE={piece}", f"-DSTRIDE={stride}"
            kernel = cupy.RawKernel(TRAFFIC, "traffic", options=options)
            arguments = records, rows, order, np.int32(n // 32)
            ms = timed(cupy, partial(kernel, (blocks,), (512,), arguments), 3, 15)
            kind = "halves" if half else "floats"
            print(f"traffic alone, {n:,} characters, {kind}, pieces of {16 * piece} bytes: {ms:.3f} ms", flush=True)


def print_distances():
    """The distance matrix of a motion graph on the GPU and on the processor."""
    one, other = (clouds_of(perform(kind, seconds=60.0)[0]) for kind in ("walk", "run"))
    cloud_distances(one, other, device="cuda")
    seconds, found = {}, {}
    for device in ("cuda", "cpu"):
        begun = time.perf_counter()
        found[device] = cloud_distances(one, other, device=device)
        seconds[device] = time.perf_counter() - begun
    apart = np.abs(found["cuda"] - found["cpu"]).max()
    print(
        f"distances of {found['cpu'].size / 1e6:.0f} million pairs of frames: {seconds['cuda']:.2f} s on the GPU, "
        f"copies included, {seconds['cpu']:.2f} s on the processor; apart {apart:.0e} m"
    )


def main() -> None:
    words = sys.argv[1:] or ["check", "marks", "speed", "traffic", "distances"]
    import cupy

    if "check" in words:
        for n_joints in (23, 67):
            for half in (False, True):
                print_check(n_joints, half, n=6000)
        print_check(23, False, n=1000, frames=60, noise=0.05)
    if "marks" in words:
        for n_joints in (23, 67):
            print_marks(n_joints)
    if "speed" in words:
        for n_joints in (23, 67):
            for half in (False, True):
                print_speed(cupy, n_joints, half, (1_000, 10_000, 100_000, 1_000_000))
    if "traffic" in words:
        print_traffic(cupy)
    if "distances" in words:
        print_distances()


if __name__ == "__main__":
    main()
