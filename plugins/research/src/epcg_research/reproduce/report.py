"""Reproduced tables as data, Markdown and HTML."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from epcg_research.reproduce.claims import ClaimResult, claims_of, equal_numbers
from epcg_research.reproduce.printed import answer_in_words
from epcg_research.reproduce.rows import TableResult
from epcg_research.reproduce.verdicts import RowResult, Verdict

HEADER = ("what", "published", "from", "ours", "of", "verdict", "why", "CPU s")
CLAIM_HEADER = ("claim", "where", "it says", "verdict", "rows", "why")
_TITLE = "Published results, computed again"
_FROM = (
    "From: 'paper' is printed in a paper or book, 'page' stands on a web page, and 'reference' is a value "
    "that another program computed for the same question."
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


def claim_cells(result: ClaimResult) -> tuple[str, str, str, str, str, str]:
    """Format a claim as strings, in the order of CLAIM_HEADER."""
    claim = result.claim
    return (
        result.name,
        claim.place or "-",
        claim.says,
        result.verdict.value,
        ", ".join(f"{count} {verdict}" for verdict, count in result.counts.items()) or "-",
        "; ".join(result.reasons),
    )


def summary(results: Sequence[TableResult], cpu_seconds: float) -> str:
    """Write how many rows and runs there are, and on a line of its own how many numbers are equal."""
    number = sum(len(table.rows) for table in results)
    computed = {run for table in results for row in table.rows for run in row.computed}
    return (
        f"{number:,} rows. Runs computed now: {len(computed)}. All runs together took {cpu_seconds:.1f} CPU "
        f"seconds.\n{headline(results)}"
    )


def headline(results: Sequence[TableResult]) -> str:
    """Write 'equal: 12 numbers printed in papers, 3 of pages, 40 of independent programs; 2 differs'."""
    equal = equal_numbers(results)
    others = [
        f"{count:,} {verdict}"
        for verdict, count in counts(results).items()
        if count and verdict != Verdict.EQUAL.value
    ]
    return (
        f"equal: {equal['paper']:,} {'number' if equal['paper'] == 1 else 'numbers'} printed in papers, "
        f"{equal['page']:,} of pages, {equal['reference']:,} of independent programs"
        f"{'; other rows: ' if others else ''}{', '.join(others)}"
    )


def as_data(results: Sequence[TableResult], cpu_seconds: float) -> dict[str, Any]:
    """Return the results as JSON-like data."""
    return {
        "cpu_seconds": cpu_seconds,
        "verdicts": counts(results),
        "equal": equal_numbers(results),
        "claims": [_claim_data(result) for result in claims_of(results)],
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


def _claim_data(result: ClaimResult) -> dict[str, Any]:
    claim = result.claim
    return {
        "claim": result.name,
        "place": claim.place,
        "says": claim.says,
        "statistic": claim.statistic,
        "n": claim.n,
        "verdict": result.verdict.value,
        "rows": result.counts,
        "reasons": list(result.reasons),
    }


def _row_data(result: RowResult) -> dict[str, Any]:
    row = result.row
    return {
        "label": row.label,
        "claim": row.claim,
        "again": row.again,
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
    lines = [f"# {_TITLE}", "", *summary(results, cpu_seconds).replace("\n", "\n\n").split("\n"), ""]
    lines += [_FROM, ""]
    claims = list(claims_of(results))
    if claims:
        lines += ["## Claims", "", *_markdown_table(CLAIM_HEADER, map(claim_cells, claims)), ""]
    for publication, tables in _by_publication(results):
        lines += [f"## {publication}", ""]
        for table in tables:
            lines += [f"### {_title(table)}", "", f"`epcg reproduce run {table.name}`", ""]
            lines += [*_markdown_table(HEADER, map(cells, table.rows)), ""]
            if table.name in plots:
                lines += [f"![{table.table.plot.title if table.table.plot else ''}]({plots[table.name]})", ""]
            for how, sqls in _questions(table):
                lines.append(f"- `{how}`")
                lines += [f"  - {label}: `{sql}`" for label, sql in sqls]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(map(_escaped, row)) + " |"


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
        f"<h1>{_TITLE}</h1><p>{'<br>'.join(map(e, summary(results, cpu_seconds).splitlines()))}</p>",
        f"<p>{e(_FROM)}</p>",
    ]
    claims = list(claims_of(results))
    if claims:
        parts += ["<h2>Claims</h2><table>", _html_header(CLAIM_HEADER), *map(_html_claim, claims), "</table>"]
    for publication, tables in _by_publication(results):
        parts.append(f"<h2>{e(publication)}</h2>")
        for number, table in enumerate(tables):
            parts.append(f'<h3 id="{e(table.name)}">{e(_title(table))}</h3><p><code>epcg reproduce run '
                         f"{e(table.name)}</code></p>")  # fmt: skip
            if table.name in plots:
                prefix = f"{table.publication.name}-{number}-"
                parts.append(inline_svg(plots[table.name], prefix))
            parts += ["<table>", _html_header(HEADER)]
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


def _html_header(names: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names) + "</tr>"


def _html_claim(result: ClaimResult) -> str:
    return _html_cells(claim_cells(result), ("", "", "", _kind(result.verdict), "", ""))


def _html_row(result: RowResult) -> str:
    return _html_cells(cells(result), ("", "n", "", "n", "", _kind(result.verdict), "", "n"))


def _kind(verdict: Verdict) -> str:
    return verdict.value.split()[0]


def _html_cells(found: Sequence[str], classes: Sequence[str]) -> str:
    texts = map(html.escape, found)
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
