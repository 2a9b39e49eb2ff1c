"""Pages of the demonstration: its character to steer, and a crowd of it."""

from __future__ import annotations

from dataclasses import replace

from mocapella.errors import MotionError
from mocapella.studies.demo import Job
from mocapella.studio.page.document import write_document, write_page
from mocapella.studio.page.steerable import CROWD, crowd_content


def with_pages(job: Job) -> Job:
    """The main job with two more files, pages that open in a browser: ``person.html`` and ``crowd.html``.

    ``job`` is as ``run_main_job`` returns it. Where the viewer or the engine for pages was not built, ``missing`` says
    so.
    """
    try:
        write_page(job.toured.hybrid, job.folder / "person.html", title="A person", steerable=True)
        write_document(crowd_content(job.built.network), job.folder / "crowd.html", title="A crowd")
    except MotionError as error:
        return replace(job, missing="; ".join(filter(None, [job.missing, f"pages: {error}"])))
    pages = {
        "person.html": "the hybrid network to steer in a browser, blended by the engine in the page",
        "crowd.html": f"{CROWD} characters of the network in a browser, each with its own blend and held feet",
    }
    return replace(job, files=job.files | pages)
