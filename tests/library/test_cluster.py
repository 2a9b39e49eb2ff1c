"""Captures read by a Dask cluster of real worker processes, one of which is killed on the way."""

import os
import signal

import pytest

import mocapella as mo
from mocapella.library import cluster
from mocapella.library.ingest import add_captures
from mocapella.library.store import Library


@pytest.fixture(scope="module")
def workers():
    """Two worker processes and their scheduler, here."""
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as running:
        yield running


def test_a_worker_that_is_killed_on_the_way_loses_nothing(workers, captures, tmp_path):
    with workers.get_client() as client:
        pids = list(client.run(os.getpid).values())
    killed = []

    def progress(total):
        def tell(name):
            if not killed:  # while the others are still being read
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        return tell

    with Library.at(tmp_path, create=True) as library:
        done = add_captures(library, [captures], scheduler=workers.scheduler_address, progress=progress)
        assert killed
        assert (done.added, len(done.failures)) == (9, 1)
        assert "expected ROOT" in done.failures[0][1]
        assert library.check() == []
        again = add_captures(library, [captures], scheduler=workers.scheduler_address)
        assert (again.added, again.known) == (0, 10)


def test_what_the_cluster_finds_is_what_is_found_here(workers, captures, tmp_path):
    path = captures / "walk.bvh"
    found = {}
    for name, scheduler in (("here", None), ("there", workers.scheduler_address)):
        with Library.at(tmp_path / name, create=True) as library:
            add_captures(library, [path], workers=0, scheduler=scheduler)
            (found[name],) = library.captures()
    assert found["here"] == found["there"]


def test_no_scheduler_is_one_line(captures, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra cluster")
    monkeypatch.setattr(cluster, "_WAIT", "0.2s")
    with (
        Library.at(tmp_path, create=True) as library,
        pytest.raises(mo.MotionError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
    ):
        add_captures(library, [captures / "walk.bvh"], scheduler="tcp://127.0.0.1:9")


def test_without_dask_it_is_said_what_to_install(captures, tmp_path, monkeypatch):
    def missing():
        raise ImportError

    monkeypatch.setattr(cluster, "_distributed", missing)
    with (
        Library.at(tmp_path, create=True) as library,
        pytest.raises(mo.MotionError, match=r"pip install 'mocapella\[cluster\]'"),
    ):
        add_captures(library, [captures / "walk.bvh"], scheduler="tcp://127.0.0.1:9")
