"""Reproduced tables as data, Markdown and HTML."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epcg_research.reproduce.printed import answer_in_words
from epcg_research.reproduce.rows import TableResult
from epcg_research.reproduce.verdicts import RowResult, Verdict

HEADER = ("what", "published", "from", "ours", "of", "verdict", "why", "CPU s")
_TITLE = "Published results, computed again"
_FROM = (
    "From: 'paper' and 'page' are printed there; 'reference' is a value that another program computed for "
    "the same question."
)
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc } h3 { margin-bottom: .3rem }
table { border-collapse: collapse; width: 100% } td.n { text-align: right; white-space: nowrap }
th, td { padding: .25rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid #e3e3e3 }
th { border-bottom: 2px solid #666 } code { font-size: 85%; overflow-wrap: anywhere }
details { margin: .4rem 0 1rem } svg { max-width: 100%; height: auto }
.equal { color: #2c6e49 } .differs { color: #9a5b13 } .UNEXPLAINED { color: #b00020; font-weight: bold }
"""


def cells(result: RowResult) -> tuple[str, str, str, str, str, str, str, str]:
    """Format a row as strings, in the order of HEADER."""
    row = result.row
    unit = f" {row.unit}" if row.unit else ""
    return (
        row.label,
        "-" if row.published is None else f"{row.published}{unit}",
        "-" if row.published is None else row.origin,
        "-" if result.ours is None else f"{_ours(result)}{unit}",
        result.detail or "-",
        result.verdict.value,
        result.reason,
        "-" if result.cpu_seconds is None else f"{result.cpu_seconds:.2f}",
    )


def _ours(result: RowResult) -> str:
    return answer_in_words(result.ours) if result.ours is not None else "-"


def counts(results: Sequence[TableResult]) -> dict[str, int]:
    """Return how many rows have which verdict."""
    found = Counter(row.verdict for table in results for row in table.rows)
    return {verdict.value: found[verdict] for verdict in Verdict}


def summary(results: Sequence[TableResult], cpu_seconds: float) -> str:
    """Write '120 rows: 100 equal, 20 differs; 3 runs computed now; 1.2 CPU seconds in all runs'."""
    number = sum(len(table.rows) for table in results)
    parts = ", ".join(f"{count} {verdict}" for verdict, count in counts(results).items() if count)
    computed = {run for table in results for row in table.rows for run in row.computed}
    return (
        f"{number} rows: {parts}. Runs computed now: {len(computed)}. All runs together took "
        f"{cpu_seconds:.1f} CPU seconds."
    )


def as_data(results: Sequence[TableResult], cpu_seconds: float) -> dict[str, Any]:
    """Return the results as JSON-like data."""
    return {
        "cpu_seconds": cpu_seconds,
        "verdicts": counts(results),
        "tables": [
            {
                "table": result.name,
                "paper": result.publication.paper,
                "source": result.publication.info.title,
                "printed": result.table.printed,
                "title": result.table.title,
                "candidates": result.table.candidates,
                "rows": [_row_data(row) for row in result.rows],
            }
            for result in results
        ],
    }


def _row_data(result: RowResult) -> dict[str, Any]:
    row = result.row
    return {
        "label": row.label,
        "published": None if row.published is None else getattr(row.published, "value", None),
        "published_text": None if row.published is None else str(row.published),
        "origin": None if row.published is None else row.origin,
        "unit": row.unit,
        "ours": result.ours,
        "of": result.detail,
        "verdict": result.verdict.value,
        "reason": result.reason,
        "how": result.how,
        "sql": result.sql,
        "runs": list(result.runs),
        "computed_now": list(result.computed),
        "cpu_seconds": result.cpu_seconds,
    }


def markdown(results: Sequence[TableResult], cpu_seconds: float, plots: Mapping[str, str]) -> str:
    """Write a Markdown document; `plots` maps tables to the addresses of their pictures."""
    lines = [f"# {_TITLE}", "", summary(results, cpu_seconds), ""]
    lines += [_FROM, ""]
    for publication, tables in _by_publication(results):
        lines += [f"## {publication}", ""]
        for table in tables:
            lines += [f"### {_title(table)}", "", f"`epcg reproduce run {table.name}`", ""]
            lines += ["| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
            lines += ["| " + " | ".join(map(_escaped, cells(row))) + " |" for row in table.rows]
            lines.append("")
            if table.name in plots:
                lines += [f"![{table.table.plot.title if table.table.plot else ''}]({plots[table.name]})", ""]
            for how, sqls in _questions(table):
                lines.append(f"- `{how}`")
                lines += [f"  - {label}: `{sql}`" for label, sql in sqls]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _title(table: TableResult) -> str:
    return f"{table.table.printed}: {table.table.title}" if table.table.printed else table.table.title


def _by_publication(results: Sequence[TableResult]) -> Iterator[tuple[str, list[TableResult]]]:
    names = dict.fromkeys(result.publication.name for result in results)
    for name in names:
        tables = [result for result in results if result.publication.name == name]
        yield tables[0].publication.info.title, tables


def _questions(table: TableResult) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield (source of our numbers, (label, SELECT) of the rows), each source once."""
    for how in dict.fromkeys(row.how for row in table.rows if row.how):
        yield how, [(row.row.label, row.sql) for row in table.rows if row.how == how and row.sql]


def as_html(results: Sequence[TableResult], cpu_seconds: float, plots: Mapping[str, str]) -> str:
    """Write a self-contained HTML page; `plots` maps tables to SVG documents."""
    e = html.escape
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f"<title>{_TITLE}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_TITLE}</h1><p>{e(summary(results, cpu_seconds))}</p><p>{e(_FROM)}</p>",
    ]
    for publication, tables in _by_publication(results):
        parts.append(f"<h2>{e(publication)}</h2>")
        for number, table in enumerate(tables):
            parts.append(f'<h3 id="{e(table.name)}">{e(_title(table))}</h3><p><code>epcg reproduce run '
                         f"{e(table.name)}</code></p>")  # fmt: skip
            if table.name in plots:
                prefix = f"{table.publication.name}-{number}-"
                parts.append(inline_svg(plots[table.name], prefix))
            parts.append("<table><tr>" + "".join(f"<th>{e(name)}</th>" for name in HEADER) + "</tr>")
            parts += [_html_row(row) for row in table.rows]
            parts.append("</table>")
            questions = "".join(
                f"<li><code>{e(how)}</code>"
                + "".join(f"<br>{e(label)}: <code>{e(sql)}</code>" for label, sql in sqls)
                + "</li>"
                for how, sqls in _questions(table)
            )
            if questions:
                parts.append(f"<details><summary>Queries</summary><ul>{questions}</ul></details>")
    return "\n".join(parts) + "\n</body></html>\n"


def _html_row(result: RowResult) -> str:
    texts = [html.escape(text) for text in cells(result)]
    kind = result.verdict.value.split()[0]
    classes = ("", "n", "", "n", "", kind, "", "n")
    return "<tr>" + "".join(
        f'<td class="{name}">{text}</td>' if name else f"<td>{text}</td>"
        for name, text in zip(classes, texts, strict=True)
    ) + "</tr>"  # fmt: skip


def inline_svg(document: str, prefix: str) -> str:
    """Make an SVG document an element of a page: drop its prologue and prefix its ids."""
    svg = document[document.index("<svg") :].strip()
    svg = re.sub(r"\s(id)=\"([^\"]+)\"", rf' \1="{prefix}\2"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}\1)", svg)
    return re.sub(r"href=\"#([^\"]+)\"", rf'href="#{prefix}\1"', svg)
