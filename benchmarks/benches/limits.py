"""Limits of the machine, measured beside a bench: arithmetic, copies, and how arithmetic gains by threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

_SIDE, _PRODUCTS = 96, 100  # square matrices in the cache, and too small for a product on several threads
_COPIED = 1 << 25  # bytes, beyond the caches of one core
_NUMBERS = 1 << 14  # of a thread's arithmetic: they stay in its cache


def flops(rounds: int) -> float:
    """Floating-point operations in a second of one core, by a product of matrices in single precision.

    The result is in 1/s; an addition and a multiplication are two.
    """
    a = np.random.default_rng(0).standard_normal((_SIDE, _SIDE)).astype(np.float32)
    out = np.empty_like(a)

    def work() -> None:
        for _ in range(_PRODUCTS):
            np.matmul(a, a, out=out)

    return 2.0 * _SIDE**3 * _PRODUCTS / min(_seconds(work, time.thread_time) for _ in range(rounds))


def bandwidth(rounds: int) -> float:
    """Bytes read and written in a second by a copy of memory on one core.

    Returns bytes per second; a byte copied is two.
    """
    source = np.ones(_COPIED, dtype=np.uint8)
    target = np.zeros_like(source)
    copies = (_seconds(lambda: np.copyto(target, source), time.thread_time) for _ in range(rounds))
    return 2.0 * _COPIED / min(copies)


def arithmetic_gain(threads: int, rounds: int) -> float:
    """How many times the work of one thread so many do in the same time, by powers of numbers in their caches.

    Hyperthreads share the arithmetic of a core: where they are counted as cores this stays below their number, and
    nothing that computes can gain more.

    ``rounds`` is the fastest of so many counts, one thread and all in turn. Returns 1 where further threads gain
    nothing.
    """
    values = [np.linspace(1.0, 2.0, _NUMBERS) for _ in range(threads)]
    outs = [np.empty_like(one) for one in values]

    def work(k: int) -> None:
        for _ in range(20):
            np.power(values[k], 1.37, out=outs[k])

    alone = together = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(rounds):
            alone = min(alone, _seconds(lambda: work(0), time.perf_counter))
            together = min(together, _seconds(lambda: list(pool.map(work, range(threads))), time.perf_counter))
    return threads * alone / together


def _seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    run()
    return clock() - began
