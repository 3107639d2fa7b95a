"""Draw pictures for `epcg plot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from epcg_core.inside import StoreError, ask_sql, parsed, space_in_words
from epcg_core.plugin import QueryError, Reader, Store, registry
from epcg_research import figures
from epcg_research.commands.paper import paper_of, say_drawn
from epcg_research.figures import Asked, Series


def plot(
    run_ids: Sequence[int],
    metrics: Sequence[str],
    layers: bool,
    domain: str | None,
    statement: str | None,
    target: Path,
    location: str,
    how: Mapping[str, Any],
) -> None:
    """Draw metrics of runs, the layers, or the columns of a statement.

    Args:
        run_ids: the runs, side by side; none for one of the others.
        metrics: the metrics, one below the other; none for the first of the first run.
        layers: whether the layers are drawn.
        domain: the domain of the layers; None for all.
        statement: the statement; None for one of the others.
        target: the file.
        location: the database.
        how: `kind`, `by`, `over`, `fit`, `shares`, `where`, `log`, `title`, and options of the paper.

    Raises:
        EpcgError: if there is nothing to draw, or parts of what is asked for do not go together.
    """
    figures.require_matplotlib()
    paper, log, title = paper_of(how), how["log"], how["title"]
    if title is None and how["columns"] is not None:
        title = ""
    paper.check()
    with Store.open(location) as store, store.reader() as reader:
        if layers:
            series, layer_name = _layers(reader, domain)
            heading = "Solvable, by layer" if title is None else title
            figures.draw_layers(target, series, layer_name, heading, log, paper)
            caption = f"Percentage solvable, and uniquely solvable, by {layer_name}: " + (
                "; ".join(each.label for each in series) + "."
            )
        elif statement is not None:
            columns, rows = _columns(reader, statement)
            figures.draw_columns(target, columns, rows, title or "", log, paper)
            caption = f"{columns[1]} over {columns[0]}, {len(rows):,} rows of: {statement}"
        else:
            names = list(dict.fromkeys(metrics)) or [reader.metrics(run_ids[0])[0].name]
            own = {key: how[key] for key in ("over", "by", "shares", "fit", "where")}
            asked = Asked(kind=how["kind"] or "bars", log=log, title=title, **own)
            found = figures.drawing(reader, run_ids, names, asked)
            found.save(target, paper)
            caption = found.caption
    say_drawn(target, caption, how["caption"])


def _columns(reader: Reader, statement: str) -> tuple[list[str], list[Any]]:
    """Return the names and rows of a statement of two columns."""
    found = ask_sql(reader.connection, statement)
    names = list(found.columns)
    if len(names) != 2:
        raise QueryError(f"--sql: two columns are plotted, the statement gives {len(names)}.")
    rows = [row for row in found if None not in row]
    if not rows:
        raise QueryError("--sql: the statement gives no row with two values.")
    if not all(isinstance(y, int | float) for _, y in rows):
        raise QueryError(f"--sql: the second column, {names[1]}, must be numbers.")
    return names, rows


def _layers(reader: Reader, domain: str | None) -> tuple[list[Series], str]:
    """Return the series of the view `layers`, one a space and uniqueness, and the param that varies.

    Layers belong together when their params are equal but for those that are the layer's number.
    """
    rows = reader.connection.execute(
        sa.text(
            "SELECT domain, generator, params, uniqueness, layer, percent_solvable, "
            "percent_uniquely_solvable FROM layers WHERE domain = coalesce(:domain, domain) ORDER BY layer"
        ),
        {"domain": domain},
    ).all()
    if not rows:
        raise StoreError("There is no solved layer in the database: run a query with the retrograde search.")
    params = [parsed(row.params, f"The params of {row.generator}", dict) for row in rows]
    varying = {
        (row.domain, row.generator): {
            key
            for key in own
            if all(
                other.get(key) == r.layer
                for r, other in zip(rows, params, strict=True)
                if (r.domain, r.generator) == (row.domain, row.generator)
            )
        }
        for row, own in zip(rows, params, strict=True)
    }
    found: dict[str, Series] = {}
    for row, own in zip(rows, params, strict=True):
        rest = {k: v for k, v in own.items() if k not in varying[row.domain, row.generator]}
        label = f"{space_in_words(registry(), row.domain, row.generator, rest)}, unique by {row.uniqueness}"
        series = found.setdefault(label, Series(label, [], [], []))
        series.layers.append(row.layer)
        series.solvable.append(row.percent_solvable)
        series.unique.append(row.percent_uniquely_solvable)
    keys = {key for names in varying.values() for key in names}
    return list(found.values()), keys.pop() if len(keys) == 1 else "layer"
