"""Captures described by a Dask cluster instead of processes here; the extra ``cluster`` has what is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from mocapella.errors import MotionError
from mocapella.library.entries import DescribedFile, Known, Refusal

_AHEAD = 4  # tasks that wait for each worker, so that memory stays flat however many files there are
_WAIT = "30s"  # for the scheduler to answer
_TRIES = 3  # workers that a file may crash before it is refused


def described_by_cluster(paths: Sequence[Path], address: str) -> Iterator[DescribedFile]:
    """The descriptions of files as they are done, by the workers of a cluster.

    A worker that is lost on the way is replaced by the others; its files are read again there.

    Raises ``MotionError`` where Dask is not installed or no scheduler answers.
    """
    try:
        dask = _distributed()
    except ImportError:
        raise MotionError("a cluster needs extra packages: pip install 'mocapella[cluster]'") from None
    try:
        client = dask.Client(address, timeout=_WAIT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise MotionError(
            f"no Dask scheduler answers at {address}: {error}", helps="start one with dask scheduler"
        ) from None
    try:
        yield from _described(client, paths, address)
    finally:
        client.close()


def _described(client: Any, paths: Sequence[Path], address: str) -> Iterator[DescribedFile]:
    from mocapella.library.ingest import describe

    waiting, running = iter(paths), {}
    done = _distributed().as_completed(loop=client.loop)

    def submit(most: int) -> None:
        for path in islice(waiting, most):
            future = client.submit(describe, path, pure=False, retries=_TRIES)
            running[future.key] = path
            done.add(future)

    submit(_AHEAD * max(sum(client.nthreads().values()), 1))
    for future in done:
        path = running.pop(future.key)
        yield future.result() if future.status == "finished" else _refused(path, future, address)
        future.release()  # the cluster forgets the answer
        submit(1)


def _refused(path: Path, future: Any, address: str) -> DescribedFile:
    """Why a file could not be described: it crashes its workers, or the cluster is gone."""
    from mocapella.library.ingest import CRASHED

    error = future.exception() if future.status == "error" else None
    if error is None:
        raise MotionError(
            f"the Dask cluster at {address} gave up; what was done until now is kept", helps="repeat the command"
        )
    reason = CRASHED if isinstance(error, _distributed().KilledWorker) else f"{path}: the worker failed: {error}"
    return DescribedFile(str(path), (Refusal(str(path), Known(0, 0, ""), reason),))


def _distributed() -> Any:
    return import_module("distributed")
