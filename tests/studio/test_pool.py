"""Worker processes: bounded in time, stopped by hand, and replaced where they are lost."""

from __future__ import annotations

import asyncio
from functools import partial

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
