"""The first page of a database in the browser: curricula and runs with pictures, then tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import attrs
from datasette.utils.asgi import Response
from datasette.version import __version__
from markupsafe import Markup

if TYPE_CHECKING:
    from datasette.app import Datasette
    from datasette.database import Database
    from datasette.utils.asgi import Request

CURRICULA = (
    """SELECT name AS curriculum, max(id) AS id FROM curriculum GROUP BY name ORDER BY id DESC LIMIT 6"""
)
CHOSEN = """SELECT puzzle FROM selections WHERE curriculum_id = :id AND chosen
ORDER BY chapter, part, position LIMIT 4"""
RUNS = """SELECT run_id, coalesce(queries, space) AS query, state, coverage, candidates, evaluated
FROM runs ORDER BY EXISTS (SELECT 1 FROM candidate WHERE candidate.run_id = runs.run_id AND kept = 1) DESC,
    queries IS NULL, run_id DESC LIMIT 12"""
KEPT = "SELECT puzzle FROM kept WHERE run_id = :id ORDER BY rank LIMIT 4"
TEMPLATE = """{% extends "base.html" %}
{% macro listed(links, between) %}
{% for label, url in links %}{% if not loop.first %}{{ between }}{% endif %}
<a href="{{ url }}">{{ label }}</a>{% endfor %}
{% endmacro %}
{% block title %}EPCG{% endblock %}
{% block content %}
{% for own in databases %}
<h1><a href="{{ own.url }}">{{ own.name }}</a></h1>
{% for title, entries in own.sections %}{% if entries %}
<h2>{{ title }}</h2>
{% for entry in entries %}
<section class="epcg-entry"><h3>{{ entry.title }}</h3><p>{{ entry.text }} {{ listed(entry.links, " · ") }}</p>
<div class="epcg-row">{% for picture in entry.pictures %}{{ picture }}{% endfor %}</div></section>
{% endfor %}{% endif %}{% endfor %}
{% if own.is_new %}
<p>Nothing is recorded yet: <code>epcg run --help</code> tells how to begin.</p>
{% endif %}
<h2>Questions</h2>
<p>{{ listed(own.questions, " · ") }}</p>
<h2>Tables and views</h2>
<p>{{ listed(own.tables, " · ") }}</p>
{% if own.empty %}<p><small>Empty: {{ listed(own.empty, ", ") }}</small></p>{% endif %}
{% endfor %}
{% endblock %}
"""

Link = tuple[str, str]
"""(label, address)."""
Draw = Callable[[str, str], Awaitable[Markup | None]]
"""(database, puzzle id) to the puzzle's picture."""


@attrs.frozen
class Entry:
    """A curriculum or a run."""

    title: str
    text: str
    links: Sequence[Link]
    pictures: Sequence[Markup]


@attrs.frozen
class Overview:
    """The part of one database that the page shows."""

    name: str
    url: str
    sections: Sequence[tuple[str, Sequence[Entry]]]
    questions: Sequence[Link]
    tables: Sequence[Link]
    empty: Sequence[Link]

    @property
    def is_new(self) -> bool:
        """Whether there is neither a run nor a curriculum."""
        return not any(entries for _, entries in self.sections)


async def page(
    datasette: Datasette, request: Request, databases: Sequence[str], draw: Draw, questions: dict[str, Any],
    shown: Sequence[str],
) -> Response:  # fmt: skip
    """Return the page about `databases`, as far as the visitor may see them.

    `shown` are the names of the tables and views that are listed.
    """
    await datasette.ensure_permissions(request.actor, ["view-instance"])
    found = []
    for name in databases:
        visible, _ = await datasette.check_visibility(
            request.actor, permissions=[("view-database", name), "view-instance"]
        )
        if visible:
            found.append(await _overview(datasette, name, draw, questions, shown))
    template = datasette.jinja_env.from_string(TEMPLATE)
    return Response.html(
        await datasette.render_template(
            template, {"databases": found, "datasette_version": __version__}, request, view_name="epcg"
        )
    )


async def _overview(
    datasette: Datasette, name: str, draw: Draw, questions: dict[str, Any], shown: Sequence[str]
) -> Overview:
    database, urls = datasette.get_database(name), datasette.urls

    def query(of: str, **values: object) -> str:
        return f"{urls.query(name, of)}?{urlencode(values)}" if values else str(urls.query(name, of))

    async def pictures(sql: str, number: int) -> list[Markup]:
        drawn = [await draw(name, row["puzzle"]) for row in await _rows(database, sql, id=number)]
        return [picture for picture in drawn if picture is not None]

    curricula = [
        Entry(
            row["curriculum"], "", [("all puzzles", query("curriculum", curriculum=row["curriculum"]))],
            await pictures(CHOSEN, row["id"]),
        )
        for row in await _rows(database, CURRICULA)
    ]  # fmt: skip
    runs = []
    for row in await _rows(database, RUNS):
        number = row["run_id"]
        kept = f"{urls.table(name, 'kept')}?{urlencode({'run_id': number})}"
        text = f"{row['state']}, {row['coverage']}: {row['evaluated']:,} of {row['candidates']:,} evaluated."
        links = [("best by each measure", query("measures", run=number))]
        own = await pictures(KEPT, number)
        if own:
            links.insert(0, ("kept puzzles", kept))
        runs.append(Entry(f"Run {number}: {row['query']}", text, links, own))
    tables: list[Link] = []
    empty: list[Link] = []
    for table in shown:
        has_rows = await _rows(database, f'SELECT 1 FROM "{table}" LIMIT 1')
        (tables if has_rows else empty).append((table, str(urls.table(name, table))))
    links = [(details["title"], query(key)) for key, details in questions.items()]
    sections = [("Curricula", curricula), ("Runs", runs)]
    return Overview(name, str(urls.database(name)), sections, links, tables, empty)


async def _rows(database: Database, sql: str, **values: object) -> list[Any]:
    """Return the rows of a SELECT; none if it takes too long or the database is older than the view."""
    from datasette.database import QueryInterrupted

    try:
        return list((await database.execute(sql, values, log_sql_errors=False)).rows)
    except (QueryInterrupted, sqlite3.DatabaseError):
        return []
