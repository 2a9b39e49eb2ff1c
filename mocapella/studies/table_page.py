"""The report of ``mocapella reproduce``: all tables on one page, ours beside theirs, with pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from mocapella.errors import MotionError
from mocapella.files.disk import make_folder, replacing
from mocapella.motion.contacts import FOOT_POINTS
from mocapella.pictures.canvas import GREEN, INK, LEFT, PALE, RIGHT, page
from mocapella.quoting import html_text

_REPORT = "report.html"
_TITLES = {
    "blending": "Blend rules",
    "harmonics": "Errors by number of harmonics (table 5.3)",
    "sync": "Synchronisation by hips (table 6.1)",
    "plants": "Foot plants (tables 4.2 to 4.5)",
    "periods": "Periods (tables 4.6 to 4.11)",
    "cost": "Time of blending and synthesis (tables 5.1, 5.2, 6.2, 6.3, 7.5)",
    "figures": "Other figures",
    "comparison": "Hybrid networks beside graphs of blend spaces (table 6.4)",
    "latency": "Delays of transitions (equation 6.4, §6.7.4)",
    "edited": "Edited motions (figures 11 and 4.17)",
    "arm": "A robot arm",
    "single-source": "Upper harmonics (tables 7.1 to 7.5)",
}
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1d2433; max-width: 1000px; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: .6em 0; font-size: 13px } caption { text-align: left; font-weight: 600 }
th, td { padding: 2px 12px 2px 0; text-align: right; vertical-align: top; white-space: pre-wrap }
th:first-child, td:first-child, .words { text-align: left } tr:nth-child(even) { background: #f5f7fa }
img { max-width: 100%; display: block; margin: 1em 0 } h2 { margin-top: 2em }
"""

Part = Table | str


def write_report(folder: Path, source: str, found: Mapping[str, tuple[Any, Sequence[Part]]]) -> list[str]:
    """Write the tables that were made, and pictures of them, as one page; the files written, the page first.

    ``found`` has for the name of each table its answer, whose ``files`` are pictures in the folder, and how it is
    printed. The folder is made where it does not exist.
    """
    make_folder(folder)
    parts, pictures = [], list[str]()
    for name, (answer, printed) in found.items():
        parts.append(f'<h2 id="{html_text(name)}">{html_text(_TITLES.get(name, name))}</h2>')
        drawn = _drawn(folder, name, answer)
        drawn += [str(folder / Path(one).name) for one in answer.get("files", [])]
        pictures += drawn
        parts += [_html(part) for part in printed]
        parts += [f'<img src="{html_text(Path(one).name)}" alt="{html_text(name)}">' for one in drawn]
    links = " · ".join(f'<a href="#{html_text(name)}">{html_text(_TITLES.get(name, name))}</a>' for name in found)
    text = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Published tables</title><style>{_STYLE}</style>"
        f"<h1>Published tables, ours beside theirs</h1><p>Motions: {html_text(source)}. Published figures are those "
        f"of the papers; times there were measured on other machines.</p><p>{links}</p>{''.join(parts)}</html>\n"
    )
    with replacing(folder / _REPORT) as file:
        file.write(text.encode("utf-8"))
    return [str(folder / _REPORT), *pictures]


def _html(part: Part) -> str:
    if isinstance(part, str):
        return f"<p>{html_text(part)}</p>"
    heads = "".join(f"<th{_side(column)}>{html_text(str(column.header))}</th>" for column in part.columns)
    columns = [[html_text(str(cell)) for cell in column.cells] for column in part.columns]
    rows = "".join(
        "<tr>" + "".join(f"<td{_side(c)}>{cell}</td>" for c, cell in zip(part.columns, row, strict=True)) + "</tr>"
        for row in zip(*columns, strict=True)
    )
    return f"<table><caption>{html_text(str(part.title or ''))}</caption><tr>{heads}</tr>{rows}</table>"


def _side(column: Any) -> str:
    return " class='words'" if column.justify == "left" else ""


def _drawn(folder: Path, name: str, answer: Any) -> list[str]:
    """The picture of a table, if there is one; none where matplotlib is missing."""
    path = folder / f"{name}.png"
    with suppress(MotionError):  # matplotlib is an extra
        if name in _PICTURES:
            _PICTURES[name](answer, path)
            return [str(path)]
    return []


def _draw_harmonics(found: dict[str, Any], path: Path) -> None:
    with page(path, 6.0, 3.2, "mean error of joints, cm") as figure:
        axes = figure.subplots()
        counts = [row["harmonics"] for row in found["rows"]]
        errors = [row["error_cm"] for row in found["rows"]]
        axes.plot(counts, errors, "o-", color=LEFT, label=f"ours, {found['motion']}")
        axes.plot(counts, [row["published_cm"] for row in found["rows"]], "s--", color=RIGHT, label="published")
        axes.set(xlabel="harmonics", yscale="log", xticks=counts)
        axes.legend()


def _draw_sync(found: dict[str, Any], path: Path) -> None:
    rows, sharp = np.array(found["rows"]), np.array(found["rows_of_2010"])
    with page(path, 6.0, 3.2, "sums of differences between left and right hip, radians") as figure:
        axes = figure.subplots()
        for column, (name, colour) in enumerate(zip(found["references"], (LEFT, RIGHT), strict=True), start=1):
            axes.plot(rows[:, 0], rows[:, column], color=colour, label=f"with {name}")
            axes.plot(sharp[:, 0], sharp[:, column], ":", color=colour, label=f"with {name}, rule of 2010")
        axes.axvline(found["best_offset"], color=GREEN, linestyle=":", label="best offset")
        axes.set(xlabel="offset, frames")
        axes.legend()


def _draw_plants(found: dict[str, Any], path: Path) -> None:
    tables = found["tables"]
    title = "foot plants: known above, ours in the middle, published below"
    with page(path, 8.0, 2.1 * len(tables) + 0.5, title) as figure:
        for axes, one in zip(np.atleast_1d(figure.subplots(len(tables), 1)), tables, strict=True):
            ways = [("known", INK), ("ours", LEFT), *([("published", PALE)] if one["same_capture"] else [])]
            for row, point in enumerate(FOOT_POINTS):
                for lane, (way, colour) in enumerate(ways):
                    for first, last in one["points"][point][way]:
                        axes.barh(-row - 0.28 * lane, last - first + 1, left=first, height=0.24, color=colour)
            axes.set(yticks=[-row - 0.28 for row in range(4)], yticklabels=FOOT_POINTS, xlabel="frames")
            axes.set_title(f"table {one['table']}: {one['motion']}", loc="left")


def _draw_periods(found: dict[str, Any], path: Path) -> None:
    with page(path, 8.0, 3.4, "periods by autocorrelation, frames; dashed: true, or of all joints together") as figure:
        for axes, one in zip(figure.subplots(1, len(found["tables"])), found["tables"], strict=True):
            names = [row["joint"] for row in one["rows"]]
            at = np.arange(len(names))
            axes.barh(at - 0.2, [row["period"] for row in one["rows"]], 0.38, color=LEFT, label="ours")
            axes.barh(at + 0.2, [row["published"][1] for row in one["rows"]], 0.38, color=PALE, label="published")
            axes.axvline(one["true"] or one["all_joints"], color=RIGHT, linestyle="--")
            axes.set(yticks=at, yticklabels=names if axes.get_subplotspec().is_first_col() else [])
            axes.invert_yaxis()
            axes.set_title(one["motion"], loc="left")
        axes.legend(loc="lower right", frameon=True)


def _draw_costs(found: dict[str, Any], path: Path) -> None:
    rows = [row for row in found["rows"] if row["table"] == "6.2 euler"]
    with page(path, 6.0, 3.2, "table 6.2: ns a dof and frame, Euler angles") as figure:
        axes = figure.subplots()
        for what, colour in (("literal", LEFT), ("product", GREEN), ("blend", INK)):
            own = [row for row in rows if row["what"] == what]
            counts = [row["harmonics"] for row in own]
            axes.plot(counts, [row["value"] for row in own], "o-", color=colour, label=f"ours, {what}")
            if what != "product":
                theirs = [row["published"] for row in own]
                axes.plot(counts, theirs, "s--", color=colour, alpha=0.5, label=f"published, {what}")
        axes.set(xlabel="harmonics", yscale="log")
        axes.legend(ncols=2)


_PICTURES: Mapping[str, Callable[[dict[str, Any], Path], None]] = {
    "harmonics": _draw_harmonics,
    "sync": _draw_sync,
    "plants": _draw_plants,
    "periods": _draw_periods,
    "cost": _draw_costs,
}
