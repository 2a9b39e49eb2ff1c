"""Progress messages of jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mocapella.studio.messages.answers import Progress
from mocapella.studio.messages.fields import Answer
from mocapella.studio.workers.job_process import Reply
from mocapella.studio.workers.pool import StoppedError


@contextmanager
def telling(broadcast: Callable[[Answer], None], number: int, title: str) -> Iterator[Callable[[Reply], None]]:
    """Tell pages how far a job is, and at the end whether it was done, failed or was stopped."""

    def told(reply: Reply) -> None:
        broadcast(
            Progress(
                job=number,
                title=title,
                stage=reply.stage,  # type: ignore[arg-type]
                about=reply.about,
                done=reply.done,
                total=reply.total,
            )
        )

    stage = "failed"
    try:
        yield told
        stage = "done"
    except StoppedError:
        stage = "cancelled"
        raise
    finally:
        broadcast(Progress(job=number, title=title, stage=stage))  # type: ignore[arg-type]
