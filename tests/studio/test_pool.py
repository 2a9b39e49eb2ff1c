"""Worker processes: bounded in time, stopped by hand, and replaced where they are lost."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from mocapella.errors import MotionError
from mocapella.studio.project import ClipChoice
from mocapella.studio.views.clip_panel import clip_details
from mocapella.studio.workers.pool import Pool


def test_a_job_is_done_one_that_is_stopped_or_late_is_not_and_the_next_is_again(folder):
    job = partial(clip_details, ClipChoice("a", "medium-walk-left.bvh"), folder)

    async def all_of_it():
        pool = Pool(1)
        try:
            assert (await pool.run(job)).name == "a"
            with pytest.raises(MotionError, match="no such file"):
                await pool.run(partial(clip_details, ClipChoice("b", "b.bvh"), folder))
            number = pool.next_number()
            pool.stop(number)  # before its turn
            with pytest.raises(MotionError, match="stopped"):
                await pool.run(job, number=number)
            under_way = asyncio.create_task(pool.run(job))
            await asyncio.sleep(0)
            pool.stop()
            with pytest.raises(MotionError, match=r"stopped|came to an end"):
                await under_way
            pool._seconds = 0.001
            with pytest.raises(MotionError, match="longer than"):
                await pool.run(job)
            pool._seconds = 100.0
            assert (await pool.run(job)).name == "a"
        finally:
            await pool.close()

    asyncio.run(all_of_it())


@pytest.mark.skipif(sys.platform != "linux", reason="ignored signals are read from /proc")
def test_ctrl_c_in_a_terminal_leaves_workers_to_the_server():
    words = [sys.executable, "-m", "mocapella.studio.workers.job_process"]
    pipe = subprocess.PIPE
    begun = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # as in a terminal, whatever these tests inherit
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=begun) as worker:
        end = time.monotonic() + 10.0
        while not ignores_ctrl_c(worker.pid) and time.monotonic() < end:
            time.sleep(0.02)
        worker.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):  # it goes on until its standard input ends
            worker.wait(1.0)
        worker.stdin.close()
        assert worker.wait() == 0


def ignores_ctrl_c(pid):
    """Whether a process of Linux ignores SIGINT."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(re.search(r"SigIgn:\s*(\w+)", status)[1], 16) >> (signal.SIGINT - 1) & 1)
