"""What the main job measured, as a page to read and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mocapella.cli.build import describe
from mocapella.cli.main_job import RATE, Job
from mocapella.cli.tour_job import describe_states
from mocapella.files.disk import replacing


def write_report(job: Job) -> Path:
    """Write ``report.md`` into the job's folder."""
    path = job.folder / "report.md"
    with replacing(path) as file:
        file.write(_page(job).encode())
    return path


def describe_job(job: Job) -> dict[str, Any]:
    """What ``demo --json`` says."""
    return {
        "folder": str(job.folder),
        "captures": job.captures,
        "network": describe(job.built),
        "figures": job.figures,
        "states": describe_states(job.toured.states),
        "files": [str(job.folder / name) for name in (*job.files, "report.md")],
        "missing": job.missing,
    }


def _page(job: Job) -> str:
    f, network = job.figures, job.built.network
    frame_ms = 1000.0 / RATE
    rows = [
        ("captures", f"{len(job.captures)}, {sum(one['seconds'] for one in job.captures):.0f} s in all"),
        ("network", f"{len(network.nodes)} nodes, {len(network.triangles)} triangles, {network.n_harmonics} harmonics"),
        ("prepared and built in", f"{f['build_seconds']:.2f} s"),
        ("walked", f"{f['distance_m']:.1f} m in {f['seconds']:.1f} s"),
        ("planted feet slid", f"{f['slip_mm_max']:.2f} mm at most, {f['slip_mm_mean']:.2f} mm on average"),
        ("feet sank into the ground", f"{f['penetration_mm_max']:.2f} mm at most"),
        ("feet about to rest moved", f"{f['approach_m_s_max']:.2f} m/s at most, in the three frames before"),
        (
            "beside the path",
            f"{100 * f['path_error_m_mean']:.1f} cm on average, {100 * f['path_error_m_max']:.1f} at most",
        ),
        ("off the wanted speed", f"{100 * f['speed_error_mean']:.1f} % on average"),
        ("cost of a frame", f"{f['step_ms_mean']:.2f} ms, {100 * f['step_ms_mean'] / frame_ms:.1f} % of one at 60 Hz"),
    ]
    lines = ["# A character that walks", "", "| measured | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows), ""]
    lines += _tour(job)
    lines += ["| file | |", "|---|---|", *(f"| {name} | {what} |" for name, what in job.files.items()), ""]
    if job.missing:
        lines += [f"Missing: {job.missing}.", ""]
    return "\n".join(lines)


def _tour(job: Job) -> list[str]:
    """What was played on the tour, and when."""
    f, states = job.figures, job.toured.states
    told = [f"| {entry.time:.2f} s | {entry.state} | {entry.arc} | {entry.block} | {entry.mode} |" for entry in states]
    return [
        f"A tour of {f['tour_seconds']:.1f} s through the hybrid network, unattended; planted feet slid "
        f"{f['tour_slip_mm_max']:.2f} mm at most:",
        "",
        "| from | state | arc | block | mode |",
        "|---|---|---|---|---|",
        *told,
        "",
    ]
