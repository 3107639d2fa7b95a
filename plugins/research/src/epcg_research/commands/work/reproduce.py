"""Compute published results again, and print or write them, for `epcg reproduce`."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epcg_core.inside import json_text, plain_table, say, show, write_report, write_table
from epcg_core.plugin import Options, documents, load_query
from epcg_research.figures import COLORS, require_matplotlib, save_figure
from epcg_research.reproduce import (
    Bench,
    NotAtHandError,
    Publication,
    RowResult,
    Table,
    TableResult,
    catalogue,
    chosen,
    report,
)
from epcg_research.reproduce.function import Reproduced, compared, heading, publications
from epcg_research.reproduce.tables import Call

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ENDINGS = {".md": "markdown", ".html": "html", ".htm": "html", ".json": "json", ".txt": "table"}


def list_(as_json: bool) -> None:
    """Print the papers and their tables and figures."""
    write_report(publications(), "json" if as_json else "table")


def run(
    name: str,
    quick: bool,
    location: str,
    data: Path | None,
    format: str | None,
    targets: Sequence[Path],
    no_plots: bool,
    claims: bool,
    options: Options,
    quiet: bool,
) -> None:
    """Compute published results again and compare. Raises CheckFailedError if a difference has no reason.

    Args:
        name: a paper, a table or figure, or 'all'.
        quick: whether to compute only what takes seconds.
        location: the database.
        data: the folder of published levels and puzzles.
        format: one of FORMATS; None: what the target's ending says.
        targets: the files to write; none: print it.
        no_plots: whether to draw nothing.
        claims: whether to print the claims instead of the rows.
        options: how to compute.
        quiet: whether to leave out what is begun.
    """
    wanted = [(_format(format, target), target) for target in targets or (None,)]
    found = chosen(catalogue(), name)
    pictured = any(form == "html" or (form == "markdown" and target) for form, target in wanted)
    plots = pictured and not no_plots
    if plots and any(table.plot is not None for p in found for table in p.tables):
        require_matplotlib()

    number = itertools.count(1)
    tables = sum(len(publication.tables) for publication in found)

    def begin(publication: Publication, table: Table) -> None:
        if not quiet:
            say(f"[{next(number)}/{tables}] {publication.full_name(table)}: {table.title}")

    with Bench(location, load_query, data, options) as bench:
        results = compared(found, bench, quick, begin)
        drawn = _drawn(results.results, bench) if plots else {}
    for form, target in wanted:
        _write(results, form, target, drawn, claims)
    if targets:
        say(report.summary(results.results, results.cpu_seconds))
    results.demand()


def _format(format: str | None, target: Path | None) -> str:
    if format is not None:
        return format
    if target is None:
        return "table"
    found = _ENDINGS.get(target.suffix.lower())
    if found is None:
        raise click.UsageError(f"'{target}': endings are {', '.join(_ENDINGS)}, or add --format.")
    return found


def _write(found: Reproduced, format: str, target: Path | None, drawn: dict[str, str], claims: bool) -> None:
    results, seconds = found.results, found.cpu_seconds
    if format == "table" and target is None and not claims:
        write_report(found)
        return
    if format == "table" and target is None:
        write_table(report.CLAIM_HEADER, found.claim_table().rows)
        say("\n" + report.summary(results, seconds))
        return
    if format == "json":
        text = "".join(f"{line}\n" for line in json_text(found))
    elif format == "html":
        text = report.as_html(results, seconds, drawn)
    elif format == "markdown":
        places = _write_pictures(drawn, target) if target is not None else {}
        text = report.markdown(results, seconds, places)
    else:
        lines = plain_table(report.CLAIM_HEADER, found.claim_table().rows, ()) if claims else _lines(results)
        text = "\n".join(lines) + "\n\n" + report.summary(results, seconds) + "\n"
    if target is None:
        show(text.removesuffix("\n"))
    else:
        _replace(target, text)
        say(f"Written: {target}.")


def _lines(results: Sequence[TableResult]) -> list[str]:
    found: list[str] = []
    for table in results:
        found += [
            *plain_table(report.HEADER, [report.cells(r) for r in table.rows], (), heading(table)),
            "",
        ]
    return found[:-1]


def _write_pictures(drawn: dict[str, str], target: Path) -> dict[str, str]:
    """Each picture as a file beside `target`: table -> its address."""
    found = {}
    for name, svg in drawn.items():
        path = target.with_name(f"{target.stem}-{documents.file_name(name)}.svg")
        _replace(path, svg)
        found[name] = path.name
    return found


def _replace(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with documents.replaced(target) as part:
        part.write_text(text, encoding="utf-8")


def _drawn(results: Sequence[TableResult], bench: Bench) -> dict[str, str]:
    """Draw the pictures of the tables as SVG."""
    found = {}
    with tempfile.TemporaryDirectory(prefix=documents.temporary_prefix()) as folder:
        for number, table in enumerate(results):
            plot, path = table.table.plot, Path(folder) / f"{number}.svg"
            if plot is None:
                continue
            if plot.draw is None:
                _draw_rows(path, table)
            elif all(row.ours is None for row in table.rows):
                continue  # its rows say why
            else:
                try:
                    Call(plot.draw, plot.args)(bench, path)
                except NotAtHandError as error:
                    say(f"{table.name}: no picture, {error}.")
                    continue
            if path.is_file():
                found[table.name] = path.read_text(encoding="utf-8")
    return found


def _draw_rows(path: Path, table: TableResult) -> None:
    """Draw published and own numbers side by side, for the rows with the unit of the first."""
    plot = table.table.plot
    assert plot is not None
    shown = [
        (r.row, _published_number(r), r.ours if isinstance(r.ours, int | float) else None) for r in table.rows
    ]
    shown = [row for row in shown if row[1] is not None or row[2] is not None]
    shown = [row for row in shown if row[0].unit == shown[0][0].unit]
    sides = [
        (label, color, values)
        for label, color, values in (
            ("published", COLORS[5], [row[1] for row in shown]),
            ("ours", COLORS[1], [row[2] for row in shown]),
        )
        if any(value is not None for value in values)
    ]
    if not shown:
        return

    def draw(axes: Axes) -> None:
        axes.figure.set_size_inches(7.2, max(4.2, 1.2 + 0.2 * len(shown)))  # type: ignore[union-attr]
        height = 0.76 / len(sides)
        for number, (label, color, values) in enumerate(sides):
            shift = height * (number - (len(sides) - 1) / 2)
            there = [(place + shift, value) for place, value in enumerate(values) if value is not None]
            axes.barh([p for p, _ in there], [v for _, v in there], height, color=color, label=label)
        axes.set_yticks(range(len(shown)), [row.label for row, _, _ in shown], fontsize=8)
        axes.invert_yaxis()
        axes.margins(y=0.02)
        axes.set_title(plot.title)
        axes.set_xlabel(plot.axis)
        axes.grid(axis="x")
        if plot.log:
            axes.set_xscale("log")
        else:
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
        if len(sides) > 1:
            axes.legend()

    save_figure(path, draw)


def _published_number(result: RowResult) -> float | None:
    value = getattr(result.row.published, "value", None)
    return value if isinstance(value, int | float) else None
